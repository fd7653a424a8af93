"""One person on each channel of a call; truth is where speech was put into the channels."""

import tracemalloc
import wave
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb_core import CancelToken
from kb_core.errors import Cancelled
from kb_parse_audio.channel_speakers import ChannelDiarizer
from kb_parse_audio.decode import open_recording
from kb_parse_audio.sound_blocks import overheard

AUDIO = Path(__file__).parents[3] / "fixtures" / "audio"
RATE_HZ = 16_000
SPOKEN_MS = {
    "jfk.wav": [(320, 2240), (3290, 4400), (5400, 7650), (8180, 10_580)],
    "leopard_ko.wav": [(670, 3380)],
    "leopard_ja.wav": [(790, 4720)],
}
"""Where somebody speaks, read off the waveforms."""


def clip(name, number=0):
    start_ms, end_ms = SPOKEN_MS[name][number]
    with wave.open(str(AUDIO / name), "rb") as file:
        assert (file.getframerate(), file.getnchannels()) == (RATE_HZ, 1)
        pcm = np.frombuffer(file.readframes(file.getnframes()), "<i2")
    sound = pcm[start_ms * 16 : end_ms * 16] / 32_768
    return 0.4 * sound / np.abs(sound).max()


def room(length_s, noise=1e-3, seed=0):
    return noise * np.random.default_rng(seed).standard_normal((round(length_s * RATE_HZ), 2))


def put(call, channel, at_ms, sound, leak=0.0, leak_ms=0):
    """Let somebody speak, and return when, in milliseconds."""
    start = at_ms * 16
    call[start : start + len(sound), channel] += sound
    late = start + leak_ms * 16
    call[late : late + len(sound), 1 - channel] += leak * sound
    return at_ms, at_ms + len(sound) // 16


def write_wav(path, call):
    with wave.open(str(path), "wb") as file:
        file.setparams((call.shape[1], 2, RATE_HZ, 0, "NONE", ""))
        file.writeframes(np.rint(np.clip(call, -1, 1) * 32_767).astype("<i2").tobytes())
    return path


def diarize(blocks):
    stream = ChannelDiarizer().stream()
    for _ in overheard(blocks, stream):
        pass
    return stream.finish()


def diarize_sound(call, block_samples=RATE_HZ):
    call = call.astype(np.float32)
    return diarize(
        (start, call[start : start + block_samples]) for start in range(0, len(call), block_samples)
    )


def turns_of(diarization, speaker):
    return [(turn.start_ms, turn.end_ms) for turn in diarization.turns if turn.speaker == speaker]


def close_to(spans_ms):
    return [pytest.approx(span_ms, abs=100) for span_ms in spans_ms]


@pytest.mark.parametrize(("leak", "leak_ms"), [(0, 0), (0.1, 0), (0.1, 300), (0.3, 20)])
def test_people_who_take_turns_are_told_apart(tmp_path, leak, leak_ms):
    call = room(22)
    asks = [
        put(call, 0, 1000, clip("jfk.wav", 0), leak, leak_ms),
        put(call, 0, 9000, clip("jfk.wav", 2), leak, leak_ms),
        put(call, 0, 17_000, clip("leopard_ja.wav"), leak, leak_ms),
    ]
    answers = [
        put(call, 1, 3300, clip("leopard_ko.wav"), leak, leak_ms),
        put(call, 1, 12_000, clip("jfk.wav", 1), leak, leak_ms),
    ]
    with open_recording(write_wav(tmp_path / "call.wav", call)) as recording:
        diarization = diarize(recording.channel_blocks())
    assert turns_of(diarization, "S1") == close_to(asks)
    assert turns_of(diarization, "S2") == close_to(answers)
    assert diarization.warnings == ()


def test_people_who_talk_at_once_are_both_heard():
    call = room(12)
    long = put(call, 0, 1000, clip("leopard_ja.wav"), leak=0.1)
    other = put(call, 1, 3000, clip("leopard_ko.wav"), leak=0.1)
    diarization = diarize_sound(call)
    (first, second) = diarization.turns
    assert (first.speaker, first.start_ms) == ("S1", pytest.approx(long[0], abs=100))
    assert (second.speaker, second.end_ms) == ("S2", pytest.approx(other[1], abs=100))
    assert first.end_ms == pytest.approx(long[1], abs=300)
    assert second.start_ms == pytest.approx(other[0], abs=300)


def test_a_word_thrown_in_is_a_turn_of_its_own():
    call = room(8)
    put(call, 0, 1000, clip("jfk.wav", 2))
    said = put(call, 1, 3600, clip("leopard_ko.wav")[:6400])
    put(call, 0, 4400, clip("jfk.wav", 1))
    assert turns_of(diarize_sound(call), "S2") == close_to([said])


def test_a_quiet_channel_is_no_less_heard():
    call = room(10, noise=3e-4)
    loud = put(call, 0, 1000, clip("jfk.wav", 2), leak=0.05)
    quiet = put(call, 1, 4500, 0.15 * clip("leopard_ko.wav"))
    diarization = diarize_sound(call)
    assert turns_of(diarization, "S1") == close_to([loud])
    assert turns_of(diarization, "S2") == close_to([quiet])


def test_a_short_word_in_a_short_pause_does_not_belong_to_both():
    call = room(6)
    put(call, 0, 500, clip("jfk.wav", 0))
    said = put(call, 1, 2450, clip("leopard_ko.wav")[:5600])
    put(call, 0, 2850, clip("jfk.wav", 1))
    diarization = diarize_sound(call)
    assert turns_of(diarization, "S2") == close_to([said])
    assert len(turns_of(diarization, "S1")) == 2


def test_clicks_and_coughs_are_no_turns():
    call = room(10)
    spoken = put(call, 0, 1000, clip("jfk.wav", 2))
    burst = 0.3 * np.random.default_rng(1).standard_normal(1600)
    put(call, 1, 5000, burst)
    for at_ms in (6000, 6300, 6600):
        put(call, 1, at_ms, burst[:320])
    diarization = diarize_sound(call)
    assert turns_of(diarization, "S1") == close_to([spoken])
    assert turns_of(diarization, "S2") == []


def test_noise_that_swells_is_no_turn():
    call = room(10, noise=3e-4)
    call[:, 1] *= 3
    spoken = put(call, 0, 1000, clip("jfk.wav", 2))
    call[5 * RATE_HZ : 7 * RATE_HZ] *= [4, 2]
    diarization = diarize_sound(call)
    assert turns_of(diarization, "S1") == close_to([spoken])
    assert turns_of(diarization, "S2") == []


def test_a_channel_with_nothing_but_what_leaks_in_is_called_silent():
    call = room(6)
    spoken = put(call, 1, 1000, clip("jfk.wav", 2), leak=0.1)
    diarization = diarize_sound(call)
    assert turns_of(diarization, "S2") == close_to([spoken])
    assert turns_of(diarization, "S1") == []
    assert [warning.code for warning in diarization.warnings] == ["silent_channel"]
    assert "the first channel" in diarization.warnings[0].message


def test_one_person_who_never_pauses_long_has_one_turn():
    call = room(6)
    put(call, 0, 1000, clip("jfk.wav", 0))
    put(call, 0, 3320, clip("jfk.wav", 1))
    assert len(turns_of(diarize_sound(call), "S1")) == 1


@pytest.mark.parametrize(
    ("gain", "delay_ms", "noise"), [(1, 0, 0), (-1, 0, 0), (0.4, 0, 0), (0.8, 1, 3e-3)]
)
def test_the_same_sound_on_both_channels_tells_nobody_apart(gain, delay_ms, noise):
    mono = np.concatenate([clip("jfk.wav", 0), np.zeros(8000), clip("leopard_ko.wav")])
    second = gain * np.roll(mono, delay_ms * 16)
    call = np.stack([mono, second], axis=1)
    diarization = diarize_sound(call + room(len(call) / RATE_HZ, noise))
    assert diarization.turns == ()
    assert [warning.message for warning in diarization.warnings] == [
        "both channels hold the same sound, speakers cannot be told apart by channel"
    ]


def test_two_people_who_never_stop_talking_are_not_the_same_sound():
    length = 3 * RATE_HZ // 2
    call = np.stack([clip("jfk.wav", 2)[:length], clip("leopard_ko.wav")[:length]], axis=1)
    assert {turn.speaker for turn in diarize_sound(call).turns} == {"S1", "S2"}


@pytest.mark.parametrize(
    ("channel_count", "why"), [(1, "one channel only"), (6, "6 channels rather than two")]
)
def test_other_numbers_of_channels_tell_nobody_apart(channel_count, why):
    call = np.tile(clip("jfk.wav", 0)[:, np.newaxis], channel_count)
    diarization = diarize_sound(call)
    assert diarization.turns == ()
    (warning,) = diarization.warnings
    assert warning.code == "speakers_unknown"
    assert warning.message == f"{why}, speakers cannot be told apart by channel"


def test_silence_has_no_turns_and_no_warnings():
    assert (
        diarize_sound(np.zeros((RATE_HZ, 2))) == diarize([]) == ChannelDiarizer().stream().finish()
    )
    assert diarize_sound(room(5)).turns == ()
    hiss = room(5, noise=3e-5)
    hiss[RATE_HZ : 2 * RATE_HZ, 0] *= 10
    assert diarize_sound(hiss).turns == ()


def test_silence_that_the_file_does_not_hold_has_no_speaker():
    call = room(8)
    spoken = put(call, 0, 1000, clip("jfk.wav", 2))
    answer = put(call, 1, 4500, clip("leopard_ko.wav"))
    call = call.astype(np.float32)
    gap = [(position, np.zeros((RATE_HZ, 1), np.float32)) for position in range(0, 32_000, RATE_HZ)]
    late = [(32_000 + start, call[start : start + RATE_HZ]) for start in range(0, 128_000, RATE_HZ)]
    diarization = diarize([*gap, *late])
    assert turns_of(diarization, "S1") == close_to([(spoken[0] + 2000, spoken[1] + 2000)])
    assert turns_of(diarization, "S2") == close_to([(answer[0] + 2000, answer[1] + 2000)])


def test_no_turn_ends_after_the_recording():
    call = room(2.5013)
    put(call, 0, 1000, clip("leopard_ja.wav")[: 24_000 + 20])
    (turn,) = diarize_sound(call).turns
    assert turn.end_ms == -(-len(call) // 16)


@given(st.integers(500, 40_000))
@settings(max_examples=20)
def test_turns_do_not_depend_on_how_the_sound_was_cut(block_samples):
    call = room(5)
    put(call, 0, 300, clip("jfk.wav", 0), leak=0.1)
    put(call, 1, 2600, clip("jfk.wav", 1), leak=0.1)
    assert diarize_sound(call, block_samples) == diarize_sound(call)


def test_a_stop_is_heeded():
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        ChannelDiarizer().stream().finish(cancel)


def test_what_is_kept_of_ten_hours_is_a_few_megabytes():
    second = room(1).astype(np.float32)
    stream = ChannelDiarizer().stream()
    tracemalloc.start()
    try:
        for _ in overheard(((position, second) for position in range(600)), stream):
            pass
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept * 60 < 10_000_000

from __future__ import annotations

import wave
from array import array
from pathlib import Path

import pytest

from kb_core import DocumentChoices, Transcript, TranscriptSegment
from kb_core.ports.extractor import ExtractRuntime
from kb_core.ports.transcriber import Transcriber
from kb_core.transcript_memory import TranscriptMemory
from kb_parse_audio.extractor import AudioExtractor, AudioOptions
from kb_testing.documents import make_asset
from kb_testing.fake_voice_activity import EnergyDetector


def no_transcriber() -> Transcriber:
    raise AssertionError("nothing needs to be recognised")


def recording(folder: Path, seconds: float) -> Path:
    path = folder / "talk.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(array("h", [0] * round(8000 * seconds)).tobytes())
    return path


def transcript(*times_ms: tuple[int, int]) -> Transcript:
    return Transcript(
        segments=tuple(
            TranscriptSegment(start_ms=start_ms, end_ms=end_ms, text=f"line {place}", speaker="S1")
            for place, (start_ms, end_ms) in enumerate(times_ms)
        ),
        engine="file",
        engine_version="1",
        model_id="srt",
        model_version="0" * 64,
        transcript_version="b" * 32,
    )


def extracted(path: Path, beside: Transcript):
    extractor = AudioExtractor(no_transcriber, AudioOptions(), detector=EnergyDetector())
    asset = make_asset("talk.wav", "sound", media_type="audio/wav").model_copy(
        update={"source_path": str(path)}
    )
    runtime = ExtractRuntime(
        transcripts=TranscriptMemory(), choices=DocumentChoices(), transcript=beside
    )
    return extractor.extract(asset, runtime), runtime


def test_a_transcript_beside_a_recording_is_taken_without_a_recogniser(tmp_path):
    document, runtime = extracted(recording(tmp_path, 3.0), transcript((500, 1200), (1200, 2900)))
    assert document.audio is not None
    assert document.audio.duration_ms == 3000
    assert document.audio.transcript == transcript((500, 1200), (1200, 2900))
    assert runtime.warnings == ()


def test_times_beyond_the_recording_are_held_to_it_and_warned_of(tmp_path):
    document, runtime = extracted(recording(tmp_path, 2.0), transcript((500, 1200), (1900, 8000)))
    assert document.audio is not None
    assert document.audio.transcript is not None
    last = document.audio.transcript.segments[-1]
    assert (last.start_ms, last.end_ms, last.text) == (1900, 2000, "line 1")
    assert [flag.code for flag in last.flags] == ["time_repaired"]
    assert [warning.code for warning in runtime.warnings] == ["transcript_beyond_end"]


@pytest.mark.parametrize("choices", [DocumentChoices(encoding="cp949", transcribe=False)])
def test_choices_for_other_kinds_of_files_change_nothing(choices):
    assert AudioOptions().with_choices(choices) == AudioOptions()

"""An evaluation measures what it can, names what it cannot, and keeps what it has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from kb_app.evaluation import AsrEvaluationServices
from kb_app.transcribe import MeasuredTranscript
from kb_core import Transcript, TranscriptSegment
from kb_core.errors import Cancelled, EngineFailed, InputError, ModelMissing
from kb_core.ports.transcriber import TranscriberIdentity
from kb_eval.evaluate import evaluate_asr

IDENTITY = TranscriberIdentity(
    engine="parrot", engine_version="1", model_id="small", model_version="0" * 64, decoding={}
)
REFERENCES = {"en/a": "go home", "en/b": "one two three", "nonspeech/c": None, "d": None}


def said(text: str) -> MeasuredTranscript:
    segments = (TranscriptSegment(start_ms=0, end_ms=1000, text=text, language="en"),)
    transcript = Transcript(
        segments=segments if text else (),
        language="en",
        engine="parrot",
        engine_version="1",
        model_id="small",
        model_version="0" * 64,
        transcript_version="t",
    )
    return MeasuredTranscript(transcript, duration_ms=2000, elapsed_ms=500, cpu_ms=900)


@pytest.fixture
def services(tmp_path: Path) -> AsrEvaluationServices:
    recordings = []
    for name, text in REFERENCES.items():
        recordings.append(tmp_path / f"{name}.wav")
        recordings[-1].parent.mkdir(exist_ok=True)
        if text is not None:
            recordings[-1].with_suffix(".txt").write_text(text, encoding="utf-8")
    return AsrEvaluationServices(
        folder=tmp_path,
        recordings=tuple(recordings),
        identity=IDENTITY,
        languages=("en",),
        load=lambda: 70,
        transcribe=lambda path: said("Go home!" if path.stem == "a" else "one too three"),
        on_file=lambda _number, _count, _path: None,
    )


def failing(at: str, error: Exception) -> Callable[[Path], MeasuredTranscript]:
    def transcribe(path: Path) -> MeasuredTranscript:
        if path.stem == at:
            raise error
        return said("go home")

    return transcribe


def test_figures_are_pooled_by_folder_and_in_total(services: AsrEvaluationServices) -> None:
    seen = []
    report = evaluate_asr(replace(services, on_file=lambda *told: seen.append(told)))
    assert seen == [(1, 3, "en/a.wav"), (2, 3, "en/b.wav"), (3, 3, "nonspeech/c.wav")]
    assert [folder.path for folder in report.folders] == ["en", "nonspeech"]
    english, silent = (folder.scores for folder in report.folders)
    assert english.wer is not None
    assert (english.wer.rate, english.wer.reference_length) == (0.2, 5)
    assert (english.realtime_factor, english.cpu_ms, english.recordings) == (4.0, 1800, 2)
    assert (english.language_accuracy, english.language_count) == (1.0, 2)
    assert english.phantom_words_per_silent_hour is None
    assert (silent.wer, silent.cer, silent.language_accuracy) == (None, None, None)
    assert silent.phantom_words_per_silent_hour == 3 * 3600 / 2
    assert report.total.wer == english.wer
    assert (report.total.recordings, report.total.duration_ms) == (3, 6000)
    assert (report.without_reference, report.load_ms) == (("d.wav",), 70)
    assert (report.files[0].reference_text, report.files[0].heard_text) == ("go home", "go home")


@pytest.mark.parametrize("error", [InputError("b.wav", "damaged"), EngineFailed("it coughed")])
def test_a_recording_that_fails_is_named_and_the_others_are_measured(
    services: AsrEvaluationServices, error: InputError | EngineFailed
) -> None:
    report = evaluate_asr(replace(services, transcribe=failing("b", error)))
    failed = [file for file in report.files if file.error is not None]
    assert [(file.path, file.error, file.error_code) for file in failed] == [
        ("en/b.wav", error.message, error.code)
    ]
    assert report.total.recordings == 2


def test_a_reference_that_makes_no_sense_is_named(services: AsrEvaluationServices) -> None:
    (services.folder / "d.json").write_text("{", encoding="utf-8")
    report = evaluate_asr(services)
    assert report.files[0].path == "d.wav"
    assert "d.json" in str(report.files[0].error)
    assert report.total.recordings == 3


def test_a_stop_keeps_what_was_measured(services: AsrEvaluationServices) -> None:
    report = evaluate_asr(replace(services, transcribe=failing("b", Cancelled())))
    assert report.cancelled
    assert [file.path for file in report.files] == ["en/a.wav"]


def test_what_stops_every_recording_stops_the_evaluation(services: AsrEvaluationServices) -> None:
    with pytest.raises(ModelMissing):
        evaluate_asr(replace(services, transcribe=failing("a", ModelMissing("no such model"))))


def test_without_references_no_model_is_loaded(services: AsrEvaluationServices) -> None:
    def load() -> int:
        raise AssertionError

    only = (services.folder / "d.wav",)
    with pytest.raises(InputError, match="no recording in it has a reference"):
        evaluate_asr(replace(services, recordings=only, load=load))

"""What was chosen for one document stays with it, whatever the settings say later."""

from __future__ import annotations

import math
import wave
from array import array
from collections.abc import Callable
from pathlib import Path

import pytest

from kb_app.container import Container
from kb_app.ingest import ingest
from kb_app.library import inspect_document, list_documents, status
from kb_app.search import search
from kb_app.wire import IngestReportV1
from kb_core import DocumentChoices
from kb_core.errors import ConfigError
from kb_testing.fake_transcriber import BeepTranscriber
from kb_testing.sound import write_beeps

OpenContainer = Callable[..., Container]

KOREAN = DocumentChoices(languages=("ko",))
ANY_LANGUAGE = DocumentChoices(languages=())
DOUBTFUL = "na " * 40
"""A text that no mouth said: it repeats itself."""


def kinds(report: IngestReportV1) -> dict[str, str]:
    return {item.doc_path: item.kind for item in report.items}


def language_of(container: Container, path: str) -> str | None:
    (segment,) = inspect_document(container, path).segments
    return segment.language


def choices_of(container: Container, path: str) -> DocumentChoices:
    return inspect_document(container, path).versions.choices


@pytest.fixture
def two_recordings(workspace: Path) -> Path:
    """The folder with a.wav and b.wav."""
    write_beeps(workspace / "a.wav", 4, [1])
    write_beeps(workspace / "b.wav", 4, [2])
    return workspace


def test_a_language_that_was_chosen_for_a_file_stays_with_it(
    open_container: OpenContainer, two_recordings: Path
) -> None:
    container = open_container()
    ingest(container, [two_recordings])
    report = ingest(container, [two_recordings / "a.wav"], choices=KOREAN)
    assert kinds(report) == {"a.wav": "updated"}
    assert report.items[0].reasons == ("speech model, engine, languages or speakers changed",)
    assert (language_of(container, "a.wav"), language_of(container, "b.wav")) == ("ko", "en")
    recogniser = BeepTranscriber()
    later = open_container(recogniser)
    assert status(later).stale == ()
    assert kinds(ingest(later, [two_recordings])) == {"a.wav": "skipped", "b.wav": "skipped"}
    again = ingest(later, [two_recordings / "a.wav"], choices=KOREAN)
    assert (kinds(again), recogniser.calls) == ({"a.wav": "skipped"}, 0)


def test_any_language_takes_a_choice_back_without_hearing_again(
    open_container: OpenContainer, two_recordings: Path
) -> None:
    recogniser = BeepTranscriber()
    container = open_container(recogniser)
    ingest(container, [two_recordings])
    ingest(container, [two_recordings / "a.wav"], choices=KOREAN)
    calls = recogniser.calls
    report = ingest(container, [two_recordings / "a.wav"], choices=ANY_LANGUAGE)
    assert kinds(report) == {"a.wav": "updated"}
    assert (language_of(container, "a.wav"), recogniser.calls) == ("en", calls)
    assert kinds(ingest(container, [two_recordings])) == {"a.wav": "skipped", "b.wav": "skipped"}


def test_any_language_is_a_choice_whatever_the_settings_say(
    open_container: OpenContainer, two_recordings: Path
) -> None:
    japanese = open_container(settings={"asr.languages": ["ja"]})
    ingest(japanese, [two_recordings])
    ingest(japanese, [two_recordings / "a.wav"], choices=ANY_LANGUAGE)
    assert (language_of(japanese, "a.wav"), language_of(japanese, "b.wav")) == ("en", "ja")
    assert choices_of(japanese, "a.wav") == ANY_LANGUAGE
    assert kinds(ingest(japanese, [two_recordings])) == {"a.wav": "skipped", "b.wav": "skipped"}


def test_other_languages_in_the_settings_concern_only_what_none_were_chosen_for(
    open_container: OpenContainer, two_recordings: Path
) -> None:
    container = open_container()
    ingest(container, [two_recordings])
    ingest(container, [two_recordings / "a.wav"], choices=KOREAN)
    japanese = open_container(settings={"asr.languages": ["ja"]})
    (stale,) = status(japanese).stale
    assert stale.doc_path == "b.wav"
    assert stale.reasons == ("speech model, engine, languages or speakers changed",)
    assert kinds(ingest(japanese, [two_recordings])) == {"a.wav": "skipped", "b.wav": "updated"}
    assert (language_of(japanese, "a.wav"), language_of(japanese, "b.wav")) == ("ko", "ja")
    assert status(japanese).stale == ()


def test_a_choice_that_changes_nothing_now_holds_when_the_settings_change(
    open_container: OpenContainer, two_recordings: Path
) -> None:
    korean = open_container(settings={"asr.languages": ["ko"]})
    ingest(korean, [two_recordings])
    (item,) = ingest(korean, [two_recordings / "a.wav"], choices=KOREAN).items
    assert (item.kind, item.reasons) == ("updated", ("choices for it changed",))
    again = ingest(korean, [two_recordings / "a.wav"], choices=KOREAN)
    assert kinds(again) == {"a.wav": "skipped"}
    japanese = open_container(settings={"asr.languages": ["ja"]})
    assert [stale.doc_path for stale in status(japanese).stale] == ["b.wav"]


def test_the_order_of_languages_makes_nothing_stale(
    open_container: OpenContainer, two_recordings: Path
) -> None:
    ingest(open_container(settings={"asr.languages": ["ko", "en"]}), [two_recordings])
    assert status(open_container(settings={"asr.languages": ["en", "ko"]})).stale == ()


def test_choices_of_a_new_file_are_stored_and_later_ones_are_added(
    open_container: OpenContainer, two_recordings: Path
) -> None:
    container = open_container()
    ingest(container, [two_recordings / "a.wav"], choices=KOREAN)
    ingest(container, [two_recordings / "a.wav"], choices=DocumentChoices(keep_suspect=True))
    assert choices_of(container, "a.wav") == DocumentChoices(languages=("ko",), keep_suspect=True)


def test_choices_stay_with_a_file_that_changes_or_moves(
    open_container: OpenContainer, two_recordings: Path
) -> None:
    container = open_container()
    ingest(container, [two_recordings / "a.wav"], choices=KOREAN)
    write_beeps(two_recordings / "a.wav", 6, [3])
    ingest(container, [two_recordings])
    assert language_of(container, "a.wav") == "ko"
    (two_recordings / "a.wav").rename(two_recordings / "c.wav")
    assert kinds(ingest(container, [two_recordings]))["c.wav"] == "moved"
    assert choices_of(container, "c.wav") == KOREAN
    assert language_of(container, "c.wav") == "ko"


def test_suspects_are_kept_and_dropped_without_hearing_them_again(
    open_container: OpenContainer, workspace: Path
) -> None:
    write_beeps(workspace / "talk.wav", 10, [1, 6])
    ingest(open_container(BeepTranscriber(text=DOUBTFUL)), [workspace])
    recogniser = BeepTranscriber(text=DOUBTFUL)
    container = open_container(recogniser)
    for keep, chunks, reason in (
        (None, 0, None),
        (True, 1, "whether suspects are kept changed"),
        (True, 1, None),
        (None, 1, None),
        (False, 0, "whether suspects are kept changed"),
    ):
        report = ingest(container, [workspace], choices=DocumentChoices(keep_suspect=keep))
        assert report.items[0].reasons == ((reason,) if reason else ())
        document = inspect_document(container, "talk.wav")
        assert (document.summary.chunk_count, len(document.chunk_ids)) == (chunks, chunks)
        assert len(search(container, "na").hits) == chunks
        assert [segment.suppressed for segment in document.segments] == [not chunks] * 2
        for segment in document.segments:
            assert segment.flags[0].startswith("suspected_hallucination: the text repeats itself")
    assert recogniser.calls == 0


def test_settings_may_keep_suspects_but_of_files_for_which_it_was_chosen_otherwise(
    open_container: OpenContainer, two_recordings: Path
) -> None:
    container = open_container(BeepTranscriber(text=DOUBTFUL))
    ingest(container, [two_recordings])
    dropped = DocumentChoices(keep_suspect=False)
    ingest(container, [two_recordings / "a.wav"], choices=dropped)
    keeping = open_container(BeepTranscriber(text=DOUBTFUL), settings={"asr.keep_suspect": True})
    (stale,) = status(keeping).stale
    assert (stale.doc_path, stale.reasons) == ("b.wav", ("whether suspects are kept changed",))
    ingest(keeping, [two_recordings])
    assert [hit.doc_path for hit in search(keeping, "na").hits] == ["b.wav"]


def write_call(path: Path) -> None:
    """Write a stereo call with a faint hum: tones left at 1 s and 7 s, and right at 4 s."""
    rate_hz, duration_s = 16_000, 10
    samples = array("h")
    for place in range(rate_hz * duration_s):
        hum = round(20 * math.sin(2 * math.pi * 100 * place / rate_hz))
        tone = round(20_000 * math.sin(2 * math.pi * 1000 * place / rate_hz))
        second = place // rate_hz
        samples.extend((tone if second in (1, 7) else hum, tone if second == 4 else hum))
    with wave.open(str(path), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(rate_hz)
        file.writeframes(samples.tobytes())


def test_speakers_of_a_call_are_told_apart_on_request_without_hearing_it_again(
    open_container: OpenContainer, workspace: Path
) -> None:
    write_call(workspace / "call.wav")
    recogniser = BeepTranscriber()
    container = open_container(recogniser)
    ingest(container, [workspace])
    assert list_documents(container).documents[0].speakers == ()
    calls = recogniser.calls
    ingest(container, [workspace], choices=DocumentChoices(speakers="channels"))
    document = inspect_document(container, "call.wav")
    assert [segment.speaker for segment in document.segments] == ["S1", "S2", "S1"]
    assert document.summary.speakers == ("S1", "S2")
    assert kinds(ingest(container, [workspace])) == {"call.wav": "skipped"}
    ingest(container, [workspace], choices=DocumentChoices(speakers="none"))
    assert list_documents(container).documents[0].speakers == ()
    assert recogniser.calls == calls


@pytest.mark.parametrize("is_stored", [False, True])
def test_a_way_of_telling_speakers_apart_that_there_is_not_is_refused_before_anything_is_done(
    open_container: OpenContainer, two_recordings: Path, is_stored: bool
) -> None:
    container = open_container()
    if is_stored:
        ingest(container, [two_recordings])
        (two_recordings / "a.wav").unlink()
    before = list(container.store.dump_reproducible_rows())
    with pytest.raises(ConfigError, match="nonsense") as caught:
        ingest(container, [two_recordings], choices=DocumentChoices(speakers="nonsense"))
    assert "channels, none" in (caught.value.hint or "")
    assert list(container.store.dump_reproducible_rows()) == before

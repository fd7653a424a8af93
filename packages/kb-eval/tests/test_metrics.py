"""Figures mean what they say, for kb and for any other engine."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_core import SegmentFlag, Transcript, TranscriptSegment, Word
from kb_eval import (
    EditCounts,
    Heard,
    HeardSegment,
    HeardWord,
    Reference,
    ReferencePart,
    ReferenceWord,
    Score,
    heard_in,
    pooled,
    score,
)

SPOKEN = st.text(st.sampled_from("ab가나天地 .'")) | st.text()


def heard(text: str, starts_ms: dict[str, int] | None = None, **fields: object) -> Heard:
    words = tuple(HeardWord(start_ms=ms, text=word) for word, ms in (starts_ms or {}).items())
    return Heard(text=text, words=words, **{"duration_ms": 10_000, **fields})


def segment(start_ms: int, end_ms: int, language: str | None) -> HeardSegment:
    return HeardSegment(start_ms=start_ms, end_ms=end_ms, language=language)


@given(SPOKEN)
def test_what_was_heard_right_has_no_errors(text: str) -> None:
    its_score = score(Reference(text=text), heard(text))
    assert its_score.words.errors == its_score.characters.errors == 0
    assert its_score.phantom_words == 0


@given(SPOKEN)
def test_nothing_heard_is_all_of_it_wrong(text: str) -> None:
    its_score = score(Reference(text=text), heard(""))
    assert its_score.wer in (None, 1.0)
    assert its_score.cer in (None, 1.0)
    assert its_score.characters.deletions == its_score.characters.reference_length


@given(st.lists(st.tuples(SPOKEN, SPOKEN), max_size=5), st.randoms())
def test_the_order_of_recordings_is_of_no_matter(
    pairs: list[tuple[str, str]], random: object
) -> None:
    scores = [score(Reference(text=said), heard(text)) for said, text in pairs]
    shuffled = list(scores)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert pooled(shuffled) == pooled(scores)
    halves = pooled([pooled(scores[:2]), pooled(scores[2:])])
    assert halves == pooled(scores)


def test_edits_are_counted_in_words_and_in_characters_without_spaces() -> None:
    its_score = score(Reference(text="Go on, now."), heard("go an on"))
    assert its_score.words == EditCounts(deletions=1, insertions=1, reference_length=3)
    assert its_score.characters.reference_length == 7
    assert its_score.wer == pytest.approx(2 / 3)


def test_text_where_the_reference_has_none_but_punctuation_is_an_insertion() -> None:
    its_score = score(Reference(text="…"), heard("thank you"))
    assert its_score.words == EditCounts(insertions=2)
    assert its_score.wer is None


def test_rates_are_pooled_by_length() -> None:
    short = score(Reference(text="no"), heard("yes"))
    long = score(Reference(text="a b c d e f g h i"), heard("a b c d e f g h i"))
    assert pooled([short, long]).wer == pytest.approx(0.1)


def test_a_script_without_spaces_has_no_word_error_rate() -> None:
    its_score = score(Reference(text="换一首歌"), heard("换 一首。"))
    assert its_score.wer is None
    assert its_score.cer == 0.25


def test_starts_of_right_words_are_compared() -> None:
    times = {"one": 1000, "two": 2000, "three": 3000, "four": 4000}
    said = tuple(ReferenceWord(start_ms=ms, end_ms=ms, text=word) for word, ms in times.items())
    its_score = score(
        Reference(text="one two three four", words=said),
        heard("", {"One,": 1060, "too": 2000, "three": 2800, "four": 4500, "five": 5000}),
    )
    starts = its_score.word_starts
    assert (starts.errors_ms, starts.reference_count) == ((60, 200, 500), 4)
    assert (starts.median_ms, starts.p95_ms) == (200.0, 500)
    assert starts.share_near == pytest.approx(2 / 3)
    assert its_score.utterance_starts.reference_count == 0


def test_the_first_word_of_a_part_stands_for_it() -> None:
    parts = (
        ReferencePart(start_ms=0, end_ms=900, text="go home now"),
        ReferencePart(start_ms=1000, end_ms=2000, text="he went"),
        ReferencePart(start_ms=2000, end_ms=3000, text="换一首歌"),
    )
    times = {"go": 300, "home": 800, "she": 1100, "went": 1500, "换一": 2050, "首": 2300}
    starts = score(Reference(text="…", parts=parts), heard("", times)).utterance_starts
    assert (starts.errors_ms, starts.reference_count) == ((50, 300), 3)


def test_an_engine_without_word_times_has_no_start_errors() -> None:
    said = (ReferenceWord(start_ms=0, end_ms=10, text="go"),)
    starts = score(Reference(text="go", words=said), heard("go")).word_starts
    assert (starts.median_ms, starts.p95_ms, starts.share_near) == (None, None, None)
    assert starts.reference_count == 1


@given(st.lists(st.integers(0, 5000), min_size=1, unique=True))
def test_a_start_heard_late_by_so_much_is_an_error_of_so_much(starts_ms: list[int]) -> None:
    names = [f"w{place}" for place in range(len(starts_ms))]
    times = dict(zip(names, sorted(starts_ms), strict=True))
    said = tuple(ReferenceWord(start_ms=ms, end_ms=ms, text=name) for name, ms in times.items())
    late = {name: ms + 70 for name, ms in times.items()}
    starts = score(Reference(text=" ".join(names), words=said), heard("", late)).word_starts
    assert starts.errors_ms == (70,) * len(names)
    assert (starts.median_ms, starts.p95_ms, starts.share_near) == (70.0, 70, 1.0)


def test_words_where_nothing_is_said_are_phantoms_by_the_hour_and_no_errors() -> None:
    quiet = score(Reference(text=""), heard("Thank you. 谢谢", duration_ms=60_000))
    still = score(Reference(text=" \n"), heard("", duration_ms=120_000))
    total = pooled([quiet, still, score(Reference(text="go"), heard("go home"))])
    assert (total.phantom_words, total.silent_ms) == (4, 180_000)
    assert total.phantom_words_per_silent_hour == 80
    assert total.words == EditCounts(insertions=1, reference_length=1)


def test_a_recording_counts_as_the_language_of_most_of_its_sound() -> None:
    said = Reference(text="go", language="en")
    right = (segment(0, 3000, "en"), segment(3000, 5000, "ko"))
    wrong = (segment(0, 2000, "en"), segment(2000, 5000, "ko"))
    scores = [score(said, heard("", segments=each)) for each in (right, wrong, ())]
    assert [each.language_accuracy for each in scores] == [1, 0, 0]
    unknown = score(Reference(text="go"), heard("", segments=right))
    assert unknown.language_accuracy is None


def test_each_part_counts_in_its_own_language() -> None:
    parts = (
        ReferencePart(start_ms=0, end_ms=4000, text="가", language="ko"),
        ReferencePart(start_ms=4500, end_ms=8000, text="go", language="en"),
        ReferencePart(start_ms=9000, end_ms=12_000, text="나", language="ko"),
        ReferencePart(start_ms=13_000, end_ms=14_000, text="?"),
    )
    segments = (segment(100, 8000, "ko"), segment(9100, 11_000, "ko"))
    its_score = score(Reference(text="가 go 나", parts=parts), heard("", segments=segments))
    assert (its_score.language_right, its_score.language_count) == (2, 3)


def test_suppressed_segments_count_as_not_said() -> None:
    said = TranscriptSegment(
        start_ms=0,
        end_ms=900,
        text="go home",
        language="en",
        words=(
            Word(start_ms=40, end_ms=400, text="go"),
            Word(start_ms=500, end_ms=900, text="home"),
        ),
    )
    phantom = TranscriptSegment(
        start_ms=900,
        end_ms=1000,
        text="Thank you.",
        words=(Word(start_ms=900, end_ms=1000, text="Thank"),),
        flags=(SegmentFlag(code="suspected_hallucination"),),
    )
    transcript = Transcript(
        segments=(said, phantom),
        language="ko",
        engine="e",
        engine_version="1",
        model_id="m",
        model_version="0",
        transcript_version="t",
    )
    found = heard_in(transcript, 1000)
    assert found == Heard(
        text="go home",
        words=(HeardWord(start_ms=40, text="go"), HeardWord(start_ms=500, text="home")),
        segments=(HeardSegment(start_ms=0, end_ms=900, language="en"),),
        duration_ms=1000,
        suppressed_text="Thank you.",
    )
    assert score(Reference(text="go home"), found).suppressed_words == 2


def test_a_score_of_nothing_has_no_rates() -> None:
    empty = pooled([])
    assert empty == Score()
    assert (empty.wer, empty.cer, empty.language_accuracy) == (None, None, None)
    assert empty.phantom_words_per_silent_hour is None

"""Figures about what was heard against what was said.

Pure functions over engine-neutral values, so that a benchmark measures other engines with the very
same code: `score` one recording, `pooled` many. A score holds counts and lists of errors, never
rates, so that pooling sums errors over reference lengths, and the order of recordings is of no
matter.

Starts: the words of the reference and of the engine are aligned, and the starts of equal ones are
compared. Where the reference has a timeline of parts only, the first word of each part stands for
the part, whose start is that of a clip and not of the speech in it: a figure of its own.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Protocol

from pydantic import Field

from kb_core import Model
from kb_core.model import Milliseconds
from kb_eval.alignment import EditCounts, align
from kb_eval.heard import Heard, HeardSegment
from kb_eval.normalise import characters_of, is_mostly_unspaced, words_of
from kb_eval.reference import Reference

NEAR_MS = 200
_MS_PER_HOUR = 3_600_000


class _Started(Protocol):
    @property
    def start_ms(self) -> int: ...

    @property
    def text(self) -> str: ...


class StartErrors(Model):
    """How far the starts of what was heard lie from those of the reference.

    Attributes:
        errors_ms: absolute differences, sorted; one for each start that could be compared.
        reference_count: starts that the reference has.
    """

    errors_ms: tuple[int, ...] = ()
    reference_count: int = Field(default=0, ge=0)

    @property
    def median_ms(self) -> float | None:
        """Median of the errors; None without any."""
        return float(statistics.median(self.errors_ms)) if self.errors_ms else None

    @property
    def p95_ms(self) -> int | None:
        """The smallest error that 95 % of all do not exceed (nearest rank)."""
        if not self.errors_ms:
            return None
        return self.errors_ms[math.ceil(0.95 * len(self.errors_ms)) - 1]

    @property
    def share_near(self) -> float | None:
        """Share of the compared starts whose error is at most `NEAR_MS`."""
        if not self.errors_ms:
            return None
        return sum(error <= NEAR_MS for error in self.errors_ms) / len(self.errors_ms)

    def __add__(self, other: StartErrors) -> StartErrors:
        return StartErrors(
            errors_ms=tuple(sorted((*self.errors_ms, *other.errors_ms))),
            reference_count=self.reference_count + other.reference_count,
        )


class Score(Model):
    """What one recording or many came to.

    A recording in which nothing is said has no edits: what was heard in it is `phantom_words`.

    Attributes:
        words: edits of words; empty for a script without spaces, whose figure is `characters`.
        word_starts: where the reference has word times.
        utterance_starts: where it has parts only.
        language_right: parts (recordings, where there are none) heard in their language.
        language_count: parts (recordings) whose language the reference knows.
        silent_ms: length of the recordings in which nothing is said.
        suppressed_words: heard and held back by the engine itself, in all recordings.
    """

    recordings: int = 0
    duration_ms: Milliseconds = 0
    words: EditCounts = EditCounts()
    characters: EditCounts = EditCounts()
    word_starts: StartErrors = StartErrors()
    utterance_starts: StartErrors = StartErrors()
    language_right: int = 0
    language_count: int = 0
    silent_ms: Milliseconds = 0
    phantom_words: int = 0
    suppressed_words: int = 0

    @property
    def wer(self) -> float | None:
        """Word error rate; None where no reference has words."""
        return self.words.rate

    @property
    def cer(self) -> float | None:
        """Character error rate; None where no reference has text."""
        return self.characters.rate

    @property
    def language_accuracy(self) -> float | None:
        """Share of parts heard in their language; None where no language is known."""
        return self.language_right / self.language_count if self.language_count else None

    @property
    def phantom_words_per_silent_hour(self) -> float | None:
        """Words heard where nothing is said, by the hour; None without such a recording."""
        return self.phantom_words * _MS_PER_HOUR / self.silent_ms if self.silent_ms else None

    def __add__(self, other: Score) -> Score:
        mine, theirs = dict(self), dict(other)
        return Score(**{name: mine[name] + theirs[name] for name in mine})


def score(reference: Reference, heard: Heard) -> Score:
    """Compare what was heard in one recording with what is said in it."""
    known = Score(
        recordings=1,
        duration_ms=heard.duration_ms,
        suppressed_words=len(words_of(heard.suppressed_text)),
    )
    if reference.is_silent:
        phantom_words = len(words_of(heard.text))
        return known + Score(silent_ms=heard.duration_ms, phantom_words=phantom_words)
    right, count = _languages(reference, heard.segments)
    return known + Score(
        words=_word_edits(reference.text, heard.text),
        characters=align(characters_of(reference.text), characters_of(heard.text)).edits,
        word_starts=_start_errors(reference.words, heard.words),
        utterance_starts=_start_errors(() if reference.words else reference.parts, heard.words),
        language_right=right,
        language_count=count,
    )


def pooled(scores: Iterable[Score]) -> Score:
    """Sum errors and lengths over recordings."""
    return sum(scores, start=Score())


def _word_edits(reference: str, heard: str) -> EditCounts:
    if is_mostly_unspaced(reference):
        return EditCounts()
    return align(words_of(reference), words_of(heard)).edits


def _start_errors(reference: Sequence[_Started], heard: Sequence[_Started]) -> StartErrors:
    """Compare starts of first words that are equal; the others have no time of their own."""
    reference_words = _words_with_starts(reference)
    heard_words = _words_with_starts(heard)
    alignment = align([word for word, _ in reference_words], [word for word, _ in heard_words])
    errors_ms = []
    for match in alignment.matches:
        said_ms = reference_words[match.reference][1]
        heard_ms = heard_words[match.heard][1]
        if said_ms is not None and heard_ms is not None:
            errors_ms.append(abs(heard_ms - said_ms))
    return StartErrors(
        errors_ms=tuple(sorted(errors_ms)),
        reference_count=sum(start_ms is not None for _, start_ms in reference_words),
    )


def _words_with_starts(stretches: Sequence[_Started]) -> list[tuple[str, int | None]]:
    """Return normalised words; the first of each stretch with the stretch's start."""
    return [
        (word, stretch.start_ms if place == 0 else None)
        for stretch in stretches
        for place, word in enumerate(words_of(stretch.text))
    ]


def _languages(reference: Reference, segments: Sequence[HeardSegment]) -> tuple[int, int]:
    """Return how many parts were heard in their language, and of how many it is known."""
    if reference.parts:
        asked = [
            (part.start_ms, part.end_ms, part.language or reference.language)
            for part in reference.parts
        ]
    else:
        end_ms = max((segment.end_ms for segment in segments), default=0)
        asked = [(0, end_ms, reference.language)]
    known = [each for each in asked if each[2] is not None]
    right = sum(_main_language(segments, start, end) == code for start, end, code in known)
    return right, len(known)


def _main_language(segments: Sequence[HeardSegment], start_ms: int, end_ms: int) -> str | None:
    """Return the language of most of the sound heard in a span; None when nothing was heard."""
    heard_ms: Counter[str] = Counter()
    for segment in segments:
        overlap_ms = min(segment.end_ms, end_ms) - max(segment.start_ms, start_ms)
        if segment.language is not None and overlap_ms > 0:
            heard_ms[segment.language] += overlap_ms
    return min(heard_ms, key=lambda code: (-heard_ms[code], code), default=None)

"""From scores to wire objects: rates to six digits, the counts beside them."""

from __future__ import annotations

from dataclasses import dataclass

from kb_app.wire_evaluation import AsrScoresV1, EditRateV1, StartErrorV1
from kb_eval.alignment import EditCounts
from kb_eval.metrics import Score, StartErrors

_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Cost:
    """What recognition took.

    Attributes:
        elapsed_ms: wall time.
        cpu_ms: processor time of all threads.
    """

    elapsed_ms: int = 0
    cpu_ms: int = 0

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.elapsed_ms + other.elapsed_ms, self.cpu_ms + other.cpu_ms)


def scores_v1(score: Score, cost: Cost) -> AsrScoresV1:
    """Return the wire form of a score."""
    return AsrScoresV1(
        recordings=score.recordings,
        duration_ms=score.duration_ms,
        wer=_edit_rate(score.words),
        cer=_edit_rate(score.characters),
        word_start=_start_error(score.word_starts),
        utterance_start=_start_error(score.utterance_starts),
        language_accuracy=_rounded(score.language_accuracy),
        language_count=score.language_count,
        silent_ms=score.silent_ms,
        phantom_words=score.phantom_words,
        phantom_words_per_silent_hour=_rounded(score.phantom_words_per_silent_hour),
        suppressed_words=score.suppressed_words,
        elapsed_ms=cost.elapsed_ms,
        cpu_ms=cost.cpu_ms,
        realtime_factor=_rounded(score.duration_ms / cost.elapsed_ms) if cost.elapsed_ms else None,
    )


def _edit_rate(counts: EditCounts) -> EditRateV1 | None:
    if counts.rate is None:
        return None
    return EditRateV1(rate=round(counts.rate, _DIGITS), **dict(counts))


def _start_error(starts: StartErrors) -> StartErrorV1 | None:
    if not starts.reference_count:
        return None
    return StartErrorV1(
        compared=len(starts.errors_ms),
        reference_count=starts.reference_count,
        median_ms=starts.median_ms,
        p95_ms=starts.p95_ms,
        share_within_200_ms=_rounded(starts.share_near),
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _DIGITS)

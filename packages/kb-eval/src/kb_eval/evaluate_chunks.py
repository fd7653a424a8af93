"""`kb eval chunks`: transcripts with boundaries that people set, cut by modules and measured.

There are no intervals: a mean over a handful of transcripts has none worth the name, for resampling
two or three of them says nothing about others.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from kb_app.chunk_evaluation import ChunkEvaluationServices
from kb_app.wire_chunk_evaluation import (
    ChunkEvaluationV1,
    ChunkFileV1,
    ChunkScoresV1,
    ModuleScoresV1,
)
from kb_core.errors import ChunkError, InputError, ModelError
from kb_eval.segmentation import (
    Segmentation,
    disagreement,
    fixed_length,
    random_ones,
    segmentation,
    window_units,
    without_boundaries,
)
from kb_eval.summary_spans import SpannedTurns, read_spans, spans_path, turns_named

FIXED = "fixed length"
RANDOM = "random"
NONE = "no boundary"
_DIGITS = 6


def evaluate_chunks(services: ChunkEvaluationServices) -> ChunkEvaluationV1:
    """Cut transcripts with every module, and measure; the entry point of kb-eval.

    A boundary is before each segment with which a chunk begins: where it ends says nothing, so that
    segments in no chunk belong to the one before, and chunks may overlap. A module that cannot run
    is listed with the reason and without a figure.

    Raises:
        InputError: a transcript or its reference cannot be used, or they do not fit each other.
        Cancelled: a stop was asked for.
    """
    files = []
    for number, path in enumerate(services.transcripts, start=1):
        services.on_file(number, len(services.transcripts), str(path))
        files.append(_file(services, path))
    return ChunkEvaluationV1(files=tuple(files), means=tuple(_means(files)))


def _file(services: ChunkEvaluationServices, path: Path) -> ChunkFileV1:
    turns = _turns(path, services.count_segments(path))
    length = turns.end - turns.first
    reference = segmentation(length, (start - turns.first for start in turns.starts))
    modules = [_module(services, path, key, turns, reference) for key in services.modules]
    return ChunkFileV1(
        path=str(path),
        turns=length,
        segments=reference.segment_count,
        window_turns=window_units(reference),
        modules=(*modules, *_baselines(reference)),
    )


def _turns(path: Path, count: int) -> SpannedTurns:
    """Return the turns to be measured of a transcript of so many segments."""
    turns = read_spans(path)
    named = turns_named(path)
    if named is not None and named.turn_count != count:
        raise InputError(
            path,
            f"it has {count} segments, and {named.turn_count} turns by its name",
            hint="measure the file of that name that has one segment a turn",
        )
    if turns.end > count:
        raise InputError(
            spans_path(path), f"spans go on to turn {turns.end - 1} of {count} turns, from 0"
        )
    if not turns.starts:
        raise InputError(spans_path(path), "all spans begin at one turn: there is no boundary")
    return turns


def _module(
    services: ChunkEvaluationServices,
    path: Path,
    key: str,
    turns: SpannedTurns,
    reference: Segmentation,
) -> ModuleScoresV1:
    try:
        starts = services.cut(path, key)
    except (ChunkError, ModelError) as error:
        return ModuleScoresV1(module=key, error=error.message, error_code=error.code)
    divided = segmentation(reference.unit_count, (start - turns.first for start in starts))
    return _scored(key, reference, [divided])


def _baselines(reference: Segmentation) -> Iterator[ModuleScoresV1]:
    yield _scored(FIXED, reference, [fixed_length(reference)])
    yield _scored(RANDOM, reference, random_ones(reference))
    yield _scored(NONE, reference, [without_boundaries(reference)])


def _scored(
    module: str, reference: Segmentation, divisions: Iterable[Segmentation]
) -> ModuleScoresV1:
    """Return the mean over divisions, which have as many segments as each other."""
    ones = list(divisions)
    # A window always fits: a reference has a boundary, so k is about a quarter of it at most.
    found = [each for each in (disagreement(reference, one) for one in ones) if each is not None]
    scores = ChunkScoresV1(
        window_diff=_rounded(statistics.fmean(each.window_diff for each in found)),
        pk=_rounded(statistics.fmean(each.pk for each in found)),
        segments=ones[0].segment_count,
        mean_turns=_rounded(ones[0].mean_units),
    )
    return ModuleScoresV1(module=module, scores=scores)


def _means(files: Sequence[ChunkFileV1]) -> Iterator[ModuleScoresV1]:
    """Yield the means over the transcripts that a module could cut, each counting the same."""
    for same in zip(*(file.modules for file in files), strict=True):
        scores = [each.scores for each in same if each.scores is not None]
        if not scores:
            yield same[0]
            continue
        yield ModuleScoresV1(
            module=same[0].module,
            scores=ChunkScoresV1(
                window_diff=_rounded(statistics.fmean(each.window_diff for each in scores)),
                pk=_rounded(statistics.fmean(each.pk for each in scores)),
                segments=round(statistics.fmean(each.segments for each in scores)),
                mean_turns=_rounded(statistics.fmean(each.mean_turns for each in scores)),
            ),
        )


def _rounded(value: float) -> float:
    return round(value, _DIGITS)

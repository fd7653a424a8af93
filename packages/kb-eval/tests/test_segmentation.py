"""WindowDiff and Pk by hand, and what references and modules become."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb_app.chunk_evaluation import ChunkEvaluationServices
from kb_core.errors import InputError, MissingCapability
from kb_eval.evaluate_chunks import FIXED, NONE, RANDOM, evaluate_chunks
from kb_eval.segmentation import (
    Segmentation,
    disagreement,
    fixed_length,
    random_ones,
    segmentation,
    window_units,
    without_boundaries,
)
from kb_eval.summary_spans import read_spans


@pytest.fixture
def shared_crd3() -> Path:
    folder = Path(__file__).resolve().parents[4] / "shared" / "data" / "transcripts" / "crd3"
    if not folder.is_dir():
        pytest.skip("the shared data are not on this machine")
    return folder


def by_hand(reference: Segmentation, other: Segmentation) -> tuple[float, float]:
    """The definitions of the papers, spelled out."""
    width = window_units(reference)
    windows = range(reference.unit_count - width)
    counts = [
        tuple(
            sum(at < start <= at + width for start in divided.starts)
            for divided in (reference, other)
        )
        for at in windows
    ]
    differ = sum(mine != theirs for mine, theirs in counts) / len(counts)
    miss = sum((mine > 0) != (theirs > 0) for mine, theirs in counts) / len(counts)
    return differ, miss


@settings(deadline=None)  # the first import of nltk takes seconds
@given(st.integers(2, 40), st.data())
def test_both_measures_are_those_of_their_papers(count: int, data: st.DataObject) -> None:
    places = st.sets(st.integers(1, count - 1))
    reference = segmentation(count, data.draw(places))
    other = segmentation(count, data.draw(places))
    found = disagreement(reference, other)
    if found is None:
        assert count - 1 < window_units(reference)
        return
    assert tuple(found) == pytest.approx(by_hand(reference, other))


def test_the_same_boundaries_disagree_in_nothing() -> None:
    reference = segmentation(12, [4, 8])
    assert disagreement(reference, reference) == (0, 0)
    assert window_units(reference) == 2


def test_a_boundary_that_is_near_costs_less_than_one_that_is_missing() -> None:
    reference = segmentation(20, [10])
    near = disagreement(reference, segmentation(20, [11]))
    missing = disagreement(reference, without_boundaries(reference))
    assert near is not None
    assert missing is not None
    assert 0 < near.window_diff < missing.window_diff


def test_the_first_unit_is_no_boundary_and_each_counts_once() -> None:
    assert segmentation(5, [0, 3, 3, 5, 9]).starts == (3,)


def test_baselines_depend_on_nothing_but_the_reference() -> None:
    reference = segmentation(30, [7, 15])
    assert fixed_length(reference).starts == (10, 20)
    drawn = list(random_ones(reference))
    assert drawn == list(random_ones(reference))
    assert {each.segment_count for each in drawn} == {3}


def write_spans(folder: Path, name: str, spans: list[tuple[int, int]]) -> Path:
    path = folder / f"{name}.summary_spans.json"
    rows = [{"query": "q", "turn_start": start, "turn_end": end} for start, end in spans]
    path.write_text(json.dumps(rows), encoding="utf-8")
    return folder / f"{name}.json"


def test_spans_that_share_their_edge_become_one_boundary(tmp_path: Path) -> None:
    spans = [(0, 5), (5, 9), (9, 9), (9, 12), (12, 20), (20, 20)]
    assert read_spans(write_spans(tmp_path, "talk", spans)) == (0, 21, (5, 9, 12, 20))


def test_a_slice_counts_from_the_number_in_its_name(tmp_path: Path) -> None:
    path = write_spans(tmp_path, "C2_turns0100-0199", [(105, 108), (108, 121)])
    assert read_spans(path) == (5, 22, (8,))


@pytest.mark.parametrize("text", ["", "{}", "[]", '[{"turn_start": 1}]', '[{"turn_start": "x"}]'])
def test_a_reference_that_is_none_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.summary_spans.json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"a\.summary_spans\.json"):
        read_spans(tmp_path / "a.json")
    with pytest.raises(InputError, match="no such file"):
        read_spans(tmp_path / "b.json")


def services(folder: Path, spans: list[tuple[int, int]], count: int) -> ChunkEvaluationServices:
    def cut(_: Path, module: str) -> list[int]:
        if module == "absent":
            raise MissingCapability(module, "a language model")
        return {"perfect": [0, 4, 8], "coarse": [0]}[module]

    return ChunkEvaluationServices(
        transcripts=(write_spans(folder, "one", spans), write_spans(folder, "two", spans)),
        modules=("perfect", "coarse", "absent"),
        count_segments=lambda _: count,
        cut=cut,
        on_file=lambda *_: None,
    )


def test_each_module_is_measured_or_says_why_not(tmp_path: Path) -> None:
    report = evaluate_chunks(services(tmp_path, [(0, 4), (4, 8), (8, 11)], 12))
    assert [file.segments for file in report.files] == [3, 3]
    means = {each.module: each for each in report.means}
    assert list(means) == ["perfect", "coarse", "absent", FIXED, RANDOM, NONE]
    assert means["perfect"].scores is not None
    assert means["perfect"].scores.window_diff == means["perfect"].scores.pk == 0
    assert means["absent"].scores is None
    assert means["absent"].error_code == "missing_capability"
    assert means["coarse"].scores == means[NONE].scores
    drawn = means[RANDOM].scores
    assert drawn is not None
    assert 0.2 < drawn.pk < 0.8


def test_spans_beyond_the_transcript_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="12 turns"):
        evaluate_chunks(services(tmp_path, [(0, 4), (4, 30)], 12))


def test_the_measures_of_a_division_counted_by_hand() -> None:
    # Ten units, one boundary before 5, so k is 3 and there are seven windows (i, i + 3].
    reference = segmentation(10, [5])
    assert window_units(reference) == 3
    # The reference has its boundary in windows 2, 3 and 4, one that is late by a unit in 3, 4, 5.
    assert disagreement(reference, segmentation(10, [6])) == (2 / 7, 2 / 7)
    # With both, windows 3 and 4 hold two, and 5 one that the reference has not.
    assert disagreement(reference, segmentation(10, [5, 6])) == (3 / 7, 1 / 7)


def test_real_sessions_are_measured(shared_crd3: Path) -> None:
    names = ("C1E104_turns0000-0299", "C2E001_turns0100-0499")
    found = [read_spans(shared_crd3 / f"{name}.json") for name in names]
    assert [(spans.first, spans.end, len(spans.starts)) for spans in found] == [
        (0, 240, 5),
        (5, 353, 9),
    ]

"""Windows cover a document of any size, and their answers join to one partition."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from kb_chunk_llm.scene_policy import PlacedScene
from kb_chunk_llm.scene_reply import Scene
from kb_chunk_llm.scene_windows import CutScene, Window, WindowLimits, cut_into_scenes

Asked = list[tuple[Window, CutScene | None]]


def named(title: str) -> Scene:
    return Scene(
        first_unit_id="u0001",
        last_unit_id="u0001",
        title=title,
        primary_mode="combat",
        participants=(),
        summary="",
        boundary_note="",
        boundary_confidence=1,
    )


def answer(window: Window, begins: Sequence[int]) -> list[PlacedScene]:
    """Return scenes that begin with these units of the document, and with the first one shown."""
    starts = sorted({window.start, *(each for each in begins if window.start < each < window.end)})
    ends = [*starts[1:], window.end]
    return [
        PlacedScene(
            start - window.start, end - window.start - 1, named(f"w{window.number}:{start}")
        )
        for start, end in zip(starts, ends, strict=True)
    ]


def cut(
    costs: Sequence[int], limits: WindowLimits, begins: Sequence[int]
) -> tuple[list[CutScene], Asked]:
    asked: Asked = []

    def ask(window: Window, open_scene: CutScene | None) -> list[PlacedScene]:
        asked.append((window, open_scene))
        return answer(window, begins)

    return list(cut_into_scenes(costs, limits, ask)), asked


def runs(scenes: Sequence[CutScene]) -> list[tuple[int, int, list[str]]]:
    return [(each.start, each.end, [part.title for part in each.parts]) for each in scenes]


def windows(asked: Asked) -> list[tuple[int, int]]:
    return [(window.start, window.end) for window, _ in asked]


TEN_UNITS = WindowLimits(max_tokens=10, max_units=100, overlap_units=2)


def test_what_fits_is_one_window() -> None:
    scenes, asked = cut([1] * 10, TEN_UNITS, [4])
    assert windows(asked) == [(0, 10)]
    assert asked[0][0].total == 1
    assert runs(scenes) == [(0, 4, ["w1:0"]), (4, 10, ["w1:4"])]


def test_an_open_scene_of_half_a_window_is_divided_again_from_its_beginning() -> None:
    scenes, asked = cut([1] * 14, TEN_UNITS, [5, 12])
    assert windows(asked) == [(0, 10), (5, 14)]
    open_scene = asked[1][1]
    assert open_scene is not None
    assert open_scene.start == 5
    assert runs(scenes) == [(0, 5, ["w1:0"]), (5, 12, ["w2:5"]), (12, 14, ["w2:12"])]


def test_a_longer_open_scene_goes_on_after_the_units_shown_again() -> None:
    scenes, asked = cut([1] * 14, TEN_UNITS, [3, 12])
    assert windows(asked) == [(0, 10), (8, 14)]
    assert runs(scenes) == [(0, 3, ["w1:0"]), (3, 12, ["w1:3", "w2:8"]), (12, 14, ["w2:12"])]


def test_the_later_window_decides_about_units_that_are_shown_again() -> None:
    asked: Asked = []

    def ask(window: Window, open_scene: CutScene | None) -> list[PlacedScene]:
        asked.append((window, open_scene))
        return answer(window, [3] if window.number == 1 else [9])

    scenes = list(cut_into_scenes([1] * 14, TEN_UNITS, ask))
    assert runs(scenes) == [(0, 3, ["w1:0"]), (3, 9, ["w1:3", "w2:8"]), (9, 14, ["w2:9"])]


def test_a_scene_may_last_through_all_windows() -> None:
    scenes, asked = cut([1] * 30, TEN_UNITS, [])
    assert windows(asked) == [(0, 10), (8, 18), (16, 26), (24, 30)]
    assert runs(scenes) == [(0, 30, ["w1:0", "w2:8", "w3:16", "w4:24"])]
    assert [(window.number, window.total) for window, _ in asked] == [
        (1, 4), (2, 4), (3, 4), (4, 4)
    ]  # fmt: skip


def test_units_count_as_well_as_tokens() -> None:
    _, asked = cut([1] * 30, WindowLimits(max_tokens=1000, max_units=12, overlap_units=3), [])
    assert windows(asked) == [(0, 12), (9, 21), (18, 30)]


def test_fewer_units_are_shown_again_where_they_are_large() -> None:
    _, asked = cut([5] * 6, TEN_UNITS, [])
    assert windows(asked) == [(0, 2), (1, 3), (2, 4), (3, 5), (4, 6)]


@st.composite
def sessions(draw: st.DrawFn) -> tuple[list[int], WindowLimits, list[list[int]]]:
    half = draw(st.integers(1, 30))
    max_units = draw(st.integers(2, 12))
    limits = WindowLimits(
        max_tokens=2 * half + draw(st.integers(0, 1)),
        max_units=max_units,
        overlap_units=draw(st.integers(1, max_units // 2)),
    )
    costs = draw(st.lists(st.integers(1, half), min_size=1, max_size=40))
    begins = st.lists(st.integers(0, len(costs)), max_size=8)
    return costs, limits, draw(st.lists(begins, min_size=1, max_size=6))


@settings(max_examples=300, deadline=None)
@given(sessions())
def test_any_answers_about_any_session_join_to_a_partition(
    session: tuple[list[int], WindowLimits, list[list[int]]],
) -> None:
    costs, limits, script = session

    def run() -> tuple[list[CutScene], Asked]:
        asked: Asked = []

        def ask(window: Window, open_scene: CutScene | None) -> list[PlacedScene]:
            asked.append((window, open_scene))
            return answer(window, script[window.number % len(script)])

        return list(cut_into_scenes(costs, limits, ask)), asked

    scenes, asked = run()
    assert [each for scene in scenes for each in range(scene.start, scene.end)] == list(
        range(len(costs))
    )
    assert len(asked) <= len(costs)
    shown: set[int] = set()
    for window, open_scene in asked:
        units = range(window.start, window.end)
        assert sum(costs[unit] for unit in units) <= limits.max_tokens
        assert len(units) <= limits.max_units
        assert set(units) - shown
        assert window.number <= window.total
        assert (open_scene is None) == (window.number == 1)
        assert open_scene is None or open_scene.start <= window.start < open_scene.end
        shown |= set(units)
    assert shown == set(range(len(costs)))
    assert asked[-1][0].number == asked[-1][0].total
    assert run() == (scenes, asked)

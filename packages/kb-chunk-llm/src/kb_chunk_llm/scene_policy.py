"""What the scenes of a window must be: all of its units, each once, in order, by their exact ids.

Nothing is mended. A model that leaves a unit out has not decided to which scene it belongs, and a
guess of ours would look like its answer; it is told what is wrong and asked again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kb_chunk_llm.scene_reply import Scene
from kb_core.errors import ReplyRejected
from kb_core.fencing import one_line

_SHOWN_TITLE_CHARS = 60


class PlacedScene(NamedTuple):
    """A scene and the places of its first and last unit in the window, from 0."""

    first: int
    last: int
    scene: Scene


def place_scenes(scenes: Sequence[Scene], unit_ids: Sequence[str]) -> list[PlacedScene]:
    """Return the scenes of a window with their places.

    Args:
        scenes: as the model named them, at least one.
        unit_ids: ids of the window's units, as the model was shown them, at least one.

    Raises:
        ReplyRejected: they are no partition of the window. The message names the scene by number
            and title, the unit, and what would be right.
    """
    places = {unit_id: place for place, unit_id in enumerate(unit_ids)}
    placed: list[PlacedScene] = []
    for number, scene in enumerate(scenes, start=1):
        first = _place_of(number, scene, "first_unit_id", places)
        last = _place_of(number, scene, "last_unit_id", places)
        if placed:
            _check_begin(number, scene, first, placed[-1], unit_ids)
        elif first:
            raise ReplyRejected(
                f"{_name(number, scene)} begins with {unit_ids[first]}, and"
                f" {_missing(unit_ids, 0, first)} to no scene; begin scene 1 with {unit_ids[0]},"
                " and keep the scenes in the order of the units"
            )
        if last < first:
            raise ReplyRejected(
                f"{_name(number, scene)} begins with {unit_ids[first]} and ends with"
                f" {unit_ids[last]}, which stands before it; end it with {unit_ids[first]} or a"
                " later unit"
            )
        placed.append(PlacedScene(first, last, scene))
    _check_end(placed, unit_ids)
    return placed


def _place_of(number: int, scene: Scene, field: str, places: Mapping[str, int]) -> int:
    unit_id: str = getattr(scene, field)
    place = places.get(unit_id)
    if place is None:
        unit_ids = tuple(places)
        raise ReplyRejected(
            f"{_name(number, scene)}: {field} {one_line(unit_id)!r} is no unit of this window;"
            f" its units are {unit_ids[0]} to {unit_ids[-1]}; copy one of these unit ids exactly"
        )
    return place


def _check_begin(
    number: int, scene: Scene, first: int, before: PlacedScene, unit_ids: Sequence[str]
) -> None:
    expected = before.last + 1
    if first == expected:
        return
    begins = f"{_name(number, scene)} begins with {unit_ids[first]}"
    ended = f"scene {number - 1} ended with {unit_ids[before.last]}"
    if first > expected:
        raise ReplyRejected(
            f"{begins}, and {ended}: {_missing(unit_ids, expected, first)} to neither; begin scene"
            f" {number} with {unit_ids[expected]}"
        )
    if expected == len(unit_ids):
        raise ReplyRejected(
            f"{begins}, and {ended}, the last unit of the window: {unit_ids[first]} is in a scene"
            f" already; end scene {number - 1} earlier, or leave scene {number} out"
        )
    raise ReplyRejected(
        f"{begins}, and {ended}: {unit_ids[first]} is in a scene already; begin scene {number}"
        f" with {unit_ids[expected]}"
    )


def _check_end(placed: Sequence[PlacedScene], unit_ids: Sequence[str]) -> None:
    last = placed[-1]
    if last.last < len(unit_ids) - 1:
        raise ReplyRejected(
            f"{_name(len(placed), last.scene)} is the last and ends with {unit_ids[last.last]}:"
            f" {_missing(unit_ids, last.last + 1, len(unit_ids))} to no scene; end the last scene"
            f" with {unit_ids[-1]}"
        )


def _missing(unit_ids: Sequence[str], start: int, end: int) -> str:
    """Return units as the subject of a sentence that says to what they belong."""
    if end - start == 1:
        return f"{unit_ids[start]} belongs"
    return f"{unit_ids[start]} to {unit_ids[end - 1]} belong"


def _name(number: int, scene: Scene) -> str:
    # A title is the model's, but it may repeat what a document told it to.
    return f"scene {number} “{one_line(scene.title)[:_SHOWN_TITLE_CHARS]}”"

"""The reply of a model about the scenes of a window, as it must be in form.

The same as `assets/dnd_scenes.v1.json`, for clients that do not look at schemas themselves; a test
compares them. Whether the scenes are a partition of the window is `scene_policy`'s to say.
"""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, Field, JsonValue, ValidationError

from kb_chunk_llm.module import rejection
from kb_core import Model
from kb_core.fencing import plain_line

PrimaryMode = Literal[
    "roleplay",
    "combat",
    "exploration",
    "travel",
    "planning",
    "downtime",
    "recap",
    "rules_talk",
    "table_talk",
]
PRIMARY_MODES: tuple[str, ...] = get_args(PrimaryMode)
MAX_SCENES = 40
"""As many as the schema admits in one window."""


def _visible_line(text: str) -> str:
    line = plain_line(text)
    if not line:
        raise ValueError("it must not be empty")
    return line


UnitName = Annotated[str, Field(min_length=1, max_length=16)]
Title = Annotated[str, Field(max_length=120), AfterValidator(_visible_line)]
Name = Annotated[str, Field(max_length=80), AfterValidator(_visible_line)]
Summary = Annotated[str, Field(max_length=600), AfterValidator(plain_line)]
Note = Annotated[str, Field(max_length=240), AfterValidator(plain_line)]
Caveat = Annotated[str, Field(max_length=240), AfterValidator(_visible_line)]


class Scene(Model):
    """A scene in the words of the model; all text is on one line, without control characters.

    Attributes:
        first_unit_id: id of its first unit, as the model was shown it.
        last_unit_id: id of its last unit.
        boundary_note: why a scene begins at its first unit.
        boundary_confidence: how sure it is that one begins there, 0..1.
    """

    first_unit_id: UnitName
    last_unit_id: UnitName
    title: Title
    primary_mode: PrimaryMode
    participants: tuple[Name, ...] = Field(max_length=24)
    summary: Summary
    boundary_note: Note
    boundary_confidence: float = Field(ge=0, le=1)


class SceneReply(Model):
    """All that a model says about a window."""

    scenes: tuple[Scene, ...] = Field(min_length=1, max_length=MAX_SCENES)
    caveats: tuple[Caveat, ...] = Field(max_length=8)


def read_reply(reply: JsonValue) -> SceneReply:
    """Return a reply in its form.

    Raises:
        ReplyRejected: it lacks that form; the message names scene and field.
    """
    try:
        return SceneReply.model_validate(reply)
    except ValidationError as error:
        raise rejection(error, {"scenes": "scene", "participants": "participant"}) from error

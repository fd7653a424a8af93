"""What a model is asked about the scenes of a window.

Units bear short ids (`u0001` is the document's first unit), for their real ones are 34 characters
and would be most of a prompt; the table from one to the other is ours alone.

How much fits is counted with care. Tokenizers differ, and the estimate that is used elsewhere is
too low for what unit lines are made of: digits and marks are often a token each, and a Korean or
Chinese character up to three. A prompt that turns out too long fails a whole document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kb_chunk_llm.module import prompt_template
from kb_chunk_llm.scene_reply import MAX_SCENES, PRIMARY_MODES
from kb_chunk_llm.scene_windows import CutScene, Window
from kb_core import SourceUnit, TimeSpan, format_clock
from kb_core.errors import ContextTooSmall
from kb_core.fencing import fenced, one_line, shortened, unit_line
from kb_core.ports.language_model import ModelLimits, Prompt

_MIN_UNIT_TOKENS = 512
"""Room for units below which a window would hold next to nothing."""
_OPEN_SCENE_TOKENS = 300
"""Kept free for the words about an open scene."""
_TITLE_BYTES = 80
_SPEAKER_BYTES = 60
_LETTERS_PER_TOKEN = 3
_BYTES_PER_OTHER_TOKEN = 1.2
_LETTERS = re.compile(r"[A-Za-z ]+")


def cautious_tokens(text: str) -> int:
    """Return a number of tokens that hardly any tokenizer exceeds.

    A token for three Latin letters, for each other ASCII character, and for 1.2 bytes of anything
    else: Korean subtitles took a token for 1.2 bytes with a tokenizer made for English.
    """
    letters = sum(len(run) for run in _LETTERS.findall(text))
    ascii_chars = sum(char.isascii() for char in text)
    other_bytes = len(text.encode("utf-8")) - ascii_chars
    return (
        -(-letters // _LETTERS_PER_TOKEN)
        + (ascii_chars - letters)
        + int(other_bytes / _BYTES_PER_OTHER_TOKEN)
        + 1
    )


def moment(unit: SourceUnit) -> str | None:
    """Return when a unit begins, on the player's clock; None where it has no time."""
    span = unit.span
    return format_clock(span.start_ms // 1000) if isinstance(span, TimeSpan) else None


class ScenePrompts:
    """The prompts about one document.

    Args:
        document_id: its id; that of its content, so that a moved file asks nothing again.
        units: its units, at least one.
        notes: what the person says about the game, in lines; may be empty.
        limits: how much the model takes.

    Attributes:
        unit_ids: what the model is shown as ids, one for each unit.
        max_unit_tokens: how much of a prompt is left for units.
        costs: tokens of each unit; none is more than half of `max_unit_tokens`.

    Raises:
        ContextTooSmall: there is next to no room for units.
    """

    def __init__(
        self, document_id: str, units: Sequence[SourceUnit], notes: str, limits: ModelLimits
    ) -> None:
        self._document_id = document_id
        self._fenced_notes = fenced("NOTES", notes.splitlines()) if notes.strip() else ""
        digits = max(4, len(str(len(units))))
        self.unit_ids = tuple(f"u{number:0{digits}d}" for number in range(1, len(units) + 1))
        self.max_unit_tokens = self._room(limits)
        self._lines = tuple(self._shown_lines(units))
        self.costs = tuple(map(_line_tokens, self._lines))

    def prompt(self, window: Window, open_scene: CutScene | None) -> Prompt:
        """Return what is asked about a window; `open_scene` is that of the window before."""
        return self._render(window, self._lines[window.start : window.end], open_scene)

    def _render(self, window: Window, lines: Sequence[str], open_scene: CutScene | None) -> Prompt:
        system = prompt_template("dnd_scenes.system.j2").render(
            primary_modes=PRIMARY_MODES, max_scenes=MAX_SCENES
        )
        user = prompt_template("dnd_scenes.user.j2").render(
            document_id=self._document_id,
            window_number=window.number,
            window_count=window.total,
            first_unit_id=self.unit_ids[window.start],
            last_unit_id=self.unit_ids[window.end - 1],
            shown_count=window.end - window.start,
            unit_count=len(self.unit_ids),
            has_more=window.end < len(self.unit_ids),
            fenced_notes=self._fenced_notes,
            open_scene=open_scene and self._told(open_scene, window),
            fenced_units=fenced("UNITS", lines),
        )
        return Prompt(system=system, user=user)

    def _told(self, open_scene: CutScene, window: Window) -> dict[str, object]:
        title = shortened(one_line(open_scene.parts[0].title), _TITLE_BYTES)
        return {
            "is_shown": open_scene.start == window.start,
            "first_unit_id": self.unit_ids[open_scene.start],
            "fenced_title": fenced("TITLE", [title]),
        }

    def _room(self, limits: ModelLimits) -> int:
        """Return the tokens for units.

        One eighth of a prompt stays free for what a client adds when it asks again.
        """
        every_unit = Window(0, len(self.unit_ids), len(self.unit_ids), len(self.unit_ids))
        around = self._render(every_unit, (), None)
        taken = cautious_tokens(around.system) + cautious_tokens(around.user) + _OPEN_SCENE_TOKENS
        room = limits.max_prompt_tokens * 7 // 8 - taken
        if room < _MIN_UNIT_TOKENS:
            needed = (taken + _MIN_UNIT_TOKENS) * 8 // 7 + 1
            raise ContextTooSmall(
                f"dividing into scenes needs prompts of about {needed} tokens or more, and the"
                f" model takes {limits.max_prompt_tokens}",
                hint="set llm.context_tokens to what the server was started with, use a model"
                " with a larger context, or shorten the option notes",
            )
        return room

    def _shown_lines(self, units: Sequence[SourceUnit]) -> Iterator[str]:
        max_tokens = self.max_unit_tokens // 2
        for unit_id, unit in zip(self.unit_ids, units, strict=True):
            speaker = unit.speaker and shortened(one_line(unit.speaker), _SPEAKER_BYTES)
            text = one_line(unit.text)
            line = unit_line(unit_id, text, clock=moment(unit), speaker=speaker)
            max_bytes = max_tokens * _LETTERS_PER_TOKEN
            while _line_tokens(line) > max_tokens:
                shown = shortened(text, max_bytes)
                line = unit_line(unit_id, shown, clock=moment(unit), speaker=speaker)
                max_bytes = max_bytes * 3 // 4
            yield line


def _line_tokens(line: str) -> int:
    return cautious_tokens(line) + 1

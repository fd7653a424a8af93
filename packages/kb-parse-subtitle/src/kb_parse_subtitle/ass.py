r"""Advanced SubStation Alpha and its ancestor SSA.

Fields are found by the `Format:` line of the file, not by the places where most programs put them.
Comments, styles, embedded fonts and drawings are no text; `{\…}` is markup, `{…}` without a
backslash is text that somebody typed.
"""

from __future__ import annotations

import re

from kb_parse_subtitle.clock import clock_ms
from kb_parse_subtitle.cue import Cue, Cues, TextFile, joined_lines
from kb_parse_subtitle.markup import decode_entities
from kb_parse_subtitle.timing_lines import Timing

_FIELD_NAMES = "layer start end style name marginl marginr marginv effect text"
_SECTION = re.compile(r"\s*\[([^\]]{1,60})\]\s*$")
_KEYED = re.compile(r"\s*(Format|Dialogue|Comment|Picture|Sound|Movie|Command)\s*:[ \t]?(.*)", re.I)
_OVERRIDE = re.compile(r"\{[^{}\\]*\\[^{}]*\}")
_DRAWING = re.compile(r"\\p(\d{1,4})")
_ESCAPE = re.compile(r"\\([Nnh])")
_LANGUAGE = re.compile(r"\s*Language\s*:\s*([A-Za-z_-]{2,12})\s*$")


def read_ass(file: TextFile) -> Cues:
    """Read ASS or SSA."""
    cues: list[Cue] = []
    fields = _FIELD_NAMES.split()
    section = ""
    language = None
    goes_on = False
    for line_number, line in enumerate(file.lines, 1):
        heading = _SECTION.match(line)
        if heading:
            section, goes_on = heading[1].strip().lower(), False
            continue
        if section == "script info":
            match = _LANGUAGE.match(line)
            language = match[1] if match else language
        if section != "events":
            continue
        keyed = _KEYED.match(line)
        if keyed is None:
            if goes_on and line.strip() and not line.lstrip().startswith((";", "!:")):
                cues[-1].text += f"\n{line}"
                cues[-1].last_line = line_number
            continue
        goes_on = keyed[1].lower() == "dialogue"
        if keyed[1].lower() == "format":
            fields = [name.strip().lower() for name in keyed[2].split(",")]
        elif goes_on:
            cues.append(_cue(fields, keyed[2], line_number))
    for cue in cues:
        cue.text = _shown(cue.text)
    return Cues(cues, language=language)


def _cue(fields: list[str], rest: str, line_number: int) -> Cue:
    values = rest.split(",", len(fields) - 1)
    cue = Cue(text=rest, first_line=line_number, last_line=line_number)
    if len(values) < len(fields) or fields[-1] != "text":
        cue.problem = "fewer fields than the file announces"
        return cue
    of = dict(zip(fields, values, strict=True))
    timing = Timing(clock_ms(of.get("start", "")), clock_ms(of.get("end", "")))
    cue.text = of["text"]
    cue.start_ms, cue.end_ms, cue.problem = timing.start_ms, timing.end_ms, timing.problem
    cue.speaker = (of.get("name") or of.get("actor") or "").strip() or None
    return cue


def _shown(text: str) -> str:
    shown = []
    is_drawing = False
    end = 0
    for override in _OVERRIDE.finditer(text):
        if not is_drawing:
            shown.append(text[end : override.start()])
        for mode in _DRAWING.finditer(override[0]):
            is_drawing = int(mode[1]) > 0
        end = override.end()
    if not is_drawing:
        shown.append(text[end:])
    broken = _ESCAPE.sub(lambda match: "\n" if match[1] == "N" else " ", "".join(shown))
    return joined_lines(decode_entities(broken).split("\n"))

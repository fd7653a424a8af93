"""Which format a file is in, told from its content, and reading it.

Names say little: WebVTT comes as `.srt`, and `.json` and `.txt` may be anything. Signatures decide
first, then the form of the lines; a written transcript is what is left.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from kb_core.errors import InputError
from kb_parse_subtitle.ass import read_ass
from kb_parse_subtitle.cue import Cues, TextFile
from kb_parse_subtitle.json_file import BadJson, JsonFile
from kb_parse_subtitle.json_turns import has_ms_keys, read_turns, turns_path
from kb_parse_subtitle.kb_json import is_kb_json, read_kb_json
from kb_parse_subtitle.lrc import is_lrc, read_lrc
from kb_parse_subtitle.machine_json import read_segments, read_whisper_cpp, segments_format
from kb_parse_subtitle.srt import read_sbv, read_srt
from kb_parse_subtitle.timing_lines import arrow_timing, comma_timing
from kb_parse_subtitle.ttml import EntitiesDeclared, read_ttml
from kb_parse_subtitle.vtt import read_vtt
from kb_parse_subtitle.written import NoTurns, read_written

_VTT = re.compile(r"WEBVTT(?:[ \t\r\n]|\Z)")
_ASS = re.compile(r"\[(?:script info|v4\+? styles|events)\][ \t]*[\r\n]", re.IGNORECASE)
_XML_PROLOGUE = re.compile(
    r"(?:<\?.*?\?>|<!--.*?-->|<![Dd][Oo][Cc][^\[>]*(?:\[.*?\]\s*)?>|\s++)*+", re.S
)
_TTML = re.compile(r"<(?:[\w.-]{1,20}:)?tt[\s>]", re.ASCII)
_KINDS_HINT = (
    "kb reads SRT, WebVTT, ASS, LRC, TTML, SBV, the JSON of recognisers, and written transcripts "
    "of lines such as `Kim: good morning`"
)
_PROLOGUE_CHARS = 20_000


@dataclass(frozen=True, slots=True)
class ReadFile:
    """What a file says, and the name of the format that it is in."""

    format_name: str
    cues: Cues


def read_cues(text: str, path: str) -> ReadFile:
    """Read the text of a subtitle or transcript file.

    Args:
        text: all of it, line ends as they are.
        path: named by errors.

    Raises:
        InputError: it is none, or damaged beyond use.
    """
    file = TextFile(text)
    start = file.text.lstrip("\0 \t\r\n")
    if start[:1] in ("{", "[") and not _ASS.match(start):
        read = _read_json_like(file, path)
        if read is not None:
            return read
    if _VTT.match(start):
        return ReadFile("webvtt", read_vtt(file))
    if _ASS.match(start):
        return ReadFile("ass", read_ass(file))
    if start.startswith("<"):
        return _read_xml(file, start, path)
    for name, timing_of, read_lines in (
        ("srt", arrow_timing, read_srt),
        ("sbv", comma_timing, read_sbv),
    ):
        if any(timing_of(line) for line in file.lines):
            return ReadFile(name, read_lines(file))
    return _read_lines(file, path)


def _read_lines(file: TextFile, path: str) -> ReadFile:
    if is_lrc(file):
        return ReadFile("lrc", read_lrc(file))
    try:
        return ReadFile("transcript-text", read_written(file))
    except NoTurns as error:
        raise InputError(
            path, "no subtitles and no turns of speakers in it", hint=_KINDS_HINT
        ) from error


def _read_xml(file: TextFile, start: str, path: str) -> ReadFile:
    prologue = _XML_PROLOGUE.match(start[:_PROLOGUE_CHARS])
    if not _TTML.match(start, prologue.end() if prologue else 0):
        raise InputError(path, "markup, but no TTML subtitles", hint=_KINDS_HINT)
    try:
        return ReadFile("ttml", read_ttml(file))
    except EntitiesDeclared as error:
        raise InputError(
            path,
            "it declares XML entities, which can fill the memory",
            hint="take its <!ENTITY …> declarations out",
        ) from error


def _read_json_like(file: TextFile, path: str) -> ReadFile | None:
    """Return what a JSON file says; None for text that only begins like JSON."""
    try:
        json_file = JsonFile(file)
    except BadJson as error:
        if is_lrc(file) or not re.match(r'\s*(?:\{\s*["}]|\[\s*[\[{\]])', file.text):
            return None
        raise InputError(path, f"damaged JSON: {error}", hint="is the file complete?") from error
    value = json_file.value
    read: tuple[str, Callable[[], Cues]] | None = None
    if is_kb_json(value):
        read = ("kb-json", lambda: read_kb_json(json_file))
    elif isinstance(value, dict) and _holds_dicts(value.get("transcription")):
        read = ("whisper.cpp-json", lambda: read_whisper_cpp(json_file))
    elif _are_segments_in_seconds(value):
        read = (segments_format(value), lambda: read_segments(json_file))
    path_of_turns = turns_path(value)
    if read is None and path_of_turns is not None:
        read = ("turns-json", lambda: read_turns(json_file, path_of_turns))
    if read is None:
        raise InputError(path, "JSON, but no transcript that kb knows", hint=_KINDS_HINT)
    return ReadFile(read[0], read[1]())


def _are_segments_in_seconds(value: object) -> bool:
    if not isinstance(value, dict) or not _holds_dicts(value.get("segments")):
        return False
    return not has_ms_keys(value["segments"])


def _holds_dicts(value: object) -> bool:
    return isinstance(value, list) and any(isinstance(each, dict) for each in value)

"""JSON lists of turns: who and what, perhaps when.

Known by their keys: QMsum (`meeting_transcripts`), CRD3 (`TURNS` with names and lines), and the
lists of `{speaker, text, start, end}` that services give back. Numbers are seconds, except where
the key says milliseconds or where nobody could speak as slowly as seconds would mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any

from kb_parse_subtitle.clock import number_ms, seconds_ms
from kb_parse_subtitle.cue import Cue, Cues, lines_in
from kb_parse_subtitle.json_file import Element, JsonFile
from kb_parse_subtitle.languages import language_code

_LISTS = (
    "meeting_transcripts",
    "TURNS",
    "turns",
    "utterances",
    "segments",
    "transcript",
    "transcripts",
    "monologues",
    "dialogue",
    "dialog",
    "conversation",
    "messages",
    "cues",
    "captions",
    "subtitles",
    "results",
)
_TEXTS = (
    "text",
    "content",
    "utterance",
    "UTTERANCES",
    "utterances",
    "transcript",
    "sentence",
    "line",
)
_SPEAKERS = (
    "speaker",
    "NAMES",
    "names",
    "speaker_name",
    "speakerName",
    "speaker_id",
    "name",
    "role",
)
_STARTS = ("start", "begin", "start_time", "startTime", "from", "offset", "timestamp", "time", "ts")
_ENDS = ("end", "stop", "end_time", "endTime", "to")
_MS_SUFFIXES = ("_ms", "Ms", "_millis", "MS")
_MIN_CHARS_PER_SECOND = 0.5


def turns_path(value: Any) -> tuple[str, ...] | None:
    """Return the keys under which a JSON value holds turns, None where it holds none."""
    if isinstance(value, list):
        return () if _are_turns(value) else None
    if not isinstance(value, dict):
        return None
    for key in _LISTS:
        inner = value.get(key)
        if isinstance(inner, list) and _are_turns(inner):
            return (key,)
    return None


def read_turns(file: JsonFile, path: tuple[str, ...]) -> Cues:
    """Read the turns under `path`; without times they are cited by their lines."""
    elements = [each for each in file.elements(*path) if _said(each.value)]
    cues = [
        Cue(_said(each.value), each.first_line, each.last_line, speaker=_who(each.value))
        for each in elements
    ]
    is_timed = _set_times(cues, elements)
    value = file.value if isinstance(file.value, dict) else {}
    language = value.get("language") or value.get("lang")
    return Cues(
        cues,
        language=language if isinstance(language, str) and language_code(language) else None,
        timed=is_timed,
        in_text_order=not is_timed,
    )


def has_ms_keys(values: Sequence[Any]) -> bool:
    """Return whether the starts of these elements are milliseconds by their names."""
    starts = (_time(value, _STARTS) for value in values)
    return any(start is not None and start[0] == "ms" for start in starts)


def _are_turns(values: Sequence[Any]) -> bool:
    """Return whether most elements say something and the first such has a speaker or a time."""
    said = [value for value in values if _said(value)]
    if not said or len(said) * 2 < len(values):
        return False
    return any(
        isinstance(value, list) or _first(value, _SPEAKERS) is not None or _time(value, _STARTS)
        for value in said
    )


def _said(value: Any) -> str:
    if isinstance(value, list):
        is_pair = len(value) == 2 and all(isinstance(each, str) for each in value)
        return lines_in(value[1]) if is_pair else ""
    found = _first(value, _TEXTS)
    if isinstance(found, list):
        found = " ".join(each.strip() for each in found if isinstance(each, str))
    return lines_in(found) if isinstance(found, str) else ""


def _who(value: Any) -> str | None:
    if isinstance(value, list):
        return value[0].strip() or None
    found = _first(value, _SPEAKERS)
    if isinstance(found, dict):
        found = found.get("name")
    if isinstance(found, list):
        found = " & ".join(each.strip() for each in found if isinstance(each, str))
    if isinstance(found, int) and not isinstance(found, bool) and abs(found) < 10**9:
        found = f"Speaker {found}"
    return found.strip() or None if isinstance(found, str) else None


def _first(value: Any, keys: Sequence[str]) -> Any:
    if not isinstance(value, dict):
        return None
    return next((value[key] for key in keys if value.get(key) not in (None, "", [])), None)


def _time(value: Any, keys: Sequence[str]) -> tuple[str, Any] | None:
    """Return the key and the value of a time; keys that say milliseconds come first."""
    if not isinstance(value, dict):
        return None
    for key in keys:
        for suffix in (*_MS_SUFFIXES, ""):
            found = value.get(key + suffix)
            if isinstance(found, int | float | str) and not isinstance(found, bool):
                return ("ms" if suffix else "s"), found
    return None


def _set_times(cues: Sequence[Cue], elements: Sequence[Element]) -> bool:
    starts = [_time(each.value, _STARTS) for each in elements]
    ends = [_time(each.value, _ENDS) for each in elements]
    unit = 1 if _are_ms(cues, starts, ends) else 1000
    for cue, start, end in zip(cues, starts, ends, strict=True):
        cue.start_ms = _ms(start, unit)
        cue.end_ms = _ms(end, unit)
    if all(cue.start_ms is None for cue in cues):
        return False
    has_ends = any(cue.end_ms is not None for cue in cues)
    for cue in cues:
        if cue.start_ms is None:
            cue.problem = "no time that can be read"
        elif cue.end_ms is None and has_ends:
            cue.problem = "an end that cannot be read"
        elif cue.end_ms is not None and cue.end_ms < cue.start_ms:
            cue.problem = "an end before the start"
    return True


def _ms(time: tuple[str, Any] | None, ms_per_unit: int) -> int | None:
    if time is None:
        return None
    unit, value = time
    if unit == "ms":
        return number_ms(value, 1)
    return seconds_ms(value) if isinstance(value, str) else number_ms(value, ms_per_unit)


def _are_ms(
    cues: Sequence[Cue],
    starts: Sequence[tuple[str, Any] | None],
    ends: Sequence[tuple[str, Any] | None],
) -> bool:
    """Return whether whole numbers without a unit must be milliseconds: else speech would crawl."""
    numbers = [time[1] for time in (*starts, *ends) if time is not None and time[0] == "s"]
    if not numbers or not all(isinstance(number, int) for number in numbers):
        return False
    rates = []
    for cue, start, end, following in zip(cues, starts, ends, [*starts[1:], None], strict=True):
        stop = end or following
        if start and stop and _lasts(start, stop):
            rates.append(len(cue.text) / (stop[1] - start[1]))
    return bool(rates) and median(rates) < _MIN_CHARS_PER_SECOND


def _lasts(start: tuple[str, Any], stop: tuple[str, Any]) -> bool:
    return bool(start[0] == stop[0] == "s" and stop[1] > start[1])

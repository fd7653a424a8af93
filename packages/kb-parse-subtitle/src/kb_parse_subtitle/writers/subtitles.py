"""SubRip, WebVTT and LRC.

WebVTT has a place for everything that is written here. SubRip has no standard at all: markup and
character references are what players agree on, so only what would be taken for a tag, a reference
or a line of times is escaped, and the speaker stands before the text as recognisers write it,
`[Kim]: Good morning`. A name that does not fit between brackets becomes a WebVTT voice, which
players leave out and kb reads. LRC takes its speakers from SubRip and has no escapes: a name that
does not fit is left out, and text that begins like a mark is read as one.
"""

from __future__ import annotations

import html
import re

from kb_core import CanonicalDocument
from kb_parse_subtitle.timing_lines import arrow_timing
from kb_parse_subtitle.writers.spoken import (
    Caption,
    captions_of,
    format_time,
    language_of_speech,
    one_line,
    timed_transcript_of,
)

_BRACKETABLE = re.compile(r"[^\[\]:]{1,60}")
_MARKUP = re.compile(r"&(?=#?\w{1,32};)|<(?=[^\s>][^>]*>)|\{(?=[^}]*\\[^}]*\})")
_LANGUAGE = re.compile(r"[A-Za-z0-9-]+")


def write_srt(document: CanonicalDocument) -> str:
    """Return SubRip; a document in which nothing is said gives no cue.

    Raises:
        ExportError: the document is no transcript with times.
    """
    cues = captions_of(document, timed_transcript_of(document, "srt"))
    blocks = [
        f"{number}\n{_timing(cue, ',')}\n{_srt_text(cue)}\n" for number, cue in enumerate(cues, 1)
    ]
    return "\n".join(blocks) or "\n"


def write_vtt(document: CanonicalDocument) -> str:
    """Return WebVTT with its language and voices.

    Raises:
        ExportError: the document is no transcript with times.
    """
    transcript = timed_transcript_of(document, "vtt")
    language = language_of_speech(document, transcript)
    header = "WEBVTT\n"
    if language is not None and _LANGUAGE.fullmatch(language):
        header += f"Language: {language}\n"
    cues = captions_of(document, transcript)
    return "\n".join([header, *(f"{_timing(cue, '.')}\n{_vtt_text(cue)}\n" for cue in cues)])


def write_lrc(document: CanonicalDocument) -> str:
    """Return LRC: one line per cue with its start, and a bare time where a pause begins.

    Raises:
        ExportError: the document is no transcript with times.
    """
    transcript = timed_transcript_of(document, "lrc")
    title = re.sub(r"[\[\]]", "", one_line(document.title) or "")
    language = language_of_speech(document, transcript)
    lines = [f"[ti:{title}]"] if title else []
    if language is not None and _LANGUAGE.fullmatch(language):
        lines.append(f"[la:{language}]")
    cues = captions_of(document, transcript)
    for cue, following in zip(cues, [*cues[1:], None], strict=False):
        start_cs, end_cs = _hundredths(cue.start_ms), _hundredths(cue.end_ms)
        label = f"[{cue.speaker}]: " if _is_bracketable(cue.speaker) else ""
        lines.append(f"{_lrc_time(start_cs)}{label}{cue.line}")
        if start_cs < end_cs and (following is None or end_cs < _hundredths(following.start_ms)):
            lines.append(_lrc_time(end_cs))
    return "".join(f"{line}\n" for line in lines) or "\n"


def _timing(cue: Caption, decimal_mark: str) -> str:
    start, end = (
        format_time(time_ms, decimal_mark=decimal_mark) for time_ms in (cue.start_ms, cue.end_ms)
    )
    return f"{start} --> {end}"


def _vtt_text(cue: Caption) -> str:
    text = _escaped("\n".join(cue.lines))
    return text if cue.speaker is None else f"<v {_escaped(cue.speaker)}>{text}</v>"


def _escaped(text: str) -> str:
    return html.escape(text, quote=False)


def _srt_text(cue: Caption) -> str:
    text = "\n".join(cue.lines)
    if _is_bracketable(cue.speaker):
        return _srt_escaped(f"[{cue.speaker}]: {text}")
    name = _escaped(cue.speaker or "").replace("{", "&#123;")
    return (f"<v {name}>" if name else "") + _srt_escaped(text)


def _is_bracketable(speaker: str | None) -> bool:
    return speaker is not None and _BRACKETABLE.fullmatch(speaker) is not None


def _srt_escaped(text: str) -> str:
    lines = _MARKUP.sub(_reference, text).split("\n")
    return "\n".join(
        line.replace("->", "-&gt;") if "-->" in line or arrow_timing(line) else line
        for line in lines
    )


def _reference(match: re.Match[str]) -> str:
    return {"&": "&amp;", "<": "&lt;", "{": "&#123;"}[match[0]]


def _hundredths(time_ms: int) -> int:
    return (time_ms + 5) // 10


def _lrc_time(time_cs: int) -> str:
    minutes, rest_cs = divmod(time_cs, 6000)
    return f"[{minutes:02}:{rest_cs // 100:02}.{rest_cs % 100:02}]"

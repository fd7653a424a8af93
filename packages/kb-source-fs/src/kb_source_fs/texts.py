"""Signatures of text: subtitles, transcripts, markup."""

from __future__ import annotations

import codecs
import re

from kb_source_fs.content import Content
from kb_source_fs.written import is_written_transcript, may_be_transcript

_SUBRIP = re.compile(
    r"(?:\d+[ \t]*\r?[\n\r])?[ \t]*(?:\d{1,3}:)?\d{1,2}:\d{1,2}[,.]\d{1,3}"
    r"[ \t]*-->[ \t]*\d{1,3}:\d",
    re.ASCII,
)
_SUB_VIEWER = re.compile(
    r"\d{1,2}:\d\d:\d\d\.\d{3},\d{1,2}:\d\d:\d\d\.\d{3}[ \t]*(?:\r?\n|\r)", re.ASCII
)
_LRC_TAG = re.compile(r"(?:\[[a-z#]{1,12}:[^\]\r\n]*\][^\S\n]*(?:\r?\n|\r)\s*)*", re.ASCII | re.I)
_LRC_LINE = re.compile(r"\[\d{1,3}:\d\d(?:[.:]\d{1,3})?\]", re.ASCII)
_XML_PROLOGUE = re.compile(r"(?:<\?.*?\?>|<!--.*?-->|\s+)*", re.DOTALL)
_TTML_ROOT = re.compile(r"<(?:\w+:)?tt[\s>]", re.ASCII)
_HTML_ROOT = re.compile(r"<(?:!doctype\s+html|html|head|body)[\s>]", re.ASCII | re.I)
_TRANSCRIPT_KEY = re.compile(
    r'"(?:segments|transcription|meeting_transcripts|TURNS)"\s*:\s*\['
    r'|^\[\s*\{[^{}\[\]]*"speaker"\s*:'
)
_JSON_START = re.compile(r'(?:\{\s*"|\[\s*[\[{"])')
_KEYS_BEFORE_TURNS = re.compile(r'\{\s*"(?:text"\s*:\s*"|METADATA"\s*:|topic_list"\s*:)')
_TEXT_NAMES = frozenset({"txt", "text"})
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")


def text_in(head: bytes, extension: str, *, truncated: bool) -> Content | None:
    """Return what kind of text the bytes are, or None when they are no text.

    Args:
        head: the first bytes of the file.
        extension: lower case, without its dot.
        truncated: whether the file goes on after `head`.
    """
    if head.startswith(b"%PDF-") or (extension == "pdf" and b"%PDF-" in head[:1024]):
        return Content("PDF", "pdf")
    text, is_certain = _decoded(head)
    if _CONTROLS.search(text):
        return None
    start = text.lstrip("\ufeff \t\r\n")
    found = _subtitle(start) or _markup(start) or _json(start, truncated)
    if found is None and may_be_transcript(extension) and is_written_transcript(start):
        found = Content("a written transcript", "transcript-text", is_text=True)
    # Whether bytes of an old encoding are text is told by nothing but the name.
    return found or (_plain(start) if is_certain or extension in _TEXT_NAMES else None)


def _decoded(head: bytes) -> tuple[str, bool]:
    """Return the bytes as text good enough to look at, and whether they are text for certain."""
    for mark, encoding in (
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ):
        if head.startswith(mark):
            return head[len(mark) :].decode(encoding, errors="replace"), True
    try:
        return codecs.getincrementaldecoder("utf-8")().decode(head), True
    except UnicodeDecodeError:
        # Every signature is ASCII, so any encoding that keeps ASCII will do.
        return head.decode("latin-1"), False


def _subtitle(start: str) -> Content | None:
    if re.match(r"WEBVTT(?:[ \t\r\n]|$)", start):
        return Content("WebVTT", "subtitle", is_text=True)
    if start.lower().startswith("[script info]"):
        return Content("ASS subtitles", "subtitle", is_text=True)
    if _SUBRIP.match(start):
        return Content("SubRip subtitles", "subtitle", is_text=True)
    if _SUB_VIEWER.match(start):
        return Content("SBV subtitles", "subtitle", is_text=True)
    tags = _LRC_TAG.match(start)
    if _LRC_LINE.match(start, tags.end() if tags else 0):
        return Content("LRC lyrics", "subtitle", is_text=True, weak=True)
    return None


def _markup(start: str) -> Content | None:
    prologue = _XML_PROLOGUE.match(start)
    root_at = prologue.end() if prologue else 0
    if _TTML_ROOT.match(start, root_at):
        return Content("TTML subtitles", "subtitle", is_text=True)
    if _HTML_ROOT.match(start, root_at):
        return Content("HTML", is_text=True, is_markup=True, is_web_page=True)
    if start.startswith("<?xml"):
        return Content("XML", is_text=True, is_markup=True)
    return None


def _json(start: str, truncated: bool) -> Content | None:
    if not _JSON_START.match(start):
        return None
    # Whisper's own JSON holds the whole text before the segments, perhaps more than the head; the
    # corpora of meetings and games begin with what is told about them.
    is_long_head = truncated and _KEYS_BEFORE_TURNS.match(start)
    if _TRANSCRIPT_KEY.search(start) or is_long_head:
        return Content("a JSON transcript", "transcript-json", is_text=True, weak=True)
    return None


def _plain(start: str) -> Content:
    if start.startswith("version https://git-lfs.github.com/"):
        return Content("a Git LFS pointer instead of the file itself", is_text=True, is_markup=True)
    return Content("text", is_text=True)

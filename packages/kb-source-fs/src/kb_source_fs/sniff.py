"""What a file holds: its content says first, its name second.

Names lie: phones save M4A as .mp3, servers answer with an HTML page where a recording was asked
for. The content is believed wherever it has a signature. The name settles what a signature leaves
open (the MP4, Matroska, Ogg and ASF containers hold sound or pictures), and what has no signature
at all (Markdown; an MP3 stream with garbage before its first frame).
"""

from __future__ import annotations

from pathlib import Path

from kb_core import MediaType, Model
from kb_core.errors import UnreadableFile
from kb_source_fs.containers import recording_in
from kb_source_fs.content import Content
from kb_source_fs.extensions import extension_of, may_be_source_code, media_type_named
from kb_source_fs.texts import text_in

HEAD_BYTES = 64 * 1024
"""No more than this is read of a file to tell what it holds."""

_NOTES = ("markdown", "text")
_EMPTY_HINT = "was the recording finished and copied whole?"
_WEB_PAGE_HINT = "fetch it again; this is a page, not a recording"
_RENAME_HINT = "rename the file to what it is"


class Sniffed(Model):
    """What a file holds.

    Attributes:
        media_type: what to read it as; `other` whenever there is a mismatch.
        content_says: the content's own kind in words, such as `HTML`; None when it has no
            signature.
        mismatch: why a file that is named like something kb reads cannot be that, such as
            `named .mp3 but holds HTML`; None when all is well.
        hint: the way out of a mismatch; None when there is none.
    """

    media_type: MediaType
    content_says: str | None = None
    mismatch: str | None = None
    hint: str | None = None


def sniff(path: Path) -> Sniffed:
    """Tell what a regular file holds, from at most `HEAD_BYTES` of it.

    Raises:
        UnreadableFile: it cannot be opened or read.
    """
    try:
        with path.open("rb") as stream:
            head = stream.read(HEAD_BYTES)
    except OSError as error:
        raise UnreadableFile(path, error.strerror or str(error)) from error
    return sniff_head(head, path.name)


def sniff_head(head: bytes, name: str) -> Sniffed:
    """Tell what a file holds from its first bytes.

    Args:
        head: the first `HEAD_BYTES` of the file, or all of a shorter one.
        name: the file's name, of which the extension is looked at.
    """
    extension = extension_of(name)
    named = media_type_named(extension)
    if not head:
        return _empty(extension, named)
    truncated = len(head) >= HEAD_BYTES
    content = recording_in(head, extension) or text_in(head, extension, truncated=truncated)
    if content is None:
        return Sniffed(media_type=named)
    if content.media_type is not None and not (named == "markdown" and content.weak):
        return Sniffed(media_type=content.media_type, content_says=content.says)
    if _may_be(named, content):
        return Sniffed(media_type=named, content_says=content.says)
    if may_be_source_code(extension) or named == "other":
        return Sniffed(media_type="other", content_says=content.says)
    return Sniffed(
        media_type="other",
        content_says=content.says,
        mismatch=f"named .{extension} but holds {content.says}",
        hint=_WEB_PAGE_HINT if content.is_web_page else _RENAME_HINT,
    )


def _empty(extension: str, named: str) -> Sniffed:
    if named in _NOTES or named == "other" or may_be_source_code(extension):
        return Sniffed(media_type=named if named in _NOTES else "other")
    return Sniffed(media_type="other", mismatch="empty file", hint=_EMPTY_HINT)


def _may_be(named: str, content: Content) -> bool:
    """Return whether text without a signature of its own may be what the name says."""
    if named in _NOTES:
        return content.is_text
    return named == "subtitle" and content.is_text and not content.is_markup

"""From the bytes of a text file to its text.

Marks at the beginning decide first, then strict UTF-8: no other text is UTF-8 by accident. What is
left are encodings that decode almost anything, so the first one that does not fail is often the
wrong one. They are weighed against each other by what they make of the bytes.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from pathlib import Path

from kb_core.errors import ConfigError, InputError, UnreadableFile, printable
from kb_source_text.weighing import most_likely_encoding

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_NOT_OF_FILES = frozenset({"idna", "punycode", "raw-unicode-escape", "unicode-escape"})
_LOOKED_AT_BYTES = 4096
_MIN_PLAIN_SHARE = 0.9
_MIN_ASCII_SHARE = 0.05
_MIN_ZERO_SHARE = 0.8
_GOOD_CHARS_PER_BAD = 6
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
_OTHER_HINT = "name another --encoding, or leave it out to have it told by the bytes"
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_ASCII_TEXT = r"\t\n\r\f -~"
_LETTERS_AND_SIGNS = r"\u00a0-\u024f\u0370-\u1fff\u2010-\u2027\u2500-\u27bf"
_EAST_ASIAN = r"\u3000-\u9fff가-힣\uff01-\uff9f"
_PLAIN = re.compile(f"[{_ASCII_TEXT}{_LETTERS_AND_SIGNS}{_EAST_ASIAN}]")
_PLAIN_ASCII = re.compile(f"[{_ASCII_TEXT}]")


@dataclass(frozen=True, slots=True)
class DecodedText:
    """The text of a file.

    Attributes:
        text: without a byte order mark; line ends as they are in the file.
        encoding: lower-case name of the codec, such as `utf-8` or `cp949`.
        replaced_bytes: damaged bytes in otherwise clear text; U+FFFD stands for them.
    """

    text: str
    encoding: str
    replaced_bytes: int = 0


def read_bytes(path: str | Path) -> bytes:
    """Return all of a file.

    Raises:
        UnreadableFile: it cannot be read.
    """
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise UnreadableFile(path, error.strerror or str(error)) from error


def decode_text(data: bytes, path: str | Path, *, encoding: str | None = None) -> DecodedText:
    """Decode the bytes of a text file.

    Args:
        data: all of the file.
        path: named by errors.
        encoding: what the person says it is; None to tell it by the bytes.

    Raises:
        ConfigError: no such encoding is known.
        InputError: the bytes are no text, or not in that encoding.
    """
    if encoding is not None:
        return _decoded_as(data, path, encoding)
    for mark, codec in _MARKS:
        if data.startswith(mark):
            return _marked(data[len(mark) :], path, codec)
    if b"\0" in data and (wide := _wide_without_mark(data)) is not None:
        return _marked(data, path, wide)
    try:
        return DecodedText(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        return _almost_utf_8(data) or _weighed(data, path)


def _decoded_as(data: bytes, path: str | Path, encoding: str) -> DecodedText:
    try:
        name = codecs.lookup(encoding).name
        if name in _NOT_OF_FILES:
            raise LookupError(name)
        text = data.decode(name)
    except UnicodeDecodeError as error:
        raise InputError(
            path,
            f"byte {error.start} is not {printable(encoding)}",
            hint=_OTHER_HINT,
        ) from error
    except (LookupError, ValueError) as error:
        raise ConfigError(
            f"no encoding is named {printable(encoding)}",
            hint="for instance utf-8, utf-16, cp949, euc-kr, gb18030, big5, shift_jis, cp1252",
        ) from error
    if _LONE_SURROGATE.search(text):
        raise InputError(
            path, f"it is not {printable(encoding)}: half of a character", hint=_OTHER_HINT
        )
    return DecodedText(text.removeprefix("\ufeff"), name)


def _marked(data: bytes, path: str | Path, codec: str) -> DecodedText:
    try:
        return DecodedText(data.decode(codec).removeprefix("\ufeff"), codec)
    except UnicodeDecodeError as error:
        if codec == "utf-8":
            return _almost_utf_8(data) or _weighed(data, path)
        # A file that was cut off in the middle of a character loses no more than that one.
        text = data.decode(codec, errors="replace")
        if text.count(_REPLACEMENT) * _GOOD_CHARS_PER_BAD > len(text):
            raise InputError(
                path, f"byte {error.start} is not {codec}", hint="name its --encoding"
            ) from error
        return DecodedText(text, codec, _replaced_bytes(data, codec))


def _wide_without_mark(data: bytes) -> str | None:
    """Return the encoding of two or four bytes that the zeros among the bytes come from.

    Text of UTF-8 with a few zeros in it must not be taken for it, nor 가 (AC00), whose zero is on
    the other side, for the other order of bytes.
    """
    head = data[:_LOOKED_AT_BYTES]
    codec, width = _most_plain(head)
    if _plain_share(_PLAIN, head, codec, width) < _MIN_PLAIN_SHARE:
        return None
    if _plain_share(_PLAIN_ASCII, head, codec, width) < _MIN_ASCII_SHARE:
        return None
    # In text that is ASCII, all bytes of a character but one are zero, always the same ones.
    zero_count = sum(sorted(head[place::width].count(0) for place in range(width))[1:])
    is_spread = zero_count < _MIN_ZERO_SHARE * len(head) * (width - 1) / width
    return None if is_spread and _decodes(data, "utf-8") else codec


def _most_plain(head: bytes) -> tuple[str, int]:
    for codec in ("utf-32-le", "utf-32-be"):
        if _plain_share(_PLAIN, head, codec, 4) >= _MIN_PLAIN_SHARE:
            return codec, 4
    little, big = (_plain_share(_PLAIN, head, codec, 2) for codec in ("utf-16-le", "utf-16-be"))
    return ("utf-16-le" if little >= big else "utf-16-be"), 2


def _plain_share(plain: re.Pattern[str], head: bytes, codec: str, width: int) -> float:
    """Return how many of the characters are such as texts are made of."""
    text = head[: len(head) // width * width].decode(codec, errors="replace")
    return len(plain.findall(text)) / len(text) if text else 0.0


def _decodes(data: bytes, codec: str) -> bool:
    try:
        data.decode(codec)
    except UnicodeDecodeError:
        return False
    return True


def _almost_utf_8(data: bytes) -> DecodedText | None:
    """Return the text where a few bytes among many characters of UTF-8 are damaged."""
    text = data.decode("utf-8", errors="replace")
    bad = text.count(_REPLACEMENT) - data.count(_REPLACEMENT.encode())
    good = len(text) - len(text.encode("ascii", "ignore")) - bad
    if good < bad * _GOOD_CHARS_PER_BAD:
        return None
    return DecodedText(text, "utf-8", _replaced_bytes(data, "utf-8"))


def _replaced_bytes(data: bytes, codec: str) -> int:
    """Return how many bytes are no part of a character."""
    return len(data) - len(data.decode(codec, errors="ignore").encode(codec))


def _weighed(data: bytes, path: str | Path) -> DecodedText:
    likely = most_likely_encoding(data)
    if likely is None:
        raise InputError(
            path,
            "it is no text in any encoding that can be told",
            hint="name its encoding with --encoding, such as --encoding cp949",
        )
    text = data.decode(likely.codec, errors=likely.errors)
    if likely.errors == "strict":
        return DecodedText(text, likely.codec)
    return DecodedText(text, likely.codec, text.count(_REPLACEMENT))

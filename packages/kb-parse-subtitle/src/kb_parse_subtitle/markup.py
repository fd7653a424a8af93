"""From the text of a caption with its tags to the text that a viewer reads.

Only what is known to be a tag goes: names of tags that subtitle formats have, any other name that
is closed again in the same caption, and `{…}` with a backslash in it. `a < b`, `<3` and `{smile}`
are text. Readings over ruby text follow it in brackets, so that both are found.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

from kb_core import Word
from kb_parse_subtitle.clock import clock_ms
from kb_parse_subtitle.cue import joined_lines, make_word

_TAG_NAMES = "b i u s c v lang ruby rt rp rb font span em strong br p div a"
_KNOWN_TAGS = frozenset(_TAG_NAMES.split())
_TAG = re.compile(
    r"<(?P<time>\d{1,5}:\d\d(?::\d\d)?(?:[.,]\d{1,9})?)>"
    r"|<(?P<close>/?)(?P<name>[A-Za-z][A-Za-z0-9]{0,15}(?::[A-Za-z]{1,15})?)"
    r"(?P<rest>[. \t][^<>\n]*|/)?>",
    re.ASCII,
)
_OVERRIDE = re.compile(r"\{[^{}\\]*\\[^{}]*\}")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});", re.ASCII)
_TOKEN = re.compile(r"\S+")


@dataclass(slots=True)
class VoicedText:
    """A stretch of a caption that one person says, or nobody in particular."""

    speaker: str | None
    text: str
    words: tuple[Word, ...] = ()


@dataclass(slots=True)
class _Piece:
    """Text up to the next tag that changes the speaker or the time."""

    text: str
    speaker: str | None
    start_ms: int | None


def decode_entities(text: str) -> str:
    """Return the text with complete character references decoded; `AT&T` and `&lt` stay."""
    if "&" not in text:
        return text
    return _ENTITY.sub(lambda match: html.unescape(match[0]), text)


def without_overrides(text: str) -> str:
    r"""Return the text without blocks such as `{\an8}`; `{smile}` has no backslash and stays."""
    return _OVERRIDE.sub("", text) if "{" in text else text


def voiced_texts(text: str, start_ms: int | None, end_ms: int | None) -> list[VoicedText]:
    """Return the stretches of a caption by voice, with the words that have times of their own.

    A voice goes on until the next one; text before the first belongs to nobody.

    Args:
        text: lines of the caption.
        start_ms: of the caption; its first words begin with it.
        end_ms: of the caption; its last words end with it.
    """
    if "<" not in text and "&" not in text:
        plain = joined_lines(text.split("\n"))
        return [VoicedText(None, plain)] if plain else []
    pieces = _pieces(text)
    is_word_timed = start_ms is not None and any(p.start_ms is not None for p in pieces)
    words = _words(pieces, start_ms or 0, end_ms) if is_word_timed else []
    found: list[VoicedText] = []
    texts: list[str] = []
    place = 0
    for index, piece in enumerate(pieces):
        texts.append(piece.text)
        is_last = index + 1 == len(pieces)
        if not is_last and pieces[index + 1].speaker == piece.speaker:
            continue
        own = joined_lines("".join(texts).split("\n"))
        if own:
            own_words = tuple(word for at, word in words if place <= at <= index)
            found.append(VoicedText(piece.speaker, own, own_words))
        texts, place = [], index + 1
    return found


def _pieces(text: str) -> list[_Piece]:
    pieces = [_Piece("", None, None)]
    closed = {match["name"].lower() for match in _TAG.finditer(text) if match["close"]}
    reading: list[str] | None = None
    held = ""
    end = 0
    for match in _TAG.finditer(text):
        before, end = text[end : match.start()], match.end()
        name = (match["name"] or "").lower()
        is_known = match["time"] is not None or name in _KNOWN_TAGS or name in closed
        literal = decode_entities(before if is_known else before + match[0])
        if reading is not None:
            reading.append(literal)
        else:
            pieces[-1].text += literal
        if not is_known:
            continue
        if name == "rt" and not match["close"]:
            reading = []
        elif reading is not None and name in ("rt", "ruby", "rb"):
            held += "".join(reading).strip()
            reading = None
        if name == "ruby" and match["close"] and held:
            pieces[-1].text, held = f"{pieces[-1].text}({held})", ""
        _turn(pieces, match, name)
    pieces[-1].text += decode_entities(text[end:] if reading is None else "")
    if reading is not None:
        held += decode_entities("".join(reading) + text[end:])
    if held:
        pieces[-1].text += f"({held.strip()})"
    return pieces


def _turn(pieces: list[_Piece], match: re.Match[str], name: str) -> None:
    last = pieces[-1]
    if match["time"] is not None:
        pieces.append(_Piece("", last.speaker, clock_ms(match["time"])))
    elif name == "v" and not match["close"]:
        classes_and_name = re.split(r"[ \t]", match["rest"] or "", maxsplit=1)
        speaker = " ".join(decode_entities("".join(classes_and_name[1:])).split())
        pieces.append(_Piece("", speaker or None, None))
    elif name == "br":
        last.text += "\n"


def _words(pieces: list[_Piece], start_ms: int, end_ms: int | None) -> list[tuple[int, Word]]:
    """Return the words as (index of the piece, word); words of one piece share its time."""
    starts = []
    latest_ms = start_ms
    for piece in pieces:
        latest_ms = latest_ms if piece.start_ms is None else piece.start_ms
        starts.append(latest_ms)
    words: list[tuple[int, Word]] = []
    piece_end_ms = starts[-1] if end_ms is None else end_ms
    for index in range(len(pieces) - 1, -1, -1):
        if index + 1 < len(pieces) and starts[index + 1] > starts[index]:
            piece_end_ms = starts[index + 1]
        tokens = _TOKEN.findall(pieces[index].text)
        words.extend(
            (index, make_word(token, starts[index], piece_end_ms)) for token in reversed(tokens)
        )
    words.reverse()
    return words

"""From the recogniser's tokens to pieces of text.

A token is a few bytes, not a few characters: one character of Korean or Chinese may be spread over
two tokens, and over two segments. So the bytes of a whole window are joined before they are
decoded. A character belongs, undivided, to the token and the segment that hold its first byte.
Bytes that can never become a character are left out, and their segment is marked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Token:
    """One text token as the engine gives it; special tokens are not among them.

    Attributes:
        data: its bytes, perhaps a part of a character.
        probability: 0..1.
        start_ms: from the window's first sample; None when the engine does not know.
        end_ms: likewise.
    """

    data: bytes
    probability: float
    start_ms: int | None
    end_ms: int | None


@dataclass(frozen=True, slots=True)
class TokenSegment:
    """One segment as the engine gives it; times in milliseconds, perhaps impossible."""

    start_ms: int
    end_ms: int
    tokens: tuple[Token, ...]


@dataclass(slots=True)
class Piece:
    """Whole characters of one token, and the probabilities of all tokens that they came from."""

    text: str
    start_ms: int | None
    end_ms: int | None
    probabilities: list[float] = field(default_factory=list)


@dataclass(slots=True)
class PieceSegment:
    """Text of one segment in pieces.

    Attributes:
        dropped_byte_len: bytes that were no part of any character.
    """

    start_ms: int
    end_ms: int
    pieces: list[Piece] = field(default_factory=list)
    dropped_byte_len: int = 0


def decode_window(segments: Sequence[TokenSegment]) -> list[PieceSegment]:
    """Return the same segments with their bytes decoded, each character exactly once."""
    decoded = [PieceSegment(segment.start_ms, segment.end_ms) for segment in segments]
    owners: list[tuple[int, Piece]] = []
    for place, segment in enumerate(segments):
        for token in segment.tokens:
            piece = Piece("", token.start_ms, token.end_ms, [token.probability])
            decoded[place].pieces.append(piece)
            owners.extend([(place, piece)] * len(token.data))
    data = b"".join(token.data for segment in segments for token in segment.tokens)
    carried_on: list[tuple[Piece, Piece, bool]] = []
    for start, end, text in _characters(data):
        place, piece = owners[start]
        if text is None:
            decoded[place].dropped_byte_len += end - start
            continue
        piece.text += text
        for other_place, other in owners[start + 1 : end]:
            if other is not piece:
                carried_on.append((piece, other, other_place == place))
    for piece, other, same_segment in carried_on:
        _take_over(piece, other, same_segment=same_segment)
    for target in decoded:
        target.pieces = [piece for piece in target.pieces if piece.text]
    return decoded


def _take_over(piece: Piece, other: Piece, *, same_segment: bool) -> None:
    """Let `piece` keep what a token knows that does nothing but go on with its last character."""
    if other.text:
        return
    piece.probabilities += other.probabilities
    other.probabilities = []
    if same_segment and piece.end_ms is not None and other.end_ms is not None:
        piece.end_ms = max(piece.end_ms, other.end_ms)


def _characters(data: bytes) -> Iterator[tuple[int, int, str | None]]:
    """Yield start, end and text of each character; None for a byte that is part of none."""
    start = 0
    while start < len(data):
        end = start + _byte_len(data[start])
        try:
            text: str | None = data[start:end].decode("utf-8")
        except UnicodeDecodeError:
            text, end = None, start + 1
        yield start, end, text
        start = end


def _byte_len(lead: int) -> int:
    if lead < 0xC0:
        return 1
    if lead < 0xE0:
        return 2
    return 3 if lead < 0xF0 else 4

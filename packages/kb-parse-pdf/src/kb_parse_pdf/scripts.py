"""Which script a character belongs to, as far as spaces depend on it."""

from __future__ import annotations

_FIRST_EAST_ASIAN = 0x1100
_HANGUL = ((0xAC00, 0xD7A3), (0x1100, 0x11FF), (0x3131, 0x318E), (0xA960, 0xA97C), (0xD7B0, 0xD7FB))
_SPACELESS = (
    (0x3001, 0x30FF),
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0xFF01, 0xFF0F),
    (0xFF1A, 0xFF20),
    (0xFF3B, 0xFF40),
    (0xFF5B, 0xFF65),
    (0xFF66, 0xFF9F),
    (0x20000, 0x323AF),
)


def is_hangul(character: str) -> bool:
    """Return whether it is a Korean letter: written with spaces, yet broken anywhere."""
    return _within(ord(character), _HANGUL)


def is_spaceless(character: str) -> bool:
    """Return whether it is Chinese or Japanese, a full-width sign included: no spaces in lines."""
    return _within(ord(character), _SPACELESS)


def _within(code_point: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    return code_point >= _FIRST_EAST_ASIAN and any(
        first <= code_point <= last for first, last in ranges
    )

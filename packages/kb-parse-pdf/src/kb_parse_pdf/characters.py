"""What becomes of single characters before offsets are counted.

Control characters, zero-width spaces and byte order marks go, tabs become spaces, a soft hyphen
that ends a line is a hyphen (that is what the page shows) and goes elsewhere. Everything else stays
as the page has it, ligatures included.
"""

from __future__ import annotations

import re
import unicodedata

CHARACTER_RULES = "characters-v1"

_UNWANTED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\ufeff\ud800-\udfff]")
_SPACE = re.compile(r"[\t\n\r ]+")
_SOFT_HYPHEN = "\u00ad"


def clean(text: str) -> str:
    """Return one line's text as it is stored, but for NFC; spaces at its end are still there."""
    text = _SPACE.sub(" ", _UNWANTED.sub("", text))
    if _SOFT_HYPHEN not in text:
        return text
    ends_soft = text.rstrip().endswith(_SOFT_HYPHEN)
    text = text.replace(_SOFT_HYPHEN, "")
    return text.rstrip() + "-" if ends_soft and text.strip() else text


def is_right_to_left(text: str) -> bool:
    """Return whether most letters of it are written from right to left."""
    directions = [unicodedata.bidirectional(character) for character in text]
    return directions.count("R") + directions.count("AL") > directions.count("L")

"""Lines of a file, counted as editors count them."""

from __future__ import annotations

import re

from kb_core import nfc

_LINE_END = re.compile(r"\r\n|\r|\n")


def lines_of(text: str) -> list[str]:
    """Return the lines without their ends, in NFC and without NUL.

    Only line feeds and carriage returns end a line: a form feed or a Unicode separator inside one
    would shift every number after it. An empty text has no line, a last line end begins none.
    """
    text = nfc(text.replace("\0", ""))
    lines = _LINE_END.split(text) if "\r" in text else text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines

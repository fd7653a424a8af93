"""Text of others, made fit for a terminal.

Names of files, titles, speakers and transcripts may hold anything, escape sequences that recolour
or overwrite a terminal included. Whatever is printed for people comes through here.
"""

from __future__ import annotations

import re

_BLANK = re.compile(r"\s")


def for_terminal(text: str) -> str:
    """Return `text` on one line, every blank as a space, other controls as escapes."""
    from kb_core.errors import printable

    return printable(_BLANK.sub(" ", text))

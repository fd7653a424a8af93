"""What every adapter does to a text before its model sees it."""

from __future__ import annotations

import re

from kb_core.model import nfc

_UNUSABLE = re.compile("[\0\ud800-\udfff]")


def usable(text: str) -> str:
    """Return the text in NFC, without NUL and lone surrogates.

    A Korean sentence in NFD is less like itself in NFC than like another one.
    """
    return nfc(_UNUSABLE.sub(" ", text))

"""What the analysers of single languages have in common.

An analyser needs a native library with a dictionary, which costs time to load and may be missing on
a machine for which nobody builds it. So each is loaded when the first text needs it, and where that
fails, its language is searched by pairs of characters like any other without spaces.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import NamedTuple


class Morpheme(NamedTuple):
    """A word of a language and where it stands.

    Attributes:
        form: what all inflections of the word share.
        char_start: first code point of it in the analysed text.
        char_end: one past the last.
    """

    form: str
    char_start: int
    char_end: int


Analyse = Callable[[str], list[Morpheme]]
"""Returns the words of a text that have a meaning of their own; thread safe."""


class LazyAnalyser:
    """Loads an analyser at its first use, once, whichever thread comes first."""

    def __init__(self, load: Callable[[], Analyse]) -> None:
        self._load = load
        self._lock = Lock()
        self._is_loaded = False
        self._analyse: Analyse | None = None

    def get(self) -> Analyse | None:
        """Return the analyser, or None on a machine where it cannot be loaded."""
        with self._lock:
            if not self._is_loaded:
                try:
                    self._analyse = self._load()
                except (ImportError, OSError, RuntimeError):
                    self._analyse = None
                self._is_loaded = True
            return self._analyse

"""English words without their inflections, by the Snowball stemmer.

PyStemmer is the compiled one: the same stemmer in pure Python takes longer to import than all the
rest of a search.
"""

from __future__ import annotations

from functools import cache, lru_cache
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from Stemmer import Stemmer

_CACHED_WORDS = 1 << 16
_LONGEST_WORD = 40
_lock = Lock()  # a stemmer keeps the word that it works on


@cache
def _stemmer() -> Stemmer:
    from Stemmer import Stemmer

    return Stemmer("english")


@lru_cache(maxsize=_CACHED_WORDS)
def english_stem(word: str) -> str:
    """Return the stem of a lower-case ASCII word; what is too long to be one stays as it is."""
    if len(word) > _LONGEST_WORD:
        return word
    with _lock:
        return str(_stemmer().stemWord(word))

"""Folding: the differences in spelling that a search should not see, with exact positions.

Case, half and full width, ligatures and presentation forms are folded; accents, voicing marks and
superscripts are not: か is not が, and m² is not m2. The unit of folding is the grapheme cluster,
because half-width ｶﾞ is one character spelt as two, and because İ and ﬃ change their length. Every
piece remembers where its cluster stands in the source, so nothing is ever searched for in a folded
string.

Folding follows toNFKC_Casefold (Unicode Standard, section 3.13) with three deviations: only those
compatibility mappings apply that are a matter of writing (see `_WRITING_VARIANTS`), Hangul
compatibility jamo stay single characters, and the dot of a lower-cased İ is dropped, so that
`istanbul` finds İstanbul.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from enum import IntEnum
from functools import lru_cache

import regex

from kb_core.model import nfc


class PieceKind(IntEnum):
    """How a folded character takes part in tokens."""

    SEPARATOR = 0
    WORD = 1
    UNSPACED = 2
    SYMBOL = 3
    SUFFIX = 4
    MARK = 5


Piece = tuple[str, PieceKind, int, int]
"""One folded character, its kind, and the half-open range of the source that it comes from."""

_CLUSTER = regex.compile(r"\X")
# Without one of these, every code point is a cluster of its own (UAX #29, grapheme break property).
MAY_JOIN = regex.compile(
    r"[\r\p{GCB=Extend}\p{GCB=SpacingMark}\p{GCB=ZWJ}\p{GCB=Prepend}"
    r"\p{GCB=L}\p{GCB=V}\p{GCB=T}\p{GCB=RI}]"
)
_UNSPACED = regex.compile(
    r"[[\p{scx=Hani}\p{scx=Hang}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}"
    r"\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]&&[\p{L}\p{N}]]",
    regex.V1,
)
# Variation selectors, soft hyphen, word joiner, byte order mark: marks of form without sound.
_WITHOUT_MEANING = regex.compile(r"[\u00AD\u2060\uFEFF\uFE00-\uFE0F\U000E0100-\U000E01EF]+")
_HANGUL_COMPATIBILITY_JAMO = range(0x3131, 0x318F)
_WIDTH_VARIANTS = frozenset({"<wide>", "<narrow>"})
_WRITING_VARIANTS = frozenset(
    {"<font>", "<square>", "<vertical>", "<initial>", "<medial>", "<final>", "<isolated>"}
)
_WITH_MARKS = frozenset({PieceKind.WORD, PieceKind.UNSPACED})
_SUFFIX_SYMBOLS = frozenset("+#")
_SYMBOL_CATEGORIES = frozenset({"Sm", "Sc", "So", "No", "Co"})
_CACHED_CLUSTERS = 1 << 16


def fold(text: str) -> Iterator[Piece]:
    """Yield the folded characters of `text` in order, with their places in it.

    A mark that forms no cluster with its base (some Myanmar vowels) joins it here, and one without
    a base is a separator.
    """
    pending: Piece | None = None
    start = 0
    clusters = _CLUSTER.findall(text) if MAY_JOIN.search(text) else text
    for cluster in clusters:
        end = start + len(cluster)
        for folded, kind in fold_cluster(cluster):
            if kind is PieceKind.MARK and pending and pending[1] in _WITH_MARKS:
                pending = (pending[0] + folded, pending[1], pending[2], end)
                continue
            if pending:
                yield pending
            pending = (folded, kind, start, end)
        start = end
    if pending:
        yield pending


@lru_cache(maxsize=_CACHED_CLUSTERS)
def fold_cluster(cluster: str) -> tuple[tuple[str, PieceKind], ...]:
    """Return the folded characters of one grapheme cluster; none for marks of form alone."""
    plain = _WITHOUT_MEANING.sub("", cluster)
    if not plain.isascii():
        plain = nfc("".join(map(_without_writing_variant, plain)))
    folded = nfc(plain.casefold()).replace("i\u0307", "i")
    return tuple((char, _kind(char)) for char in _CLUSTER.findall(folded))


def _without_writing_variant(char: str) -> str:
    tag, *mapping = unicodedata.decomposition(char).split(" ")
    if tag in _WIDTH_VARIANTS:
        return "".join(chr(int(code, 16)) for code in mapping)
    is_letter = unicodedata.category(char) in ("Lu", "Ll", "Lt", "Lm", "Lo", "Nl")
    if tag == "<compat>" and is_letter and ord(char) not in _HANGUL_COMPATIBILITY_JAMO:
        return unicodedata.normalize("NFKC", char)
    return unicodedata.normalize("NFKC", char) if tag in _WRITING_VARIANTS else char


def _kind(char: str) -> PieceKind:
    first = char[0]
    category = unicodedata.category(first)
    if category[0] == "M":
        return PieceKind.MARK
    if _UNSPACED.match(first):
        return PieceKind.UNSPACED
    if category[0] == "L" or category in ("Nd", "Nl"):
        return PieceKind.WORD
    if first in _SUFFIX_SYMBOLS:
        return PieceKind.SUFFIX
    if category in _SYMBOL_CATEGORIES and not first.isascii():
        return PieceKind.SYMBOL
    return PieceKind.SEPARATOR

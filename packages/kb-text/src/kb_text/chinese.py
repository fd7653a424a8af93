"""Chinese words, by rjieba: long words and the words inside them.

Simplified and traditional characters are not folded into each other.
"""

from __future__ import annotations

from kb_text.analyser import Analyse, LazyAnalyser, Morpheme


def _load() -> Analyse:
    import rjieba

    def analyse(text: str) -> list[Morpheme]:
        return [Morpheme(*word) for word in rjieba.tokenize(text, "search")]

    return analyse


CHINESE = LazyAnalyser(_load)

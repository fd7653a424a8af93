"""Japanese words in their dictionary form, by fugashi and UniDic where they are installed.

The lemma of UniDic joins spellings of one word (会う and 逢う). That of a proper noun is only its
reading, which different names share, so names stay as they are written.
"""

from __future__ import annotations

from threading import Lock

from kb_text.analyser import Analyse, LazyAnalyser, Morpheme

_CONTENT_TAGS = frozenset({"名詞", "代名詞", "動詞", "形容詞", "形状詞", "副詞"})
_PROPER_NOUN = "固有名詞"


def _load() -> Analyse:
    import fugashi
    import unidic_lite

    tagger = fugashi.Tagger(f'-d "{unidic_lite.DICDIR}"')
    lock = Lock()  # a tagger keeps one lattice, which the next call overwrites

    def analyse(text: str) -> list[Morpheme]:
        morphemes: list[Morpheme] = []
        place = 0
        with lock:
            for word in tagger(text):
                start = text.index(word.surface, place)
                place = start + len(word.surface)
                if word.feature.pos1 in _CONTENT_TAGS:
                    morphemes.append(Morpheme(_form(word), start, place))
        return morphemes

    return analyse


JAPANESE = LazyAnalyser(_load)


def _form(word: object) -> str:
    """Return the lemma without the foreign word that follows it (`サーバー-server`)."""
    feature = word.feature  # type: ignore[attr-defined]
    if feature.pos2 == _PROPER_NOUN or not feature.lemma:
        return str(word.surface)  # type: ignore[attr-defined]
    return str(feature.lemma).partition("-")[0]

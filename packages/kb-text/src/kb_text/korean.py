"""Korean words without their particles and endings, by mecab-ko and its dictionary.

Nouns stay as they are and verbs and adjectives get their dictionary form, so that 왔다 and 올 are
both 오다, and the verb 차다 is not the noun 차. A compound gives itself and then its parts.

The tags are those of mecab-ko-dic (the Sejong tag set). Bound nouns such as 것, auxiliary verbs,
determiners, conjunctions and interjections say nothing that anybody searches for.
"""

from __future__ import annotations

from functools import lru_cache

from kb_text.analyser import Analyse, LazyAnalyser, Morpheme

_NOUNS = frozenset({"NNG", "NNP", "NNBC", "NR", "NP", "XR", "MAG", "SL", "SN", "UNKNOWN"})
_STEMS = frozenset({"VV", "VA"})
STEM_ENDING = "다"
_CACHED_WORDS = 1 << 14


def _load() -> Analyse:
    from mecab import MeCab, MeCabError

    try:
        tagger = MeCab()
    except MeCabError as error:
        raise RuntimeError(str(error)) from error

    def analyse(text: str) -> list[Morpheme]:
        morphemes: list[Morpheme] = []
        end = 0
        for _, surface, feature in tagger.parse(text):
            start = text.index(surface, end)  # its own spans leave out white space at the beginning
            end = start + len(surface)
            tag, _, _, _, word_type, _, _, expression = feature
            if word_type is None:
                form = _form(surface, tag)
                if form:
                    morphemes.append(Morpheme(form, start, end))
            else:
                if word_type == "Compound":
                    morphemes.append(Morpheme(surface, start, end))
                morphemes += [
                    Morpheme(form, start + first, start + last)
                    for form, first, last in _parts(surface, expression or "")
                ]
        return morphemes

    return analyse


KOREAN = LazyAnalyser(_load)


def _form(surface: str, tag: str) -> str | None:
    if tag in _NOUNS:
        return surface
    return surface + STEM_ENDING if tag in _STEMS else None


@lru_cache(maxsize=_CACHED_WORDS)
def _parts(surface: str, expression: str) -> tuple[Morpheme, ...]:
    """Return the parts that `expression` names, such as `오/VV/*+았/EP/*`, by place in `surface`.

    A part that stands in the surface has its own place. One that is fused with its neighbours (오
    in 왔) has the place of all that is left.
    """
    parts: list[Morpheme] = []
    place = 0
    for part in expression.split("+"):
        form_text, _, rest = part.partition("/")
        stands_there = bool(form_text) and surface.startswith(form_text, place)
        end = place + len(form_text) if stands_there else len(surface)
        form = _form(form_text, rest.partition("/")[0])
        if form and place < end:
            parts.append(Morpheme(form, place, end))
        if stands_there:
            place = end
    return tuple(parts)

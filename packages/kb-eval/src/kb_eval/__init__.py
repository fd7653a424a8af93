"""Measures what was heard against what was said: error rates, times, languages, phantom words."""

from kb_eval.alignment import EditCounts
from kb_eval.find import find_reference
from kb_eval.heard import Heard, HeardSegment, HeardWord, heard_in
from kb_eval.metrics import Score, StartErrors, pooled, score
from kb_eval.normalise import NORMALISER, NORMALISER_RULES, characters_of, normalise, words_of
from kb_eval.reference import Reference, ReferencePart, ReferenceWord

__all__ = [
    "NORMALISER",
    "NORMALISER_RULES",
    "EditCounts",
    "Heard",
    "HeardSegment",
    "HeardWord",
    "Reference",
    "ReferencePart",
    "ReferenceWord",
    "Score",
    "StartErrors",
    "characters_of",
    "find_reference",
    "heard_in",
    "normalise",
    "pooled",
    "score",
    "words_of",
]

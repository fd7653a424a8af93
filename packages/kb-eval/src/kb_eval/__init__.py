"""Measures what was heard against what was said, and what was found against what is relevant."""

from kb_eval.alignment import EditCounts
from kb_eval.beir import JudgedQuery, JudgedSet, read_judged_set
from kb_eval.bootstrap import Estimate, ResampledTable
from kb_eval.find import find_reference
from kb_eval.heard import Heard, HeardSegment, HeardWord, heard_in
from kb_eval.metrics import Score, StartErrors, pooled, score
from kb_eval.normalise import NORMALISER, NORMALISER_RULES, characters_of, normalise, words_of
from kb_eval.ranking import RankingScore, score_ranking
from kb_eval.reference import Reference, ReferencePart, ReferenceWord

__all__ = [
    "NORMALISER",
    "NORMALISER_RULES",
    "EditCounts",
    "Estimate",
    "Heard",
    "HeardSegment",
    "HeardWord",
    "JudgedQuery",
    "JudgedSet",
    "RankingScore",
    "Reference",
    "ReferencePart",
    "ReferenceWord",
    "ResampledTable",
    "Score",
    "StartErrors",
    "characters_of",
    "find_reference",
    "heard_in",
    "normalise",
    "pooled",
    "read_judged_set",
    "score",
    "score_ranking",
    "words_of",
]

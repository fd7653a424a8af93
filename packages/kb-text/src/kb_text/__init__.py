"""Text analysis for search: folding, tokens, queries and snippets."""

from kb_text.analysis import INDEXED_PUNCTUATION, Token, analyze, index_text
from kb_text.filters import document_date, matching_documents, scope_of
from kb_text.matching import TermMatch, find_marks, find_matches
from kb_text.morphemes import morpheme_text, morpheme_tokens
from kb_text.query import parse_query
from kb_text.snippet import Excerpt, excerpt

__all__ = [
    "INDEXED_PUNCTUATION",
    "Excerpt",
    "TermMatch",
    "Token",
    "analyze",
    "document_date",
    "excerpt",
    "find_marks",
    "find_matches",
    "index_text",
    "matching_documents",
    "morpheme_text",
    "morpheme_tokens",
    "parse_query",
    "scope_of",
]

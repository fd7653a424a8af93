"""Text analysis for search: folding, tokens, queries and snippets."""

from kb_text.analysis import INDEXED_PUNCTUATION, Token, analyze, index_text
from kb_text.query import parse_query
from kb_text.snippet import Excerpt, TermMatch, excerpt, find_matches

__all__ = [
    "INDEXED_PUNCTUATION",
    "Excerpt",
    "TermMatch",
    "Token",
    "analyze",
    "excerpt",
    "find_matches",
    "index_text",
    "parse_query",
]

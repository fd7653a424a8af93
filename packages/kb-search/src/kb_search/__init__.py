"""Retrievers: from a question in words to passages with citations."""

from kb_search.citing import cite
from kb_search.lexical import LexicalRetriever

__all__ = ["LexicalRetriever", "cite"]

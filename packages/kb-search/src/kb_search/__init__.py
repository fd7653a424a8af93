"""Retrievers: from a question in words to passages with citations."""

from kb_search.citing import cite
from kb_search.fusion import RRF_K, Leg, fuse
from kb_search.legs import Meaning
from kb_search.retriever import LEG_DEPTH, PassageRetriever

__all__ = ["LEG_DEPTH", "RRF_K", "Leg", "Meaning", "PassageRetriever", "cite", "fuse"]

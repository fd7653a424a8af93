"""Port to search."""

from __future__ import annotations

from typing import Protocol

from kb_core.query import SearchHit


class Retriever(Protocol):
    """Finds passages for a question in words."""

    def search(self, query_text: str, *, limit: int) -> list[SearchHit]:
        """Return the best passages, best first; any text is a legal query.

        A blank query, or one without a letter, digit or symbol to look for, finds nothing. The
        same query over the same knowledge base gives the same hits in the same order.
        """
        ...

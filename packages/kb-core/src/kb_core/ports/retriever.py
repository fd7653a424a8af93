"""Port to search."""

from __future__ import annotations

from typing import Protocol

from kb_core.query import SearchHit


class Retriever(Protocol):
    """Finds passages for a question in words."""

    def search(
        self, query_text: str, *, limit: int, per_document: int | None = None
    ) -> list[SearchHit]:
        """Return the best passages, best first; any text is a legal query.

        A blank query, or one without a letter, digit or symbol to look for, finds nothing. The
        same query over the same knowledge base gives the same hits in the same order.

        Args:
            query_text: words, phrases, exclusions and filters.
            limit: at most so many hits, or documents when they are grouped.
            per_document: group the hits by document, the one with the best hit first, at most so
                many of each; ranks go on counting through the groups.
        """
        ...

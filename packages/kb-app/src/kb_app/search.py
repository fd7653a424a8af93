"""Finding passages."""

from __future__ import annotations

from kb_app.container import Container
from kb_app.present import hit_v1, neighbour_v1
from kb_app.wire_search import NeighbourV1, SearchHitV1, SearchResponseV1
from kb_core.errors import ConfigError, FeatureMissing, ModelError
from kb_core.query import SearchHit, SearchMode
from kb_core.runtime import StepWarning

HITS_PER_DOCUMENT = 3
"""Most hits of one document when they are grouped."""


def search(
    container: Container,
    query: str,
    *,
    limit: int | None = None,
    mode: SearchMode | None = None,
    by_document: bool = False,
    context_chunks: int = 0,
) -> SearchResponseV1:
    """Find passages; any text is a legal query, and a blank one finds nothing.

    Where words and meaning are asked for and the model of meaning cannot be used, words alone
    answer, and a warning says so.

    Args:
        container: the knowledge base.
        query: words, phrases, exclusions and filters.
        limit: at most so many hits, or documents when they are grouped; None as in the settings.
        mode: how to find; None as in the settings.
        by_document: group hits by document.
        context_chunks: how many chunks before and after each hit to show with it.

    Raises:
        ModelError, FeatureMissing, ConfigError: search by meaning alone is asked for, and its model
            cannot be used.
    """
    mode = mode or container.settings.search.mode
    limit = limit or container.settings.search.limit
    per_document = HITS_PER_DOCUMENT if by_document else None
    warnings: tuple[StepWarning, ...] = ()
    try:
        used, hits = _find(container, query, mode, limit, per_document)
    except (ModelError, FeatureMissing, ConfigError) as error:
        if mode != "hybrid":
            raise
        warnings = (StepWarning(code=error.code, message=f"by words alone: {error.message}"),)
        used, hits = _find(container, query, "lexical", limit, per_document)
    return SearchResponseV1(
        query=query,
        mode=used,
        by_document=by_document,
        warnings=warnings,
        hits=tuple(_with_context(container, hit, context_chunks) for hit in hits),
    )


def _find(
    container: Container, query: str, mode: SearchMode, limit: int, per_document: int | None
) -> tuple[SearchMode, list[SearchHit]]:
    """Return the hits, and the mode that they were found in."""
    retriever = container.retriever_for(mode)
    return retriever.mode, retriever.search(query, limit=limit, per_document=per_document)


def _with_context(container: Container, hit: SearchHit, distance: int) -> SearchHitV1:
    """Return the wire form of a hit with the chunks around all that it shows."""
    wire = hit_v1(hit)
    if distance <= 0:
        return wire
    shown = {hit.passage.chunk.chunk_id, *hit.merged_chunk_ids}
    near: dict[str, None] = {}
    for chunk_id in shown:
        near.update(dict.fromkeys(container.store.neighbour_ids(chunk_id, distance)))
    passages = container.store.load_passages([each for each in near if each not in shown])
    around = sorted(passages, key=lambda passage: passage.chunk.index)
    before: list[NeighbourV1] = []
    after: list[NeighbourV1] = []
    for passage in around:
        side = before if passage.chunk.index < hit.passage.chunk.index else after
        side.append(neighbour_v1(passage))
    return wire.model_copy(update={"before": tuple(before), "after": tuple(after)})

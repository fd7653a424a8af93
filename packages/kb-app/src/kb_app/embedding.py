"""Vectors for what is stored: made after everything is searchable by words, batch by batch.

Each batch is one transaction, so a run that is stopped goes on where it was, and a text that any
document had before gets no second vector. Where there are so many chunks that an approximate index
is used, it is made anew at the end when it has fallen behind.
"""

from __future__ import annotations

from collections.abc import Callable

from kb_app.container import Container
from kb_core import CancelToken
from kb_core.ports.store import VectorCounts

BATCH_TEXTS = 16
"""Texts of one transaction: a few seconds of work, which is what a kill may cost."""

TEXTS_LOOKED_UP = 64 * BATCH_TEXTS
"""Texts that are asked for at once: finding them takes longer the more chunks there are."""

OnVectors = Callable[[VectorCounts], None]
"""Called with how far the vectors are, before the first batch and after each."""


def embed_pending(
    container: Container,
    *,
    on_progress: OnVectors = lambda _: None,
    cancel: CancelToken | None = None,
) -> int:
    """Make the vectors that are missing and return how many texts got one.

    Raises:
        FeatureMissing, ConfigError, ModelError: what makes them cannot be used; those that are made
            stay.
        StoreError: they cannot be stored.
        Cancelled: a stop was asked for.
    """
    embedder = container.embedder
    if embedder is None:
        return 0
    cancel = cancel or CancelToken()
    version = embedder.identity.vector_version
    store = container.store
    counts = store.vector_counts(version)
    if counts.embedded == counts.chunks:  # an ingest of nothing new must cost nothing
        return 0
    made = 0
    while pending := store.pending_texts(version, limit=TEXTS_LOOKED_UP):
        if not made:
            on_progress(store.vector_counts(version))
        for start in range(0, len(pending), BATCH_TEXTS):
            cancel.raise_if_cancelled()
            batch = pending[start : start + BATCH_TEXTS]
            vectors = embedder.embed_passages([each.text for each in batch])
            digests = [each.text_digest for each in batch]
            store.put_vectors(version, dict(zip(digests, vectors, strict=True)))
            made += len(vectors)
            on_progress(store.vector_counts(version))
    store.rebuild_vector_file(only_if_behind=True)
    return made

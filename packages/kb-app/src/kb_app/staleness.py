"""What makes a stored document out of date, in words."""

from __future__ import annotations

from kb_app.container import Container
from kb_core.ports.store import DocumentVersions, StoredDocument

_REASONS = {
    "parser_version": "parser changed",
    "transcript_version": "speech model, engine or language setting changed",
    "chunker_version": "chunk module changed",
    "policy_hash": "chunk policy changed",
}


def stale_reasons(stored: DocumentVersions, current: DocumentVersions | None) -> tuple[str, ...]:
    """Return why a document would be done again; empty when it is up to date.

    A document that nothing installed can read any more is not stale: there is no way to redo it.
    """
    if current is None:
        return ()
    return tuple(
        reason
        for field, reason in _REASONS.items()
        if getattr(stored, field) != getattr(current, field)
    )


class StalenessCheck:
    """Compares stored documents with the present settings; asks each media type once."""

    def __init__(self, container: Container) -> None:
        self._container = container
        self._current: dict[str, DocumentVersions | None] = {}

    def current_versions(self, media_type: str) -> DocumentVersions | None:
        """Return what a document of that kind would be made with now."""
        if media_type not in self._current:
            self._current[media_type] = self._container.current_versions(media_type)
        return self._current[media_type]

    def reasons(self, document: StoredDocument) -> tuple[str, ...]:
        """Return why this document would be done again.

        Raises:
            KbError: what it would be made with now is not known, such as a missing model.
        """
        return stale_reasons(document.versions, self.current_versions(document.media_type))

"""What makes a stored document out of date, in words."""

from __future__ import annotations

from collections.abc import Sequence

from kb_app.container import Container
from kb_core import DocumentChoices, ModuleVersion
from kb_core.ports.store import DocumentVersions, StoredDocument

_REASONS = {
    "parser_version": "parser changed",
    "transcript_version": "speech model, engine, languages or speakers changed",
    "keeps_suspects": "whether suspects are kept changed",
}
_MODULE_REASONS = {
    "chunker_version": "chunk module changed",
    "policy_hash": "chunk policy changed",
    "model_id": "language model changed",
}
_OTHER_MODULES = "other chunk modules are chosen"

_CHOICES_CHANGED = "choices for it changed"


def stale_reasons(stored: DocumentVersions, current: DocumentVersions | None) -> tuple[str, ...]:
    """Return why a document would be done again; empty when it is up to date.

    A document that nothing installed can read any more is not stale: there is no way to redo it.
    """
    if current is None:
        return ()
    reasons = [
        reason
        for field, reason in _REASONS.items()
        if getattr(stored, field) != getattr(current, field)
    ]
    return (*reasons, *_module_reasons(stored.modules, current.modules))


def _module_reasons(
    stored: Sequence[ModuleVersion], current: Sequence[ModuleVersion]
) -> tuple[str, ...]:
    if [each.module for each in stored] != [each.module for each in current]:
        return (_OTHER_MODULES,)
    pairs = list(zip(stored, current, strict=True))
    return tuple(
        reason
        for field, reason in _MODULE_REASONS.items()
        if any(getattr(one, field) != getattr(other, field) for one, other in pairs)
    )


class StalenessCheck:
    """Compares stored documents with the present settings and the choices made for each."""

    def __init__(self, container: Container) -> None:
        self._container = container
        self._current: dict[tuple[str, DocumentChoices, str | None], DocumentVersions | None] = {}

    def current_versions(
        self, media_type: str, choices: DocumentChoices, companion: str | None = None
    ) -> DocumentVersions | None:
        """Return what a document of that kind would be made with now; asked for once each."""
        key = (media_type, choices, companion)
        if key not in self._current:
            self._current[key] = self._container.current_versions(
                media_type, choices, companion=companion
            )
        return self._current[key]

    def reasons(
        self, document: StoredDocument, choices: DocumentChoices | None = None
    ) -> tuple[str, ...]:
        """Return why this document would be done again with new choices beside its own.

        Choices that change nothing now are a reason too: they hold when the settings change.

        Raises:
            KbError: what it would be made with now is not known, such as a missing model.
        """
        earlier = document.versions.choices
        wanted = (choices or DocumentChoices()).or_else(earlier)
        companion = document.companion.asset_id if document.companion else None
        current = self.current_versions(document.media_type, wanted, companion)
        reasons = stale_reasons(document.versions, current)
        if reasons or current is None or wanted == earlier:
            return reasons
        return (_CHOICES_CHANGED,)

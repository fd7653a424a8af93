"""Port to a language model that answers in a given JSON Schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from pydantic import JsonValue

from kb_core.runtime import CancelToken


class StructuredLanguageModel(Protocol):
    """A model client that returns objects which validate against a schema."""

    @property
    def model_id(self) -> str:
        """Name of the model, as the server knows it."""
        ...

    def complete_json(
        self,
        prompt: str,
        schema: Mapping[str, JsonValue],
        *,
        schema_name: str,
        cancel: CancelToken | None = None,
    ) -> JsonValue:
        """Return an object that validates against `schema`.

        Raises:
            ModelError: no valid answer was to be had.
        """
        ...

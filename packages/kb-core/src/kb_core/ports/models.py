"""Port to a registry of model weights on this machine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal, Protocol

from kb_core.model import Model
from kb_core.runtime import CancelToken

ByteProgress = Callable[[int, int | None], None]
"""Called with bytes done and bytes in total (None while unknown)."""


class ModelInfo(Model):
    """One model that a registry knows.

    Attributes:
        status: `ready` can be used now, `embedded` is unpacked on first use, `available` must be
            pulled first.
        digest_sha256: what the file must have, which is checked whenever it is used; a list does
            not read files. None while there is no file.
    """

    name: str
    engine: str
    status: Literal["ready", "embedded", "available"]
    source: Literal["embedded", "published", "added"]
    path: str | None = None
    byte_len: int | None = None
    digest_sha256: str | None = None


class ModelCheck(Model):
    """Result of verifying one model file."""

    name: str
    ok: bool
    detail: str


class ModelRegistry(Protocol):
    """Weights of one engine: what there is, how to get more."""

    @property
    def engine(self) -> str:
        """Name of the engine that uses these models."""
        ...

    def list_models(self) -> list[ModelInfo]:
        """Return all known models: embedded, added, then published ones, each ordered by name.

        Reads no model file; an added model whose record is damaged is left out.
        """
        ...

    def pull(
        self, name: str, *, progress: ByteProgress, cancel: CancelToken | None = None
    ) -> ModelInfo:
        """Fetch a published model, resuming what an earlier try left.

        One that is here is read, and fetched again only when it is not the published file.

        Raises:
            ModelMissing: no model of that name is published.
            ModelDownloadFailed: network or server; what arrived is kept.
            ModelDigestMismatch: what arrived is not the published file; it is deleted.
        """
        ...

    def add(self, file: Path, *, name: str | None = None) -> ModelInfo:
        """Copy a model file into the registry under `name` (default: from the file's name).

        Raises:
            InputError: the file cannot be read or is no model of this engine.
            ModelError: another model has that name.
        """
        ...

    def verify(self, name: str | None = None) -> list[ModelCheck]:
        """Read model files again and compare their digests; all that are here, or one.

        Among all, a damaged record of an added model is a failed check, too.

        Raises:
            ModelMissing: no model of that name is here.
            ModelError: the file or record of that name cannot be read.
        """
        ...

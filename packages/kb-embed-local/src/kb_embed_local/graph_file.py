"""The graph on this machine: made once, used only when its digest matches."""

from __future__ import annotations

import hashlib
import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from kb_core.errors import ModelError, printable

if TYPE_CHECKING:
    from kb_embed_local.packed_model import PackedModel

GRAPH_VERSION = "e5-small-int8-1"
"""Changes whenever `graph` builds another graph, so that its vectors never mix with older ones."""


def graph_bytes(packed: PackedModel, models_dir: Path) -> bytes:
    """Return the graph, from its file or made anew when that is absent or damaged.

    Two processes that make it at once do the work twice and end with the same file. Where nothing
    can be written, it is made for this process alone.

    Raises:
        ModelError: it has to be made, and the library for that is missing.
    """
    path = models_dir / f"{GRAPH_VERSION}-{packed.digest[:12]}.onnx"
    with suppress(OSError, ValueError):  # absent, or as good as that
        stored = path.read_bytes()
        if digest_of(stored) == path.with_suffix(".sha256").read_text("ascii").strip():
            return stored
    made = _make(packed)
    with suppress(OSError):  # then the next process makes it again, in a second
        _write(path, made)
    return made


def digest_of(data: bytes) -> str:
    """Return SHA-256 in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def _make(packed: PackedModel) -> bytes:
    try:
        from kb_embed_local.graph import build_graph
    except ImportError as error:
        raise ModelError(
            f"the model of meaning cannot be prepared: {printable(str(error))}",
            hint="install the package onnx, or search by words with --mode lexical",
        ) from error
    return bytes(build_graph(packed).SerializeToString())


def _write(path: Path, data: bytes) -> None:
    """Write the graph, then the digest that makes it count."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for target, content in ((path, data), (path.with_suffix(".sha256"), digest_of(data).encode())):
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            Path(name).replace(target)
        finally:
            Path(name).unlink(missing_ok=True)

"""Embedders: texts to vectors of meaning, on this machine or by a server of one's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kb_config import Settings
    from kb_core.ports.embedder import Embedder

__all__ = ["create_e5"]


def create_e5(settings: Settings) -> Embedder:
    """Return multilingual-e5-small, whose weights are installed with this package."""
    from kb_embed_local.e5 import create_e5 as create

    return create(settings)

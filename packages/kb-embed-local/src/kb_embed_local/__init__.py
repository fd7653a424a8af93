"""Embedders: texts to vectors of meaning, on this machine or by a server of one's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kb_config import Settings
    from kb_core.ports.embedder import Embedder

__all__ = ["create_e5", "create_onnx", "create_openai"]


def create_e5(settings: Settings) -> Embedder:
    """Return multilingual-e5-small, whose weights are installed with this package."""
    from kb_embed_local.e5 import create_e5 as create

    return create(settings)


def create_onnx(settings: Settings) -> Embedder:
    """Return the person's own model.

    Raises:
        ConfigError: no folder is named.
    """
    from kb_embed_local.onnx_model import create_onnx as create

    return create(settings)


def create_openai(settings: Settings) -> Embedder:
    """Return a server's model.

    Raises:
        ConfigError: no address or no model is named.
    """
    from kb_embed_local.openai_server import create_openai as create

    return create(settings)

"""Fixtures of kb-app's tests: a knowledge base whose recogniser hears beeps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kb_app.container import Container
from kb_app.setup import init
from kb_config import load_settings
from kb_core.ports.embedder import Embedder
from kb_core.ports.transcriber import Transcriber
from kb_testing.fake_embedder import WordEmbedder
from kb_testing.fake_transcriber import BeepTranscriber
from kb_testing.fake_voice_activity import EnergyDetector

OpenContainer = Callable[..., Container]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """An empty folder for recordings."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def open_container(tmp_path: Path, workspace: Path) -> Iterator[OpenContainer]:
    """Open the knowledge base of `workspace`, with a recogniser and settings of one's choice."""
    data_dir = tmp_path / "data"
    opened: list[Container] = []

    def open_it(
        transcriber: Transcriber | None = None,
        embedder: Embedder | None = None,
        **overrides: Any,
    ) -> Container:
        init(load_settings(data_dir), workspace)
        settings = load_settings(data_dir, overrides.pop("settings", None))
        container = Container(
            settings,
            transcriber=transcriber or BeepTranscriber(),
            detector=EnergyDetector(frame_samples=160),  # 10 ms, as beeps are heard
            embedder=embedder or WordEmbedder(),
        )
        opened.append(container)
        return container

    yield open_it
    for container in opened:
        container.close()

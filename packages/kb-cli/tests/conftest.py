"""Fixtures of kb-cli's tests: a knowledge base that no model had to be loaded for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kb_app.container import Container
from kb_app.ingest import ingest
from kb_app.setup import init
from kb_config import load_settings
from kb_testing.command import KbCommand
from kb_testing.fake_transcriber import BeepTranscriber
from kb_testing.sound import write_beeps

HearAs = Callable[..., KbCommand]


@pytest.fixture
def kb(tmp_path: Path) -> KbCommand:
    """The `kb` command on an empty knowledge base."""
    cwd = tmp_path / "workspace"
    cwd.mkdir()
    return KbCommand(data_dir=tmp_path / "data", models_dir=tmp_path / "models", cwd=cwd)


@pytest.fixture
def hear_as(kb: KbCommand) -> HearAs:
    """Fill the knowledge base with one recording whose only beep is heard as some text."""

    def fill(text: str, name: str = "talk.wav") -> KbCommand:
        write_beeps(kb.cwd / name, 10, [2])
        init(load_settings(kb.data_dir), kb.cwd)
        container = Container(load_settings(kb.data_dir), transcriber=BeepTranscriber(text=text))
        ingest(container, [kb.cwd])
        container.close()
        return kb

    return fill

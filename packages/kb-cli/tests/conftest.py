"""Fixtures of kb-cli's tests: a knowledge base that no model had to be loaded for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kb_app.container import Container
from kb_app.ingest import ingest
from kb_app.setup import init
from kb_cli.main import main
from kb_cli.session import Session
from kb_config import load_settings
from kb_testing.command import CommandResult, KbCommand
from kb_testing.fake_transcriber import BeepTranscriber
from kb_testing.fake_voice_activity import EnergyDetector
from kb_testing.sound import write_beeps

HearAs = Callable[..., KbCommand]
RunHearing = Callable[..., CommandResult]


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
        container = Container(
            load_settings(kb.data_dir),
            transcriber=BeepTranscriber(text=text),
            detector=EnergyDetector(frame_samples=160),
        )
        ingest(container, [kb.cwd])
        container.close()
        return kb

    return fill


@pytest.fixture
def run_hearing(
    kb: KbCommand, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> RunHearing:
    """Run a command in this process, with a recogniser that hears every beep as some text."""
    init(load_settings(kb.data_dir), kb.cwd)
    monkeypatch.chdir(kb.cwd)

    def run(*arguments: str, text: str = "beep") -> CommandResult:
        def opened(session: Session, *, create: bool = False) -> Container:
            return Container(
                session.settings(),
                transcriber=BeepTranscriber(text=text),
                detector=EnergyDetector(frame_samples=160),
            )

        monkeypatch.setattr(Session, "open", opened)
        exit_code = main(["--data-dir", str(kb.data_dir), *arguments])
        return CommandResult(exit_code, *capsys.readouterr())

    return run

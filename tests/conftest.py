"""Fixtures of the tests that cross packages."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb_testing.command import KbCommand

REPOSITORY = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def models_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A models folder of this run, so that the embedded model is unpacked once and by kb itself."""
    return tmp_path_factory.mktemp("models")


@pytest.fixture
def kb(tmp_path: Path, models_dir: Path) -> KbCommand:
    """The `kb` command on an empty knowledge base."""
    cwd = tmp_path / "workspace"
    cwd.mkdir()
    return KbCommand(data_dir=tmp_path / "data", models_dir=models_dir, cwd=cwd)


@pytest.fixture(scope="session")
def audio_fixtures() -> Path:
    """The folder of bundled recordings."""
    return REPOSITORY / "fixtures" / "audio"


@pytest.fixture(scope="session")
def shared_audio() -> Path:
    """The folder of shared recordings; tests that need it skip where it is absent."""
    folder = REPOSITORY.parent / "shared" / "data" / "audio"
    if not folder.is_dir():
        pytest.skip("the shared recordings are not on this machine")
    return folder


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of shared data; tests that need it skip where it is absent."""
    folder = REPOSITORY.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the shared data are not on this machine")
    return folder

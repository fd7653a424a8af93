"""Inspecting, playing, checking, and the parts that may be absent."""

from __future__ import annotations

import sqlite3
import wave
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from kb_app import plugins
from kb_app.container import Container
from kb_app.doctor import diagnose
from kb_app.ingest import ingest
from kb_app.library import inspect_chunk, inspect_document, status
from kb_app.models import use_model
from kb_app.playback import play
from kb_app.search import search
from kb_app.setup import init
from kb_app.wire import WIRE_MODELS
from kb_config import load_settings
from kb_core.errors import CitationSyntaxError, ConfigError, FeatureMissing, NotFound
from kb_testing.sound import write_beeps

OpenContainer = Callable[..., Container]


@pytest.fixture
def container(open_container: OpenContainer, workspace: Path) -> Container:
    write_beeps(workspace / "talk.wav", 10, [2])
    container = open_container()
    ingest(container, [workspace])
    return container


def test_a_document_is_named_by_id_by_its_beginning_by_path_or_by_file(
    container: Container, workspace: Path
) -> None:
    document = inspect_document(container, "talk.wav")
    doc_id = document.summary.doc_id
    for name in (doc_id, doc_id[:8], str(workspace / "talk.wav")):
        assert inspect_document(container, name) == document
    for name in ("nobody", doc_id[:3], "talk"):
        with pytest.raises(NotFound):
            inspect_document(container, name)


def test_a_chunk_cites_its_whole_span(container: Container) -> None:
    (hit,) = search(container, "beep").hits
    chunk = inspect_chunk(container, hit.chunk_id[:10])
    assert chunk.chunk_id == hit.chunk_id
    assert [(each.start_ms, each.end_ms) for each in chunk.citations] == [(2000, 2500)]


@pytest.mark.parametrize("spelling", ["text", "uri", "chunk"])
def test_every_spelling_of_a_hit_can_be_played(
    container: Container, tmp_path: Path, spelling: str
) -> None:
    (hit,) = search(container, "beep").hits
    targets = {"text": hit.citation.text, "uri": hit.citation.uri, "chunk": hit.chunk_id}
    out = tmp_path / "clip.wav"
    report = play(container, targets[spelling], out=out)
    with wave.open(str(out)) as clip:
        loudest = max(memoryview(clip.readframes(clip.getnframes())).cast("h"))
        assert clip.getnframes() == report.duration_ms * 16
    assert loudest > 15_000
    expected_ms = {"text": 1000, "uri": 500, "chunk": 500}
    assert report.duration_ms == expected_ms[spelling]


def test_what_cannot_be_played_says_why(container: Container, workspace: Path) -> None:
    with pytest.raises(CitationSyntaxError):
        play(container, "talk.wav:nonsense", out=None)
    with pytest.raises(NotFound):
        play(container, "other.wav:00:00:01-00:00:02", out=None)
    (workspace / "talk.wav").unlink()
    with pytest.raises(Exception, match=r"talk\.wav: the recording is gone"):
        play(container, "talk.wav:00:00:01-00:00:02", out=None)
    assert status(container).missing == ("talk.wav",)


def test_the_doctor_finds_a_file_that_is_gone(container: Container, workspace: Path) -> None:
    (workspace / "talk.wav").unlink()
    report = diagnose(container)
    assert not report.healthy
    assert any("talk.wav" in finding.message for finding in report.findings if not finding.ok)


def test_a_package_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(plugins._DISTRIBUTIONS, ("kb.chunkers", "absent-v1"), "kb-absent")
    with pytest.raises(FeatureMissing, match="kb-absent is not installed"):
        plugins.make_chunker("absent-v1")
    with pytest.raises(ConfigError, match="no chunkers named 'nobody'"):
        plugins.make_chunker("nobody")


def test_every_wire_object_has_a_version_of_its_own() -> None:
    versions = [model.model_fields["schema_version"].default for model in WIRE_MODELS]
    assert len(set(versions)) == len(versions)


def test_a_word_index_that_lost_its_rows_is_found_and_mended(container: Container) -> None:
    path = container.settings.database_path
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DELETE FROM chunk_fts")
        connection.commit()
    assert search(container, "beep", mode="pairs").hits == ()
    (finding,) = [each for each in diagnose(container).findings if not each.ok]
    assert finding.hint is not None
    assert "kb doctor --mend" in finding.hint
    assert diagnose(container, mend=True).healthy
    assert len(search(container, "beep").hits) == 1


def test_a_model_that_is_not_here_is_named_and_hides_nothing_else(
    container: Container, open_container: OpenContainer
) -> None:
    settings = container.settings.model_copy(
        update={"asr": container.settings.asr.model_copy(update={"model": "nobody"})}
    )
    lost = Container(settings)
    report = status(lost)
    assert report.documents == 1
    assert report.problem is not None
    assert "nobody" in report.problem.message
    assert not diagnose(lost).healthy
    lost.close()


def test_init_after_another_command_still_sets_the_workspace(tmp_path: Path) -> None:
    data_dir = tmp_path / "other"
    use_model(Container(load_settings(data_dir)), "base")
    report = init(load_settings(data_dir), tmp_path)
    assert report.workspace_root == str(tmp_path.resolve())
    assert load_settings(data_dir).workspace.root == tmp_path.resolve()

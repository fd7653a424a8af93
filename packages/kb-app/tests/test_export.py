"""Exporting a document: to text, to a file, and every way in which that is refused."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import pytest

from kb_app import plugins
from kb_app.container import Container
from kb_app.export import export_file, export_text
from kb_app.ingest import ingest
from kb_app.whole_file import write_whole
from kb_core.errors import (
    ConfigError,
    ExportError,
    FeatureMissing,
    InputError,
    NotFound,
)
from kb_testing.documents import make_note, make_recording
from kb_testing.sound import write_beeps

OpenContainer = Callable[..., Container]
FORMATS = ("json", "lrc", "md", "srt", "txt", "vtt", "whisperx")
TURNS = [("지민", "안녕하세요."), ("Kim", "The budget\nis late."), ("지민", "네."), ("Kim", "So?")]
SUBTITLE = "\n".join(
    f"{number}\n00:00:0{number},000 --> 00:00:0{number},900\n[{speaker}]: {text}\n"
    for number, (speaker, text) in enumerate(TURNS, 1)
)


@pytest.fixture
def container(open_container: OpenContainer) -> Container:
    container = open_container()
    rows = [(0, 900, "안녕하세요.", "지민"), (1000, 1900, "The budget", None)]
    container.store.put_document(make_recording("talk.mp3", rows))
    container.store.put_document(make_note("note.md", ["# Plan", "It is late."]))
    return container


def test_every_format_is_installed_and_writes_what_is_stored(container: Container) -> None:
    for name in FORMATS:
        text = export_text(container, "talk.mp3", name)
        assert "안녕하세요." in text
        assert text.endswith("\n")
    assert set(plugins._names("kb.exporters")) == set(FORMATS)
    assert json.loads(export_text(container, "talk.mp3", "json"))["schema_version"] == (
        "transcript.v1"
    )


def test_a_document_is_exported_by_id_or_the_beginning_of_it(container: Container) -> None:
    by_path = export_text(container, "talk.mp3", "srt")
    doc_id = json.loads(export_text(container, "talk.mp3", "json"))["doc_id"]
    for name in (doc_id, doc_id[:8]):
        assert export_text(container, name, "srt") == by_path
    with pytest.raises(NotFound):
        export_text(container, "nobody.mp3", "srt")


def test_the_report_says_what_was_written(container: Container, tmp_path: Path) -> None:
    out = tmp_path / "talk.vtt"
    out.write_text("an older file")
    report = export_file(container, "talk.mp3", "vtt", out)
    content = out.read_bytes()
    assert content.decode() == export_text(container, "talk.mp3", "vtt")
    assert (report.doc_path, report.format) == ("talk.mp3", "vtt")
    assert (report.out_path, report.byte_len) == (str(out), len(content))
    assert [path.name for path in tmp_path.glob(".kb-out*")] == []


def test_what_cannot_be_exported_leaves_the_older_file(
    container: Container, tmp_path: Path
) -> None:
    out = tmp_path / "note.srt"
    out.write_text("an older file")
    with pytest.raises(ExportError, match=r"note\.md: srt"):
        export_file(container, "note.md", "srt", out)
    assert out.read_text() == "an older file"
    export_file(container, "note.md", "md", out)
    assert out.read_text() == "# Plan\n\nIt is late.\n"


def test_an_unknown_format_names_those_that_there_are(
    container: Container, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ConfigError, match="no exporters named 'docx'") as caught:
        export_text(container, "talk.mp3", "docx")
    assert caught.value.hint == f"installed: {', '.join(FORMATS)}"
    monkeypatch.setattr(plugins, "_names", lambda group: ())
    with pytest.raises(FeatureMissing, match="export as srt is not available: kb-parse-subtitle"):
        export_text(container, "talk.mp3", "srt")


@pytest.mark.parametrize("name", ["talk.srt", "symbolic.srt", "hard.srt", "kb.sqlite3"])
def test_no_file_of_the_knowledge_base_is_written_over(
    open_container: OpenContainer, workspace: Path, name: str
) -> None:
    (workspace / "talk.srt").write_text(SUBTITLE)
    container = open_container()
    ingest(container, [workspace])
    (workspace / "symbolic.srt").symlink_to("talk.srt")
    os.link(workspace / "talk.srt", workspace / "hard.srt")
    own = container.settings.database_path
    out = own if name == own.name else workspace / name
    before = out.read_bytes()
    with pytest.raises(InputError, match="it belongs to the knowledge base"):
        export_file(container, "talk.srt", "srt", out)
    assert out.read_bytes() == before


def test_a_subtitle_beside_its_recording_is_not_written_over(
    open_container: OpenContainer, workspace: Path
) -> None:
    write_beeps(workspace / "talk.wav", 5, [1])
    (workspace / "talk.srt").write_text(SUBTITLE)
    container = open_container()
    ingest(container, [workspace])
    assert TURNS[0][1] in export_text(container, "talk.wav", "txt")
    with pytest.raises(InputError, match="it belongs to the knowledge base"):
        export_file(container, "talk.wav", "srt", workspace / "talk.srt")


def test_a_disk_that_fills_leaves_the_older_file_and_nothing_else(tmp_path: Path) -> None:
    def fail(file: BinaryIO) -> None:
        file.write(b"half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    out = tmp_path / "talk.srt"
    out.write_text("an older file")
    with pytest.raises(InputError, match=r"talk\.srt: no space left on device"):
        write_whole(out, fail)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "talk.srt": "an older file"
    }


@pytest.mark.parametrize("out", ["no-folder/talk.srt", ".", "x" * 300 + ".srt"])
def test_a_place_that_cannot_be_written_is_named(
    container: Container, tmp_path: Path, out: str
) -> None:
    with pytest.raises(InputError, match=str(tmp_path)):
        export_file(container, "talk.mp3", "srt", tmp_path / out)


@pytest.mark.parametrize("format_name", FORMATS)
def test_what_was_exported_is_ingested_as_the_same_turns(
    open_container: OpenContainer, workspace: Path, format_name: str
) -> None:
    (workspace / "talk.srt").write_text(SUBTITLE)
    container = open_container()
    ingest(container, [workspace])
    extension = "json" if format_name == "whisperx" else format_name
    export_file(container, "talk.srt", format_name, workspace / f"again.{extension}")
    assert ingest(container, [workspace]).new == 1
    again = json.loads(export_text(container, f"again.{extension}", "json"))
    turns = [(each["speaker"], each["text"]) for each in again["segments"] if each["speaker"]]
    is_on_one_line = format_name in ("lrc", "md", "txt")
    assert turns == [
        (speaker, text.replace("\n", " ") if is_on_one_line else text) for speaker, text in TURNS
    ]

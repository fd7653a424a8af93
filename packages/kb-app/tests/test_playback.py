"""Playing and cutting out a moment, and every way in which that is refused."""

from __future__ import annotations

import os
import wave
from collections.abc import Callable
from pathlib import Path

import pytest

from kb_app.container import Container
from kb_app.ingest import ingest
from kb_app.library import inspect_chunk
from kb_app.playback import play, resolve_target
from kb_core import PassageUnit, TimeSpan
from kb_core.errors import CitationSyntaxError, InputError
from kb_core.query import shared_speaker
from kb_testing.documents import make_recording
from kb_testing.sound import write_beeps

OpenContainer = Callable[..., Container]
MOMENT = "talk.wav:00:00:01-00:00:03"


@pytest.fixture
def container(open_container: OpenContainer, workspace: Path) -> Container:
    write_beeps(workspace / "talk.wav", 10, [2])
    write_beeps(workspace / "other.wav", 5, [1])
    container = open_container()
    ingest(container, [workspace])
    return container


@pytest.mark.parametrize("name", ["talk.wav", "other.wav", "symbolic.wav", "hard.wav"])
def test_no_recording_is_written_over_under_any_name(
    container: Container, workspace: Path, name: str
) -> None:
    (workspace / "symbolic.wav").symlink_to("talk.wav")
    os.link(workspace / "other.wav", workspace / "hard.wav")
    before = {path: path.read_bytes() for path in workspace.iterdir()}
    with pytest.raises(InputError, match=rf"{name}: it belongs to the knowledge base"):
        play(container, MOMENT, out=workspace / name)
    assert {path: path.read_bytes() for path in workspace.iterdir()} == before


def test_the_knowledge_base_itself_is_not_written_over(container: Container) -> None:
    with pytest.raises(InputError, match="it belongs to the knowledge base"):
        play(container, MOMENT, out=container.settings.database_path)


def test_a_file_of_another_kind_is_written_over_whole(container: Container, tmp_path: Path) -> None:
    out = tmp_path / "clip.wav"
    out.write_bytes(b"an older clip" * 100_000)
    play(container, MOMENT, out=out)
    with wave.open(str(out)) as clip:
        assert clip.getnframes() == 2 * 16_000
    assert [path.name for path in tmp_path.glob(".kb-out*")] == []


def test_a_device_is_written_to_and_stays_one(container: Container) -> None:
    play(container, MOMENT, out=Path(os.devnull))
    assert not Path(os.devnull).is_file()


@pytest.mark.parametrize("out", ["no-folder/clip.wav", ".", "x" * 300 + ".wav"])
def test_a_place_that_cannot_be_written_is_one_line(
    container: Container, tmp_path: Path, out: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(InputError) as caught:
        play(container, MOMENT, out=tmp_path / out)
    assert str(tmp_path) in caught.value.message
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("span", ["00:00:10-00:00:12", "00:59:00-00:59:01", "00:00:05-00:00:05"])
def test_a_span_without_sound_is_an_error(container: Container, tmp_path: Path, span: str) -> None:
    with pytest.raises(InputError, match=r"talk\.wav: nothing is heard in that span"):
        play(container, f"talk.wav:{span}", out=tmp_path / "clip.wav")
    assert not (tmp_path / "clip.wav").exists()


def test_a_span_that_runs_backwards_says_so(container: Container) -> None:
    with pytest.raises(CitationSyntaxError, match="ends before it starts"):
        play(container, "talk.wav:00:00:03-00:00:01")


def test_a_recording_that_is_no_folder_any_more_is_gone(
    container: Container, workspace: Path
) -> None:
    (workspace / "talk.wav").unlink()
    with pytest.raises(InputError, match=r"talk\.wav: the recording is gone"):
        play(container, MOMENT)


def test_a_chunk_is_cited_with_its_speaker(open_container: OpenContainer) -> None:
    container = open_container()
    recording = make_recording("talk.mp3", [(0, 900, "yes", "S1"), (1000, 1900, "no", "S1")])
    container.store.put_document(recording)
    (chunk,) = recording.chunks
    citation, _ = resolve_target(container, chunk.chunk_id)
    assert citation.speaker == "S1"
    assert {each.speaker for each in inspect_chunk(container, chunk.chunk_id).citations} == {"S1"}


def test_a_speaker_is_shared_only_when_all_agree() -> None:
    def unit(speaker: str | None) -> PassageUnit:
        span = TimeSpan(start_ms=0, end_ms=1)
        return PassageUnit(unit_id="u", char_start=0, char_end=1, span=span, speaker=speaker)

    assert shared_speaker([unit("S1"), unit("S1")]) == "S1"
    assert shared_speaker([unit("S1"), unit("S2")]) is None
    assert shared_speaker([unit("S1"), unit(None)]) is None
    assert shared_speaker([unit(None)]) is None
    assert shared_speaker([]) is None

"""Reading a file that a test writes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from kb_core import CanonicalDocument, DocumentChoices, Transcript
from kb_core.ports.extractor import ExtractRuntime
from kb_core.transcript_memory import TranscriptMemory
from kb_parse_subtitle import SubtitleExtractor
from kb_testing.documents import file_asset


class Read(NamedTuple):
    """What came of a file."""

    document: CanonicalDocument
    warnings: list[str]

    @property
    def transcript(self) -> Transcript:
        """What was said."""
        assert self.document.audio is not None
        assert self.document.audio.transcript is not None
        return self.document.audio.transcript

    @property
    def duration_ms(self) -> int:
        """The latest end."""
        assert self.document.audio is not None
        return self.document.audio.duration_ms

    @property
    def texts(self) -> list[str]:
        """The texts of the segments."""
        return [segment.text for segment in self.transcript.segments]

    @property
    def cues(self) -> list[tuple[int, int, str]]:
        """Start, end and text of the segments."""
        return [(each.start_ms, each.end_ms, each.text) for each in self.transcript.segments]

    @property
    def turns(self) -> list[tuple[str | None, str]]:
        """Speaker and text of the segments."""
        return [(each.speaker, each.text) for each in self.transcript.segments]

    @property
    def flags(self) -> list[list[str]]:
        """The codes of the flags of the segments."""
        return [[flag.code for flag in each.flags] for each in self.transcript.segments]


ReadFile = Callable[..., Read]


def read_path(path: Path, media_type: str = "subtitle", **choices: object) -> Read:
    """Read a file that exists."""
    asset = file_asset(path, media_type)
    runtime = ExtractRuntime(
        transcripts=TranscriptMemory(), choices=DocumentChoices.model_validate(choices)
    )
    document = SubtitleExtractor().extract(asset, runtime)
    warnings = [f"{each.unit}: {each.message}" for each in runtime.warnings]
    return Read(document, [warning.removeprefix("None: ") for warning in warnings])


@pytest.fixture
def read(tmp_path: Path) -> ReadFile:
    """Return a function that writes a file and reads it: content, name, choices."""

    def read_content(content: str | bytes, name: str = "talk.srt", **choices: object) -> Read:
        data = content.encode() if isinstance(content, str) else content
        path = tmp_path / name
        path.write_bytes(data)
        return read_path(path, **choices)

    return read_content


@pytest.fixture
def read_file() -> Callable[[Path], Read]:
    """Return the function that reads a file that exists."""
    return read_path

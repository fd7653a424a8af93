"""The document that is made of a subtitle file: versions, language, encoding, errors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kb_core import DocumentChoices, RawAsset
from kb_core.errors import ConfigError, InputError, UnreadableFile
from kb_core.ports.extractor import (
    Extractor,
    ExtractorVersions,
    ExtractRuntime,
    TranscriptReader,
)
from kb_core.transcript_memory import TranscriptMemory
from kb_parse_subtitle import SubtitleExtractor

Read = Callable[..., Any]

KOREAN = (
    "1\n00:00:01,000 --> 00:00:02,000\n오늘은 펲시와 똠양꿍 얘기를 하겠습니다.\n\n"
    "2\n00:00:02,000 --> 00:00:03,000\n회의를 시작할게요. 네, 좋습니다.\n"
)
CHINESE = "1\n00:00:01,000 --> 00:00:02,000\n我们今天开始讨论供应商的合同。\n"


def test_it_is_an_extractor_and_a_reader_of_transcripts() -> None:
    extractor = SubtitleExtractor()
    assert isinstance(extractor, Extractor)
    assert isinstance(extractor, TranscriptReader)
    kinds = ("subtitle", "transcript-json", "transcript-text")
    assert all(map(extractor.accepts, kinds))
    assert not extractor.accepts("markdown")
    versions = extractor.versions(DocumentChoices())
    assert versions == ExtractorVersions(parser_version="subtitle-v1")


def test_the_transcript_version_depends_on_the_bytes_and_the_encoding(read: Read) -> None:
    extractor = SubtitleExtractor()
    versions = [
        extractor.transcript_version(asset_id, DocumentChoices(encoding=encoding))
        for asset_id in ("a" * 32, "b" * 32)
        for encoding in (None, "cp949")
    ]
    assert len(set(versions)) == 4
    found = read(KOREAN)
    assert found.transcript.transcript_version == extractor.transcript_version(
        found.document.source_asset_id, DocumentChoices()
    )


@pytest.mark.parametrize(
    ("content", "encoding", "recorded"),
    [
        (KOREAN, "cp949", "cp949"),
        (KOREAN, "utf-16", "utf-16-le"),
        (KOREAN, "utf-8-sig", "utf-8"),
        (CHINESE, "gb18030", "gb18030"),
    ],
)
def test_the_encoding_is_told_and_recorded(
    read: Read, content: str, encoding: str, recorded: str
) -> None:
    found = read(content.encode(encoding))
    assert found.texts == read(content).texts
    assert found.document.metadata.encoding == recorded
    detail = found.document.provenance[0].detail
    assert detail.get("encoding") == (None if recorded == "utf-8" else recorded)


def test_the_chosen_encoding_is_taken(read: Read) -> None:
    data = KOREAN.encode("cp949")
    assert read(data, encoding="cp949").texts == read(KOREAN).texts
    assert read(data, encoding="latin-1").texts != read(KOREAN).texts
    with pytest.raises(InputError):
        read(data, encoding="utf-8")
    with pytest.raises(ConfigError):
        read(data, encoding="klingon")


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("talk.ko.srt", "ko"),
        ("talk.zh-CN.vtt", "zh"),
        ("talk.mp4.jpn.srt", "ja"),
        ("talk.de.sdh.srt", "de"),
        ("talk.hi.srt", "hi"),
        ("talk.fr.hi.srt", "fr"),
        ("talk.part.srt", "en"),
        ("talk.srt", "en"),
    ],
)
def test_the_name_says_the_language_and_else_the_text(read: Read, name: str, language: str) -> None:
    text = "Good morning everybody, today we would like to talk about the weather in spring."
    found = read(f"1\n00:00:01,000 --> 00:00:02,000\n{text}\n", name)
    assert (found.document.lang, found.transcript.language) == (language, language)
    assert found.document.title == name.rsplit(".", 1)[0]


def test_a_file_that_cannot_be_opened_is_a_named_error(read: Read, tmp_path: Path) -> None:
    found = read(KOREAN)
    (tmp_path / "talk.srt").unlink()
    with pytest.raises(UnreadableFile, match=r"talk\.srt"):
        _extract_again(found, tmp_path / "talk.srt")


def _extract_again(found: Any, path: Path) -> None:
    asset = RawAsset(
        asset_id=found.document.source_asset_id,
        source_path=str(path),
        workspace_path=path.name,
        media_type="subtitle",
        byte_len=1,
        checksum="0" * 64,
        discovered_at="2026-01-01T00:00:00Z",
    )
    SubtitleExtractor().read_transcript(asset, ExtractRuntime(transcripts=TranscriptMemory()))


def test_two_runs_give_the_same_bytes(read: Read) -> None:
    assert read(KOREAN).document.model_dump_json() == read(KOREAN).document.model_dump_json()

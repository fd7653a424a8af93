"""The extractor of notes does what every extractor must."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb_parse_md import MarkdownExtractor
from kb_testing.extractor_conformance import EXTRACTOR_CHECKS, ExtractorCheck, Sample

SAMPLES = [
    Sample(
        "note.md",
        "markdown",
        "---\ntitle: 계획\n---\n# Plan\n\nwords\n\n- a\n- b\n\n```\ncode\n```\n".encode(),
    ),
    Sample("note.txt", "text", "어제 회의에서 논의했다\n\n둘째 문단\n".encode("cp949")),
]


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
@pytest.mark.parametrize("check", EXTRACTOR_CHECKS, ids=lambda check: check.__name__)
def test_the_extractor_conforms(check: ExtractorCheck, sample: Sample, tmp_path: Path) -> None:
    check(MarkdownExtractor(), sample, tmp_path)

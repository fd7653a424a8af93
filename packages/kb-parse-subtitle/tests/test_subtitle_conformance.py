"""The extractor of subtitles and transcripts does what every extractor must."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb_parse_subtitle import SubtitleExtractor
from kb_testing.extractor_conformance import EXTRACTOR_CHECKS, ExtractorCheck, Sample

SAMPLES = [
    Sample(
        "talk.srt",
        "subtitle",
        (
            "1\n00:00:01,000 --> 00:00:02,000\n안녕하세요\n\n"
            "2\n00:00:02,500 --> 00:00:04,000\nbye\n"
        ).encode("cp949"),
    ),
    Sample("talk.vtt", "subtitle", b"WEBVTT\n\n00:01.000 --> 00:02.000\n<v Kim>1 &lt; 2\n"),
    Sample("turns.txt", "transcript-text", b"ANN: hi\nBOB: yo\nANN: bye\nBOB: so long\n"),
    Sample(
        "talk.json",
        "transcript-json",
        b'{"segments": [{"start": 1.0, "end": 2.5, "text": "hello", "speaker": "A"}]}',
    ),
]


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
@pytest.mark.parametrize("check", EXTRACTOR_CHECKS, ids=lambda check: check.__name__)
def test_the_extractor_conforms(check: ExtractorCheck, sample: Sample, tmp_path: Path) -> None:
    check(SubtitleExtractor(), sample, tmp_path)

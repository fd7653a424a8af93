"""Written transcripts are told from notes by what they hold."""

from __future__ import annotations

import pytest

from kb_source_fs.written import is_written_transcript

PLAIN = "MATT: Welcome back.\nSAM: Are we in sync?\nMATT: Hopefully.\nSAM: Good.\n"
BOLD = (
    "**Jerod Santo:** Why do they resonate?\n\nBecause they do.\n\nReally.\n\n"
    "**Adam:** \\[07:41\\] I see.\n\n**Jerod Santo:** Yes.\n\n**Adam:** Fine.\n\n"
)
TIMED = "[00:00:01] Kim: one\n[00:00:05] Lee: two\n[00:00:09] Kim: three\n[00:01:00] Lee: four\n"
KOREAN = "김민수: 안녕하세요\n이지은: 네, 시작하죠\n김민수: 예산부터요\n이지은: 좋습니다\n"


@pytest.mark.parametrize("text", [PLAIN, BOLD, TIMED, KOREAN])
def test_turns_by_names_are_a_transcript(text: str) -> None:
    assert is_written_transcript(text)


@pytest.mark.parametrize(
    "text",
    [
        "Note: one\n\nWarning: two\n\nTip: three\n\nSee also: four\n",
        "---\ntitle: a\ntags: b\n---\nMATT: x\nSAM: y\nMATT: z\nSAM: w\n",
        "From: a@b.c\nTo: d@e.f\nSubject: hello\nDate: today\n\nHello there.\n",
        "flour: 200 g\nsugar: 100 g\neggs: 3\nmilk: 1 l\n",
        "# Plan\n\nTODO: write\n\nTODO: test\n\nTODO: ship\n\nsome words\n",
        "**Bold** words\n\n**More** words\n\nand text\n\nand text\n",
        "MATT: only one person\nMATT: talks\nMATT: here\n",
        "https://a.example\nhttps://b.example\nhttps://a.example\n",
        "",
    ],
)
def test_notes_are_none(text: str) -> None:
    assert not is_written_transcript(text)

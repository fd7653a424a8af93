"""Where a Korean word goes on over a line break."""

from __future__ import annotations

from kb_parse_pdf.korean_breaks import KoreanBreaks
from kb_parse_pdf.paragraphs import paragraph_text
from kb_parse_pdf.rows import Row


def row(text: str, *, spaced: bool = False, line: int = 0, full: bool = True) -> Row:
    return Row(
        text=text,
        spaced=spaced,
        x0=72,
        y0=100 + 14 * line,
        x1=500 if full else 300,
        y1=110 + 14 * line,
        size=10,
        baseline=110 + 14 * line,
    )


def test_a_space_character_at_the_end_of_lines_decides_where_a_document_has_them():
    breaks = KoreanBreaks()
    ends = [("데이터 ", "백업을"), ("업그레", "이드를")] * 4
    for before, after in ends:
        breaks.learn([row(before.strip(), spaced=before.endswith(" ")), row(after, line=1)])
    assert breaks.goes_on(row("새로운 업그레"), row("이드를"))
    assert not breaks.goes_on(row("중요한 데이터", spaced=True), row("백업을"))


def test_without_such_spaces_the_other_lines_are_evidence():
    breaks = KoreanBreaks()
    for _ in range(3):
        breaks.learn(
            [row("먼저 업그레이드를 하고 데이터 백업을 합니다. 다음 업그레이드는 데이터 백업 뒤")]
        )
    assert breaks.goes_on(row("새로운 업그레"), row("이드를 합니다"))
    assert not breaks.goes_on(row("중요한 데이터"), row("백업을 합니다"))


def test_without_evidence_a_break_is_between_words():
    assert not KoreanBreaks().goes_on(row("하늘"), row("나무"))


def test_a_particle_goes_on_after_a_latin_word():
    breaks = KoreanBreaks()
    for _ in range(3):
        breaks.learn(
            [row("UEFI는 BIOS는 새 방식이고 DOS는 옛 방식이며 GPT는 PC 시스템의 새 형식입니다")]
        )
    assert breaks.goes_on(row("여기서 UEFI"), row("는 새 방식"))
    assert not breaks.goes_on(row("여기서 PC"), row("시스템의"))


def test_only_a_full_line_is_broken_inside_a_word():
    rows = [row("업그레", full=False), row("이드", line=1), row("끝", line=2)]
    assert paragraph_text(rows, lambda *_: True) == "업그레\n이드끝"

"""Which blocks a note has, and on which lines of the file they stand."""

from __future__ import annotations

import unicodedata

import pytest

from kb_core.errors import ConfigError, InputError


def test_a_fence_of_five_is_not_closed_by_three(shape) -> None:
    assert shape("`````\n```\n# no heading\n```\n`````\n") == [
        ("code", 2, 4, "```\n# no heading\n```")
    ]


def test_code_knows_its_language_and_not_its_other_words(read) -> None:
    fenced, plain, indented = read("```js {2} title\na\n```\n\n```\nb\n```\n\n    c\n").blocks
    assert (fenced.language, plain.language, indented.language) == ("js", None, None)
    assert indented.text == "    c"


def test_an_underlined_line_is_a_heading(read) -> None:
    document = read("Real\n---\n\nTwo\nlines\n===\nafter\n")
    assert [(b.kind, b.source_span.start, b.source_span.end, b.text) for b in document.blocks] == [
        ("heading", 1, 1, "Real"),
        ("heading", 4, 5, "Two\nlines"),
        ("paragraph", 7, 7, "after"),
    ]
    assert [b.level for b in document.blocks[:2]] == [2, 1]
    assert document.blocks[2].heading_path == ("Two lines",)


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("## Real ##", "Real"),
        ("#\tReal", "Real"),
        ("   # C#", "C#"),
        ("# a # b", "a # b"),
        ("# #tag", "#tag"),
        ("# 배포 {#deploy}", "배포"),
        ("# 배포 {/*deploy*/}", "배포"),
        ("# {#deploy}", "{#deploy}"),
        ("# a {b}", "a {b}"),
        ("# *a* `b`", "*a* `b`"),
    ],
)
def test_a_heading_is_its_text_without_marks_and_anchor(shape, line: str, text: str) -> None:
    assert shape(line) == [("heading", 1, 1, text)]


@pytest.mark.parametrize("line", ["#no", "####### seven", "\\# no", "    # code", "- # in a list"])
def test_what_only_looks_like_a_heading_is_none(shape, line: str) -> None:
    assert [kind for kind, *_ in shape(line)] != ["heading"]


def test_headings_lead_to_what_follows_them(read) -> None:
    document = read("top\n# A\n### C\nc\n## B\nb\n# D\nd\n")
    assert [(b.text, b.heading_path) for b in document.blocks] == [
        ("top", ()),
        ("A", ()),
        ("C", ("A",)),
        ("c", ("A", "C")),
        ("B", ("A",)),
        ("b", ("A", "B")),
        ("D", ()),
        ("d", ("D",)),
    ]


def test_every_kind_of_block_stands_as_in_the_file(shape) -> None:
    text = (
        "para *one*\ntwo\n\n- a\n  - b\n\n      deep\n- c\n\n1. x\n\n> q\nlazy\n> > r\n\n"
        "| h | i |\n|---|---|\n| j | k |\n\n![a chart](c.png)\n\n<div>\nhtml\n</div>\n\n"
        "[ref]: https://example.org\n***\nend"
    )
    assert shape(text) == [
        ("paragraph", 1, 2, "para *one*\ntwo"),
        ("list", 4, 8, "- a\n  - b\n\n      deep\n- c"),
        ("list", 10, 10, "1. x"),
        ("quote", 12, 14, "> q\nlazy\n> > r"),
        ("table", 16, 18, "| h | i |\n|---|---|\n| j | k |"),
        ("image_ref", 20, 20, "a chart"),
        ("paragraph", 22, 24, "<div>\nhtml\n</div>"),
        ("paragraph", 26, 26, "[ref]: https://example.org"),
        ("paragraph", 28, 28, "end"),
    ]


@pytest.mark.parametrize(
    "line",
    ['![a](b "c") and (d)', '![a](b "title")', "![a](b) c", "![](b)", "[![a](b)](c)"],
)
def test_a_picture_with_other_words_is_a_paragraph(shape, line: str) -> None:
    assert shape(line) == [("paragraph", 1, 1, line)]


def test_comments_are_no_text_and_what_stands_beside_them_is(shape) -> None:
    assert shape("<!-- a -->\n\n<!-- b\n# c\n-->\n\nd") == [("paragraph", 7, 7, "d")]
    both = "<!-- a --> words <!-- b -->"
    assert shape(both) == [("paragraph", 1, 1, both)]
    assert shape("<!-- never closed\n\nwords") == [
        ("paragraph", 1, 3, "<!-- never closed\n\nwords")
    ]


def test_a_deep_list_does_not_swallow_the_rest(shape) -> None:
    deep = "".join("  " * depth + f"- {depth}\n" for depth in range(20))
    assert [kind for kind, *_ in shape(f"{deep}\n# After\n")] == ["list", "heading"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_are_those_of_editors(shape, end: str) -> None:
    text = f"a\x0bb\x0cc\x1cd\x85e\u2028f{end}{end}# G{end}- h{end}"
    assert shape(text) == [
        ("paragraph", 1, 1, "a\x0bb\x0cc\x1cd\x85e\u2028f"),
        ("heading", 3, 3, "G"),
        ("list", 4, 4, "- h"),
    ]


def test_line_ends_of_all_kinds_in_one_file_count_once_each(shape) -> None:
    assert [first for _, first, _, _ in shape("a\n\r\n\rb\r\rc\r\n\r\nd")] == [1, 4, 6, 8]


def test_a_form_feed_alone_is_a_blank_line(shape) -> None:
    assert shape("\f\n![a chart](c.png)\n\f\n") == [("image_ref", 2, 2, "a chart")]
    assert shape("\f\nReal\n---\n") == [("heading", 2, 2, "Real")]


def test_nul_is_gone_before_lines_are_looked_at(shape) -> None:
    assert shape("a\0b\n\0# C\n") == [("paragraph", 1, 1, "ab"), ("heading", 2, 2, "C")]


def test_text_is_composed(read) -> None:
    decomposed = unicodedata.normalize("NFD", "# 배포\n\nが 오류\n")
    document = read(decomposed)
    assert document.title == "배포"
    assert document.blocks[1].text == "が 오류"


@pytest.mark.parametrize("content", ["", "\n", " \r\n\t\f\n", "\ufeff", "---\n---\n", "***\n"])
def test_a_file_without_words_is_a_document_without_blocks(read, content: str) -> None:
    document = read(content, name="빈 노트.md")
    assert (document.blocks, document.title, document.lang) == ((), "빈 노트", None)


def test_plain_text_has_paragraphs_only(shape) -> None:
    text = "# no heading\n- no list\n\n---\ntitle: no\n---\n \t\n    no code\n"
    assert shape(text, name="a.txt", media_type="text") == [
        ("paragraph", 1, 2, "# no heading\n- no list"),
        ("paragraph", 4, 6, "---\ntitle: no\n---"),
        ("paragraph", 8, 8, "    no code"),
    ]


@pytest.mark.parametrize(
    ("content", "title"),
    [
        ("## no\n\n# First\n\n# Second", "First"),
        ("# **Bold** [link](x) `code` &amp; ~~gone~~\\*", "Bold link code & gone*"),
        ("# a_b *c", "a_b *c"),
        ("# ![](x)", "note"),
        ("text only", "note"),
        ("Two\nlines\n===", "Two lines"),
    ],
)
def test_the_title_is_the_words_of_the_first_top_heading(read, content: str, title: str) -> None:
    assert read(content).title == title


def test_an_encoding_is_told_or_taken_as_said(read) -> None:
    data = "# 배포 일정\n\n어제 회의에서 배포오류를 논의했다\n".encode("cp949")
    document = read(data)
    assert (document.title, document.metadata.encoding, document.lang) == (
        "배포 일정",
        "cp949",
        "ko",
    )
    assert read(data, encoding="euc-kr").metadata.encoding == "euc_kr"
    with pytest.raises(InputError, match="byte 2"):
        read(data, encoding="utf-8")
    with pytest.raises(ConfigError):
        read(data, encoding="no-such")


def test_damaged_bytes_are_warned_of(read) -> None:
    document = read("배포 일정을 말씀드리겠습니다.".encode() + b"\xff")
    assert document.metadata.warnings == ("1 bytes in it are no text",)
    assert document.blocks[0].text.endswith("\ufffd")


def test_what_a_document_holds_does_not_depend_on_where_it_lies(read) -> None:
    one, other = read("# A\n\nb"), read("# A\n\nb", name="other.md")
    assert one.doc_version == other.doc_version
    assert one.doc_id != other.doc_id
    assert read("# A\n\nc").doc_version != one.doc_version

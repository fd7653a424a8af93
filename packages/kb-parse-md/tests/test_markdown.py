"""A note comes in as the lines that it is made of."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb_core import AudioRefBlock, CanonicalDocument, DocumentChoices, LineSpan
from kb_core.errors import InputError
from kb_core.ports.extractor import ExtractRuntime
from kb_core.transcript_memory import TranscriptMemory
from kb_parse_md import MarkdownExtractor
from kb_parse_md.lines import lines_of
from kb_parse_md.outline import outline
from kb_testing.documents import file_asset, make_asset

SHARED = Path(__file__).resolve().parents[4] / "shared" / "data" / "docs" / "md"


def extracted(
    folder: Path, content: str | bytes, *, name: str = "note.md", media_type: str = "markdown"
) -> tuple[CanonicalDocument, ExtractRuntime]:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    runtime = ExtractRuntime(transcripts=TranscriptMemory(), choices=DocumentChoices())
    return MarkdownExtractor().extract(file_asset(path, media_type), runtime), runtime


def rows(document: CanonicalDocument) -> list[tuple[str, int, int, str]]:
    found = []
    for block in document.blocks:
        assert not isinstance(block, AudioRefBlock)
        assert isinstance(block.source_span, LineSpan)
        found.append((block.kind, block.source_span.start, block.source_span.end, block.text))
    return found


def test_a_note_is_cut_into_its_blocks(tmp_path: Path) -> None:
    text = (
        "# Plan {#plan}\n\nSome *words*\nof two lines.\n\n## 배포 ##\n\n- a\n  - b\n\n"
        "> said\n> so\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```py\ncode()\n```\n\n"
        "![a chart](chart.png)\n\n[ref]: https://a.b\n"
    )
    document, _ = extracted(tmp_path, text)
    assert rows(document) == [
        ("heading", 1, 1, "Plan"),
        ("paragraph", 3, 4, "Some *words*\nof two lines."),
        ("heading", 6, 6, "배포"),
        ("list", 8, 9, "- a\n  - b"),
        ("quote", 11, 12, "> said\n> so"),
        ("table", 14, 16, "| a | b |\n|---|---|\n| 1 | 2 |"),
        ("code", 19, 19, "code()"),
        ("image_ref", 22, 22, "a chart"),
        ("paragraph", 24, 24, "[ref]: https://a.b"),
    ]
    assert [block.heading_path for block in document.blocks[:4]] == [
        (), ("Plan",), ("Plan",), ("Plan", "배포"),
    ]  # fmt: skip
    assert document.title == "Plan"
    assert document.metadata.line_count == 24


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("```\n# a\n`````\n# b\n", [("code", 2, 2, "# a"), ("heading", 4, 4, "b")]),
        ("  ```\n  # a\n  ```\n# b", [("code", 2, 2, "  # a"), ("heading", 4, 4, "b")]),
        ("x\n\n```\n# a\n\n# b", [("paragraph", 1, 1, "x"), ("code", 4, 6, "# a\n\n# b")]),
        ("Real\n---\ntext", [("heading", 1, 1, "Real"), ("paragraph", 3, 3, "text")]),
        ("a\r\nb\r\r\n# c", [("paragraph", 1, 2, "a\nb"), ("heading", 4, 4, "c")]),
        ("a\x0cb\u2028c\n# d", [("paragraph", 1, 1, "a\x0cb\u2028c"), ("heading", 2, 2, "d")]),
        ("<!-- a\nb -->\n\nc", [("paragraph", 4, 4, "c")]),
        ("\n\n", []),
        ("", []),
    ],
)
def test_lines_and_fences_are_counted_as_editors_count(
    tmp_path: Path, text: str, expected: list[tuple[str, int, int, str]]
) -> None:
    assert rows(extracted(tmp_path, text)[0]) == expected


def test_front_matter_is_metadata_and_no_text(tmp_path: Path) -> None:
    text = (
        "---\ntitle: 계획\nlang: en-GB\ntags: [work, 2026]\naliases: one, two\ndate: 2026-04-27\n"
        "owner:\n  name: Kim\n  since: 2020-01-01\n1: x\n---\nReal\n---\nbody\n"
    )
    document, _ = extracted(tmp_path, text)
    assert rows(document) == [("heading", 12, 12, "Real"), ("paragraph", 14, 14, "body")]
    metadata = document.metadata
    assert (document.title, document.lang, metadata.tags) == ("계획", "en", ("work", "2026"))
    assert (metadata.aliases, metadata.created) == (("one", "two"), "2026-04-27")
    assert metadata.user == {"owner": {"name": "Kim", "since": "2020-01-01"}, "1": "x"}


@pytest.mark.parametrize(
    "front",
    [
        "a: [",
        "- a\n- b",
        "a: &a [x, x]\nb: &b [*a, *a]\n" + "c: [" + "*b, " * 9000 + "]",
        "[" * 3000,
    ],
)
def test_front_matter_that_is_none_is_warned_of(tmp_path: Path, front: str) -> None:
    document, runtime = extracted(tmp_path, f"---\n{front}\n---\n\nbody\n")
    assert [row[3] for row in rows(document)] == ["body"]
    assert [warning.code for warning in runtime.warnings] == ["bad_front_matter"]


def test_a_nul_is_gone_before_anything_is_counted(tmp_path: Path) -> None:
    document, _ = extracted(tmp_path, "a\0b\n\nc\n")
    assert rows(document) == [("paragraph", 1, 1, "ab"), ("paragraph", 3, 3, "c")]


def test_plain_text_has_paragraphs_only(tmp_path: Path) -> None:
    document, _ = extracted(
        tmp_path, "# no heading\n\n    no code\nx\n", name="a.txt", media_type="text"
    )
    assert rows(document) == [
        ("paragraph", 1, 1, "# no heading"),
        ("paragraph", 3, 4, "    no code\nx"),
    ]
    assert document.title == "a"


def test_old_encodings_are_read_and_recorded(tmp_path: Path) -> None:
    document, _ = extracted(tmp_path, "# 배포\n\n어제 회의에서 논의했다\n".encode("cp949"))
    assert (document.title, document.lang, document.metadata.encoding) == ("배포", "ko", "cp949")


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"note\.md"):
        extracted(tmp_path, bytes(range(256)) * 9)


def test_a_file_that_is_gone_is_named(tmp_path: Path) -> None:
    asset = make_asset("gone.md", "x", media_type="markdown")
    missing = asset.model_copy(update={"source_path": str(tmp_path / "gone.md")})
    with pytest.raises(InputError, match=r"gone\.md"):
        MarkdownExtractor().extract(missing, ExtractRuntime(transcripts=TranscriptMemory()))


_LINES = st.sampled_from(
    [
        "", "# h", "text", "- item", "  - deeper", "> quote", "```", "~~~~ py", "    code",
        "| a | b |", "|---|---|", "---", "===", "***", "<div>", "</div>", "[a]: b", "![x](y)",
        "<!-- c", "-->", "\t", "1. x", "`````", "가나다", "a  ", "\\", "&amp;",
    ]
)  # fmt: skip


def nothing_is_lost(lines: list[str]) -> None:
    """Every line that says something is in one block, and stands there as it is in the file."""
    stretches = list(outline(lines))
    previous_end = 0
    for stretch in stretches:
        assert previous_end <= stretch.first < stretch.end <= len(lines)
        previous_end = stretch.end
        if stretch.kind not in ("heading", "front_matter", "image"):
            assert stretch.text == "\n".join(lines[stretch.first : stretch.end])
    covered = {place for each in stretches for place in range(each.first, each.end)}
    for place, line in enumerate(lines):
        if place not in covered and line.strip().strip("#=-*_`~<>! \t\\|c"):
            assert is_markup(lines, place), (place, line)


def is_markup(lines: list[str], place: int) -> bool:
    """Return whether a line is the opening of a fence, or inside of front matter or a comment."""
    text = "\n".join(lines)
    line = lines[place].strip()
    return line.startswith(("~~~", "```")) or "<!--" in text or text.startswith("---")


@given(st.lists(_LINES, max_size=14))
def test_no_line_is_lost_in_any_order_of_marks(lines: list[str]) -> None:
    nothing_is_lost(lines)


@pytest.mark.long
@settings(max_examples=20_000, deadline=None)
@given(st.lists(st.one_of(_LINES, st.text(max_size=8)), max_size=30))
def test_no_line_is_lost_in_many_more(texts: list[str]) -> None:
    nothing_is_lost(lines_of("\n".join(texts)))


@settings(deadline=None, max_examples=60)
@given(data=st.binary(max_size=400))
def test_any_bytes_are_a_note_or_refused_and_twice_the_same(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / f"{os.getpid()}-any.md"
    path.write_bytes(data)
    asset = file_asset(path, "markdown")
    results = []
    for _ in range(2):
        runtime = ExtractRuntime(transcripts=TranscriptMemory())
        try:
            results.append(MarkdownExtractor().extract(asset, runtime).model_dump_json())
        except InputError as error:
            results.append(str(error))
    assert results[0] == results[1]


@pytest.mark.parametrize(
    "text",
    [
        ">" * 10_000,
        "`" * 100_000,
        "- " * 5_000,
        "x" * 1_000_000,
        "[" * 50_000,
        "|" * 20_000 + "\n" + "|-" * 10_000,
        "\n".join(" " * depth + "- a" for depth in range(1_000)),
        "* a\n" * 20_000,
    ],
    ids=lambda text: repr(text[:4]),
)
def test_hostile_notes_end(text: str) -> None:
    nothing_is_lost(lines_of(text))


def test_the_shared_notes_are_read(tmp_path: Path) -> None:
    if not SHARED.is_dir():
        pytest.skip("the shared notes are not on this machine")
    for path in sorted(SHARED.glob("*.md")):
        content = path.read_bytes()
        document, runtime = extracted(tmp_path, content)
        assert (document.lang, runtime.warnings) == ("ko", ())
        lines = content.decode().split("\n")
        for kind, start, end, text in rows(document):
            if kind not in ("heading", "image_ref"):
                assert text == "\n".join(lines[start - 1 : end])

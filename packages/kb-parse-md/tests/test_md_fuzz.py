"""Whatever a note looks like: no crash, no word lost, the same document twice, and soon."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kb_core import CanonicalDocument
from kb_core.errors import InputError

NOTES = Path(__file__).resolve().parents[4] / "shared" / "data" / "docs" / "md"

LINES_WITH_A_WORD = (
    "{}", "# {}", "## {} ##", "###### {} {{#id}}", "#{}", "- {}", "  - {}", "* [ ] {}", "12. {}",
    "> {}", ">> {}", "> - {}", "> # {}", "    {}", "\t{}", "| {} | b |", "{} | c", "[{}]: /url",
    "[{}]:", "![{}](a.png)", '![a](b "{}")', "<b>{}</b>", "<div>{}", "</div> {}", "<?{}",
    "{}  ", "{}\\", "- # {}", "- ```{}", "\f{}", "\u2028{}", "\u00a0{}", "\0{}", "{}\0", "*{}*",
    "`{}", "{} <!-- x -->", "<!-- x --> {}", "<pre> {}", "&{};", "1) {}", "+ {}", "e\u0301{}",
)  # fmt: skip
LINES_WITHOUT = (
    "", "", " ", "\t", "\f", "---", "===", "***", "-", "```", "~~~", "`````", "   ```", "``` js",
    "> ```", ">", "- ", "|---|---|", "| a | b |", "#", "<!-- x -->", "<!-- x\n# x\n-->", "</div>",
    "</pre>", "...", "?>",
)  # fmt: skip
LINE_ENDS = ("\n", "\r\n", "\r")

notes = st.lists(
    st.tuples(st.sampled_from((*LINES_WITH_A_WORD, *LINES_WITHOUT)), st.sampled_from(LINE_ENDS)),
    max_size=25,
)
mixed = st.text(st.sampled_from("#>-*`~|=<!&[](){}:_\\ \t\n\r\f\0ab1.가\u0301\u2028"), max_size=80)
few = settings(
    deadline=None,
    max_examples=150,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
many = settings(few, max_examples=5_000)


def written(note: list[tuple[str, str]]) -> str:
    return "".join(
        line.format(f"w{number}w") + end if "{" in line else line + end
        for number, (line, end) in enumerate(note)
    )


def check_that_no_word_is_lost(read, note: list[tuple[str, str]]) -> None:
    """Each word is in one block, at its own line; words outside `{}` may be marks."""
    text = written(note)
    if text.startswith("---"):
        text = f"\n{text}"  # front matter is no body
    document = read(text)
    of_file = text.replace("\0", "").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    found = [
        (block.source_span.start + offset, line)
        for block in document.blocks
        for offset, line in enumerate(block.text.split("\n"))
    ]
    for number, (line, _) in enumerate(note):
        word = f"w{number}w"
        if "{}" in line and "<!--" not in text.split(word)[0].rpartition("-->")[2]:
            places = [place for place, own in found if word in own]
            assert places == [1 + next(i for i, own in enumerate(of_file) if word in own)], word


@few
@given(notes)
def test_no_word_is_lost(read, note: list[tuple[str, str]]) -> None:
    check_that_no_word_is_lost(read, note)


@pytest.mark.long
@many
@given(notes)
def test_no_word_is_lost_in_many_notes(read, note: list[tuple[str, str]]) -> None:
    check_that_no_word_is_lost(read, note)


def outcome(read, content: str | bytes, media_type: str) -> CanonicalDocument | str:
    try:
        return read(content, media_type=media_type)
    except InputError as error:
        return str(error)


@few
@given(st.one_of(mixed, st.binary(max_size=60)), st.sampled_from(["markdown", "text"]))
def test_anything_is_a_note_or_refused_and_twice_the_same(read, content, media_type: str) -> None:
    assert outcome(read, content, media_type) == outcome(read, content, media_type)


@pytest.mark.long
@many
@given(st.one_of(mixed, st.text(), st.binary()), st.sampled_from(["markdown", "text"]))
def test_many_things_are_notes_or_refused(read, content, media_type: str) -> None:
    assert outcome(read, content, media_type) == outcome(read, content, media_type)


@pytest.mark.long
@pytest.mark.skipif(not NOTES.is_dir(), reason="the shared notes are not on this machine")
def test_damaged_notes_keep_their_lines(read) -> None:
    text = max(NOTES.glob("*.md"), key=lambda path: path.stat().st_size).read_text()
    chance = random.Random(7)  # noqa: S311
    for _ in range(300):
        begin = chance.randrange(len(text))
        piece = chance.choice(["```", "\n", "> ", "<!--", "---\n", "\r", "\0", "| a", "$", "{#"])
        read(text[begin : begin + 3_000] + piece + text[: chance.randrange(3_000)])


@pytest.mark.parametrize(
    "text",
    [
        "# a" + " " * 100_000 + "b",
        "# a" + " " * 100_000 + "{b",
        "# " + "{/*" * 30_000,
        "# " + "*" * 50_000 + "a",
        "# " + "[" * 280,
        "# a" + " #" * 50_000 + "b",
        "![a](" + " '" * 20_000,
        "![" + "a" * 100_000,
        "[a\n" * 10_000,
        "".join(f"[a{number}]: /b\n" for number in range(10_000)),
        "> " * 10_000 + "a",
        "<!--" * 20_000,
        "<a " + "b " * 30_000,
        "> a\n" + "a\n" * 10_000,
        "```\n" * 9_999,
        ("> " * 60 + "a\n") * 200,
        ("- " * 30 + "a\n") * 300,
    ],
    ids=lambda text: repr(text[:8]),
)
def test_hostile_lines_end(read, text: str) -> None:
    read(text)

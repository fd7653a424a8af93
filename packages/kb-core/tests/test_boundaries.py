"""Where sentences, clauses, words and graphemes end."""

from __future__ import annotations

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from kb_core import nfc
from kb_core.boundaries import pieces, sentence_spans


def sentences(text: str) -> list[str]:
    return [text[span.char_start : span.char_end] for span in sentence_spans(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("「早い。」彼は笑った。", ["「早い。」", "彼は笑った。"]),
        ("값은 3.14입니다. 끝.", ["값은 3.14입니다.", "끝."]),
        ("Dr. Kim left. He won.", ["Dr. Kim left.", "He won."]),
        ('He said "Stop." Then ran.', ['He said "Stop."', "Then ran."]),
        ("我们开会。下午讨论！好吗？", ["我们开会。", "下午讨论！", "好吗？"]),
        ("See a.md and https://a.b/c.d now. Done.", ["See a.md and https://a.b/c.d now.", "Done."]),
        ("Really?! Yes... maybe.", ["Really?!", "Yes... maybe."]),
        ("one\n\ntwo\nthree", ["one", "two\nthree"]),
        ("일정은 2026. 4. 27. 입니다. 끝.", ["일정은 2026. 4. 27. 입니다.", "끝."]),
        ("", []),
        ("no end", ["no end"]),
    ],
)
def test_sentences_end_where_a_reader_says(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@given(st.text(max_size=120).map(nfc), st.integers(1, 40))
def test_pieces_are_all_of_the_text_and_cut_no_grapheme(text: str, max_bytes: int) -> None:
    found = list(pieces(text, max_bytes))
    assert "".join(text[start:end] for start, end in found) == text
    edges = {match.end() for match in regex.finditer(r"\X", text)}
    for start, end in found:
        piece = text[start:end]
        assert end in edges
        if len(piece.encode(errors="surrogatepass")) > max_bytes:
            assert len(regex.findall(r"\X", piece)) == 1


def test_the_coarsest_boundary_that_fits_is_taken() -> None:
    text = "One two, three. Four five six."
    cut = [text[start:end] for start, end in pieces(text, 20)]
    assert cut == ["One two, three. ", "Four five six."]
    assert [text[start:end] for start, end in pieces(text, 10)][:2] == ["One two, ", "three. "]


def test_a_long_word_ends() -> None:
    assert all(end > start for start, end in pieces("x" * 5000, 10))
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    assert len(list(pieces(family * 300, 3))) == 300

"""What the stored text of a page is."""

from __future__ import annotations

import unicodedata

import pymupdf
import pytest

from kb_parse_pdf.characters import clean

LEFT = [
    "The left column tells of a summer by the",
    "sea, of boats and of the people who mend",
    "their nets in the evening while the light",
    "lasts, and it goes on for some more lines",
    "so that nobody takes it for a small table.",
]
RIGHT = [
    "The right column tells of winter, of snow",
    "on the harbour wall, and of letters which",
    "never came, though they were waited for a",
    "long time, and it goes on for some lines",
    "so that nobody takes it for a small table.",
]


def texts(document):
    return [block.text for block in document.blocks]


def test_ligatures_and_hyphens_stay_in_the_stored_text(read, paper, means):
    pdf = means(
        paper(
            [(72, 100, "The oXce has an exam-"), (72, 114, "ple of a price-"), (72, 128, "list")]
        ),
        {"X": "\ufb03"},
    )
    document, _ = read(pdf)
    assert texts(document) == ["The o\ufb03ce has an exam-\nple of a price-\nlist"]


def test_control_codes_go_before_offsets_are_counted(read, paper):
    pdf = paper([(72, 100, "before after")])
    drawn = b"BT /helv 11 Tf 72 742 Td (be\\000fore\\001\\012 \\000after) Tj 0 -60 Td (next) Tj ET"
    pdf.update_stream(pdf[0].get_contents()[0], drawn)
    document, runtime = read(pdf)
    assert texts(document) == ["before after", "next"]
    assert document.blocks[1].source_span.char_start == len("before after") + 2
    assert runtime.warnings == ()


def test_invisible_characters_go():
    assert clean("be\x00fore\x1b\x7f \u200baf\ufeffter") == "before after"


def test_a_soft_hyphen_is_a_hyphen_at_the_end_of_a_line_only(read, paper, means):
    pdf = means(paper([(72, 100, "in~side the exam~"), (72, 114, "ple")]), {"~": "\u00ad"})
    document, _ = read(pdf)
    assert texts(document) == ["inside the exam-\nple"]


def test_text_is_normalised_before_offsets_are_counted(read, paper, means):
    pdf = means(paper([(72, 100, "X and more"), (72, 180, "next")]), {"X": "e\u0301"})
    document, _ = read(pdf)
    assert texts(document) == ["\u00e9 and more", "next"]
    assert all(unicodedata.is_normalized("NFC", text) for text in texts(document))
    assert document.blocks[1].source_span.char_start == len("\u00e9 and more") + 2


def two_columns(order):
    lines = [(72, 160 + 14 * i, line) for i, line in enumerate(LEFT)]
    others = [(312, 160 + 14 * i, line) for i, line in enumerate(RIGHT)]
    body = {
        "left first": lines + others,
        "right first": others + lines,
        "line by line": [item for pair in zip(lines, others, strict=True) for item in pair],
    }[order]
    title = (100, 100, "A title that runs over both of the columns of this page, as titles do")
    return [*body, title]


@pytest.mark.parametrize("order", ["left first", "right first", "line by line"])
def test_the_left_column_is_read_before_the_right_one(read, paper, order):
    document, _ = read(paper(two_columns(order)))
    assert texts(document) == [
        "A title that runs over both of the columns of this page, as titles do",
        "\n".join(LEFT),
        "\n".join(RIGHT),
    ]


def test_what_runs_across_divides_the_columns(read, paper):
    upper = two_columns("left first")
    caption = (72, 260, "Figure 1: a caption that is as wide as the page, both columns of it, here")
    lower = [(x, y + 140, text.replace("tells", "speaks")) for x, y, text in upper[:-1]]
    document, _ = read(paper([*upper, caption, *lower]))
    starts = [text.split(" of ")[0][:22] for text in texts(document)]
    assert starts == [
        "A title that runs over",
        "The left column tells",
        "The right column tells",
        "Figure 1: a caption th",
        "The left column speaks",
        "The right column speak",
    ]


def test_a_turned_page_reads_like_an_upright_one(read, paper):
    upright, _ = read(paper(two_columns("line by line")))
    for degrees in (90, 180, 270):
        pdf = paper(two_columns("line by line"))
        pdf[0].set_rotation(degrees)
        turned, _ = read(pdf)
        assert texts(turned) == texts(upright)


def test_text_drawn_sideways_is_read_in_its_own_direction(read):
    for degrees in (90, 180, 270):
        pdf = pymupdf.open()
        page = pdf.new_page()
        upright = pymupdf.open()
        drawn = upright.new_page()
        for item in two_columns("left first"):
            drawn.insert_text(item[:2], item[2], fontsize=11)
        page.show_pdf_page(page.rect, upright, 0, rotate=degrees)
        document, _ = read(pdf)
        assert texts(document)[1:] == ["\n".join(LEFT), "\n".join(RIGHT)]


def test_rows_of_a_table_stay_together(read, paper):
    rows = [("Name", "Amount", "Due"), ("Rent", "1,200", "1 May"), ("Power", "90", "15 May")]
    cells = [
        (72 + 150 * column, 100 + 20 * row, cell)
        for column in range(3)
        for row, cell in ((r, rows[r][column]) for r in range(3))
    ]
    document, _ = read(paper(cells))
    assert "\n".join(texts(document)).replace("\n\n", "\n").split("\n") == [
        "Name\tAmount\tDue",
        "Rent\t1,200\t1 May",
        "Power\t90\t15 May",
    ]


def test_a_table_between_columns_is_read_by_rows(read, paper):
    upper = two_columns("left first")[:-1]
    cells = [
        (72 + 110 * column, 236 + 14 * row, f"cell {row}.{column}")
        for row in range(4)
        for column in range(5)
    ]
    lower = [(x, y + 140, text.replace("tells", "speaks")) for x, y, text in upper]
    document, _ = read(paper([*upper, *cells, *lower]))
    found = "\n".join(texts(document))
    for row in range(4):
        assert "\t".join(f"cell {row}.{column}" for column in range(5)) in found
    places = [
        found.index(text)
        for text in (
            "The left column tells",
            "The right column tells",
            "cell 0.0",
            "left column speaks",
        )
    ]
    assert places == sorted(places)


def test_paragraphs_are_told_by_distance_indent_and_item_marks(read, paper):
    document, _ = read(
        paper(
            [
                (72, 100, "A first paragraph of running text that is as wide as the column is,"),
                (72, 114, "and that goes on over a second line, where it then comes to an end of"),
                (72, 128, "its own, which is so far to the right that only an indent tells of it."),
                (94, 142, "The second one begins with an indent and is as wide as the other one,"),
                (72, 156, "with a second line"),
                (72, 178, "The third one stands apart"),
                (82, 210, "1. an item"),
                (82, 224, "2. another item that needs more room than there is in a single line of"),
                (94, 238, "the column"),
            ]
        )
    )
    assert [text.split("\n")[0][:12] for text in texts(document)] == [
        "A first para",
        "The second o",
        "The third on",
        "1. an item",
        "2. another i",
    ]


def test_a_gap_after_a_korean_letter_is_a_space(read, paper):
    words = [(72, "회의에서"), (72 + 4 * 11 + 3, "배포"), (72 + 6 * 11 + 6, "일정을")]
    document, _ = read(paper([(x, 100, word, "korea") for x, word in words]))
    assert texts(document) == ["회의에서 배포 일정을"]


def test_letters_spread_over_a_line_are_no_words_of_their_own(read, paper):
    document, _ = read(
        paper([(72 + 14 * i, 100, letter, "korea") for i, letter in enumerate("데이터베이스")])
    )
    assert texts(document) == ["데이터베이스"]


def test_chinese_goes_on_over_a_full_line_and_not_over_a_short_one(read, paper):
    full = "我们讨论了供应商合同的内容以及下一个季度的预算安排"
    document, _ = read(
        paper(
            [(72, 100, full, "china-s"), (72, 114, full, "china-s"), (72, 128, "结束", "china-s")]
        )
    )
    assert texts(document) == [full + full + "结束"]
    document, _ = read(
        paper(
            [(72, 100, "姓名", "china-s"), (72, 114, "地址", "china-s"), (72, 128, full, "china-s")]
        )
    )
    assert texts(document) == [f"姓名\n地址\n{full}"]


def test_two_runs_give_equal_documents(read, paper):
    first, _ = read(paper(two_columns("line by line")))
    second, _ = read(paper(two_columns("line by line")))
    assert [b.text for b in first.blocks] == [b.text for b in second.blocks]
    data = paper(two_columns("left first")).tobytes()
    assert read(data)[0].model_dump_json() == read(data)[0].model_dump_json()

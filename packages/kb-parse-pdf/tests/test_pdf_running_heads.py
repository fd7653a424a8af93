"""What repeats at the edge of pages is no text of the document; everything else is."""

from __future__ import annotations

BODY = "Page {} tells of something that no other page tells of, in words."
HEAD = (72, 40, "Report of the harbour office")


def page(number, *extra):
    return [(72, 120, BODY.format(number)), (72, 300, f"More of it, part {number}."), *extra]


def words(document):
    return "\n".join(block.text for block in document.blocks)


def test_running_heads_and_page_numbers_are_left_out_and_recorded(read, paper):
    document, _ = read(
        paper(*[page(n, HEAD, (400, 40, f"{n}. part"), (300, 810, str(n))) for n in range(1, 5)])
    )
    assert words(document) == "\n".join(
        f"{BODY.format(n)}\nMore of it, part {n}." for n in range(1, 5)
    )
    assert document.provenance[-1].detail == {
        "count": 12,
        "patterns": ["Report of the harbour office", "#. part", "#"],
    }


def test_what_stands_on_two_pages_only_stays(read, paper):
    document, _ = read(paper(page(1, HEAD), page(2, HEAD)))
    assert words(document).count(HEAD[2]) == 2


def test_heads_of_left_and_right_pages_take_turns(read, paper):
    other = (72, 40, "Second part: of boats and nets")
    document, _ = read(paper(*[page(n, HEAD if n % 2 else other) for n in range(1, 8)]))
    assert HEAD[2] not in words(document)
    assert other[2] not in words(document)


def test_pages_far_apart_make_no_running_head(read, paper):
    document, _ = read(
        paper(*[page(n, *([HEAD] if n in (1, 6, 11) else [])) for n in range(1, 12)])
    )
    assert words(document).count(HEAD[2]) == 3


def test_a_line_right_above_the_text_stays(read, paper):
    boats = ("Heron", "Gannet", "Tern", "Gull")
    pages = [[(72, 40, "Name of the boat"), (72, 52, boat), (72, 300, "its log")] for boat in boats]
    document, _ = read(paper(*pages))
    assert words(document).count("Name of the boat") == 4


def test_pages_without_other_text_keep_theirs(read, paper):
    document, _ = read(paper(*[[(72, 60, "The harbour is closed.")] for _ in range(4)]))
    assert words(document).count("closed") == 4


def test_titles_of_slides_stay(read):
    import pymupdf

    pdf = pymupdf.open()
    for number in range(1, 5):
        slide = pdf.new_page(width=720, height=405)
        slide.insert_text((72, 40), "Budget of the year", fontsize=28)
        for line in range(3):
            slide.insert_text((72, 150 + 40 * line), f"point {number}.{line}", fontsize=16)
    document, _ = read(pdf)
    assert words(document).count("Budget of the year") == 4


def test_a_line_in_the_middle_of_pages_stays(read, paper):
    document, _ = read(paper(*[page(n, (72, 400, "See the annex.")) for n in range(1, 5)]))
    assert words(document).count("See the annex.") == 4

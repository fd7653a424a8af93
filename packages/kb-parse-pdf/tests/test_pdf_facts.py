"""What a PDF says about itself."""

from __future__ import annotations

import pytest

from kb_parse_pdf import create_extractor
from kb_parse_pdf.facts import choose_title, iso_date

LINE = [(72, 100, "The harbour office opens at nine in the morning, and closes in the evening.")]


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("Harbours of the north", "Harbours of the north"),
        ("항구 안내서", "항구 안내서"),
        ("untitled", "stem"),
        ("", "stem"),
        ("Microsoft Word - final2.doc", "stem"),
        ("final2.docx", "stem"),
        ("C:\\papers\\x", "stem"),
        ("12345", "stem"),
        ("PowerPoint Presentation", "stem"),
    ],
)
def test_a_title_that_is_none_gives_way_to_the_name_of_the_file(said, title):
    assert choose_title({"title": said}, "folder/stem.pdf") == title


@pytest.mark.parametrize(
    ("pdf_date", "expected"),
    [
        ("D:20230709132517+09'00'", "2023-07-09T13:25:17+09:00"),
        ("D:20230709132517-00'00'", "2023-07-09T13:25:17Z"),
        ("D:20200521041251Z", "2020-05-21T04:12:51Z"),
        ("20200521", "2020-05-21"),
        ("D:2020", "2020"),
        ("D:20201399", None),
        ("yesterday", None),
        (None, None),
    ],
)
def test_dates_are_as_exact_as_the_pdf_says(pdf_date, expected):
    assert iso_date(pdf_date) == expected


def test_metadata_labels_and_attachments_are_kept(read, paper):
    pdf = paper(LINE, LINE, LINE)
    pdf.set_metadata(
        {
            "title": "Harbours",
            "author": "Kim Minji",
            "creationDate": "D:20230709132517Z",
            "modDate": "D:20230710",
        }
    )
    pdf.set_page_labels(
        [
            {"startpage": 0, "prefix": "", "style": "r", "firstpagenum": 1},
            {"startpage": 2, "prefix": "", "style": "D", "firstpagenum": 1},
        ]
    )
    pdf.embfile_add("tides.csv", b"1,2")
    document, runtime = read(pdf)
    assert document.title == "Harbours"
    assert document.lang == "en"
    assert document.metadata.user == {"author": "Kim Minji"}
    assert document.metadata.created == "2023-07-09T13:25:17Z"
    assert document.metadata.updated == "2023-07-10"
    assert document.metadata.page_labels == ("i", "ii", "1")
    assert [(w.code, "tides.csv" in w.message) for w in runtime.warnings] == [("attachments", True)]


def test_labels_that_count_from_one_are_none(read, paper):
    pdf = paper(LINE, LINE)
    pdf.set_page_labels([{"startpage": 0, "prefix": "", "style": "D", "firstpagenum": 1}])
    document, _ = read(pdf)
    assert document.metadata.page_labels == ()
    assert document.title == "paper"


def test_the_version_names_the_library_that_reads(read, paper):
    import pymupdf

    extractor = create_extractor(None, None)
    document, _ = read(paper(LINE))
    assert extractor.accepts("pdf")
    assert not extractor.accepts("text")
    assert extractor.versions(None).parser_version == document.parser_version
    assert document.parser_version.startswith(f"pdf-v1/{pymupdf.__version__}/")

"""Files that cannot be read, and pages that give nothing."""

from __future__ import annotations

import pymupdf
import pytest

from kb_core import CancelToken
from kb_core.errors import Cancelled, DecodeFailed, EncryptedFile, NoText, UnreadableFile
from kb_core.ports.extractor import ExtractRuntime
from kb_core.transcript_memory import TranscriptMemory

LINE = [(72, 100, "The harbour office opens at nine.")]


def picture_page(pdf):
    page = pdf.new_page()
    pixels = pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 20, 20), False)
    pixels.clear_with(90)
    page.insert_image(page.rect, pixmap=pixels)


def locked(pdf, **passwords):
    return pdf.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, **passwords)


def test_a_password_of_the_user_refuses_the_file(read, paper):
    with pytest.raises(EncryptedFile) as refused:
        read(locked(paper(LINE), owner_pw="o", user_pw="u"), "secret.pdf")
    assert str(refused.value) == "secret.pdf: encrypted; it opens with a password only"


def test_a_password_of_the_owner_alone_is_no_hindrance(read, paper):
    document, runtime = read(locked(paper(LINE), owner_pw="o", permissions=0))
    assert document.blocks[0].text == LINE[0][2]
    assert runtime.warnings == ()


def test_a_page_that_is_a_picture_is_named_and_counted(read, paper):
    pdf = paper(LINE, LINE)
    picture_page(pdf)
    pdf.new_page()
    pdf.insert_pdf(paper([(72, 100, "The last page.")]))
    document, runtime = read(pdf)
    assert [block.source_span.page for block in document.blocks] == [1, 2, 5]
    assert document.metadata.page_count == 5
    assert [(w.code, w.unit) for w in runtime.warnings] == [("page_without_text", "p3")]


def test_pictures_alone_are_a_scan(read):
    pdf = pymupdf.open()
    picture_page(pdf)
    with pytest.raises(NoText, match="scan") as refused:
        read(pdf)
    assert "ocrmypdf" in (refused.value.hint or "")


@pytest.mark.parametrize("meaning", ["\ufffd", "\ue123", "Q"])
def test_a_page_whose_letters_mean_nothing_is_left_out(read, paper, means, meaning):
    letters = dict.fromkeys("abcdefghijklmnopqrstuvwxyz", meaning)
    garbage = [
        (72, 100 + 20 * i, "the harbour office opens at nine in the morning") for i in range(5)
    ]
    pdf = means(paper(garbage), letters)
    pdf.insert_pdf(paper(LINE))
    document, runtime = read(pdf)
    assert [block.text for block in document.blocks] == [LINE[0][2]]
    assert document.blocks[0].source_span.page == 2
    assert [(w.code, w.unit) for w in runtime.warnings] == [("unreadable_text", "p1")]
    with pytest.raises(NoText, match="fonts"):
        read(means(paper(garbage), letters))


def test_some_letters_without_a_meaning_are_warned_of(read, paper, means):
    pdf = means(paper([(72, 100, "The harbour~~~ office opens at nine.")]), {"~": "\ufffd"})
    document, runtime = read(pdf)
    assert "office opens at nine" in document.blocks[0].text
    assert [w.code for w in runtime.warnings] == ["unreadable_text"]


def test_figures_are_no_garbage(read, paper):
    rows = [
        (72, 100 + 20 * i, f"{i * 37 - 300:+d}  1,{i}20.50 %  (3/4)  12-05-2024") for i in range(9)
    ]
    document, _ = read(paper(rows))
    assert "12-05-2024" in document.blocks[0].text


@pytest.mark.parametrize(
    "data", [b"", b"%PDF-1.7\n%%EOF", b"no pdf at all", b"%PDF-1.4\n" + b"\0" * 99]
)
def test_broken_files_are_refused_without_noise(read, data, capfd):
    with pytest.raises(DecodeFailed) as refused:
        read(data, "broken.pdf")
    assert str(refused.value).startswith("broken.pdf: damaged")
    assert refused.value.hint
    assert capfd.readouterr() == ("", "")


def test_a_file_that_is_cut_off_is_read_as_far_as_it_goes(read, paper, capfd):
    data = paper(LINE, LINE, LINE).tobytes()
    document, runtime = read(data[: len(data) - 200])
    assert len(document.blocks) == 3
    assert [w.code for w in runtime.warnings] == ["damaged_file"]
    assert capfd.readouterr() == ("", "")


def test_a_folder_or_a_missing_file_cannot_be_read(read, tmp_path):
    for path in (tmp_path, tmp_path / "absent.pdf"):
        with pytest.raises(UnreadableFile):
            read(path)


def test_a_stop_takes_effect_at_the_next_page(read, paper):
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        read(paper(LINE), runtime=ExtractRuntime(transcripts=TranscriptMemory(), cancel=cancel))

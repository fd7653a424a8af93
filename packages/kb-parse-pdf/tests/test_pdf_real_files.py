"""Real papers, where they are on this machine."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import pytest

from kb_core.errors import DecodeFailed, EncryptedFile, NoText

REFUSED = {
    "encrypted_ko_password_kb-test.pdf": EncryptedFile,
    "pypdf_password_openpassword.pdf": EncryptedFile,
    "pypdf_image_only.pdf": NoText,
    "ocrmypdf_linn_scan.pdf": NoText,
    "ocrmypdf_huck_finn_scan.pdf": NoText,
    "opendataloader_chinese_scan.pdf": NoText,
    "ocrmypdf_font_without_unicode.pdf": NoText,
    "ocrmypdf_invalid.pdf": DecodeFailed,
}


@pytest.fixture
def folder() -> Path:
    folder = Path(__file__).resolve().parents[4] / "shared" / "data" / "docs" / "pdf"
    if not folder.is_dir():
        pytest.skip("the shared data are not on this machine")
    return folder


def squeezed(text: str) -> str:
    text = unicodedata.normalize("NFKC", text)
    text = re.sub(r"(?<=[a-z])-\s+(?=[a-z])", "", text)
    return re.sub(r"[\s\"“”'‘’.…⋯—‐‑-]", "", text)


def test_every_file_is_read_or_refused_for_its_reason(folder, read, capfd):
    for path in sorted(folder.glob("*.pdf")):
        if path.name in REFUSED:
            with pytest.raises(REFUSED[path.name]) as refused:
                read(path, path.name)
            assert refused.value.hint
        else:
            document, _ = read(path, path.name)
            assert document.blocks
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("language", ["ko", "zh_CN", "en"])
def test_paragraphs_of_the_exact_text_are_found_whole(folder, read, language):
    document, _ = read(folder / f"debian_ch3_{language}.pdf")
    assert document.lang == language[:2]
    found = squeezed("\n".join(block.text for block in document.blocks))
    exact = (folder / f"debian_ch3_{language}.txt").read_text(encoding="utf-8")
    paragraphs = [
        squeezed(paragraph)
        for paragraph in exact.split("\n\n")
        if len(paragraph) > 80
        and "─" not in paragraph
        and not re.search(r"절\. |Section|节 ", paragraph)
    ]
    missing = [paragraph for paragraph in paragraphs if paragraph not in found]
    assert len(paragraphs) > 30
    assert len(missing) <= 0.08 * len(paragraphs), missing


def test_korean_words_keep_their_spaces(folder, read):
    document, _ = read(folder / "debian_ch3_ko.pdf")
    text = "\n".join(block.text for block in document.blocks)
    assert "이 장에서는 설치 프로그램을 부팅하기 전에, 데비안 설치 준비 사항에 대해" in text
    assert "업그레이드하려는 경우" in text
    assert "데이터\n백업" in text
    assert document.metadata.page_labels[0] == "14"


def test_columns_of_a_paper_are_read_one_after_the_other(folder, read):
    document, _ = read(folder / "crd3_paper_two_columns.pdf")
    first = [block.text for block in document.blocks if block.source_span.page == 1]
    assert first[0].startswith("Storytelling with Dialogue: A Critical Role Dungeons")
    order = [
        next(i for i, text in enumerate(first) if beginning in text)
        for beginning in (
            "This paper describes",
            "1 Introduction",
            "Sample Dialogue",
            "descriptions of",
        )
    ]
    assert order == sorted(order)
    table = next(b.text for b in document.blocks if "Dialogue Count" in b.text)
    assert "Dialogue Count\t159\t190\t10438\t142\t92465\t219506" in table


def test_an_owner_lock_changes_nothing_of_the_text(folder, read):
    free, _ = read(folder / "debian_ch3_en.pdf")
    locked, _ = read(folder / "owner_locked_en_opens_without_password.pdf")
    assert [b.text for b in locked.blocks] == [b.text for b in free.blocks]


def test_arabic_stays_in_logical_order(folder, read):
    document, _ = read(folder / "pypdf_arabic.pdf")
    assert document.blocks[0].text.startswith("حَبيبي habibi")

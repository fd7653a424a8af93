"""The text of a file is what was written, whatever encoding it was saved in."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_core.errors import ConfigError, InputError
from kb_source_text import decode_text

KOREAN = (
    "어제 회의에서 배포오류를 논의했다",
    "똠방각하 펲시 햏 뷁 아햏햏",  # syllables that CP949 has beyond KS X 1001
    "안녕하세요, 배포 일정을 말씀드리겠습니다.",
    "네",
    "감사합니다",
)
CHINESE = ("关于供应商合同的讨论", "我们今天开会", "谢谢大家", "预算已经确定了。", "你好，世界！")
TRADITIONAL = ("關於供應商合約的討論", "我們今天開會", "謝謝大家，預算已經確定了。")
JAPANESE = ("会議で予算を確認した", "ありがとうございます", "「早い。」彼は笑った。")
GERMAN = ("Über die Brücke gehen wir später", "Der Bär fährt nach München")
CUE = "1\r\n00:00:01,000 --> 00:00:02,000\r\n{}\r\n"


@pytest.mark.parametrize("shape", ["{}", CUE], ids=["bare", "cue"])
@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        *((text, "cp949") for text in KOREAN),
        *((text, "gb18030") for text in CHINESE),
        *((text, "big5") for text in TRADITIONAL),
        *((text, encoding) for text in JAPANESE for encoding in ("cp932", "euc_jp")),
        *((text, "cp1252") for text in GERMAN),
    ],
)
def test_encodings_that_decode_almost_anything_are_told_apart(
    text: str, encoding: str, shape: str
) -> None:
    written = shape.format(text)
    decoded = decode_text(written.encode(encoding), "a.srt")
    assert (decoded.text, decoded.encoding) == (written, encoding)


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (b"", "utf-16-le"),
        (b"", "utf-16-be"),
    ],
)
def test_unicode_is_known_by_its_mark_or_its_zeros(mark: bytes, encoding: str) -> None:
    text = "1\nhello there 배포\n"
    decoded = decode_text(mark + text.encode(encoding), "a.srt")
    assert (decoded.text, decoded.encoding) == (text, encoding)


@given(st.text())
def test_utf_8_is_always_itself(text: str) -> None:
    decoded = decode_text(text.encode(), "a.md")
    assert decoded.text == text.removeprefix("\ufeff") or decoded.encoding.startswith("utf-16")


def test_what_the_person_says_wins() -> None:
    data = "배포".encode("cp949")
    assert decode_text(data, "a.txt", encoding="gb18030").text == data.decode("gb18030")


def test_a_wrong_word_of_the_person_names_the_byte() -> None:
    with pytest.raises(InputError, match=r"a\.txt: byte 2 is not utf-8") as error:
        decode_text("ab배포".encode("cp949"), "a.txt", encoding="utf-8")
    assert error.value.hint


@pytest.mark.parametrize("name", ["no-such", "hex", "a\0b"])
def test_an_encoding_that_is_none_is_a_mistake_of_the_setting(name: str) -> None:
    with pytest.raises(ConfigError):
        decode_text(b"00", "a.txt", encoding=name)


def test_a_stray_byte_in_clear_utf_8_is_counted() -> None:
    data = ("배포 일정을 말씀드리겠습니다. " * 3).encode() + b"\xff end"
    decoded = decode_text(data, "a.md")
    assert (decoded.encoding, decoded.replaced_bytes) == ("utf-8", 1)
    assert decoded.text.endswith("\ufffd end")


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(InputError, match="no text") as error:
        decode_text(bytes(range(256)) * 20, "a.txt")
    assert "--encoding" in (error.value.hint or "")

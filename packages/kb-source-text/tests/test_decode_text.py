"""The text of a file is what was written, whatever encoding it was saved in."""

from __future__ import annotations

import codecs
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_core.errors import ConfigError, InputError
from kb_source_text import decode_text

KOREAN = (
    "어제 회의에서 배포오류를 논의했다",
    "BIOS/UEFI에서 부팅 순서를 바꿉니다",
    "## Step 5: 역 데이터 흐름 추가하기 {/*step-5*/}",
    "│무선 네트워크│  │드라이버│",
    "ㅋㅋㅋ",
    "ㅠㅠ",
    "♪ 음악 ♪",
    "똠방각하 펲시 햏 뷁 아햏햏",  # syllables that CP949 has beyond KS X 1001
    "안녕하세요, 배포 일정을 말씀드리겠습니다.",
    "네",
    "감사합니다",
)
CHINESE = (
    "这个软件包不包括在安装程序里。",
    "《红楼梦》是一部小说",
    "网络设置",
    "GNOME 或 KDE",
    '版支持"。',
    f"├{'─' * 20}┼{'─' * 30}┤",
    "│硬盘│分区│",
    "㐀䶵 是很少用的字",
    "关于供应商合同的讨论",
    "我们今天开会",
    "谢谢大家",
    "预算已经确定了。",
    "你好，世界！",
)
TRADITIONAL = ("關於供應商合約的討論", "我們今天開會", "謝謝大家，預算已經確定了。")
JAPANESE = (
    "テスト",
    "サーバーの設定を変更する。",
    "会議で予算を確認した",
    "ありがとうございます",
    "「早い。」彼は笑った。",
)
WESTERN = (
    "Über die Brücke gehen wir später",
    "Der Bär fährt nach München",
    "Il va à Paris",
    "¿Qué pasa? ¡Nada!",
    "“Don’t do that” — he said…",
    "Øl på fjøs",
    "10 € pro Stück",
)
CUE = "1\r\n00:00:01,000 --> 00:00:02,000\r\n{}\r\n"


@pytest.mark.parametrize("shape", ["{}", CUE], ids=["bare", "cue"])
@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        *((text, "cp949") for text in KOREAN),
        *((text, "gb18030") for text in CHINESE),
        *((text, "big5") for text in TRADITIONAL),
        *((text, encoding) for text in JAPANESE for encoding in ("cp932", "euc_jp")),
        *((text, "cp1252") for text in WESTERN),
    ],
)
def test_encodings_that_decode_almost_anything_are_told_apart(
    text: str, encoding: str, shape: str
) -> None:
    written = shape.format(text)
    decoded = decode_text(written.encode(encoding), "a.srt")
    assert (decoded.text, decoded.encoding) == (written, encoding)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Привет, как дела? Мы сегодня идём в кино.", "cp1251"),
        ("Καλημέρα, πώς είστε; Σήμερα συζητήσαμε το έργο.", "cp1253"),
    ],
)
def test_other_encodings_are_asked_of_a_detector(text: str, encoding: str) -> None:
    decoded = decode_text(text.encode(encoding), "a.txt")
    assert (decoded.text, decoded.encoding) == (text, encoding)


MARKS = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
}


@pytest.mark.parametrize("text", ["hello there\n", "1\r\n배포 가능한 대화\r\n", "我们 今天开会\n"])
@pytest.mark.parametrize("encoding", MARKS)
def test_unicode_is_known_by_its_mark_or_its_zeros(encoding: str, text: str) -> None:
    for mark in (MARKS[encoding], b""):
        decoded = decode_text(mark + text.encode(encoding), "a.srt")
        assert (decoded.text, decoded.encoding) == (text, encoding)


@pytest.mark.parametrize("encoding", ["utf-8", "cp949"])
def test_a_stray_nul_does_not_make_it_utf_16(encoding: str) -> None:
    text = "배포 일정을\0 말씀드리겠습니다. 낡은 것"
    assert decode_text(text.encode(encoding), "a.md").text == text
    pairs = "배포일정회의논의\0"  # each of its pairs of bytes is a Korean syllable of UTF-16, too
    assert decode_text(pairs.encode(encoding), "a.md").text == pairs
    for plain in (b"ab\0cd\0\0", b"11\0\0"):
        assert decode_text(plain, "a.md").encoding == "utf-8"


@pytest.mark.parametrize(
    ("data", "encoding", "replaced_bytes"),
    [
        ("배포 일정을 말씀드리겠습니다. ".encode() + b"\xff\xfe end", "utf-8", 2),
        ("배포 일정을 말씀드리겠습니다".encode()[:-1], "utf-8", 2),
        ("\ufffd 배포 일정을 말씀드립니다".encode() + b"\xff", "utf-8", 1),
        (codecs.BOM_UTF16_LE + "배포 일정을 알립니다".encode("utf-16-le")[:-1], "utf-16-le", 1),
        (("배포 일정을 말씀드리겠습니다 " * 4).encode("cp949") + b"\xb9", "cp949", 1),
    ],
)
def test_a_few_damaged_bytes_are_replaced_and_counted(
    data: bytes, encoding: str, replaced_bytes: int
) -> None:
    decoded = decode_text(data, "a.md")
    assert (decoded.encoding, decoded.replaced_bytes) == (encoding, replaced_bytes)
    assert decoded.text.startswith(("배포 일정을", "\ufffd 배포"))
    assert "\ufffd" in decoded.text


def test_what_stands_behind_much_ascii_is_weighed_too() -> None:
    text = "key = value\n" * 5_000 + "x" * 300_000 + "\n谢谢大家\n"
    assert decode_text(text.encode("gb18030"), "a.txt").text == text


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


@pytest.mark.parametrize("name", ["", "no-such", "hex", "a\0b", "idna", "unicode_escape"])
def test_an_encoding_that_is_none_is_a_mistake_of_the_setting(name: str) -> None:
    with pytest.raises(ConfigError):
        decode_text(b"00", "a.txt", encoding=name)


def test_half_a_character_never_comes_out() -> None:
    with pytest.raises(InputError, match="half of a character"):
        decode_text(b"+2AA-", "a.txt", encoding="utf-7")


@pytest.mark.parametrize(
    "data",
    [bytes(range(256)) * 20, b"\xff\xff\xff \xff\xff", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"],
    ids=["all", "senseless", "picture"],
)
def test_bytes_that_are_no_text_are_refused(data: bytes) -> None:
    with pytest.raises(InputError, match="no text") as error:
        decode_text(data, "a.txt")
    assert "--encoding" in (error.value.hint or "")


@given(st.binary(max_size=200))
def test_any_bytes_are_text_that_can_be_written_or_refused(data: bytes) -> None:
    with suppress(InputError):
        decode_text(data, "a.txt").text.encode()

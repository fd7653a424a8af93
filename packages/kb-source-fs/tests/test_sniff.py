"""What a file holds is told by its content first and by its name second."""

import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_core.errors import UnreadableFile
from kb_source_fs import HEAD_BYTES, sniff, sniff_head

SHARED = Path(__file__).parents[3].parent / "shared" / "data"

MP3_FRAME = b"\xff\xfb\x90\x00" + bytes(413)  # MPEG-1 layer III, 128 kbit/s, 44.1 kHz
MP2_FRAME = b"\xff\xfd\x90\x00" + bytes(518)  # MPEG-1 layer II, 160 kbit/s, 44.1 kHz
MPEG2_FRAME = b"\xff\xf3\x80\xc4" + bytes(204)  # MPEG-2 layer III, 64 kbit/s, 22.05 kHz
LAYER1_FRAME = b"\xff\xff\xc0\x00" + bytes(412)  # MPEG-1 layer I, 384 kbit/s, 44.1 kHz
ADTS_FRAME = b"\xff\xf1\x50\x80\x02\x1f\xfc" + bytes(9)
ID3 = b"ID3\x04\x00\x00\x00\x00\x00\x14" + b"APIC" + bytes(16)


def ftyp(brand: bytes) -> bytes:
    return struct.pack(">I", 20) + b"ftyp" + brand + bytes(4) + b"isom" + bytes(40)


def riff(form: bytes, magic: bytes = b"RIFF") -> bytes:
    return magic + b"\xff\xff\xff\xff" + form + bytes(30)


def ebml(doc_type: bytes) -> bytes:
    return (
        b"\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82" + bytes([0x80 | len(doc_type)]) + doc_type
    )


ASF = bytes.fromhex("3026b2758e66cf11a6d900aa0062ce6c") + bytes(20)
OPUS = b"OggS\x00\x02" + bytes(22) + b"OpusHead"
THEORA = b"OggS\x00\x02" + bytes(22) + b"\x80theora"
TRANSPORT = (b"G\x40\x00\x10" + bytes(184)) * 6
SRT = b"1\n00:00:01,000 --> 00:00:02,000\nhello\n"
ASS = b"[Script Info]\nTitle: x\n"
LRC = b"[ar:someone]\n[00:12.3]la la\n"
TTML = b'<?xml version="1.0"?>\n<!-- a --><tt xmlns="http://www.w3.org/ns/ttml"><body/></tt>'
HTML = b"<!DOCTYPE html>\n<html><body>Sign in</body></html>"


@pytest.mark.parametrize(
    ("head", "name", "media_type"),
    [
        (riff(b"WAVE"), "a.bin", "audio/wav"),
        (riff(b"WAVE", b"RF64"), "a", "audio/wav"),
        (riff(b"AVI "), "a.avi", "video/x-msvideo"),
        (b"fLaC" + bytes(38), "a.mp3", "audio/flac"),
        (ID3 + b"fLaC" + bytes(38), "a.flac", "audio/flac"),
        (OPUS, "a.opus", "audio/ogg"),
        (OPUS, "a.ogv", "video/ogg"),
        (THEORA, "a.ogg", "video/ogg"),
        (MP3_FRAME * 4, "a.dat", "audio/mpeg"),
        (MP2_FRAME * 4, "unnamed", "audio/mpeg"),
        (MPEG2_FRAME * 4, "unnamed", "audio/mpeg"),
        (MP3_FRAME, "one frame", "audio/mpeg"),
        (ID3 + MP3_FRAME * 4, "with a picture.mp4", "audio/mpeg"),
        (ID3, "the tag is longer than the head.mp3", "audio/mpeg"),
        (LAYER1_FRAME * 4, "unnamed", "audio/mpeg"),
        (ADTS_FRAME * 4, "a.mp3", "audio/aac"),
        (ftyp(b"M4A "), "x.mp3", "audio/mp4"),
        (ftyp(b"M4B "), "x", "audio/mp4"),
        (ftyp(b"isom"), "x.mp4", "video/mp4"),
        (ftyp(b"isom"), "x", "video/mp4"),
        (ftyp(b"isom"), "phone.m4a", "audio/mp4"),
        (ftyp(b"mp42"), "phone.mp3", "audio/mp4"),
        (ftyp(b"qt  "), "x.mov", "video/quicktime"),
        (ftyp(b"3gp4"), "x.3gp", "video/3gpp"),
        (b"\x00\x00\x00\x08wide\x00\x01\x00\x00mdat", "old.mov", "video/quicktime"),
        (ebml(b"webm"), "a.webm", "video/webm"),
        (ebml(b"webm"), "a.weba", "audio/webm"),
        (ebml(b"matroska"), "a.mkv", "video/x-matroska"),
        (ebml(b"matroska"), "a.mka", "audio/x-matroska"),
        (b"FORM\x00\x00\x00\x00AIFF", "a.aif", "audio/aiff"),
        (b"FORM\x00\x00\x00\x00AIFC", "a.aif", "audio/aiff"),
        (b"caff\x00\x01\x00\x00", "a.caf", "audio/x-caf"),
        (b"#!AMR\n\x3c", "a.amr", "audio/amr"),
        (b"#!AMR-WB\n\x3c", "a.amr", "audio/amr-wb"),
        (ASF, "a.wma", "audio/x-ms-wma"),
        (ASF, "a.wmv", "video/x-ms-wmv"),
        (b"FLV\x01\x05", "a.flv", "video/x-flv"),
        (TRANSPORT, "a.ts", "video/mp2t"),
        (bytes(4) + (TRANSPORT[:188] + bytes(4)) * 6, "a.m2ts", "video/mp2t"),
        (b"\x00\x00\x01\xba\x44", "a.mpg", "video/mpeg"),
        (b".snd\x00\x00\x00\x18" + bytes(20), "a.au", "audio/basic"),
        (b"wvpk\x00\x00\x00\x00\x10\x04", "a.wv", "audio/x-wavpack"),
        (b"MAC \x96\x0f\x00\x00", "a.ape", "audio/x-ape"),
        (b"DSD \x1c" + bytes(7), "a.dsf", "audio/x-dsf"),
        (b"%PDF-1.7\n", "paper.txt", "pdf"),
        (b"junk\n%PDF-1.7\n", "paper.pdf", "pdf"),
        (b"WEBVTT\n\n00:01.000 --> 00:02.000\nx", "z.srt", "subtitle"),
        (b"\xef\xbb\xbfWEBVTT", "z.vtt", "subtitle"),
        (SRT, "z.txt", "subtitle"),
        (b"\xef\xbb\xbf\r\n" + SRT.replace(b"\n", b"\r\n"), "z", "subtitle"),
        (SRT.replace(b"\n", b"\r"), "z", "subtitle"),
        (SRT[2:], "no index.txt", "subtitle"),
        (SRT.replace(b"hello", "안녕".encode("cp949")), "z.txt", "subtitle"),
        ("\ufeff".encode("utf-16-le") + SRT.decode().encode("utf-16-le"), "z.txt", "subtitle"),
        ("\ufeff".encode("utf-16-be") + SRT.decode().encode("utf-16-be"), "z.txt", "subtitle"),
        (ASS, "z.txt", "subtitle"),
        (LRC, "z.txt", "subtitle"),
        (b"[01:02]la", "z", "subtitle"),
        (TTML, "z.xml", "subtitle"),
        (b'{"segments": [{"start": 0}]}', "w.json", "transcript-json"),
        (b'{"systeminfo": "x", "transcription": [', "w.txt", "transcript-json"),
        (b'{"text": "' + b"a" * HEAD_BYTES, "long.json", "transcript-json"),
        (b'{"name": "x"}', "package.json", "other"),
        (b"# Title\n", "n.md", "markdown"),
        (b"# Title\n", "N.MARKDOWN", "markdown"),
        (b"<html>\n", "n.md", "markdown"),
        (b"[00:12] decided\n", "minutes.md", "markdown"),
        (b'[a](b)\n```\n{"segments": []}\n', "n.md", "markdown"),
        (b"", "n.md", "markdown"),
        (b"plain words", "n.txt", "text"),
        ("어제 회의".encode("cp949"), "n.txt", "text"),
        (b"", "n.txt", "text"),
        (b"0:00:00.599,0:00:04.160\nhi\n", "a.sbv", "subtitle"),
        (b"0:0:4,8 --> 100:00:07.45\nhi\n", "a.srt", "subtitle"),
        (
            b'{"meeting_transcripts": [{"speaker": "A", "content": "x"}]}',
            "m.json",
            "transcript-json",
        ),
        (b'[{"speaker": "A", "text": "x"}]', "m.json", "transcript-json"),
        (b'[{"query": "x", "turn_start": 0}]', "m.json", "other"),
        (HTML, "page.html", "other"),
        (b"\x00\x01\x02", "n.bin", "other"),
        (b"const x: number = 1;\n", "code.ts", "other"),
        (b"", "code.ts", "other"),
        (b"MAC addresses of the lab", "n.txt", "text"),
        ("Göttingen".encode("latin-1"), "umlaut.srt", "subtitle"),
        (b"\x13\x37 garbage \x00\x01", "x.mp3", "audio/mpeg"),
        (b"\x13\x37 garbage \x00\x01", "x.wav", "audio/wav"),
        (b"\x13\x37 garbage \x00\x01", "x.mp4", "video/mp4"),
    ],
)
def test_content_is_routed(head: bytes, name: str, media_type: str) -> None:
    sniffed = sniff_head(head[:HEAD_BYTES], name)
    assert sniffed.media_type == media_type
    assert sniffed.mismatch is None


@pytest.mark.parametrize(
    ("head", "name", "mismatch"),
    [
        (HTML, "y.mp3", "named .mp3 but holds HTML"),
        (b"\n<html lang=ko>", "y.m4a", "named .m4a but holds HTML"),
        (HTML, "y.srt", "named .srt but holds HTML"),
        (HTML, "y.pdf", "named .pdf but holds HTML"),
        (b"Not Found\n", "y.wav", "named .wav but holds text"),
        (b"%!PS words", "y.pdf", "named .pdf but holds text"),
        (b"\x89PNG\r\n\x1a\n", "y.mp4", "named .mp4 but holds a PNG picture"),
        (b"PK\x03\x04", "notes.md", "named .md but holds a ZIP archive"),
        (ftyp(b"heic"), "y.mov", "named .mov but holds a HEIF picture"),
        (
            b"version https://git-lfs.github.com/spec/v1\n",
            "y.wav",
            "named .wav but holds a Git LFS pointer instead of the file itself",
        ),
        (b"", "y.mp3", "empty file"),
        (b"", "y.mkv", "empty file"),
        (b"", "y.srt", "empty file"),
    ],
)
def test_a_name_that_cannot_be_true_is_a_mismatch(head: bytes, name: str, mismatch: str) -> None:
    sniffed = sniff_head(head, name)
    assert sniffed.media_type == "other"
    assert sniffed.mismatch == mismatch


@pytest.mark.parametrize(
    ("head", "name", "hint"),
    [
        (b"", "y.mp3", "was the recording finished and copied whole?"),
        (HTML, "y.mp3", "fetch it again; this is a page, not a recording"),
        (b"Not Found\n", "y.wav", "rename the file to what it is"),
        (b"<?xml version='1.0'?><a/>", "y.mp3", "rename the file to what it is"),
        (b"PK\x03\x04", "notes.md", "rename the file to what it is"),
        (MP3_FRAME * 4, "y.wav", None),
        (b"", "notes.md", None),
        (HTML, "page.html", None),
    ],
)
def test_each_mismatch_has_its_own_way_out(head: bytes, name: str, hint: str | None) -> None:
    assert sniff_head(head, name).hint == hint


@pytest.mark.parametrize(
    "head",
    [
        "\ufeff회의 Wed".encode("utf-16-le"),
        b"\xff\xfb\x90\x00" + b"\xff" * 3000,
        MP3_FRAME[:300] + MP3_FRAME * 3,
        MP3_FRAME + MP2_FRAME + MP3_FRAME,
        b"\xff\xf1\x50\x80\x02\x1f\xfc" + bytes(40),
        b"ID3 is a tag format, said she",
        b"Gothic" * 400,
    ],
)
def test_two_lucky_bytes_are_no_recording(head: bytes) -> None:
    assert sniff_head(head, "unnamed").media_type == "other"


def test_only_the_head_is_read(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_bytes(b"x" * HEAD_BYTES + b"\x00" * 10)
    assert sniff(path).content_says == "text"
    path.write_bytes(b"x" * (HEAD_BYTES - 1) + "한".encode())
    assert sniff(path).content_says == "text", "a character cut by the end of the head is text"


def test_a_file_that_vanished_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match=r"gone\.mp3"):
        sniff(tmp_path / "gone.mp3")


@given(st.binary(max_size=400), st.text(max_size=20))
def test_no_bytes_and_no_name_break_it(head: bytes, name: str) -> None:
    sniff_head(head, name)


@pytest.mark.skipif(not SHARED.exists(), reason="needs the shared test data")
def test_real_files_are_what_they_are_named() -> None:
    families = {
        **dict.fromkeys(("aac", "flac", "m4a", "mp3", "ogg", "wav"), "audio"),
        **dict.fromkeys(("mp4", "webm"), "video"),
        **dict.fromkeys(("srt", "vtt", "ttml"), "subtitle"),
        "pdf": "pdf",
        "md": "markdown",
        "txt": "text",
    }
    written = ("changelog", "crd3")
    wrong = {}
    for path in sorted(SHARED.rglob("*")):
        family = families.get(path.suffix[1:])
        if family is None or "broken" in path.parts or not path.is_file():
            continue
        if path.parent.name in written and family in ("markdown", "text"):
            family = "transcript-text"
        sniffed = sniff(path)
        if sniffed.media_type.partition("/")[0] != family or sniffed.mismatch:
            wrong[str(path.relative_to(SHARED))] = sniffed
    assert not wrong

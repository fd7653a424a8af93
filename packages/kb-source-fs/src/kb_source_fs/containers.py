"""Signatures of recordings, and of other binary files that turn up under a recording's name.

Each was taken from the format's own specification; a frame header of an MPEG stream counts only
when another one follows where it says, because two bytes prove nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from kb_source_fs.content import Content
from kb_source_fs.extensions import is_named_audio
from kb_source_fs.mpeg_frames import adts_stream_at, mpeg_audio_stream_at

_ASF = bytes.fromhex("3026b2758e66cf11a6d900aa0062ce6c")
_WAVE64 = b"riff\x2e\x91\xcf\x11\xa5\xd6\x28\xdb\x04\xc1\x00\x00"
_AUDIO_BRANDS = frozenset({b"M4A ", b"M4B ", b"M4P ", b"F4A ", b"F4B "})
_PICTURE_BRANDS = frozenset(
    {b"heic", b"heix", b"heim", b"heis", b"hevc", b"mif1", b"avif", b"crx "}
)
_BOXES_OF_OLD_QUICKTIME = frozenset({b"moov", b"mdat", b"wide", b"free", b"skip", b"pnot"})

_FOREIGN: tuple[tuple[bytes, str], ...] = (
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x1f\x8b\x08", "a gzip archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF87a", "a GIF picture"),
    (b"GIF89a", "a GIF picture"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"bplist00", "a property list"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office document"),
)
_PLAIN: tuple[tuple[bytes, str, str], ...] = (
    (b"fLaC", "audio/flac", "FLAC"),
    (b"caff\x00\x01", "audio/x-caf", "CAF"),
    (b"#!AMR-WB\n", "audio/amr-wb", "AMR-WB"),
    (b"#!AMR\n", "audio/amr", "AMR"),
    (b"FLV\x01", "video/x-flv", "FLV"),
    (b"\x00\x00\x01\xba", "video/mpeg", "an MPEG program stream"),
    (b"DSD \x1c\x00\x00\x00\x00\x00\x00\x00", "audio/x-dsf", "DSF"),
    (b"TTA1", "audio/x-tta", "TTA"),
    (_WAVE64, "audio/x-w64", "Wave64"),
)


def recording_in(head: bytes, extension: str) -> Content | None:
    """Return what binary kind the bytes are, or None when they have no signature here.

    Args:
        head: the first bytes of the file.
        extension: lower case, without its dot; settles what a container leaves open.
    """
    for signature, says in _FOREIGN:
        if head.startswith(signature):
            return Content(says)
    for signature, media_type, says in _PLAIN:
        if head.startswith(signature):
            return Content(says, media_type)
    for look in _LOOKS:
        if found := look(head, extension):
            return found
    return None


def _iff(head: bytes, extension: str) -> Content | None:
    magic, form = head[:4], head[8:12]
    if magic in (b"RIFF", b"RF64", b"BW64", b"RIFX") and form == b"WAVE":
        return Content("WAV", "audio/wav")
    if magic == b"RIFF" and form == b"AVI ":
        return Content("AVI", "video/x-msvideo")
    if magic == b"RIFF" and form == b"WEBP":
        return Content("a WebP picture")
    if magic == b"FORM" and form in (b"AIFF", b"AIFC"):
        return Content("AIFF", "audio/aiff")
    return None


def _ogg(head: bytes, extension: str) -> Content | None:
    if not head.startswith(b"OggS\x00"):
        return None
    is_video = extension == "ogv" or b"\x80theora" in head[:4096]
    return Content("Ogg", "video/ogg" if is_video else "audio/ogg")


def _mp4(head: bytes, extension: str) -> Content | None:
    box, brand = head[4:8], head[8:12]
    if box == b"ftyp":
        if brand in _PICTURE_BRANDS:
            return Content("a HEIF picture")
        if brand in _AUDIO_BRANDS or is_named_audio(extension):
            return Content("MP4", "audio/mp4")
        if brand == b"qt  ":
            return Content("QuickTime", "video/quicktime")
        return Content("MP4", "video/3gpp" if brand.startswith(b"3g") else "video/mp4")
    if box in _BOXES_OF_OLD_QUICKTIME and (
        head[:4] == b"\x00\x00\x00\x01" or 8 <= int.from_bytes(head[:4]) < 1 << 29
    ):
        is_audio = is_named_audio(extension)
        return Content("QuickTime", "audio/mp4" if is_audio else "video/quicktime")
    return None


def _matroska(head: bytes, extension: str) -> Content | None:
    if not head.startswith(b"\x1a\x45\xdf\xa3"):
        return None
    family = "audio" if is_named_audio(extension) else "video"
    if b"webm" in head[:64]:
        return Content("WebM", f"{family}/webm")
    return Content("Matroska", f"{family}/x-matroska")


def _asf(head: bytes, extension: str) -> Content | None:
    if not head.startswith(_ASF):
        return None
    is_audio = is_named_audio(extension)
    return Content("Windows Media", "audio/x-ms-wma" if is_audio else "video/x-ms-wmv")


def _transport_stream(head: bytes, extension: str) -> Content | None:
    for packet_bytes, first in ((188, 0), (192, 4)):
        sync_bytes = head[first : first + 5 * packet_bytes : packet_bytes]
        if len(sync_bytes) == 5 and set(sync_bytes) == {0x47}:
            return Content("an MPEG transport stream", "video/mp2t")
    return None


def _sun_audio(head: bytes, extension: str) -> Content | None:
    if head.startswith(b".snd") and int.from_bytes(head[4:8]) >= 24:
        return Content("Sun audio", "audio/basic")
    return None


def _wavpack(head: bytes, extension: str) -> Content | None:
    if head.startswith(b"wvpk") and 0x402 <= int.from_bytes(head[8:10], "little") <= 0x410:
        return Content("WavPack", "audio/x-wavpack")
    return None


def _monkeys_audio(head: bytes, extension: str) -> Content | None:
    if head.startswith(b"MAC ") and 3000 <= int.from_bytes(head[4:6], "little") <= 5000:
        return Content("Monkey's Audio", "audio/x-ape")
    return None


def _mpeg_stream(head: bytes, extension: str) -> Content | None:
    start = _id3_byte_len(head)
    if start and head.startswith(b"fLaC", start):
        return Content("FLAC", "audio/flac")
    if adts_stream_at(head, start):
        return Content("AAC", "audio/aac")
    if start or mpeg_audio_stream_at(head, 0):
        return Content("MPEG audio", "audio/mpeg")
    return None


def _id3_byte_len(head: bytes) -> int:
    """Return the length of the ID3v2 tag at the start, 0 when there is none."""
    if len(head) < 10 or not head.startswith(b"ID3"):
        return 0
    version, revision, flags = head[3:6]
    size = head[6:10]
    if version not in (2, 3, 4) or revision == 0xFF or flags & 0x0F or max(size) > 0x7F:
        return 0
    body = size[0] << 21 | size[1] << 14 | size[2] << 7 | size[3]
    return 10 + body + (10 if flags & 0x10 else 0)


_LOOKS: tuple[Callable[[bytes, str], Content | None], ...] = (
    _iff,
    _ogg,
    _mp4,
    _matroska,
    _asf,
    _transport_stream,
    _sun_audio,
    _wavpack,
    _monkeys_audio,
    _mpeg_stream,
)

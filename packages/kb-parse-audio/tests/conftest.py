"""Factories for hostile media, and a cache in memory."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

from kb_core import RawAsset, digest_hex, make_asset_id
from kb_core.ports.transcript_cache import CachedTranscript
from kb_parse_audio.decode import open_recording
from kb_testing.memory_store import MemoryStore

RATE_HZ = 16_000


class MediaFactory:
    """Makes recordings in `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def beeps(
        self, length_s: float, at_s: Sequence[float] = (), rate_hz: int = RATE_HZ, noise: float = 0
    ) -> np.ndarray:
        """Return mono float samples with beeps of 200 ms."""
        count = round(length_s * rate_hz)
        sound = noise * np.random.default_rng(0).standard_normal(count)
        tone = 0.5 * np.sin(2 * np.pi * 1000 * np.arange(rate_hz // 5) / rate_hz)
        for start_s in at_s:
            start = round(start_s * rate_hz)
            piece = sound[start : start + len(tone)]
            piece += tone[: len(piece)]
        return sound

    def encode(
        self,
        name: str,
        sound: np.ndarray | Sequence[tuple[float, np.ndarray]],
        *,
        container: str,
        codec: str,
        rate_hz: int = RATE_HZ,
        layout: str = "mono",
        bit_rate: int | None = None,
        video: bool = False,
        picture: bool = False,
        frame_samples: int = 1152,
        muxer: dict[str, str] | None = None,
    ) -> Path:
        """Encode sound of shape (samples[, channels]), or pieces with their start in seconds."""
        path = self.folder / name
        pieces = [(0.0, sound)] if isinstance(sound, np.ndarray) else sound
        with av.open(str(path), "w", format=container, options=muxer or {}) as output:
            stream = output.add_stream(codec, rate=rate_hz)
            stream.layout = layout
            if bit_rate:
                stream.bit_rate = bit_rate
            if picture:
                self._add_picture(output)
            packets = self._video(output) if video else []
            size = stream.codec_context.frame_size or frame_samples
            for start_s, samples in pieces:
                packets += self._audio(stream, start_s, samples, size, layout)
            packets += stream.encode(None)
            for packet in packets:
                output.mux(packet)
        return path

    def _audio(self, stream, start_s, samples, size, layout) -> list[Any]:
        rate_hz = stream.codec_context.sample_rate
        samples = samples.reshape(len(samples), -1)
        packets = []
        for start in range(0, len(samples), size):
            pcm = np.rint(samples[start : start + size] * 32767).astype(np.int16)
            frame = av.AudioFrame.from_ndarray(pcm.reshape(1, -1), format="s16", layout=layout)
            frame.sample_rate = rate_hz
            resampler = av.AudioResampler(stream.format, stream.layout, rate_hz)
            for position, converted in enumerate(resampler.resample(frame)):
                assert position == 0
                converted.time_base = Fraction(1, rate_hz)
                converted.pts = round(start_s * rate_hz) + start
                packets += stream.encode(converted)
        return packets

    def _video(self, output) -> list[Any]:
        stream = output.add_stream("mpeg4", rate=10)
        stream.width, stream.height, stream.pix_fmt = 32, 32, "yuv420p"
        packets = []
        for place in range(10):
            frame = av.VideoFrame.from_ndarray(np.zeros((32, 32, 3), np.uint8), format="rgb24")
            frame.pts, frame.time_base = place, Fraction(1, 10)
            packets += stream.encode(frame)
        return packets + stream.encode(None)

    def _add_picture(self, output) -> None:
        stream = output.add_stream("mjpeg", rate=1)
        stream.width, stream.height, stream.pix_fmt = 32, 32, "yuvj420p"
        stream.disposition = av.stream.Disposition.attached_pic
        frame = av.VideoFrame.from_ndarray(np.zeros((32, 32, 3), np.uint8), format="rgb24")
        frame.pts = 0
        for packet in stream.encode(frame) + stream.encode(None):
            output.mux(packet)

    def silent_video(self, name: str) -> Path:
        """A video without an audio stream."""
        path = self.folder / name
        with av.open(str(path), "w", format="mp4") as output:
            for packet in self._video(output):
                output.mux(packet)
        return path

    def wav(
        self,
        name: str,
        data: bytes,
        *,
        tag: int = 1,
        bits: int = 16,
        channels: int = 1,
        rate_hz: int = RATE_HZ,
        size: int | None = None,
        extensible: bool = False,
    ) -> Path:
        """Write a wav header by hand; `size` is what it claims for the data."""
        width = channels * bits // 8
        fields = (channels, rate_hz, rate_hz * width, width, bits)
        header = struct.pack("<HHIIHH", 0xFFFE if extensible else tag, *fields)
        if extensible:
            guid = struct.pack("<H", tag) + bytes.fromhex("000000001000800000aa00389b71")
            header += struct.pack("<HHI", 22, bits, 0) + guid
        size = len(data) if size is None else size
        path = self.folder / name
        path.write_bytes(
            b"RIFF"
            + struct.pack("<I", size)
            + b"WAVEfmt "
            + struct.pack("<I", len(header))
            + header
            + b"data"
            + struct.pack("<I", size)
            + data
        )
        return path

    def write(self, name: str, data: bytes) -> Path:
        """Write bytes as they are."""
        path = self.folder / name
        path.write_bytes(data)
        return path


@pytest.fixture
def media(tmp_path: Path) -> MediaFactory:
    return MediaFactory(tmp_path)


@pytest.fixture
def decode() -> Callable[..., tuple[np.ndarray, list[str]]]:
    """Return a function that gives all samples of a file, and the codes of its warnings."""

    def run(path: Path) -> tuple[np.ndarray, list[str]]:
        codes: list[str] = []
        pieces = []
        with open_recording(path, warn=lambda code, message, unit: codes.append(code)) as recording:
            for position, samples in recording.blocks():
                assert position == sum(map(len, pieces))
                assert 0 < len(samples) <= RATE_HZ
                assert samples.dtype == np.float32
                pieces.append(samples)
        return np.concatenate(pieces), codes

    return run


@pytest.fixture
def onsets() -> Callable[[np.ndarray], list[float]]:
    """Return a function that gives the times at which loud sound begins after quiet, in seconds."""

    def find(samples: np.ndarray) -> list[float]:
        loud = np.flatnonzero(np.abs(samples) > 0.1)
        first = np.flatnonzero(np.diff(loud, prepend=-RATE_HZ) > RATE_HZ // 10)
        return [float(loud[place]) / RATE_HZ for place in first]

    return find


class WatchedStore(MemoryStore):
    """The store in memory, and what was put there."""

    def __init__(self) -> None:
        super().__init__()
        self.finished: list[CachedTranscript] = []
        self.kept: list[tuple[int, int]] = []
        self.kept_languages: list[tuple[int, int]] = []

    def put_transcript(self, asset_id, cached):
        super().put_transcript(asset_id, cached)
        self.finished.append(cached)

    def put_window(self, asset_id, recognition_version, samples, window):
        super().put_window(asset_id, recognition_version, samples, window)
        self.kept.append(samples)

    def put_languages(self, asset_id, recognition_version, samples, languages):
        super().put_languages(asset_id, recognition_version, samples, languages)
        self.kept_languages.append(samples)


@pytest.fixture
def cache() -> WatchedStore:
    return WatchedStore()


@pytest.fixture
def make_asset() -> Callable[..., RawAsset]:
    def make(path: Path, workspace_path: str | None = None) -> RawAsset:
        data = path.read_bytes()
        checksum = digest_hex(data)
        return RawAsset(
            asset_id=make_asset_id(checksum),
            source_path=str(path),
            workspace_path=workspace_path or path.name,
            media_type="audio/x",
            byte_len=len(data),
            checksum=checksum,
            discovered_at="2026-01-01T00:00:00Z",
        )

    return make

"""Streaming decoding of any recording to 16 kHz mono on the player's clock.

`open_recording(path)` opens; `blocks()` gives contiguous float32 blocks of at most a second from
time 0 (or another second) to the end. Never more than a second or two of sound is in memory. What
is damaged is skipped and warned of, and what follows keeps its time: see `clock` for gaps,
`lost_time` for streams without timestamps, `downmix` for channels. `channel_blocks()` gives the
same blocks before their channels are mixed.

Starting in the middle gives what a full decode gives there, but for the phase of the resampler
and the rounding of the container's timestamps (under 1 ms in mkv). Containers with times of their
own are sought in. In those without, or whose clock may restart (Ogg, MPEG-TS), packets are read
from the beginning without being decoded: about a second for two hours, and the only way to know.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from types import TracebackType

import av
from av.audio.stream import AudioStream

from kb_core.errors import DecodeFailed, EmptyRecording, UnreadableFile
from kb_core.ports.transcriber import SAMPLE_RATE_HZ
from kb_parse_audio.clock import PlayerClock, TickScale
from kb_parse_audio.container import OpenContainer, open_container
from kb_parse_audio.damage import DamageLog, WarnCallback
from kb_parse_audio.downmix import BLOCK_SAMPLES, BlockCollector, Interleaved, Mono, downmix
from kb_parse_audio.lost_time import LostTime
from kb_parse_audio.resample import RunResampler

PREROLL_SAMPLES = SAMPLE_RATE_HZ
_MAX_READ_FAILURES = 100
_CLOCK_MAY_RESTART = 0x0200  # AVFMT_TS_DISCONT of libavformat


def _ignore(code: str, message: str, unit: str | None) -> None:
    """Warn nobody."""


def open_recording(
    path: str | Path, *, name: str | None = None, warn: WarnCallback = _ignore
) -> Recording:
    """Open a recording; use it as a context manager.

    Args:
        path: where it is.
        name: what errors call it; the path if None.
        warn: told of damage as it is met.

    Raises:
        UnreadableFile, DecodeFailed, NoAudioStream: it cannot be used.
    """
    name = name or str(path)
    return Recording(path, name, open_container(path, name), warn)


class Recording:
    """An open recording, to be read once."""

    def __init__(
        self, path: str | Path, name: str, opened: OpenContainer, warn: WarnCallback
    ) -> None:
        self._path = path
        self._name = name
        self._opened = opened
        self._warn = warn

    def __enter__(self) -> Recording:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._opened.close()

    @property
    def probed_duration_ms(self) -> int | None:
        """Length by the container's word, for progress only; None if it states none."""
        duration_us = self._opened.container.duration
        return duration_us // 1000 if duration_us is not None and duration_us > 0 else None

    def blocks(self, start_sample: int = 0) -> Iterator[tuple[int, Mono]]:
        """Yield (position of the first sample, samples), contiguous to the end.

        Args:
            start_sample: where to begin; rounded down to a whole second.

        Raises:
            EmptyRecording, DecodeFailed, UnreadableFile: as `channel_blocks` does.
        """
        for position, channels in self.channel_blocks(start_sample):
            yield position, downmix(channels)

    def channel_blocks(self, start_sample: int = 0) -> Iterator[tuple[int, Interleaved]]:
        """Yield (position of the first sample, sound), contiguous to the end.

        Sound has the shape (samples, channels), as it was decoded; `downmix` makes of it the block
        that `blocks` gives. The number of channels may change with the file's; silence that the
        file does not hold may have one.

        Args:
            start_sample: where to begin; rounded down to a whole second.

        Raises:
            EmptyRecording: a full decode came to no sample.
            DecodeFailed: likewise, because all of it is damaged.
            UnreadableFile: the file could not be read to its end.
        """
        origin = start_sample // BLOCK_SAMPLES * BLOCK_SAMPLES
        if origin and not self._may_restart:
            sought = self._sought_blocks(origin)
            if sought is not None:
                yield from sought
                return
            self._reopen()
        yield from _Decoding(self._opened, self._name, self._warn, origin=origin).blocks()

    @property
    def _may_restart(self) -> bool:
        format_ = self._opened.container.format
        return LostTime.applies_to(format_.name) or bool(format_.flags & _CLOCK_MAY_RESTART)

    def _sought_blocks(self, origin: int) -> Iterator[tuple[int, Interleaved]] | None:
        """Return blocks from `origin` on after seeking, None if no place before it is found."""
        decoding = _Decoding(self._opened, self._name, self._warn, origin=origin, sought=True)
        return decoding.blocks() if decoding.seek(origin - PREROLL_SAMPLES) else None

    def _reopen(self) -> None:
        self.close()
        self._opened = open_container(self._path, self._name)


class _Decoding:
    """One pass over the packets of a recording."""

    def __init__(
        self,
        opened: OpenContainer,
        name: str,
        warn: WarnCallback,
        *,
        origin: int,
        sought: bool = False,
    ) -> None:
        self._opened = opened
        self._name = name
        self._log = DamageLog(warn)
        self._origin = origin
        self._clock = PlayerClock(from_zero=not sought)
        self._blocks = BlockCollector(origin)
        self._time_base = opened.stream.time_base or Fraction(1, av.time_base)
        format_name = opened.container.format.name
        self._lost_time = (
            LostTime(format_name, opened.file, self._time_base)
            if LostTime.applies_to(format_name)
            else None
        )
        self._lost = 0
        self._strung_by: int | None = None
        self._sample_counts: dict[int, int] = {}
        self._run: RunResampler | None = None
        self._sample_seen = False
        self._packets = self._read_packets()
        self._first: av.Packet[AudioStream] | None = None
        zero_s = opened.zero_s
        self._scale = None if zero_s is None else self._scale_of(zero_s)

    def seek(self, position: int) -> bool:
        """Go to the last packet at or before `position`; False if there is none."""
        if position <= 0 or self._scale is None:
            return False
        stream = self._opened.stream
        try:
            self._opened.container.seek(self._scale.ticks(position), stream=stream)
        except av.error.FFmpegError:
            return False
        self._first = next(self._packets, None)
        if self._first is None or self._first.pts is None:
            return False
        return self._scale.position(self._first.pts) <= position

    def blocks(self) -> Iterator[tuple[int, Interleaved]]:
        """Yield blocks of sound from the origin to the end."""
        if self._first is not None:
            yield from self._decoded(self._first)
        for packet in self._packets:
            yield from self._decoded(packet)
        if self._run is not None:
            for sound in self._run.drain():
                yield from self._blocks.write(sound)
        yield from self._blocks.finish()
        if not self._sample_seen and not self._origin:
            raise self._nothing()
        self._log.finish(self._clock.end)

    def _nothing(self) -> EmptyRecording | DecodeFailed:
        if self._log.damaged:
            return DecodeFailed(self._name, "damaged throughout: no sound can be decoded from it")
        return EmptyRecording(self._name)

    def _read_packets(self) -> Iterator[av.Packet[AudioStream]]:
        """Yield the packets of the stream; what cannot be read is left out, not the end of all."""
        failures = 0
        while failures < _MAX_READ_FAILURES:
            try:
                for packet in self._opened.container.demux(self._opened.stream):
                    failures = 0
                    yield packet
                return
            except av.error.FFmpegError:
                failures += 1
                self._log.bad(self._clock.end)
            except OSError as error:
                reason = error.strerror or str(error)
                raise UnreadableFile(self._name, f"cannot be read to its end: {reason}") from error

    def _decoded(self, packet: av.Packet[AudioStream]) -> Iterator[tuple[int, Interleaved]]:
        if self._lost_time is not None:
            self._lost = self._lost_time.samples_before(packet)
        if self._passed_over(packet):
            return
        try:
            frames = packet.decode()
        except av.error.FFmpegError:
            self._log.bad(self._clock.end)
            return
        for frame in frames:
            if frame.is_corrupt:
                self._log.bad(self._clock.end)
            yield from self._placed(frame)

    def _passed_over(self, packet: av.Packet[AudioStream]) -> bool:
        """Count a packet that ends before the origin and its preroll, without decoding it."""
        ready = self._origin - PREROLL_SAMPLES
        if self._run is not None or ready <= 0 or not packet.size or packet.duration is None:
            return False
        rate_hz = self._opened.stream.codec_context.sample_rate
        sample_count = self._sample_count(packet.duration, rate_hz)
        position = self._position(packet.pts)
        start = max(self._clock.end, position or 0)
        if not sample_count or start + sample_count * SAMPLE_RATE_HZ // rate_hz >= ready:
            return False
        placement = self._clock.place(position, sample_count, rate_hz)
        self._strung_by = None if position is None else placement.start - position
        if position is not None and placement.skip:
            self._strung_by = 0
        return True

    def _sample_count(self, ticks: int, rate_hz: int) -> int:
        if ticks not in self._sample_counts:
            self._sample_counts[ticks] = round(ticks * self._time_base * rate_hz)
        return self._sample_counts[ticks]

    def _resume(self, position: int | None) -> None:
        """Place the first decoded frame by its timestamp: a decoder may swallow its first sound."""
        if self._strung_by is not None and position is not None:
            self._clock.resume(position + self._strung_by)
        self._strung_by = None

    def _position(self, pts: int | None) -> int | None:
        if pts is None:
            return None
        if self._scale is None:
            self._scale = self._scale_of(pts * self._time_base)
        return self._scale.position(pts) + self._lost

    def _placed(self, frame: av.AudioFrame) -> Iterator[tuple[int, Interleaved]]:
        if not frame.samples:
            return
        position = self._position(frame.pts)
        self._resume(position)
        end = self._clock.end
        placement = self._clock.place(position, frame.samples, frame.sample_rate)
        self._log.placed(placement, end)
        if placement.skip == frame.samples:
            return
        self._sample_seen = True
        if self._run is None or not placement.joins or not self._run.fits(frame):
            if self._run is not None:
                for sound in self._run.drain():
                    yield from self._blocks.write(sound)
            yield from self._blocks.begin(placement.start)
            self._run = RunResampler(frame)
        for sound in self._run.write(frame, placement.skip):
            yield from self._blocks.write(sound)

    def _scale_of(self, zero_s: Fraction) -> TickScale:
        return TickScale(self._time_base, zero_s)

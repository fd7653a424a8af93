"""Opening a recording: any container that FFmpeg knows, by content and never by name.

The file is opened here and handed to FFmpeg as bytes. So a name like `a:1` is no protocol, a FIFO
or a device never blocks us, and a playlist cannot make FFmpeg open other files or the network:
every protocol is forbidden.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import BinaryIO

import av
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.stream import Discard, Disposition

from kb_core.errors import DecodeFailed, NoAudioStream, UnreadableFile

_NO_PROTOCOL = "none"
_READ_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class OpenContainer:
    """An opened file and the audio stream that is read from it.

    Attributes:
        zero_s: time 0 of the player's clock, in seconds of the container's timestamps; None when
            the container states none, and its first sound is time 0.
    """

    file: BinaryIO
    container: InputContainer
    stream: AudioStream
    zero_s: Fraction | None

    def close(self) -> None:
        """Close the container and its file."""
        self.container.close()
        self.file.close()


def open_container(path: str | Path, name: str) -> OpenContainer:
    """Open `path`; `name` is what errors call it.

    Raises:
        UnreadableFile: it is absent, may not be read, or is no regular file.
        DecodeFailed: it is no container that FFmpeg knows, or one that is broken.
        NoAudioStream: it is one, and holds no sound.
    """
    file = _open_file(path, name)
    try:
        container = _open_av(file, name)
    except BaseException:
        file.close()
        raise
    try:
        stream = _audio_stream(container, name)
        _discard_others(container, stream)
    except BaseException:
        container.close()
        file.close()
        raise
    return OpenContainer(file, container, stream, _zero_s(container, stream))


def _open_file(path: str | Path, name: str) -> BinaryIO:
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise UnreadableFile(name, "not a regular file")
        return open(path, "rb")
    except FileNotFoundError as error:
        raise UnreadableFile(name, "there is no such file") from error
    except PermissionError as error:
        raise UnreadableFile(name, "no permission to read it") from error
    except (OSError, ValueError) as error:
        raise UnreadableFile(name, f"cannot be opened: {error}") from error


class _Nameless:
    """A file without its name: what is decoded depends on bytes alone."""

    def __init__(self, file: BinaryIO) -> None:
        self.read = file.read
        self.seek = file.seek
        self.tell = file.tell


def _open_av(file: BinaryIO, name: str) -> InputContainer:
    if os.fstat(file.fileno()).st_size == 0:
        raise DecodeFailed(name, "the file is empty", hint="copy the recording again")
    try:
        return av.open(
            _Nameless(file),
            mode="r",
            options={"protocol_whitelist": _NO_PROTOCOL},
            buffer_size=_READ_BYTES,
            metadata_errors="replace",
        )
    except av.error.FFmpegError as error:
        raise DecodeFailed(
            name,
            f"not a recording that can be read, or its beginning is damaged ({_what(error)})",
            hint="play it in a media player; if that fails too, copy or export it again",
        ) from error
    except OSError as error:
        raise UnreadableFile(name, f"cannot be read: {error.strerror or error}") from error


def _audio_stream(container: InputContainer, name: str) -> AudioStream:
    stream = container.streams.best("audio")
    if isinstance(stream, AudioStream):
        return stream
    if container.streams.audio:
        raise DecodeFailed(name, "its sound is in a format that this FFmpeg cannot decode")
    raise NoAudioStream(name)


def _discard_others(container: InputContainer, stream: AudioStream) -> None:
    for other in container.streams:
        if other.index != stream.index:
            other.discard = Discard.all


def _zero_s(container: InputContainer, stream: AudioStream) -> Fraction | None:
    """Return the container's start; a picture in an audio file has none of its own."""
    has_video = any(
        not other.disposition & Disposition.attached_pic for other in container.streams.video
    )
    if container.start_time is not None and (has_video or not container.streams.video):
        return Fraction(container.start_time, av.time_base)
    if stream.start_time is None or stream.time_base is None:
        return None
    return stream.start_time * stream.time_base


def _what(error: av.error.FFmpegError) -> str:
    return (error.strerror or type(error).__name__).lower()

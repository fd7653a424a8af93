"""Files of the person's that cannot be used."""

from __future__ import annotations

from pathlib import Path

from kb_core.errors.base import KbError, printable


class InputError(KbError):
    """A file that cannot be used.

    Attributes:
        path: the file as the user knows it.
        reason: what is wrong with it, without the path.
    """

    code = "bad_input"

    def __init__(self, path: str | Path, reason: str, *, hint: str | None = None) -> None:
        self.path = str(path)
        self.reason = reason
        super().__init__(f"{printable(self.path)}: {reason}", hint=hint)


class UnreadableFile(InputError):
    """The file cannot be opened or read."""

    code = "unreadable_file"


class UnsupportedMedia(InputError):
    """The file opens, but no installed extractor reads its kind."""

    code = "unsupported_media"


class NoAudioStream(InputError):
    """An audio or video container that holds no sound."""

    code = "no_audio_stream"

    def __init__(self, path: str | Path) -> None:
        super().__init__(path, "no audio stream", hint="a recording without sound has no words")


class EmptyRecording(InputError):
    """The container has an audio stream, but not one sample comes out of it."""

    code = "empty_recording"

    def __init__(self, path: str | Path, reason: str = "the recording holds no sound") -> None:
        super().__init__(
            path, reason, hint="check that the recording was finished and copied whole"
        )


class DecodeFailed(InputError):
    """The container or its stream is damaged beyond use."""

    code = "decode_failed"


class EncryptedFile(InputError):
    """The file is encrypted and opens with a password only."""

    code = "encrypted_file"

    def __init__(self, path: str | Path) -> None:
        super().__init__(
            path,
            "encrypted; it opens with a password only",
            hint="save a copy without a password and ingest that",
        )


class NoText(InputError):
    """The document can be read, and holds no text at all."""

    code = "no_text"

"""Every error that kb raises on purpose.

    KbError
    ├── InputError            a file of the user's cannot be used (path, reason)
    │   ├── UnreadableFile        permissions, a vanished file, a broken link
    │   ├── UnsupportedMedia      readable, but nothing here reads its kind
    │   ├── NoAudioStream         a container without sound
    │   ├── EmptyRecording        sound that decodes to no samples
    │   ├── DecodeFailed          damaged beyond use
    │   ├── EncryptedFile         readable with a password only
    │   └── NoText                a document without any text
    ├── ConfigError           a setting or a policy that makes no sense
    ├── StoreError            the knowledge base file
    │   ├── StoreMissing          there is none yet
    │   ├── StoreTooNew           written by a newer kb
    │   ├── StoreCorrupt          SQLite says that the file is damaged
    │   ├── StoreBusy             another process held the lock for too long
    │   └── StoreFull             no room on the disk
    ├── ModelError            weights and engines
    │   ├── ModelMissing          no such model here
    │   ├── VectorsMissing        search by meaning before there is a vector
    │   ├── ModelDigestMismatch   the file is not what it should be
    │   ├── ModelDownloadFailed   network or server
    │   └── EngineFailed          the recogniser reported a failure
    ├── ChunkError
    │   ├── ChunkInputError       a document that this module does not handle
    │   ├── ChunkContractError    a module broke the contract (module, chunk, rule)
    │   └── MissingCapability     a module needs what the runtime does not hold
    ├── CitationSyntaxError   text that is no citation
    ├── ExportError           a format that cannot hold such a document
    ├── NotFound              no document, chunk … of that name
    ├── FeatureMissing        the package that does this is not installed
    └── Cancelled             the user asked to stop; what was finished is kept

An error carries fields; its message is made from them, in one line, and names the file where there
is one. `hint` is the way out, shown on a second line. `code` is the stable name on the wire.
Exceptions of third parties are translated at the edge, with `from`.
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar


class KbError(Exception):
    """Base of all errors that kb raises on purpose."""

    code: ClassVar[str] = "error"
    hint: str | None = None

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        self.message = printable(message)
        super().__init__(self.message)
        if hint is not None:
            self.hint = printable(hint)

    def __str__(self) -> str:
        return self.message


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


class ConfigError(KbError):
    """A setting or a policy that makes no sense."""

    code = "bad_config"


class StoreError(KbError):
    """Something about the knowledge base file."""

    code = "store_error"


class StoreMissing(StoreError):
    """There is no knowledge base at the given place."""

    code = "store_missing"

    def __init__(self, path: str | Path) -> None:
        super().__init__(
            f"no knowledge base at {printable(str(path))}",
            hint="make one with `kb init`, or name its folder with --data-dir",
        )


class StoreTooNew(StoreError):
    """The file was written by a newer kb than this one."""

    code = "store_too_new"

    def __init__(self, path: str | Path, found: int, supported: int) -> None:
        super().__init__(
            f"{printable(str(path))} has schema {found}, this kb knows up to {supported}",
            hint="update kb, or name another knowledge base with --data-dir",
        )


class StoreCorrupt(StoreError):
    """SQLite reports a damaged file."""

    code = "store_corrupt"


class StoreBusy(StoreError):
    """Another process held the write lock for longer than the timeout."""

    code = "store_busy"


class StoreFull(StoreError):
    """No room left on the disk; the running transaction was rolled back."""

    code = "store_full"

    def __init__(self, path: str | Path) -> None:
        super().__init__(
            f"no room left on the disk of {printable(str(path))}; the running step was undone",
            hint="make room and run the same command again: finished steps are not repeated",
        )


class ModelError(KbError):
    """Something about model weights or the engine that runs them."""

    code = "model_error"


class ModelMissing(ModelError):
    """The named model is not on this machine."""

    code = "model_missing"


class VectorsMissing(ModelError):
    """Search by meaning is asked for and nothing has a vector of the chosen model."""

    code = "vectors_missing"

    def __init__(self) -> None:
        super().__init__(
            "nothing has a vector of the chosen model of meaning yet",
            hint="`kb ingest` makes them unless the setting embedding.engine is none; until then"
            " search with --mode lexical",
        )


class ModelDigestMismatch(ModelError):
    """The file's digest is not the expected one; it is not used."""

    code = "model_digest_mismatch"

    def __init__(self, path: str | Path, expected: str, found: str) -> None:
        self.path = str(path)
        super().__init__(
            f"{printable(str(path))}: digest {found[:16]}… where {expected[:16]}… was expected",
            hint="delete the file and fetch the model again with `kb models pull`",
        )


class ModelDownloadFailed(ModelError):
    """A download did not finish; what arrived is kept and resumed."""

    code = "model_download_failed"


class EngineFailed(ModelError):
    """The recognition engine reported a failure."""

    code = "engine_failed"


class ChunkError(KbError):
    """Something about cutting a document into chunks."""

    code = "chunk_error"


class ChunkInputError(ChunkError):
    """The module does not handle this kind of document."""

    code = "chunk_input"


class ChunkContractError(ChunkError):
    """A chunk module broke a rule of the contract; nothing of the document is stored.

    Attributes:
        module: key of the module.
        chunk: which chunk, as `#index`, or `-` where no single one is at fault.
        rule: the broken rule, in words.
    """

    code = "chunk_contract"

    def __init__(self, module: str, chunk: str, rule: str) -> None:
        self.module = module
        self.chunk = chunk
        self.rule = rule
        super().__init__(f"chunk module {module}, chunk {chunk}: {rule}")


class MissingCapability(ChunkError):
    """A module needs something that the runtime was not given."""

    code = "missing_capability"

    def __init__(self, module: str, capability: str) -> None:
        self.module = module
        self.capability = capability
        super().__init__(f"chunk module {module} needs {capability}, and there is none")


class CitationSyntaxError(KbError):
    """Text that is not a citation in any of the spellings."""

    code = "citation_syntax"

    def __init__(self, text: str, reason: str) -> None:
        self.text = text
        super().__init__(
            f"not a citation: {printable(text)}: {reason}",
            hint="a citation looks like meeting.m4a:00:13:42-00:14:10, paper.pdf:p13 or a.md:L3-L9",
        )


class ExportError(KbError):
    """A format that cannot hold what it was asked to hold."""

    code = "export_error"


class NotFound(KbError):
    """Nothing of that name is in the knowledge base."""

    code = "not_found"

    def __init__(self, kind: str, name: str, *, hint: str | None = None) -> None:
        super().__init__(f"no {kind} {printable(name)} in the knowledge base", hint=hint)


class FeatureMissing(KbError):
    """The distribution that provides a feature is not installed."""

    code = "feature_missing"

    def __init__(self, feature: str, distribution: str) -> None:
        super().__init__(
            f"{feature} is not available: {distribution} is not installed",
            hint=f"install {distribution} beside kb",
        )


class Cancelled(KbError):
    """The user asked to stop."""

    code = "cancelled"

    def __init__(self, message: str = "stopped; what was finished is kept") -> None:
        super().__init__(message, hint="run the same command again to go on")


def printable(text: str) -> str:
    """Return `text` on one line, with undecodable bytes and controls shown as escapes."""
    return "".join(
        char if char.isprintable() and not 0xD800 <= ord(char) <= 0xDFFF else _escaped(char)
        for char in text
    )


def _escaped(char: str) -> str:
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:  # surrogateescape: the byte itself
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"

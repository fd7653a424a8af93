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
    │   ├── EngineFailed          the recogniser reported a failure
    │   ├── ServerUnreachable     no model server answers
    │   ├── ServerAccessRefused   it wants a key
    │   ├── ServerModelMissing    it does not have that model
    │   ├── SchemaUnsupported     it does not answer in a JSON Schema
    │   └── RequestFailed         one request came to nothing; the next one may not
    │       ├── ContextTooSmall       the prompt does not fit
    │       └── ReplyUnusable         no answer can be used (reason, attempts)
    ├── ChunkError
    │   ├── ChunkInputError       a document that this module does not handle
    │   ├── ChunkContractError    a module broke the contract (module, chunk, rule)
    │   └── MissingCapability     a module needs what the runtime does not hold
    ├── ReplyRejected         a module's own word on a reply; the model is asked again
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

from kb_core.errors.base import (
    Cancelled,
    CitationSyntaxError,
    ConfigError,
    ExportError,
    FeatureMissing,
    KbError,
    NotFound,
    printable,
)
from kb_core.errors.chunking import (
    ChunkContractError,
    ChunkError,
    ChunkInputError,
    MissingCapability,
)
from kb_core.errors.inputs import (
    DecodeFailed,
    EmptyRecording,
    EncryptedFile,
    InputError,
    NoAudioStream,
    NoText,
    UnreadableFile,
    UnsupportedMedia,
)
from kb_core.errors.models import (
    ContextTooSmall,
    EngineFailed,
    ModelDigestMismatch,
    ModelDownloadFailed,
    ModelError,
    ModelMissing,
    ReplyRejected,
    ReplyUnusable,
    RequestFailed,
    SchemaUnsupported,
    ServerAccessRefused,
    ServerModelMissing,
    ServerUnreachable,
    VectorsMissing,
)
from kb_core.errors.stores import (
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreMissing,
    StoreTooNew,
)

__all__ = [
    "Cancelled",
    "ChunkContractError",
    "ChunkError",
    "ChunkInputError",
    "CitationSyntaxError",
    "ConfigError",
    "ContextTooSmall",
    "DecodeFailed",
    "EmptyRecording",
    "EncryptedFile",
    "EngineFailed",
    "ExportError",
    "FeatureMissing",
    "InputError",
    "KbError",
    "MissingCapability",
    "ModelDigestMismatch",
    "ModelDownloadFailed",
    "ModelError",
    "ModelMissing",
    "NoAudioStream",
    "NoText",
    "NotFound",
    "ReplyRejected",
    "ReplyUnusable",
    "RequestFailed",
    "SchemaUnsupported",
    "ServerAccessRefused",
    "ServerModelMissing",
    "ServerUnreachable",
    "StoreBusy",
    "StoreCorrupt",
    "StoreError",
    "StoreFull",
    "StoreMissing",
    "StoreTooNew",
    "UnreadableFile",
    "UnsupportedMedia",
    "VectorsMissing",
    "printable",
]

"""Weights, engines and model servers."""

from __future__ import annotations

from pathlib import Path

from kb_core.errors.base import KbError, printable


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


class ServerUnreachable(ModelError):
    """Nothing answers at the address of the model server."""

    code = "model_server_unreachable"


class ServerAccessRefused(ModelError):
    """The model server wants a key, or another one."""

    code = "model_server_access"


class ServerModelMissing(ModelError):
    """The server does not have the model that the settings name."""

    code = "model_server_model"


class SchemaUnsupported(ModelError):
    """The server does not answer in a given JSON Schema."""

    code = "model_server_schema"


class RequestFailed(ModelError):
    """One request to a model came to nothing, which says nothing about the next one."""

    code = "model_request_failed"


class ContextTooSmall(RequestFailed):
    """A prompt and its reply do not fit into what the model reads at once."""

    code = "model_context_too_small"


class ReplyUnusable(RequestFailed):
    """A model answered, as often as it was asked, and no answer can be used.

    Attributes:
        reason: what is wrong with the last one.
        attempts: how often it was asked.
    """

    code = "model_reply_unusable"

    def __init__(self, model_id: str, reason: str, attempts: int) -> None:
        self.reason = reason
        self.attempts = attempts
        times = "once" if attempts == 1 else f"{attempts} times"
        super().__init__(
            f"{model_id} was asked {times} and gave nothing usable: {reason}",
            hint="run the same command again, or choose a more capable model in llm.model",
        )


class ReplyRejected(KbError):
    """Raised by whoever asked a model, for a reply that breaks a rule of its own.

    It says what is wrong and what would be right, in words that the model is shown when it is asked
    again; it reaches nobody else.
    """

    code = "model_reply_rejected"

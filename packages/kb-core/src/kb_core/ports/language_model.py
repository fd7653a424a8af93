"""Ports to a language model: one that writes text, and one that answers in a given JSON Schema.

What both get is a prompt of two halves. Orders stand in `system`, whatever comes from documents in
`user`, fenced by whoever makes the prompt. The caller knows what a reply must keep, so a rule of
its own goes along as `check`: a reply that breaks it is asked for again, with what was wrong, and
is never kept in the cache.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, Protocol, runtime_checkable

from pydantic import Field, JsonValue

from kb_core.chunks import estimate_tokens
from kb_core.model import Model
from kb_core.runtime import CancelToken

SAFE_SCHEMA_NAME = r"^[a-zA-Z0-9_-]{1,64}$"
"""What every provider takes as the name of a schema."""


class Prompt(Model):
    """What a model is shown: orders, and what they are about."""

    system: str
    user: str

    @property
    def token_estimate(self) -> int:
        """Its size by the estimate that is used everywhere; a tokenizer may count more."""
        return estimate_tokens(self.system) + estimate_tokens(self.user)


class ReplySchema(Model):
    """The JSON Schema of a reply.

    Attributes:
        key: name among the schemas of kb, such as `dnd_scenes`.
        schema_id: its identifier for good, such as `kb:dnd_scenes.v1`.
        version: goes up with every change of `body`.
        name: what providers are told.
        body: the schema itself. Arrays are bounded, or a small model may write one without end.
    """

    key: str
    schema_id: str
    version: int = Field(ge=1)
    name: str = Field(pattern=SAFE_SCHEMA_NAME)
    body: Mapping[str, JsonValue]


class ModelUsage(Model):
    """What asking a model took.

    Attributes:
        requests: sent to it, those that were asked again included.
        cached: replies that were there already and took nothing.
        elapsed_ms: waiting for replies.
    """

    requests: int = Field(default=0, ge=0)
    cached: int = Field(default=0, ge=0)
    prompt_tokens: int = Field(default=0, ge=0)
    reply_tokens: int = Field(default=0, ge=0)
    elapsed_ms: int = Field(default=0, ge=0)

    def __add__(self, other: ModelUsage) -> ModelUsage:
        """Return what both took together."""
        mine, theirs = self.model_dump(), other.model_dump()
        return ModelUsage.model_validate({name: mine[name] + theirs[name] for name in mine})


FinishReason = Literal["stop", "length"]
"""Why a reply ends: the model had said all, or it may say no more."""


class Completion(Model):
    """A reply as text."""

    text: str
    finish_reason: FinishReason
    usage: ModelUsage


class StoredReply(Model):
    """A reply as it is kept, with what it took when it was made."""

    text: str
    prompt_tokens: int = 0
    reply_tokens: int = 0
    elapsed_ms: int = 0


class ReplyCache(Protocol):
    """Replies by what was asked: the blake3 digest of the whole request, and the model."""

    def get_reply(self, request_digest: str, model_id: str) -> StoredReply | None:
        """Return the reply to exactly that request, or None."""
        ...

    def put_reply(self, request_digest: str, model_id: str, reply: StoredReply) -> None:
        """Keep a reply that was found usable."""
        ...


class ReplyStore(Protocol):
    """Replies of language models, kept with the file that they are about."""

    def get_reply(self, request_digest: str, model_id: str) -> StoredReply | None:
        """Return the reply to exactly that request, whichever file it was for; None without one."""
        ...

    def put_reply(
        self, asset_id: str, request_digest: str, model_id: str, reply: StoredReply
    ) -> None:
        """Keep a reply until the file is no document any more and garbage is collected."""
        ...


ReplyCheck = Callable[[JsonValue], None]
"""Raises `ReplyRejected` for a reply that keeps the schema and breaks a rule of the asker."""


def any_reply(_: JsonValue) -> None:
    """Accept whatever keeps the schema."""


class ModelLimits(Model):
    """How much a model takes.

    Attributes:
        context_tokens: prompt and reply together.
        max_reply_tokens: longest reply.
    """

    context_tokens: int = Field(ge=1)
    max_reply_tokens: int = Field(ge=1)

    @property
    def max_prompt_tokens(self) -> int:
        """What is left for a prompt."""
        return max(1, self.context_tokens - self.max_reply_tokens)


@runtime_checkable
class StructuredLanguageModel(Protocol):
    """A model client that returns objects which validate against a schema."""

    @property
    def model_id(self) -> str:
        """Name of the model, as the server knows it."""
        ...

    @property
    def limits(self) -> ModelLimits:
        """How much it takes at once."""
        ...

    @property
    def usage(self) -> ModelUsage:
        """What all requests of this client took so far."""
        ...

    def complete_json(
        self,
        prompt: Prompt,
        schema: ReplySchema,
        *,
        check: ReplyCheck = any_reply,
        cancel: CancelToken | None = None,
    ) -> JsonValue:
        """Return an object that validates against the schema and that `check` accepts.

        Raises:
            RequestFailed: this request came to nothing (`ContextTooSmall`, `ReplyUnusable`).
            ServerUnreachable, ServerAccessRefused, ServerModelMissing, SchemaUnsupported: nor would
                any other.
            Cancelled: a stop was asked for.
        """
        ...


@runtime_checkable
class LanguageModel(Protocol):
    """A model client that writes text, shown while it is written."""

    @property
    def model_id(self) -> str:
        """Name of the model, as the server knows it."""
        ...

    @property
    def limits(self) -> ModelLimits:
        """How much it takes at once."""
        ...

    @property
    def usage(self) -> ModelUsage:
        """What all requests of this client took so far."""
        ...

    def complete(
        self,
        prompt: Prompt,
        *,
        on_text: Callable[[str], None] = lambda _: None,
        cancel: CancelToken | None = None,
    ) -> Completion:
        """Return the reply; `on_text` is given each piece as it comes, in order.

        A reply that is in the cache is given to `on_text` in one piece.

        Raises:
            RequestFailed: the server gave no reply, or broke off (`ContextTooSmall`).
            ServerUnreachable, ServerAccessRefused, ServerModelMissing: nor would any other request.
            Cancelled: a stop was asked for; what `on_text` got was all there is.
        """
        ...


@runtime_checkable
class ModelClient(LanguageModel, StructuredLanguageModel, Protocol):
    """What an entry point of `kb.language_models` makes of settings and a `ReplyCache`."""

    def probe(self) -> int:
        """Ask for a word and return the milliseconds that it took; no cache is asked.

        Raises:
            ModelError: as the two ports do.
        """
        ...

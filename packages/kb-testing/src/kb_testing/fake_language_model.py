"""A language model that says what a function tells it to, and a cache of replies in memory.

It keeps the two ports as the real client does: replies that break the schema's required keys or the
asker's rule are asked for again, and after three of them the request has come to nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pydantic import JsonValue

from kb_core.errors import ContextTooSmall, ReplyRejected, ReplyUnusable
from kb_core.ports.language_model import (
    Completion,
    ModelLimits,
    ModelUsage,
    Prompt,
    ReplyCheck,
    ReplySchema,
    StoredReply,
    any_reply,
)
from kb_core.runtime import CancelToken

ATTEMPTS = 3
PLENTY = ModelLimits(context_tokens=8192, max_reply_tokens=2048)

Answer = Callable[[Prompt, int], JsonValue | Exception]
"""Gets a prompt and how often it was asked before; returns a reply, or what is raised instead."""


class FakeLanguageModel:
    """`ModelClient` that answers by a function.

    Args:
        answer: for each attempt; an object for a structured reply, text for a written one.
        model_id: its name.
        limits: a larger prompt is refused.

    Attributes:
        prompts: what it was asked, in order, each attempt once.
        schemas: of the structured requests among them.
    """

    def __init__(
        self, answer: Answer, *, model_id: str = "fake", limits: ModelLimits = PLENTY
    ) -> None:
        self._answer = answer
        self.model_id = model_id
        self.limits = limits
        self.usage = ModelUsage()
        self.prompts: list[Prompt] = []
        self.schemas: list[ReplySchema] = []

    def complete_json(
        self,
        prompt: Prompt,
        schema: ReplySchema,
        *,
        check: ReplyCheck = any_reply,
        cancel: CancelToken | None = None,
    ) -> JsonValue:
        """Return the first reply that has what the schema requires and that `check` accepts."""
        reason = "no reply"
        for attempt in range(ATTEMPTS):
            reply = self._ask(prompt, attempt, cancel)
            self.schemas.append(schema)
            if not has_required(reply, schema.body):
                reason = "it does not keep the schema"
                continue
            try:
                check(reply)
            except ReplyRejected as error:
                reason = error.message
                continue
            return reply
        raise ReplyUnusable(self.model_id, reason, ATTEMPTS)

    def complete(
        self,
        prompt: Prompt,
        *,
        on_text: Callable[[str], None] = lambda _: None,
        cancel: CancelToken | None = None,
    ) -> Completion:
        """Return the reply, given to `on_text` word by word."""
        text = str(self._ask(prompt, 0, cancel))
        pieces = text.replace(" ", " \0").split("\0")
        for piece in pieces:
            if cancel is not None:
                cancel.raise_if_cancelled()
            on_text(piece)
        return Completion(text=text, finish_reason="stop", usage=ModelUsage(requests=1))

    def probe(self) -> int:
        """Answer at once."""
        return 0

    def _ask(self, prompt: Prompt, attempt: int, cancel: CancelToken | None) -> JsonValue:
        if cancel is not None:
            cancel.raise_if_cancelled()
        if prompt.token_estimate > self.limits.max_prompt_tokens:
            raise ContextTooSmall(f"{self.model_id} takes no prompt of that size")
        self.prompts.append(prompt)
        self.usage += ModelUsage(requests=1)
        reply = self._answer(prompt, attempt)
        if isinstance(reply, Exception):
            raise reply
        return reply


def has_required(reply: JsonValue, schema: Mapping[str, JsonValue]) -> bool:
    """Return whether a reply is an object with the keys that a schema requires at its top."""
    required = schema.get("required", [])
    return isinstance(reply, dict) and isinstance(required, list) and reply.keys() >= set(required)


class MemoryReplies:
    """`ReplyCache` in a dictionary."""

    def __init__(self) -> None:
        self.replies: dict[tuple[str, str], StoredReply] = {}

    def get_reply(self, request_digest: str, model_id: str) -> StoredReply | None:
        """Return the reply to exactly that request, or None."""
        return self.replies.get((request_digest, model_id))

    def put_reply(self, request_digest: str, model_id: str, reply: StoredReply) -> None:
        """Keep a reply."""
        self.replies[request_digest, model_id] = reply

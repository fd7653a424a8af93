"""A language model behind any server that speaks the OpenAI protocol: Ollama, llama.cpp, vLLM.

What a model wrote wrong is asked for again with what was wrong, because at temperature 0 the same
question has the same answer. Replies are kept by the digest of the request once they proved usable,
and looked at again before they are used: the rule that accepted them may have changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from pydantic import JsonValue

from kb_config import Settings
from kb_core import CancelToken, canonical_json, digest_hex, estimate_tokens
from kb_core.errors import (
    ConfigError,
    ContextTooSmall,
    ReplyRejected,
    ReplyUnusable,
    SchemaUnsupported,
)
from kb_core.ports.language_model import (
    Completion,
    ModelLimits,
    ModelUsage,
    Prompt,
    ReplyCache,
    ReplyCheck,
    ReplySchema,
    StoredReply,
    any_reply,
)
from kb_llm_local.json_replies import object_in
from kb_llm_local.streaming import Reply
from kb_llm_local.transport import ChatServer, Message

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

ATTEMPTS = 3
"""How often a model is asked for a reply that can be used."""
SEED = 0
REQUEST_VERSION = "kb-request-v1"
"""Goes into the digest of each request; changes when replies to it may be other ones."""
_PROBE_TOKENS = 4
_CORRECTION = (
    "That reply cannot be used: {reason}. Reply again to the same request, with one JSON object"
    " that keeps the schema, and nothing else."
)
_SHORTER = (
    "That reply was cut off because it was too long. Reply again to the same request, shorter, with"
    " one JSON object that keeps the schema, and nothing else."
)
_EMPTY = "That reply was empty. Reply to the request above."
_WITHHELD = "content_filter"  # what servers say of a reply that they took back
_UNUSABLE = re.compile("[\0\ud800-\udfff]")  # what no server takes in a text


def create_openai(settings: Settings, replies: ReplyCache) -> OpenAILanguageModel:
    """Return a client of the model that the settings name; nothing is sent yet.

    Raises:
        ConfigError: no address or no model is named.
    """
    if settings.llm.url is None or settings.llm.model is None:
        raise ConfigError(
            "asking a language model needs llm.url and llm.model",
            hint="such as http://127.0.0.1:11434/v1 and the name of a model there",
        )
    return OpenAILanguageModel(settings, replies)


class OpenAILanguageModel:
    """`ModelClient` over a server.

    Args:
        settings: address, model, key and limits.
        replies: where usable replies are kept.
    """

    def __init__(self, settings: Settings, replies: ReplyCache) -> None:
        self._replies = replies
        self._server = ChatServer(settings.llm)
        self._cached = ModelUsage()
        self._validators: dict[str, Validator] = {}
        self.model_id = str(settings.llm.model)
        self.limits = ModelLimits(
            context_tokens=settings.llm.context_tokens,
            max_reply_tokens=settings.llm.max_reply_tokens,
        )

    @property
    def usage(self) -> ModelUsage:
        """What all requests of this client took so far."""
        return self._server.usage + self._cached

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
        cancel = cancel or CancelToken()
        cancel.raise_if_cancelled()
        prompt = _sendable(prompt)
        self._check_size(prompt)
        validator = self._validator(schema)

        def usable(text: str) -> JsonValue:
            value = object_in(text, validator)
            check(value)
            return value

        parameters = self._parameters(response_format=_response_format(schema))
        digest = _digest(prompt, parameters)
        kept = self._replies.get_reply(digest, self.model_id)
        if kept is not None:
            try:
                value = usable(kept.text)
            except ReplyRejected:
                pass  # by a rule that is newer than the reply
            else:
                self._cached += ModelUsage(cached=1)
                return value
        return self._ask_until_usable(_messages(prompt), parameters, digest, usable, cancel)

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
        cancel = cancel or CancelToken()
        cancel.raise_if_cancelled()
        prompt = _sendable(prompt)
        self._check_size(prompt)
        parameters = self._parameters()
        digest = _digest(prompt, parameters)
        kept = self._replies.get_reply(digest, self.model_id)
        if kept is not None:
            on_text(kept.text)
            usage = ModelUsage(cached=1)
            self._cached += usage
            return Completion(text=kept.text, finish_reason="stop", usage=usage)
        return self._ask_until_said(prompt, parameters, digest, on_text, cancel)

    def probe(self) -> int:
        """Ask for a word and return the milliseconds that it took; no cache is asked.

        Raises:
            ModelError: the server or the model does not answer.
        """
        missing = self._server.missing_among(self.list_models())
        if missing is not None:
            raise missing
        prompt = Prompt(system="Reply with one word.", user="Are you there?")
        parameters = self._parameters(max_tokens=_PROBE_TOKENS)
        _, usage = self._server.send(_messages(prompt), parameters, CancelToken())
        return usage.elapsed_ms

    def list_models(self) -> list[str]:
        """Return the names of the models that the server has; none where it does not list them.

        Raises:
            ServerUnreachable, ServerAccessRefused: it does not answer.
        """
        return self._server.list_models()

    def _ask_until_said(
        self,
        prompt: Prompt,
        parameters: Mapping[str, Any],
        digest: str,
        on_text: Callable[[str], None],
        cancel: CancelToken,
    ) -> Completion:
        """Ask until a reply has text, or ends before it has any."""
        asked: Sequence[Message] = _messages(prompt)
        took = ModelUsage()
        for _ in range(ATTEMPTS):
            reply, usage = self._server.send(asked, parameters, cancel, on_text)
            took += usage
            if reply.finish_reason == _WITHHELD:
                raise ReplyUnusable(self._server.where, "the server withheld the reply", 1)
            if reply.finish_reason == "length":
                return Completion(text=reply.text, finish_reason="length", usage=took)
            if reply.text:
                self._keep(digest, reply, usage)
                return Completion(text=reply.text, finish_reason="stop", usage=took)
            asked = self._corrected(_messages(prompt), "", _EMPTY)
        raise ReplyUnusable(self._server.where, "the reply is empty", ATTEMPTS)

    def _ask_until_usable(
        self,
        messages: Sequence[Message],
        parameters: Mapping[str, Any],
        digest: str,
        usable: Callable[[str], JsonValue],
        cancel: CancelToken,
    ) -> JsonValue:
        asked = messages
        reason = ""
        for _ in range(ATTEMPTS):
            reply, usage = self._server.send(asked, parameters, cancel)
            if reply.finish_reason == "length":
                reason = f"it was cut off after {self.limits.max_reply_tokens} tokens"
                correction = _SHORTER
            else:
                try:
                    value = usable(reply.text)
                except ReplyRejected as error:
                    reason = error.message
                    correction = _CORRECTION.format(reason=reason)
                else:
                    self._keep(digest, reply, usage)
                    return value
            asked = self._corrected(messages, reply.text, correction)
        raise ReplyUnusable(self._server.where, reason, ATTEMPTS)

    def _corrected(
        self, messages: Sequence[Message], reply: str, correction: str
    ) -> Sequence[Message]:
        """Return the request with what was wrong; without the reply where it is empty or too long.

        Only the last reply goes along, or what was wrong would use up the room.
        """
        asked = [
            *messages,
            {"role": "assistant", "content": reply},
            {"role": "user", "content": correction},
        ]
        size_tokens = sum(estimate_tokens(each["content"]) for each in asked)
        # An empty turn of the model is an error to some servers.
        if reply.strip() and size_tokens <= self.limits.max_prompt_tokens:
            return asked
        last = messages[-1]
        return [*messages[:-1], {**last, "content": f"{last['content']}\n\n{correction}"}]

    def _parameters(self, **others: Any) -> dict[str, Any]:
        limit = self.limits.max_reply_tokens
        return {"temperature": 0, "seed": SEED, "max_tokens": limit, **others}

    def _keep(self, digest: str, reply: Reply, usage: ModelUsage) -> None:
        kept = StoredReply(
            text=reply.text,
            prompt_tokens=usage.prompt_tokens,
            reply_tokens=usage.reply_tokens,
            elapsed_ms=usage.elapsed_ms,
        )
        self._replies.put_reply(digest, self.model_id, kept)

    def _validator(self, schema: ReplySchema) -> Validator:
        """Return what checks replies, after a look at the schema itself, once for each."""
        from jsonschema import Draft202012Validator, SchemaError

        body = dict(schema.body)
        digest = digest_hex(canonical_json(body))
        if digest not in self._validators:
            try:
                Draft202012Validator.check_schema(body)
            except SchemaError as error:
                raise SchemaUnsupported(
                    f"{schema.schema_id} is no JSON Schema: {error.message}",
                    hint="tell the author of the module that asks; no model was asked",
                ) from error
            self._validators[digest] = Draft202012Validator(body)
        return self._validators[digest]

    def _check_size(self, prompt: Prompt) -> None:
        if prompt.token_estimate > self.limits.max_prompt_tokens:
            raise ContextTooSmall(
                f"{self._server.where}: a prompt of about {prompt.token_estimate} tokens does not"
                f" fit into {self.limits.context_tokens} with a reply of"
                f" {self.limits.max_reply_tokens}",
                hint="set llm.context_tokens to what the server was started with",
            )


def _digest(prompt: Prompt, parameters: Mapping[str, Any]) -> str:
    request = {"version": REQUEST_VERSION, "messages": _messages(prompt), **parameters}
    return digest_hex(canonical_json(cast("JsonValue", request)))


def _messages(prompt: Prompt) -> list[Message]:
    return [
        {"role": "system", "content": prompt.system},
        {"role": "user", "content": prompt.user},
    ]


def _sendable(prompt: Prompt) -> Prompt:
    system, user = (_UNUSABLE.sub("\ufffd", text) for text in (prompt.system, prompt.user))
    return Prompt(system=system, user=user)


def _response_format(schema: ReplySchema) -> dict[str, JsonValue]:
    named: dict[str, JsonValue] = {"name": schema.name, "schema": dict(schema.body), "strict": True}
    return {"type": "json_schema", "json_schema": named}

"""Sending requests to a server of the OpenAI protocol, and trying again what may go away by itself.

Every reply is streamed, also those in a schema: a stop takes effect at once, and the time limit is
for the next piece instead of the whole. A request has a connection of its own, which is closed
after it: next to what a reply takes it costs nothing, and none is left open.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit, urlunsplit

from kb_config import LanguageModelSettings
from kb_core import CancelToken
from kb_core.errors import ModelError, printable
from kb_core.ports.language_model import ModelUsage
from kb_llm_local.connection import Connection
from kb_llm_local.failures import (
    is_absent,
    is_transient,
    may_be_the_model,
    model_missing,
    status_of,
    translated,
)
from kb_llm_local.streaming import BrokenReply, OnText, Reply, read_stream

if TYPE_CHECKING:
    from openai import OpenAI

TRIES = 4
"""How often a request is sent where what failed may go away by itself."""
UNREACHABLE_TRIES = 3
"""How often where nothing answers at all."""
TIMEOUT_TRIES = 2
"""How often where nothing came in time, each of which took that time."""
FIRST_WAIT_S, LONGEST_WAIT_S = 0.5, 30.0
_NO_KEY = "none"  # the client insists on one, servers on this machine look at none
_CONNECT_S, _LIST_S = 5.0, 10.0
_LONGEST_REASON_CHARS = 300

Message = dict[str, str]


class ChatServer:
    """One model on one server.

    Args:
        settings: address, model, key and time limit.

    Attributes:
        where: model and address for people, without secrets.
        usage: what all requests took so far.
    """

    def __init__(self, settings: LanguageModelSettings) -> None:
        self._settings = settings
        self._model = str(settings.model)
        self.where = printable(f"{self._model} at {_without_secrets(str(settings.url))}")
        self.usage = ModelUsage()

    def send(
        self,
        messages: Sequence[Message],
        parameters: Mapping[str, Any],
        cancel: CancelToken,
        on_text: OnText | None = None,
    ) -> tuple[Reply, ModelUsage]:
        """Return the reply to a request and what it took.

        Once `on_text` was told something a broken reply is not tried again: nobody could take that
        back.

        Raises:
            ModelError: as `failures.translated` says, after the last try.
            Cancelled: a stop was asked for.
        """
        from openai import OpenAIError

        begun = _Begun(on_text)
        tries = 0
        while True:
            tries += 1
            cancel.raise_if_cancelled()
            try:
                return self._try(messages, parameters, cancel, begun)
            except (OpenAIError, BrokenReply) as error:
                if begun.has_told or tries >= _most_tries(error):
                    raise self._raised(error) from error
                pause_s = _pause_s(error, tries)
            cancel.wait(pause_s)

    def list_models(self) -> list[str]:
        """Return the names of the models that the server has; none where it does not list them.

        Raises:
            ServerUnreachable, ServerAccessRefused: it does not answer.
        """
        from openai import OpenAIError

        try:
            with self._client(Connection(), _LIST_S) as client:
                return [str(each.id) for each in client.models.list().data]
        except OpenAIError as error:
            if is_absent(error) or status_of(error) in (401, 403):
                raise translated(error, self._reason(error), self.where) from error
            return []
        except (AttributeError, TypeError, ValueError):  # an answer, and no list of models
            return []

    def missing_among(self, models: Sequence[str]) -> ModelError | None:
        """Return the error where these are a server's models and this one is none of them."""
        # Ollama lists tags and takes a name without one.
        if not models or self._model in models or f"{self._model}:latest" in models:
            return None
        return model_missing(self.where, models)

    def _try(
        self,
        messages: Sequence[Message],
        parameters: Mapping[str, Any],
        cancel: CancelToken,
        on_text: OnText,
    ) -> tuple[Reply, ModelUsage]:
        @contextmanager
        def open_stream(connection: Connection) -> Iterator[Iterable[Any]]:
            with (
                self._client(connection, self._settings.timeout_s) as client,
                client.chat.completions.create(
                    model=self._model,
                    messages=cast("Any", list(messages)),
                    stream=True,
                    stream_options={"include_usage": True},
                    **parameters,
                ) as chunks,
            ):
                yield chunks

        usage = ModelUsage(requests=1)
        started_s = time.monotonic()
        try:
            reply = read_stream(open_stream, on_text, cancel)
            tokens = {"prompt_tokens": reply.prompt_tokens, "reply_tokens": reply.reply_tokens}
            usage += ModelUsage(**tokens)
        finally:
            usage += ModelUsage(elapsed_ms=round((time.monotonic() - started_s) * 1000))
            self.usage += usage
        return reply, usage

    def _raised(self, error: Exception) -> ModelError:
        reason = self._reason(error)
        if may_be_the_model(error):
            try:
                models = self.list_models()
            except ModelError:  # the first error is the one to tell of
                models = []
            if status_of(error) == 404 or self.missing_among(models):
                return model_missing(self.where, models, reason)
        return translated(error, reason, self.where)

    def _reason(self, error: Exception) -> str:
        """Return what an error says, in one line and without the key."""
        from openai import APIConnectionError

        # The client library says "Connection error." and keeps what happened as the cause.
        tells_nothing = isinstance(error, APIConnectionError) and error.__cause__ is not None
        reason = str(error.__cause__ if tells_nothing else error)
        key = self._settings.api_key
        if key and key.get_secret_value():
            reason = reason.replace(key.get_secret_value(), "…")
        return printable(reason[:_LONGEST_REASON_CHARS])

    def _client(self, connection: Connection, answer_s: float) -> OpenAI:
        from openai import DefaultHttpxClient, OpenAI, Timeout

        key = self._settings.api_key
        timeout = Timeout(answer_s, connect=_CONNECT_S)
        return OpenAI(
            base_url=self._settings.url,
            api_key=key.get_secret_value() if key else _NO_KEY,
            timeout=timeout,
            # Who waits should know, and be able to stop.
            max_retries=0,
            http_client=DefaultHttpxClient(
                timeout=timeout, event_hooks={"request": [connection.watch]}
            ),
        )


class _Begun:
    """Passes text on and remembers that somebody was told."""

    def __init__(self, on_text: Callable[[str], None] | None) -> None:
        self._on_text = on_text
        self.has_told = False

    def __call__(self, piece: str) -> None:
        if self._on_text is not None:
            self.has_told = True
            self._on_text(piece)


def _most_tries(error: Exception) -> int:
    """Return how often a request that failed like this is sent in all."""
    from openai import APITimeoutError

    if is_absent(error):
        return UNREACHABLE_TRIES
    if isinstance(error, APITimeoutError):
        return TIMEOUT_TRIES
    return TRIES if is_transient(error) else 1


def _pause_s(error: Exception, tries: int) -> float:
    """Return how long to wait before the next try: what the server says, else longer each time."""
    own_s: float = FIRST_WAIT_S * 2 ** (tries - 1)
    response = getattr(error, "response", None)
    try:
        asked_s = float(response.headers["retry-after"]) if response is not None else own_s
    except (KeyError, ValueError):  # it says nothing, or a date
        asked_s = own_s
    return min(LONGEST_WAIT_S, max(0.0, asked_s if math.isfinite(asked_s) else own_s))


def _without_secrets(url: str) -> str:
    """Return an address without a name, a password and a query, which may hold keys."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))

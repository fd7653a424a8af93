"""What servers and the client library report, as errors of kb with the way out.

Servers agree on status codes more than on words; where the words decide, all known ones are tried.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kb_core.errors import (
    ContextTooSmall,
    ModelError,
    RequestFailed,
    SchemaUnsupported,
    ServerAccessRefused,
    ServerModelMissing,
    ServerUnreachable,
    printable,
)

SHOWN_MODELS = 8
_REFUSED = frozenset({401, 403})
_TRANSIENT = frozenset({408, 409, 425, 429})
_NOT_IMPLEMENTED = 501
_NO_CONNECTION = frozenset({"ConnectError", "ConnectTimeout"})
"""Errors of the HTTP library, which is another one in other versions of openai."""
_CONTEXT = re.compile(
    r"context.{0,10}(?:size|length|window)|context the overflows"
    r"|exceed.{0,60}(?:context|tokens)|too (?:long|many tokens)"
    r"|longer than the maximum|reduce the length",
    re.I,
)
"""llama.cpp, LM Studio, vLLM, OpenAI and others; not "context canceled", which is of Go."""
_SCHEMA = re.compile(r"response_format|json.?schema|grammar|structured output", re.I)
_MODEL = re.compile(r"\bmodel\b", re.I)


def status_of(error: Exception) -> int | None:
    """Return the HTTP status of an answer; None where there was none."""
    status = getattr(error, "status_code", None)
    return status if isinstance(status, int) else None


def is_absent(error: Exception) -> bool:
    """Return whether there was not even a connection."""
    return type(error.__cause__).__name__ in _NO_CONNECTION


def is_transient(error: Exception) -> bool:
    """Return whether the same request may well succeed a moment later."""
    status = status_of(error)
    if status is None or status in _TRANSIENT:
        return True  # without a status the connection broke, or took too long
    is_about_the_request = _CONTEXT.search(str(error)) or _SCHEMA.search(str(error))
    return status >= 500 and status != _NOT_IMPLEMENTED and not is_about_the_request


def may_be_the_model(error: Exception) -> bool:
    """Return whether the server may not have the model; the models that it lists tell."""
    return status_of(error) == 404 or (
        status_of(error) == 400
        and not _CONTEXT.search(str(error))
        and bool(_MODEL.search(str(error)))
    )


def translated(error: Exception, reason: str, where: str) -> ModelError:
    """Return what an error of the client library means for the person.

    Args:
        error: of the last try.
        reason: what it says, without secrets.
        where: model and address, for people.
    """
    from openai import APITimeoutError

    status = status_of(error)
    if is_absent(error):
        return ServerUnreachable(
            f"{where} cannot be reached: {reason}",
            hint="start the model server, or check llm.url; `kb doctor` tries it",
        )
    if isinstance(error, APITimeoutError):
        return RequestFailed(
            f"{where} gave no reply in time",
            hint="set llm.timeout_s higher or llm.max_reply_tokens lower, and try again",
        )
    if status is None:
        return RequestFailed(
            f"{where} broke off its reply: {reason}",
            hint="look at the server's log, check that llm.url ends as the server wants, often in"
            " /v1, and run the command again",
        )
    if status in _REFUSED:
        return ServerAccessRefused(
            f"{where} refuses access: {reason}", hint="set the server's key in KB_LLM__API_KEY"
        )
    return _of_the_request(status, str(error), reason, where)


def model_missing(where: str, models: Sequence[str], reason: str = "no such model") -> ModelError:
    """Return the error for a model that the server does not have, with those that it lists."""
    hint = "check llm.model, and that llm.url ends as the server wants, often in /v1"
    if models:
        shown = ", ".join(printable(name) for name in models[:SHOWN_MODELS])
        hint = f"set llm.model to one that is there, such as {shown}"
    return ServerModelMissing(f"{where} is not there: {reason}", hint=hint)


def _of_the_request(status: int, words: str, reason: str, where: str) -> ModelError:
    if status == 413 or (status != 429 and _CONTEXT.search(words)):
        return ContextTooSmall(
            f"{where} takes no prompt of that size: {reason}",
            hint="set llm.context_tokens to what the server was started with",
        )
    if status != 429 and _SCHEMA.search(words):
        return SchemaUnsupported(
            f"{where} does not answer in a given JSON Schema: {reason}",
            hint="use a server that does, such as llama.cpp, Ollama or vLLM in a recent version",
        )
    return RequestFailed(
        f"{where} failed: {reason}", hint="look at the server's log, and run the command again"
    )

"""A reply piece by piece, as it comes, with a way to stop while nothing comes.

The stream is read in a thread of its own: a server may take minutes for a prompt before the first
piece, and Ctrl-C must not wait for it.
"""

from __future__ import annotations

import queue
import re
import threading
from collections.abc import Callable, Generator, Iterable
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from typing import Any

from kb_core.errors import Cancelled
from kb_core.runtime import CancelToken
from kb_llm_local.connection import Connection

_POLL_S = 0.05
_LONGEST_GOODBYE_S = 1.0
_THINK_OPEN, _THINK_CLOSE = "<think>", "</think>"
_SURROGATE = re.compile("[\ud800-\udfff]")

OpenStream = Callable[[Connection], AbstractContextManager[Iterable[Any]]]
"""Sends a request over a connection; gives the chunks of the reply, and closes what it opened."""
OnText = Callable[[str], None]


class BrokenReply(Exception):
    """The server ended a reply in the middle, or wrote what is no reply."""


@dataclass(frozen=True, slots=True)
class Piece:
    """What one chunk says of a reply; `finish_reason` is None before the last one."""

    text: str = ""
    finish_reason: str | None = None
    prompt_tokens: int = 0
    reply_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of a reply; `finish_reason` is the server's word."""

    text: str
    finish_reason: str
    prompt_tokens: int
    reply_tokens: int


def read_stream(open_stream: OpenStream, on_text: OnText, cancel: CancelToken) -> Reply:
    """Read a stream of chat completion chunks to its end.

    Args:
        open_stream: sends the request.
        on_text: told each piece of text; not what a model thinks before it replies.
        cancel: asks to stop.

    Raises:
        BrokenReply: it has no end, or holds what is no reply.
        Cancelled: a stop was asked for; the connection is closed.
    """
    text = TextWithoutThoughts(on_text)
    finish_reason = None
    prompt_tokens = reply_tokens = 0
    with closing(_pieces(open_stream, cancel)) as pieces:
        for piece in pieces:
            text.take(piece.text)
            finish_reason = piece.finish_reason or finish_reason
            prompt_tokens = piece.prompt_tokens or prompt_tokens
            reply_tokens = piece.reply_tokens or reply_tokens
    if finish_reason is None:
        raise BrokenReply("it ends in the middle")
    text.end()
    return Reply(text.text, finish_reason, prompt_tokens, reply_tokens)


def _pieces(open_stream: OpenStream, cancel: CancelToken) -> Generator[Piece, None, None]:
    reader = _Reader(open_stream)
    reader.start()
    try:
        while True:
            cancel.raise_if_cancelled()
            try:
                found = reader.found.get(timeout=_POLL_S)
            except queue.Empty:
                continue
            if cancel.cancelled:
                raise Cancelled
            if isinstance(found, Exception):
                raise found
            if found is None:
                return
            yield found
    finally:
        reader.stop()


class _Reader(threading.Thread):
    """Reads a stream into a queue: pieces, then None or what went wrong."""

    def __init__(self, open_stream: OpenStream) -> None:
        super().__init__(name="kb-model-reply", daemon=True)
        self._open_stream = open_stream
        self._connection = Connection()
        self.found: queue.Queue[Piece | Exception | None] = queue.Queue()

    def run(self) -> None:
        """Read until the end, an error, or `stop`."""
        from openai import OpenAIError

        try:
            with self._open_stream(self._connection) as chunks:
                for chunk in chunks:
                    if self._connection.is_cut:
                        return
                    self.found.put(_piece(chunk))
            self.found.put(None)
        except OpenAIError as error:
            self.found.put(error)
        except Exception as error:  # noqa: BLE001 (raised where the reply is waited for)
            broken = BrokenReply(f"it cannot be read: {error}")
            broken.__cause__ = error
            self.found.put(broken)

    def stop(self) -> None:
        """End reading, also while the server says nothing."""
        if self.is_alive():
            self._connection.cut()
            self.join(_LONGEST_GOODBYE_S)


def _piece(chunk: Any) -> Piece:
    """Return what a chunk says; servers leave out what they have nothing to say of."""
    usage = getattr(chunk, "usage", None)
    tokens = (usage.prompt_tokens or 0, usage.completion_tokens or 0) if usage else (0, 0)
    choice = next(iter(chunk.choices or ()), None)
    if choice is None:
        return Piece("", None, *tokens)
    text = (choice.delta.content if choice.delta else None) or ""
    return Piece(_SURROGATE.sub("\ufffd", text), choice.finish_reason, *tokens)


class TextWithoutThoughts:
    """Passes on what follows a thought at the very beginning.

    Attributes:
        text: all that was passed on.
    """

    def __init__(self, on_text: OnText) -> None:
        self._on_text = on_text
        self._held = ""
        self.text = ""

    def take(self, piece: str) -> None:
        """Pass a piece on, or hold it back while it may be of a thought."""
        if self.text:
            self._pass_on(piece)
            return
        self._held = (self._held + piece).lstrip()
        while self._held.startswith(_THINK_OPEN) and _THINK_CLOSE in self._held:
            self._held = self._held.partition(_THINK_CLOSE)[2].lstrip()
        if not self._held.startswith(_THINK_OPEN) and not _THINK_OPEN.startswith(self._held):
            self._pass_on(self._held)

    def end(self) -> None:
        """Pass on what was held back and turned out to be no thought."""
        if not self.text and not self._held.startswith(_THINK_OPEN):
            self._pass_on(self._held)

    def _pass_on(self, piece: str) -> None:
        if piece:
            self.text += piece
            self._on_text(piece)

"""A model server that answers by a script: a real socket, the real protocol, no model.

`GET /v1/models` lists models; `POST /v1/chat/completions` answers as the script says, streamed as
events where the request asks for that. Whatever servers do wrong can be scripted: errors with any
body, connections that break in the middle, replies that are cut off, silence.
"""

from __future__ import annotations

import json
import select
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL_ID = "scripted"
NO_ANSWER = 0
_SLOWEST_CLIENT_S = 10
_POLL_S = 0.02


@dataclass(frozen=True, slots=True)
class ScriptedReply:
    """What the server does with one request.

    Attributes:
        text: of the reply; in pieces, each is an event of its own.
        finish_reason: at its end; None sends none, as a server that dies would.
        status: other than 200, `body` is sent instead of a reply; `NO_ANSWER` closes the
            connection without a word.
        body: of an error, as JSON.
        headers: of the response, such as `Retry-After`.
        wait_s: before anything is sent; ends early when the server is stopped or the client left.
        piece_wait_s: the same, before each piece.
        drops_after: closes the connection after so many pieces, without an end.
        reasoning: sent as `reasoning_content` before the text.
        events: sent as they are instead of all this, for what no server should send.
    """

    text: str | Sequence[str] = ""
    finish_reason: str | None = "stop"
    status: int = 200
    body: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    wait_s: float = 0
    piece_wait_s: float = 0
    drops_after: int | None = None
    reasoning: str = ""
    events: Sequence[str] | None = None

    @property
    def pieces(self) -> list[str]:
        """The text as the events that it comes in."""
        return [self.text] if isinstance(self.text, str) else list(self.text)


Script = Callable[[dict[str, Any]], ScriptedReply | str | dict[str, Any]]
"""Gets a request; text stands for a reply of it, an object for one of its JSON."""


class ScriptedModelServer:
    """A running server; see `scripted_model_server`.

    Attributes:
        url: as clients want it.
        requests: bodies of the chat requests so far, in order.
        headers: of these requests, their names in lower case.
        was_left: set once a client closed its connection while it was kept waiting.
    """

    def __init__(self, script: Script | Iterable[Any], models: Sequence[str], listing: Any) -> None:
        self._script = script if callable(script) else _in_turn(script)
        self._lock = threading.Lock()
        self.models = tuple(models)
        self.listing = listing
        self.stopping = threading.Event()
        self.was_left = threading.Event()
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), _handler_for(self))
        self.http.daemon_threads = False  # closing waits for them, so that no socket is left open

    @property
    def url(self) -> str:
        """Address of the API."""
        return f"http://127.0.0.1:{self.http.server_address[1]}/v1"

    def reply_to(self, request: dict[str, Any], headers: dict[str, str]) -> ScriptedReply:
        """Return what the script says, one request at a time."""
        with self._lock:
            self.requests.append(request)
            self.headers.append(headers)
            reply = self._script(request)
        if isinstance(reply, ScriptedReply):
            return reply
        text = reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)
        return ScriptedReply(text=text)

    def prompts(self) -> list[str]:
        """Return the last message of each request."""
        return [request["messages"][-1]["content"] for request in self.requests]


@contextmanager
def scripted_model_server(
    script: Script | Iterable[Any], *, models: Sequence[str] = (MODEL_ID,), listing: Any = None
) -> Iterator[ScriptedModelServer]:
    """Give a running server.

    Args:
        script: a function of the request, or replies in turn, the last of them for ever.
        models: that it says it has; a request for another is a 404.
        listing: what it says instead when it is asked for its models.
    """
    server = ScriptedModelServer(script, models, listing)
    thread = threading.Thread(target=server.http.serve_forever, args=(_POLL_S,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.stopping.set()
        server.http.shutdown()
        server.http.server_close()
        thread.join()


def _in_turn(replies: Iterable[Any]) -> Script:
    waiting = list(replies)

    def next_reply(_: dict[str, Any]) -> Any:
        return waiting.pop(0) if len(waiting) > 1 else waiting[0]

    return next_reply


def _handler_for(server: ScriptedModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(_Handler):
        scripted = server

    return Handler


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = _SLOWEST_CLIENT_S
    scripted: ScriptedModelServer

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        """List the models."""
        models = [{"id": name, "object": "model"} for name in self.scripted.models]
        self._send(200, self.scripted.listing or {"object": "list", "data": models}, {})

    def do_POST(self) -> None:
        """Answer a chat request."""
        length = int(self.headers.get("Content-Length", 0))
        request = json.loads(self.rfile.read(length))
        if request["model"] not in self.scripted.models:
            error = {"message": f"model '{request['model']}' not found"}
            self._send(404, {"error": error}, {})
            return
        reply = self.scripted.reply_to(
            request, {name.lower(): value for name, value in self.headers.items()}
        )
        try:
            self._answer(reply, is_streamed=bool(request.get("stream")))
        except (BrokenPipeError, ConnectionResetError):
            self.scripted.was_left.set()

    def _answer(self, reply: ScriptedReply, *, is_streamed: bool) -> None:
        self._wait(reply.wait_s)
        if reply.status == NO_ANSWER:
            self.close_connection = True
        elif reply.status != 200:
            self._send(reply.status, reply.body, reply.headers)
        elif is_streamed:
            self._stream(reply)
        else:
            message = {"role": "assistant", "content": "".join(reply.pieces)}
            choice = {"index": 0, "message": message, "finish_reason": reply.finish_reason}
            self._send(200, {"choices": [choice], "usage": _usage(reply)}, reply.headers)

    def _wait(self, seconds: float) -> None:
        ends_s = time.monotonic() + seconds
        while time.monotonic() < ends_s and not self.scripted.stopping.is_set():
            if select.select([self.connection], [], [], _POLL_S)[0]:
                if not self.connection.recv(1, socket.MSG_PEEK):
                    raise BrokenPipeError
                self.scripted.stopping.wait(_POLL_S)

    def _send(self, status: int, body: Mapping[str, Any], headers: Mapping[str, str]) -> None:
        content = json.dumps(body, ensure_ascii=False).encode()
        self._send_head(status, {"Content-Type": "application/json", **headers}, len(content))
        self.wfile.write(content)

    def _send_head(
        self, status: int, headers: Mapping[str, str], byte_len: int | None = None
    ) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if byte_len is None:
            self.send_header("Transfer-Encoding", "chunked")
        else:
            self.send_header("Content-Length", str(byte_len))
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True

    def _stream(self, reply: ScriptedReply) -> None:
        self._send_head(200, {"Content-Type": "text/event-stream", **reply.headers})
        events = _events(reply) if reply.events is None else reply.events
        for number, event in enumerate(events):
            if number == reply.drops_after:
                return  # without the last block, which would end the body
            self._wait(reply.piece_wait_s)
            self._send_block(f"data: {event}\n\n".encode())
        self._send_block(b"")

    def _send_block(self, content: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(content), content))
        self.wfile.flush()


def _events(reply: ScriptedReply) -> Iterator[str]:
    if reply.reasoning:
        yield _chunk({"reasoning_content": reply.reasoning}, None)
    for piece in reply.pieces:
        yield _chunk({"content": piece}, None)
    if reply.finish_reason is None:
        return
    yield _chunk({}, reply.finish_reason)
    yield json.dumps(
        {"id": "x", "object": "chat.completion.chunk", "choices": [], "usage": _usage(reply)}
    )
    yield "[DONE]"


def _chunk(delta: Mapping[str, str], finish_reason: str | None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    chunk = {"id": "x", "object": "chat.completion.chunk", "choices": [choice]}
    return json.dumps(chunk, ensure_ascii=False)


def _usage(reply: ScriptedReply) -> dict[str, int]:
    words = len("".join(reply.pieces).split())
    return {"prompt_tokens": 10, "completion_tokens": words, "total_tokens": 10 + words}

"""Servers that speak the OpenAI protocol: a good one, and all that others do."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_config import Settings
from kb_core.errors import ConfigError, ModelError
from kb_embed_local import create_openai
from kb_embed_local.openai_server import parts_of
from kb_testing.embedder_conformance import EMBEDDER_CHECKS, EmbedderCheck
from kb_testing.fake_embedder import WordEmbedder

KEY = "sk-very-secret"
Answer = Callable[[dict[str, Any], str], tuple[int, Any]]


def embed(request: dict[str, Any], _authorization: str) -> tuple[int, Any]:
    """Answer as a server does, with vectors of words."""
    import struct

    vectors = WordEmbedder().embed_passages(request["input"])
    rows = [struct.unpack(f"<{len(each) // 2}e", each) for each in vectors]
    data = [
        {"object": "embedding", "index": place, "embedding": row} for place, row in enumerate(rows)
    ]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return 200, {"object": "list", "data": data[::-1], "model": request["model"], "usage": usage}


@contextmanager
def serving(answer: Answer) -> Iterator[str]:
    """Run a server and give its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, reply = answer(body, self.headers.get("Authorization", ""))
            content = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def settings_for(url: str, **more: object) -> Settings:
    chosen = {"engine": "openai", "model": "words", "url": url, **more}
    return Settings.model_validate({"embedding": chosen})


@pytest.mark.parametrize("check", EMBEDDER_CHECKS, ids=lambda check: check.__name__)
def test_a_server_conforms(check: EmbedderCheck) -> None:
    with serving(embed) as url:
        check(create_openai(settings_for(url)))


def test_model_prefixes_and_key_are_sent() -> None:
    seen: list[tuple[dict[str, Any], str]] = []

    def listen(request: dict[str, Any], authorization: str) -> tuple[int, Any]:
        seen.append((request, authorization))
        return embed(request, authorization)

    with serving(listen) as url:
        embedder = create_openai(
            settings_for(url, api_key=KEY, query_prefix="ask: ", passage_prefix="find: ")
        )
        embedder.embed_query("budget")
        embedder.embed_passages(["one", "two"])
    sent = [request["input"] for request, _ in seen]
    assert sent == [["ask: budget"], ["find: one", "find: two"]]
    assert {request["model"] for request, _ in seen} == {"words"}
    assert {authorization for _, authorization in seen} == {f"Bearer {KEY}"}


def test_long_texts_go_in_parts_and_many_texts_in_several_requests() -> None:
    requests: list[list[str]] = []

    def listen(request: dict[str, Any], authorization: str) -> tuple[int, Any]:
        requests.append(request["input"])
        return embed(request, authorization)

    with serving(listen) as url:
        embedder = create_openai(settings_for(url, max_tokens=8))
        vectors = embedder.embed_passages(["word " * 40, *["short"] * 20])
    assert len(vectors) == 21
    assert len(requests) > 1
    assert all(len(part.encode()) <= 32 for parts in requests for part in parts)


@pytest.mark.parametrize(
    ("status", "reply"),
    [
        (404, {"error": {"message": "model 'words' not found"}}),
        (401, {"error": {"message": f"wrong key {KEY}"}}),
        (500, b"out of memory"),
        (200, b"no json at all"),
        (200, {"object": "list", "data": []}),
        (200, {"object": "list", "data": [{"index": 0, "embedding": []}]}),
        (200, {"something": "else"}),
    ],
)
def test_a_server_that_fails_is_named_and_no_key_is_told(status: int, reply: Any) -> None:
    with serving(lambda _request, _authorization: (status, reply)) as url:
        embedder = create_openai(settings_for(url, api_key=KEY))
        with pytest.raises(ModelError) as caught:
            embedder.embed_query("budget")
    assert url in caught.value.message
    assert KEY not in caught.value.message
    assert caught.value.hint is not None


def test_a_server_that_is_not_there_is_named() -> None:
    with serving(embed) as url:
        pass
    with pytest.raises(ModelError, match="gives no vectors"):
        _ = create_openai(settings_for(url)).identity


def test_without_an_address_the_way_out_is_told() -> None:
    with pytest.raises(ConfigError, match=r"embedding\.url"):
        create_openai(Settings.model_validate({"embedding": {"engine": "openai"}}))


@given(st.text(max_size=300), st.integers(8, 64))
def test_parts_hold_the_whole_text_and_none_is_too_long(text: str, limit_bytes: int) -> None:
    text = text.encode("utf-8", "ignore").decode()
    parts = parts_of(text, limit_bytes)
    assert all(len(part.encode()) <= limit_bytes for part in parts)
    assert "".join(parts).split() == text.split()

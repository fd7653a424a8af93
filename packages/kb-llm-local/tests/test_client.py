"""What the client sends, what it makes of replies, and what it keeps."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_config import Settings
from kb_core.errors import ConfigError, ReplyRejected, ReplyUnusable, SchemaUnsupported
from kb_core.ports.language_model import Prompt
from kb_llm_local import OpenAILanguageModel, create_openai
from kb_llm_local.streaming import TextWithoutThoughts
from kb_testing.fake_language_model import MemoryReplies
from kb_testing.language_model_conformance import PROMPT, SCHEMA
from kb_testing.scripted_model_server import ScriptedModelServer, ScriptedReply

ServeScript = Callable[..., ScriptedModelServer]
MakeClient = Callable[..., OpenAILanguageModel]

GOOD = {"count": 3}


def test_a_request_is_greedy_bounded_and_in_the_schema(
    serve: ServeScript, client_of: MakeClient
) -> None:
    server = serve([GOOD])
    client_of(server.url, max_reply_tokens=77).complete_json(PROMPT, SCHEMA)
    (request,) = server.requests
    assert (request["temperature"], request["max_tokens"]) == (0, 77)
    assert request["seed"] == 0
    assert [message["role"] for message in request["messages"]] == ["system", "user"]
    wanted = request["response_format"]["json_schema"]
    assert (wanted["name"], wanted["schema"], wanted["strict"]) == ("parts_v1", SCHEMA.body, True)


def test_a_usable_reply_is_asked_for_once(serve: ServeScript, client_of: MakeClient) -> None:
    server, replies = serve([GOOD]), MemoryReplies()
    for _ in range(2):
        client = client_of(server.url, replies)
        assert client.complete_json(PROMPT, SCHEMA) == GOOD
    assert len(server.requests) == 1
    assert client.usage.cached == 1
    other = Prompt(system=PROMPT.system, user=PROMPT.user + " Four.")
    client.complete_json(other, SCHEMA)
    client_of(server.url, replies, max_reply_tokens=99).complete_json(PROMPT, SCHEMA)
    assert len(server.requests) == 3


def test_a_kept_reply_is_looked_at_again(serve: ServeScript, client_of: MakeClient) -> None:
    server, replies = serve([{"count": 1}, GOOD]), MemoryReplies()
    client = client_of(server.url, replies)
    assert client.complete_json(PROMPT, SCHEMA) == {"count": 1}

    def newer_rule(reply: Any) -> None:
        if reply["count"] < 3:
            raise ReplyRejected("too few")

    assert client.complete_json(PROMPT, SCHEMA, check=newer_rule) == GOOD


@pytest.mark.parametrize(
    ("first", "told"),
    [
        (ScriptedReply(text='{"count": 3', finish_reason="length"), "shorter"),
        ("I'm sorry, I can't do that.", "no JSON object"),
        ('{"count": 0}', "count"),
    ],
)
def test_what_was_wrong_is_said_when_it_is_asked_again(
    serve: ServeScript, first: Any, told: str, client_of: MakeClient
) -> None:
    server, replies = serve([first, GOOD]), MemoryReplies()
    assert client_of(server.url, replies).complete_json(PROMPT, SCHEMA) == GOOD
    roles = [message["role"] for message in server.requests[1]["messages"]]
    assert roles == ["system", "user", "assistant", "user"]
    assert told in server.prompts()[1]
    assert [json.loads(each.text) for each in replies.replies.values()] == [GOOD]


@pytest.mark.parametrize("first", ["word " * 900, ""])
def test_a_correction_goes_without_a_reply_that_does_not_fit_or_is_empty(
    serve: ServeScript, first: str, client_of: MakeClient
) -> None:
    server = serve([first, GOOD])
    client = client_of(server.url, context_tokens=512, max_reply_tokens=64)
    assert client.complete_json(PROMPT, SCHEMA) == GOOD
    assert len(server.requests[1]["messages"]) == 2
    assert server.prompts()[1].startswith(PROMPT.user)


@pytest.mark.parametrize(
    "reply", ["", "no", ScriptedReply(text='{"count": 3}', finish_reason="length")]
)
def test_what_stays_unusable_is_not_kept(
    serve: ServeScript, reply: Any, client_of: MakeClient
) -> None:
    server, replies = serve([reply]), MemoryReplies()
    with pytest.raises(ReplyUnusable) as caught:
        client_of(server.url, replies).complete_json(PROMPT, SCHEMA)
    assert caught.value.attempts == len(server.requests) == 3
    assert caught.value.reason
    assert not replies.replies


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        (["<think>hm", "m</think>\n", "Yes."], "Yes."),
        (["<thi", "nk>a</th", "ink>Yes."], "Yes."),
        (["<think>a</think>\n<think>b</think>Yes."], "Yes."),
        (["<thing> is a tag"], "<thing> is a tag"),
        (["<"], "<"),
        (["<think>a</think>", "\n\n", "<think>b</think> Yes", " <think>"], "Yes <think>"),
        (["Yes <think>no</think>"], "Yes <think>no</think>"),
    ],
)
def test_what_a_model_thinks_first_is_no_part_of_its_reply(
    serve: ServeScript, pieces: list[str], expected: str, client_of: MakeClient
) -> None:
    server = serve([ScriptedReply(text=pieces, reasoning="well")])
    told: list[str] = []
    completion = client_of(server.url).complete(PROMPT, on_text=told.append)
    assert completion.text == "".join(told) == expected


@given(
    st.lists(st.sampled_from(["<think>", "</think>", "<th", "<think>b</think>", " ", "a"])),
    st.data(),
)
def test_a_reply_is_the_same_however_it_is_divided(parts: list[str], data: st.DataObject) -> None:
    text = "".join(parts)
    ends = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pieces = [text[i:j] for i, j in pairwise([0, *ends, len(text)])]

    def passed_on(pieces: Sequence[str]) -> str:
        told: list[str] = []
        filtered = TextWithoutThoughts(told.append)
        for piece in pieces:
            filtered.take(piece)
        filtered.end()
        assert "".join(told) == filtered.text
        return filtered.text

    assert passed_on(pieces) == passed_on([text])


@pytest.mark.parametrize("empty", ["", " \n", "<think>never ends", "<think>a</think> "])
def test_empty_text_is_asked_for_again_and_is_no_reply(
    serve: ServeScript, empty: str, client_of: MakeClient
) -> None:
    replies = MemoryReplies()
    server = serve([empty, "Yes."])
    completion = client_of(server.url, replies).complete(PROMPT)
    assert (completion.text, completion.usage.requests) == ("Yes.", 2)
    assert "empty" in server.prompts()[1]
    server, replies = serve([empty]), MemoryReplies()
    with pytest.raises(ReplyUnusable, match="empty"):
        client_of(server.url, replies).complete(PROMPT)
    assert (len(server.requests), replies.replies) == (3, {})


def test_text_that_the_server_withholds_is_no_reply(
    serve: ServeScript, client_of: MakeClient
) -> None:
    server = serve([ScriptedReply(text="half", finish_reason="content_filter")])
    with pytest.raises(ReplyUnusable, match="withheld"):
        client_of(server.url).complete(PROMPT)


def test_a_schema_that_is_none_is_not_sent(serve: ServeScript, client_of: MakeClient) -> None:
    server = serve([GOOD])
    schema = SCHEMA.model_copy(update={"body": {"type": "objekt"}})
    with pytest.raises(SchemaUnsupported, match="kb-testing:parts"):
        client_of(server.url).complete_json(PROMPT, schema)
    assert not server.requests


def test_a_prompt_with_what_is_no_character_is_sent(
    serve: ServeScript, client_of: MakeClient
) -> None:
    server = serve(["Yes."])
    client_of(server.url).complete(Prompt(system="a\0b", user="c\udc80d"))
    assert [each["content"] for each in server.requests[0]["messages"]] == ["a\ufffdb", "c\ufffdd"]


def test_neither_client_library_nor_schemas_are_loaded_before_a_request() -> None:
    code = (
        "import sys; from kb_config import Settings; from kb_llm_local import create_openai;"
        "llm = {'url': 'http://127.0.0.1:9/v1', 'model': 'm'};"
        "create_openai(Settings.model_validate({'llm': llm}), None);"
        "sys.exit(sum(name in sys.modules for name in ('openai', 'jsonschema')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_text_that_was_cut_off_is_told_and_not_kept(
    serve: ServeScript, client_of: MakeClient
) -> None:
    replies = MemoryReplies()
    server = serve([ScriptedReply(text="half a sen", finish_reason="length")])
    completion = client_of(server.url, replies).complete(PROMPT)
    assert (completion.text, completion.finish_reason) == ("half a sen", "length")
    assert not replies.replies


def test_a_kept_text_comes_in_one_piece(serve: ServeScript, client_of: MakeClient) -> None:
    replies = MemoryReplies()
    server = serve([ScriptedReply(text=["one ", "two"])])
    client = client_of(server.url, replies)
    first = client.complete(PROMPT)
    told: list[str] = []
    again = client.complete(PROMPT, on_text=told.append)
    assert (told, again.text) == (["one two"], first.text)
    assert (first.usage.reply_tokens, again.usage.cached) == (2, 1)
    assert len(server.requests) == 1


def test_a_server_without_an_address_or_a_model_is_asked_for() -> None:
    for llm in ({}, {"url": "http://127.0.0.1:9/v1"}, {"model": "m"}):
        with pytest.raises(ConfigError, match=r"llm\.url and llm\.model"):
            create_openai(Settings.model_validate({"llm": llm}), MemoryReplies())

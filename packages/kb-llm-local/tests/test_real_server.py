"""The wire, against a real server with a real, very small model."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from kb_core import CancelToken
from kb_core.errors import Cancelled, ContextTooSmall, ReplyUnusable, ServerModelMissing
from kb_core.ports.language_model import Prompt, ReplySchema
from kb_llm_local import OpenAILanguageModel
from kb_testing.real_model_server import MODEL_ID as REAL_MODEL_ID

MakeClient = Callable[..., OpenAILanguageModel]

pytestmark = pytest.mark.slow

TALK = Prompt(system="You tell stories.", user="Tell me a long story about a dragon.")
COLOURS = ReplySchema(
    key="colours",
    schema_id="kb-testing:colours.v1",
    version=1,
    name="colours_v1",
    body={
        "type": "object",
        "properties": {
            "colours": {
                "type": "array",
                "items": {"type": "string", "maxLength": 12},
                "minItems": 1,
                "maxItems": 2,
            },
            "mood": {"enum": ["warm", "cold"]},
        },
        "required": ["colours", "mood"],
        "additionalProperties": False,
    },
)


def test_the_model_is_there_and_answers(real_client: OpenAILanguageModel) -> None:
    assert real_client.probe() >= 0


def test_text_is_streamed_and_cut_off_where_it_is_told_to(
    real_client: OpenAILanguageModel,
) -> None:
    told: list[str] = []
    completion = real_client.complete(TALK, on_text=told.append)
    assert len(told) > 20
    assert "".join(told) == completion.text
    assert completion.finish_reason == "length"
    assert completion.usage.reply_tokens == 96
    assert completion.usage.prompt_tokens > 10


def test_the_same_question_has_the_same_answer(real_server: str, client_of: MakeClient) -> None:
    texts = {
        client_of(real_server, model=REAL_MODEL_ID, max_reply_tokens=40, context_tokens=2048)
        .complete(TALK)
        .text
        for _ in range(2)
    }
    assert len(texts) == 1


def test_a_schema_is_kept(real_client: OpenAILanguageModel) -> None:
    prompt = Prompt(system="You answer in JSON.", user="Which colours does a fire have?")
    reply = real_client.complete_json(prompt, COLOURS)
    assert isinstance(reply, dict)
    assert reply["mood"] in ("warm", "cold")


def test_a_reply_in_a_schema_that_is_cut_off_is_no_reply(
    real_server: str, client_of: MakeClient
) -> None:
    client = client_of(real_server, model=REAL_MODEL_ID, context_tokens=2048, max_reply_tokens=32)
    endless = COLOURS.model_copy(
        update={
            "body": {
                "type": "object",
                "properties": {"story": {"type": "string", "minLength": 900}},
                "required": ["story"],
            }
        }
    )
    with pytest.raises(ReplyUnusable, match="cut off after 32 tokens"):
        client.complete_json(TALK, endless)


def test_a_stop_is_prompt(real_client: OpenAILanguageModel) -> None:
    cancel = CancelToken()
    told: list[str] = []

    def on_text(piece: str) -> None:
        told.append(piece)
        if len(told) == 3:
            cancel.cancel()

    with pytest.raises(Cancelled):
        real_client.complete(TALK, on_text=on_text, cancel=cancel)
    assert len(told) == 3
    assert not [each for each in threading.enumerate() if each.name == "kb-model-reply"]


def test_a_prompt_beyond_the_servers_context_says_so(
    real_server: str, client_of: MakeClient
) -> None:
    client = client_of(real_server, model=REAL_MODEL_ID, context_tokens=100_000)
    with pytest.raises(ContextTooSmall) as caught:
        client.complete(Prompt(system="", user="dragon " * 4000))
    assert "llm.context_tokens" in (caught.value.hint or "")


def test_another_model_is_not_there(real_server: str, client_of: MakeClient) -> None:
    with pytest.raises(ServerModelMissing) as caught:
        client_of(real_server, model="nobody").probe()
    assert REAL_MODEL_ID in (caught.value.hint or "")

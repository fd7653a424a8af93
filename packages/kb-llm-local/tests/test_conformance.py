"""The client over a server, and the fake, keep the same rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from pydantic import JsonValue

from kb_core.ports.language_model import ModelClient, Prompt
from kb_llm_local import OpenAILanguageModel
from kb_testing.fake_language_model import FakeLanguageModel
from kb_testing.language_model_conformance import LANGUAGE_MODEL_CHECKS, LanguageModelCheck
from kb_testing.scripted_model_server import ScriptedModelServer

ServeScript = Callable[..., ScriptedModelServer]
MakeClient = Callable[..., OpenAILanguageModel]


@pytest.mark.parametrize("check", LANGUAGE_MODEL_CHECKS, ids=lambda check: check.__name__)
def test_the_client_conforms(
    check: LanguageModelCheck, serve: ServeScript, client_of: MakeClient
) -> None:
    check(lambda replies: client_of(serve(replies).url))


@pytest.mark.parametrize("check", LANGUAGE_MODEL_CHECKS, ids=lambda check: check.__name__)
def test_the_fake_conforms(check: LanguageModelCheck) -> None:
    def make(replies: Sequence[JsonValue]) -> ModelClient:
        def answer(_: Prompt, attempt: int) -> JsonValue:
            return replies[min(attempt, len(replies) - 1)]

        return FakeLanguageModel(answer)

    check(make)

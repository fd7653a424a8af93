"""Fixtures of kb-llm-local's tests: clients of scripted servers, and a real server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from kb_config import Settings
from kb_llm_local import OpenAILanguageModel, create_openai, transport
from kb_testing.fake_language_model import MemoryReplies
from kb_testing.real_model_server import MODEL_ID as REAL_MODEL_ID
from kb_testing.real_model_server import real_model_server
from kb_testing.scripted_model_server import MODEL_ID, ScriptedModelServer, scripted_model_server

ServeScript = Callable[..., ScriptedModelServer]
MakeClient = Callable[..., OpenAILanguageModel]


def make_client(url: str, replies: MemoryReplies | None = None, **llm: Any) -> OpenAILanguageModel:
    """Return a client of a server; `llm` are further settings."""
    settings = Settings.model_validate({"llm": {"url": url, "model": MODEL_ID, **llm}})
    return create_openai(settings, replies or MemoryReplies())


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[ServeScript]:
    """Start servers; waiting between tries is shortened to next to nothing."""
    monkeypatch.setattr(transport, "FIRST_WAIT_S", 0.001)
    with ExitStack() as servers:
        yield lambda *args, **kwargs: servers.enter_context(scripted_model_server(*args, **kwargs))


@pytest.fixture(scope="session")
def real_server() -> Iterator[str]:
    """Address of a real model server."""
    with real_model_server(context_tokens=2048) as url:
        yield url


@pytest.fixture
def real_client(real_server: str) -> OpenAILanguageModel:
    """Client of the real model."""
    return make_client(real_server, model=REAL_MODEL_ID, context_tokens=2048, max_reply_tokens=96)


@pytest.fixture
def client_of() -> MakeClient:
    """Make a client of a server, with further settings of `llm`."""
    return make_client

"""The module of the guide is a whole one: it is taken from the page, run and checked."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from kb_core import ChunkRuntime, run_chunker
from kb_testing.chunk_module_conformance import CHUNK_MODULE_CHECKS, ModuleCase, ModuleCheck
from kb_testing.chunker_conformance import CHUNKER_CHECKS, ChunkerCheck
from kb_testing.documents import make_recording

GUIDE = Path(__file__).resolve().parent.parent / "docs" / "chunk-modules.md"
MOST_LINES = 60
INTERVIEW = make_recording(
    "interview.wav",
    [
        (0, 900, "Welcome to the show.", "Host"),
        (900, 2000, "Where do you work?", "Host"),
        (2000, 4000, "At a bakery.", "Guest"),
        (4000, 5000, "언제부터 일했어요？", "Host"),
        (5000, 7000, "Since May.", "Guest"),
    ],
).document


def example() -> str:
    (code,) = re.findall(
        r"^## A complete module\n+```python\n(.*?)^```", GUIDE.read_text("utf-8"), re.M | re.S
    )
    return str(code)


@pytest.fixture(scope="module")
def chunker_type() -> Any:
    module = ModuleType("example_of_the_guide")
    sys.modules[module.__name__] = module
    exec(compile(example(), str(GUIDE), "exec"), module.__dict__)  # noqa: S102 (our own page)
    yield module.__dict__["QuestionsChunker"]
    del sys.modules[module.__name__]


def test_the_example_is_short() -> None:
    lines = [line for line in example().splitlines() if line.strip()]
    assert len(lines) <= MOST_LINES


@pytest.mark.parametrize("check", CHUNK_MODULE_CHECKS, ids=lambda check: check.__name__)
def test_the_example_conforms(check: ModuleCheck, chunker_type: Any) -> None:
    check(ModuleCase(chunker_type, document=INTERVIEW))


@pytest.mark.parametrize("check", CHUNKER_CHECKS, ids=lambda check: check.__name__)
def test_the_example_loses_nothing(check: ChunkerCheck, chunker_type: Any) -> None:
    chunker = chunker_type()
    check(chunker, INTERVIEW, ModuleCase(chunker_type, INTERVIEW).policy(chunker))


def test_the_example_does_what_the_page_says(chunker_type: Any) -> None:
    chunker = chunker_type()
    policy = ModuleCase(chunker_type, INTERVIEW).policy(chunker)
    result = run_chunker(chunker, INTERVIEW, policy, ChunkRuntime())
    assert [chunk.text for chunk in result.chunks] == [
        "Welcome to the show.",
        "Where do you work? At a bakery.",
        "언제부터 일했어요？ Since May.",
    ]
    assert {chunk.metadata["asked_by"] for chunk in result.chunks} == {"Host"}
    assert [warning.code for warning in result.warnings] == ["no_question"]

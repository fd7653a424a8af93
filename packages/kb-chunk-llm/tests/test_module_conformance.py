"""The modules that ask a model keep what every module keeps."""

from __future__ import annotations

import re

import pytest
from pydantic import JsonValue

from kb_chunk_llm import DndScenesChunker, TranscriptTopicsChunker
from kb_core.ports.language_model import Prompt
from kb_testing.chunk_module_conformance import CHUNK_MODULE_CHECKS, ModuleCase, ModuleCheck
from kb_testing.documents import make_recording
from kb_testing.fake_language_model import FakeLanguageModel

TALK = make_recording(
    "session.wav",
    [(at * 1000, at * 1000 + 900, f"Turn {at} of the evening.", f"S{at % 3}") for at in range(12)],
).document


def _ids(prompt: Prompt, letter: str) -> list[str]:
    return re.findall(rf"^({letter}\d+) \| ", prompt.user, re.MULTILINE)


def _scenes(prompt: Prompt, _: int) -> JsonValue:
    ids = _ids(prompt, "u")
    halves = (ids[: len(ids) // 2], ids[len(ids) // 2 :])
    return {
        "scenes": [
            {
                "first_unit_id": half[0],
                "last_unit_id": half[-1],
                "title": "A scene",
                "primary_mode": "roleplay",
                "participants": ["S1"],
                "summary": "",
                "boundary_note": "",
                "boundary_confidence": 1,
            }
            for half in halves
            if half
        ],
        "caveats": [],
    }


def _topics(prompt: Prompt, _: int) -> JsonValue:
    ids = _ids(prompt, "s")
    return {"segments": [{"first_sentence": ids[0], "last_sentence": ids[-1], "title": "All"}]}


CASES = {
    "dnd/scenes": ModuleCase(
        DndScenesChunker, document=TALK, language_model=lambda: FakeLanguageModel(_scenes)
    ),
    "transcript/topics": ModuleCase(
        TranscriptTopicsChunker, document=TALK, language_model=lambda: FakeLanguageModel(_topics)
    ),
    "transcript/topics by rules": ModuleCase(TranscriptTopicsChunker, document=TALK),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.parametrize("check", CHUNK_MODULE_CHECKS, ids=lambda check: check.__name__)
def test_modules_that_ask_conform(check: ModuleCheck, case: ModuleCase) -> None:
    if case.language_model is None and check.__name__ == "check_a_stop_ends_what_takes_long":
        pytest.skip("without a model nothing takes long")
    check(case)

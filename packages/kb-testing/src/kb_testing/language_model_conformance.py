"""What every client of a language model must do, as checks that take a maker of clients.

The maker gets a script: for each attempt in turn what the model writes. See `MakeModel`.

@pytest.mark.parametrize("check", LANGUAGE_MODEL_CHECKS, ids=lambda check: check.__name__)
def test_model_conforms(check): check(make_model)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from pydantic import JsonValue

from kb_core.errors import Cancelled, ContextTooSmall, ReplyRejected, ReplyUnusable
from kb_core.ports.language_model import ModelClient, Prompt, ReplySchema
from kb_core.runtime import CancelToken

MakeModel = Callable[[Sequence[JsonValue]], ModelClient]
"""Gets replies, the last of which is for ever: texts as written, objects as their JSON."""
LanguageModelCheck = Callable[[MakeModel], None]

PROMPT = Prompt(system="Divide the text.", user="One. Two. Three.")
SCHEMA = ReplySchema(
    key="parts",
    schema_id="kb-testing:parts.v1",
    version=1,
    name="parts_v1",
    body={
        "type": "object",
        "properties": {"count": {"type": "integer", "minimum": 1}},
        "required": ["count"],
        "additionalProperties": False,
    },
)


def _at_least_three(reply: JsonValue) -> None:
    assert isinstance(reply, dict)
    count = reply["count"]
    assert isinstance(count, int)
    if count < 3:
        raise ReplyRejected(f"{count} parts are too few; there are three")


def check_an_object_comes_back(make_model: MakeModel) -> None:
    """Ask for an object."""
    assert make_model([{"count": 3}]).complete_json(PROMPT, SCHEMA) == {"count": 3}


def check_what_breaks_the_schema_is_asked_for_again(make_model: MakeModel) -> None:
    """Reply with another object first."""
    model = make_model([{"number": 3}, {"count": 3}])
    assert model.complete_json(PROMPT, SCHEMA) == {"count": 3}
    assert model.usage.requests == 2


def check_what_the_asker_rejects_is_asked_for_again(make_model: MakeModel) -> None:
    """Reply with too few first."""
    model = make_model([{"count": 1}, {"count": 3}])
    assert model.complete_json(PROMPT, SCHEMA, check=_at_least_three) == {"count": 3}


def check_a_request_comes_to_nothing_in_the_end(make_model: MakeModel) -> None:
    """Never reply with enough; the last reason is told."""
    model = make_model([{"count": 2}])
    with pytest.raises(ReplyUnusable) as caught:
        model.complete_json(PROMPT, SCHEMA, check=_at_least_three)
    assert "2 parts are too few" in caught.value.reason
    assert model.usage.requests == caught.value.attempts


def check_a_prompt_that_does_not_fit_is_not_sent(make_model: MakeModel) -> None:
    """Ask with more than the model reads."""
    model = make_model([{"count": 3}])
    prompt = Prompt(system="", user="word " * 4 * model.limits.context_tokens)
    with pytest.raises(ContextTooSmall):
        model.complete_json(prompt, SCHEMA)
    with pytest.raises(ContextTooSmall):
        model.complete(prompt)
    assert model.usage.requests == 0


def check_text_comes_in_pieces_that_join(make_model: MakeModel) -> None:
    """Ask for text."""
    pieces: list[str] = []
    completion = make_model(["Three parts, that is all."]).complete(PROMPT, on_text=pieces.append)
    assert completion.text == "".join(pieces) == "Three parts, that is all."
    assert completion.finish_reason == "stop"


def check_a_stop_stops(make_model: MakeModel) -> None:
    """Ask after a stop was asked for."""
    model = make_model([{"count": 3}])
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        model.complete_json(PROMPT, SCHEMA, cancel=cancel)
    with pytest.raises(Cancelled):
        model.complete(PROMPT, cancel=cancel)


LANGUAGE_MODEL_CHECKS: tuple[LanguageModelCheck, ...] = (
    check_an_object_comes_back,
    check_what_breaks_the_schema_is_asked_for_again,
    check_what_the_asker_rejects_is_asked_for_again,
    check_a_request_comes_to_nothing_in_the_end,
    check_a_prompt_that_does_not_fit_is_not_sent,
    check_text_comes_in_pieces_that_join,
    check_a_stop_stops,
)

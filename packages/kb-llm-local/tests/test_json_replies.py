"""Which object of a reply counts, and that none is made up."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import JsonValue

from kb_core.errors import ReplyRejected
from kb_llm_local.json_replies import object_in

VALIDATOR = Draft202012Validator(
    {
        "type": "object",
        "properties": {"title": {"type": "string"}, "count": {"type": "integer"}},
        "required": ["title"],
        "additionalProperties": False,
    }
)
GOOD = {"title": "a ``` b", "count": 2}
TEXT = json.dumps(GOOD)


@pytest.mark.parametrize(
    "reply",
    [
        TEXT,
        f"  \n{TEXT}\n ",
        f"```json\n{TEXT}\n```",
        f"Here you are:\n```\n{TEXT}\n```\nAnything else?",
        f"{TEXT}\n\nI hope that helps {{smile}}.",
        f"Sure! {TEXT}",
        f'Not {{"title": "x"}} but:\n```json\n{TEXT}\n```',
        f"The format is {{}} and this is it: {TEXT}",
        f'```json\n{{"wrong": 1}}\n```\nNo, this one:\n```json\n{TEXT}\n```',
        f"```\n{json.dumps(GOOD, indent=1)}\n```",
    ],
)
def test_the_object_that_keeps_the_schema_is_found(reply: str) -> None:
    assert object_in(reply, VALIDATOR) == GOOD


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("I'm sorry, but I can't help with that.", "no JSON object"),
        (TEXT[:-3], "no JSON object"),
        ('{"title": "a", "title": "b"}', "no JSON object"),
        ('{"title": "a", "count": NaN}', "no JSON object"),
        ('{"title": "a", "count": 1e999}', "no JSON object"),
        ('{"title": "\\ud83d"}', "half a character"),
        ('{"title": 1}', "title"),
        ('{"title": "a", "more": 1}', "more"),
        ('{"count": 2}', "title"),
        ('["title"]', "no JSON object"),
        ("{" * 5000, "no JSON object"),
    ],
)
def test_nothing_is_mended_that_is_not_json(reply: str, reason: str) -> None:
    with pytest.raises(ReplyRejected, match=reason):
        object_in(reply, VALIDATOR)


@given(
    st.fixed_dictionaries({"title": st.text()}, optional={"count": st.integers(-9, 9)}),
    st.text(st.sampled_from("ab {}`\n\"'[]:,"), max_size=30),
    st.text(st.sampled_from("ab {}`\n\"'[]:,"), max_size=30),
)
def test_whatever_surrounds_it_only_what_was_written_comes_back(
    value: dict[str, JsonValue], before: str, after: str
) -> None:
    reply = before + json.dumps(value) + after
    try:
        found = object_in(reply, VALIDATOR)
    except ReplyRejected:
        return
    assert json.dumps(found) in json.dumps(value) or found == value or json.dumps(found) in reply

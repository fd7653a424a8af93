"""One value has one byte form."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_core import TimeSpan, canonical_json, digest_hex, id_from, nfc
from kb_testing.strategies import unicode_text

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | unicode_text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text("abé한", max_size=3), inner)
    ),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("value", "data"),
    [
        ({"b": 1, "a": 2}, b'{"a":2,"b":1}'),
        ({"a": {"d": 1, "c": [2, 1]}}, b'{"a":{"c":[2,1],"d":1}}'),
        (1.0, b"1"),
        (-0.0, b"0"),
        (1e21, b"1e+21"),
        (0.1, b"0.1"),
        (1e-7, b"1e-7"),
        ([True, False, None], b"[true,false,null]"),
        ((1, 2), b"[1,2]"),
        ("e\u0301", '"é"'.encode()),
        ({"e\u0301": 1}, '{"é":1}'.encode()),
        ("\n\x1f\u2028</", '"\\n\\u001f\u2028</"'.encode()),
        (TimeSpan(start_ms=1, end_ms=2), b'{"end_ms":2,"kind":"time","start_ms":1}'),
        ([TimeSpan(start_ms=1, end_ms=2)], b'[{"end_ms":2,"kind":"time","start_ms":1}]'),
    ],
)
def test_the_byte_form_of(value: Any, data: bytes) -> None:
    assert canonical_json(value) == data


def test_keys_are_ordered_as_utf16() -> None:
    assert canonical_json({"\uff21": 1, "\U0001f600": 2}) == '{"\U0001f600":2,"\uff21":1}'.encode()


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 2**53, "\ud800", [math.nan]])
def test_what_json_cannot_hold_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match=r".+"):
        canonical_json(value)


@pytest.mark.parametrize("value", [b"x", bytearray(b"x"), {1, 2}, object(), {1: 2}, {"a": b"x"}])
def test_what_is_no_json_is_refused(value: Any) -> None:
    with pytest.raises(TypeError):
        canonical_json(value)


def test_keys_that_become_one_in_nfc_are_refused() -> None:
    with pytest.raises(ValueError, match="two keys"):
        canonical_json({"é": 1, "e\u0301": 2})


def test_an_id_is_the_beginning_of_the_digest() -> None:
    assert id_from({"a": 1}) == digest_hex(b'{"a":1}')[:32]
    assert digest_hex(b"") == "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"


@given(st.dictionaries(st.text("abc한", max_size=3), json_values))
def test_the_order_of_keys_does_not_matter(value: dict[str, Any]) -> None:
    assert canonical_json(dict(reversed(value.items()))) == canonical_json(value)


@given(unicode_text())
def test_the_unicode_spelling_does_not_matter(text: str) -> None:
    assert canonical_json(text) == canonical_json(nfc(text))

"""Every message is one printable line and names the file."""

import inspect
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_core import errors
from kb_core.errors import (
    Cancelled,
    ChunkContractError,
    CitationSyntaxError,
    ConfigError,
    DecodeFailed,
    EmptyRecording,
    FeatureMissing,
    InputError,
    KbError,
    MissingCapability,
    ModelDigestMismatch,
    ModelDownloadFailed,
    NoAudioStream,
    NotFound,
    StoreFull,
    StoreMissing,
    StoreTooNew,
    printable,
)

NAME = "회의 \udcff\n\x1b[31m.m4a"
SHOWN = "회의 \\xff\\x0a\\x1b[31m.m4a"


def every_error(text: str) -> list[KbError]:
    return [
        KbError(text, hint=text),
        InputError(text, text),
        DecodeFailed(Path("x") / text.replace("\x00", ""), "damaged", hint=text),
        NoAudioStream(text),
        EmptyRecording(text),
        ConfigError(text),
        StoreMissing(text),
        StoreTooNew(text, 7, 3),
        StoreFull(text),
        ModelDigestMismatch(text, "a" * 64, "b" * 64),
        ModelDownloadFailed(text),
        ChunkContractError(text, "#1", text),
        MissingCapability(text, "a language model"),
        CitationSyntaxError(text, "no span"),
        NotFound("document", text),
        FeatureMissing(text, "kb-x"),
        Cancelled(),
    ]


@given(st.text())
def test_every_message_and_hint_is_one_printable_line(text: str) -> None:
    for error in every_error(text):
        assert str(error).isprintable(), type(error)
        assert (error.hint or "").isprintable(), type(error)
        assert str(error) == error.message


@pytest.mark.parametrize(
    "error",
    [InputError(NAME, "damaged"), NoAudioStream(NAME), StoreMissing(NAME), NotFound("chunk", NAME)],
)
def test_a_message_names_the_file(error: KbError) -> None:
    assert SHOWN in str(error)


def test_the_message_says_file_and_reason() -> None:
    assert str(NoAudioStream("notes/video.mp4")) == "notes/video.mp4: no audio stream"
    assert NoAudioStream("x").reason == "no audio stream"
    assert NoAudioStream(Path("x")).path == "x"


@given(st.text())
def test_a_printable_text_stays_as_it_is(text: str) -> None:
    shown = printable(text)
    assert shown.isprintable()
    assert printable(shown) == shown
    if text.isprintable():
        assert shown == text


def test_every_error_has_a_code_of_its_own_and_a_place_in_the_tree() -> None:
    classes = [
        value
        for _, value in inspect.getmembers(errors, inspect.isclass)
        if issubclass(value, KbError)
    ]
    codes = [value.code for value in classes]
    assert len(set(codes)) == len(codes)
    for value in classes:
        assert value.__name__ in (errors.__doc__ or "")

"""References are found beside their recording, in whatever format they are."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path, PurePath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_core.errors import InputError
from kb_eval import Reference, ReferencePart, ReferenceWord, find_reference
from kb_eval.languages import language_told_by
from kb_eval.readers import read_ljspeech, read_sphinx, read_text, read_timed_json

PARTS = [
    {"start": 0.0, "end": 3.89, "text": "그는 걸어갔다.", "lang": "ko", "speaker": "A"},
    {"start": 4.49, "end": 8.811, "text": "many people", "lang": "en", "from": "x.ogg"},
]


def put(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def test_parts_keep_their_times_and_languages() -> None:
    assert read_timed_json(json.dumps(PARTS)) == Reference(
        text="그는 걸어갔다. many people",
        parts=(
            ReferencePart(
                start_ms=0, end_ms=3890, text=PARTS[0]["text"], language="ko", speaker="A"
            ),
            ReferencePart(start_ms=4490, end_ms=8811, text="many people", language="en"),
        ),
    )


def test_words_of_pocketsphinx_lose_silences_and_numbers_of_pronunciations() -> None:
    words = [
        {"b": 0.0, "d": 0.2, "p": 0.9, "t": "<sil>"},
        {"b": 0.2, "d": 0.17, "p": 0.9, "t": "and(2)"},
        {"b": 0.37, "d": 0.26, "p": 0.9, "t": "mister"},
        {"b": 0.63, "d": 0.1, "p": 0.9, "t": "[NOISE]"},
    ]
    document = {"b": 0.0, "d": 0.63, "p": 1.0, "t": "and mister", "w": words}
    assert read_timed_json(json.dumps(document)) == Reference(
        text="and mister",
        words=(
            ReferenceWord(start_ms=200, end_ms=370, text="and"),
            ReferenceWord(start_ms=370, end_ms=630, text="mister"),
        ),
    )


def test_words_of_leopard_keep_their_language() -> None:
    words = [{"word": "그는", "start_sec": 0.67, "end_sec": 0.9, "speaker_tag": 1}]
    document = {"language": "ko", "transcript": "그는", "words": words}
    assert read_timed_json(json.dumps(document)) == Reference(
        text="그는", words=(ReferenceWord(start_ms=670, end_ms=900, text="그는"),), language="ko"
    )


def test_a_line_of_a_shared_file_belongs_to_the_recording_of_its_name() -> None:
    rows = "LJ-1|about 1455,|about fourteen fifty-five,\nLJ-10|other|other\n"
    assert read_ljspeech(rows, "LJ-1") == Reference(text="about fourteen fifty-five,")
    assert read_ljspeech(rows, "LJ") is None
    lines = "<s> he was not </s> (austen-0880)\nno marks (austen-0890)\n"
    assert read_sphinx(lines, "austen-0880") == Reference(text="he was not")
    assert read_sphinx(lines, "austen-0890") == Reference(text="no marks")
    assert read_sphinx(lines, "0880") is None


def test_language_tags_of_lines_are_no_text() -> None:
    assert read_text("[en] Good morning.\n[en] Bye.") == Reference(
        text="Good morning. Bye.", language="en"
    )
    assert read_text("[en] Hi.\n[de] Tag [de] auch.\n") == Reference(text="Hi. Tag [de] auch.")


@pytest.mark.parametrize(
    "text", ['{"fragments": []}', "[]", "[1, 2]", '[{"name": "x"}]', '"words"', '{"words": []}']
)
def test_json_of_other_kinds_is_no_reference(text: str) -> None:
    assert read_timed_json(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "{",
        '[{"start": 0, "text": "no end"}]',
        '[{"start": 2, "end": 1, "text": "backwards"}]',
        '[{"start": "0.0", "end": 1, "text": "a string"}]',
        '[{"start": 0, "end": Infinity, "text": "for ever"}]',
        '{"w": [{"b": NaN, "d": 1, "t": "never"}]}',
        '{"w": 3}',
        "[" * 100_000,
    ],
)
def test_times_that_make_no_sense_are_an_error_of_that_file(tmp_path: Path, text: str) -> None:
    put(tmp_path, **{"a.json": text})
    with pytest.raises(InputError, match=r"a\.json: no usable reference: ") as caught:
        find_reference(tmp_path / "a.wav", tmp_path)
    assert "\n" not in str(caught.value)


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists))
def test_any_json_is_a_reference_or_none_or_a_value_error(value: object) -> None:
    for document in (value, [{"start": value, "end": value, "text": value}], {"w": value}):
        with suppress(ValueError):
            read_timed_json(json.dumps(document))


def test_text_comes_from_the_first_and_times_are_added(tmp_path: Path) -> None:
    words = [{"word": "go", "start_sec": 0.5, "end_sec": 0.9}]
    put(
        tmp_path,
        **{
            "a.txt": "\ufeffGo!\n",
            "a.words.json": json.dumps({"transcript": "go", "language": "en", "words": words}),
            "metadata.csv": "a|not|this",
        },
    )
    assert find_reference(tmp_path / "a.wav", tmp_path) == Reference(
        text="Go!", words=(ReferenceWord(start_ms=500, end_ms=900, text="go"),), language="en"
    )


def test_shared_files_are_read_where_a_recording_has_none_of_its_own(tmp_path: Path) -> None:
    put(
        tmp_path,
        **{
            "lj__metadata.csv": "a|x|spelled out",
            "sphinx__transcription.txt": "<s> said so </s> (a)",
        },
    )
    found = [find_reference(tmp_path / name / "a.wav", tmp_path) for name in ("lj", "sphinx")]
    assert found == [Reference(text="spelled out"), Reference(text="said so")]


def test_nothing_is_said_where_the_text_is_empty_or_the_folder_says_so(tmp_path: Path) -> None:
    put(tmp_path, **{"en__a.txt": " \n", "nonspeech__b.txt": "sung"})
    for name, is_silent in (("en/a", True), ("nonspeech/x/a", True), ("nonspeech/b", False)):
        reference = find_reference(tmp_path / f"{name}.wav", tmp_path)
        assert reference is not None
        assert reference.is_silent is is_silent
    assert find_reference(tmp_path / "en" / "c.wav", tmp_path) is None


def test_a_text_that_is_no_unicode_is_an_error_of_that_file(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("안녕".encode("cp949"))
    with pytest.raises(InputError, match=r"a\.txt: is not UTF-8"):
        find_reference(tmp_path / "a.wav", tmp_path)


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("audio/ko/a.wav", "ko"),
        ("ko/long/a.wav", "ko"),
        ("ko/en/a.wav", "en"),
        ("other/fleurs-de-001.ogg", "de"),
        ("other/de-001.ogg", "de"),
        ("ko/fleurs-de-001.ogg", "ko"),
        ("tv/a.wav", None),
        ("other/talk-xx-1.wav", None),
        ("other/en.wav", None),
    ],
)
def test_a_language_is_told_by_folder_or_name(path: str, language: str | None) -> None:
    assert language_told_by(PurePath(path)) == language


def test_the_evaluated_folder_itself_may_name_the_language(tmp_path: Path) -> None:
    put(tmp_path, **{"ko__b.txt": "가", "ko__c.json": json.dumps(PARTS)})
    reference = find_reference(tmp_path / "ko" / "b.wav", tmp_path / "ko")
    assert reference is not None
    assert reference.language == "ko"
    mixed = find_reference(tmp_path / "ko" / "c.wav", tmp_path / "ko")
    assert mixed is not None
    assert mixed.language is None

"""What a note says of itself at its head is kept, and is no text."""

from __future__ import annotations

from itertools import pairwise

import pytest

from kb_core import canonical_json


def user_of(document) -> dict:
    canonical_json(document.metadata.user)  # it can be stored
    return document.metadata.user


def test_known_keys_are_fields_and_others_are_kept(read) -> None:
    document = read(
        "---\ntitle: '배포: 계획'\nlanguage: ko_KR\ntags:\n  - 배포\n  - 2026\n  - 배포\n"
        "aliases: one\n"
        "created: 2026-04-27 09:30:00\nmodified: soon\nstatus: done\n---\n\n# Heading\n"
    )
    metadata = document.metadata
    assert (document.title, document.lang) == ("배포: 계획", "ko")
    assert (metadata.tags, metadata.aliases) == (("배포", "2026"), ("one",))
    assert (metadata.created, metadata.updated) == ("2026-04-27T09:30:00", "soon")
    assert user_of(document) == {"status": "done"}
    assert [block.text for block in document.blocks] == ["Heading"]
    assert document.blocks[0].source_span.start == 14


def test_texts_are_taken_as_they_are_written(read) -> None:
    document = read("---\ntitle: 12:30\nlang: no\ntags: [1.10, yes]\n---\nword\n")
    assert (document.title, document.lang) == ("12:30", "no")
    assert document.metadata.tags == ("1.10", "yes")


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("x: 2026-04-27", "2026-04-27"),
        ("x: 2026-04-27T09:00:00Z", "2026-04-27T09:00:00+00:00"),
        ("x: 2026-02-30", "2026-02-30"),
        ("x: .nan", ".nan"),
        ("x: -.inf", "-.inf"),
        ("x: 12:30:15", "12:30:15"),
        ("x: 123456789012345678901", "123456789012345678901"),
        ("x: 1" + "0" * 5_000, "1" + "0" * 5_000),
        ("x: [1, 2.5, null, true, a]", [1, 2.5, None, True, "a"]),
        ("x: {1: a, yes: b, 2026-01-01: c}", {"1": "a", "yes": "b", "2026-01-01": "c"}),
        ("x: {<<: {y: 1}, z: 2}", {"<<": {"y": 1}, "z": 2}),
        ('x: "e\\u0301 a\\0b"', "é ab"),
        ("x: !thing {a: 1}", {"a": 1}),
        ("x: !!binary aGk=", "aGk="),
    ],
)
def test_every_value_has_a_form_in_json(read, line: str, value: object) -> None:
    document = read(f"---\n{line}\n---\nword\n")
    assert user_of(document) == {"x": value}
    assert document.metadata.warnings == ()


def test_two_spellings_of_one_key_are_one(read) -> None:
    assert user_of(read('---\nx: {"\\u00e9": 1, "e\\u0301": 2}\n---\n')) == {"x": {"é": 2}}


@pytest.mark.parametrize("close", ["---", "...", "---  "])
def test_both_ends_of_yaml_close_it(shape, close: str) -> None:
    assert shape(f"---\na: b\n{close}\nReal\n---\n") == [("heading", 4, 4, "Real")]


def test_broken_front_matter_is_warned_of_and_is_no_body(read) -> None:
    document = read("---\ntitle: [\nsecret: 1\n---\nbody\n")
    assert [block.text for block in document.blocks] == ["body"]
    assert document.title == "note"
    assert "front matter cannot be read" in document.metadata.warnings[0]


def test_front_matter_is_not_nested_without_end(read) -> None:
    assert read("---\na: " + "[" * 40 + "]" * 40 + "\n---\n").metadata.warnings == ()
    assert read("---\na: " + "[" * 60 + "]" * 60 + "\n---\n").metadata.warnings != ()


def test_text_between_two_lines_across_is_body(shape) -> None:
    assert shape("---\n\nOnce upon a time.\n\n---\n\nThe end.\n") == [
        ("paragraph", 3, 3, "Once upon a time."),
        ("paragraph", 7, 7, "The end."),
    ]


@pytest.mark.parametrize("text", ["---\na: b\n", "\n---\na: b\n---\n", "--- a\nb: c\n---\n"])
def test_what_is_not_closed_or_not_at_the_head_is_body(read, text: str) -> None:
    document = read(text)
    assert document.blocks
    assert document.metadata.user == {}


@pytest.mark.parametrize(
    "yaml",
    [
        "a: &a [x,x,x,x,x,x,x,x,x]\n"
        + "".join(f"{k}: &{k} [{','.join(['*' + p] * 9)}]\n" for p, k in pairwise("abcdefghi")),
        "a: &a {x: 1}\n"
        + "".join(
            f"{k}: &{k} {{<<: [{','.join(['*' + p] * 9)}]}}\n" for p, k in pairwise("abcdefghi")
        ),
        "a: &a [*a]",
        "a: " + "[" * 5_000,
        "a: 1" + ":1" * 30_000,
        "a: " + "b" * 100_000,
    ],
    ids=["aliases", "merges", "itself", "deep", "sexagesimal", "long"],
)
def test_hostile_yaml_ends(read, yaml: str) -> None:
    assert [block.text for block in read(f"---\n{yaml}\n---\nbody\n").blocks] == ["body"]

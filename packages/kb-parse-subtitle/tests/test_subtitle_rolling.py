"""Rolling captions: each word once, with its first time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Read = Callable[..., Any]


def vtt(*cues: tuple[str, str]) -> str:
    return "WEBVTT\n\n" + "\n\n".join(f"{time}\n{text}" for time, text in cues) + "\n"


ROLLING = (
    ("00:00.000 --> 00:02.000", "A B C"),
    ("00:02.000 --> 00:02.010", "A B C"),
    ("00:02.010 --> 00:04.000", "A B C\nD E F"),
    ("00:04.000 --> 00:06.000", "D E F\nG H"),
)


def test_each_line_of_rolling_captions_comes_once_with_its_first_time(read: Read) -> None:
    found = read(vtt(*ROLLING))
    assert found.cues == [(0, 2000, "A B C"), (2010, 4000, "D E F"), (4000, 6000, "G H")]
    assert found.document.provenance[0].detail["folded_cues"] == 1


def test_a_sentence_that_is_said_again_later_is_kept_twice(read: Read) -> None:
    again = ("01:06.000 --> 01:08.000", "A B C")
    assert read(vtt(*ROLLING, again)).texts == ["A B C", "D E F", "G H", "A B C"]
    last_again = ("01:06.000 --> 01:08.000", "G H")
    assert read(vtt(*ROLLING, last_again)).texts == ["A B C", "D E F", "G H", "G H"]
    plain = vtt(("00:00.000 --> 00:02.000", "A B C"), again)
    assert read(plain).cues == [(0, 2000, "A B C"), (66_000, 68_000, "A B C")]


def test_what_is_said_twice_at_once_in_captions_that_do_not_roll_is_kept(read: Read) -> None:
    times = [f"00:0{n}.000 --> 00:0{n + 1}.000" for n in range(5)]
    texts = ["No.", "No.", "Why?\nHow?", "How?\nBecause.", "So."]
    found = read(vtt(*zip(times, texts, strict=True)))
    assert found.texts == texts


def test_words_of_lines_that_came_before_go_with_them(read: Read) -> None:
    found = read(
        vtt(
            ("00:00.000 --> 00:02.000", "a<00:00:01.000><c> b</c>"),
            ("00:02.000 --> 00:02.010", "a b\n "),
            ("00:02.010 --> 00:04.000", "a b\nc<00:00:03.000><c> d</c>"),
        )
    )
    words = [[(w.start_ms, w.text) for w in each.words] for each in found.transcript.segments]
    assert words == [[(0, "a"), (1000, "b")], [(2010, "c"), (3000, "d")]]


def test_captions_that_grow_word_by_word_come_once(read: Read) -> None:
    found = read(
        vtt(
            ("00:00.000 --> 00:01.000", "so"),
            ("00:01.000 --> 00:02.000", "so we"),
            ("00:02.000 --> 00:03.000", "so we begin"),
            ("00:03.000 --> 00:04.000", "so we begin\nnobody"),
        )
    )
    assert found.cues == [
        (0, 1000, "so"),
        (1000, 2000, "we"),
        (2000, 3000, "begin"),
        (3000, 4000, "nobody"),
    ]


def test_another_speaker_repeats_nothing(read: Read) -> None:
    texts = ["<v Ann>yes", "<v Bob>yes\nwell", "<v Ann>yes\nwell\nso"]
    times = [f"00:0{n}.000 --> 00:0{n + 1}.000" for n in range(3)]
    assert read(vtt(*zip(times, texts, strict=True))).texts == ["yes", "yes\nwell", "yes\nwell\nso"]

"""JSON of recognisers, and of turns."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import pytest

from kb_core.errors import InputError

Read = Callable[..., Any]


def words_of(segment: Any) -> list[tuple[int, int, str]]:
    return [(word.start_ms, word.end_ms, word.text) for word in segment.words]


def test_whisperx_words_without_times_lie_between_their_neighbours(read: Read) -> None:
    found = read(
        json.dumps(
            {
                "segments": [
                    {
                        "start": 1.0,
                        "end": 3.0,
                        "text": " It was 1999 then.",
                        "speaker": "SPEAKER_01",
                        "words": [
                            {
                                "word": "It",
                                "start": 1.0,
                                "end": 1.2,
                                "score": 0.9,
                                "speaker": "SPEAKER_01",
                            },
                            {"word": "was", "start": 1.3, "end": 1.5, "score": 1.7},
                            {"word": "1999"},
                            {"word": "then.", "start": 2.5, "end": 2.9, "score": 0.5},
                        ],
                    },
                    {"start": 3.0, "end": 4.0, "text": "Yes."},
                ],
                "word_segments": [],
                "language": "en",
            }
        ),
        "x.json",
    )
    assert found.turns == [("SPEAKER_01", "It was 1999 then."), (None, "Yes.")]
    segment = found.transcript.segments[0]
    assert words_of(segment) == [
        (1000, 1200, "It"),
        (1300, 1500, "was"),
        (1500, 2500, "1999"),
        (2500, 2900, "then."),
    ]
    assert [word.confidence for word in segment.words] == [0.9, 1.0, None, 0.5]
    assert (found.document.lang, found.transcript.model_id) == ("en", "whisperx-json")


@pytest.mark.parametrize(
    ("speakers", "speaker"), [(("A", "A"), "A"), (("A", "B"), None), (("A", None), None)]
)
def test_a_segment_without_a_speaker_has_that_of_all_its_words_or_none(
    read: Read, speakers: tuple[str | None, ...], speaker: str | None
) -> None:
    words = [{"word": "x", "start": 1, "end": 2, "speaker": each} for each in speakers]
    rows = [
        {"start": 0, "end": 1, "text": "a", "speaker": "A"},
        {"start": 1, "end": 2, "text": "x x", "words": words},
    ]
    assert read(json.dumps({"segments": rows})).turns == [("A", "a"), (speaker, "x x")]


def whisper_cpp(segments: list[dict[str, Any]]) -> str:
    value = {"result": {"language": "zh"}, "transcription": segments}
    return json.dumps(value, ensure_ascii=False)


def cpp_segment(
    start_ms: int, end_ms: int, text: str, *tokens: tuple[str, int, int]
) -> dict[str, Any]:
    return {
        "offsets": {"from": start_ms, "to": end_ms},
        "text": text,
        "tokens": [{"text": t, "offsets": {"from": a, "to": b}, "p": 0.5} for t, a, b in tokens],
    }


def test_stray_bytes_in_a_token_cost_no_segment(read: Read) -> None:
    segments = [
        cpp_segment(
            0,
            1000,
            " 地 one",
            ("[_BEG_]", 0, 0),
            ("@1@", 0, 200),
            ("@2@", 200, 400),
            (" one", 400, 900),
        ),
        cpp_segment(1000, 2000, " two", (" t@3@wo", 1000, 2000)),
    ]
    data = whisper_cpp(segments).encode()
    data = data.replace(b"@1@", b"\xe5\x9c").replace(b"@2@", b"\xb0").replace(b"@3@", b"\xff")
    found = read(data, "x.json")
    assert found.cues == [(0, 1000, "地 one"), (1000, 2000, "two")]
    assert [words_of(each) for each in found.transcript.segments] == [
        [(0, 400, "地"), (400, 900, "one")],
        [(1000, 2000, "two")],
    ]
    assert found.flags == [[], ["bytes_repaired"]]
    assert found.warnings == ["line 1: 1 stray bytes left out"]
    assert found.document.metadata.encoding == "utf-8"
    assert found.transcript.segments[0].confidence == 0.5


def test_a_character_over_two_segments_is_in_the_first(read: Read) -> None:
    data = whisper_cpp([cpp_segment(0, 1000, "大@1@"), cpp_segment(1000, 2000, "@2@上")]).encode()
    found = read(data.replace(b"@1@", b"\xe5\x9c").replace(b"@2@", b"\xb0"), "x.json")
    assert found.texts == ["大地", "上"]
    assert found.warnings == []


def test_verbose_json_has_confidence_and_a_language_by_name(read: Read) -> None:
    found = read(
        json.dumps(
            {
                "task": "transcribe",
                "language": "korean",
                "duration": 9.5,
                "text": "하나 둘",
                "segments": [
                    {
                        "id": 0,
                        "start": 0.0005,
                        "end": 2.0,
                        "text": " 하나",
                        "avg_logprob": -0.5,
                        "no_speech_prob": 0.1,
                    },
                    {"id": 1, "start": 2.0, "end": 4.0, "text": " 둘", "avg_logprob": 3},
                ],
                "words": [
                    {"word": "하나", "start": 0.5, "end": 1.0},
                    {"word": "둘", "start": 2.1, "end": 2.5},
                ],
            }
        )
    )
    first, second = found.transcript.segments
    assert first.confidence == pytest.approx(math.exp(-0.5))
    assert second.confidence == 1.0
    assert (words_of(first), words_of(second)) == ([(500, 1000, "하나")], [(2100, 2500, "둘")])
    assert (found.document.lang, found.transcript.model_id) == ("ko", "whisper-verbose-json")


def test_times_that_are_none_lose_no_segment(read: Read) -> None:
    rows = [
        {"start": 1.0, "end": 2.0, "text": "a"},
        {"start": None, "end": math.nan, "text": "b"},
        {"start": 5.0, "end": 4.0, "text": "c"},
        {"start": -1.0, "end": 1e300, "text": "d"},
    ]
    found = read(json.dumps({"segments": rows}, indent=1))
    assert found.cues == [
        (1000, 2000, "a"),
        (2000, 5000, "b"),
        (5000, 5000, "c"),
        (5000, 5000, "d"),
    ]
    assert len(found.warnings) == 3


def test_turns_without_times_are_cited_by_their_lines(read: Read) -> None:
    content = (
        '{"topics": [{"x": "]"}],\n"meeting_transcripts": [\n{"speaker": "PM",\n'
        '"content": "Hello ."},\n{"speaker": "ID", "content": "Hi"}]}'
    )
    found = read(content, "m.json")
    assert found.turns == [("PM", "Hello ."), ("ID", "Hi")]
    assert not found.transcript.timed
    spans = [found.transcript.segment_span(n) for n in range(2)]
    assert [(span.start, span.end) for span in spans] == [(3, 4), (5, 5)]
    assert found.document.blocks[0].source_span.kind == "line"


def test_turns_of_two_people_name_both(read: Read) -> None:
    turns = [{"NAMES": ["ANN", "BOB"], "UTTERANCES": ["Oh.", "Well."], "NUMBER": 0}]
    assert read(json.dumps({"TURNS": turns})).turns == [("ANN & BOB", "Oh. Well.")]


@pytest.mark.parametrize(
    ("row", "start_ms", "end_ms"),
    [
        ({"start": 1.5, "end": 3}, 1500, 3000),
        ({"start_ms": 1500, "end_ms": 3000}, 1500, 3000),
        ({"start": 61_500, "end": 63_000}, 61_500, 63_000),
        ({"start": 61, "end": 63}, 61_000, 63_000),
        ({"start": "00:01:01,5", "end": "01:03"}, 61_500, 63_000),
        ({"timestamp": "12.25"}, 12_250, 12_250),
    ],
)
def test_seconds_milliseconds_and_clocks_are_told_apart(
    read: Read, row: dict[str, Any], start_ms: int, end_ms: int
) -> None:
    found = read(json.dumps([{"speaker": "A", "text": "We deploy on Thursday.", **row}]))
    assert found.cues == [(start_ms, end_ms, "We deploy on Thursday.")]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ('[{"query": "x", "turn_start": 0}]', "no transcript"),
        ('{"segments": [{"start": 1', "damaged JSON"),
        ("[" * 100_000 + "]" * 100_000, "nested too deeply"),
        ('{"segments": [{"start": ' + "9" * 5000 + ', "text": "x"}]}', "number"),
        ("{}", "no transcript"),
    ],
)
def test_json_that_is_no_transcript_is_refused(read: Read, content: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason) as caught:
        read(content, "x.json")
    assert caught.value.hint


def test_control_characters_and_half_characters_are_not_stored(read: Read) -> None:
    found = read('[{"speaker": "A\\u0000", "text": "a\\u0000\\ud800b\\u0007"}]')
    assert found.turns == [("A", "a\N{REPLACEMENT CHARACTER}b")]

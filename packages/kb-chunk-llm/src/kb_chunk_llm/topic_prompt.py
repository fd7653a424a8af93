"""What a model is asked about one block, and what its reply must keep.

It sees numbered sentences and names them; offsets, times and text come from our own table. A reply
that leaves a sentence out, takes one twice or names one that is not there is refused, in words
that say which and what would be right: the model is asked again with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pydantic import JsonValue, ValidationError

from kb_chunk_llm.module import prompt_template, rejection, reply_schema
from kb_core import Model
from kb_core.errors import ReplyRejected
from kb_core.fencing import SEPARATOR, fenced, plain_line
from kb_core.ports.language_model import Prompt, ReplySchema

FENCE_NAME = "SENTENCES"
MAX_TOPICS = 40
"""As many as the schema admits in one block."""
_SHOWN_CHARS = 24


class Place(NamedTuple):
    """Which block of how many, counted from 1."""

    number: int
    total: int

    def __str__(self) -> str:
        return f"block {self.number} of {self.total}"


class Topic(NamedTuple):
    """A topic that a model found.

    Attributes:
        first: place of its first sentence among those of the block, from 0.
        last: place of its last sentence.
        title: None where it has none.
    """

    first: int
    last: int
    title: str | None


class _Segment(Model):
    first_sentence: str
    last_sentence: str
    title: str


class _Reply(Model):
    segments: tuple[_Segment, ...]


def sentence_id(place: int) -> str:
    """Return the id that the model is shown for the sentence at `place`, counted from 0."""
    return f"s{place + 1:03d}"


def topic_schema() -> ReplySchema:
    """Return the schema of a reply."""
    return reply_schema("transcript_topics.v1.json")


def topic_prompt(texts: Sequence[str], place: Place) -> Prompt:
    """Return what the model is asked about a block.

    Args:
        texts: its sentences, at least one.
        place: which block it is.
    """
    lines = [f"{sentence_id(at)}{SEPARATOR}{text}" for at, text in enumerate(texts)]
    system = prompt_template("transcript_topics.system.j2").render(max_topics=MAX_TOPICS)
    user = prompt_template("transcript_topics.user.j2").render(
        block_number=place.number,
        block_count=place.total,
        first_sentence=sentence_id(0),
        last_sentence=sentence_id(len(texts) - 1),
        fenced_sentences=fenced(FENCE_NAME, lines),
    )
    return Prompt(system=system, user=user)


def topics_of(reply: JsonValue, sentence_count: int) -> list[Topic]:
    """Return the topics of a reply about a block of so many sentences.

    Raises:
        ReplyRejected: it is no partition of the sentences; the message names topic and sentence.
    """
    try:
        segments = _Reply.model_validate(reply).segments
    except ValidationError as error:
        raise rejection(error, {"segments": "segment"}) from error
    places = {sentence_id(at): at for at in range(sentence_count)}
    topics: list[Topic] = []
    for number, segment in enumerate(segments, start=1):
        first = _place_of(places, segment.first_sentence, number, "first_sentence")
        last = _place_of(places, segment.last_sentence, number, "last_sentence")
        _check_bounds(number, first, last, expected=topics[-1].last + 1 if topics else 0)
        topics.append(Topic(first, last, plain_line(segment.title) or None))
    _check_end(topics, sentence_count)
    return topics


def _place_of(places: dict[str, int], name: str, number: int, field: str) -> int:
    place = places.get(name)
    if place is None:
        ids = f"{sentence_id(0)} to {sentence_id(len(places) - 1)}"
        raise ReplyRejected(
            f"segment {number}: {field} {_shown(name)} is no sentence of this block, which has"
            f" {ids}; copy one of these ids exactly"
        )
    return place


def _check_bounds(number: int, first: int, last: int, *, expected: int) -> None:
    if last < first:
        raise ReplyRejected(
            f"segment {number}: last_sentence {sentence_id(last)} stands before its"
            f" first_sentence {sentence_id(first)}; it must be {sentence_id(first)} or later"
        )
    if first == expected:
        return
    right = f"first_sentence must be {sentence_id(expected)}"
    if first > expected:
        raise ReplyRejected(
            f"segment {number}: begins with {sentence_id(first)} and leaves out"
            f" {_run(expected, first - 1)}; its {right}"
        )
    raise ReplyRejected(
        f"segment {number}: begins with {sentence_id(first)}, which segment {number - 1} or one"
        f" before it holds already; its {right}, or the segment must go"
    )


def _check_end(topics: Sequence[Topic], sentence_count: int) -> None:
    end = topics[-1].last if topics else -1
    if end != sentence_count - 1:
        missing = _run(end + 1, sentence_count - 1)
        raise ReplyRejected(
            f"segment {len(topics)}: ends with {sentence_id(end)} and leaves out {missing}; the"
            f" last_sentence of the last segment must be {sentence_id(sentence_count - 1)}"
            if topics
            else f"there is no segment; they must hold {missing}"
        )


def _run(first: int, last: int) -> str:
    ids = sentence_id(first), sentence_id(last)
    return ids[0] if first == last else " to ".join(ids)


def _shown(name: str) -> str:
    """Return an id that a model made up, short and fit for a message."""
    return repr(plain_line(name)[:_SHOWN_CHARS])

"""JSON: kb's own form, which loses nothing, and that of WhisperX, which other programs take.

`transcript.v1` is one object: the fields of the document and of its transcript by the names that
they have in `kb_core`, with `segments` last, one on each line. All times are whole milliseconds. It
holds the suspects too, with the flags that say so. A document that is no transcript is written as
its `canonical_document.v1`.

The seconds of WhisperX are the shortest decimals that stand for the milliseconds, so reading them
gives these back. It has no word for a suspect, hence these are left out.
"""

from __future__ import annotations

import json
from typing import Any

from kb_core import (
    CanonicalDocument,
    Model,
    TranscriptSegment,
    Word,
)
from kb_parse_subtitle.writers.spoken import (
    language_of_speech,
    one_line,
    said_segments,
    text_lines,
    timed_transcript_of,
    transcript_of,
)

SCHEMA_VERSION = "transcript.v1"


def write_json(document: CanonicalDocument) -> str:
    """Return all that is stored of a document, transcript or not."""
    audio, transcript = document.audio, transcript_of(document)
    if audio is None or transcript is None:
        return document.model_dump_json(indent=1) + "\n"
    fields = {
        "schema_version": SCHEMA_VERSION,
        **_plain(document, "blocks", "schema_version"),
        "duration_ms": audio.duration_ms,
        **_plain(transcript, "segments"),
    }
    return _one_segment_a_line(fields, [_plain(segment) for segment in transcript.segments])


def write_whisperx(document: CanonicalDocument) -> str:
    """Return the JSON that WhisperX writes, with what is known of it.

    Raises:
        ExportError: the document is no transcript with times.
    """
    transcript = timed_transcript_of(document, "whisperx")
    segments = [
        _whisperx_segment(each, text)
        for each in said_segments(document, transcript)
        if (text := "\n".join(text_lines(each.text)))
    ]
    return _one_segment_a_line({"language": language_of_speech(document, transcript)}, segments)


def _whisperx_segment(segment: TranscriptSegment, text: str) -> dict[str, Any]:
    speaker = one_line(segment.speaker)
    fields: dict[str, Any] = {
        "start": segment.start_ms / 1000,
        "end": segment.end_ms / 1000,
        "text": text,
    }
    if speaker is not None:
        fields["speaker"] = speaker
    fields["words"] = [_whisperx_word(word, speaker) for word in segment.words]
    return fields


def _whisperx_word(word: Word, speaker: str | None) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "word": word.text,
        "start": word.start_ms / 1000,
        "end": word.end_ms / 1000,
    }
    if word.confidence is not None:
        fields["score"] = word.confidence
    if speaker is not None:
        fields["speaker"] = speaker
    return fields


def _one_segment_a_line(fields: dict[str, Any], segments: list[dict[str, Any]]) -> str:
    """Return an object that people can read and compare line by line."""
    lines = [f"{_dumped(name)}: {_dumped(value)}," for name, value in fields.items()]
    rows = ",\n".join(map(_dumped, segments))
    return "\n".join(["{", *lines, '"segments": [', *([rows] if rows else []), "]", "}\n"])


def _plain(model: Model, *left_out: str) -> dict[str, Any]:
    """Return the fields as JSON has them, which knows no NaN that a person's metadata may hold."""
    fields: dict[str, Any] = json.loads(model.model_dump_json(exclude=set(left_out)))
    return fields


def _dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)

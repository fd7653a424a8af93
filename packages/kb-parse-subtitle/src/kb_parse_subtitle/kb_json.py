"""`transcript.v1`, the JSON that kb itself writes: segments as they are stored.

They are taken as they are, with words, confidence and flags. Only their lines are those of this
file.
"""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from kb_core import TranscriptSegment
from kb_parse_subtitle.cue import Cue, Cues
from kb_parse_subtitle.json_file import JsonFile

_SCHEMA_VERSION = "transcript.v1"


def is_kb_json(value: Any) -> bool:
    """Return whether kb wrote this; what somebody changed so that it breaks the rules is not."""
    if not isinstance(value, dict) or value.get("schema_version") != _SCHEMA_VERSION:
        return False
    segments = value.get("segments")
    if not isinstance(segments, list):
        return False
    try:
        for segment in segments:
            TranscriptSegment.model_validate(segment)
    except (ValidationError, TypeError):
        return False
    return True


def read_kb_json(file: JsonFile) -> Cues:
    """Read what `is_kb_json`."""
    cues = []
    for element in file.elements("segments"):
        segment = TranscriptSegment.model_validate(element.value)
        cues.append(
            Cue(
                segment.text,
                element.first_line,
                element.last_line,
                start_ms=segment.start_ms,
                end_ms=segment.end_ms,
                speaker=segment.speaker,
                words=segment.words,
                confidence=segment.confidence,
                language=segment.language,
                flags=segment.flags,
            )
        )
    language, title = file.value.get("language"), file.value.get("title")
    return Cues(
        cues,
        language=language if isinstance(language, str) else None,
        title=title if isinstance(title, str) and title.strip() else None,
        in_text_order=True,
        is_final=True,
        timed=file.value.get("timed") is not False,
    )

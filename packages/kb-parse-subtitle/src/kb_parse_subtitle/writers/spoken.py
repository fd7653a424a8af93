"""What the writers share: which segments are written, and how times and texts look."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kb_core import CanonicalDocument, Transcript, TranscriptSegment
from kb_core.errors import ExportError
from kb_parse_subtitle.cue import TextFile, joined_lines
from kb_parse_subtitle.placing import clean_text

TEXT_FORMATS_HINT = "`kb export --format txt` or `--format md` writes its text"


@dataclass(frozen=True, slots=True)
class Caption:
    """A segment as people read it.

    Attributes:
        lines: its text; at least one, none of them empty or with blanks around it.
        speaker: on one line, never empty.
    """

    start_ms: int
    end_ms: int
    lines: tuple[str, ...]
    speaker: str | None

    @property
    def line(self) -> str:
        """The text on one line."""
        return " ".join(self.lines)


def transcript_of(document: CanonicalDocument) -> Transcript | None:
    """Return what was said, or None for a document that is no transcript."""
    return document.audio.transcript if document.audio is not None else None


def timed_transcript_of(document: CanonicalDocument, format_name: str) -> Transcript:
    """Return a transcript whose times mean something.

    Raises:
        ExportError: the document has none.
    """
    transcript = transcript_of(document)
    if transcript is None:
        raise ExportError(
            f"{document.workspace_path}: {format_name} holds what was said in a recording, "
            "and this document has no transcript",
            hint=TEXT_FORMATS_HINT,
        )
    if not transcript.timed:
        raise ExportError(
            f"{document.workspace_path}: {format_name} needs times, and this transcript has none",
            hint=TEXT_FORMATS_HINT,
        )
    return transcript


def said_segments(
    document: CanonicalDocument, transcript: Transcript
) -> Iterator[TranscriptSegment]:
    """Yield the segments that count as said, in their order."""
    for segment in transcript.segments:
        if document.metadata.keeps_suspects or not segment.suppressed:
            yield segment


def captions_of(document: CanonicalDocument, transcript: Transcript) -> list[Caption]:
    """Return what people read of a transcript: what counts as said and has a visible text."""
    cues = (
        Caption(
            segment.start_ms, segment.end_ms, text_lines(segment.text), one_line(segment.speaker)
        )
        for segment in said_segments(document, transcript)
    )
    return [cue for cue in cues if cue.lines]


def language_of_speech(document: CanonicalDocument, transcript: Transcript) -> str | None:
    """Return the language code of the transcript, or else that of the document."""
    return transcript.language or document.lang


def text_lines(text: str) -> tuple[str, ...]:
    """Return the lines of a text as the readers have them, without control characters.

    Blanks around lines and empty lines are left out; the rarer separators stay inside a line.
    """
    joined = joined_lines(TextFile(clean_text(text)).lines)
    return tuple(joined.split("\n")) if joined else ()


def one_line(text: str | None) -> str | None:
    """Return a name on one line with single blanks, or None where nothing is left."""
    return " ".join(clean_text(text or "").split()) or None


def format_time(time_ms: int, *, decimal_mark: str = ".") -> str:
    """Return HH:MM:SS and milliseconds, hours with two digits or as many as they need."""
    whole_s, rest_ms = divmod(time_ms, 1000)
    return f"{format_seconds(whole_s)}{decimal_mark}{rest_ms:03}"


def format_seconds(whole_s: int) -> str:
    """Return HH:MM:SS, hours with two digits or as many as they need."""
    minutes, seconds = divmod(whole_s, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02}:{minutes:02}:{seconds:02}"

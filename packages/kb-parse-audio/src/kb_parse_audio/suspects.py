"""Segments that were probably not said: flagged, kept, and left out of everything else.

A recogniser writes text for whatever it gets, and fluent text for noise. No list of phrases is
kept: people do say "thank you for watching". What counts is evidence, and no single doubt is enough
where another sign speaks for the text:

- nobody speaks: the detector of speech heard next to nothing under the segment;
- it is no clear speech, and the recogniser is not sure: voices that sing, animals, a television
  next door. Of real speech, noisy or quiet, the detector is nearly certain most of the time; of
  singing it hardly ever is;
- the recogniser guessed: its tokens are improbable and the speech is not clear throughout;
- more text than a mouth can speak in that time;
- the text repeats itself, as a recogniser in a loop does;
- the same text again and again: the first is kept, the others are flagged as repeated.
"""

from __future__ import annotations

import unicodedata
import zlib
from collections.abc import Sequence
from itertools import groupby

from kb_core import TranscriptSegment
from kb_parse_audio.speech_track import SpeechTrack

SPEECH_PROBABILITY = 0.5
CLEAR_PROBABILITY = 0.97
MARGIN_MS = 100
LEAST_SPOKEN_SHARE = 0.1
LEAST_CLEAR_SHARE = 0.3
SURE_CONFIDENCE = 0.9
GUESSED_CONFIDENCE = 0.4
CLEAR_THROUGHOUT_SHARE = 0.6
MOST_BYTES_PER_S = 60
FREE_BYTES = 40
MOST_COMPRESSION = 3.2
LEAST_RUN = 4

SUSPECT_RULES = (
    f"evidence-v1/speech={SPEECH_PROBABILITY}/clear={CLEAR_PROBABILITY}/margin={MARGIN_MS}"
    f"/spoken={LEAST_SPOKEN_SHARE}/clear-share={LEAST_CLEAR_SHARE}/sure={SURE_CONFIDENCE}"
    f"/guessed={GUESSED_CONFIDENCE}/throughout={CLEAR_THROUGHOUT_SHARE}/rate={MOST_BYTES_PER_S}"
    f"+{FREE_BYTES}/compression={MOST_COMPRESSION}/run={LEAST_RUN}"
)
"""Names the rules and their numbers; part of every transcript version."""


def flag_suspects(
    segments: Sequence[TranscriptSegment], track: SpeechTrack
) -> tuple[TranscriptSegment, ...]:
    """Return the segments, those that were probably not said flagged with the reason."""
    flagged: list[TranscriptSegment] = []
    for _, run in groupby(segments, key=lambda segment: _letters(segment.text)):
        alike = list(run)
        flagged.extend(_flag_repeats(alike) if len(alike) >= LEAST_RUN else alike)
    return tuple(_judged(segment, track) for segment in flagged)


def _flag_repeats(alike: Sequence[TranscriptSegment]) -> list[TranscriptSegment]:
    detail = f"the same text {len(alike)} times in a row"
    return [alike[0], *(segment.flagged("repeated", detail) for segment in alike[1:])]


def _judged(segment: TranscriptSegment, track: SpeechTrack) -> TranscriptSegment:
    reason = _doubt_of_text(segment) or _doubt_of_speech(segment, track)
    return segment if reason is None else segment.flagged("suspected_hallucination", reason)


def _doubt_of_text(segment: TranscriptSegment) -> str | None:
    text = segment.text.encode()
    compression = len(text) / len(zlib.compress(text))
    if compression > MOST_COMPRESSION:
        return f"the text repeats itself: it compresses {compression:.1f} times"
    duration_ms = segment.end_ms - segment.start_ms
    if len(text) > FREE_BYTES + MOST_BYTES_PER_S * duration_ms / 1000:
        return f"{len(segment.text)} characters in {duration_ms} ms"
    return None


def _doubt_of_speech(segment: TranscriptSegment, track: SpeechTrack) -> str | None:
    heard = track.between(segment.start_ms - MARGIN_MS, segment.end_ms + MARGIN_MS)
    spoken = heard[heard >= SPEECH_PROBABILITY]
    spoken_share = len(spoken) / max(1, len(heard))
    if spoken_share < LEAST_SPOKEN_SHARE:
        return f"nobody speaks: speech in {spoken_share:.0%} of the time"
    clear_share = float((spoken >= CLEAR_PROBABILITY).mean())
    confidence = 1.0 if segment.confidence is None else segment.confidence
    unclear = clear_share < LEAST_CLEAR_SHARE and confidence < SURE_CONFIDENCE
    guessed = clear_share < CLEAR_THROUGHOUT_SHARE and confidence < GUESSED_CONFIDENCE
    if unclear or guessed:
        return f"clear speech in {clear_share:.0%} of it, confidence {confidence:.2f}"
    return None


def _letters(text: str) -> str:
    """Return what must be equal for two texts to count as the same."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(char for char in folded if char.isalnum())

"""Who said which words: segments are divided where the speaker of their words changes.

Turns come from the sound and words from a recogniser, so their edges never agree exactly. A word
belongs to the speaker who talks during most of it; of equals to the one whose turn began earlier. A
word under no turn belongs to the nearest turn within a second, else to the speaker of the word
before it.

A stretch of words shorter than 300 ms between two stretches of one other speaker is given to that
speaker, from left to right: at the edge of a turn a recogniser is not more exact than that, and a
sentence in pieces is worse than a "yes" under the wrong name.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from pydantic import model_validator

from kb_core.model import Milliseconds, Model, NfcText
from kb_core.segment_split import split_at_words
from kb_core.transcript import TranscriptSegment, Word

MAX_DISTANCE_MS = 1000
MIN_STRETCH_MS = 300

SPEAKER_RULES = f"turns-v1/distance={MAX_DISTANCE_MS}/stretch={MIN_STRETCH_MS}"
"""Names the rules and their numbers; part of the version of every transcript with speakers."""


class SpeakerTurn(Model):
    """A stretch of time in which somebody speaks."""

    start_ms: Milliseconds
    end_ms: Milliseconds
    speaker: NfcText

    @model_validator(mode="after")
    def _ordered(self) -> SpeakerTurn:
        if self.end_ms < self.start_ms:
            raise ValueError("turn ends before its start")
        return self


def assign_speakers(
    segments: Sequence[TranscriptSegment], turns: Sequence[SpeakerTurn]
) -> tuple[TranscriptSegment, ...]:
    """Return the segments with their speakers, divided where the speaker changes.

    Nothing of the text is lost but spaces where it is divided, see `split_at_words`. A segment
    without words gets the speaker of the greatest overlap. Where the turns tell nothing, the
    speaker stays what it was. The same turns twice change nothing more.

    Args:
        segments: on a legal timeline, in order of their start.
        turns: in any order; without any, nothing changes.

    Returns:
        Segments in order of their start. Where given segments overlap, the parts of one may lie
        between those of another.
    """
    if not turns:
        return tuple(segments)
    voices = _voices(turns)
    parts = [part for segment in segments for part in _divided(segment, voices)]
    return tuple(sorted(parts, key=lambda part: part.start_ms))


@dataclass(frozen=True, slots=True)
class _Voice:
    """The time of one speaker: stretches that neither overlap nor touch."""

    speaker: str
    starts_ms: tuple[int, ...]
    ends_ms: tuple[int, ...]

    def claim(self, start_ms: int, end_ms: int) -> tuple[int, int, int]:
        """Return a key that is the smaller, the better this speaker fits the time.

        Overlap, then distance (both in milliseconds), then the start of the turn that they are
        taken from.
        """
        last = len(self.starts_ms) - 1
        first = bisect_left(self.ends_ms, start_ms + 1)
        overlap_ms, place = 0, first
        while place <= last and self.starts_ms[place] < end_ms:
            overlap_ms += min(end_ms, self.ends_ms[place]) - max(start_ms, self.starts_ms[place])
            place += 1
        if overlap_ms:
            return -overlap_ms, 0, self.starts_ms[first]
        beside = [near for near in (first - 1, first) if 0 <= near <= last]
        return min(
            (0, self._distance_ms(near, start_ms, end_ms), self.starts_ms[near]) for near in beside
        )

    def _distance_ms(self, place: int, start_ms: int, end_ms: int) -> int:
        return max(self.starts_ms[place] - end_ms, start_ms - self.ends_ms[place], 0)


def _voices(turns: Sequence[SpeakerTurn]) -> list[_Voice]:
    by_speaker: dict[str, list[SpeakerTurn]] = {}
    for turn in sorted(turns, key=lambda turn: (turn.start_ms, turn.end_ms, turn.speaker)):
        by_speaker.setdefault(turn.speaker, []).append(turn)
    return [_voice(speaker, own) for speaker, own in by_speaker.items()]


def _voice(speaker: str, turns: Sequence[SpeakerTurn]) -> _Voice:
    starts_ms: list[int] = []
    ends_ms: list[int] = []
    for turn in turns:
        if ends_ms and turn.start_ms <= ends_ms[-1]:
            ends_ms[-1] = max(ends_ms[-1], turn.end_ms)
        else:
            starts_ms.append(turn.start_ms)
            ends_ms.append(turn.end_ms)
    return _Voice(speaker, tuple(starts_ms), tuple(ends_ms))


def _speaker_at(
    start_ms: int, end_ms: int, voices: Sequence[_Voice], *, max_distance_ms: int
) -> str | None:
    """Return the speaker of a time; None if nobody speaks within `max_distance_ms` of it."""
    end_ms = max(end_ms, start_ms + 1)
    claims = [(voice.claim(start_ms, end_ms), voice.speaker) for voice in voices]
    (overlap_ms, distance_ms, _), speaker = min(claims, key=lambda claim: claim[0])
    return speaker if overlap_ms or distance_ms < max_distance_ms else None


def _divided(segment: TranscriptSegment, voices: Sequence[_Voice]) -> tuple[TranscriptSegment, ...]:
    if not segment.words:
        speaker = _speaker_at(segment.start_ms, segment.end_ms, voices, max_distance_ms=0)
        return (_spoken_by(segment, speaker),)
    speakers = _word_speakers(segment.words, voices)
    changes = [place for place in range(1, len(speakers)) if speakers[place] != speakers[place - 1]]
    parts = []
    first = 0
    for part in split_at_words(segment, changes):
        last = first + len(part.words)
        parts.append(_spoken_by(part, _main_speaker(part.words, speakers[first:last])))
        first = last
    return tuple(parts)


def _word_speakers(words: Sequence[Word], voices: Sequence[_Voice]) -> list[str | None]:
    """Return the speaker of each word; None for all if nobody speaks near any of them."""
    speakers = [
        _speaker_at(word.start_ms, word.end_ms, voices, max_distance_ms=MAX_DISTANCE_MS)
        for word in words
    ]
    before = next((speaker for speaker in speakers if speaker is not None), None)
    for place, speaker in enumerate(speakers):
        before = speakers[place] = before if speaker is None else speaker
    return _smoothed(words, speakers)


def _smoothed(words: Sequence[Word], speakers: Sequence[str | None]) -> list[str | None]:
    runs = [(speaker, len(list(group))) for speaker, group in groupby(speakers)]
    smoothed: list[str | None] = []
    for place, (speaker, count) in enumerate(runs):
        stretch = words[len(smoothed) : len(smoothed) + count]
        length_ms = max(word.end_ms for word in stretch) - stretch[0].start_ms
        is_between = 0 < place < len(runs) - 1 and smoothed[-1] == runs[place + 1][0]
        if is_between and length_ms < MIN_STRETCH_MS:
            speaker = smoothed[-1]
        smoothed.extend([speaker] * count)
    return smoothed


def _main_speaker(words: Sequence[Word], speakers: Sequence[str | None]) -> str | None:
    """Return who speaks longest; a part has two speakers only where its text cannot be divided."""
    spoken_ms = dict.fromkeys(speakers, 0)
    for word, speaker in zip(words, speakers, strict=True):
        spoken_ms[speaker] += word.end_ms - word.start_ms
    return max(spoken_ms, key=lambda speaker: spoken_ms[speaker])


def _spoken_by(segment: TranscriptSegment, speaker: str | None) -> TranscriptSegment:
    if speaker is None or speaker == segment.speaker:
        return segment
    return segment.model_copy(update={"speaker": speaker})

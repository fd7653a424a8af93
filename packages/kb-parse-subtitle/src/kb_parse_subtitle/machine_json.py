"""What recognisers write: whisper.cpp, WhisperX, openai-whisper and the OpenAI service.

A word without a time lies between its neighbours and gets their gap. A segment without a speaker
has none: the one before may have been anybody.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from kb_core import SegmentFlag, Word
from kb_parse_subtitle.clock import clock_ms, number_ms, seconds_ms
from kb_parse_subtitle.cue import Cue, Cues, lines_in, make_word
from kb_parse_subtitle.json_file import Element, JsonFile, join_characters, mend

_SPECIAL_TOKEN = re.compile(r"\[_.*\]|<\|.*\|>", re.DOTALL)
_STANDS_ALONE = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")
_BROKEN = "a time that cannot be read"


def read_whisper_cpp(file: JsonFile) -> Cues:
    """Read the JSON of whisper.cpp, with tokens or without."""
    elements = [each for each in file.elements("transcription") if isinstance(each.value, dict)]
    texts = join_characters([_text(each.value.get("text")) for each in elements])
    cues = []
    problems = []
    for element, raw_text in zip(elements, texts, strict=True):
        segment = element.value
        text, dropped = mend(raw_text)
        cue = _cue(element, lines_in(text))
        cue.start_ms, cue.end_ms = _offsets(segment)
        _note_times(cue)
        speaker = segment.get("speaker")
        cue.speaker = speaker if isinstance(speaker, str) and speaker.strip(" ?") else None
        tokens = [each for each in _list(segment.get("tokens")) if isinstance(each, dict)]
        words, confidence, dropped_in_words = _token_words(tokens)
        if cue.start_ms is not None:
            cue.words = tuple(words)
        cue.confidence = confidence
        dropped = max(dropped, dropped_in_words)
        if dropped:
            problem = f"{dropped} stray bytes left out"
            cue.flags = (SegmentFlag(code="bytes_repaired", detail=problem),)
            problems.append((element.first_line, problem))
        cues.append(cue)
    result = _dict(file.value.get("result"))
    language = result.get("language") or _dict(file.value.get("params")).get("language")
    return Cues(cues, language=_name(language), problems=problems)


def read_segments(file: JsonFile) -> Cues:
    """Read segments in seconds: WhisperX, openai-whisper, `verbose_json`."""
    cues = []
    for element in file.elements("segments"):
        segment = element.value
        if not isinstance(segment, dict):
            continue
        entries = [each for each in _list(segment.get("words")) if isinstance(each, dict)]
        text = _text(segment.get("text")) or _joined(entries)
        cue = _cue(element, lines_in(text))
        cue.start_ms = seconds_ms(segment.get("start"))
        cue.end_ms = seconds_ms(segment.get("end"))
        _take_word_times(cue, entries)
        _note_times(cue)
        cue.words = tuple(_entry_words(entries, cue))
        cue.speaker = _speaker(segment, entries)
        cue.confidence = _confidence(segment)
        cue.language = _name(segment.get("language"))
        cues.append(cue)
    _share_words(cues, file.value)
    length_ms = seconds_ms(file.value.get("duration"))
    return Cues(cues, language=_name(file.value.get("language")), length_ms=length_ms)


def segments_format(value: Mapping[str, Any]) -> str:
    """Return the name of the program whose segments these are, as far as they tell."""
    first = next((each for each in _list(value.get("segments")) if isinstance(each, dict)), {})
    words = [each for each in _list(first.get("words")) if isinstance(each, dict)]
    if "word_segments" in value or any("score" in word for word in words):
        return "whisperx-json"
    if value.keys() & {"task", "duration"} or first.keys() & {"avg_logprob", "no_speech_prob"}:
        return "whisper-verbose-json"
    return "segments-json"


def _cue(element: Element, text: str) -> Cue:
    return Cue(text, element.first_line, element.last_line)


def _note_times(cue: Cue) -> None:
    if cue.start_ms is None:
        cue.problem = "no time that can be read"
    elif cue.end_ms is None:
        cue.problem = "an end that cannot be read"
    elif cue.end_ms < cue.start_ms:
        cue.problem = "an end before the start"


def _offsets(timed: Mapping[str, Any]) -> tuple[int | None, int | None]:
    offsets, clocks = _dict(timed.get("offsets")), _dict(timed.get("timestamps"))
    start, end = (
        number_ms(offsets.get(key), 1) if key in offsets else clock_ms(_text(clocks.get(key)))
        for key in ("from", "to")
    )
    return start, end


def _token_words(tokens: Sequence[Mapping[str, Any]]) -> tuple[list[Word], float | None, int]:
    """Return the words of the tokens, how sure they are on average, and bytes left out."""
    tokens = [each for each in tokens if not _SPECIAL_TOKEN.fullmatch(_text(each.get("text")))]
    texts = join_characters([_text(each.get("text")) for each in tokens])
    words: list[Word] = []
    probabilities = [_probability(each.get("p")) for each in tokens]
    dropped = 0
    text, start_ms, end_ms, shares = "", 0, 0, list[float]()
    for token, raw_text, probability in zip(tokens, texts, probabilities, strict=True):
        token_text, token_dropped = mend(raw_text)
        dropped += token_dropped
        times = _offsets(token)
        if times[0] is None or times[1] is None:
            return [], _mean(probabilities), dropped
        begins = token_text[:1].isspace() or _STANDS_ALONE.match(token_text)
        if text.strip() and begins:
            words.append(make_word(text, start_ms, end_ms, _mean(shares)))
            text, shares = "", []
        if not text.strip():
            start_ms = times[0]
        text += token_text
        end_ms = times[1]
        shares += [] if probability is None else [probability]
    if text.strip():
        words.append(make_word(text, start_ms, end_ms, _mean(shares)))
    return words, _mean(probabilities), dropped


def _take_word_times(cue: Cue, entries: Sequence[Mapping[str, Any]]) -> None:
    """Give a segment without a time that of its words."""
    if cue.start_ms is None:
        starts = (seconds_ms(entry.get("start")) for entry in entries)
        cue.start_ms = min((each for each in starts if each is not None), default=None)
    if cue.end_ms is None:
        ends = (seconds_ms(entry.get("end")) for entry in entries)
        cue.end_ms = max((each for each in ends if each is not None), default=None)


def _entry_words(entries: Sequence[Mapping[str, Any]], cue: Cue) -> list[Word]:
    """Return the words of a segment; one without times gets the gap between its neighbours."""
    if cue.start_ms is None:
        return []
    times = [(seconds_ms(entry.get("start")), seconds_ms(entry.get("end"))) for entry in entries]
    following_ms = []
    next_ms = cue.end_ms if cue.end_ms is not None else cue.start_ms
    for start_ms, _ in reversed(times):
        following_ms.append(next_ms)
        next_ms = next_ms if start_ms is None else start_ms
    following_ms.reverse()
    words = []
    floor_ms = cue.start_ms
    for entry, (start_ms, end_ms), ceiling_ms in zip(entries, times, following_ms, strict=True):
        begin_ms = floor_ms if start_ms is None else start_ms
        stop_ms = (ceiling_ms if start_ms is None else begin_ms) if end_ms is None else end_ms
        if end_ms is None and start_ms is not None:
            stop_ms = max(begin_ms, ceiling_ms)
        words.append(make_word(_word_text(entry), begin_ms, stop_ms, _confidence(entry)))
        if start_ms is not None:
            floor_ms = max(floor_ms, stop_ms)
    return words


def _share_words(cues: Sequence[Cue], value: Mapping[str, Any]) -> None:
    """Give the segments the words that the OpenAI service lists beside them."""
    entries = [each for each in _list(value.get("words")) if isinstance(each, dict)]
    if not entries or any(cue.words for cue in cues):
        return
    place = 0
    for cue in cues:
        if cue.start_ms is None or cue.end_ms is None:
            continue
        own = []
        while place < len(entries):
            start_ms = seconds_ms(entries[place].get("start"))
            if start_ms is not None and start_ms >= cue.end_ms:
                break
            if start_ms is not None and start_ms >= cue.start_ms:
                own.append(entries[place])
            place += 1
        cue.words = tuple(_entry_words(own, cue))


def _speaker(segment: Mapping[str, Any], entries: Sequence[Mapping[str, Any]]) -> str | None:
    if "speaker" in segment:
        return _name(segment["speaker"])
    speakers = {_name(entry.get("speaker")) for entry in entries}
    return speakers.pop() if len(speakers) == 1 else None


def _confidence(entry: Mapping[str, Any]) -> float | None:
    for key in ("score", "probability", "confidence"):
        probability = _probability(entry.get(key))
        if probability is not None:
            return probability
    logarithm = entry.get("avg_logprob")
    if isinstance(logarithm, bool) or not isinstance(logarithm, int | float):
        return None
    return None if math.isnan(logarithm) else math.exp(min(0.0, max(-700.0, logarithm)))


def _probability(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        return None
    return min(1.0, max(0.0, value))


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None


def _joined(entries: Sequence[Mapping[str, Any]]) -> str:
    texts = [_raw_word(entry) for entry in entries]
    has_spaces = any(text[:1].isspace() for text in texts[1:])
    return ("" if has_spaces else " ").join(texts).strip()


def _raw_word(entry: Mapping[str, Any]) -> str:
    return _text(entry.get("word")) or _text(entry.get("text"))


def _word_text(entry: Mapping[str, Any]) -> str:
    return _raw_word(entry).strip()


def _name(value: object) -> str | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)[:40] if abs(value) < 10**9 else None
    return value.strip() or None if isinstance(value, str) else None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}

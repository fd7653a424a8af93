"""Has windows recognised that no earlier run did, and keeps each at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from kb_core import Progress, TimedText, id_from
from kb_core.errors import EngineFailed
from kb_core.ports.extractor import ExtractRuntime
from kb_core.ports.transcriber import (
    AudioWindow,
    HeardLanguages,
    RecognisedWindow,
    Transcriber,
)
from kb_parse_audio.missed import MISSED_RULES, missed_speech
from kb_parse_audio.regions import beyond
from kb_parse_audio.timing import TIMING_RULES, place_window
from kb_parse_audio.windows import SpeechWindow, WindowPlan

LanguageAgain = Callable[[SpeechWindow], str]


@dataclass(frozen=True, slots=True)
class HeardWindow:
    """A window and what was heard in it.

    Attributes:
        placed: its segments on the player's clock.
    """

    window: SpeechWindow
    result: RecognisedWindow
    placed: Sequence[TimedText]

    @classmethod
    def of(cls, window: SpeechWindow, result: RecognisedWindow) -> HeardWindow:
        """Return a window with its segments placed."""
        return cls(window, result, place_window(result, window.clock, window.regions))


class Listener:
    """Listens to one recording.

    Args:
        asset_id: names the sound in the cache.
        version: names the way of recognising it.
        transcriber: hears what the cache does not hold.
        runtime: cache, stop and progress.
        total_ms: length of the recording as far as it is known.
    """

    def __init__(
        self,
        asset_id: str,
        version: str,
        transcriber: Transcriber,
        runtime: ExtractRuntime,
        *,
        total_ms: int | None,
    ) -> None:
        self._asset_id = asset_id
        self._version = version
        # What is heard again depends on more rules, and windows of one range may then differ.
        self._again_version = id_from(
            {
                "kind": "again",
                "recognition_version": version,
                "rules": f"{TIMING_RULES}/{MISSED_RULES}",
            }
        )
        self._transcriber = transcriber
        self._runtime = runtime
        self._total_ms = total_ms
        self._reused_ms = 0
        self._done_ms = 0

    def detect(self, window: AudioWindow, among: Sequence[str]) -> HeardLanguages:
        """Return which languages a few seconds may be in."""
        samples = (window.start_sample, window.end_sample)
        known = self._runtime.transcripts.get_languages(self._asset_id, self._version, samples)
        if known is not None:
            return known
        self._runtime.cancel.raise_if_cancelled()
        (heard,) = self._transcriber.detect_languages(
            [window], among=among, cancel=self._runtime.cancel
        )
        self._runtime.transcripts.put_languages(self._asset_id, self._version, samples, heard)
        return heard

    def listen(self, plan: WindowPlan, language_again: LanguageAgain) -> list[HeardWindow]:
        """Return what was heard in each window of the plan.

        What one window leaves unheard at its end is in the next. Speech inside it over which no
        text lies is listened to once more, by itself, which comes right after the window. Windows
        depend on what was heard, and on nothing else: a resumed run finds them in the cache.

        Args:
            plan: the windows.
            language_again: tells the language of speech that was passed over in another one.
        """
        heard: list[HeardWindow] = []
        for batch in self._batches(plan):
            results = self._heard(batch, self._version)
            for window, result in zip(batch, results, strict=True):
                heard.append(HeardWindow.of(window, result))
                heard.extend(self._again(heard[-1], language_again))
            until_ms = results[-1].heard_until_ms
            if until_ms is not None:
                plan.go_on_from(batch[-1], until_ms)
        return heard

    def _batches(self, plan: WindowPlan) -> Iterator[list[SpeechWindow]]:
        """Yield windows of one language, as many as the engine takes at a time."""
        batch: list[SpeechWindow] = []
        for window in plan:
            self._runtime.cancel.raise_if_cancelled()
            if batch and batch[0].language != window.language:
                yield batch
                batch = []
            batch.append(window)
            if len(batch) >= self._transcriber.preferred_batch_windows:
                yield batch
                batch = []
        if batch:
            yield batch

    def _again(self, heard: HeardWindow, language_again: LanguageAgain) -> Iterator[HeardWindow]:
        window = heard.window
        until_ms = heard.result.heard_until_ms or window.audio.duration_ms
        until = window.clock.to_sample(until_ms)
        reached = [region for region in window.regions if region.end <= until]
        missed = list(missed_speech(reached, [timed.segment for timed in heard.placed]))
        while missed:
            part = window.only(missed)
            part = replace(part, language=language_again(part))
            if part.samples == window.samples and part.language == window.language:
                return
            (found,) = self._heard([part], self._again_version)
            yield HeardWindow.of(part, found)
            if found.heard_until_ms is None:
                return
            missed = beyond(missed, part.clock.to_sample(found.heard_until_ms))

    def _heard(self, batch: Sequence[SpeechWindow], version: str) -> list[RecognisedWindow]:
        """Return what is heard in windows of one language: known, or recognised and kept."""
        cache = self._runtime.transcripts
        known = [cache.get_window(self._asset_id, version, each.samples) for each in batch]
        unknown = [each for each, result in zip(batch, known, strict=True) if result is None]
        fresh = iter(self._recognised(unknown, version) if unknown else ())
        results = []
        for window, result in zip(batch, known, strict=True):
            heard = next(fresh) if result is None else result
            results.append(heard)
            self._report(window, heard, reused=result is not None)
        return results

    def _recognised(self, windows: Sequence[SpeechWindow], version: str) -> list[RecognisedWindow]:
        self._runtime.cancel.raise_if_cancelled()
        results = self._transcriber.transcribe(
            [window.audio for window in windows],
            language=windows[0].language,
            cancel=self._runtime.cancel,
        )
        if len(results) != len(windows):
            raise EngineFailed(f"{len(results)} results came back for {len(windows)} windows")
        takes_batches = self._transcriber.preferred_batch_windows > 1
        if takes_batches and any(result.heard_until_ms for result in results):
            raise EngineFailed("a window of a batch was not heard to its end")
        for window, result in zip(windows, results, strict=True):
            self._runtime.transcripts.put_window(self._asset_id, version, window.samples, result)
        return results

    def _report(self, window: SpeechWindow, result: RecognisedWindow, *, reused: bool) -> None:
        until_ms = result.heard_until_ms or window.audio.duration_ms
        done_ms = max(self._done_ms, window.clock.to_player_ms(until_ms, is_end=True))
        if reused:
            self._reused_ms += done_ms - self._done_ms
        self._done_ms = done_ms
        total_ms = None if self._total_ms is None else max(self._total_ms, done_ms)
        self._runtime.progress(
            Progress(done_ms=done_ms, total_ms=total_ms, reused_ms=self._reused_ms)
        )

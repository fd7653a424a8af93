"""The `Extractor` for recordings: decode, cut, recognise, remember, assemble.

Recognition takes hours, everything else minutes, so each finished window is in the cache before the
next one is begun, and a run that was killed repeats none. Decoding is repeated on a resumed run: it
costs about a fiftieth, and finds the same windows again.

A finished transcript is used as it is, without looking at the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from kb_core import (
    CanonicalDocument,
    Progress,
    RawAsset,
    StepWarning,
    is_recording,
    make_transcript_version,
)
from kb_core.errors import EngineFailed
from kb_core.ports.extractor import AudioClip, ExtractorVersions, ExtractRuntime
from kb_core.ports.transcriber import (
    SAMPLES_PER_MS,
    AudioWindow,
    RecognisedWindow,
    Transcriber,
    TranscriberIdentity,
)
from kb_core.ports.transcript_cache import CachedTranscript
from kb_parse_audio.assemble import PARSER_VERSION, make_document, make_transcript
from kb_parse_audio.clip import read_clip
from kb_parse_audio.decode import open_recording
from kb_parse_audio.language import LanguageChoice
from kb_parse_audio.windows import WINDOWING_VERSION, WindowPlan, is_silent

_NOTHING_HEARD = RecognisedWindow(segments=())


class AudioExtractor:
    """Reads the speech of any audio or video file.

    Args:
        transcriber: makes or returns the recogniser.
        language: ISO 639-1 code of what is spoken, None to detect it.
    """

    def __init__(self, transcriber: Callable[[], Transcriber], language: str | None) -> None:
        self._transcriber = transcriber
        self._language = language

    @property
    def name(self) -> str:
        """Short name for messages and provenance."""
        return "audio"

    def accepts(self, media_type: str) -> bool:
        """Return whether the file is a recording."""
        return is_recording(media_type)

    def versions(self) -> ExtractorVersions:
        """Return the versions of what would be made now; loads no model."""
        return ExtractorVersions(
            parser_version=PARSER_VERSION,
            transcript_version=self._transcript_version(self._transcriber().identity),
        )

    def extract(self, asset: RawAsset, runtime: ExtractRuntime) -> CanonicalDocument:
        """Return the document of a recording, from the cache as far as it goes.

        Raises:
            InputError: the file cannot be used.
            ModelError: the recogniser is absent or failed.
            Cancelled: a stop was asked for; finished windows are in the cache.
        """
        transcriber = self._transcriber()
        version = self._transcript_version(transcriber.identity)
        cached = runtime.transcripts.get_transcript(asset.asset_id, version)
        if cached is None:
            cached = self._recognise(asset, runtime, transcriber, version)
            runtime.transcripts.put_transcript(asset.asset_id, cached)
        else:
            total_ms = cached.duration_ms
            runtime.progress(Progress(done_ms=total_ms, total_ms=total_ms, reused_ms=total_ms))
        for warning in cached.warnings:
            runtime.warn(warning.code, warning.message, warning.unit)
        return make_document(asset, cached)

    def read_clip(self, source_path: str, start_ms: int, end_ms: int) -> AudioClip:
        """Decode [start_ms, end_ms) on the player's clock, as 16 kHz mono.

        Raises:
            InputError: the file cannot be used.
        """
        return read_clip(source_path, start_ms, end_ms)

    def _transcript_version(self, identity: TranscriberIdentity) -> str:
        return make_transcript_version(
            engine=identity.engine,
            engine_version=identity.engine_version,
            model_version=identity.model_version,
            decoding={"engine": identity.decoding, "language": self._language},
            windowing_version=f"{PARSER_VERSION}/{WINDOWING_VERSION}",
        )

    def _recognise(
        self, asset: RawAsset, runtime: ExtractRuntime, transcriber: Transcriber, version: str
    ) -> CachedTranscript:
        warnings: list[StepWarning] = []

        def warn(code: str, message: str, unit: str | None) -> None:
            warnings.append(StepWarning(code=code, message=message, unit=unit))
            runtime.warn(code, message, unit)

        with open_recording(asset.source_path, name=asset.workspace_path, warn=warn) as recording:
            listener = _Listener(
                asset.asset_id, version, transcriber, runtime, recording.probed_duration_ms
            )
            windows = WindowPlan(recording.blocks())
            heard = listener.listen(windows, LanguageChoice(self._language))
        transcript = make_transcript(
            heard,
            duration_ms=listener.end_ms,
            identity=transcriber.identity,
            transcript_version=version,
        )
        return CachedTranscript(
            transcript=transcript, duration_ms=listener.end_ms, warnings=tuple(warnings)
        )


class _Listener:
    """Has windows recognised that no earlier run did, and keeps each at once."""

    def __init__(
        self,
        asset_id: str,
        version: str,
        transcriber: Transcriber,
        runtime: ExtractRuntime,
        total_ms: int | None,
    ) -> None:
        self._asset_id = asset_id
        self._version = version
        self._transcriber = transcriber
        self._runtime = runtime
        self._total_ms = total_ms
        self._reused_ms = 0
        self.end_ms = 0

    def listen(
        self, windows: WindowPlan, choice: LanguageChoice
    ) -> list[tuple[int, RecognisedWindow]]:
        """Return what was heard in each window, with the window's start in milliseconds.

        What one window leaves unheard is in the next, so windows depend on what was heard, and on
        nothing else: a resumed run finds the same ones in the cache.
        """
        heard: list[tuple[int, RecognisedWindow]] = []
        waiting: list[AudioWindow] = []
        batch_windows = self._transcriber.preferred_batch_windows
        for window in windows:
            self._runtime.cancel.raise_if_cancelled()
            known = self._known(window)
            if known is None:
                waiting.append(window)
            if choice.language is None or known is not None or len(waiting) >= batch_windows:
                for start_ms, result in self._recognised(waiting, choice):
                    choice = choice.after(result)
                    heard.append((start_ms, result))
                waiting = []
            if known is not None:
                choice = choice.after(known)
                heard.append((window.start_ms, known))
                self._report(window, known)
            if not waiting and heard[-1][1].heard_until_ms is not None:
                windows.go_on_from(_heard_until_ms(window, heard[-1][1]) * SAMPLES_PER_MS)
        heard.extend(self._recognised(waiting, choice))
        return heard

    def _known(self, window: AudioWindow) -> RecognisedWindow | None:
        known = self._runtime.transcripts.get_window(
            self._asset_id, self._version, window.start_sample, window.end_sample
        )
        if known is not None:
            self._reused_ms += _heard_until_ms(window, known) - window.start_ms
        elif is_silent(window):
            known = _NOTHING_HEARD
        return known

    def _recognised(
        self, windows: Sequence[AudioWindow], choice: LanguageChoice
    ) -> Iterator[tuple[int, RecognisedWindow]]:
        """Recognise windows in one language and keep them; all are kept before any is given."""
        if not windows:
            return
        self._runtime.cancel.raise_if_cancelled()
        results = self._transcriber.transcribe(
            windows, language=choice.language, cancel=self._runtime.cancel
        )
        if len(results) != len(windows):
            raise EngineFailed(f"{len(results)} results came back for {len(windows)} windows")
        if len(results) > 1 and any(result.heard_until_ms for result in results):
            raise EngineFailed("a window of a batch was not heard to its end")
        for window, result in zip(windows, results, strict=True):
            self._runtime.transcripts.put_window(
                self._asset_id, self._version, window.start_sample, window.end_sample, result
            )
            self._report(window, result)
        for window, result in zip(windows, results, strict=True):
            yield window.start_ms, result

    def _report(self, window: AudioWindow, result: RecognisedWindow) -> None:
        self.end_ms = _heard_until_ms(window, result)
        total_ms = None if self._total_ms is None else max(self._total_ms, self.end_ms)
        self._runtime.progress(
            Progress(done_ms=self.end_ms, total_ms=total_ms, reused_ms=self._reused_ms)
        )


def _heard_until_ms(window: AudioWindow, result: RecognisedWindow) -> int:
    """Return where on the player's clock the recogniser stopped listening."""
    return window.start_ms + (result.heard_until_ms or window.duration_ms)

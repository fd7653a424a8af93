"""The `Extractor` for recordings: decode, cut, recognise, remember, assemble.

Recognition takes hours, everything else minutes, so each finished window is in the cache before the
next one is begun, and a run that was killed repeats none. Decoding is repeated on a resumed run: it
costs about a fiftieth, and finds the same windows again.

A finished transcript is used as it is, without looking at the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from kb_core import (
    SPEAKER_RULES,
    CancelToken,
    CanonicalDocument,
    DocumentChoices,
    Progress,
    RawAsset,
    StepWarning,
    id_from,
    is_recording,
    make_transcript_version,
)
from kb_core.errors import ConfigError, printable
from kb_core.ports.diarizer import Diarization, Diarizer, DiarizerStream
from kb_core.ports.extractor import AudioClip, ExtractorVersions, ExtractRuntime
from kb_core.ports.transcriber import SAMPLES_PER_MS, Transcriber, TranscriberIdentity
from kb_core.ports.transcript_cache import CachedTranscript
from kb_core.ports.voice_activity import VoiceActivityDetector
from kb_parse_audio.ahead import Ahead
from kb_parse_audio.assemble import PARSER_VERSION, make_document, make_segments, make_transcript
from kb_parse_audio.beside import held_to_recording
from kb_parse_audio.chinese import AS_HEARD, script_rules
from kb_parse_audio.clip import read_clip
from kb_parse_audio.decode import Recording, open_recording
from kb_parse_audio.downmix import Mono
from kb_parse_audio.language import LANGUAGE_RULES, LanguageFold
from kb_parse_audio.listened import ListenedBlock, listened
from kb_parse_audio.listening import Listener
from kb_parse_audio.missed import MISSED_RULES
from kb_parse_audio.sound_blocks import overheard
from kb_parse_audio.stretches import SpeechReader
from kb_parse_audio.suspects import SUSPECT_RULES
from kb_parse_audio.timing import TIMING_RULES
from kb_parse_audio.windows import WINDOWING_VERSION, WindowPlan

NO_SPEAKERS = "none"
BLOCKS_AHEAD = 90
"""Seconds of sound that are decoded before anybody asks for them, 64 kB each."""


@dataclass(frozen=True, slots=True)
class AudioOptions:
    """What holds for a recording: the settings, and what was chosen for it.

    Attributes:
        languages: ISO 639-1 codes of what may be spoken; empty for any.
        speakers: name of the diarizer, `none` for none.
        keep_suspect: segments that were probably not said count like any other.
        chinese: how Chinese is written, see `chinese`.
    """

    languages: tuple[str, ...] = ()
    speakers: str = NO_SPEAKERS
    keep_suspect: bool = False
    chinese: str = AS_HEARD

    def with_choices(self, choices: DocumentChoices) -> AudioOptions:
        """Return these options with the choices that were made."""
        return replace(
            self,
            **choices.model_dump(
                include={"languages", "speakers", "keep_suspect"}, exclude_none=True
            ),
        )


class AudioExtractor:
    """Reads the speech of any audio or video file.

    Args:
        transcriber: makes or returns the recogniser.
        options: what holds where nothing else was chosen.
        detector: finds speech.
        diarizers: tell who speaks, on request.
    """

    def __init__(
        self,
        transcriber: Callable[[], Transcriber],
        options: AudioOptions,
        *,
        detector: VoiceActivityDetector,
        diarizers: Sequence[Diarizer] = (),
    ) -> None:
        self._transcriber = transcriber
        self._options = options
        self._detector = detector
        self._diarizers = {diarizer.name: diarizer for diarizer in diarizers}

    @property
    def name(self) -> str:
        """Short name for messages and provenance."""
        return "audio"

    def accepts(self, media_type: str) -> bool:
        """Return whether the file is a recording."""
        return is_recording(media_type)

    def versions(self, choices: DocumentChoices) -> ExtractorVersions:
        """Return the versions of what would be made now; loads no model.

        Raises:
            ConfigError: there is no such diarizer.
        """
        options = self._options.with_choices(choices)
        identity = self._transcriber().identity
        return ExtractorVersions(
            parser_version=PARSER_VERSION,
            transcript_version=self._transcript_version(identity, options),
            keeps_suspects=options.keep_suspect,
        )

    def versions_with(self, choices: DocumentChoices, transcript_version: str) -> ExtractorVersions:
        """Return the versions of what a transcript beside the recording makes."""
        return ExtractorVersions(
            parser_version=PARSER_VERSION,
            transcript_version=transcript_version,
            keeps_suspects=self._options.with_choices(choices).keep_suspect,
        )

    def extract(self, asset: RawAsset, runtime: ExtractRuntime) -> CanonicalDocument:
        """Return the document of a recording, from the cache as far as it goes.

        With a transcript from a file beside it the recording is decoded for its length alone.

        Raises:
            InputError: the file cannot be used.
            ConfigError: there is no such diarizer.
            ModelError: the recogniser is absent or failed.
            Cancelled: a stop was asked for; finished windows are in the cache.
        """
        options = self._options.with_choices(runtime.choices)
        beside = runtime.transcript
        if beside is None:
            version = self._transcript_version(self._transcriber().identity, options)
        else:
            version = beside.transcript_version
        cached = runtime.transcripts.get_transcript(asset.asset_id, version)
        if cached is None:
            if beside is None:
                cached = self._transcribe(asset, runtime, options, version)
            else:
                cached = held_to_recording(beside, asset, runtime)
            runtime.transcripts.put_transcript(asset.asset_id, cached)
        else:
            total_ms = cached.duration_ms
            runtime.progress(Progress(done_ms=total_ms, total_ms=total_ms, reused_ms=total_ms))
        for warning in cached.warnings:
            runtime.warn(warning.code, warning.message, warning.unit)
        return make_document(asset, cached, keeps_suspects=options.keep_suspect)

    def read_clip(self, source_path: str, start_ms: int, end_ms: int) -> AudioClip:
        """Decode [start_ms, end_ms) on the player's clock, as 16 kHz mono.

        Raises:
            InputError: the file cannot be used.
        """
        return read_clip(source_path, start_ms, end_ms)

    def _diarizer(self, options: AudioOptions) -> Diarizer | None:
        if options.speakers == NO_SPEAKERS:
            return None
        diarizer = self._diarizers.get(options.speakers)
        if diarizer is None:
            known = ", ".join([*self._diarizers, NO_SPEAKERS])
            raise ConfigError(
                f"no way of telling speakers apart is named {printable(options.speakers)}",
                hint=f"there are: {known}",
            )
        return diarizer

    def _recognition_version(self, identity: TranscriberIdentity, options: AudioOptions) -> str:
        return id_from(
            {
                "kind": "recognition",
                "engine": identity,
                "languages": sorted(options.languages),
                "parser_version": PARSER_VERSION,
                "speech": self._detector.identity,
                "windowing": f"{WINDOWING_VERSION}/{LANGUAGE_RULES}",
                "batch": self._transcriber().preferred_batch_windows,
            }
        )

    def _transcript_version(self, identity: TranscriberIdentity, options: AudioOptions) -> str:
        diarizer = self._diarizer(options)
        return make_transcript_version(
            engine=identity.engine,
            engine_version=identity.engine_version,
            model_version=identity.model_version,
            decoding={
                "engine": identity.decoding,
                "languages": [*sorted(options.languages)],
                "chinese": script_rules(options.chinese),
                "speakers": None if diarizer is None else f"{diarizer.version}/{SPEAKER_RULES}",
            },
            windowing_version="/".join(
                (
                    self._recognition_version(identity, options),
                    TIMING_RULES,
                    MISSED_RULES,
                    SUSPECT_RULES,
                )
            ),
        )

    def _transcribe(
        self, asset: RawAsset, runtime: ExtractRuntime, options: AudioOptions, version: str
    ) -> CachedTranscript:
        warnings: list[StepWarning] = []

        def warn(code: str, message: str, unit: str | None = None) -> None:
            warnings.append(StepWarning(code=code, message=message, unit=unit))

        identity = self._transcriber().identity
        diarizer = self._diarizer(options)
        people = None if diarizer is None else diarizer.stream()
        with (
            open_recording(asset.source_path, name=asset.workspace_path, warn=warn) as recording,
            Ahead(listened(_sound(recording, people), self._detector), BLOCKS_AHEAD) as blocks,
        ):
            listener = Listener(
                asset.asset_id,
                self._recognition_version(identity, options),
                self._transcriber(),
                runtime,
                total_ms=recording.probed_duration_ms,
            )
            reader = SpeechReader(
                _until_cancelled(blocks, runtime.cancel), self._detector.frame_samples
            )
            languages = options.languages
            fold = LanguageFold(languages, lambda window: listener.detect(window, languages))
            heard = listener.listen(WindowPlan(reader, fold), fold.language_again)
        found = Diarization(turns=()) if people is None else people.finish(runtime.cancel)
        if not heard:
            warn("no_speech", "nobody speaks in it")
        segments = make_segments(heard, reader.track, found.turns, chinese=options.chinese)
        return CachedTranscript(
            transcript=make_transcript(segments, identity, version),
            duration_ms=reader.end // SAMPLES_PER_MS,
            warnings=(*warnings, *found.warnings),
        )


def _until_cancelled(
    blocks: Iterable[ListenedBlock], cancel: CancelToken
) -> Iterator[ListenedBlock]:
    """Yield the blocks; silence gives the recogniser nothing to do, and it would not look."""
    for block in blocks:
        cancel.raise_if_cancelled()
        yield block


def _sound(recording: Recording, people: DiarizerStream | None) -> Iterator[tuple[int, Mono]]:
    return recording.blocks() if people is None else overheard(recording.channel_blocks(), people)

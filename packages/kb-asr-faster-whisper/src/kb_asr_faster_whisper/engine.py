"""The one place that talks to faster-whisper and the CTranslate2 model inside it.

Its own pipelines are not used: they carry the end of one window's speech into the word times of the
next one, round times, and fill short windows with something that is no silence. What is used is the
model: features, encoder, decoder, alignment.

The encoder and the alignment get one window at a time, the decoder a batch. Alignment pads the
texts of a batch to one length, and the times then depend on the longest of them; the encoder is no
faster with several windows, the decoder twice as fast. So a window's result does not depend on the
windows beside it.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kb_asr_faster_whisper.decoding import (
    ALIGNMENT_EARLY_MS,
    DECODING,
    GENERATION,
    MINIMUM_SAMPLES,
)
from kb_asr_faster_whisper.words import Piece
from kb_core.errors import EngineFailed, ModelError, printable
from kb_core.ports.transcriber import SAMPLE_RATE_HZ

_POSITION_MS = 20
_POSITION_SAMPLES = 320
_FRAME_SAMPLES = 160
_WINDOW_SAMPLES = 30 * SAMPLE_RATE_HZ
_NO_CHARACTER = "\ufffd"
_WAIT_POLICY = "OMP_WAIT_POLICY"

Samples = np.ndarray[tuple[int], np.dtype[np.float32]]
Encoded = np.ndarray[tuple[int, ...], np.dtype[np.float32]]


@dataclass(frozen=True, slots=True)
class EncodedWindow:
    """What the encoder made of a window, and how many feature frames of 10 ms are sound."""

    states: Encoded
    frames: int

    @property
    def duration_ms(self) -> int:
        """Length of the sound, in milliseconds."""
        return self.frames * _FRAME_SAMPLES * 1000 // SAMPLE_RATE_HZ


@dataclass(frozen=True, slots=True)
class HeardPass:
    """Pieces of text, and where the model stopped listening; None when it did not say."""

    pieces: list[Piece]
    until_ms: int | None


class FasterWhisperEngine:
    """A loaded model. Not for two threads at once."""

    def __init__(self, folder: Path, threads: int) -> None:
        with _yielding_threads():
            from faster_whisper import WhisperModel
        try:
            self._whisper = WhisperModel(
                str(folder),
                device=DECODING["device"],
                compute_type=DECODING["compute_type"],
                flash_attention=DECODING["flash_attention"],
                cpu_threads=threads,
                num_workers=1,
                local_files_only=True,
            )
        except Exception as error:  # that of the tokenizers has no class of its own
            raise EngineFailed(
                f"faster-whisper cannot load {printable(str(folder))}: {printable(str(error))}",
                hint="`kb models verify` tells whether the files are whole",
            ) from error

    @property
    def knows_many_languages(self) -> bool:
        """Whether the model was trained on more than English."""
        return bool(self._whisper.model.is_multilingual)

    def check_language(self, code: str) -> None:
        """Raise `ModelError` when the model does not know a language."""
        if not self.knows_many_languages and code != "en":
            raise ModelError(
                f"the model knows English only, and the language is set to {printable(code)}",
                hint="choose another model with `kb models use`, or leave the language open",
            )
        known = code in self._whisper.supported_languages
        if not known or self._whisper.hf_tokenizer.token_to_id(f"<|{code}|>") is None:
            raise ModelError(
                f"the model knows no language {printable(code)}",
                hint="use an ISO 639-1 code such as ko, or leave the language open",
            )

    def language_probabilities(self, samples: Samples) -> dict[str, float]:
        """Return the probability of every language that the model knows, by its code.

        The encoder is run over as much as there is to hear instead of 30 s: for a few seconds that
        takes a tenth of the time, and languages are told apart as surely. (Words are not, so
        `encode` never does that.)
        """
        whole_positions = -(-max(len(samples), MINIMUM_SAMPLES) // _POSITION_SAMPLES)
        states = self._encoded(_filled(samples, whole_positions * _POSITION_SAMPLES))
        with _engine_errors():
            (found,) = self._whisper.model.detect_language(_as_storage(states))
        return {token.strip("<|>"): float(probability) for token, probability in found}

    def encode(self, samples: Samples) -> EncodedWindow:
        """Return what the encoder makes of a window of at most 30 s, which is half the work."""
        frames = -(-max(len(samples), MINIMUM_SAMPLES) // _FRAME_SAMPLES)
        states = self._encoded(_filled(samples, _WINDOW_SAMPLES))
        return EncodedWindow(states, min(frames, _WINDOW_SAMPLES // _FRAME_SAMPLES))

    def recognise(self, windows: Sequence[EncodedWindow], language: str) -> list[list[Piece]]:
        """Return the pieces of text that are heard, in the order of the windows.

        Raises:
            EngineFailed: the library reported a failure.
        """
        tokenizer = self._tokenizer(language)
        prompt = [*tokenizer.sot_sequence, tokenizer.no_timestamps]
        return [
            self._aligned(window, tokens, tokenizer)
            for window, tokens in zip(windows, self._generated(windows, prompt), strict=True)
        ]

    def recognise_with_times(self, window: EncodedWindow, language: str) -> HeardPass:
        """Return what is heard until the last time that the model gives.

        Raises:
            EngineFailed: the library reported a failure.
        """
        tokenizer = self._tokenizer(language)
        (tokens,) = self._generated([window], tokenizer.sot_sequence)
        pieces = self._aligned(window, tokens, tokenizer)
        return HeardPass(pieces, _last_time_ms(tokens, tokenizer.timestamp_begin))

    def _tokenizer(self, language: str) -> Any:
        from faster_whisper.tokenizer import Tokenizer

        return Tokenizer(
            self._whisper.hf_tokenizer,
            self.knows_many_languages,
            task="transcribe",
            language=language,
        )

    def _generated(
        self, windows: Sequence[EncodedWindow], prompt: Sequence[int]
    ) -> list[list[int]]:
        states = _as_storage(np.concatenate([window.states for window in windows]))
        prompts = [list(prompt)] * len(windows)
        with _engine_errors():
            results = self._whisper.model.generate(states, prompts, **GENERATION)
        return [result.sequences_ids[0] for result in results]

    def _encoded(self, samples: Samples) -> Encoded:
        features = self._whisper.feature_extractor(samples)[..., : len(samples) // _FRAME_SAMPLES]
        with _engine_errors():
            return np.array(self._whisper.encode(features))

    def _aligned(self, window: EncodedWindow, tokens: Sequence[int], tokenizer: Any) -> list[Piece]:
        text_tokens = [token for token in tokens if token < tokenizer.eot]
        if not text_tokens:
            return []
        with _engine_errors():
            (aligned,) = self._whisper.model.align(
                _as_storage(window.states),
                tokenizer.sot_sequence,
                [text_tokens],
                window.frames,
                median_filter_width=DECODING["median_filter_width"],
            )
        starts_ms = _token_starts(aligned.alignments, len(text_tokens), window.duration_ms)
        pieces, first = [], 0
        for text, group in zip(*tokenizer.split_tokens_on_unicode(text_tokens), strict=True):
            last = first + len(group)
            kept = text.replace(_NO_CHARACTER, "")
            probabilities = tuple(aligned.text_token_probs[first:last])
            piece = Piece(kept, starts_ms[first], starts_ms[last], probabilities, kept != text)
            pieces.append(piece)
            first = last
        return pieces


def _last_time_ms(tokens: Sequence[int], first_time: int) -> int | None:
    """Return the time that ends the last sentence; None where text follows it.

    A pair of times at the end means that another sentence begins at the second one; the model
    goes on from the first.
    """
    if len(tokens) < 2 or tokens[-1] < first_time:
        return None
    last = tokens[-2] if tokens[-2] >= first_time else tokens[-1]
    return (last - first_time) * _POSITION_MS


def _token_starts(path: Sequence[tuple[int, int]], count: int, end_ms: int) -> list[int]:
    """Return when each token begins and, last, when the last one ends, in milliseconds.

    The path goes on to the next token a little before its sound begins.

    Args:
        path: token and encoder position of each step, neither ever decreasing.
        count: number of tokens.
        end_ms: end of the sound.
    """
    first_positions: dict[int, int] = {}
    for token, position in path:
        first_positions.setdefault(token, position)
    starts_ms = [end_ms] * (count + 1)
    for place in range(count, -1, -1):
        known = first_positions.get(place)
        following = starts_ms[place + 1] if place < count else end_ms
        start_ms = following if known is None else known * _POSITION_MS + ALIGNMENT_EARLY_MS
        starts_ms[place] = min(start_ms, following)
    return starts_ms


def _filled(samples: Samples, count: int) -> Samples:
    """Return `count` samples: silence after those that there are."""
    return np.pad(samples[:count], (0, max(0, count - len(samples))))


def _as_storage(states: Encoded) -> Any:
    from faster_whisper.transcribe import get_ctranslate2_storage

    return get_ctranslate2_storage(states)


@contextlib.contextmanager
def _engine_errors() -> Iterator[None]:
    try:
        yield
    except (RuntimeError, ValueError) as error:
        raise EngineFailed(f"faster-whisper failed: {printable(str(error))}") from error


@contextlib.contextmanager
def _yielding_threads() -> Iterator[None]:
    """Make OpenMP threads sleep while they wait for each other; read once, when it is loaded.

    By default they spin, which takes the cores from whatever else runs.
    """
    if _WAIT_POLICY in os.environ:
        yield
        return
    os.environ[_WAIT_POLICY] = "passive"
    try:
        yield
    finally:
        del os.environ[_WAIT_POLICY]

"""The sound of a span, for listening.

It comes from the same decoding that the recogniser heard, at 16 kHz mono: what is played is what
was transcribed, to the sample, whatever the container. Speech needs no more.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from kb_core.ports.extractor import AudioClip
from kb_core.ports.transcriber import SAMPLE_RATE_HZ, SAMPLES_PER_MS
from kb_parse_audio.decode import open_recording
from kb_parse_audio.downmix import FULL_SCALE, quantised


def read_clip(source_path: str | Path, start_ms: int, end_ms: int) -> AudioClip:
    """Decode [start_ms, end_ms) on the player's clock; what lies past the end is left out.

    Raises:
        ValueError: the span is no span.
        InputError: the file cannot be used.
    """
    if not 0 <= start_ms <= end_ms:
        raise ValueError(f"no span: {start_ms} to {end_ms} ms")
    first = start_ms * SAMPLES_PER_MS
    last = end_ms * SAMPLES_PER_MS
    pieces = []
    with open_recording(source_path) as recording:
        for position, samples in recording.blocks(first):
            if position >= last:
                break
            pieces.append(samples[max(first - position, 0) : last - position])
    sound = np.concatenate(pieces) if pieces else np.zeros(0, np.float32)
    samples = np.clip(quantised(sound), -FULL_SCALE, FULL_SCALE - 1)
    return AudioClip(
        pcm_s16le=samples.astype("<i2").tobytes(),
        sample_rate_hz=SAMPLE_RATE_HZ,
        start_ms=start_ms,
    )

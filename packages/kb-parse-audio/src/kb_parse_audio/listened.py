"""Sound with the probability of speech in it, frame by frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kb_core.ports.voice_activity import VoiceActivityDetector
from kb_parse_audio.downmix import Mono
from kb_parse_audio.loudness import with_gain


@dataclass(frozen=True, slots=True)
class ListenedBlock:
    """A block of sound.

    Attributes:
        sound: its samples.
        probabilities: of speech, 0..1, in the frames that end in it; the last frame of a recording
            is filled with silence and stands in a block of its own without sound.
    """

    sound: Mono
    probabilities: Sequence[float]


def listened(
    blocks: Iterable[tuple[int, Mono]], detector: VoiceActivityDetector
) -> Iterator[ListenedBlock]:
    """Yield blocks with the probability of speech.

    Args:
        blocks: (position of the first sample, samples), contiguous from 0.
        detector: hears them amplified by `with_gain`.
    """
    stream = detector.stream()
    rest: Mono = np.zeros(0, np.float32)
    for block, gain in with_gain(blocks):
        sound = np.concatenate((rest, np.clip(block * gain, -1, 1)))
        whole = len(sound) // detector.frame_samples * detector.frame_samples
        rest = sound[whole:]
        frames = np.ascontiguousarray(sound[:whole], dtype=np.float32)
        yield ListenedBlock(block, stream.probabilities(frames.data) if whole else ())
    if len(rest):
        last = np.pad(rest, (0, detector.frame_samples - len(rest)))
        yield ListenedBlock(np.zeros(0, np.float32), stream.probabilities(last.data))

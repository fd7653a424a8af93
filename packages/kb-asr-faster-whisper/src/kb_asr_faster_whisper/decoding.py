"""What decides, beside the weights, which text comes out of the same sound.

All of it is set explicitly and is part of the transcript's version, so that a changed default of
the library cannot change a transcript unnoticed.

Times are not decoded at first: asked for them, the model stops at the last sentence that it can
place and leaves the rest of the window to another pass. Word times come from the alignment; how
windows are heard to their end all the same is in `listening`.
"""

from __future__ import annotations

import importlib.metadata

from pydantic import JsonValue

BEAM_SIZE = 5
"""Hypotheses that are followed at once; 1 is greedy."""

MINIMUM_SAMPLES = 16_000
"""1 s: less is taken for as long as that, so that the alignment has something to work on."""

ALIGNMENT_EARLY_MS = 60
"""How much earlier than the sound the alignment goes on to the next word, by measurement."""

LEAST_GAP_MS = 3000
"""A token that lasts longer, or as much without text at the end, means that speech was left out."""

LEAST_REST_MS = 1000
"""A pass is as long at least, and what follows it is heard only when it is, too."""

GENERATION: dict[str, JsonValue] = {
    "beam_size": BEAM_SIZE,
    "patience": 1.0,
    "num_hypotheses": 1,
    "length_penalty": 1.0,
    "repetition_penalty": 1.0,
    "no_repeat_ngram_size": 0,
    "max_length": 448,
    "max_initial_timestamp_index": 50,
    "suppress_blank": True,
    "suppress_tokens": [-1],
    "sampling_topk": 1,
    "sampling_temperature": 1.0,
}
"""Arguments of the library; without sampling (`sampling_topk` 1) its temperature does nothing."""

DECODING: dict[str, JsonValue] = {
    **GENERATION,
    "device": "cpu",
    "compute_type": "int8",
    "flash_attention": False,
    "timestamp_tokens": "where speech was left out",
    "least_gap_ms": LEAST_GAP_MS,
    "least_rest_ms": LEAST_REST_MS,
    "text_context_tokens": 0,
    "padding": "silence",
    "minimum_samples": MINIMUM_SAMPLES,
    "median_filter_width": 7,
    "alignment_early_ms": ALIGNMENT_EARLY_MS,
    "words": "pieces-1",
    "segments": "sentences-1",
}


def engine_version() -> str:
    """Return the releases that do the work."""
    names = ("faster-whisper", "ctranslate2")
    return " ".join(f"{name} {importlib.metadata.version(name)}" for name in names)

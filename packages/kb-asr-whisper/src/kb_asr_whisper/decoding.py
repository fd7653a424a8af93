"""What decides, beside the weights, which text comes out of the same sound.

All of it is set explicitly and is part of the transcript's version, so that a changed default of
the library cannot change a transcript unnoticed. Flash attention is off: with it, the decoder
splits sums by thread, and probabilities, and so words, would depend on the number of threads.
"""

from __future__ import annotations

import importlib.metadata

from pydantic import JsonValue

MINIMUM_SAMPLES = 19_200
"""1.2 s: releases of whisper.cpp differ in the least they take, none wants more than one second."""

LEAST_REST_MS = 1000
"""What is left of a window after the last segment is heard again only if it is that long."""

LEAST_HEARD_MS = 15_000
"""Half a window: so much must be heard before the rest is left to the next window."""

DECODING: dict[str, JsonValue] = {
    "strategy": "greedy",
    "best_of": 1,
    "temperature": 0.0,
    "temperature_inc": 0.0,
    "text_context_tokens": 0,
    "max_initial_ts": 1.0,
    "no_speech_thold": 1.0,
    "logprob_thold": -1.0,
    "entropy_thold": 2.4,
    "suppress_blank": True,
    "suppress_nst": False,
    "token_timestamps": True,
    "flash_attention": False,
    "minimum_samples": MINIMUM_SAMPLES,
    "least_rest_ms": LEAST_REST_MS,
    "least_heard_ms": LEAST_HEARD_MS,
    "words": "pieces-1",
}


def engine_version() -> str:
    """Return the release that does the work; it pins the whisper.cpp inside it."""
    return f"pywhispercpp {importlib.metadata.version('pywhispercpp')}"

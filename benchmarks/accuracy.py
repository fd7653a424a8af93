"""Words, times, languages and phantoms of kb and its peers, on the same weights in one run.

    uv run --group bench python benchmarks/accuracy.py DIR [--only kb] [--keep FOLDER]

DIR holds folders of recordings with references, as `kb eval asr` reads them. Every contender is a
process of its own that loads the embedded base model once and transcribes every recording, decoding
included; all are measured by the functions of kb-eval. Peers run as their own documentation shows:
bare pywhispercpp with its defaults, faster-whisper with its defaults, with its VAD filter, and
batched. `--keep` writes what each heard, so that tables can be made again without hearing again.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from peers import Hear, decode, hear_with

from kb_eval import (
    Heard,
    Reference,
    ReferencePart,
    Score,
    StartErrors,
    find_reference,
    pooled,
    score,
)

CONTENDERS = (
    "kb",
    "kb, faster-whisper",
    "pywhispercpp",
    "faster-whisper",
    "faster-whisper VAD",
    "faster-whisper batched",
)
SOUND = {".aac", ".flac", ".m4a", ".mp3", ".mp4", ".ogg", ".wav", ".webm"}
FRAME_MS = 10
FRAME_SAMPLES = 160
LASTING_FRAMES = 6
TEXTS_OF_OTHERS = {"austen_brown": "noisy/austen.txt", "jfk": "en/jfk.txt"}


@dataclass(frozen=True, slots=True)
class Recording:
    """A recording, the row of the table that it counts for, and what is said in it."""

    path: Path
    group: str
    reference: Reference


def main() -> None:
    """Let every contender hear all recordings and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", action="append", choices=CONTENDERS)
    parser.add_argument("--group", action="append", help="only these rows")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--threads", type=int, default=min(4, len(os.sched_getaffinity(0))))
    parser.add_argument("--hear", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    recordings = [
        each
        for each in recordings_in(options.folder)
        if not options.group or each.group in options.group
    ]
    if options.hear:
        contender, target = options.hear
        hear_all(recordings, hear_with(contender, options.threads), Path(target))
        return
    with tempfile.TemporaryDirectory(prefix="kb-bench-") as scratch:
        folder = options.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for contender in options.only or CONTENDERS:
            target = folder / f"{contender.replace(', ', '+').replace(' ', '-')}.jsonl"
            if not target.exists():
                run_contender(contender, target, options)
            print_table(contender, recordings, target)


def run_contender(contender: str, target: Path, options: argparse.Namespace) -> None:
    """Run one contender as a process of its own."""
    command = [sys.executable, __file__, str(options.folder), "--threads", str(options.threads)]
    for group in options.group or ():
        command += ["--group", group]
    unfinished = target.with_suffix(".part")
    subprocess.run([*command, "--hear", contender, str(unfinished)], check=True)  # noqa: S603
    unfinished.rename(target)


def hear_all(recordings: list[Recording], hear: Hear, target: Path) -> None:
    """Write a line for every recording: what was heard, wall and processor milliseconds."""
    with target.open("w") as lines:
        for recording in recordings:
            started_s, started_cpu_s = time.perf_counter(), time.process_time()
            heard = hear(recording.path)
            line = {
                "path": recording.path.name,
                "wall_ms": round((time.perf_counter() - started_s) * 1000),
                "cpu_ms": round((time.process_time() - started_cpu_s) * 1000),
                "heard": heard.model_dump(),
            }
            print(json.dumps(line), file=lines, flush=True)
            print(f"  {recording.group}: {recording.path.name}", file=sys.stderr, flush=True)


def print_table(contender: str, recordings: list[Recording], target: Path) -> None:
    """Print a row for every group."""
    lines = [json.loads(line) for line in target.read_text().splitlines()]
    groups: dict[str, list[tuple[Score, int, int]]] = {}
    for recording, line in zip(recordings, lines, strict=True):
        result = score(recording.reference, Heard.model_validate(line["heard"]))
        entry = (result, line["wall_ms"], line["cpu_ms"])
        groups.setdefault(recording.group, []).append(entry)
    print(f"\n### {contender}\n")
    print(
        "| recordings | WER | CER | word start: median, p95, ≤ 200 ms "
        "| part start: median, p95, ≤ 200 ms | phantom words / h | language | × realtime | CPU s |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for group, entries in groups.items():
        total = pooled(entry[0] for entry in entries)
        wall_s = sum(entry[1] for entry in entries) / 1000
        cpu_s = sum(entry[2] for entry in entries) / 1000
        print(f"| {group} | {' | '.join(_cells(total))} ", end="")
        print(f"| {total.duration_ms / 1000 / wall_s:.1f} | {cpu_s:.0f} |")


def _cells(total: Score) -> Iterator[str]:
    yield _shown(total.wer, "{:.3f}")
    yield _shown(total.cer, "{:.3f}")
    yield _starts(total.word_starts)
    yield _starts(total.utterance_starts)
    yield _shown(total.phantom_words_per_silent_hour, "{:.0f}")
    yield _shown(total.language_accuracy, "{:.0%}")


def _starts(errors: StartErrors) -> str:
    if not errors.errors_ms:
        return "–"
    compared = f"{len(errors.errors_ms)} of {errors.reference_count}"
    return f"{errors.median_ms:.0f}, {errors.p95_ms}, {errors.share_near:.0%} ({compared})"


def _shown(value: float | None, form: str) -> str:
    return "–" if value is None else form.format(value)


def recordings_in(folder: Path) -> list[Recording]:
    """Return the recordings below a folder whose text is known, by group and name."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.suffix not in SOUND or "broken" in path.parts:
            continue
        reference = find_reference(path, folder) or _reference_of_others(path, folder)
        if reference is not None:
            reference = with_starts_of_speech(reference, path)
            found.append(Recording(path, _group(path, folder), reference))
    return sorted(found, key=lambda each: (each.group, each.path))


def with_starts_of_speech(reference: Reference, path: Path) -> Reference:
    """Return a timeline of parts that begin where their speech does.

    Timelines made of clips tell where the clips begin, up to two seconds of silence earlier. The
    start is where the level first stays above a tenth of the part's loudness for 60 ms: no engine's
    own notion of speech.
    """
    if not reference.parts:
        return reference
    levels = _levels(decode(path))
    parts = [
        part.model_copy(update={"start_ms": min(_onset_ms(part, levels), part.end_ms)})
        for part in reference.parts
    ]
    return reference.model_copy(update={"parts": tuple(parts)})


def _levels(sound: np.ndarray) -> np.ndarray:
    frames = sound[: len(sound) // FRAME_SAMPLES * FRAME_SAMPLES].reshape(-1, FRAME_SAMPLES)
    return np.sqrt((frames.astype(np.float64) ** 2).mean(axis=1))


def _onset_ms(part: ReferencePart, levels: np.ndarray) -> int:
    frames = levels[part.start_ms // FRAME_MS : part.end_ms // FRAME_MS]
    loud = frames >= 0.1 * np.percentile(frames, 95)
    lasting = np.convolve(loud, np.ones(LASTING_FRAMES), "valid") == LASTING_FRAMES
    return part.start_ms + int(np.argmax(lasting)) * FRAME_MS


def _reference_of_others(path: Path, folder: Path) -> Reference | None:
    for prefix, text in TEXTS_OF_OTHERS.items():
        if path.name.startswith(prefix):
            return Reference(text=(folder / text).read_text(), language="en")
    return None


def _group(path: Path, folder: Path) -> str:
    place = path.relative_to(folder)
    if path.stem.startswith("built_"):
        return path.stem
    return "/".join(place.parent.parts) or folder.name


if __name__ == "__main__":
    main()

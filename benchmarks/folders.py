"""A folder of many Markdown files: first ingest, again without a change, and with one file changed.

    uv run python benchmarks/folders.py [--files 10000] [--rounds 5]
    uv run --with txtai python benchmarks/folders.py --peer

The files are made up by the script, about 2 kB each, words in four languages. The limit for an
ingest that has nothing to do is a bare walk with a stat of each file, in the same process. With
--peer txtai builds its keyword index with content (SQLite) over the same texts, without embeddings,
as kb does here.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from kb_app.container import Container
from kb_app.ingest import ingest
from kb_app.setup import init
from kb_config import load_settings

WORDS = [
    *("the", "budget", "plan", "meeting", "release", "error", "contract", "supplier", "late"),
    *("배포", "오류", "회의", "예산", "일정", "검토", "合同", "供应商", "讨论", "预算"),
    *("会議", "予算", "確認", "した"),
]


def main() -> None:
    """Make the files, run, and print the table."""
    parser = argparse.ArgumentParser(description="Time ingests of a folder of Markdown files.")
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peer", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kb-bench-") as scratch:
        folder = Path(scratch) / "notes"
        _write_notes(folder, arguments.files)
        byte_len = sum(path.stat().st_size for path in folder.rglob("*.md"))
        print(f"{arguments.files} files, {byte_len / 1e6:.1f} MB")
        if arguments.peer:
            print(f"txtai, keyword index with content: {_timed(lambda: _txtai(folder)):.1f} s")
        _measure_kb(folder, Path(scratch) / "data", arguments.rounds)
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory of the process: {peak_mb:.0f} MB")


def _measure_kb(folder: Path, data_dir: Path, rounds: int) -> None:
    init(load_settings(data_dir), folder)
    container = Container(load_settings(data_dir))
    print(f"kb, first ingest: {_timed(lambda: ingest(container, [folder])):.1f} s")
    ingest(container, [folder])
    walks_s, unchanged_s = [], []
    for _ in range(rounds):
        walks_s.append(_timed(lambda: _walk(folder)))
        unchanged_s.append(_timed(lambda: ingest(container, [folder])))
    walk_s, again_s = statistics.median(walks_s), statistics.median(unchanged_s)
    print(f"bare walk with stat: {walk_s * 1000:.0f} ms")
    print(f"kb, nothing changed: {again_s * 1000:.0f} ms, ratio {again_s / walk_s:.2f}")
    changed = next(iter(sorted(folder.rglob("*.md"))))
    changed.write_text("# Changed\n\nother words\n", encoding="utf-8")
    print(f"kb, one file changed: {_timed(lambda: ingest(container, [folder])):.2f} s")
    container.close()


def _timed(run: Callable[[], object]) -> float:
    started_s = time.perf_counter()
    run()
    return time.perf_counter() - started_s


def _walk(folder: Path) -> None:
    for place, _, names in os.walk(folder):
        for name in names:
            os.stat(os.path.join(place, name))


def _txtai(folder: Path) -> None:
    from txtai import Embeddings  # type: ignore[import-not-found, unused-ignore]

    index = Embeddings(keyword=True, content=True)
    paths = sorted(folder.rglob("*.md"))
    index.index((str(path), path.read_text(encoding="utf-8")) for path in paths)


def _write_notes(folder: Path, count: int) -> None:
    chance = random.Random(1)  # noqa: S311 - the same files every time
    for number in range(count):
        path = folder / f"{number % 100:02d}" / f"note-{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        sections = (
            f"## Section {section}\n\n{' '.join(chance.choices(WORDS, k=70))}.\n"
            for section in range(4)
        )
        path.write_text(f"# Note {number}\n\n" + "\n".join(sections), encoding="utf-8")


if __name__ == "__main__":
    main()

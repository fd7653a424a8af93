"""A run that is killed at any moment goes on where it was and ends with the same rows."""

from __future__ import annotations

import json
import random
import subprocess
import time
from itertools import pairwise
from pathlib import Path

import pytest

from kb_store_sqlite import SqliteStore
from kb_testing.command import KbCommand

pytestmark = [pytest.mark.e2e, pytest.mark.long]

KILLS = 10
SEED = 20_261_130


def rows_of(kb: KbCommand) -> list[tuple[object, ...]]:
    store = SqliteStore.open(kb.data_dir / "kb.sqlite3", create=False)
    rows = list(store.dump_reproducible_rows())
    store.close()
    return rows


def fresh_windows(progress_lines: str) -> int:
    """Count the windows that a run recognised itself and reported as kept."""
    fresh_ms = [0]
    for line in progress_lines.splitlines():
        if line.endswith("}"):  # the kill may have cut the last line
            event = json.loads(line)
            if event.get("event") == "file_progress":
                fresh_ms.append(event["done_ms"] - event["reused_ms"])
    return sum(after > before for before, after in pairwise(fresh_ms))


def test_ten_kills_change_no_row_and_repeat_no_finished_window(
    kb: KbCommand, shared_audio: Path, tmp_path: Path
) -> None:
    recording = shared_audio / "en" / "long" / "built_11min_many_voices.ogg"
    undisturbed = KbCommand(tmp_path / "undisturbed", kb.models_dir, kb.cwd)
    started_s = time.monotonic()
    whole = undisturbed.run("ingest", "--json", recording, timeout_s=1200)
    whole_run_s = time.monotonic() - started_s
    assert whole.exit_code == 0, whole.stderr

    pauses = random.Random(SEED)  # noqa: S311 - moments, not secrets
    done_windows = 0
    for kill in range(KILLS):
        log = tmp_path / f"run-{kill}.jsonl"
        with log.open("wb") as stdout:
            process = subprocess.Popen(
                kb.argv("ingest", "--json", recording),
                cwd=kb.cwd,
                env=kb.environment(),
                stdout=stdout,
                stderr=subprocess.DEVNULL,
            )
            time.sleep(pauses.uniform(0.3, 1.6 * whole_run_s / KILLS))
            process.kill()
            process.wait()
        done_windows += fresh_windows(log.read_text(encoding="utf-8"))
    final = kb.run("ingest", "--json", recording, timeout_s=1200)
    assert final.exit_code == 0, final.stderr
    done_windows += fresh_windows(final.stdout)
    # A kill costs the window that was being heard; one that was kept is never heard again, and only
    # a kill between keeping and reporting can hide one from this count.
    all_windows = fresh_windows(whole.stdout)
    assert all_windows - KILLS <= done_windows <= all_windows
    assert rows_of(kb) == rows_of(undisturbed)

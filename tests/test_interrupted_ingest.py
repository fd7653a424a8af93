"""A run that is killed at any moment goes on where it was and ends with the same rows."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import time
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


def window_count(kb: KbCommand) -> int:
    path = kb.data_dir / "kb.sqlite3"
    if not path.exists():
        return 0
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        (count,) = connection.execute("SELECT count(*) FROM transcript_windows").fetchone()
    except sqlite3.OperationalError:
        return 0
    finally:
        connection.close()
    return int(count)


def test_ten_kills_change_no_row_and_repeat_at_most_one_window_each(
    kb: KbCommand, shared_audio: Path, tmp_path: Path
) -> None:
    recording = shared_audio / "en" / "long" / "built_11min_many_voices.ogg"
    undisturbed = KbCommand(tmp_path / "undisturbed", kb.models_dir, kb.cwd)
    started_s = time.monotonic()
    assert undisturbed.run("ingest", recording, timeout_s=1200).exit_code == 0
    whole_run_s = time.monotonic() - started_s

    pauses = random.Random(SEED)  # noqa: S311 - moments, not secrets
    counts = [0]
    for _ in range(KILLS):
        process = subprocess.Popen(
            kb.argv("ingest", recording),
            cwd=kb.cwd,
            env=kb.environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(pauses.uniform(0.3, 1.6 * whole_run_s / KILLS))
        process.kill()
        process.wait()
        counts.append(window_count(kb))
        assert counts[-1] >= counts[-2] or counts[-1] == 0, "a finished window was lost"
    final = kb.run("ingest", "--json", recording, timeout_s=1200)
    assert final.exit_code == 0, final.stderr
    assert rows_of(kb) == rows_of(undisturbed)
    if final.json["new"]:
        first = next(line for line in final.json_lines if line.get("event") == "file_progress")
        assert first["reused_ms"] > 0, "the last run began from the start"

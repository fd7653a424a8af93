import subprocess
import threading
from contextlib import closing
from pathlib import Path

import pytest

from kb_core.errors import StoreBusy, StoreError, StoreFull
from kb_store_sqlite import SqliteStore
from kb_store_sqlite.connection import Database
from kb_testing.documents import make_note, make_recording, with_chunks

APPLE = make_note("apple.md", ["apple"])
BANANA = make_note("banana.md", ["banana"])
HUGE = make_recording("huge.wav", [(n, n + 1, f"word{n} " * 50, None) for n in range(2000)])


def paths_of(store: SqliteStore) -> list[str]:
    return [row.workspace_path for row in store.list_documents()]


def test_a_reader_and_two_writers_do_not_stop_each_other(path: Path, store: SqliteStore) -> None:
    store.put_document(APPLE)
    with closing(Database(path, create=False)) as other, SqliteStore.open(path) as second:
        with other.read() as reading:
            count = "SELECT count(*) FROM documents"
            assert reading.execute(count).fetchone() == (1,)
            second.put_document(BANANA)
            store.restamp(APPLE.document.doc_id, "/moved/apple.md", APPLE.stamp)
            assert reading.execute(count).fetchone() == (1,)
        with other.read() as reading:
            assert reading.execute(count).fetchone() == (2,)
    assert paths_of(store) == ["apple.md", "banana.md"]


def test_a_writer_waits_for_another(path: Path, store: SqliteStore) -> None:
    holding, release = threading.Event(), threading.Event()

    def hold() -> None:
        with store._database.write():
            holding.set()
            release.wait(timeout=30)

    holder = threading.Thread(target=hold)
    holder.start()
    assert holding.wait(timeout=30)
    threading.Timer(0.2, release.set).start()
    with SqliteStore.open(path) as second:
        second.put_document(APPLE)
    holder.join()
    assert paths_of(store) == ["apple.md"]


def test_a_writer_that_waited_too_long_says_so(path: Path, store: SqliteStore) -> None:
    with closing(Database(path, create=False, busy_timeout_s=0.05)) as other:
        with (
            store._database.write(),
            pytest.raises(StoreBusy, match=r"kb\.sqlite3"),
            other.write(),
        ):
            pass
        with other.write():
            pass


def test_a_write_waits_a_minute_for_another_process(store: SqliteStore) -> None:
    assert store._database.connection().execute("PRAGMA busy_timeout").fetchone() == (60_000,)


def test_a_write_that_fails_half_way_leaves_nothing(store: SqliteStore) -> None:
    store.put_document(APPLE)
    before = list(store.dump_reproducible_rows())
    chunk = BANANA.chunks[0]
    with pytest.raises(StoreError):
        store.put_document(with_chunks(BANANA, [chunk, chunk]), replaces=[APPLE.document.doc_id])
    assert list(store.dump_reproducible_rows()) == before
    store.put_document(BANANA)
    assert paths_of(store) == ["apple.md", "banana.md"]


def test_an_interrupt_in_a_transaction_leaves_nothing(store: SqliteStore) -> None:
    def interrupted_write() -> None:
        with store._database.write() as connection:
            connection.execute("INSERT INTO assets VALUES ('a', 'b', 1)")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted_write()
    assert list(store.dump_reproducible_rows()) == []
    store.put_document(APPLE)


def test_many_threads_may_read(store: SqliteStore) -> None:
    store.put_document(APPLE)
    found: list[list[str]] = []
    threads = [threading.Thread(target=lambda: found.append(paths_of(store))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [["apple.md"]] * 8


def check_that_a_full_disk_keeps_the_rest(store: SqliteStore) -> None:
    before = list(store.dump_reproducible_rows())
    with pytest.raises(StoreFull) as caught:
        store.put_document(HUGE, replaces=[APPLE.document.doc_id])
    assert caught.value.hint
    assert list(store.dump_reproducible_rows()) == before
    assert [finding for finding in store.check() if finding.code != "missing_file"] == []
    store.put_document(BANANA)
    assert paths_of(store) == ["apple.md", "banana.md"]


def test_a_store_at_its_limit_keeps_nothing_of_what_does_not_fit(store: SqliteStore) -> None:
    store.put_document(APPLE)
    connection = store._database.connection()
    (page_count,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {page_count + 20}")
    check_that_a_full_disk_keeps_the_rest(store)


def test_a_full_disk_keeps_nothing_of_what_does_not_fit(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1500k", "tmpfs", str(disk)]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("a small file system cannot be mounted here")
    try:
        with SqliteStore.open(disk / "kb.sqlite3", create=True) as store:
            store.put_document(APPLE)
            check_that_a_full_disk_keeps_the_rest(store)
    finally:
        subprocess.run(["umount", disk], check=True)


def test_a_document_that_is_killed_half_way_is_not_there(path: Path, store: SqliteStore) -> None:
    store.put_document(APPLE)
    copy = path.with_name("copy.sqlite3")
    with store._database.write() as connection:
        connection.execute("DELETE FROM chunk_fts")
        connection.execute("DELETE FROM documents")
        for suffix in ("", "-wal"):
            source = path.with_name(path.name + suffix)
            copy.with_name(copy.name + suffix).write_bytes(source.read_bytes())
    with SqliteStore.open(copy) as survivor:
        assert paths_of(survivor) == ["apple.md"]

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from kb_asr_whisper.download import download
from kb_asr_whisper.model_files import only_writer
from kb_asr_whisper.published import PublishedModel
from kb_core.errors import (
    Cancelled,
    ModelDigestMismatch,
    ModelDownloadFailed,
    ModelError,
)
from kb_core.runtime import CancelToken

CONTENT = bytes(range(256)) * 4096
MODEL = PublishedModel("tiny", len(CONTENT), hashlib.sha256(CONTENT).hexdigest())


class Shop:
    """A server on loopback that behaves as told, and notes which ranges were asked for."""

    def __init__(self) -> None:
        self.content = CONTENT
        self.ranges: list[str | None] = []
        self.cut_after: list[int] = []
        self.honours_range = True
        self.status = 200
        self.redirect = False


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch):
    monkeypatch.setenv("no_proxy", "*")


@contextmanager
def serving(shop: Shop) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if shop.redirect and not self.path.startswith("/cdn"):
                self.send_response(302)
                self.send_header("Location", f"/cdn{self.path}")
                self.end_headers()
                return
            asked = self.headers.get("Range")
            shop.ranges.append(asked)
            if shop.status != 200:
                self.send_error(shop.status)
                return
            start = int(asked[6:-1]) if asked and shop.honours_range else 0
            if start >= len(shop.content):
                self.send_error(416)
                return
            self.send_response(206 if start else 200)
            if start:
                end = len(shop.content)
                self.send_header("Content-Range", f"bytes {start}-{end - 1}/{end}")
            self.send_header("Content-Length", str(len(shop.content) - start))
            self.end_headers()
            stop = shop.cut_after.pop(0) if shop.cut_after else len(shop.content)
            self.wfile.write(shop.content[start : start + stop])

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/ggml-tiny.bin"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def fetch(url: str, target: Path, cancel: CancelToken | None = None) -> list[int]:
    seen: list[int] = []
    download(url, target, MODEL, progress=lambda done, _: seen.append(done), cancel=cancel)
    return seen


def visible(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "models" / "ggml-tiny.bin"


def test_whole_file_arrives_with_progress(target):
    with serving(Shop()) as url:
        seen = fetch(url, target)
    assert target.read_bytes() == CONTENT
    assert seen == sorted(seen)
    assert (seen[0], seen[-1]) == (0, len(CONTENT))
    assert visible(target.parent) == ["ggml-tiny.bin"]


def test_cut_connection_is_resumed_where_it_stopped(target):
    shop = Shop()
    shop.cut_after = [300_000, 200_000]
    with serving(shop) as url:
        fetch(url, target)
    assert target.read_bytes() == CONTENT
    assert shop.ranges == [None, "bytes=300000-", "bytes=500000-"]


def test_part_of_an_earlier_command_is_resumed(target):
    target.parent.mkdir()
    target.with_name("ggml-tiny.bin.part").write_bytes(CONTENT[:1000])
    shop = Shop()
    with serving(shop) as url:
        seen = fetch(url, target)
    assert shop.ranges == ["bytes=1000-"]
    assert seen[0] == 1000
    assert target.read_bytes() == CONTENT


def test_range_survives_a_redirect(target):
    target.parent.mkdir()
    target.with_name("ggml-tiny.bin.part").write_bytes(CONTENT[:1000])
    shop = Shop()
    shop.redirect = True
    with serving(shop) as url:
        fetch(url, target)
    assert shop.ranges == ["bytes=1000-"]
    assert target.read_bytes() == CONTENT


def test_server_that_ignores_ranges_starts_over(target):
    target.parent.mkdir()
    target.with_name("ggml-tiny.bin.part").write_bytes(CONTENT[:1000])
    shop = Shop()
    shop.honours_range = False
    with serving(shop) as url:
        fetch(url, target)
    assert target.read_bytes() == CONTENT


def test_complete_part_is_not_fetched_again(target):
    target.parent.mkdir()
    target.with_name("ggml-tiny.bin.part").write_bytes(CONTENT)
    fetch("http://127.0.0.1:9/ggml-tiny.bin", target)
    assert target.read_bytes() == CONTENT


def test_other_bytes_are_deleted_and_never_get_the_name(target):
    for content in (b"x" * len(CONTENT), CONTENT + b"longer"):
        shop = Shop()
        shop.content = content
        with serving(shop) as url, pytest.raises(ModelDigestMismatch):
            fetch(url, target)
        assert visible(target.parent) == []


def test_shorter_file_is_an_error_that_keeps_what_arrived(target):
    shop = Shop()
    shop.content = CONTENT[:5000]
    with serving(shop) as url, pytest.raises(ModelDownloadFailed):
        fetch(url, target)
    assert not target.exists()


@pytest.mark.parametrize(
    ("status", "reason", "hint", "other_hint"),
    [
        (404, "no such file", "models_url", "again"),
        (410, "no such file", "models_url", "network"),
        (403, "refuses", "models_url", "again"),
        (400, "cannot use", "models_url", "again"),
        (500, "cannot give it now", "wait", "network"),
        (503, "cannot give it now", "wait", "models_url"),
    ],
)
def test_refusing_server_is_named_with_its_answer(target, status, reason, hint, other_hint):
    shop = Shop()
    shop.status = status
    with serving(shop) as url, pytest.raises(ModelDownloadFailed, match=f"HTTP {status}") as caught:
        fetch(url, target)
    assert "ggml-tiny.bin" in caught.value.message
    assert reason in caught.value.message
    assert hint in (caught.value.hint or "")
    assert other_hint not in (caught.value.hint or "")
    assert len(shop.ranges) == 1


@pytest.mark.parametrize(
    "url",
    ["http://[::1/ggml-tiny.bin", "http://host:port/x", "http://a b/x", "http://h/\u00e9", "tiny"],
)
def test_impossible_address_is_named_with_the_setting(target, url):
    with pytest.raises(ModelDownloadFailed) as caught:
        fetch(url, target)
    assert "models_url" in (caught.value.hint or "")
    assert "\n" not in caught.value.message


def test_no_network_hints_at_adding_by_hand_and_keeps_the_part(target):
    target.parent.mkdir()
    part = target.with_name("ggml-tiny.bin.part")
    part.write_bytes(CONTENT[:1000])
    with pytest.raises(ModelDownloadFailed) as caught:
        fetch("http://127.0.0.1:9/ggml-tiny.bin", target)
    assert "kb models add" in (caught.value.hint or "")
    assert part.read_bytes() == CONTENT[:1000]


def test_stopped_download_keeps_what_arrived(target):
    cancel = CancelToken()
    arrived: list[int] = []

    def stop_halfway(done: int, total: int | None) -> None:
        arrived.append(done)
        if done > len(CONTENT) // 3:
            cancel.cancel()

    with serving(Shop()) as url:
        with pytest.raises(Cancelled):
            download(url, target, MODEL, progress=stop_halfway, cancel=cancel)
        assert target.with_name("ggml-tiny.bin.part").stat().st_size == arrived[-1]
        fetch(url, target)
    assert target.read_bytes() == CONTENT


def test_second_download_of_the_same_file_is_turned_away(target):
    lock = target.with_name(f".{target.name}.lock")
    with only_writer(lock), pytest.raises(ModelError, match="another kb"):
        fetch("http://127.0.0.1:9/ggml-tiny.bin", target)


def test_only_http_is_fetched(target):
    with pytest.raises(ModelDownloadFailed, match="only http"):
        fetch("file:///etc/passwd", target)

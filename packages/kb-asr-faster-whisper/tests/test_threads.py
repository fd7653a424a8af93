import pytest

from kb_asr_faster_whisper import threads
from kb_asr_faster_whisper.threads import default_threads


@pytest.mark.parametrize(
    ("quota", "most"),
    [("max 100000", 4), ("50000 100000", 1), ("200000 100000", 2), ("250000 100000", 3), ("", 4)],
)
def test_quota_of_a_container_limits_the_threads(tmp_path, monkeypatch, quota, most):
    file = tmp_path / "cpu.max"
    file.write_text(quota)
    monkeypatch.setattr(threads, "_CGROUP_QUOTA", file)
    monkeypatch.setattr(threads.os, "sched_getaffinity", lambda _: range(16), raising=False)
    assert default_threads() == most

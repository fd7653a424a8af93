import pytest

from kb_config import threads
from kb_config.threads import default_threads


def test_default_is_between_one_and_four():
    assert 1 <= default_threads() <= 4


@pytest.mark.parametrize(
    ("quota", "most"),
    [("max 100000", 4), ("50000 100000", 1), ("200000 100000", 2), ("250000 100000", 3), ("", 4)],
)
def test_quota_of_a_container_limits_it(tmp_path, monkeypatch, quota, most):
    file = tmp_path / "cpu.max"
    file.write_text(quota)
    monkeypatch.setattr(threads, "_CGROUP_QUOTA", file)
    monkeypatch.setattr(threads.os, "sched_getaffinity", lambda _: range(16), raising=False)
    assert default_threads() == most

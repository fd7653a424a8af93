import json
from pathlib import Path

import pytest

from kb_core.errors import InputError

DATA = Path(__file__).parents[4] / "shared" / "data"
ESTIMATED_BY_BIT_RATE = {"audio/en/formats/sonnet_p001_9s.aac"}  # an ADTS file states no length
RATE_HZ = 16_000

pytestmark = pytest.mark.skipif(
    not (DATA / "manifest.json").exists(), reason="the shared recordings are not on this machine"
)


def audio_rows():
    if not (DATA / "manifest.json").exists():
        return []
    rows = json.loads((DATA / "manifest.json").read_text(encoding="utf-8"))
    return [row for row in rows if row["file"].startswith("audio/")]


def test_every_good_recording_is_as_long_as_its_container_says(decode):
    checked = 0
    for row in audio_rows():
        if row["file"].startswith("audio/broken/") or row["file"] in ESTIMATED_BY_BIT_RATE:
            continue
        samples, codes = decode(DATA / row["file"])
        tolerance_s = 0.15 if row["file"].endswith((".mp3", ".m4a")) else 0.1
        assert abs(len(samples) / RATE_HZ - row["seconds"]) <= tolerance_s, row["file"]
        assert codes == [], row["file"]
        checked += 1
    assert checked > 60


def test_every_broken_recording_is_refused_with_its_name(decode):
    broken = sorted((DATA / "audio" / "broken").iterdir())
    assert len(broken) == 5
    for path in broken:
        with pytest.raises(InputError) as caught:
            decode(path)
        assert str(caught.value).startswith(str(path))
        assert "Errno" not in str(caught.value)
        assert caught.value.hint

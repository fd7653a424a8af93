"""Ten hours of sound: the memory stays where it is, and no time is off."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.long]

ONE_MINUTE_S = 60
TEN_HOURS_S = 36_000
BEEPS_S = (7, 18_001, 35_990)
MEMORY_CAP_MB = 200
BEEP_FRAME_MS = 10

INGEST_WITH_BEEPS = """
import json, resource, sys
from pathlib import Path
from kb_app.container import Container
from kb_app.ingest import ingest
from kb_app.setup import init
from kb_config import load_settings
from kb_testing.fake_transcriber import BeepTranscriber
from kb_testing.fake_voice_activity import EnergyDetector
data_dir, recording = Path(sys.argv[1]), Path(sys.argv[2])
init(load_settings(data_dir), recording.parent)
settings = load_settings(data_dir)
container = Container(settings, transcriber=BeepTranscriber(), detector=EnergyDetector())
report = ingest(container, [recording])
(stored,) = container.store.list_documents()
segments = container.store.load_document(stored.doc_id).audio.transcript.segments
print(json.dumps({
    "errors": report.errors,
    "duration_ms": stored.duration_ms,
    "beeps_ms": [segment.start_ms for segment in segments],
    "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
}))
"""


def places_ms(beeps_s: tuple[int, ...]) -> list[object]:
    """Return where the beeps must be; the recogniser hears them to its frame."""
    return [pytest.approx(beep_s * 1000, abs=BEEP_FRAME_MS) for beep_s in beeps_s]


def write_silence_with_beeps(path: Path, duration_s: int, beeps_s: tuple[int, ...]) -> None:
    av = pytest.importorskip("av")
    np = pytest.importorskip("numpy")
    rate_hz = 16_000
    silence = np.zeros((1, rate_hz), dtype=np.int16)
    tone = np.sin(2 * np.pi * 1000 * np.arange(rate_hz // 2) / rate_hz) * 20_000
    beep = silence.copy()
    beep[0, : tone.size] = tone.astype(np.int16)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("flac", rate=rate_hz, layout="mono")
        for second in range(duration_s):
            samples = beep if second in beeps_s else silence
            frame = av.AudioFrame.from_ndarray(samples, format="s16", layout="mono")
            frame.sample_rate = rate_hz
            frame.pts = second * rate_hz
            container.mux(stream.encode(frame))
        container.mux(stream.encode())


def ingest_with_beeps(tmp_path: Path, recording: Path) -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, "-c", INGEST_WITH_BEEPS, str(tmp_path / recording.stem), str(recording)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_ten_hours_take_no_more_memory_than_a_minute_and_every_beep_is_in_its_place(
    tmp_path: Path,
) -> None:
    short, long = tmp_path / "minute.flac", tmp_path / "ten-hours.flac"
    write_silence_with_beeps(short, ONE_MINUTE_S, BEEPS_S[:1])
    write_silence_with_beeps(long, TEN_HOURS_S, BEEPS_S)
    for_a_minute = ingest_with_beeps(tmp_path, short)
    for_ten_hours = ingest_with_beeps(tmp_path, long)
    assert for_a_minute["beeps_ms"] == places_ms(BEEPS_S[:1])
    assert for_ten_hours["beeps_ms"] == places_ms(BEEPS_S)
    assert for_ten_hours["duration_ms"] == TEN_HOURS_S * 1000
    more_mb = for_ten_hours["peak_mb"] - for_a_minute["peak_mb"]  # type: ignore[operator]
    assert more_mb <= MEMORY_CAP_MB

import numpy as np
import pytest

from kb_parse_audio.clip import read_clip

RATE_HZ = 16_000
CONTAINERS = {
    "wav": {"container": "wav", "codec": "pcm_s16le", "rate_hz": 44_100},
    "flac": {"container": "flac", "codec": "flac", "rate_hz": 44_100},
    "mp3": {"container": "mp3", "codec": "libmp3lame", "rate_hz": 44_100},
    "m4a": {"container": "ipod", "codec": "aac", "rate_hz": 44_100},
    "mp4": {"container": "mp4", "codec": "aac", "rate_hz": 48_000, "video": True},
    "aac": {"container": "adts", "codec": "aac", "rate_hz": 44_100},
    "ogg": {"container": "ogg", "codec": "libopus", "rate_hz": 48_000},
    "webm": {"container": "webm", "codec": "libopus", "rate_hz": 48_000},
    "mkv": {"container": "matroska", "codec": "libmp3lame", "rate_hz": 48_000},
    "ts": {"container": "mpegts", "codec": "aac", "rate_hz": 48_000},
}
SPANS_MS = [(0, 1500), (1, 2), (9_750, 11_250), (14_400, 14_900), (19_000, 60_000)]


def sliced(samples, start_ms, end_ms):
    quantised = np.clip(np.rint(samples * 32_768), -32_768, 32_767).astype("<i2")
    return quantised[start_ms * 16 : end_ms * 16].astype(np.float64)


def best_lag(heard, expected, reach=400):
    """Return by how many samples `heard` is late, and the correlation there."""
    reach = min(reach, len(heard) // 4)
    inner = heard[reach : len(heard) - reach]
    spectra = np.fft.rfft(expected, 2 * len(heard)) * np.fft.rfft(inner, 2 * len(heard)).conj()
    best = reach - int(np.argmax(np.fft.irfft(spectra)[: 2 * reach + 1]))
    other = expected[reach - best : len(heard) - reach - best]
    scale = np.linalg.norm(inner) * np.linalg.norm(other)
    return best, float(inner @ other) / scale if scale else 1.0


@pytest.mark.parametrize("kind", CONTAINERS)
def test_a_clip_is_the_slice_of_a_full_decode(media, decode, kind):
    options = dict(CONTAINERS[kind])
    lag_samples = 16 if options["container"] in ("webm", "matroska") else 1
    rng = np.random.default_rng(3)
    rate_hz = options["rate_hz"]
    sound = media.beeps(20, [1, 5, 10.1, 14.6, 19.5], rate_hz=rate_hz)
    sound += 0.05 * np.convolve(rng.standard_normal(len(sound)), np.ones(20) / 20, "same")
    path = media.encode(f"a.{kind}", sound, **options)
    samples, _ = decode(path)
    for start_ms, end_ms in SPANS_MS:
        clip = read_clip(path, start_ms, end_ms)
        heard = np.frombuffer(clip.pcm_s16le, "<i2").astype(np.float64)
        expected = sliced(samples, start_ms, end_ms)
        assert (clip.start_ms, clip.sample_rate_hz) == (start_ms, RATE_HZ)
        assert abs(len(heard) - len(expected)) <= lag_samples
        shorter = min(len(heard), len(expected))
        heard, expected = heard[:shorter], expected[:shorter]
        lag, likeness = best_lag(heard, expected)
        assert abs(lag) <= lag_samples
        assert likeness > 0.98 or len(heard) < 100


def test_a_clip_inside_a_gap_is_silence(media, onsets):
    pieces = [(0, media.beeps(5, [1])), (20, media.beeps(3, [0]))]
    path = media.encode("gap.mkv", pieces, container="matroska", codec="pcm_s16le")
    assert not any(read_clip(path, 8_000, 9_000).pcm_s16le)
    after = np.frombuffer(read_clip(path, 19_000, 21_000).pcm_s16le, "<i2") / 32_768
    assert onsets(after) == pytest.approx([1.0], abs=0.005)


def test_a_clip_before_a_late_stream_is_silence(media):
    pieces = [(4.0, media.beeps(2, [0]))]
    path = media.encode("late.mkv", pieces, container="matroska", codec="pcm_s16le", video=True)
    assert not any(read_clip(path, 2_500, 3_500).pcm_s16le)
    assert any(read_clip(path, 4_000, 4_100).pcm_s16le)


def test_a_clip_after_damage_keeps_its_time(media, onsets):
    sound = media.beeps(20, [2, 18], noise=1e-3)
    path = media.encode("a.mp3", sound, container="mp3", codec="libmp3lame", bit_rate=32_000)
    data = bytearray(path.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 4096] = bytes(4096)
    clip = read_clip(media.write("damaged.mp3", bytes(data)), 17_000, 19_000)
    heard = np.frombuffer(clip.pcm_s16le, "<i2") / 32_768
    assert onsets(heard) == pytest.approx([1.0], abs=0.1)


def test_a_clip_from_the_second_of_joined_files_is_from_the_second(media, decode):
    options = {"container": "ogg", "codec": "libopus", "rate_hz": 48_000}
    once = media.encode("a.ogg", media.beeps(12, [1, 11], rate_hz=48_000), **options).read_bytes()
    path = media.write("joined.ogg", once + once)
    clip = read_clip(path, 22_500, 23_500)
    heard = np.frombuffer(clip.pcm_s16le, "<i2").astype(np.float64)
    lag, likeness = best_lag(heard, sliced(decode(path)[0], 22_500, 23_500))
    assert abs(lag) <= 200
    assert likeness > 0.98


def test_a_clip_past_the_end_is_empty(media):
    path = media.encode("a.wav", media.beeps(2), container="wav", codec="pcm_s16le")
    assert read_clip(path, 5_000, 6_000).pcm_s16le == b""


def test_a_span_that_is_none_is_refused(media):
    with pytest.raises(ValueError, match="no span"):
        read_clip(media.folder / "any.wav", 2_000, 1_000)

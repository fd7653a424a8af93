import io
import os
import struct
import wave

import av
import numpy as np
import pytest

from kb_core.errors import DecodeFailed, EmptyRecording, NoAudioStream, UnreadableFile
from kb_parse_audio.decode import open_recording

RATE_HZ = 16_000


def test_damage_in_an_mp3_costs_no_time_after_it(media, decode, onsets):
    sound = media.beeps(20, [2, 18], noise=1e-3)
    path = media.encode("a.mp3", sound, container="mp3", codec="libmp3lame", bit_rate=32_000)
    data = bytearray(path.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 4096] = bytes(4096)
    samples, codes = decode(media.write("damaged.mp3", bytes(data)))
    assert onsets(samples) == pytest.approx([2, 18], abs=0.1)
    assert codes == ["damaged"]


def test_damage_in_an_aac_stream_costs_no_time_after_it(media, decode, onsets):
    sound = media.beeps(20, [2, 18], noise=1e-3)
    path = media.encode("a.aac", sound, container="adts", codec="aac", bit_rate=48_000)
    data = bytearray(path.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 4096] = bytes(4096)
    samples, codes = decode(media.write("damaged.aac", bytes(data)))
    assert onsets(samples) == pytest.approx([2, 18], abs=0.15)
    assert "damaged" in codes


def test_tags_between_joined_mp3_files_are_no_lost_sound(media, decode, onsets):
    path = media.encode(
        "a.mp3", media.beeps(5, [1], noise=1e-3), container="mp3", codec="libmp3lame"
    )
    tag = b"ID3\x03\x00\x00" + struct.pack(">I", 0x00000F00) + b"\0" * 1920
    once = path.read_bytes()
    samples, _ = decode(media.write("joined.mp3", once + tag + once))
    assert onsets(samples) == pytest.approx([1, 6.05], abs=0.15)


def test_damage_in_a_timed_container_costs_no_time_after_it(media, decode, onsets):
    sound = media.beeps(20, [2, 18], noise=1e-3)
    path = media.encode("a.m4a", sound, container="ipod", codec="aac", bit_rate=48_000)
    data = bytearray(path.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 4096] = b"\xff" * 4096
    samples, codes = decode(media.write("damaged.m4a", bytes(data)))
    assert onsets(samples)[0] == pytest.approx(2, abs=0.1)
    assert onsets(samples)[-1] == pytest.approx(18, abs=0.1)
    assert "damaged" in codes


def test_a_gap_in_the_timestamps_becomes_silence(media, decode, onsets):
    pieces = [(0, media.beeps(5, [1])), (20, media.beeps(3, [0]))]
    path = media.encode("gap.mkv", pieces, container="matroska", codec="pcm_s16le")
    samples, codes = decode(path)
    assert onsets(samples) == pytest.approx([1, 20], abs=0.005)
    assert not samples[5 * RATE_HZ + 100 : 20 * RATE_HZ - 100].any()
    assert len(samples) == 23 * RATE_HZ
    assert codes == ["gap"]


def test_a_late_audio_stream_keeps_its_offset_once(media, decode, onsets):
    path = media.encode(
        "late.mkv",
        [(4.0, media.beeps(2, [0]))],
        container="matroska",
        codec="pcm_s16le",
        video=True,
    )
    samples, codes = decode(path)
    assert onsets(samples) == pytest.approx([4.0], abs=0.005)
    assert len(samples) == 6 * RATE_HZ
    assert codes == []


def test_rounded_timestamps_insert_no_clicks(media, decode):
    sound = media.beeps(3, [0, 1, 2], rate_hz=44_100)
    options = {"codec": "pcm_s16le", "rate_hz": 44_100, "frame_samples": 1000}
    rounded, codes = decode(media.encode("r.mkv", sound, container="matroska", **options))
    exact, _ = decode(media.encode("r.wav", sound, container="wav", **options))
    assert np.array_equal(rounded, exact)
    assert codes == []


def test_joined_files_whose_clock_restarts_are_heard_whole(media, decode, onsets):
    sound = media.beeps(12, [1, 11], rate_hz=48_000)
    options = {"container": "ogg", "codec": "libopus", "rate_hz": 48_000}
    once = media.encode("a.ogg", sound, **options).read_bytes()
    samples, _ = decode(media.write("joined.ogg", once + once))
    assert onsets(samples) == pytest.approx([1, 11, 13, 23], abs=0.05)


def test_an_mp3_of_variable_rate_without_a_table_is_as_long_as_its_samples(media, decode, onsets):
    halves = [
        media.encode(
            f"{bit_rate}.mp3",
            media.beeps(11, [5], noise=0.01, rate_hz=44_100),
            container="mp3",
            codec="libmp3lame",
            rate_hz=44_100,
            bit_rate=bit_rate,
            muxer={"write_xing": "0", "id3v2_version": "0"},
        ).read_bytes()
        for bit_rate in (32_000, 160_000)
    ]
    path = media.write("vbr.mp3", b"".join(halves))
    with open_recording(path) as recording:
        probed_ms = recording.probed_duration_ms
    samples, codes = decode(path)
    assert abs(probed_ms - 22_000) > 1000
    assert len(samples) / RATE_HZ == pytest.approx(22.0, abs=0.15)
    assert onsets(samples) == pytest.approx([5, 16], abs=0.15)
    assert codes == []


@pytest.mark.parametrize("size", [0xFFFFFFFF, 0, 0x7FFFFFFF])
def test_a_wav_whose_header_lies_about_its_size_is_read_to_its_end(media, decode, size):
    pcm = (media.beeps(1, [0.5]) * 32_767).astype("<i2").tobytes()
    samples, _ = decode(media.wav("a.wav", pcm, size=size))
    assert len(samples) == RATE_HZ


def test_speech_on_one_channel_reaches_the_recogniser(media, decode, onsets):
    speech = media.beeps(4, [1, 3])
    stereo = np.stack([np.zeros_like(speech), speech], axis=1)
    path = media.encode("r.wav", stereo, container="wav", codec="pcm_s16le", layout="stereo")
    assert onsets(decode(path)[0]) == pytest.approx([1, 3], abs=0.01)


@pytest.mark.parametrize("left_over", [0.0, 0.05])
def test_channels_that_cancel_do_not_silence_speech(media, decode, onsets, left_over):
    speech = media.beeps(4, [1, 3])
    noise = left_over * np.random.default_rng(1).standard_normal(len(speech))
    stereo = np.stack([speech, noise - speech], axis=1)
    path = media.encode("c.wav", stereo, container="wav", codec="pcm_s16le", layout="stereo")
    samples, _ = decode(path)
    assert np.abs(samples[RATE_HZ : RATE_HZ + 3000]).max() > 0.45


def test_the_mix_does_not_depend_on_packets(media, decode):
    rng = np.random.default_rng(2)
    left = rng.standard_normal(5 * RATE_HZ) * 0.1
    mixed = np.where(np.arange(len(left)) % 40_000 < 17_000, -left, left * 0.3)
    stereo = np.stack([left, mixed], axis=1)
    outcomes = [
        decode(
            media.encode(
                f"{size}.mkv",
                stereo,
                container="matroska",
                codec="pcm_s16le",
                layout="stereo",
                frame_samples=size,
            )
        )[0]
        for size in (160, 1152, 16_001)
    ]
    assert np.array_equal(outcomes[0], outcomes[1])
    assert np.array_equal(outcomes[0], outcomes[2])


def test_many_channels_are_mixed(media, decode):
    sound = np.repeat(media.beeps(1, [0.2])[:, None], 12, axis=1)
    pcm = (sound * 32_767).astype("<i2").tobytes()
    samples, _ = decode(media.wav("12.wav", pcm, channels=12, extensible=True))
    assert np.allclose(samples, sound[:, 0], atol=1e-3)


def test_eight_planar_channels_are_mixed(media, decode):
    sound = np.repeat(media.beeps(1, [0.2], rate_hz=48_000)[:, None], 8, axis=1)
    path = media.encode("8.m4a", sound, container="ipod", codec="aac", layout="7.1", rate_hz=48_000)
    assert np.abs(decode(path)[0]).max() > 0.3


def companded(samples, law):
    buffer = io.BytesIO()
    with av.open(buffer, "w", format=law) as output:
        stream = output.add_stream(f"pcm_{law}", rate=RATE_HZ)
        stream.layout = "mono"
        frame = av.AudioFrame.from_ndarray(samples[None, :], format="s16", layout="mono")
        frame.sample_rate = RATE_HZ
        for packet in stream.encode(frame) + stream.encode(None):
            output.mux(packet)
    return buffer.getvalue()


WAV_FORMATS = {
    "unsigned 8 bit": (1, 8, False, lambda s: ((s >> 8) + 128).astype("u1").tobytes(), 1 / 128),
    "24 bit": (
        1,
        24,
        False,
        lambda s: (s.astype("<i4") << 8).view("u1").reshape(-1, 4)[:, :3].tobytes(),
        1e-4,
    ),
    "32 bit": (1, 32, False, lambda s: (s.astype("<i4") << 16).tobytes(), 1e-4),
    "float": (3, 32, False, lambda s: (s / 32_768).astype("<f4").tobytes(), 1e-4),
    "extensible": (1, 16, True, lambda s: s.astype("<i2").tobytes(), 1e-4),
    "mu-law": (7, 8, False, lambda s: companded(s, "mulaw"), 0.02),
    "A-law": (6, 8, False, lambda s: companded(s, "alaw"), 0.02),
}


@pytest.mark.parametrize("kind", WAV_FORMATS)
def test_every_sample_format_gives_the_same_samples(media, decode, kind):
    tag, bits, extensible, convert, tolerance = WAV_FORMATS[kind]
    pcm = (media.beeps(1, [0.1, 0.5]) * 32_767).astype("<i2")
    expected, _ = decode(media.wav("16.wav", pcm.tobytes()))
    path = media.wav("x.wav", convert(pcm), tag=tag, bits=bits, extensible=extensible)
    samples, _ = decode(path)
    assert np.array_equal(expected, pcm.astype(np.float32) / 32_768)
    assert np.allclose(samples, expected, atol=tolerance)


def test_the_last_milliseconds_come_out_of_the_resampler(media, decode):
    sound = np.zeros(44_100)
    sound[-150:-100] = 0.9
    path = media.encode("c.wav", sound, container="wav", codec="pcm_s16le", rate_hz=44_100)
    samples, _ = decode(path)
    assert abs(len(samples) - RATE_HZ) <= 1
    assert np.abs(samples[-80:]).max() > 0.5
    assert np.abs(samples[:-160]).max() < 0.01


def test_one_file_leaves_nothing_behind_for_the_next(media, decode):
    first = media.encode(
        "1.wav", media.beeps(1, [0.9], 44_100), container="wav", codec="pcm_s16le", rate_hz=44_100
    )
    second = media.encode(
        "2.wav", media.beeps(1, [0.5], 8_000), container="wav", codec="pcm_s16le", rate_hz=8_000
    )
    alone, _ = decode(second)
    decode(first)
    again, _ = decode(second)
    assert np.array_equal(alone, again)
    assert len(again) == RATE_HZ


def test_content_decides_and_not_the_name(media, decode, onsets):
    path = media.encode("real.m4a", media.beeps(3, [1]), container="ipod", codec="aac")
    renamed = media.write("x.mp3", path.read_bytes())
    assert onsets(decode(renamed)[0]) == pytest.approx([1], abs=0.1)
    assert np.array_equal(decode(path)[0], decode(renamed)[0])


def test_a_cover_picture_is_no_video_and_moves_nothing(media, decode):
    sound = media.beeps(3, [1])
    plain = media.encode("p.mp3", sound, container="mp3", codec="libmp3lame")
    covered = media.encode("c.mp3", sound, container="mp3", codec="libmp3lame", picture=True)
    assert b"APIC" in covered.read_bytes()
    assert np.array_equal(decode(plain)[0], decode(covered)[0])


def test_a_web_page_named_mp3_is_refused(media):
    page = b"<!DOCTYPE html><html><body>404 not found</body></html>" * 50
    path = media.write("y.mp3", page)
    with pytest.raises(DecodeFailed, match=r"y\.mp3: not a recording that can be read"):
        open_recording(path)


def test_a_video_without_sound_is_refused(media):
    path = media.silent_video("mute.mp4")
    with pytest.raises(NoAudioStream, match=r"mute\.mp4: no audio stream"):
        open_recording(path)


def test_a_wav_without_samples_is_refused(media, decode):
    with pytest.raises(EmptyRecording):
        decode(media.wav("empty.wav", b""))


def test_an_empty_file_is_refused(media):
    with pytest.raises(DecodeFailed, match="the file is empty"):
        open_recording(media.write("zero.wav", b""))


def test_what_is_no_regular_file_is_never_opened(tmp_path):
    pipe = tmp_path / "notes.wav"
    os.mkfifo(pipe)
    for path in (pipe, tmp_path, tmp_path / "absent.wav"):
        with pytest.raises(UnreadableFile):
            open_recording(path)


def test_a_file_that_may_not_be_read_is_refused(media):
    path = media.wav("secret.wav", bytes(100))
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")
    with pytest.raises(UnreadableFile, match="no permission"):
        open_recording(path)


def test_a_playlist_opens_no_other_file(media, monkeypatch):
    media.wav("target.wav", bytes(32_000))
    monkeypatch.chdir(media.folder)
    with pytest.raises(DecodeFailed):
        open_recording(media.write("list.mp3", b"ffconcat version 1.0\nfile target.wav\n"))


def test_a_strange_name_is_no_protocol(media, decode):
    pcm = (media.beeps(1, [0.5]) * 32_767).astype("<i2").tobytes()
    for name in ("http:a #2 [x].wav", os.fsdecode(b"caf\xe9.wav")):
        assert len(decode(media.wav(name, pcm))[0]) == RATE_HZ


def test_absurd_timestamps_are_damage_and_not_silence(media, decode):
    pieces = [(0, media.beeps(1, [0.5])), (40 * 3600, media.beeps(1, [0.5]))]
    path = media.encode("absurd.mkv", pieces, container="matroska", codec="pcm_s16le")
    samples, codes = decode(path)
    assert len(samples) == 2 * RATE_HZ
    assert codes == ["damaged"]


def test_a_broken_float_sample_stays_one(media, decode):
    sound = np.zeros(RATE_HZ, "<f4")
    sound[100], sound[200] = np.nan, np.inf
    samples, _ = decode(media.wav("nan.wav", sound.tobytes(), tag=3, bits=32))
    assert np.isfinite(samples).all()
    assert np.abs(samples).max() <= 1.0


def test_wave_of_the_standard_library_agrees(media, decode):
    path = media.folder / "std.wav"
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, RATE_HZ, 0, "NONE", ""))
        file.writeframes((np.arange(RATE_HZ) % 1000).astype("<i2").tobytes())
    samples, _ = decode(path)
    assert np.array_equal(samples * 32_768, np.arange(RATE_HZ) % 1000)

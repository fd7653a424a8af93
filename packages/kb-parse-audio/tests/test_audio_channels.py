"""Reading the channels apart, on the clock of the mixed sound."""

import numpy as np
import pytest

from kb_core.ports.diarizer import Diarization
from kb_parse_audio.decode import open_recording
from kb_parse_audio.downmix import downmix
from kb_parse_audio.sound_blocks import overheard

RATE_HZ = 16_000


class Recorder:
    """A diarizer stream that keeps what it hears."""

    def __init__(self):
        self.blocks = []

    def hear(self, block):
        assert all(len(channel) == len(block.mono) for channel in block.channels)
        assert {channel.format for channel in (block.mono, *block.channels)} == {"f"}
        self.blocks.append(
            (block.start_sample, np.array(block.mono), [np.array(each) for each in block.channels])
        )

    def finish(self, cancel=None):
        return Diarization(turns=())


def two_voices(media, length_s=5.3):
    left = media.beeps(length_s, [1, 3], noise=1e-3)
    right = media.beeps(length_s, [2], noise=2e-3)
    return np.stack([left, right], axis=1)


@pytest.fixture
def stereo_files(media):
    sound = two_voices(media)
    opposite = np.stack([sound[:, 0], -sound[:, 0]], axis=1)
    stereo = {"layout": "stereo"}
    gap = [(2.37, sound), (12.1, opposite)]
    mp3 = {"container": "mp3", "codec": "libmp3lame"}
    once = media.encode("two.mp3", sound, **mp3, **stereo).read_bytes()
    mono = media.encode("one.mp3", sound[:, 0], **mp3).read_bytes()
    return [
        media.encode("plain.wav", sound, container="wav", codec="pcm_s16le", **stereo),
        media.encode("opposite.wav", opposite, container="wav", codec="pcm_s16le", **stereo),
        media.encode("gap.mkv", gap, container="matroska", codec="pcm_s16le", **stereo),
        media.encode("lossy.m4a", sound, container="ipod", codec="aac", **stereo),
        media.write("changes.mp3", once + mono + once),
    ]


@pytest.mark.parametrize("place", range(5))
@pytest.mark.parametrize("start_sample", [0, 3 * RATE_HZ])
def test_channels_lie_where_the_mixed_sound_lies(stereo_files, place, start_sample):
    with open_recording(stereo_files[place]) as recording:
        mixed = list(recording.blocks(start_sample))
    with open_recording(stereo_files[place]) as recording:
        apart = list(recording.channel_blocks(start_sample))
    assert [(at, len(mono)) for at, mono in mixed] == [(at, len(each)) for at, each in apart]
    assert 2 in {channels.shape[1] for _, channels in apart}
    for (_, mono), (_, channels) in zip(mixed, apart, strict=True):
        assert np.array_equal(mono, downmix(channels))


def test_mono_and_channels_are_those_of_the_file(media):
    sound = np.rint(two_voices(media) * 32_767).astype("<i2")
    path = media.wav("exact.wav", sound.tobytes(), channels=2)
    with open_recording(path) as recording:
        apart = np.concatenate([channels for _, channels in recording.channel_blocks()])
    assert np.array_equal(apart * 32_768, sound)
    with open_recording(path) as recording:
        mixed = np.concatenate([mono for _, mono in recording.blocks()])
    assert np.array_equal(mixed * 65_536, sound.astype(np.int32).sum(axis=1))


def test_a_gap_keeps_both_channels_at_their_time(media, onsets):
    sound = two_voices(media)
    pieces = [(4.0, sound), (20.0, sound)]
    path = media.encode(
        "late.mkv", pieces, container="matroska", codec="pcm_s16le", layout="stereo", video=True
    )
    stream = Recorder()
    with open_recording(path) as recording:
        mixed = list(overheard(recording.channel_blocks(), stream))
    left = np.concatenate([channels[0] for _, _, channels in stream.blocks])
    right = np.concatenate([channels[-1] for _, _, channels in stream.blocks])
    assert onsets(left) == pytest.approx([5, 7, 21, 23], abs=0.005)
    assert onsets(right) == pytest.approx([6, 22], abs=0.005)
    assert [at for at, _ in mixed] == [at for at, _, _ in stream.blocks]
    for (_, given), (_, heard, _) in zip(mixed, stream.blocks, strict=True):
        assert np.array_equal(given, heard)


def test_a_broken_sample_reaches_no_diarizer(media):
    sound = np.zeros((RATE_HZ, 2), "<f4")
    sound[100], sound[200], sound[300] = np.nan, np.inf, -np.inf
    path = media.wav("nan.wav", sound.tobytes(), tag=3, bits=32, channels=2)
    stream = Recorder()
    with open_recording(path) as recording:
        list(overheard(recording.channel_blocks(), stream))
    heard = np.concatenate([np.stack([mono, *apart]) for _, mono, apart in stream.blocks], axis=1)
    assert np.isfinite(heard).all()
    assert np.abs(heard).max() <= 1

"""Times, languages, speakers and silence: the real command and the real model, long pauses and all.

The recordings are put together from the bundled clips, so it is known to the sample who speaks when
and which language; what there is beside speech is made here.
"""

from __future__ import annotations

import json
import wave
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kb_app.container import Container
from kb_app.ingest import ingest
from kb_app.setup import init
from kb_config import load_settings
from kb_core import TranscriptSegment
from kb_core.ports.transcriber import RecognisedWindow
from kb_testing.command import KbCommand
from kb_testing.fake_transcriber import ScriptedTranscriber
from kb_testing.fake_voice_activity import EnergyDetector
from kb_testing.sound import write_beeps

np = pytest.importorskip("numpy")
av = pytest.importorskip("av")

RATE_HZ = 16_000
LEAD_MS = {"jfk.wav": 330, "leopard_ko.wav": 670, "leopard_ja.wav": 750, "news_zh.flac": 500}
"""Where speech begins in each clip, read off the waveforms."""
PARTS = (
    ("leopard_ko.wav", "ko", "피하면서"),
    ("jfk.wav", "en", "fellow"),
    ("news_zh.flac", "zh", "交易"),
    ("leopard_ja.wav", "ja", "知識"),
)
PAUSE_MS = 700
SENTENCE_MS = 2000
WITHOUT_SPEECH = ("digital-silence.wav", "room-tone.wav", "hum.wav", "white-noise.wav")

Document = dict[str, Any]

e2e = pytest.mark.e2e
slow = pytest.mark.slow
long = pytest.mark.long


def clip(path: Path) -> Any:
    """Return the samples of a recording as floats, mono at 16 kHz."""
    resampler = av.AudioResampler("s16", "mono", RATE_HZ)
    with av.open(str(path)) as container:
        frames = [
            resampled
            for frame in [*container.decode(audio=0), None]
            for resampled in resampler.resample(frame)
        ]
    return np.concatenate([frame.to_ndarray()[0] for frame in frames]) / 32_768


def silence(length_s: float) -> Any:
    return np.zeros(round(length_s * RATE_HZ))


def room_tone(length_s: float) -> Any:
    """Return brown noise at -46 dB of full scale."""
    spectrum = np.fft.rfft(np.random.default_rng(5).standard_normal(round(length_s * RATE_HZ)))
    spectrum[1:] /= np.arange(1, len(spectrum))
    spectrum[: round(20 * length_s)] = 0
    noise = np.fft.irfft(spectrum)
    return noise * 10 ** (-46 / 20) / np.sqrt((noise**2).mean())


def hum(length_s: float) -> Any:
    seconds = np.arange(round(length_s * RATE_HZ)) / RATE_HZ
    return 0.05 * np.sin(2 * np.pi * 50 * seconds) + 0.03 * np.sin(2 * np.pi * 100 * seconds)


def white_noise(length_s: float) -> Any:
    return 0.02 * np.random.default_rng(6).standard_normal(round(length_s * RATE_HZ))


def write(path: Path, *parts: Any) -> None:
    """Write parts one after the other, each of the shape (samples[, channels])."""
    sound = np.concatenate(parts)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1 if sound.ndim == 1 else sound.shape[1])
        file.setsampwidth(2)
        file.setframerate(RATE_HZ)
        file.writeframes(np.rint(np.clip(sound, -1, 1) * 32_767).astype("<i2").tobytes())


@dataclass(frozen=True)
class Recorded:
    """Recordings that were ingested together.

    Attributes:
        kb: the knowledge base; tests that change it use another one, see `beside`.
        report: of the ingest.
        second_speaker_ms: where the second clip of the call begins.
        part_starts_ms: where each clip of the recording in four languages begins.
    """

    kb: KbCommand
    report: Document
    second_speaker_ms: float
    part_starts_ms: tuple[float, ...]

    def document(self, name: str) -> Document:
        document: Document = self.kb.run("inspect", "doc", name, "--json").json
        return document

    def item(self, name: str) -> Document:
        items: list[Document] = self.report["items"]
        (item,) = [item for item in items if item["doc_path"] == name]
        return item

    def beside(self, data_dir: Path) -> KbCommand:
        """Return an empty knowledge base of the same folder."""
        return KbCommand(data_dir, self.kb.models_dir, self.kb.cwd)


@pytest.fixture(scope="module")
def recorded(
    tmp_path_factory: pytest.TempPathFactory, models_dir: Path, audio_fixtures: Path
) -> Recorded:
    folder = tmp_path_factory.mktemp("recorded")
    clips = {name: clip(audio_fixtures / name) for name in LEAD_MS}
    jfk, korean = clips["jfk.wav"], clips["leopard_ko.wav"]
    write(folder / "late-korean.wav", silence(40), korean)
    write(folder / "pause.wav", jfk[: 5 * RATE_HZ], room_tone(60), jfk[5 * RATE_HZ :])
    write(folder / "soft.wav", 0.02 * jfk)
    for name, make in zip(WITHOUT_SPEECH, (silence, room_tone, hum, white_noise), strict=True):
        write(folder / name, make(30))
    parts: list[Any] = []
    starts_ms: list[float] = []
    for name, _, _ in PARTS:
        starts_ms.append(sum(len(part) for part in parts) * 1000 / RATE_HZ)
        parts += [clips[name], silence(PAUSE_MS / 1000)]
    write(folder / "languages.wav", *parts)
    left, right = np.concatenate((jfk, 0 * korean)), np.concatenate((0 * jfk, korean))
    write(folder / "call.wav", np.stack((left, right), axis=1))

    kb = KbCommand(tmp_path_factory.mktemp("recorded-data"), models_dir, folder)
    done = kb.run("ingest", "--json", folder)
    assert done.exit_code == 0, done.stdout + done.stderr
    return Recorded(kb, done.json, len(jfk) * 1000 / RATE_HZ, tuple(starts_ms))


def words_are_inside(document: Document) -> bool:
    return all(
        segment["start_ms"] <= word["start_ms"] <= word["end_ms"] <= segment["end_ms"]
        for segment in document["segments"]
        for word in segment["words"]
    )


@e2e
@slow
def test_speech_after_a_long_silence_has_its_language_and_its_time(
    recorded: Recorded, tmp_path: Path
) -> None:
    document = recorded.document("late-korean.wav")
    assert document["summary"]["lang"] == "ko"
    first = document["segments"][0]
    assert first["language"] == "ko"
    assert first["start_ms"] == pytest.approx(40_000 + LEAD_MS["leopard_ko.wav"], abs=300)
    english = recorded.beside(tmp_path / "english")
    assert english.run("ingest", "late-korean.wav", "--language", "en").exit_code == 0
    document = english.run("inspect", "doc", "late-korean.wav", "--json").json
    assert {segment["language"] for segment in document["segments"]} == {"en"}
    assert document["summary"]["lang"] in ("en", None)


@e2e
@slow
def test_a_minute_of_room_tone_between_sentences_moves_neither(recorded: Recorded) -> None:
    document = recorded.document("pause.wav")
    before = [segment for segment in document["segments"] if segment["start_ms"] < 35_000]
    after = document["segments"][len(before) :]
    assert before[0]["start_ms"] == pytest.approx(LEAD_MS["jfk.wav"], abs=300)
    assert before[-1]["end_ms"] <= 5_300
    assert after[0]["start_ms"] == pytest.approx(65_400, abs=300)
    assert "fellow" in before[0]["text"]
    assert "country" in after[-1]["text"]
    assert words_are_inside(document)
    assert not any(segment["suppressed"] for segment in document["segments"])


@e2e
@slow
@pytest.mark.parametrize("name", WITHOUT_SPEECH)
def test_where_nobody_speaks_nothing_is_found(recorded: Recorded, name: str) -> None:
    item = recorded.item(name)
    assert (item["kind"], item["chunk_count"], item["duration_ms"]) == ("new", 0, 30_000)
    assert [warning["code"] for warning in item["warnings"]] == ["no_speech"]
    document = recorded.document(name)
    assert (document["segments"], document["chunk_ids"]) == ([], [])
    assert document["summary"]["lang"] is None


@e2e
@slow
def test_four_languages_in_a_row_are_each_heard_in_their_own(recorded: Recorded) -> None:
    segments = recorded.document("languages.wav")["segments"]
    for (name, language, word), start_ms in zip(PARTS, recorded.part_starts_ms, strict=True):
        (spoken,) = [
            segment for segment in segments if word in segment["text"] and not segment["suppressed"]
        ]
        assert spoken["language"] == language
        (first, *_) = [each for each in segments if each["language"] == language]
        assert first["start_ms"] == pytest.approx(start_ms + LEAD_MS[name], abs=500)
        hits = recorded.kb.run("search", "--json", word).json["hits"]
        (hit,) = [hit for hit in hits if hit["doc_path"] == "languages.wav"]
        citation = hit["citation"]
        assert citation["start_ms"] <= spoken["start_ms"] < spoken["end_ms"] <= citation["end_ms"]


@e2e
@slow
def test_a_very_soft_recording_is_heard_from_its_first_words(recorded: Recorded) -> None:
    first = recorded.document("soft.wav")["segments"][0]
    assert first["start_ms"] == pytest.approx(LEAD_MS["jfk.wav"], abs=300)
    assert first["text"].lower().startswith("and so")
    assert not first["suppressed"]


@e2e
@slow
def test_two_people_of_a_call_are_told_apart_without_hearing_it_again(
    recorded: Recorded, tmp_path: Path
) -> None:
    assert {each["speaker"] for each in recorded.document("call.wav")["segments"]} == {None}
    nowhere = tmp_path / "no-models-here"
    done = recorded.kb.run(
        *("ingest", "call.wav", "--speakers", "channels", "--json"),
        env={"KB_MODELS_DIR": str(nowhere)},
    )
    assert done.exit_code == 0, done.stdout + done.stderr
    assert done.json["updated"] == 1
    assert not nowhere.exists()

    document = recorded.document("call.wav")
    speakers = [segment["speaker"] for segment in document["segments"]]
    assert set(speakers) == {"S1", "S2"}
    assert speakers == sorted(speakers)
    assert document["summary"]["speakers"] == ["S1", "S2"]
    first_of_second = document["segments"][speakers.index("S2")]
    start_ms = recorded.second_speaker_ms + LEAD_MS["leopard_ko.wav"]
    assert first_of_second["start_ms"] == pytest.approx(start_ms, abs=300)

    for word, speaker in (("fellow", "S1"), ("피하면서", "S2")):
        hits = recorded.kb.run("search", "--json", word).json["hits"]
        (hit,) = [hit for hit in hits if hit["doc_path"] == "call.wav"]
        assert hit["citation"]["speaker"] == speaker
        assert hit["citation"]["text"].endswith(f":speaker={speaker}")


@e2e
@slow
@pytest.mark.long
def test_threads_and_other_recordings_do_not_change_a_row(
    recorded: Recorded, tmp_path: Path
) -> None:
    among_others = recorded.kb.run("inspect", "doc", "pause.wav", "--json").stdout
    for threads in ("1", "2"):
        kb = recorded.beside(tmp_path / threads)
        assert kb.run("ingest", "pause.wav", env={"KB_ASR__THREADS": threads}).exit_code == 0
        assert kb.run("inspect", "doc", "pause.wav", "--json").stdout == among_others


def ingest_scripted(
    folder: Path, texts: Sequence[str]
) -> tuple[tuple[TranscriptSegment, ...], list[str]]:
    """Say one text after the other; return the segments kept and the texts of the chunks."""
    folder.mkdir()
    length_s = len(texts) * SENTENCE_MS / 1000
    recording = write_beeps(folder / "loop.wav", length_s, [0], beep_s=length_s)
    said = script_of(texts, SENTENCE_MS)
    data_dir = folder / "data"
    init(load_settings(data_dir), folder)
    container = Container(
        load_settings(data_dir), transcriber=ScriptedTranscriber(said), detector=EnergyDetector()
    )
    report = ingest(container, [recording])
    assert report.errors == 0
    (stored,) = container.store.list_documents()
    document = container.store.load_document(stored.doc_id)
    assert document is not None
    assert document.audio is not None
    assert document.audio.transcript is not None
    passages = container.store.load_passages(container.store.chunk_ids(stored.doc_id))
    container.close()
    return document.audio.transcript.segments, [passage.chunk.text for passage in passages]


def script_of(texts: Sequence[str], each_ms: int) -> Callable[[Any], RecognisedWindow]:
    """Return a script: in each window, the texts whose middle lies in it."""

    def say(window: Any) -> RecognisedWindow:
        end_ms = window.start_ms + window.duration_ms
        segments = tuple(
            TranscriptSegment(
                start_ms=max(0, place * each_ms - window.start_ms),
                end_ms=min(window.duration_ms, (place + 1) * each_ms - window.start_ms),
                text=text,
                confidence=0.9,
                language="en",
            )
            for place, text in enumerate(texts)
            if window.start_ms <= place * each_ms + each_ms // 2 < end_ms
        )
        return RecognisedWindow(segments=segments, language="en")

    return say


def test_a_sentence_forty_times_in_a_row_is_kept_and_found_once(tmp_path: Path) -> None:
    sentence = "We deploy on Thursday morning."
    segments, chunks = ingest_scripted(tmp_path / "loop", [sentence] * 40)
    assert [segment.text for segment in segments] == [sentence] * 40
    codes = [[flag.code for flag in segment.flags] for segment in segments]
    assert codes == [[], *[["repeated"]] * 39]
    assert " ".join(chunks).count(sentence) == 1
    segments, chunks = ingest_scripted(tmp_path / "twice", [sentence, sentence, "Good."])
    assert [segment.flags for segment in segments] == [()] * 3
    assert " ".join(chunks).count(sentence) == 2


@pytest.fixture(scope="module")
def shared(
    tmp_path_factory: pytest.TempPathFactory, models_dir: Path, shared_audio: Path
) -> Callable[[str], list[Document]]:
    """Return a function that gives the segments of a shared recording that are no suspects."""
    data_dir = tmp_path_factory.mktemp("shared-data")

    def segments_of(name: str) -> list[Document]:
        path = shared_audio / name
        if not path.is_file():
            pytest.skip(f"{name} is not on this machine")
        kb = KbCommand(data_dir / path.stem, models_dir, path.parent)
        done = kb.run("ingest", path)
        assert done.exit_code == 0, done.stdout + done.stderr
        document = kb.run("inspect", "doc", path.name, "--json").json
        assert words_are_inside(document)
        return [segment for segment in document["segments"] if not segment["suppressed"]]

    return segments_of


@e2e
@slow
def test_a_sentence_between_long_silences_is_all_there_is(
    shared: Callable[[str], list[Document]],
) -> None:
    segments = shared("noisy/jfk_between_long_silences.ogg")
    assert segments[0]["start_ms"] == pytest.approx(45_300, abs=300)
    assert segments[-1]["end_ms"] <= 56_300
    text = " ".join(segment["text"] for segment in segments).lower()
    assert text.startswith("and so")
    assert len(text.split()) <= 23


@e2e
@slow
@long
def test_every_part_of_a_talk_in_three_languages_is_there(
    shared: Callable[[str], list[Document]], shared_audio: Path
) -> None:
    name = "mixed/built_ko_en_zh_switch"
    segments = shared(f"{name}.ogg")
    sound = clip(shared_audio / f"{name}.ogg")
    for part in json.loads((shared_audio / f"{name}.json").read_text(encoding="utf-8")):
        overlapping = [
            segment
            for segment in segments
            if segment["start_ms"] < part["end"] * 1000 and segment["end_ms"] > part["start"] * 1000
        ]
        assert {segment["language"] for segment in overlapping} == {part["lang"]}, part
        speech_ms = 1000 * part["start"] + speech_start_ms(
            sound[round(part["start"] * RATE_HZ) : round(part["end"] * RATE_HZ)]
        )
        assert overlapping[0]["start_ms"] == pytest.approx(speech_ms, abs=500), part


def speech_start_ms(sound: Any) -> int:
    """Return when a clip is first a tenth as loud as where it is loudest, to 10 ms."""
    frames = sound[: len(sound) // 160 * 160].reshape(-1, 160)
    level = np.sqrt((frames**2).mean(axis=1))
    return 10 * int(np.flatnonzero(level > level.max() / 10)[0])

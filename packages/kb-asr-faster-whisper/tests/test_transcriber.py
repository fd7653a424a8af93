import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kb_asr_faster_whisper.engine import FasterWhisperEngine
from kb_asr_faster_whisper.registry import FasterWhisperModelRegistry
from kb_asr_faster_whisper.transcriber import FasterWhisperTranscriber
from kb_core.errors import EngineFailed, ModelError, ModelMissing
from kb_core.ports.transcriber import SAMPLES_PER_MS, AudioWindow, RecognisedWindow
from kb_testing import transcriber_conformance as conformance
from kb_testing.transcriber_conformance import TRANSCRIBER_CHECKS, TranscriberCheck

AUDIO = Path(__file__).parents[3] / "fixtures" / "audio"
JFK_TEXT = (
    "And so my fellow Americans ask not what your country can do for you "
    "ask what you can do for your country"
)
ALSO_TESTED_BELOW = (
    conformance.speech_is_heard,
    conformance.same_sound_gives_the_same_result,
    conformance.a_language_is_reported,
    conformance.the_identity_is_stable_and_plain,
    conformance.what_is_left_unheard_is_told,
)


def pcm_of(name: str) -> memoryview:
    from faster_whisper import decode_audio

    return memoryview(decode_audio(str(AUDIO / name), sampling_rate=16_000))


def stretch(pcm: memoryview, start_ms: int, end_ms: int) -> memoryview:
    return pcm[start_ms * SAMPLES_PER_MS : end_ms * SAMPLES_PER_MS]


def recognise(
    transcriber: FasterWhisperTranscriber, pcm: memoryview, language: str = "en"
) -> RecognisedWindow:
    (recognised,) = transcriber.transcribe([AudioWindow(0, pcm)], language=language)
    return recognised


def words_of(recognised: RecognisedWindow) -> list[str]:
    text = " ".join(segment.text for segment in recognised.segments)
    return re.sub(r"[^\w\s]", "", text).casefold().split()


@pytest.fixture(scope="module")
def registry(tmp_path_factory) -> FasterWhisperModelRegistry:
    return FasterWhisperModelRegistry(tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="module")
def transcriber(registry):
    made = FasterWhisperTranscriber(registry, "base", threads=2)
    yield made
    made.close()


@pytest.fixture(scope="module")
def jfk() -> memoryview:
    return pcm_of("jfk.wav")


@pytest.mark.slow
@pytest.mark.parametrize(
    "check",
    [
        pytest.param(check, marks=[pytest.mark.long] if check in ALSO_TESTED_BELOW else [])
        for check in TRANSCRIBER_CHECKS
    ],
    ids=lambda check: check.__name__,
)
def test_faster_whisper_is_a_transcriber(check: TranscriberCheck, transcriber, jfk):
    check(transcriber, stretch(jfk, 0, 4500))


@pytest.mark.slow
def test_neither_other_windows_nor_threads_change_a_byte(registry, transcriber, jfk):
    verses = pcm_of("sonnet-2.ogg")
    sounds = [jfk, stretch(verses, 0, 30_000), stretch(jfk, 3200, 4000)]
    windows = [AudioWindow(0, pcm) for pcm in sounds]
    together = transcriber.transcribe(windows, language="en")
    assert words_of(together[0]) == JFK_TEXT.casefold().split()
    assert transcriber.transcribe([windows[2], windows[0]], language="en") == together[::-2]
    heard = transcriber.detect_languages(windows[2:], among=())
    alone = FasterWhisperTranscriber(registry, "base", threads=1)
    assert alone.transcribe([windows[1]], language="en") == [together[1]]
    assert alone.detect_languages(windows[2:], among=()) == heard


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "language", "found"),
    [
        ("leopard_ko.wav", "ko", "피하면서"),
        ("leopard_ja.wav", "ja", "的実在"),
        ("news_zh.flac", "zh", "停止的情况"),
    ],
)
def test_language_is_told_and_written_in_whole_characters(transcriber, name, language, found):
    pcm = pcm_of(name)
    (heard,) = transcriber.detect_languages([AudioWindow(0, pcm)], among=())
    assert heard.best is not None
    assert heard.best[0] == language
    assert heard.best[1] > 0.9
    (segment,) = recognise(transcriber, pcm, language).segments
    assert found in segment.text
    assert "\ufffd" not in segment.text
    assert segment.flags == ()
    assert "".join(word.text for word in segment.words) == segment.text.replace(" ", "")
    assert len(segment.words) >= 7
    assert segment.confidence is not None
    assert segment.confidence > 0.7


@pytest.mark.slow
def test_each_word_is_placed_in_its_stretch_of_speech(transcriber, jfk):
    """A word may take in the pause beside it, but none of the speech beyond."""
    louder_than_38_db_below_full_scale_ms = {
        (300, 2150): "And so my fellow Americans",
        (3250, 4450): "ask not",
        (5400, 7750): "what your country can do for you",
        (8150, 10_450): "ask what you can do for your country",
    }
    words = iter([word for each in recognise(transcriber, jfk).segments for word in each.words])
    for stretch_ms, text in louder_than_38_db_below_full_scale_ms.items():
        for spoken in text.split():
            word = next(words)
            assert word.text.strip(",.") == spoken
            for start_ms, end_ms in louder_than_38_db_below_full_scale_ms:
                shared_ms = min(word.end_ms, end_ms) - max(word.start_ms, start_ms)
                assert (shared_ms > 0) if (start_ms, end_ms) == stretch_ms else (shared_ms <= 200)
    assert next(words, None) is None


@pytest.mark.slow
def test_a_pass_hears_the_same_words_and_tells_where_it_ends(registry, jfk):
    engine = FasterWhisperEngine(registry.obtain("base"), threads=2)
    heard = engine.recognise_with_times(engine.encode(np.asarray(jfk)), "en")
    text = "".join(piece.text for piece in heard.pieces)
    assert re.sub(r"[^\w\s]", "", text).casefold().split() == JFK_TEXT.casefold().split()
    assert heard.until_ms is not None
    assert 9_500 <= heard.until_ms <= 11_000


@pytest.mark.slow
def test_unknown_language_is_refused(transcriber, jfk):
    for code in ("xx", "yue"):
        with pytest.raises(ModelError, match=code) as caught:
            recognise(transcriber, stretch(jfk, 0, 1000), language=code)
        assert "ISO 639-1" in (caught.value.hint or "")
    with pytest.raises(ModelError, match="xx"):
        transcriber.detect_languages([AudioWindow(0, jfk)], among=("en", "xx"))


PROGRAM = """
import sys, wave
from array import array
from pathlib import Path
from kb_asr_faster_whisper.registry import FasterWhisperModelRegistry
from kb_asr_faster_whisper.transcriber import FasterWhisperTranscriber
from kb_core.ports.transcriber import AudioWindow
with wave.open(sys.argv[1]) as file:
    samples = array("h", file.readframes(file.getnframes()))
pcm = memoryview(array("f", (sample / 32768 for sample in samples)))
made = FasterWhisperTranscriber(FasterWhisperModelRegistry(Path(sys.argv[2])), "base")
print(made.transcribe([AudioWindow(0, pcm[:48000])], language="en")[0].model_dump_json())
"""


@pytest.mark.slow
def test_nothing_but_the_result_is_printed(registry):
    models_dir = registry.obtain("base").parent
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(AUDIO / "jfk.wav"), str(models_dir)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    assert json.loads(done.stdout)["language"] == "en"


def test_model_that_is_not_here_is_missing(tmp_path, jfk):
    absent = FasterWhisperTranscriber(FasterWhisperModelRegistry(tmp_path), "small")
    with pytest.raises(ModelMissing, match="small"):
        recognise(absent, jfk)


def test_model_that_cannot_be_loaded_is_an_engine_error(tmp_path, jfk, registry):
    source = tmp_path / "cut"
    shutil.copytree(registry.obtain("base"), source)
    with (source / "model.bin").open("r+b") as file:
        file.truncate(40_000_000)
    mine = FasterWhisperModelRegistry(tmp_path / "models")
    mine.add(source)
    with pytest.raises(EngineFailed, match="faster-whisper-cut"):
        recognise(FasterWhisperTranscriber(mine, "cut"), jfk)


def test_identity_names_engine_weights_and_decoding(registry):
    identity = FasterWhisperTranscriber(registry, "base", threads=1).identity
    assert identity == FasterWhisperTranscriber(registry, "base", threads=2).identity
    assert identity.engine == "faster-whisper"
    assert re.fullmatch(r"faster-whisper \S+ ctranslate2 \S+", identity.engine_version)
    assert identity.model_version == registry.resolve("base").weights.sha256
    assert identity.decoding["compute_type"] == "int8"

import json
import re
import signal
import subprocess
import sys
import threading
import wave
from array import array
from collections.abc import Callable
from pathlib import Path

import pytest

from kb_asr_whisper.passes import Passes
from kb_asr_whisper.registry import WhisperModelRegistry
from kb_asr_whisper.transcriber import WhisperCppTranscriber
from kb_core.errors import Cancelled, EngineFailed, ModelError, ModelMissing
from kb_core.ports.transcriber import SAMPLES_PER_MS, AudioWindow, RecognisedWindow
from kb_core.runtime import CancelToken
from kb_testing import transcriber_conformance as conformance
from kb_testing.transcriber_conformance import TRANSCRIBER_CHECKS, TranscriberCheck

AUDIO = Path(__file__).parents[3] / "fixtures" / "audio"
JFK_TEXT = (
    "And so my fellow Americans ask not what your country can do for you "
    "ask what you can do for your country"
)
IN_EVERY_RUN = (
    conformance.times_are_legal,
    conformance.silence_is_legal,
    conformance.an_empty_window_has_no_text,
    conformance.no_windows_give_no_results,
)


def pcm_of(path: Path) -> memoryview:
    with wave.open(str(path)) as file:
        assert (file.getnchannels(), file.getframerate(), file.getsampwidth()) == (1, 16_000, 2)
        samples = array("h", file.readframes(file.getnframes()))
    return memoryview(array("f", (sample / 32768 for sample in samples)))


def decoded_pcm_of(path: Path) -> memoryview:
    av = pytest.importorskip("av")
    samples = array("f")
    with av.open(str(path)) as file:
        resampler = av.AudioResampler("flt", "mono", 16_000)
        for frame in (*file.decode(audio=0), None):
            for piece in resampler.resample(frame):
                samples.frombytes(piece.to_ndarray().tobytes())
    return memoryview(samples)


def stretch(pcm: memoryview, start_ms: int, end_ms: int) -> memoryview:
    return pcm[start_ms * SAMPLES_PER_MS : end_ms * SAMPLES_PER_MS]


def recognise(
    transcriber: WhisperCppTranscriber, pcm: memoryview, language: str = "en"
) -> RecognisedWindow:
    (recognised,) = transcriber.transcribe([AudioWindow(0, pcm)], language=language)
    return recognised


def words_of(recognised: RecognisedWindow) -> list[str]:
    text = " ".join(segment.text for segment in recognised.segments)
    return re.sub(r"[^\w\s]", "", text).casefold().split()


@pytest.fixture(scope="module")
def registry(tmp_path_factory) -> WhisperModelRegistry:
    return WhisperModelRegistry(tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="module")
def transcriber(registry):
    made = WhisperCppTranscriber(registry, "base", threads=2)
    yield made
    made.close()


@pytest.fixture(scope="module")
def jfk() -> memoryview:
    return pcm_of(AUDIO / "jfk.wav")


@pytest.mark.slow
@pytest.mark.parametrize(
    "check",
    [
        pytest.param(check, marks=[] if check in IN_EVERY_RUN else [pytest.mark.long])
        for check in TRANSCRIBER_CHECKS
    ],
    ids=lambda check: check.__name__,
)
def test_whisper_cpp_is_a_transcriber(check: TranscriberCheck, transcriber, jfk):
    check(transcriber, stretch(jfk, 0, 4500))


@pytest.mark.slow
def test_known_words_are_heard_and_threads_do_not_change_a_byte(registry, transcriber, jfk):
    two = recognise(transcriber, jfk)
    assert words_of(two) == JFK_TEXT.casefold().split()
    for segment in two.segments:
        assert "".join(word.text for word in segment.words) == segment.text.replace(" ", "")
        assert segment.confidence is not None
        assert segment.confidence > 0.5
    alone = WhisperCppTranscriber(registry, "base", threads=1)
    one = recognise(alone, jfk)
    alone.close()
    assert one == two


@pytest.mark.slow
def test_short_spoken_word_is_heard_and_ends_inside_the_window(transcriber, jfk):
    recognised = recognise(transcriber, stretch(jfk, 3200, 4000))
    assert words_of(recognised) == ["ask"]
    assert recognised.segments[-1].end_ms <= 800
    assert recognised.segments[-1].flags == ()


@pytest.mark.slow
def test_korean_is_written_in_whole_characters(transcriber):
    recognised = recognise(transcriber, pcm_of(AUDIO / "leopard_ko.wav"), language="ko")
    assert recognised.language == "ko"
    assert {segment.language for segment in recognised.segments} == {"ko"}
    text = "".join(segment.text for segment in recognised.segments)
    assert re.search("[가-힣]{2}", text)
    assert "\ufffd" not in text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "language"),
    [("leopard_ko.wav", "ko"), ("leopard_ja.wav", "ja"), ("news_zh.flac", "zh"), ("jfk.wav", "en")],
)
def test_languages_are_told_apart_in_four_seconds(transcriber, name, language):
    sound = pcm_of(AUDIO / name) if name.endswith(".wav") else decoded_pcm_of(AUDIO / name)
    window = AudioWindow(0, stretch(sound, 0, 4000))
    (free,) = transcriber.detect_languages([window], among=())
    (bound,) = transcriber.detect_languages([window], among=("en", "ja", "ko", "zh"))
    for heard in (free, bound):
        assert heard.best is not None
        assert heard.best[0] == language
        assert heard.best[1] > 0.9
    assert set(bound.probabilities) <= {"en", "ja", "ko", "zh"}


@pytest.mark.slow
def test_detection_leaves_no_trace_in_what_is_heard_after_it(transcriber, jfk):
    before = recognise(transcriber, jfk)
    windows = [AudioWindow(0, stretch(jfk, 0, end_ms)) for end_ms in (4000, 1000)]
    transcriber.detect_languages(windows, among=("en", "ko"))
    assert recognise(transcriber, jfk).model_dump_json() == before.model_dump_json()


@pytest.mark.slow
def test_threads_do_not_change_what_is_detected(registry, transcriber, jfk):
    windows = [
        AudioWindow(0, stretch(jfk, start_ms, start_ms + 4000)) for start_ms in (0, 4000, 7000)
    ]
    alone = WhisperCppTranscriber(registry, "base", threads=1)
    one = alone.detect_languages(windows, among=())
    alone.close()
    two = transcriber.detect_languages(windows, among=())
    assert [each.model_dump_json() for each in one] == [each.model_dump_json() for each in two]


@pytest.mark.slow
def test_stop_inside_a_window_takes_effect_before_the_next_one(transcriber, jfk, monkeypatch):
    cancel = CancelToken()
    window = AudioWindow(0, stretch(jfk, 3200, 4000))
    when_the_engine_listens(monkeypatch, cancel.cancel)
    (recognised,) = transcriber.transcribe([window], language="en", cancel=cancel)
    assert cancel.cancelled
    assert words_of(recognised) == ["ask"]
    with pytest.raises(Cancelled):
        transcriber.transcribe([window], language="en", cancel=cancel)


def press_ctrl_c() -> None:
    main = threading.main_thread().ident
    assert main is not None
    signal.pthread_kill(main, signal.SIGINT)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_interrupt_inside_a_window_stops_the_engine_and_the_next_call_works(
    transcriber, jfk, monkeypatch
):
    with monkeypatch.context() as patch:
        when_the_engine_listens(patch, press_ctrl_c)
        with pytest.raises(KeyboardInterrupt):
            recognise(transcriber, jfk)
    assert transcriber._engine._last_end_ms() == 0, "it went on to the end"
    assert words_of(recognise(transcriber, stretch(jfk, 3200, 4000))) == ["ask"]


def when_the_engine_listens(patch: pytest.MonkeyPatch, act: Callable[[], None]) -> None:
    """Have something done in the middle of each recognition."""

    class ActingPasses(Passes):
        def __call__(self, *arguments: object) -> bool:
            act()
            return super().__call__(*arguments)

    patch.setattr("kb_asr_whisper.engine.Passes", ActingPasses)


@pytest.mark.slow
def test_what_the_engine_leaves_unheard_begins_where_its_last_segment_ends(transcriber, jfk):
    sound = array("f", jfk)
    seen = []
    for duration_ms in (17_000, 29_000):
        pcm = memoryview((sound + sound + sound)[: duration_ms * SAMPLES_PER_MS])
        recognised = recognise(transcriber, pcm)
        until_ms = recognised.heard_until_ms
        assert recognised.segments
        if until_ms is not None:
            assert 0 < until_ms < duration_ms
            assert all(segment.end_ms <= until_ms for segment in recognised.segments)
        seen.append(until_ms)
    assert any(seen), "this sound leaves something unheard"


@pytest.mark.slow
def test_unknown_language_is_refused(transcriber, jfk):
    with pytest.raises(ModelError, match="xx") as caught:
        recognise(transcriber, jfk, language="xx")
    assert "ISO 639-1" in (caught.value.hint or "")
    with pytest.raises(ModelError, match="xx"):
        transcriber.detect_languages([AudioWindow(0, jfk)], among=("en", "xx"))


PROGRAM = """
import sys, wave
from array import array
from pathlib import Path
from kb_asr_whisper.registry import WhisperModelRegistry
from kb_asr_whisper.transcriber import WhisperCppTranscriber
from kb_core.ports.transcriber import AudioWindow
with wave.open(sys.argv[1]) as file:
    samples = array("h", file.readframes(file.getnframes()))
pcm = memoryview(array("f", (sample / 32768 for sample in samples)))
made = WhisperCppTranscriber(WhisperModelRegistry(Path(sys.argv[2])), "base")
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


def test_model_that_is_not_here_is_missing_only_when_it_is_needed(tmp_path, jfk):
    absent = WhisperCppTranscriber(WhisperModelRegistry(tmp_path), "small")
    assert absent.identity.model_id == "small"
    with pytest.raises(ModelMissing, match="small"):
        recognise(absent, jfk)


def test_model_that_whisper_cpp_cannot_load_is_an_engine_error(tmp_path, jfk, registry):
    whole = registry.obtain("base").read_bytes()
    cut = tmp_path / "ggml-cut.bin"
    cut.write_bytes(whole[:40_000_000])
    mine = WhisperModelRegistry(tmp_path / "models")
    mine.add(cut)
    with pytest.raises(EngineFailed, match="ggml-cut"):
        recognise(WhisperCppTranscriber(mine, "cut"), jfk)


def test_identity_names_engine_weights_and_decoding(registry):
    identity = WhisperCppTranscriber(registry, "base", threads=1).identity
    assert identity == WhisperCppTranscriber(registry, "base", threads=2).identity
    assert identity.engine == "whisper.cpp"
    assert identity.engine_version.startswith("pywhispercpp ")
    assert identity.model_version == registry.resolve("base").sha256
    assert identity.decoding["temperature"] == 0.0

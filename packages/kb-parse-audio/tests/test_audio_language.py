"""Which language each stretch of speech is recognised in."""

from itertools import count

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_core import TranscriptSegment
from kb_core.ports.transcriber import SAMPLES_PER_MS, AudioWindow, HeardLanguages
from kb_parse_audio.language import (
    CHANGES_FROM_PROBABILITY,
    GLANCE_SAMPLES,
    LOOK_SAMPLES,
    MIN_SPEECH_MS,
    NEW_FROM_PROBABILITY,
    STAYS_FROM_PROBABILITY,
    LanguageFold,
    most_spoken_language,
)
from kb_parse_audio.regions import Region
from kb_parse_audio.stretches import Stretch
from kb_parse_audio.window_clock import WindowClock
from kb_parse_audio.windows import SpeechWindow

LONG_MS = 8000
CLEARLY = 0.95
HARDLY = min(CHANGES_FROM_PROBABILITY, STAYS_FROM_PROBABILITY) - 0.05


class Recording:
    """A reader that holds everything; each stretch is as long as it is told."""

    def __init__(self, *lengths_ms):
        self.stretches, at_ms = [], 0
        for length_ms in lengths_ms:
            at_ms += 1000
            region = Region(at_ms * SAMPLES_PER_MS, (at_ms + length_ms) * SAMPLES_PER_MS)
            self.stretches.append(Stretch((region,)))
            at_ms += length_ms
        self.end = (at_ms + 1000) * SAMPLES_PER_MS

    def sound(self, start, end):
        assert 0 <= start < end <= self.end
        return np.zeros(end - start, np.float32)


class Ear:
    """Hears in each stretch what is said of it, and keeps the windows that it was asked about."""

    def __init__(self, recording, *probabilities):
        self._starts = [stretch.start for stretch in recording.stretches]
        self._probabilities = probabilities
        self.asked = []

    def __call__(self, window):
        assert window.start_sample % SAMPLES_PER_MS == 0
        stretch = max(place for place in range(len(self._starts)) if self._is_in(place, window))
        self.asked.append((stretch, len(window.pcm)))
        return HeardLanguages(probabilities=self._probabilities[stretch])

    def _is_in(self, place, window):
        return self._starts[place] < window.end_sample


def languages_of(*stretches, allowed=("en", "ko", "ja")):
    """Return what is decided for (length in ms, probabilities by language), and the ear."""
    recording = Recording(*(length_ms for length_ms, _ in stretches))
    ear = Ear(recording, *(probabilities for _, probabilities in stretches))
    fold = LanguageFold(allowed, ear)
    return [fold.language_of(each, recording) for each in recording.stretches], ear


def test_with_one_language_allowed_nothing_is_asked():
    decided, ear = languages_of((LONG_MS, {}), (100, {}), allowed=["ko"])
    assert (decided, ear.asked) == (["ko", "ko"], [])


def test_a_language_that_goes_on_is_found_by_a_glance():
    decided, ear = languages_of((LONG_MS, {"en": 1.0}), (LONG_MS, {"en": 0.9}))
    assert decided == ["en", "en"]
    assert ear.asked == [(0, LOOK_SAMPLES), (1, GLANCE_SAMPLES)]


def test_another_language_is_taken_when_it_is_clear():
    decided, ear = languages_of(
        (LONG_MS, {"en": 1.0}), (LONG_MS, {"en": 0.03, "ko": CLEARLY}), (LONG_MS, {"ko": CLEARLY})
    )
    assert decided == ["en", "ko", "ko"]
    assert [stretch for stretch, _ in ear.asked] == [0, 1, 1, 2]


def test_an_odd_stretch_that_could_be_this_or_that_changes_nothing():
    decided, _ = languages_of(
        (LONG_MS, {"en": 1.0}), (LONG_MS, {"en": 0.3, "ja": HARDLY}), (LONG_MS, {"en": 1.0})
    )
    assert decided == ["en", "en", "en"]


def test_a_short_stretch_stays_in_the_language_before_it_unheard():
    decided, ear = languages_of((LONG_MS, {"ko": 1.0}), (MIN_SPEECH_MS - 1, {"en": 1.0}))
    assert decided == ["ko", "ko"]
    assert [stretch for stretch, _ in ear.asked] == [0]


def test_until_speech_is_clear_there_is_no_language():
    decided, _ = languages_of(
        (MIN_SPEECH_MS - 1, {"en": 1.0}),
        (LONG_MS, {"en": HARDLY}),
        (LONG_MS, {}),
        (LONG_MS, {"ja": 1.0}),
    )
    assert decided == [None, None, None, "ja"]


def test_a_language_that_nobody_named_must_be_heard_more_clearly_to_replace_another():
    fairly = (CHANGES_FROM_PROBABILITY + NEW_FROM_PROBABILITY) / 2
    first, unclear, clear = {"en": 1.0}, {"ko": fairly}, {"ko": CLEARLY}
    script = [(LONG_MS, heard) for heard in (first, unclear, clear, first, unclear)]
    assert languages_of(*script, allowed=[])[0] == ["en", "en", "ko", "en", "ko"]
    assert languages_of(*script, allowed=["en", "ko"])[0] == ["en", "ko", "ko", "en", "ko"]


def test_a_guess_is_made_of_the_longest_stretch():
    recording = Recording(500, 900, 700)
    ear = Ear(recording, {"en": 1.0}, {"ko": 0.4, "ja": 0.3}, {"zh": 1.0})
    assert LanguageFold([], ear).guess(recording.stretches, recording) == "ko"
    assert [stretch for stretch, _ in ear.asked] == [1]


@pytest.mark.parametrize(("allowed", "language"), [(["ko", "ja"], "ja"), ([], "en")])
def test_a_guess_of_nothing_is_a_language_that_is_allowed(allowed, language):
    recording = Recording(500)
    fold = LanguageFold(allowed, Ear(recording, {}))
    assert fold.guess(recording.stretches, recording) == language


def again(probabilities, *, allowed=("en", "ko"), speech_ms=LONG_MS):
    """Return the language of English speech that was passed over, and how often was asked."""
    region = Region(SAMPLES_PER_MS, (1 + speech_ms) * SAMPLES_PER_MS)
    audio = AudioWindow(0, np.zeros(region.end + 16, np.float32).data)
    window = SpeechWindow(audio, WindowClock([Region(0, region.end + 16)]), (region,), "en")
    asked = []

    def detect(window):
        asked.append(len(window.pcm))
        return HeardLanguages(probabilities=probabilities)

    language = LanguageFold(allowed, detect).language_again(window)
    assert all(samples <= LOOK_SAMPLES for samples in asked)
    return language, len(asked)


def test_speech_that_was_passed_over_is_in_another_language_only_when_that_is_clear():
    assert again({"ko": CLEARLY}) == ("ko", 1)
    assert again({"ko": HARDLY}) == ("en", 1)
    assert again({}) == ("en", 1)
    assert again({"ko": CLEARLY}, speech_ms=MIN_SPEECH_MS - 1) == ("en", 0)
    assert again({"ko": CLEARLY}, allowed=["en"]) == ("en", 0)


HEARD = st.dictionaries(
    st.sampled_from(["en", "ko", "ja", "zh"]),
    st.sampled_from([0.1, 0.5, 0.65, 0.75, 0.9]),
    max_size=3,
)


@given(st.lists(st.tuples(st.sampled_from([200, 1499, 1500, 2900, 3000, 40_000]), HEARD)))
def test_a_decision_depends_on_earlier_stretches_only(stretches):
    allowed = ["en", "ko", "ja", "zh"]
    decided, ear = languages_of(*stretches, allowed=allowed)
    for length in range(len(stretches)):
        assert languages_of(*stretches[:length], allowed=allowed)[0] == decided[:length]
    told = set()
    for place, language, before in zip(count(), decided, [None, *decided], strict=False):
        told.update(stretches[place][1])
        assert language == before or language in told
        if language != before:
            assert stretches[place][1][language] >= CHANGES_FROM_PROBABILITY
    assert all(0 < samples <= LOOK_SAMPLES for _, samples in ear.asked)
    assert [stretch for stretch, _ in ear.asked] == sorted(stretch for stretch, _ in ear.asked)


def said(language, length_ms, text="x", suppressed=False):
    segment = TranscriptSegment(start_ms=0, end_ms=length_ms, text=text, language=language)
    return segment.flagged("repeated") if suppressed else segment


def test_the_language_of_a_recording_is_the_one_spoken_longest():
    spoken = [said("ko", 300), said("en", 500), said("ko", 300), said(None, 9000)]
    assert most_spoken_language(spoken) == "ko"
    assert most_spoken_language([said("ko", 500), said("en", 500)]) == "en"
    assert most_spoken_language([]) is None


def test_what_was_probably_not_said_decides_no_language():
    assert most_spoken_language([said("ko", 1), said("ja", 900, suppressed=True)]) == "ko"
    assert most_spoken_language([said("ko", 1), said("ja", 900, text=" ")]) == "ko"

from kb_asr_whisper.tokens import Token, TokenSegment
from kb_asr_whisper.window import build_window
from kb_core.ports.transcriber import RecognisedWindow


def heard(start_ms: int, end_ms: int, data: bytes) -> TokenSegment:
    return TokenSegment(start_ms, end_ms, (Token(data, 0.5, start_ms, end_ms),))


def window(*segments: TokenSegment, duration_ms: int) -> RecognisedWindow:
    return build_window(
        segments,
        duration_ms=duration_ms,
        language="en",
    )


def test_end_in_the_padding_is_cut_to_the_window_without_a_flag():
    (segment,) = window(heard(0, 1200, b" yes"), duration_ms=800).segments
    assert (segment.start_ms, segment.end_ms) == (0, 800)
    assert segment.words[0].end_ms == 800
    assert segment.flags == ()


def test_end_one_tick_beyond_the_window_is_rounding():
    (segment,) = window(heard(0, 29_990, b" yes"), duration_ms=29_975).segments
    assert segment.end_ms == 29_975
    assert segment.flags == ()


def test_end_far_beyond_the_window_is_flagged():
    (segment,) = window(heard(0, 29_000, b" yes"), duration_ms=5000).segments
    assert segment.end_ms == 5000
    assert [flag.code for flag in segment.flags] == ["time_repaired"]


def test_segment_beyond_the_window_keeps_its_text_and_is_flagged():
    segments = window(heard(0, 900, b" one"), heard(1500, 1700, b" two"), duration_ms=1000).segments
    assert [segment.text for segment in segments] == ["one", "two"]
    assert segments[1].start_ms == segments[1].end_ms == 1000
    assert [flag.code for flag in segments[1].flags] == ["time_repaired"]


def test_segments_without_text_are_dropped():
    assert window(heard(0, 500, b"  "), heard(500, 900, b""), duration_ms=1000).segments == ()


def test_stray_byte_flags_its_segment_only():
    segments = window(heard(0, 500, b" a\xb0"), heard(500, 900, b" b"), duration_ms=1000).segments
    assert [[flag.code for flag in each.flags] for each in segments] == [["bytes_repaired"], []]
    assert segments[0].text == "a"


def test_character_over_two_segments_is_in_the_earlier_one():
    segments = window(
        heard(0, 500, b"\xe5\x9c"), heard(500, 900, b"\xb0\xe4\xb8\x8a"), duration_ms=1000
    ).segments
    assert [each.text for each in segments] == ["地", "上"]

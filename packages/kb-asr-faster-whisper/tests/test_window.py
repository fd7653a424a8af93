from kb_asr_faster_whisper.window import build_window
from kb_asr_faster_whisper.words import Piece


def test_end_in_the_padding_is_cut_to_the_window_without_a_flag():
    window = build_window([Piece(" yes", 0, 1200, (0.5,))], duration_ms=800, language="en")
    (segment,) = window.segments
    assert (segment.start_ms, segment.end_ms) == (0, 800)
    assert segment.words[0].end_ms == 800
    assert segment.flags == ()
    assert window.heard_until_ms is None


def test_text_beyond_the_window_is_kept():
    pieces = [Piece(" one.", 0, 900, (0.5,)), Piece(" two", 900, 1700, (0.5,))]
    segments = build_window(pieces, duration_ms=1000, language="en").segments
    assert [segment.text for segment in segments] == ["one.", "two"]
    assert segments[1].end_ms == 1000


def test_stray_bytes_are_flagged_where_they_were():
    pieces = [
        Piece(" one.", 0, 900, (0.5,)),
        Piece(" two", 900, 1700, (0.5,), is_damaged=True),
    ]
    first, second = build_window(pieces, duration_ms=2000, language="en").segments
    assert first.flags == ()
    assert [flag.code for flag in second.flags] == ["bytes_repaired"]


def test_confidence_of_a_segment_is_that_of_its_tokens():
    pieces = [Piece(" a", 0, 100, (0.9,)), Piece(" b", 100, 200, (0.1,))]
    (segment,) = build_window(pieces, duration_ms=2000, language="en").segments
    assert segment.confidence == 0.3
    assert [word.confidence for word in segment.words] == [0.9, 0.1]

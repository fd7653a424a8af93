from itertools import pairwise

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kb_asr_whisper.tokens import PieceSegment, Token, TokenSegment, decode_window


def token(data: bytes, start_ms: int = 0, end_ms: int = 100, probability: float = 1.0) -> Token:
    return Token(data=data, probability=probability, start_ms=start_ms, end_ms=end_ms)


def segment(*tokens: Token) -> TokenSegment:
    return TokenSegment(start_ms=0, end_ms=1000, tokens=tokens)


def texts(segments: list[PieceSegment]) -> list[str]:
    return ["".join(piece.text for piece in each.pieces) for each in segments]


def test_character_split_over_two_tokens_appears_once():
    decoded = decode_window([segment(token(b"\xe5\x9c"), token(b"\xb0"))])
    assert texts(decoded) == ["地"]
    assert decoded[0].dropped_byte_len == 0


def test_character_split_over_two_segments_appears_once_in_the_earlier_one():
    decoded = decode_window([segment(token(b"\xe5\x9c")), segment(token(b"\xb0"), token(b" ok"))])
    assert texts(decoded) == ["地", " ok"]
    assert [each.dropped_byte_len for each in decoded] == [0, 0]


def test_character_split_over_three_segments_appears_once():
    decoded = decode_window([segment(token(bytes([each]))) for each in "地".encode()])
    assert texts(decoded) == ["地", "", ""]


def test_stray_byte_is_left_out_and_counted_where_it_was():
    decoded = decode_window([segment(token(b"ab")), segment(token(b"c\xb0"), token(b"d"))])
    assert texts(decoded) == ["ab", "cd"]
    assert [each.dropped_byte_len for each in decoded] == [0, 1]


def test_half_a_character_at_the_end_is_left_out():
    decoded = decode_window([segment(token(b"a"), token(b"\xe5\x9c"))])
    assert texts(decoded) == ["a"]
    assert decoded[0].dropped_byte_len == 2


def test_half_a_character_before_a_whole_one_costs_only_itself():
    decoded = decode_window([segment(token(b"\xe5\x9c"), token("地".encode()))])
    assert texts(decoded) == ["地"]
    assert decoded[0].dropped_byte_len == 2


def test_split_character_lasts_to_the_end_of_its_last_token_and_keeps_both_probabilities():
    first = token(b"\xe5\x9c", 100, 200, 0.5)
    decoded = decode_window([segment(first, token(b"\xb0", 200, 350, 0.25))])
    (piece,) = decoded[0].pieces
    assert (piece.start_ms, piece.end_ms) == (100, 350)
    assert piece.probabilities == [0.5, 0.25]


def test_token_with_two_halves_keeps_its_own_probability_only():
    first, second = "가".encode(), "나".encode()
    decoded = decode_window(
        [
            segment(
                token(first[:1], probability=0.1),
                token(first[1:] + second[:1], probability=0.2),
                token(second[1:], probability=0.3),
            )
        ]
    )
    assert [piece.text for piece in decoded[0].pieces] == ["가", "나"]
    assert [piece.probabilities for piece in decoded[0].pieces] == [[0.1], [0.2, 0.3]]


CALM = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@CALM
@given(st.text(max_size=30), st.data())
def test_text_survives_any_cutting_into_tokens_and_segments(text, data):
    whole = text.encode("utf-8")
    cuts = data.draw(st.lists(st.integers(0, len(whole)), max_size=20).map(sorted))
    parts = [whole[a:b] for a, b in pairwise([0, *cuts, len(whole)])]
    borders = data.draw(st.lists(st.integers(0, len(parts)), max_size=5).map(sorted))
    groups = [parts[a:b] for a, b in pairwise([0, *borders, len(parts)])]
    decoded = decode_window([segment(*map(token, group)) for group in groups])
    assert "".join(texts(decoded)) == text
    assert not any(each.dropped_byte_len for each in decoded)


@CALM
@given(st.lists(st.lists(st.binary(max_size=6), max_size=6), max_size=4))
def test_any_bytes_decode_without_a_replacement_character(groups):
    decoded = decode_window([segment(*map(token, group)) for group in groups])
    whole = b"".join(data for group in groups for data in group)
    dropped = sum(each.dropped_byte_len for each in decoded)
    assert len("".join(texts(decoded)).encode("utf-8")) + dropped == len(whole)
    assert "".join(texts(decoded)) == whole.decode("utf-8", errors="ignore")

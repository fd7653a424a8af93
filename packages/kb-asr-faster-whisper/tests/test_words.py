import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kb_asr_faster_whisper.words import Piece, join_pieces, spelled
from kb_core.wording import mean_confidence


def pieces(*texts: str) -> list[Piece]:
    return [Piece(text, 100 * place, 100 * place + 90, (0.5,)) for place, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ((" And", " so", " my", " fell", "ow", ","), ["And", "so", "my", "fellow,"]),
        ((" I", "'m", " here", "."), ["I'm", "here."]),
        ((" 프로", "젝트로", " 구성", "됩니다", "."), ["프로젝트로", "구성됩니다."]),
        (("數", "據", "、", "模型", "。"), ["數", "據、", "模型。"]),
        (("テス", "ト", "ー", "の"), ["テス", "トー", "の"]),
        (("我", "用", " Python", "写", "代码"), ["我", "用", "Python", "写", "代码"]),
        (("用", "GP", "T", "4", "好"), ["用", "GPT4", "好"]),
        ((' "', "Hello", '"', " she", " said"), ['"Hello"', "she", "said"]),
        (("「", "你", "好", "」"), ["「你", "好」"]),
        ((" (", "yes", ")", " no"), ["(yes)", "no"]),
        (("  ", "a", " ", "b"), ["a", "b"]),
        ((" 3", ".", "14", "%"), ["3.14%"]),
        ((), []),
    ],
)
def test_pieces_become_words(parts, words):
    assert [word.text for word in join_pieces(pieces(*parts))] == words


def test_word_spans_its_pieces_and_keeps_their_probabilities():
    (word,) = join_pieces(pieces(" fell", "ow", ","))
    assert (word.start_ms, word.end_ms) == (0, 290)
    assert word.probabilities == [0.5, 0.5, 0.5]


@pytest.mark.parametrize("place", [0, 1, 2])
def test_damage_belongs_to_the_word_beside_it(place):
    parts = pieces(" one", " two")
    parts.insert(place, Piece("", 0, 0, (0.1,), is_damaged=True))
    words = join_pieces(parts)
    assert [word.text for word in words] == ["one", "two"]
    assert sum(word.is_damaged for word in words) == 1


def test_confidence_is_the_geometric_mean():
    assert mean_confidence([0.9, 0.1]) == 0.3
    assert mean_confidence([]) is None
    assert mean_confidence([0.0, 0.0]) == pytest.approx(0.0, abs=1e-4)
    assert mean_confidence([1.0000001]) == 1.0


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.text(alphabet=" ab,.'가나地数ーテ「」(", min_size=1, max_size=4), max_size=12))
def test_words_in_a_row_are_the_text_but_for_spaces(parts):
    words = join_pieces(pieces(*parts))
    text = "".join(parts)
    assert "".join(word.text for word in words).replace(" ", "") == text.replace(" ", "")
    assert all(word.text == word.text.strip() != "" for word in words)
    assert spelled(words).split() == text.split()

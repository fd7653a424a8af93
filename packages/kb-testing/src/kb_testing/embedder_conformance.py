"""What every embedder must do, as checks that take one.

@pytest.mark.parametrize("check", EMBEDDER_CHECKS, ids=lambda check: check.__name__)
def test_embedder_conforms(check): check(embedder)
"""

from __future__ import annotations

import math
import struct
import unicodedata
from collections.abc import Callable

from kb_core.ports.embedder import Embedder, Vector

EmbedderCheck = Callable[[Embedder], None]

TEXTS = (
    "the budget for next year is late",
    "내년 예산은 아직 확정되지 않았다",
    "关于供应商合同的讨论",
    "会議で予算を確認した",
    "a recipe for apple pie with cinnamon",
)


def cosine(one: Vector, other: Vector) -> float:
    """Return the dot product of two stored vectors."""
    return math.fsum(a * b for a, b in zip(_numbers(one), _numbers(other), strict=True))


def check_vectors_have_the_size_and_length_that_the_port_asks_for(embedder: Embedder) -> None:
    """Look at bytes and lengths."""
    vectors = [*embedder.embed_passages(TEXTS), embedder.embed_query("budget")]
    for vector in vectors:
        assert len(vector) == 2 * embedder.identity.dimensions
        assert abs(cosine(vector, vector) - 1) < 0.01


def check_a_vector_depends_on_its_own_text_only(embedder: Embedder) -> None:
    """Ask alone, together, in another order, and twice."""
    together = embedder.embed_passages(TEXTS)
    backwards = embedder.embed_passages(TEXTS[::-1])[::-1]
    alone = [embedder.embed_passages([text])[0] for text in TEXTS]
    assert together == backwards == alone == embedder.embed_passages(TEXTS)
    assert len(set(together)) == len(TEXTS)
    assert embedder.embed_passages([]) == []


def check_both_normal_forms_give_the_same_vector(embedder: Embedder) -> None:
    """Ask in NFC and NFD."""
    for text in TEXTS:
        decomposed = unicodedata.normalize("NFD", text)
        assert embedder.embed_passages([decomposed]) == embedder.embed_passages([text])
        assert embedder.embed_query(decomposed) == embedder.embed_query(text)


def check_any_text_is_legal(embedder: Embedder) -> None:
    """Ask with nothing, blanks, NUL, half a surrogate pair and characters of no language."""
    for text in ("", "   \n", "\0", "a\0b", "\ud800", "x\udfffy", "\ufffe\U000e0001", "🙂"):
        (vector,) = embedder.embed_passages([text])
        assert abs(cosine(vector, vector) - 1) < 0.01
        assert all(map(math.isfinite, _numbers(embedder.embed_query(text))))


def check_the_end_of_a_long_text_counts(embedder: Embedder) -> None:
    """Ask with texts far over any model's limit that differ at their end alone."""
    beginning = "we talk about the weather and the road. " * 200
    one, other = embedder.embed_passages(
        [beginning + "cats " * 200, beginning + "the parliament passed a law " * 80]
    )
    assert one != other


def check_a_question_is_closest_to_what_answers_it(embedder: Embedder) -> None:
    """Ask about one of two texts."""
    answer, other = embedder.embed_passages([TEXTS[0], TEXTS[4]])
    question = embedder.embed_query("is the budget for next year late")
    assert cosine(question, answer) > cosine(question, other)


def check_its_identity_stays(embedder: Embedder) -> None:
    """Look before and after use."""
    before = embedder.identity
    embedder.embed_query("budget")
    assert embedder.identity == before
    assert len(before.vector_version) == 32


EMBEDDER_CHECKS: tuple[EmbedderCheck, ...] = (
    check_vectors_have_the_size_and_length_that_the_port_asks_for,
    check_a_vector_depends_on_its_own_text_only,
    check_both_normal_forms_give_the_same_vector,
    check_any_text_is_legal,
    check_the_end_of_a_long_text_counts,
    check_a_question_is_closest_to_what_answers_it,
    check_its_identity_stays,
)


def _numbers(vector: Vector) -> tuple[float, ...]:
    return struct.unpack(f"<{len(vector) // 2}e", vector)

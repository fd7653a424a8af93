import pytest

from kb_core.errors import ModelError
from kb_testing.embedder_conformance import EMBEDDER_CHECKS, EmbedderCheck
from kb_testing.fake_embedder import WordEmbedder


@pytest.mark.parametrize("check", EMBEDDER_CHECKS, ids=lambda check: check.__name__)
def test_the_fake_embedder_conforms(check: EmbedderCheck) -> None:
    check(WordEmbedder())


def test_another_model_gives_other_vectors_of_another_version() -> None:
    one, other = WordEmbedder(model_id="one"), WordEmbedder(model_id="other")
    assert one.identity.vector_version != other.identity.vector_version
    assert one.embed_query("budget") != other.embed_query("budget")


def test_it_fails_when_told_to() -> None:
    embedder = WordEmbedder()
    embedder.fails = True
    with pytest.raises(ModelError):
        embedder.embed_query("budget")
    with pytest.raises(ModelError):
        embedder.embed_passages(["budget"])

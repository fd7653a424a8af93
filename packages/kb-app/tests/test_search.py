"""Search by words and meaning over what was ingested."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kb_app.container import Container
from kb_app.doctor import diagnose
from kb_app.embedding import BATCH_TEXTS, embed_pending
from kb_app.ingest import ingest
from kb_app.library import status
from kb_app.search import search
from kb_app.wire_search import SearchResponseV1
from kb_core import CancelToken
from kb_core.errors import Cancelled, ModelError, VectorsMissing
from kb_testing.fake_embedder import WordEmbedder

OpenContainer = Callable[..., Container]
THREE = "# one\n\nred apple\n\n# two\n\ngreen pear\n\n# three\n\nblue plum\n"


def texts(response: SearchResponseV1) -> list[str]:
    return [hit.text for hit in response.hits]


def vector_counts(container: Container) -> tuple[int, int]:
    assert container.embedder is not None
    counts = container.store.vector_counts(container.embedder.identity.vector_version)
    return counts.chunks, counts.embedded


def test_ingest_makes_everything_searchable_by_words_and_by_meaning(
    open_container: OpenContainer, workspace: Path
) -> None:
    (workspace / "fruit.md").write_text(THREE)
    container = open_container()
    report = ingest(container, [workspace])
    assert report.chunks_embedded == 3
    assert vector_counts(container) == (3, 3)
    response = search(container, "green pear")
    assert response.mode == "hybrid"
    assert {leg.leg for leg in response.hits[0].legs} == {
        "exact",
        "pairs",
        "morphemes",
        "meaning",
    }
    report_of_state = status(container)
    assert (report_of_state.chunks_embedded, report_of_state.embedding) == (3, "words")
    assert "3 of 3 chunks" in [each.message for each in diagnose(container).findings][-1]
    again = ingest(container, [workspace])
    assert again.chunks_embedded == 0
    assert again.skipped == 1


def test_a_file_that_shrinks_and_one_that_goes_leave_nothing_behind(
    open_container: OpenContainer, workspace: Path
) -> None:
    (workspace / "fruit.md").write_text(THREE)
    (workspace / "gone.md").write_text("# four\n\nyellow melon\n")
    embedder = WordEmbedder()
    container = open_container(embedder=embedder)
    ingest(container, [workspace])
    (workspace / "fruit.md").write_text("# one\n\nred apple\n")
    (workspace / "gone.md").unlink()
    made = len(embedder.embedded)
    ingest(container, [workspace])
    second = ingest(container, [workspace])
    assert (second.new, second.updated, second.removed) == (0, 0, 0)
    assert vector_counts(container) == (1, 1)
    assert len(embedder.embedded) == made
    for mode in ("lexical", "hybrid", "vector"):
        for word in ("pear", "plum", "melon"):
            found = texts(search(container, word, mode=mode))
            assert not any(word in text for text in found)


def test_vectors_of_two_models_never_mix(open_container: OpenContainer, workspace: Path) -> None:
    (workspace / "fruit.md").write_text(THREE)
    first = open_container(embedder=WordEmbedder(model_id="first"))
    ingest(first, [workspace])
    other = WordEmbedder(model_id="other")
    second = open_container(embedder=other)
    assert search(second, "pear").hits[0].legs[-1].leg != "meaning"
    with pytest.raises(VectorsMissing):
        search(second, "pear", mode="vector")
    ingest(second, [workspace])
    assert len(other.embedded) == 3
    assert vector_counts(second) == (3, 3)
    assert "pear" in texts(search(second, "pear", mode="vector"))[0]
    assert vector_counts(first) == (3, 0)


def test_a_text_that_comes_back_gets_its_vector_without_the_model(
    open_container: OpenContainer, workspace: Path
) -> None:
    embedder = WordEmbedder()
    container = open_container(embedder=embedder)
    (workspace / "fruit.md").write_text(THREE)
    ingest(container, [workspace])
    (workspace / "fruit.md").rename(workspace / "moved.md")
    (workspace / "copy.md").write_text(THREE)
    ingest(container, [workspace])
    assert len(embedder.embedded) == 3
    assert vector_counts(container) == (6, 6)


def test_a_stop_keeps_the_vectors_that_are_made(
    open_container: OpenContainer, workspace: Path
) -> None:
    embedder = WordEmbedder()
    container = open_container(embedder=embedder)
    sections = "".join(f"# s{n}\n\nword{n}\n\n" for n in range(3 * BATCH_TEXTS))
    (workspace / "long.md").write_text(sections)
    embedder.fails = True
    ingest(container, [workspace])
    embedder.fails = False
    cancel = CancelToken()
    with pytest.raises(Cancelled):
        embed_pending(
            container,
            on_progress=lambda counts: cancel.cancel() if counts.embedded else None,
            cancel=cancel,
        )
    assert vector_counts(container) == (3 * BATCH_TEXTS, BATCH_TEXTS)
    assert embed_pending(container) == 2 * BATCH_TEXTS
    assert sorted(embedder.embedded) == sorted(set(embedder.embedded))


def test_without_its_model_words_are_found_and_a_warning_says_so(
    open_container: OpenContainer, workspace: Path
) -> None:
    (workspace / "fruit.md").write_text(THREE)
    embedder = WordEmbedder()
    container = open_container(embedder=embedder)
    embedder.fails = True
    report = ingest(container, [workspace])
    assert (report.new, report.errors) == (1, 0)
    assert [warning.code for warning in report.warnings] == ["model_error"]
    assert "search by meaning has to wait" in report.warnings[0].message
    embedder.fails = False
    ingest(container, [workspace])
    embedder.fails = True
    response = search(container, "pear")
    assert response.mode == "lexical"
    assert [warning.code for warning in response.warnings] == ["model_error"]
    assert "pear" in texts(response)[0]
    with pytest.raises(ModelError):
        search(container, "pear", mode="vector")


def test_no_embedding_is_a_choice(open_container: OpenContainer, workspace: Path) -> None:
    (workspace / "fruit.md").write_text(THREE)
    settings = open_container(settings={"embedding.engine": "none"}).settings
    container = Container(settings)
    report = ingest(container, [workspace])
    assert (report.chunks_embedded, report.warnings) == (0, ())
    response = search(container, "pear")
    assert len(response.hits) == 1
    assert (response.mode, response.warnings) == ("lexical", ())
    container.close()


def test_hits_stand_by_document_and_with_their_neighbours_on_request(
    open_container: OpenContainer, workspace: Path
) -> None:
    (workspace / "a.md").write_text(THREE)
    (workspace / "b.md").write_text("# five\n\npear and nothing else\n")
    container = open_container()
    ingest(container, [workspace])
    (hit, _) = search(container, "pear", mode="lexical", context_chunks=1).hits
    assert hit.doc_path == "a.md"
    assert ["red apple" in each.text for each in hit.before] == [True]
    assert ["blue plum" in each.text for each in hit.after] == [True]
    assert hit.after[0].citation.text.startswith("a.md:L")
    grouped = search(container, "pear", by_document=True, limit=1)
    assert grouped.by_document
    assert len({each.doc_path for each in grouped.hits}) == 1

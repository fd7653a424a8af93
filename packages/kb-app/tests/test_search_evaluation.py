"""Search is measured on a corpus without touching the knowledge base, and on what is in it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import pytest

from kb_app import plugins
from kb_app.container import Container
from kb_app.embedding import embed_pending
from kb_app.search_evaluation import SearchOptions, evaluate_search
from kb_app.setup import init
from kb_app.text_library import CorpusText, ingested_text
from kb_app.wire_search_evaluation import EvaluatedQueryV1, SearchEvaluationV1
from kb_config import load_settings
from kb_core import CancelToken
from kb_core.errors import (
    Cancelled,
    FeatureMissing,
    InputError,
    ModelError,
    ModelMissing,
    StoreMissing,
    VectorsMissing,
)
from kb_core.ports.embedder import EmbedderIdentity
from kb_testing.documents import make_note, make_recording
from kb_testing.fake_embedder import WordEmbedder

TEXTS = {"d/1": "Red apples grow here", "d2": "green apples", "d3": "파란 자두", "d4": " "}
QUERIES = {"q1": "red apples", "q2": "자두는?", "q3": "green"}
JUDGEMENTS = "q1\td/1\t1\nq2\td3\t1\nq3\td2\t1\n"


def open_base(folder: Path, embedder: WordEmbedder | None = None, **settings: str) -> Container:
    init(load_settings(folder), folder)
    overrides = {"embedding.engine": "none", **settings}
    return Container(load_settings(folder, overrides), embedder=embedder)


@pytest.fixture
def fruit(tmp_path: Path) -> Path:
    folder = tmp_path / "fruit-en"
    (folder / "qrels").mkdir(parents=True)
    write_lines(folder / "corpus.jsonl", [{"_id": k, "text": v} for k, v in TEXTS.items()])
    write_lines(folder / "queries.jsonl", [{"_id": k, "text": v} for k, v in QUERIES.items()])
    (folder / "qrels" / "test.tsv").write_text(JUDGEMENTS, encoding="utf-8")
    return folder


def write_lines(path: Path, lines: Sequence[dict[str, Any]]) -> Path:
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    path.write_text(text, encoding="utf-8")
    return path


def modes_of(report: SearchEvaluationV1) -> list[str]:
    return [scores.mode for scores in report.modes]


def temporary_bases() -> set[Path]:
    return set(Path(gettempdir()).glob("kb-eval-*"))


def test_a_corpus_is_searched_apart_from_the_knowledge_base(tmp_path: Path, fruit: Path) -> None:
    container = open_base(tmp_path / "data", WordEmbedder())
    container.store.put_document(make_note("mine.md", ["red apples of my own"]))
    stored = list(container.store.dump_reproducible_rows())
    before = temporary_bases()
    rows: list[EvaluatedQueryV1] = []
    report = evaluate_search(container, fruit, on_query=rows.append)
    assert list(container.store.dump_reproducible_rows()) == stored
    assert temporary_bases() <= before
    assert modes_of(report) == ["lexical", "vector", "hybrid"]
    assert (report.documents, report.queries) == (4, 3)
    assert report.modes[0].total.hit_at_1.mean == 1
    assert report.embedder is not None
    assert (report.embedder.chunks, report.embedder.embedded) == (3, 3)
    assert {doc_id for row in rows for doc_id in row.found} <= set(TEXTS)
    assert rows[0].found[0] == "d/1"
    container.close()


def test_without_an_embedder_only_words_are_measured(tmp_path: Path, fruit: Path) -> None:
    report = evaluate_search(open_base(tmp_path / "data"), fruit)
    assert modes_of(report) == ["lexical"]
    assert report.embedder is None


def test_where_the_model_is_missing_only_words_are_measured_unless_it_is_asked_for(
    tmp_path: Path, fruit: Path
) -> None:
    class MissingEmbedder(WordEmbedder):
        @property
        def identity(self) -> EmbedderIdentity:
            raise ModelMissing("no such model")

    container = open_base(tmp_path / "data", MissingEmbedder())
    assert modes_of(evaluate_search(container, fruit)) == ["lexical"]
    with pytest.raises(ModelMissing):
        evaluate_search(container, fruit, SearchOptions(modes=("vector",)))


def test_modes_run_once_each_and_in_the_order_asked_for(tmp_path: Path, fruit: Path) -> None:
    embedder = WordEmbedder()
    container = open_base(tmp_path / "data", embedder)
    options = SearchOptions(modes=("morphemes", "pairs", "morphemes"), recall_at=(3,))
    report = evaluate_search(container, fruit, options)
    assert modes_of(report) == ["morphemes", "pairs"]
    assert [each.at for each in report.modes[0].total.recall] == [3]
    assert embedder.embedded == []


def test_a_mode_that_cannot_be_measured_is_refused(tmp_path: Path, fruit: Path) -> None:
    container = open_base(tmp_path / "data")
    for modes in (("vector",), ("lexical", "hybrid")):
        with pytest.raises(VectorsMissing):
            evaluate_search(container, fruit, SearchOptions(modes=modes))
    failing = WordEmbedder()
    failing.fails = True
    with pytest.raises(ModelError):
        evaluate_search(open_base(tmp_path / "other", failing), fruit)


def test_what_is_measured_depends_on_no_order_of_the_corpus(tmp_path: Path, fruit: Path) -> None:
    def rows() -> list[EvaluatedQueryV1]:
        found: list[EvaluatedQueryV1] = []
        container = open_base(tmp_path / "data", WordEmbedder())
        evaluate_search(container, fruit, on_query=found.append)
        return found

    first = rows()
    lines = (fruit / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    (fruit / "corpus.jsonl").write_text("\n".join(lines[::-1]), encoding="utf-8")
    assert rows() == first


def test_texts_that_are_the_same_are_two_documents() -> None:
    one, other = (ingested_text(CorpusText(name, "same")) for name in ("a", "b"))
    assert one.document.doc_id != other.document.doc_id
    assert one.asset.asset_id == other.asset.asset_id


def test_progress_tells_of_texts_then_vectors_then_modes(tmp_path: Path, fruit: Path) -> None:
    steps: dict[str, tuple[int, int]] = {}
    container = open_base(tmp_path / "data", WordEmbedder())

    def on_step(step: str, done: int, total: int) -> None:
        steps[step] = (done, total)

    evaluate_search(container, fruit, on_step=on_step)
    assert list(steps.items()) == [
        ("texts", (4, 4)),
        ("vectors", (3, 3)),
        *((mode, (3, 3)) for mode in ("lexical", "vector", "hybrid")),
    ]


def test_a_stop_while_indexing_leaves_nothing_behind(tmp_path: Path, fruit: Path) -> None:
    before = temporary_bases()
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        evaluate_search(open_base(tmp_path / "data"), fruit, cancel=cancel)
    assert temporary_bases() <= before


def test_a_golden_file_is_asked_of_ones_own_knowledge_base(tmp_path: Path) -> None:
    container = open_base(tmp_path / "data", WordEmbedder())
    container.store.put_document(make_note("notes/a.md", ["Ships sail", "Trains do not"]))
    talk = [(0, 4000, "welcome", None), (90_000, 95_000, "the harbour is closed", None)]
    container.store.put_document(make_recording("talk.m4a", talk, segments_per_chunk=1))
    golden = write_lines(
        tmp_path / "mine.jsonl",
        [
            {"query": "harbour closed", "expect": ["talk.m4a:00:01:20-00:01:31"]},
            {"query": "trains", "expect": ["notes/a.md:L3", "gone.md"]},
        ],
    )
    assert modes_of(evaluate_search(container, golden)) == ["lexical"]
    embed_pending(container)
    stored = list(container.store.dump_reproducible_rows())
    report = evaluate_search(container, golden)
    assert list(container.store.dump_reproducible_rows()) == stored
    assert modes_of(report) == ["lexical", "vector", "hybrid"]
    assert report.documents == 2
    assert [(each.path, each.lines) for each in report.unknown_paths] == [("gone.md", (2,))]
    lexical = report.modes[0]
    assert lexical.total.hit_at_1.mean == 1
    assert lexical.times is not None
    assert (lexical.times.compared, lexical.times.median_distance_ms) == (1, 10_000)


def test_asked_for_vectors_that_are_not_there_a_golden_file_is_refused(tmp_path: Path) -> None:
    container = open_base(tmp_path / "data", WordEmbedder())
    golden = write_lines(tmp_path / "mine.jsonl", [{"query": "x", "expect": ["a.md"]}])
    with pytest.raises(VectorsMissing):
        evaluate_search(container, golden, SearchOptions(modes=("hybrid",)))


def test_a_golden_file_needs_a_knowledge_base_and_a_corpus_does_not(
    tmp_path: Path, fruit: Path
) -> None:
    settings = load_settings(tmp_path / "none", {"embedding.engine": "none"})
    golden = write_lines(tmp_path / "mine.jsonl", [{"query": "x", "expect": ["a.md"]}])
    with pytest.raises(StoreMissing):
        evaluate_search(Container(settings), golden)
    assert evaluate_search(Container(settings), fruit).queries == 3
    assert not settings.data_dir.exists()


def test_what_is_not_there_is_not_evaluated(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file or folder"):
        evaluate_search(open_base(tmp_path / "data"), tmp_path / "none")


def test_without_its_package_the_evaluation_of_search_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plugins, "_names", lambda _group: ())
    with pytest.raises(FeatureMissing, match="kb-eval is not installed"):
        evaluate_search(open_base(tmp_path / "data"), tmp_path)

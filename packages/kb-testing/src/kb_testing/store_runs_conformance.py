"""What every store must do about chunk modules side by side, and about replies of models.

@pytest.mark.parametrize("check", STORE_RUN_CHECKS, ids=lambda check: check.__name__)
def test_store_conforms(check): check(make_store)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import pytest

from kb_core import ChunkPolicy, ChunkResult, ChunkRun, ModuleVersion, make_policy_hash
from kb_core.errors import NotFound
from kb_core.ports.language_model import ReplyStore, StoredReply
from kb_core.ports.store import IngestedDocument
from kb_core.query import SearchScope
from kb_testing.documents import make_recording, rechunked
from kb_testing.store_conformance import MEETING, NOTE, FullStore, query_of
from kb_testing.vector_conformance import embed_everything


class RunStore(FullStore, ReplyStore, Protocol):
    """Everything that a store offers, replies of models included."""


MakeRunStore = Callable[[], RunStore]
StoreRunCheck = Callable[[MakeRunStore], None]

REPLY = StoredReply(text='{"scenes": []}', prompt_tokens=12, reply_tokens=3, elapsed_ms=250)
OTHER_POLICY = ChunkPolicy(chunker_version="other/module-v1", options={"most": 2})
OTHER = ModuleVersion(
    module="other/module",
    chunker_version=OTHER_POLICY.chunker_version,
    policy_hash=make_policy_hash(OTHER_POLICY),
    model_id="a model",
)


def side_by_side(ingested: IngestedDocument) -> IngestedDocument:
    """Return the same document, cut once more by another module into chunks of one unit."""
    chunks = rechunked(ingested.document, OTHER, units_per_chunk=1, joint=" ")
    other = ChunkRun(version=OTHER, policy=OTHER_POLICY, result=ChunkResult(chunks=chunks))
    modules = (*ingested.versions.modules, OTHER)
    versions = ingested.versions.model_copy(update={"modules": modules})
    return ingested.model_copy(update={"versions": versions, "runs": (*ingested.runs, other)})


def check_runs_stand_side_by_side(make_store: MakeRunStore) -> None:
    """Store two runs; each keeps its order, its indexes and its policy."""
    store = make_store()
    both = side_by_side(MEETING)
    store.put_document(both)
    (found,) = store.list_documents()
    assert found.versions == both.versions
    assert found.chunk_count == len(both.chunks)
    assert [(run.module, run.chunk_count) for run in found.runs] == [
        (run.version.module, len(run.result.chunks)) for run in both.runs
    ]
    assert [run.policy for run in found.runs] == [run.policy for run in both.runs]
    ids = [chunk.chunk_id for chunk in both.chunks]
    assert store.chunk_ids(both.document.doc_id) == ids
    passages = store.load_passages(ids)
    assert [passage.chunk for passage in passages] == list(both.chunks)
    assert [passage.module for passage in passages] == [
        run.version.module for run in both.runs for _ in run.result.chunks
    ]


def check_neighbours_are_of_the_same_run(make_store: MakeRunStore) -> None:
    """Ask for what stands beside a chunk of each run."""
    store = make_store()
    both = side_by_side(MEETING)
    store.put_document(both)
    for run in both.runs:
        ids = [chunk.chunk_id for chunk in run.result.chunks]
        assert store.neighbour_ids(ids[0], 100) == ids


def check_runs_are_replaced_as_a_whole(make_store: MakeRunStore) -> None:
    """Cut a stored document anew; words, vectors and runs of before are gone, others stay."""
    store = make_store()
    store.put_document(MEETING)
    store.put_document(NOTE)
    embed_everything(store, "v")
    both = side_by_side(MEETING)
    only_other = both.versions.model_copy(update={"modules": (OTHER,)})
    store.put_runs(MEETING.document.doc_id, only_other, both.runs[1:])
    found = store.find_document(MEETING.document.doc_id)
    assert found is not None
    assert found.versions == only_other
    assert [run.module for run in found.runs] == [OTHER.module]
    chunks = both.runs[1].result.chunks
    assert store.chunk_ids(MEETING.document.doc_id) == [chunk.chunk_id for chunk in chunks]
    matches = store.search_lexical(query_of("budget"), require_all=True, limit=10)
    assert {match.chunk_id for match in matches} == {
        chunk.chunk_id for chunk in chunks if "budget" in chunk.text
    }
    assert store.vector_counts("v").chunks == len(chunks) + len(NOTE.chunks)
    assert store.load_document(MEETING.document.doc_id) == MEETING.document


def check_a_document_that_is_not_there_gets_no_runs(make_store: MakeRunStore) -> None:
    """Put runs of an unknown document."""
    store = make_store()
    with pytest.raises(NotFound):
        store.put_runs(MEETING.document.doc_id, MEETING.versions, MEETING.runs)
    assert not list(store.iter_chunk_ids(""))


def check_a_scope_names_modules(make_store: MakeRunStore) -> None:
    """Search in one module, in all but one, in none."""
    store = make_store()
    both = side_by_side(MEETING)
    store.put_document(both)
    usual, other = ([chunk.chunk_id for chunk in run.result.chunks] for run in both.runs)
    scopes = {
        SearchScope(modules=frozenset({OTHER.module})): other,
        SearchScope(without_modules=frozenset({OTHER.module})): usual,
        SearchScope(modules=frozenset({"nobody's"})): [],
        SearchScope(): [*usual, *other],
    }
    for scope, expected in scopes.items():
        assert store.chunks_in_scope(scope, limit=100) == expected
        found = store.search_lexical(query_of("budget"), require_all=True, limit=9, scope=scope)
        assert {match.chunk_id for match in found} <= set(expected)


def check_equal_texts_of_two_runs_share_a_vector(make_store: MakeRunStore) -> None:
    """Cut a recording of one segment by two modules; one vector serves both."""
    store = make_store()
    both = side_by_side(make_recording("one.m4a", [(0, 900, "one sentence", None)]))
    store.put_document(both)
    assert len(both.chunks) == 2
    assert len(store.pending_texts("v", limit=10)) == 1
    embed_everything(store, "v")
    assert store.vector_counts("v").embedded == 2


def check_a_reply_comes_back_for_its_request_and_model(make_store: MakeRunStore) -> None:
    """Keep a reply, replace it, and ask for others; it outlives its document."""
    store = make_store()
    store.put_document(MEETING)
    assert store.get_reply("d" * 64, "a model") is None
    earlier = REPLY.model_copy(update={"text": "{}"})
    for reply in (earlier, REPLY):
        store.put_reply(MEETING.asset.asset_id, "d" * 64, "a model", reply)
    store.delete_document(MEETING.document.doc_id)
    assert store.get_reply("d" * 64, "a model") == REPLY
    assert store.get_reply("d" * 64, "another") is None
    assert store.get_reply("e" * 64, "a model") is None


STORE_RUN_CHECKS: tuple[StoreRunCheck, ...] = (
    check_runs_stand_side_by_side,
    check_neighbours_are_of_the_same_run,
    check_runs_are_replaced_as_a_whole,
    check_a_document_that_is_not_there_gets_no_runs,
    check_a_scope_names_modules,
    check_equal_texts_of_two_runs_share_a_vector,
    check_a_reply_comes_back_for_its_request_and_model,
)

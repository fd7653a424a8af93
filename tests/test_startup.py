"""What starting up costs: asserted through what is imported, never through time."""

from __future__ import annotations

import subprocess
import sys

import pytest

from kb_testing.command import KbCommand

HEAVY = ("numpy", "av", "pywhispercpp", "_pywhispercpp", "rich.markdown")
NOT_FOR_HELP = (*HEAVY, "pydantic", "kb_core.document", "sqlite3")


def imported_modules(kb: KbCommand, *arguments: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *kb.argv(*arguments)[1:]],
        cwd=kb.cwd,
        env=kb.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    return {
        line.rpartition("|")[2].strip()
        for line in done.stderr.splitlines()
        if line.startswith("import time:")
    }


def test_help_imports_neither_the_domain_model_nor_any_library_of_an_adapter(kb: KbCommand) -> None:
    imported = imported_modules(kb, "--help")
    assert "typer" in imported
    assert imported.isdisjoint(NOT_FOR_HELP)


@pytest.mark.parametrize("command", [("search", "word"), ("list",), ("init",)])
def test_commands_that_only_look_import_no_model_library(
    kb: KbCommand, command: tuple[str, ...]
) -> None:
    kb.run("init")
    assert imported_modules(kb, *command).isdisjoint(HEAVY)

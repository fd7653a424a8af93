"""A hint that names a command names one that there is."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer.main
from typer.core import TyperGroup

from kb_cli.app import app

PACKAGES = Path(__file__).resolve().parents[2]
NAMED = re.compile(r"`kb ([a-z]+)(?: ([a-z]+))?")
SOURCES = sorted(PACKAGES.glob("*/src/**/*.py"))


def messages(source: Path) -> Iterator[str]:
    """Yield every string literal that is no docstring."""
    tree = ast.parse(source.read_text(encoding="utf-8"))
    statements = (node.value for node in ast.walk(tree) if isinstance(node, ast.Expr))
    docstrings = {id(value) for value in statements}
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if is_text and id(node) not in docstrings:
            yield node.value


def known_commands() -> set[str]:
    root = typer.main.get_command(app)
    assert isinstance(root, TyperGroup)
    known = set(root.commands)
    for name, command in root.commands.items():
        if isinstance(command, TyperGroup):
            known |= {f"{name} {each}" for each in command.commands}
    return known


KNOWN = known_commands()
GROUPS = {name.split()[0] for name in KNOWN if " " in name}


def unknown_commands(text: str) -> list[str]:
    unknown = []
    for match in NAMED.finditer(text):
        name, below = match.groups()
        full_name = f"{name} {below}" if below and name in GROUPS else name
        if full_name not in KNOWN:
            unknown.append(full_name)
    return unknown


def test_a_command_that_there_is_not_is_seen() -> None:
    text = "run `kb nonsense` or `kb models nonsense`"
    assert unknown_commands(text) == ["nonsense", "models nonsense"]
    assert unknown_commands("run `kb models pull NAME` or `kb ingest`") == []


@pytest.mark.parametrize("package", sorted(path.name for path in PACKAGES.iterdir()))
def test_messages_name_commands_that_there_are(package: str) -> None:
    wrong = {
        source.name: unknown
        for source in SOURCES
        if source.is_relative_to(PACKAGES / package)
        for text in messages(source)
        if (unknown := unknown_commands(text))
    }
    assert wrong == {}

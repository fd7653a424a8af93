"""Write the reference pages under `docs/` that are made from the program itself.

    uv run python scripts/generate_docs.py          # write them
    uv run python scripts/generate_docs.py --check  # exit 1 where one is out of date

Commands, settings, errors and wire schemas are described once, in the code.
"""

from __future__ import annotations

import argparse
import inspect
import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"
NOTICE = "<!-- made by scripts/generate_docs.py: change the program, not this page -->\n"


def main() -> int:
    """Write or compare every generated page."""
    parser = argparse.ArgumentParser(description="Write the generated reference pages.")
    parser.add_argument("--check", action="store_true", help="only compare")
    check = parser.parse_args().check
    pages = generated_pages()
    stale = [path for path, text in pages.items() if _read(path) != text]
    stale += [path for path in (DOCS / "wire").glob("*.json") if path not in pages]
    for path in stale:
        name = path.relative_to(DOCS.parent)
        if check:
            print(f"out of date: {name}; run scripts/generate_docs.py")
        elif path in pages:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(pages[path], encoding="utf-8")
            print(f"wrote {name}")
        else:
            path.unlink()
            print(f"removed {name}")
    return 1 if check and stale else 0


def generated_pages() -> dict[Path, str]:
    """Return the text of every generated page by its path."""
    pages = {
        DOCS / "commands.md": _commands(),
        DOCS / "settings.md": _settings(),
        DOCS / "errors.md": _errors(),
    }
    pages.update(_wire_schemas())
    return pages


def _read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


def _commands() -> str:
    import typer.main

    from kb_cli.app import app

    root = typer.main.get_command(app)
    parts = [NOTICE, "# Commands\n", *_command_section("kb", root)]
    return "\n".join(parts)


def _command_section(name: str, command: object) -> Iterator[str]:
    import click
    from typer.core import TyperGroup

    context = click.Context(command, info_name=name)  # type: ignore[arg-type]
    yield f"## `{name}`\n" if name == "kb" else f"### `{name}`\n"
    yield f"{(command.help or '').strip()}\n"  # type: ignore[attr-defined]
    rows = [_parameter_row(each, context) for each in command.params]  # type: ignore[attr-defined]
    if rows:
        yield "| option or argument | meaning |\n|---|---|\n" + "\n".join(rows) + "\n"
    if isinstance(command, TyperGroup):
        for sub_name in command.list_commands(context):
            sub_command = command.get_command(context, sub_name)
            yield from _command_section(f"{name} {sub_name}", sub_command)


def _parameter_row(parameter: object, context: object) -> str:
    record = parameter.get_help_record(context)  # type: ignore[attr-defined]
    left, right = record or (parameter.make_metavar(context), "")  # type: ignore[attr-defined]
    return f"| `{_one_line(left)}` | {_one_line(right)} |".replace("…|", "…\\|")


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "\\|").strip()


def _settings() -> str:
    from kb_config import describe_settings

    lines = [
        NOTICE,
        "# Settings\n",
        "Flags win over environment variables, those over `config.toml` in the data folder, and",
        "that over the defaults. `kb init` writes a `config.toml` that explains every key.\n",
        "| key | type | default | environment | meaning |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| `{info.key}` | {info.type} | {_code(info.default)} | `{info.env}` "
        f"| {_one_line(info.doc)} |"
        for info in describe_settings()
    ]
    return "\n".join(lines) + "\n"


def _code(default: str | None) -> str:
    return f"`{_one_line(default)}`" if default is not None else "unset"


def _errors() -> str:
    from kb_core import errors

    lines = [
        NOTICE,
        "# Errors\n",
        "The codes that `error.v1` and the items of a report carry.\n",
        "| code | meaning |",
        "|---|---|",
    ]
    for value in vars(errors).values():
        if inspect.isclass(value) and issubclass(value, errors.KbError):
            summary = (inspect.getdoc(value) or "").splitlines()[0]
            lines.append(f"| `{value.code}` | {summary} |")
    return "\n".join(lines) + "\n"


def _wire_schemas() -> dict[Path, str]:
    from kb_app.wire import WIRE_MODELS

    schemas = {}
    for model in WIRE_MODELS:
        version = model.model_fields["schema_version"].default
        schema = model.model_json_schema(mode="serialization")
        text = json.dumps(schema, indent=2, ensure_ascii=False, sort_keys=True)
        schemas[DOCS / "wire" / f"{version}.json"] = text + "\n"
    return schemas


if __name__ == "__main__":
    os.environ["COLUMNS"] = "100"
    sys.exit(main())

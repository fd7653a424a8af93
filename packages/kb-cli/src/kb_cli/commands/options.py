"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

from kb_cli.session import session


def _remember(value: bool) -> bool:
    session.json_output = value
    return value


JsonOption = Annotated[
    bool,
    typer.Option("--json", help="Print wire objects (see docs/wire).", callback=_remember),
]

"""What every page for people is printed with."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from kb_cli.terminal import for_terminal
from kb_core import format_clock

WIDTH_WITHOUT_TERMINAL = 1000


def open_console() -> Console:
    """Return the console on stdout."""
    console = Console(soft_wrap=True, highlight=False)
    if not console.is_terminal:  # a pipe has no width to fold at
        console.width = WIDTH_WITHOUT_TERMINAL
    return console


def new_table(*headings: str) -> Table:
    """Return a table without lines."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table


def safe_text(text: str, style: str = "") -> Text:
    """Return text of others, fit for a terminal."""
    return Text(for_terminal(text), style=style)


def clock(milliseconds: int | None) -> str:
    """Return `HH:MM:SS`; nothing for None."""
    return "" if milliseconds is None else format_clock(round(milliseconds / 1000))

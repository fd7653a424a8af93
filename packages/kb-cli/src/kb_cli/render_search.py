"""Hits, as people read them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text

from kb_cli.printing import open_console, safe_text
from kb_cli.terminal import for_terminal

if TYPE_CHECKING:
    from kb_app.wire_search import NeighbourV1, SearchHitV1, SearchResponseV1

_INDENT = "    "


def render_hits(
    response: SearchResponseV1, *, root: Path | None = None, explain: bool = False
) -> None:
    """Print hits: citation, then the passage with what matched in bold.

    Args:
        response: of the search.
        root: folder that paths in it are relative to; with it, terminals that know links (OSC 8)
            open the file of a citation.
        explain: print why each hit is there.
    """
    console = open_console()
    for warning in response.warnings:
        console.print(safe_text(f"warning: {warning.message}", style="yellow"))
    if not response.hits:
        console.print("nothing found", style="yellow")
        return
    last_path = None
    for hit in response.hits:
        if response.by_document and hit.doc_path != last_path:
            console.print(safe_text(hit.doc_path, style="bold"))
            last_path = hit.doc_path
        console.print(_heading(hit, root))
        for neighbour in hit.before:
            console.print(_neighbour(neighbour))
        console.print(_snippet(hit))
        for neighbour in hit.after:
            console.print(_neighbour(neighbour))
        if explain:
            console.print(_explanation(hit), style="dim")


def _heading(hit: SearchHitV1, root: Path | None) -> Text:
    link = (root / hit.doc_path).as_uri() if root is not None else None
    style = Style(color="cyan", bold=True, link=link)
    return Text(f"{hit.rank:>2}  ").append(for_terminal(hit.citation.text), style=style)


def _snippet(hit: SearchHitV1) -> Text:
    """Return the passage with what matched in bold."""
    passage = hit.snippet_plain
    line = Text(_INDENT)
    position = 0
    for matched in hit.highlights:
        line.append(for_terminal(passage[position : matched.char_start]))
        line.append(for_terminal(passage[matched.char_start : matched.char_end]), "bold yellow")
        position = matched.char_end
    return line.append(for_terminal(passage[position:]))


def _neighbour(neighbour: NeighbourV1) -> Text:
    citation = for_terminal(neighbour.citation.text)
    return Text(_INDENT).append(f"{citation}  {for_terminal(neighbour.text)}", style="dim")


def _explanation(hit: SearchHitV1) -> str:
    if not hit.legs:
        return f"{_INDENT}filters alone were asked for"
    places = "; ".join(f"{each.leg} #{each.rank} ({each.score:.4g})" for each in hit.legs)
    return f"{_INDENT}{hit.score_kind} {hit.score:.4f} from {places}"

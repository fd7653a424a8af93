"""What the chunk modules of this package share: assets, and words for a reply of the wrong form."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from pydantic import ValidationError

from kb_core.errors import ReplyRejected
from kb_core.ports.language_model import ReplySchema

_PACKAGE = "kb_chunk_llm"


@cache
def reply_schema(asset: str) -> ReplySchema:
    """Return the schema of a reply, such as that of the asset `dnd_scenes.v1.json`."""
    text = (files(_PACKAGE) / "assets" / asset).read_text(encoding="utf-8")
    return ReplySchema.model_validate_json(text)


@cache
def prompt_template(asset: str) -> Template:
    """Return the template of one half of a prompt, such as `dnd_scenes.user.j2`.

    A name that the template uses and is not given is an error. Nothing is escaped: a prompt is no
    page, and what comes from documents is fenced before it gets here.
    """
    environment = Environment(
        loader=PackageLoader(_PACKAGE, "assets"),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701
    )
    return environment.get_template(asset)


def rejection(error: ValidationError, names: dict[str, str]) -> ReplyRejected:
    """Return what is wrong first with a reply that lacks the form it should have.

    `names` gives the singular of each list of the reply, for what is counted from 1 in messages.
    """
    problem = error.errors(include_url=False, include_input=False, include_context=False)[0]
    return ReplyRejected(f"{_place(problem['loc'], names)}: {problem['msg']}")


def _place(location: Sequence[int | str], names: dict[str, str]) -> str:
    words: list[str] = []
    for step in location:
        if isinstance(step, int) and words:
            words[-1] = f"{names.get(words[-1], words[-1])} {step + 1}"
        else:
            words.append(str(step))
    return ", ".join(words) or "the reply"

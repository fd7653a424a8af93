"""Whether a text is a written transcript: turns of people, each after a name.

Notes are full of lines such as `Note: …`, so much has to come together: several turns, by names
that come again, and hardly anything that is no turn. In Markdown names are bold.
"""

from __future__ import annotations

import re
from collections import Counter

MIN_TURNS = 3
MIN_SHARE = 0.5
MAX_NAMES = 40

_EXTENSIONS = frozenset({"md", "markdown", "mdown", "mkd", "txt", "text"})
_MARK = r"(?:\\?\[?\(?\d{1,3}(?::\d\d){1,2}(?:\.\d+)?\\?\]?\)?)"
_BOLD_TURN = re.compile(rf"(?:{_MARK}\s*)?\*\*(?P<name>[^*\n]{{1,40}}?):?\*\*:?(?:\s|$)")
_NAME = r"(?P<name>[^\W\d_][^:\n.!?,;|/\\<>{}\[\]()#*`\"]{0,39})"
_PLAIN_TURN = re.compile(rf"(?:{_MARK}\s+)?{_NAME}(?:\s+\({_MARK}\))?:[ \t]+\S")
_TIMED_TURN = re.compile(
    rf"{_MARK}[ \t]+{_NAME}:|{_NAME.replace('name', 'name2')}[ \t]+\({_MARK}\):?"
)
_FRONT_MATTER = re.compile(r"---\r?\n")
_MAX_NAME_WORDS = 5


def may_be_transcript(extension: str) -> bool:
    """Return whether files of that extension may hold a written transcript."""
    return extension in _EXTENSIONS


def is_written_transcript(start: str) -> bool:
    """Return whether a text, of which this is the beginning, is a written transcript."""
    if _FRONT_MATTER.match(start):
        return False
    lines = [line.strip() for line in re.split(r"\r\n|\r|\n", start)]
    lines = [line for line in lines[:-1] or lines if line]
    bold = [match["name"] for line in lines if (match := _BOLD_TURN.match(line)) and ":" in line]
    if _are_turns(bold, len(lines), min_share=0.2):
        return True
    timed = [
        match["name"] or match["name2"] for line in lines if (match := _TIMED_TURN.match(line))
    ]
    if _are_turns(timed, len(lines), min_share=0.2):
        return True
    plain = [match["name"] for line in lines if (match := _PLAIN_TURN.match(line))]
    return _are_turns(plain, len(lines), min_share=MIN_SHARE)


def _are_turns(names: list[str], line_count: int, *, min_share: float) -> bool:
    """Return whether these are people who take turns: few names, most of them again and again."""
    people = Counter(name.strip() for name in names)
    if len(names) < MIN_TURNS or len(names) < line_count * min_share:
        return False
    if any(len(name.split()) > _MAX_NAME_WORDS for name in people):
        return False
    turns_of_many = sum(count for count in people.values() if count > 1)
    return 2 <= len(people) <= MAX_NAMES and turns_of_many * 2 >= len(names)

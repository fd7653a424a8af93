"""Speakers in front of the text, in formats that have no place for them.

`[Kim]: Good morning` is how recognisers write a speaker into SubRip, and is always read so.
`KIM: Good morning` is read so only where at least half of the captions begin like that: elsewhere
it is text, as in `Note: bring a coat`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kb_parse_subtitle.cue import Cue

_BRACKETED = re.compile(r"(?:-\s*)?\[([^\[\]\n:]{1,60})\]\s*:\s*(?=\S)")
_NAMED = re.compile(r"(?:-\s*)?([^\W\d_a-z][^\n:：\[\]<>.!?,;]{0,38})(?::\s+|：\s*)(?=\S)")
_MIN_SHARE = 0.5
_MIN_CAPTIONS = 2


def take_prefixed_speakers(cues: Sequence[Cue]) -> None:
    """Move the speakers from the texts to their own place."""
    named = sum(1 for cue in cues if cue.speaker is None and _NAMED.match(cue.text))
    are_named = named >= max(_MIN_CAPTIONS, len(cues) * _MIN_SHARE)
    for cue in cues:
        if cue.speaker is not None:
            continue
        match = _BRACKETED.match(cue.text) or (_NAMED.match(cue.text) if are_named else None)
        if match is None or cue.words:
            continue
        cue.speaker = match[1].strip()
        cue.text = cue.text[match.end() :]

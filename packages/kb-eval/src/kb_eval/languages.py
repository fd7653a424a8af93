"""The language of a recording, where its place or its name tells it."""

from __future__ import annotations

import re
from pathlib import PurePath

_CODES = """
aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de
dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia
id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo
lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl
ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk
tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
"""
_ISO_639_1 = frozenset(_CODES.split())
_CODE_IN_NAME = re.compile(r"(?:^|-)([a-z]{2})-\d+$")


def language_told_by(path: PurePath) -> str | None:
    """Return the ISO 639-1 code in a relative path; None when there is none.

    The nearest folder that is named like a language wins (`ko/talk.wav`); without one, a name such
    as `talks-ko-001.wav`.
    """
    for folder in reversed(path.parent.parts):
        if folder in _ISO_639_1:
            return folder
    found = _CODE_IN_NAME.search(path.stem)
    return found.group(1) if found and found.group(1) in _ISO_639_1 else None

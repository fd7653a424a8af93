"""The language of a recording or a query, where a name or the script tells it."""

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
_CODE_AT_END = re.compile(r"-([a-z]{2})$")
_HANGUL = re.compile("[\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff]")
_KANA = re.compile("[\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9f]")
_HAN = re.compile("[\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_LETTERS_PER_CHARACTER = 3

LANGUAGE_CODE = r"^[a-z]{2,3}$"
UNKNOWN_LANGUAGE = "und"
"""The code of ISO 639-2 for a language that nobody knows."""


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


def language_of_question(text: str, set_name: str) -> str:
    """Return the language of a query that does not say it.

    The script tells Korean, Japanese and Chinese, where most of the query is in it; a character
    there weighs as much as three letters, for it says as much. Else the name of the set may end
    with a code (`xquad-en`).
    """
    hangul, kana, han = (len(script.findall(text)) for script in (_HANGUL, _KANA, _HAN))
    letters = sum(char.isalpha() for char in text) - hangul - kana - han
    if _LETTERS_PER_CHARACTER * (hangul + kana + han) > letters:
        if hangul >= kana + han:
            return "ko"
        return "ja" if kana else "zh"
    found = _CODE_AT_END.search(set_name)
    return found.group(1) if found and found.group(1) in _ISO_639_1 else UNKNOWN_LANGUAGE

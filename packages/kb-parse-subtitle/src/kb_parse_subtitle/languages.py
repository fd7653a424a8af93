"""Names of languages: as tags in files and file names, and as English words."""

from __future__ import annotations

import re
from pathlib import PurePosixPath


def _pairs(text: str) -> dict[str, str]:
    return dict(pair.split(":") for pair in text.split())


_CODES = (
    "aa ab af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy "
    "da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht "
    "hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky "
    "la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny "
    "oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss "
    "st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo "
    "za zh zu"
)
_KNOWN_CODES = frozenset(_CODES.split())
_LONG_CODES = _pairs(
    "ara:ar ben:bn bul:bg ces:cs chi:zh cze:cs dan:da deu:de dut:nl ell:el eng:en est:et fas:fa "
    "fin:fi fra:fr fre:fr ger:de gre:el heb:he hin:hi hrv:hr hun:hu ind:id ita:it jpn:ja kor:ko "
    "lit:lt lav:lv may:ms msa:ms nld:nl nor:no per:fa pol:pl por:pt ron:ro rum:ro rus:ru slk:sk "
    "slv:sl spa:es srp:sr swe:sv tam:ta tel:te tha:th tur:tr ukr:uk urd:ur vie:vi yue:zh zho:zh "
    "cmn:zh"
)
_ENGLISH_NAMES = _pairs(
    "afrikaans:af albanian:sq amharic:am arabic:ar armenian:hy assamese:as azerbaijani:az "
    "bashkir:ba basque:eu belarusian:be bengali:bn bosnian:bs breton:br bulgarian:bg burmese:my "
    "cantonese:zh castilian:es catalan:ca chinese:zh croatian:hr czech:cs danish:da dutch:nl "
    "english:en estonian:et faroese:fo finnish:fi flemish:nl french:fr galician:gl georgian:ka "
    "german:de greek:el gujarati:gu haitian:ht hausa:ha hebrew:he hindi:hi hungarian:hu "
    "icelandic:is indonesian:id italian:it japanese:ja javanese:jv kannada:kn kazakh:kk "
    "khmer:km korean:ko lao:lo latin:la latvian:lv lingala:ln lithuanian:lt luxembourgish:lb "
    "macedonian:mk malagasy:mg malay:ms malayalam:ml maltese:mt mandarin:zh maori:mi marathi:mr "
    "moldavian:ro mongolian:mn myanmar:my nepali:ne norwegian:no nynorsk:nn occitan:oc "
    "panjabi:pa pashto:ps persian:fa polish:pl portuguese:pt punjabi:pa pushto:ps romanian:ro "
    "russian:ru sanskrit:sa serbian:sr shona:sn sindhi:sd sinhala:si sinhalese:si slovak:sk "
    "slovenian:sl somali:so spanish:es sundanese:su swahili:sw swedish:sv tagalog:tl tajik:tg "
    "tamil:ta tatar:tt telugu:te thai:th tibetan:bo turkish:tr turkmen:tk ukrainian:uk urdu:ur "
    "uzbek:uz valencian:ca vietnamese:vi welsh:cy yiddish:yi yoruba:yo"
)
_TAG = re.compile(r"([A-Za-z]{2,3})(?:[-_][A-Za-z0-9]{2,8})*", re.ASCII)
_WORDS_BESIDE = frozenset(("forced", "sdh", "cc", "default", "auto", "orig", "captions"))
_MAX_PARTS_READ = 3


def language_code(name: str | None) -> str | None:
    """Return the ISO 639-1 code of a tag such as `zh-CN` or `kor`, or of an English name."""
    if name is None:
        return None
    text = name.strip()
    match = _TAG.fullmatch(text)
    if match:
        primary = match[1].lower()
        return primary if primary in _KNOWN_CODES else _LONG_CODES.get(primary)
    return _ENGLISH_NAMES.get(text.lower())


def language_named(workspace_path: str) -> str | None:
    """Return the language in a file's name: `talk.ko.srt`, `talk.zh-CN.vtt`, `talk.en.sdh.srt`."""
    parts = PurePosixPath(workspace_path).name.split(".")
    hindi = None
    for part in reversed(parts[1:-1][-_MAX_PARTS_READ:]):
        if part.lower() in _WORDS_BESIDE:
            continue
        code = language_code(part)
        if code != "hi" or hindi is not None:
            return code or hindi
        hindi = code  # or "hearing impaired", when a language stands before it
    return hindi

"""The language of a text, by its letters where they tell, and by a small model where not.

Every file of a folder is asked for, so what is certain by a few regular expressions never reaches
the model, which also takes a moment to load.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

_LOOKED_AT_CHARS = 2_000
_MODEL_CHARS = 200
_MIN_LETTERS = 8
_FEW_LETTERS = 24
_MIN_SHARE = 0.1
_MIN_PROBABILITY = 0.7
_MIN_PROBABILITY_OF_FEW = 0.95
_KANA_PER_HAN = 0.1
_ENGLISH_LOOK_WORDS = 200
_MIN_ENGLISH_SHARE = 0.12
_MIN_ENGLISH_WORDS = 5

_WORD = re.compile(r"[^\W\d_]+")
_HANGUL = re.compile(r"[가-힣ᄀ-ᇿㄱ-ㆎ]+")
_KANA = re.compile(r"[ぁ-ゖァ-ヺー\uff66-\uff9f]+")
_HAN = re.compile(r"[々㐀-䶿一-鿿\uf900-\ufaff\U00020000-\U0003ffff]+")
_NO_LETTERS = bytes(code for code in range(0x80) if not chr(code).isalpha())
# fmt: off
_ENGLISH = frozenset((
    "the", "and", "of", "to", "that", "is", "it", "for", "with", "this", "are", "you", "not", "was",
    "have", "be", "as", "on", "from", "by", "which", "can", "what", "when", "there", "they", "will",
    "your", "has", "but", "if",
))
_BY_MODEL = frozenset((
    "af", "ar", "az", "be", "bg", "bn", "bs", "ca", "cs", "cy", "da", "de", "el", "en", "eo", "es",
    "et", "eu", "fa", "fi", "fr", "ga", "gl", "gu", "he", "hi", "hr", "hu", "hy", "id", "is", "it",
    "ka", "kk", "km", "kn", "lo", "lt", "lv", "mk", "ml", "mn", "mr", "ms", "mt", "my", "ne", "nl",
    "nn", "no", "pa", "pl", "ps", "pt", "ro", "ru", "si", "sk", "sl", "sq", "sr", "sv", "sw", "ta",
    "te", "th", "tl", "tr", "uk", "ur", "uz", "vi",
))
# fmt: on
_lock = threading.Lock()
_identifier: LanguageIdentifier | None = None


def language_of(text: str) -> str | None:
    """Return the ISO 639-1 code of the language that most of `text` is in; None if that is open.

    Hangul, kana and Han tell by themselves, also among English terms: one Korean letter says about
    as much as two or three Latin ones, so a share of 10 % decides.
    """
    head = text[:_LOOKED_AT_CHARS]
    by_script = None if head.isascii() else _by_script(head)
    if by_script is not None:
        return by_script
    return "en" if _is_english(head) else _by_model(head)


def language_of_texts(texts: Iterable[str]) -> str | None:
    """Return what `language_of` says of texts one below the other; asks for no more than it needs.

    For documents of many parts, of which joining all would cost more than telling the language.
    """
    taken: list[str] = []
    char_count = 0
    for text in texts:
        taken.append(text)
        char_count += len(text) + 1
        if char_count > _LOOKED_AT_CHARS:
            break
    return language_of("\n".join(taken))


def _by_script(head: str) -> str | None:
    in_ascii = head.encode("ascii", "ignore")
    other_count = len(head) - len(in_ascii)
    least = max(1, _MIN_SHARE * (other_count + len(in_ascii.translate(None, _NO_LETTERS))))
    hangul = _count(_HANGUL, head)
    if hangul >= max(least, other_count / 2):
        return "ko"
    kana, han = _count(_KANA, head), _count(_HAN, head)
    if hangul + kana + han < least:
        return None
    if hangul >= max(kana, han):
        return "ko"
    # Japanese mixes the two; Chinese has no kana but for a quoted word.
    return "ja" if kana >= han * _KANA_PER_HAN else "zh"


def _count(script: re.Pattern[str], head: str) -> int:
    return sum(map(len, script.findall(head)))


def _is_english(head: str) -> bool:
    words = head.lower().split(maxsplit=_ENGLISH_LOOK_WORDS)[:_ENGLISH_LOOK_WORDS]
    found = [word for word in words if word in _ENGLISH]
    is_spread = "the" in found and len(set(found)) >= _MIN_ENGLISH_WORDS
    return is_spread and len(found) >= len(words) * _MIN_ENGLISH_SHARE


def _by_model(head: str) -> str | None:
    sample = " ".join(_WORD.findall(head[: 2 * _MODEL_CHARS]))[:_MODEL_CHARS]
    letter_count = len(sample) - sample.count(" ")
    if letter_count < _MIN_LETTERS:
        return None
    code, probability = _model().classify(sample)
    is_few = letter_count < _FEW_LETTERS
    least = _MIN_PROBABILITY_OF_FEW if is_few else _MIN_PROBABILITY
    return str(code) if probability >= least else None


def _model() -> LanguageIdentifier:
    global _identifier
    with _lock:
        if _identifier is None:
            from py3langid.langid import MODEL_FILE, LanguageIdentifier

            _identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
            _identifier.set_languages([code for code in _BY_MODEL if code in _identifier.labels])
        return _identifier

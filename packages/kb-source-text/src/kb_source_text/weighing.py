"""Which of the encodings that decode almost anything a text is in.

Legality says little: Korean bytes read as Chinese give legal Han characters. So every candidate
explains the same bytes, and the one that makes them most likely wins: each character costs what it
is rare by in the language that the encoding is for (naive Bayes; the costs are rounded negative
logarithms). Sums decide and not means, because encodings make different numbers of characters of
the same bytes.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

from kb_source_text import frequent

_JUDGED_BYTES = 16 * 1024
_MIN_GOOD_PER_BAD = 20
_MAX_ODD_SHARE = 0.02
_SURE_COST_PER_BYTE = 5.0
_MAX_COST_PER_BYTE = 7.0

_ASCII_COST = 4.5
_SPACE_COST = 2.5
_PUNCTUATION_COST = 4.0
_ODD_PUNCTUATION_COST = 9.0
_SYMBOL_COST = 7.0
_LETTER_WORD_COST = 6.5
_ORDINARY_COST = 10.3
_FOREIGN_COST = 12.0
_RARE_COST = 14.5
_ODD_COST = 18.0
_BESIDE_LETTER_COST = 6.0
_ALONE_COST = 11.0
_SCRIPT_LETTER_COST = 5.0
_HIRAGANA_COST = 4.7
_KATAKANA_COST = 6.0

_SPACES = frozenset("\t\n\r\f ")
_QUOTES = frozenset("…—·“”‘’")
_FULL_WIDTH = frozenset("。，、！？：；「」『』（）《》〈〉【】\u3000")
_JAMO_OF_CHAT = frozenset("ㅋㅎㅠㅜ")
_WESTERN_SIGNS = frozenset("“”‘’–—…«»•€£§°·¿¡©®™\u00a0")
_WORD = re.compile(r"[^\W\d_]+")
_ODD_BYTES = bytes({*range(0x20), 0x7F} - set(b"\t\n\r\f\x1b"))
_SINGLE_BYTE = re.compile(r"cp125\d|cp(?:437|737|775|85\d|86\d|874)|koi8_\w|iso8859_\d+|tis_620")


@dataclass(frozen=True, slots=True)
class Likely:
    """The encoding that explains the bytes best.

    Attributes:
        codec: its lower-case name.
        errors: `strict`, or `replace` where a few bytes are damaged.
    """

    codec: str
    errors: str = "strict"


def most_likely_encoding(data: bytes) -> Likely | None:
    """Return how `data` is decoded so that it makes the most sense; None when nothing does."""
    if _is_binary(data[:_JUDGED_BYTES]):
        return None
    sample = _sample(data)
    others = bytes(byte for byte in sample if byte > 0x7F)
    # ASCII costs the same everywhere; what is left is what the encodings differ by.
    ascii_cost = math.fsum(map(_general_cost, sample.translate(None, others).decode("ascii")))
    costs = dict(_costs(data, sample, _CANDIDATES.items()))
    best = min(costs, key=lambda likely: costs[likely], default=None)
    if best is None or costs[best] - ascii_cost > len(others) * _SURE_COST_PER_BYTE:
        guess = _guess(sample)
        if guess is not None and guess not in _CANDIDATES:
            costs.update(_costs(data, sample, [(guess, _one_script_cost)]))
            best = min(costs, key=lambda likely: costs[likely], default=None)
    if best is None or costs[best] - ascii_cost > len(others) * _MAX_COST_PER_BYTE:
        return None
    return best


def _is_binary(head: bytes) -> bool:
    odd_count = len(head) - len(head.translate(None, _ODD_BYTES))
    return odd_count > 1 + len(head) * _MAX_ODD_SHARE


def _sample(data: bytes) -> bytes:
    """Return the lines that are not ASCII, as far as they are needed."""
    lines: list[bytes] = []
    byte_count = 0
    for line in data.splitlines():
        if not line.isascii():
            lines.append(line[:_JUDGED_BYTES])
            byte_count += len(line) + 1
        if byte_count >= _JUDGED_BYTES:
            break
    return b"\n".join(lines)[:_JUDGED_BYTES]


def _costs(
    data: bytes, sample: bytes, candidates: Iterable[tuple[str, Callable[[str], float]]]
) -> Iterable[tuple[Likely, float]]:
    for codec, cost_of in candidates:
        likely = _readable(data, codec)
        if likely is not None:
            # A sample may end within a character.
            yield likely, cost_of(sample.decode(codec, errors="replace"))


def _readable(data: bytes, codec: str) -> Likely | None:
    """Return how the codec decodes all of `data`, a few damaged bytes forgiven."""
    try:
        data.decode(codec)
    except UnicodeDecodeError:
        text = data.decode(codec, errors="replace")
        bad = text.count("\N{REPLACEMENT CHARACTER}")
        good = len(text) - len(text.encode("ascii", "ignore")) - bad
        return Likely(codec, "replace") if good >= bad * _MIN_GOOD_PER_BAD else None
    return Likely(codec)


def _guess(sample: bytes) -> str | None:
    """Return what a general detector says, for encodings that are no candidates here.

    It also knows encodings of other machines, which explain anything; those are no answer.
    """
    from charset_normalizer import from_bytes

    best = from_bytes(sample).best()
    return best.encoding if best is not None and _SINGLE_BYTE.fullmatch(best.encoding) else None


def _east_asian_cost(codec: str) -> Callable[[str], float]:
    def cost_of(text: str) -> float:
        table = _table(codec)
        return math.fsum(
            count * (table.get(char) or _general_cost(char))
            for char, count in Counter(text).items()
        )

    return cost_of


@cache
def _table(codec: str) -> dict[str, float]:
    """Return the costs of the characters that texts of the codec's language are made of."""
    costs = dict.fromkeys(_QUOTES, _PUNCTUATION_COST)
    if codec == "cp949":
        costs |= _ordinary("euc_kr", range(0xB0, 0xC9)) | _frequent(frequent.HANGUL, 0.95)
        costs |= dict.fromkeys(_FULL_WIDTH, _ODD_PUNCTUATION_COST)
        costs |= {chr(code): _SYMBOL_COST for code in range(0x3131, 0x3164)}
        costs |= dict.fromkeys(_JAMO_OF_CHAT, _PUNCTUATION_COST)
        costs |= _ordinary("euc_kr", range(0xCA, 0xFE), _FOREIGN_COST)
        return costs
    costs |= dict.fromkeys(_FULL_WIDTH, _PUNCTUATION_COST)
    if codec == "gb18030":
        costs |= _ordinary("gb2312", range(0xB0, 0xD8)) | _frequent(frequent.SIMPLIFIED_HAN, 0.65)
    elif codec == "big5":
        costs |= _ordinary("big5", range(0xA4, 0xC7)) | _frequent(frequent.TRADITIONAL_HAN, 0.65)
    else:
        costs |= _ordinary("euc_jp", range(0xB0, 0xD0)) | _frequent(frequent.KANJI, 0.3)
        costs |= {chr(code): _HIRAGANA_COST for code in range(0x3041, 0x3094)}
        costs |= {chr(code): _KATAKANA_COST for code in range(0x30A1, 0x30FD)}
    return costs


def _frequent(chars: str, share: float) -> dict[str, float]:
    """Return the costs of the characters that make up that share of a text.

    They are all alike: the order among them differs too much between a film and a manual.
    """
    return dict.fromkeys(chars, math.log(len(chars) / share))


def _ordinary(codec: str, rows: range, cost: float = _ORDINARY_COST) -> dict[str, float]:
    """Return the cost of what a standard has in its part for common characters."""
    pairs = bytes(byte for row in rows for cell in range(0xA1, 0xFF) for byte in (row, cell))
    if codec == "big5":
        pairs += bytes(b for row in rows for cell in range(0x40, 0x7F) for b in (row, cell))
    text = pairs.decode(codec, errors="ignore")
    return {char: cost for char in text if char > "\x7f" and char.isalpha()}


@cache
def _general_cost(char: str) -> float:
    """Return the cost of a character that is nothing special to the language."""
    if char in _SPACES:
        return _SPACE_COST
    category = unicodedata.category(char)
    if category in ("Cc", "Cn", "Co", "Cs") or char == "\N{REPLACEMENT CHARACTER}":
        return _ODD_COST
    if char <= "\x7f":
        return _ASCII_COST
    if "\uff61" <= char <= "\uff9f":  # half-width kana, each a single byte
        return _ORDINARY_COST
    if "\u4e00" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7a3" or char > "\uffff":
        return _RARE_COST
    if "\u2500" <= char <= "\u257f":  # tables drawn with lines hold many
        return _PUNCTUATION_COST
    if category[0] in "PS" or "\uff01" <= char <= "\uff5e":
        return _SYMBOL_COST
    return _FOREIGN_COST


def _western_cost(text: str) -> float:
    """Return the cost of Latin text: words that are mostly ASCII."""
    return _cost_by_words(text, _ALONE_COST)


def _one_script_cost(text: str) -> float:
    """Return the cost of text in another script of single bytes, such as Cyrillic."""
    return _cost_by_words(text, _SCRIPT_LETTER_COST)


def _cost_by_words(text: str, cost_of_other_words: float) -> float:
    cost = math.fsum(
        count * (_BESIDE_LETTER_COST if char in _WESTERN_SIGNS else _general_cost(char))
        for char, count in Counter(text).items()
        if char <= "\x7f" or not char.isalpha()
    )
    for word in _WORD.findall(text):
        if word.isascii():
            continue
        ascii_count = len(word.encode("ascii", "ignore"))
        if ascii_count:
            each = _BESIDE_LETTER_COST
        else:
            each = _LETTER_WORD_COST if len(word) == 1 else cost_of_other_words
        cost += each * (len(word) - ascii_count)
    return cost


_CANDIDATES: dict[str, Callable[[str], float]] = {
    **{codec: _east_asian_cost(codec) for codec in ("cp949", "gb18030", "big5", "cp932", "euc_jp")},
    "cp1252": _western_cost,
}

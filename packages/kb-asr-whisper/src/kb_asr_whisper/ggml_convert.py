"""Writes the base model in whisper.cpp's layout from weights in CTranslate2's.

The tensors go out in the order of the original checkpoint. With that order, and with the mel
filters rounded as the original program did, the outcome is byte for byte the `ggml-base.bin` that
whisper.cpp publishes, so its digest is a public one and there is one base model, not two.

The two layouts differ in four ways: CTranslate2 stacks query, key and value (their biases too, with
zeros for the key, which has none); it names layers differently; whisper.cpp wants vectors, biases
of convolutions and positions in single precision; and the vocabulary moves into the model file.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from kb_asr_whisper.ctranslate2_file import JoinedFile, Variable, read_variables
from kb_asr_whisper.ggml_header import GgmlHeader
from kb_asr_whisper.mel_filters import BIN_COUNT, mel_filter_bank

_HALF_PRECISION = 4
_PLAIN_TOKEN_COUNT = 50_257
_HEADER = GgmlHeader(
    vocab_size=51_865,
    audio_ctx=1500,
    audio_state=512,
    audio_heads=8,
    audio_layers=6,
    text_ctx=448,
    text_state=512,
    text_heads=8,
    text_layers=6,
    mel_bands=80,
    file_type=1,
)


@dataclass(frozen=True, slots=True)
class _Tensor:
    """A tensor of the outcome and the rows of the variable that it is made from."""

    name: str
    source: str
    row_start: int = 0
    row_end: int | None = None
    column_vector: bool = False


def convert_base_model(weights: JoinedFile, vocabulary: bytes) -> Iterator[bytes]:
    """Yield the bytes of the whisper.cpp file.

    Args:
        weights: the joined CTranslate2 `model.bin`.
        vocabulary: its `vocabulary.txt`, one token a line.

    Raises:
        ValueError: the weights have another layout.
    """
    variables = read_variables(weights)
    yield _HEADER.pack()
    yield struct.pack("<2i", _HEADER.mel_bands, BIN_COUNT)
    yield mel_filter_bank(_HEADER.mel_bands)
    yield from _token_table(vocabulary)
    for tensor in _tensors():
        yield from _written(tensor, variables, weights)


def _token_table(vocabulary: bytes) -> Iterator[bytes]:
    # Only "\n" ends a line: other line separators are tokens themselves.
    lines = vocabulary.decode("utf-8").split("\n")[:_PLAIN_TOKEN_COUNT]
    byte_of = _byte_of_character()
    yield struct.pack("<i", len(lines))
    for line in lines:
        token = bytes(byte_of[char] for char in line)
        yield struct.pack("<i", len(token)) + token


def _byte_of_character() -> dict[str, int]:
    """Undo GPT-2's mapping of bytes to printable characters."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(0x100) if byte not in printable]
    table = {chr(byte): byte for byte in printable}
    table.update({chr(0x100 + place): byte for place, byte in enumerate(others)})
    return table


def _tensors() -> Iterator[_Tensor]:
    yield _Tensor("decoder.positional_embedding", "decoder/position_encodings/encodings")
    yield _Tensor("encoder.positional_embedding", "encoder/position_encodings/encodings")
    yield _Tensor("decoder.token_embedding.weight", "decoder/embeddings/weight")
    for layer in range(_HEADER.text_layers):
        yield from _block("decoder", layer)
    yield from _norm("decoder.ln", "decoder/layer_norm")
    for conv in ("conv1", "conv2"):
        yield _Tensor(f"encoder.{conv}.weight", f"encoder/{conv}/weight")
        yield _Tensor(f"encoder.{conv}.bias", f"encoder/{conv}/bias", column_vector=True)
    for layer in range(_HEADER.audio_layers):
        yield from _block("encoder", layer)
    yield from _norm("encoder.ln_post", "encoder/layer_norm")


def _block(side: str, layer: int) -> Iterator[_Tensor]:
    block, source = f"{side}.blocks.{layer}", f"{side}/layer_{layer}"
    yield from _norm(f"{block}.mlp_ln", f"{source}/ffn/layer_norm")
    yield from _linear(f"{block}.mlp.0", f"{source}/ffn/linear_0")
    yield from _linear(f"{block}.mlp.2", f"{source}/ffn/linear_1")
    yield from _norm(f"{block}.attn_ln", f"{source}/self_attention/layer_norm")
    stacked = f"{source}/self_attention/linear_0"
    yield from _linear(f"{block}.attn.query", stacked, 0)
    yield from _linear(f"{block}.attn.key", stacked, 1)
    yield from _linear(f"{block}.attn.value", stacked, 2)
    yield from _linear(f"{block}.attn.out", f"{source}/self_attention/linear_1")
    if side == "decoder":
        cross = f"{source}/attention"
        yield from _norm(f"{block}.cross_attn_ln", f"{cross}/layer_norm")
        yield from _linear(f"{block}.cross_attn.query", f"{cross}/linear_0")
        yield from _linear(f"{block}.cross_attn.key", f"{cross}/linear_1", 0)
        yield from _linear(f"{block}.cross_attn.value", f"{cross}/linear_1", 1)
        yield from _linear(f"{block}.cross_attn.out", f"{cross}/linear_2")


def _norm(name: str, source: str) -> Iterator[_Tensor]:
    yield _Tensor(f"{name}.weight", f"{source}/gamma")
    yield _Tensor(f"{name}.bias", f"{source}/beta")


def _linear(name: str, source: str, place: int | None = None) -> Iterator[_Tensor]:
    """One linear layer; `place` says which of the layers stacked in `source`."""
    rows: tuple[int, int | None] = (0, None)
    if place is not None:
        state = _HEADER.text_state
        rows = (place * state, (place + 1) * state)
    yield _Tensor(f"{name}.weight", f"{source}/weight", *rows)
    if not name.endswith(".key"):
        yield _Tensor(f"{name}.bias", f"{source}/bias", *rows)


def _written(
    tensor: _Tensor, variables: dict[str, Variable], weights: JoinedFile
) -> Iterator[bytes]:
    try:
        variable = variables[tensor.source]
    except KeyError:
        raise ValueError(f"the weights lack {tensor.source}") from None
    if variable.type_code != _HALF_PRECISION:
        raise ValueError(f"{tensor.source} is not in half precision")
    row_end = variable.dims[0] if tensor.row_end is None else tensor.row_end
    row_bytes = variable.byte_len // variable.dims[0]
    dims = (row_end - tensor.row_start, *variable.dims[1:])
    single = len(dims) == 1 or tensor.name.endswith("positional_embedding")
    if tensor.column_vector:
        dims = (*dims, 1)
    name = tensor.name.encode("ascii")
    yield struct.pack("<3i", len(dims), len(name), 0 if single else 1)
    yield struct.pack(f"<{len(dims)}i", *reversed(dims)) + name
    pieces = weights.slices(
        variable.offset + tensor.row_start * row_bytes, (row_end - tensor.row_start) * row_bytes
    )
    if not single:
        yield from pieces
        return
    halves = b"".join(pieces)
    count = len(halves) // 2
    yield struct.pack(f"<{count}f", *struct.unpack(f"<{count}e", halves))

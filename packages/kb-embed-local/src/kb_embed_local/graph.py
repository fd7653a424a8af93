"""The encoder of multilingual-e5-small as an ONNX graph, with the very weights of the packed file.

The graph gets the sum of the embeddings of one text and gives its mean vector. It is BERT as it was
published (Devlin et al. 2019): twelve layers of self-attention and feed-forward, each followed by a
layer normalisation of its sum with what went in.

Matrices are multiplied in 8 bits, which onnxruntime does several times faster than anything else on
a processor: weights of a row share a scale, and so do the activations of the whole text, whose
vector therefore depends on nothing but the text as long as texts are given one by one. That is too
coarse for what comes out of the middle of the feed-forward part, where single values are a hundred
times the others. There the weights keep their 4 bits in blocks of 32, and `MatMulNBits` gives the
activations of every block a scale of their own: half as fast, and most of the error is gone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from kb_embed_local.packed_model import BLOCK, ZERO, PackedModel, QuantisedRows

if TYPE_CHECKING:
    from numpy.typing import NDArray

INPUT = "embeddings"
OUTPUT = "mean"
_OPSET = 20
_IR_VERSION = 9
_RUNTIME_DOMAIN = "com.microsoft"
_INT8_MAX = 127
_INT8_ACTIVATIONS = 4  # `accuracy_level` of MatMulNBits


def build_graph(packed: PackedModel) -> ModelProto:
    """Return the graph: float32 tokens × hidden in, float32 hidden out, not yet of length 1."""
    builder = _GraphBuilder(packed)
    shape = packed.shape
    state = builder.normalised(INPUT, "emb.ln")
    for layer in range(shape.layers):
        attended = builder.attention(state, f"l{layer}")
        state = builder.normalised(builder.node("Add", [state, attended]), f"l{layer}.aln")
        inner = builder.dense(state, f"l{layer}.fi", shape.hidden)
        inner = builder.node("Gelu", [inner])
        outer = builder.block_dense(inner, f"l{layer}.fo", shape.feed_forward)
        state = builder.normalised(builder.node("Add", [state, outer]), f"l{layer}.oln")
    axis = builder.constant(np.array([0], dtype=np.int64))
    builder.nodes.append(helper.make_node("ReduceMean", [state, axis], [OUTPUT], keepdims=0))
    graph = helper.make_graph(
        builder.nodes,
        "multilingual-e5-small",
        [helper.make_tensor_value_info(INPUT, TensorProto.FLOAT, ["tokens", shape.hidden])],
        [helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, [shape.hidden])],
        builder.constants,
    )
    opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_RUNTIME_DOMAIN, 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=_IR_VERSION)


class _GraphBuilder:
    """Collects nodes and constants; every method returns the name of what it computes."""

    def __init__(self, packed: PackedModel) -> None:
        self._packed = packed
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []

    def node(self, operator: str, inputs: list[str], **attributes: Any) -> str:
        output = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [output], **attributes))
        return output

    def constant(self, value: NDArray[np.generic]) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(value, name))
        return name

    def floats(self, name: str) -> str:
        return self.constant(self._packed.floats(name))

    def normalised(self, state: str, name: str) -> str:
        inputs = [state, self.floats(f"{name}.w"), self.floats(f"{name}.b")]
        return self.node("LayerNormalization", inputs, epsilon=self._packed.shape.epsilon)

    def dense(self, state: str, name: str, width: int) -> str:
        """Return the product with a matrix of rows of `width`, its bias added."""
        rows = self._packed.rows(f"{name}.w", width)
        return self._product(state, rows, self._packed.floats(f"{name}.b"))

    def block_dense(self, state: str, name: str, width: int) -> str:
        """Return what `dense` does, with a scale for every 32 activations."""
        rows = self._packed.rows(f"{name}.w", width)
        product = self.node(
            "MatMulNBits",
            [state, self.constant(_paired(rows)), self.constant(rows.scales)],
            domain=_RUNTIME_DOMAIN,
            K=width,
            N=len(rows.scales),
            bits=4,
            block_size=BLOCK,
            accuracy_level=_INT8_ACTIVATIONS,
        )
        return self.node("Add", [product, self.floats(f"{name}.b")])

    def _product(self, state: str, rows: QuantisedRows, bias: NDArray[np.float32]) -> str:
        weights, scales = _by_row(rows)
        place = len(self.nodes)
        activations, scale, zero = (f"n{place}.{part}" for part in ("values", "scale", "zero"))
        self.nodes.append(
            helper.make_node("DynamicQuantizeLinear", [state], [activations, scale, zero])
        )
        product = self.node("MatMulInteger", [activations, self.constant(weights), zero])
        scaled = self.node(
            "Mul",
            [
                self.node("Cast", [product], to=TensorProto.FLOAT),
                self.node("Mul", [scale, self.constant(scales)]),
            ],
        )
        return self.node("Add", [scaled, self.constant(bias)])

    def attention(self, state: str, name: str) -> str:
        """Return what each token takes from all others."""
        shape = self._packed.shape
        head_width = shape.hidden // shape.heads
        rows = [self._packed.rows(f"{name}.{part}.w", shape.hidden) for part in "qkv"]
        together = self._product(
            state,
            QuantisedRows(
                scales=np.concatenate([part.scales for part in rows]),
                weights=np.concatenate([part.weights for part in rows]),
            ),
            np.concatenate([self._packed.floats(f"{name}.{part}.b") for part in "qkv"]),
        )
        by_head = self.constant(np.array([-1, 3, shape.heads, head_width], dtype=np.int64))
        # 3 × heads × tokens × width
        heads = self.node(
            "Transpose", [self.node("Reshape", [together, by_head])], perm=[1, 2, 0, 3]
        )
        query, key, value = (
            self.node("Gather", [heads, self.constant(np.array(part, dtype=np.int64))], axis=0)
            for part in range(3)
        )
        scale = self.constant(np.array(head_width**-0.5, dtype=np.float32))
        scores = self.node(
            "MatMul",
            [
                self.node("Mul", [query, scale]),
                self.node("Transpose", [key], perm=[0, 2, 1]),
            ],
        )
        taken = self.node("MatMul", [self.node("Softmax", [scores], axis=-1), value])
        side_by_side = self.constant(np.array([-1, shape.hidden], dtype=np.int64))
        joined = self.node(
            "Reshape", [self.node("Transpose", [taken], perm=[1, 0, 2]), side_by_side]
        )
        return self.dense(joined, f"{name}.ao", shape.hidden)


def _paired(rows: QuantisedRows) -> NDArray[np.uint8]:
    """Return two weights a byte, the earlier one in the low half: rows × blocks × 16."""
    packed = rows.weights[..., 0::2] | (rows.weights[..., 1::2] << 4)
    return packed.astype(np.uint8)


def _by_row(rows: QuantisedRows) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return 8-bit weights, columns first as they are multiplied, and a scale for each row."""
    numbers = (rows.weights.astype(np.float32) - ZERO) * rows.scales[..., np.newaxis]
    by_row = numbers.reshape(len(numbers), -1)
    scales = np.abs(by_row).max(axis=1) / _INT8_MAX
    weights = np.rint(by_row / scales[:, np.newaxis]).astype(np.int8)
    return np.ascontiguousarray(weights.T), scales.astype(np.float32)

"""onnxruntime, which runs the graphs of both adapters that have one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kb_core.errors import ModelError, printable

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

_ERRORS_ONLY = 3


def open_session(graph: bytes | str, *, threads: int, name: str, hint: str) -> InferenceSession:
    """Return a graph ready to run on the processor.

    Args:
        graph: the graph itself, or the path of its file.
        threads: for one text.
        name: what the person knows the model as.
        hint: the way out when the graph cannot be used.

    Raises:
        ModelError: onnxruntime is not installed, or cannot use the graph.
    """
    try:
        import onnxruntime
    except ImportError as error:
        raise ModelError(
            f"{name} cannot be run: {printable(str(error))}",
            hint="install the package onnxruntime, or search by words with --mode lexical",
        ) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = _ERRORS_ONLY
    try:
        return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise ModelError(
            f"{name} cannot be used: {printable(str(error).strip())}", hint=hint
        ) from error

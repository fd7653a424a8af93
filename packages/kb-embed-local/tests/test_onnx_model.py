"""A model of one's own, made here: a table of vectors and a tokenizer of words."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from onnx import NodeProto, TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, pre_tokenizers, processors
from tokenizers.models import BPE, WordLevel, WordPiece

from kb_config import Settings
from kb_core.errors import ConfigError, FeatureMissing, ModelError, ModelMissing
from kb_embed_local import create_onnx
from kb_testing.embedder_conformance import EMBEDDER_CHECKS, EmbedderCheck, cosine

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
    shape: list[str | int | None] = ["batch", "tokens", SIZE] if outputs == 3 else ["batch", SIZE]
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


def write_graph(path: Path, nodes: list[NodeProto], inputs: list[str], outputs: list[str]) -> None:
    """Write a graph of whole numbers in and numbers of unnamed shape out."""
    table = np.eye(SIZE, dtype=np.float32)
    graph = helper.make_graph(
        nodes,
        "made",
        [helper.make_tensor_value_info(name, TensorProto.INT64, None) for name in inputs],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs],
        [numpy_helper.from_array(table, "table")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    path.write_bytes(model.SerializeToString())


def test_the_graph_gets_what_it_asks_for_and_vectors_of_tokens_come_first(tmp_path: Path) -> None:
    write_model(tmp_path)
    nodes = [
        helper.make_node("Gather", ["table", "token_type_ids"], ["hidden_states.0"]),
        helper.make_node("Mul", ["input_ids", "attention_mask"], ["seen"]),
        helper.make_node("Gather", ["table", "seen"], ["last_hidden_state"]),
    ]
    inputs = ["input_ids", "attention_mask", "token_type_ids"]
    outputs = ["hidden_states.0", "last_hidden_state"]
    write_graph(tmp_path / "model.onnx", nodes, inputs, outputs)
    (vector,) = create_onnx(settings_for(tmp_path)).embed_passages(["cat"])
    numbers = np.frombuffer(vector, "<f2")
    assert set(np.flatnonzero(numbers).tolist()) == {1, 2, WORDS.index("cat")}


def test_a_graph_that_asks_for_more_or_gives_no_vectors_is_named(tmp_path: Path) -> None:
    write_model(tmp_path)
    path = tmp_path / "model.onnx"
    gather = helper.make_node("Gather", ["table", "pixels"], ["last_hidden_state"])
    write_graph(path, [gather], ["pixels"], ["last_hidden_state"])
    with pytest.raises(ModelError, match="asks for pixels"):
        create_onnx(settings_for(tmp_path)).embed_query("budget")
    cast = helper.make_node("Cast", ["input_ids"], ["flat"], to=TensorProto.FLOAT)
    total = helper.make_node("ReduceSum", ["flat"], ["score"], keepdims=0)
    write_graph(path, [cast, total], ["input_ids"], ["score"])
    with pytest.raises(ModelError, match="gives no vectors"):
        _ = create_onnx(settings_for(tmp_path)).identity


def test_windows_are_of_the_whole_texts_tokens_and_none_is_over_the_limit(tmp_path: Path) -> None:
    write_model(tmp_path)
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["words"]),
        # There are as many positions as rows in the table; another one is an error.
        helper.make_node("Gather", ["table", "position_ids"], ["positions"]),
        helper.make_node("Mul", ["positions", "zero"], ["nothing"]),
        helper.make_node("Add", ["words", "nothing"], ["last_hidden_state"]),
    ]
    zero = numpy_helper.from_array(np.zeros(1, dtype=np.float32))
    nodes.insert(0, helper.make_node("Constant", [], ["zero"], value=zero))
    inputs = ["input_ids", "position_ids"]
    write_graph(tmp_path / "model.onnx", nodes, inputs, ["last_hidden_state"])
    tokenizer = Tokenizer(WordPiece({"[UNK]": 0, "ha": 3, "##ha": 5}, unk_token="[UNK]"))  # noqa: S106
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    (vector,) = create_onnx(settings_for(tmp_path, max_tokens=SIZE)).embed_passages(["ha" * 20])
    numbers = np.frombuffer(vector, "<f2").astype(np.float64)
    expected = np.zeros(SIZE)
    expected[[3, 5]] = 1, 19
    np.testing.assert_allclose(numbers, expected / np.linalg.norm(expected), atol=1e-3)


def test_weights_beside_the_graph_decide_its_version(tmp_path: Path) -> None:
    write_model(tmp_path)
    before = create_onnx(settings_for(tmp_path)).identity
    (tmp_path / "model.onnx_data").write_bytes(b"weights")
    first = create_onnx(settings_for(tmp_path)).identity
    (tmp_path / "model.onnx_data").write_bytes(b"others")
    second = create_onnx(settings_for(tmp_path)).identity
    assert len({each.vector_version for each in (before, first, second)}) == 3


def test_a_model_that_is_exchanged_keeps_its_version_while_it_is_in_memory(tmp_path: Path) -> None:
    write_model(tmp_path)
    version = create_onnx(settings_for(tmp_path)).identity.model_version
    embedder = create_onnx(settings_for(tmp_path))
    embedder.embed_query("budget")
    (tmp_path / "model.onnx").write_bytes(b"nothing")
    assert embedder.identity.model_version == version


def test_without_the_extra_its_name_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_model(tmp_path)
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(FeatureMissing) as caught:
        _ = create_onnx(settings_for(tmp_path)).identity
    assert "kb-embed-local[onnx]" in (caught.value.hint or "")


def test_without_what_runs_a_graph_its_name_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_model(tmp_path)
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(ModelError) as caught:
        _ = create_onnx(settings_for(tmp_path)).identity
    assert "install the package onnxruntime" in (caught.value.hint or "")


def write_bags_of_characters(folder: Path) -> None:
    """Write a model that counts bytes, which is enough of a meaning for the checks."""
    write_model(folder)
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(BPE({char: number for number, char in enumerate(alphabet)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.save(str(folder / "tokenizer.json"))
    table = np.eye(len(alphabet), dtype=np.float32)
    table[alphabet.index("Ġ")] = 0.01  # a space is everywhere
    gather = helper.make_node("Gather", ["bytes", "input_ids"], ["last_hidden_state"])
    constant = helper.make_node("Constant", [], ["bytes"], value=numpy_helper.from_array(table))
    write_graph(folder / "model.onnx", [constant, gather], ["input_ids"], ["last_hidden_state"])


@pytest.mark.parametrize("check", EMBEDDER_CHECKS, ids=lambda check: check.__name__)
def test_a_model_of_ones_own_conforms(check: EmbedderCheck, tmp_path: Path) -> None:
    write_bags_of_characters(tmp_path)
    check(create_onnx(settings_for(tmp_path, max_tokens=64)))

"""Fixtures of kb-embed-local's tests."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kb_embed_local.e5 import E5Embedder

REPOSITORY = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def e5(tmp_path_factory: pytest.TempPathFactory) -> E5Embedder:
    """The installed model."""
    return E5Embedder(tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="session")
def real_texts() -> list[str]:
    """Paragraphs of the bundled documents and subtitles, in several languages."""
    texts: list[str] = []
    for path in sorted((REPOSITORY / "fixtures").rglob("*")):
        if path.suffix in (".md", ".srt", ".vtt", ".txt", ".json"):
            try:
                content = path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue
            texts += [each.strip() for each in content.split("\n\n") if each.strip()]
    return texts


@pytest.fixture(scope="session")
def lines(real_texts: list[str]) -> list[str]:
    """Their lines, each once, and those of a Chinese book where the shared data are."""
    texts = [*real_texts]
    book = REPOSITORY.parent / "shared" / "data" / "docs" / "pdf" / "debian_ch3_zh_CN.txt"
    if book.is_file():
        texts.append(book.read_text(encoding="utf-8"))
    return sorted({line for text in texts for line in text.splitlines()})


@pytest.fixture(scope="session")
def questions() -> list[str]:
    """Questions in Korean and English from the shared data; tests skip where they are absent."""
    import gzip

    folder = REPOSITORY.parent / "shared" / "data" / "retrieval"
    if not folder.is_dir():
        pytest.skip("the shared data are not on this machine")
    found: list[str] = []
    for name in ("KorQuAD_v1.0_dev.json.gz", "xquad.en.json.gz"):
        with gzip.open(folder / name, "rt", encoding="utf-8") as file:
            articles = json.load(file)["data"]
        for article in articles:
            for paragraph in article["paragraphs"]:
                found += [each["question"] for each in paragraph["qas"]]
    return found

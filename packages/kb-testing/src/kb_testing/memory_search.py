"""What the fake store finds: words by counting them, vectors by comparing all, within a scope."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence

from kb_core import Chunk, QueryTerm, digest_hex
from kb_core.ports.embedder import Vector
from kb_core.ports.store import IngestedDocument, PendingText, VectorCounts
from kb_core.query import SearchScope, VectorMatch

Tokenize = Callable[[str], Sequence[str]]
_DECIMALS = 6


def words(text: str) -> list[str]:
    """Return the words of a text, case folded."""
    return re.findall(r"\w+", text.casefold())


def occurrences(tokens: Sequence[str], term: QueryTerm) -> int:
    """Return how often the tokens of a term stand next to each other."""
    size = len(term.tokens)
    return sum(_stands_at(tokens[at : at + size], term) for at in range(len(tokens) - size + 1))


def module_of(ingested: IngestedDocument, chunk: Chunk) -> str:
    """Return the key of the module that made a chunk."""
    runs = (run for run in ingested.runs if run.version.chunker_version == chunk.chunker_version)
    return next(runs).version.module


def is_in_scope(
    ingested: IngestedDocument, chunk: Chunk, scope: SearchScope, tokenize: Tokenize
) -> bool:
    """Return whether a search may find a chunk."""
    if scope.doc_ids is not None and chunk.doc_id not in scope.doc_ids:
        return False
    units = {unit.unit_id: unit for unit in ingested.document.source_units()}
    speakers = {units[unit_id].speaker for unit_id in chunk.unit_ids}
    if scope.speakers is not None and not speakers & scope.speakers:
        return False
    if speakers & scope.without_speakers:
        return False
    module = module_of(ingested, chunk)
    if module in scope.without_modules or (
        scope.modules is not None and module not in scope.modules
    ):
        return False
    tokens = list(tokenize(chunk.text))
    return all(occurrences(tokens, term) for term in scope.required) and not any(
        occurrences(tokens, term) for term in scope.excluded
    )


class MemoryVectors:
    """Vectors by the digest of their text, and the chunks that have one."""

    def __init__(self) -> None:
        self._vectors: dict[tuple[str, str], Vector] = {}
        self._of_chunks: dict[str, Vector] = {}
        self._version_in_use: str | None = None

    def remove(self, chunk_ids: Iterable[str]) -> None:
        """Take the vectors from chunks that go."""
        for chunk_id in chunk_ids:
            self._of_chunks.pop(chunk_id, None)

    def pending(
        self, vector_version: str, chunks: Sequence[Chunk], limit: int
    ) -> list[PendingText]:
        """Give chunks the vectors that exist, and return texts without one."""
        self._use(vector_version)
        texts = {}
        for chunk in chunks:
            digest = digest_hex(chunk.text.encode())
            if (vector_version, digest) in self._vectors:
                self._of_chunks[chunk.chunk_id] = self._vectors[vector_version, digest]
            else:
                texts[digest] = chunk.text
        return [PendingText(*each) for each in sorted(texts.items())][: max(limit, 0)]

    def put(self, vector_version: str, made: Mapping[str, Vector], chunks: Sequence[Chunk]) -> None:
        """Keep vectors and give them to every chunk with their text."""
        self._use(vector_version)
        for digest, vector in made.items():
            self._vectors.setdefault((vector_version, digest), vector)
        for chunk in chunks:
            digest = digest_hex(chunk.text.encode())
            if digest in made:
                self._of_chunks[chunk.chunk_id] = self._vectors[vector_version, digest]

    def closest(
        self, vector_version: str, vector: Vector, chunks: Iterable[Chunk], limit: int
    ) -> list[VectorMatch]:
        """Return the closest of some chunks, closest first; equal scores in order of id."""
        matches = [
            VectorMatch(chunk_id=chunk.chunk_id, score_cosine=score)
            for chunk in chunks
            if (score := self._cosine(vector_version, chunk.chunk_id, vector)) is not None
        ]
        matches.sort(key=lambda match: (-match.score_cosine, match.chunk_id))
        return matches[: max(limit, 0)]

    def background_cosine(
        self, vector_version: str, vector: Vector, chunks: Iterable[Chunk]
    ) -> float:
        """Return the mean cosine to all chunks."""
        scores = [
            score
            for chunk in chunks
            if (score := self._cosine(vector_version, chunk.chunk_id, vector)) is not None
        ]
        return round(sum(scores) / len(scores), _DECIMALS) if scores else 0.0

    def counts(self, vector_version: str, chunks: Sequence[Chunk]) -> VectorCounts:
        """Return how many chunks have a vector of that model."""
        is_in_use = vector_version == self._version_in_use
        return VectorCounts(chunks=len(chunks), embedded=len(self._of_chunks) if is_in_use else 0)

    def _use(self, vector_version: str) -> None:
        if vector_version != self._version_in_use:
            self._of_chunks.clear()
            self._version_in_use = vector_version

    def _cosine(self, vector_version: str, chunk_id: str, vector: Vector) -> float | None:
        stored = self._of_chunks.get(chunk_id)
        if stored is None or vector_version != self._version_in_use:
            return None
        pairs = zip(_numbers(stored), _numbers(vector), strict=True)
        return round(sum(one * other for one, other in pairs), _DECIMALS)


def _numbers(vector: Vector) -> tuple[float, ...]:
    return struct.unpack(f"<{len(vector) // 2}e", vector)


def _stands_at(found: Sequence[str], term: QueryTerm) -> bool:
    *inner, last = term.tokens
    if list(found[:-1]) != inner:
        return False
    return found[-1].startswith(last) if term.prefix else found[-1] == last

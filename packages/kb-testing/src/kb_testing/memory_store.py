"""A store that forgets everything: the fake of the store ports.

It passes the same conformance suites as the real one. Word search here counts occurrences instead
of computing bm25; the order of tokens, phrases and prefixes mean the same. The analysis of text is
handed in, because analysis is no business of a fake.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from kb_core import (
    CanonicalDocument,
    Chunk,
    ChunkRun,
    LexicalMatch,
    LexicalQuery,
    PassageUnit,
    SourceSpan,
    SourceUnit,
    StoredPassage,
    nfc,
)
from kb_core.errors import NotFound
from kb_core.ports.embedder import Vector
from kb_core.ports.language_model import StoredReply
from kb_core.ports.store import (
    DocumentVersions,
    FileStamp,
    IngestedDocument,
    KnownFile,
    PendingText,
    StoredDocument,
    StoredRun,
    VectorCounts,
)
from kb_core.query import EVERYTHING, DocumentFacts, LexicalLeg, SearchScope, VectorMatch
from kb_core.transcript_memory import TranscriptMemory
from kb_testing.memory_search import (
    MemoryVectors,
    Tokenize,
    is_in_scope,
    module_of,
    occurrences,
    words,
)

_NS_PER_S = 1_000_000_000


class MemoryStore(TranscriptMemory):
    """`DocumentStore`, `LexicalIndex`, `VectorIndex` and `TranscriptCache` in dictionaries.

    Args:
        tokenize: analysis of the leg `pairs`.
        morphemes: analysis of the leg `morphemes`.
    """

    def __init__(self, tokenize: Tokenize = words, morphemes: Tokenize = words) -> None:
        super().__init__()
        self._tokenize: dict[LexicalLeg, Tokenize] = {"pairs": tokenize, "morphemes": morphemes}
        self._documents: dict[str, IngestedDocument] = {}
        self._vectors = MemoryVectors()
        self._forgotten: set[str] = set()
        self._replies: dict[tuple[str, str], StoredReply] = {}

    def put_document(self, ingested: IngestedDocument, *, replaces: Sequence[str] = ()) -> None:
        """Store a document in place of any other at its path, and of `replaces`."""
        path = ingested.document.workspace_path
        gone = {*replaces, *(d for d, i in self._documents.items() if _path(i) == path)}
        for doc_id in {*gone, ingested.document.doc_id}:
            self.delete_document(doc_id)
        self._documents[ingested.document.doc_id] = ingested

    def put_runs(self, doc_id: str, versions: DocumentVersions, runs: Sequence[ChunkRun]) -> None:
        """Store what chunk modules made of a document, in place of all of its chunks."""
        ingested = self._documents.get(doc_id)
        if ingested is None:
            raise NotFound("document", doc_id)
        self._vectors.remove(self.chunk_ids(doc_id))
        changes = {"versions": versions, "runs": tuple(runs)}
        self._documents[doc_id] = ingested.model_copy(update=changes)

    def get_reply(self, request_digest: str, model_id: str) -> StoredReply | None:
        """Return the reply to exactly that request, or None."""
        return self._replies.get((request_digest, model_id))

    def put_reply(
        self, asset_id: str, request_digest: str, model_id: str, reply: StoredReply
    ) -> None:
        """Keep a reply; nothing is ever collected here."""
        del asset_id
        self._replies[request_digest, model_id] = reply

    def delete_document(self, doc_id: str) -> bool:
        """Remove a document; False when absent."""
        self._vectors.remove(self.chunk_ids(doc_id))
        return self._documents.pop(doc_id, None) is not None

    def restamp(self, doc_id: str, source_path: str, stamp: FileStamp) -> None:
        """Note a new place or stamp."""
        ingested = self._documents.get(doc_id)
        if ingested is not None:
            asset = ingested.asset.model_copy(update={"source_path": source_path})
            changes = {"asset": asset, "stamp": stamp}
            self._documents[doc_id] = ingested.model_copy(update=changes)

    def known_files(self) -> list[KnownFile]:
        """Return place and stamp of every document's file, companions included, by place."""
        known = []
        for doc_id, ingested in self._documents.items():
            known.append(_known(ingested.asset.source_path, ingested.stamp, doc_id))
            if ingested.companion is not None:
                companion = ingested.companion
                known.append(_known(companion.source_path, companion.stamp, doc_id))
        return sorted(known, key=lambda each: (each.source_path, each.doc_id))

    def forget(self, workspace_path: str) -> None:
        """Note that a path stays out."""
        self._forgotten.add(nfc(workspace_path))

    def take_back(self, workspace_path: str) -> None:
        """Undo `forget` for a path and for everything below it."""
        path = nfc(workspace_path)
        below = path.rstrip("/") + "/"
        self._forgotten = {
            each for each in self._forgotten if each != path and not each.startswith(below)
        }

    def forgotten_paths(self) -> list[str]:
        """Return what `forget` noted, in order."""
        return sorted(self._forgotten)

    def version_groups(self) -> list[tuple[str, DocumentVersions]]:
        """Return each combination of kind and versions that some document has, in order."""
        groups = {
            (each.document.media_type, each.versions.model_dump_json()): each.versions
            for each in self._documents.values()
            if each.companion is None
        }
        return [(kind, versions) for (kind, _), versions in sorted(groups.items())]

    def has_companions(self) -> bool:
        """Return whether some document's transcript was read from a companion file."""
        return any(each.companion is not None for each in self._documents.values())

    def list_documents(self) -> list[StoredDocument]:
        """Return all documents, ordered by workspace path."""
        return [_stored(each) for each in sorted(self._documents.values(), key=_path)]

    def find_document(self, doc_id: str) -> StoredDocument | None:
        """Return a document's row, or None."""
        ingested = self._documents.get(doc_id)
        return _stored(ingested) if ingested else None

    def find_document_by_path(self, workspace_path: str) -> StoredDocument | None:
        """Return the row of the document at that path, or None."""
        wanted = nfc(workspace_path)
        found = (each for each in self._documents.values() if _path(each) == wanted)
        return next(map(_stored, found), None)

    def load_document(self, doc_id: str) -> CanonicalDocument | None:
        """Return the whole document, or None."""
        ingested = self._documents.get(doc_id)
        return ingested.document if ingested else None

    def chunk_ids(self, doc_id: str) -> list[str]:
        """Return the ids of a document's chunks in their order."""
        ingested = self._documents.get(doc_id)
        return [chunk.chunk_id for chunk in ingested.chunks] if ingested else []

    def load_passages(self, chunk_ids: Sequence[str]) -> list[StoredPassage]:
        """Return the chunks with their units, in the order asked for."""
        chunks = {chunk.chunk_id: (ingested, chunk) for ingested, chunk in self._all_chunks()}
        return [_passage(*chunks[chunk_id]) for chunk_id in chunk_ids if chunk_id in chunks]

    def iter_chunk_ids(self, prefix: str) -> Iterator[str]:
        """Return the ids of chunks that begin with `prefix`, in order."""
        ids = sorted(chunk.chunk_id for _, chunk in self._all_chunks())
        return (chunk_id for chunk_id in ids if chunk_id.startswith(prefix))

    def neighbour_ids(self, chunk_id: str, distance: int) -> list[str]:
        """Return up to `distance` chunks before and after one, with itself, in document order."""
        for ingested, chunk in self._all_chunks():
            if chunk.chunk_id == chunk_id:
                near = range(chunk.index - distance, chunk.index + distance + 1)
                return [
                    each.chunk_id
                    for each in ingested.chunks
                    if each.chunker_version == chunk.chunker_version and each.index in near
                ]
        return []

    def document_facts(self) -> list[DocumentFacts]:
        """Return what filters look at, for every document, ordered by path."""
        return [_facts(each) for each in sorted(self._documents.values(), key=_path)]

    def search_lexical(
        self,
        query: LexicalQuery,
        *,
        require_all: bool,
        limit: int,
        leg: LexicalLeg = "pairs",
        scope: SearchScope = EVERYTHING,
    ) -> list[LexicalMatch]:
        """Return the chunks with the most occurrences, best first."""
        enough = all if require_all else any
        matches = []
        for chunk in self._chunks_in_scope(scope):
            tokens = list(self._tokenize[leg](chunk.text))
            counts = [occurrences(tokens, term) for term in query.terms]
            if counts and enough(counts):
                matches.append(LexicalMatch(chunk_id=chunk.chunk_id, score_bm25=sum(counts)))
        matches.sort(key=lambda match: (-match.score_bm25, match.chunk_id))
        return matches[: max(limit, 0)]

    def chunks_in_scope(self, scope: SearchScope, *, limit: int) -> list[str]:
        """Return chunks of the scope, by path of their document and then in its order."""
        return [chunk.chunk_id for chunk in self._chunks_in_scope(scope)][: max(limit, 0)]

    def pending_texts(self, vector_version: str, *, limit: int) -> list[PendingText]:
        """Return texts that need a vector of that model, each once, in order of digest."""
        return self._vectors.pending(vector_version, self._chunks_in_scope(EVERYTHING), limit)

    def put_vectors(self, vector_version: str, vectors: Mapping[str, Vector]) -> None:
        """Keep vectors by the digest of their text and give them to every chunk with it."""
        self._vectors.put(vector_version, vectors, self._chunks_in_scope(EVERYTHING))

    def search_vectors(
        self,
        vector_version: str,
        vector: Vector,
        *,
        limit: int,
        scope: SearchScope = EVERYTHING,
    ) -> list[VectorMatch]:
        """Return the closest chunks, closest first; equal scores in order of chunk id."""
        chunks = self._chunks_in_scope(scope)
        return self._vectors.closest(vector_version, vector, chunks, limit)

    def has_vectors(self, vector_version: str) -> bool:
        """Return whether any chunk has a vector of that model."""
        return self.vector_counts(vector_version).embedded > 0

    def background_cosine(self, vector_version: str, vector: Vector) -> float:
        """Return the mean cosine of `vector` to those of all chunks; 0 when there are none."""
        chunks = self._chunks_in_scope(EVERYTHING)
        return self._vectors.background_cosine(vector_version, vector, chunks)

    def vector_counts(self, vector_version: str) -> VectorCounts:
        """Return how many chunks have a vector of that model."""
        return self._vectors.counts(vector_version, self._chunks_in_scope(EVERYTHING))

    def _chunks_in_scope(self, scope: SearchScope) -> list[Chunk]:
        tokenize = self._tokenize["pairs"]
        return [
            chunk
            for ingested, chunk in self._all_chunks()
            if is_in_scope(ingested, chunk, scope, tokenize)
        ]

    def _all_chunks(self) -> Iterator[tuple[IngestedDocument, Chunk]]:
        for ingested in sorted(self._documents.values(), key=_path):
            for chunk in ingested.chunks:
                yield ingested, chunk


def _path(ingested: IngestedDocument) -> str:
    return ingested.document.workspace_path


def _stored(ingested: IngestedDocument) -> StoredDocument:
    asset, document = ingested.asset, ingested.document
    audio = document.audio
    segments = audio.transcript.segments if audio and audio.transcript else ()
    return StoredDocument(
        doc_id=document.doc_id,
        asset_id=asset.asset_id,
        workspace_path=document.workspace_path,
        source_path=asset.source_path,
        media_type=document.media_type,
        title=document.title,
        lang=document.lang,
        duration_ms=audio.duration_ms if audio else None,
        segment_count=len(segments),
        chunk_count=len(ingested.chunks),
        speakers=tuple(dict.fromkeys(s.speaker for s in segments if s.speaker is not None)),
        checksum=asset.checksum,
        stamp=ingested.stamp,
        versions=ingested.versions,
        warnings=tuple(dict.fromkeys(ingested.warnings)),
        runs=tuple(
            StoredRun(
                module=run.version.module,
                policy=run.policy,
                chunk_count=len(run.result.chunks),
                warnings=run.result.warnings,
            )
            for run in ingested.runs
        ),
        line_count=document.metadata.line_count,
        page_count=document.metadata.page_count,
        companion=ingested.companion,
    )


def _facts(ingested: IngestedDocument) -> DocumentFacts:
    document, stored = ingested.document, _stored(ingested)
    audio = document.audio
    segments = audio.transcript.segments if audio and audio.transcript else ()
    languages = {document.lang, *(segment.language for segment in segments)}
    return DocumentFacts(
        doc_id=document.doc_id,
        doc_path=document.workspace_path,
        media_type=document.media_type,
        languages=tuple(sorted(filter(None, languages))),
        speakers=tuple(sorted(stored.speakers)),
        tags=document.metadata.tags,
        created=document.metadata.created,
        modified_on=datetime.fromtimestamp(ingested.stamp.mtime_ns // _NS_PER_S, UTC).date(),
    )


def _known(source_path: str, stamp: FileStamp, doc_id: str) -> KnownFile:
    return KnownFile(source_path, stamp.byte_len, stamp.mtime_ns, stamp.inode, doc_id)


def _passage(ingested: IngestedDocument, chunk: Chunk) -> StoredPassage:
    document = ingested.document
    members = {unit.unit_id: unit for unit in document.source_units()}
    units = []
    for unit_id, (start, end), span in _located(chunk, members):
        units.append(
            PassageUnit(
                unit_id=unit_id,
                char_start=start,
                char_end=end,
                span=span,
                speaker=members[unit_id].speaker,
            )
        )
    return StoredPassage(
        chunk=chunk,
        module=module_of(ingested, chunk),
        doc_path=document.workspace_path,
        doc_title=document.title,
        media_type=document.media_type,
        lang=document.lang,
        units=tuple(units),
    )


def _located(
    chunk: Chunk, members: Mapping[str, SourceUnit]
) -> Iterator[tuple[str, tuple[int, int], SourceSpan]]:
    """Yield each unit with its range in the chunk and the exact span of what is shown of it."""
    if chunk.parts:
        for part in chunk.parts:
            yield part.unit_id, (part.char_start, part.char_end), part.span
        return
    texts = [members[unit_id].text for unit_id in chunk.unit_ids]
    joint = next((j for j in (" ", "\n\n") if j.join(texts) == chunk.text), None)
    start = 0
    for unit_id, text in zip(chunk.unit_ids, texts, strict=True):
        end = len(chunk.text) if joint is None else start + len(text)
        yield unit_id, (start, end), members[unit_id].span
        start = 0 if joint is None else end + len(joint)

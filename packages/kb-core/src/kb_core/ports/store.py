"""Ports to the knowledge base: documents and their chunks, and the indexes over them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from pydantic import Field

from kb_core.choices import DocumentChoices
from kb_core.chunks import Chunk, ChunkPolicy, ChunkRun, ModuleVersion
from kb_core.document import CanonicalDocument, RawAsset
from kb_core.media import MediaType
from kb_core.model import Model, NfcText
from kb_core.ports.embedder import Vector
from kb_core.query import (
    EVERYTHING,
    DocumentFacts,
    LexicalLeg,
    LexicalMatch,
    LexicalQuery,
    SearchScope,
    StoredPassage,
    VectorMatch,
)
from kb_core.runtime import StepWarning


class FileStamp(Model):
    """What tells without reading it whether a file is the one that was ingested."""

    byte_len: int = Field(ge=0)
    mtime_ns: int
    inode: int = 0


class DocumentVersions(Model):
    """What a stored document was made with; any difference to now makes it stale.

    `choices` are those of the person for this document; they take part in the others.
    `modules` are in the order of their runs.
    """

    parser_version: str
    transcript_version: str | None = None
    keeps_suspects: bool = False
    modules: tuple[ModuleVersion, ...]
    choices: DocumentChoices = Field(default_factory=DocumentChoices)


class CompanionFile(Model):
    """The subtitle file beside a recording that its transcript was read from."""

    asset_id: str
    workspace_path: NfcText
    source_path: str
    stamp: FileStamp


class StoredRun(Model):
    """What one chunk module made of a document, without the chunks themselves.

    Attributes:
        policy: that it was asked for; None where an earlier kb did not keep it.
    """

    module: str
    policy: ChunkPolicy | None
    chunk_count: int
    warnings: tuple[StepWarning, ...] = ()


class StoredDocument(Model):
    """What is known of a stored document without reading its content.

    Attributes:
        chunk_count: of all runs together.
        warnings: of reading it; those of cutting it are with their runs.
        runs: what its chunk modules made of it, in the order of `versions.modules`.
    """

    doc_id: str
    asset_id: str
    workspace_path: NfcText
    source_path: str
    media_type: MediaType
    title: NfcText
    lang: str | None
    duration_ms: int | None
    segment_count: int
    chunk_count: int
    speakers: tuple[str, ...]
    checksum: str
    stamp: FileStamp
    versions: DocumentVersions
    warnings: tuple[StepWarning, ...] = ()
    runs: tuple[StoredRun, ...] = ()
    line_count: int | None = None
    page_count: int | None = None
    companion: CompanionFile | None = None


class IngestedDocument(Model):
    """All that goes into the knowledge base for one file, in one transaction.

    Attributes:
        warnings: of reading it; those of cutting it are with their runs.
        runs: of the chunk modules, each of another; as `versions.modules` says.
    """

    asset: RawAsset
    stamp: FileStamp
    document: CanonicalDocument
    versions: DocumentVersions
    runs: tuple[ChunkRun, ...]
    warnings: tuple[StepWarning, ...] = ()
    companion: CompanionFile | None = None

    @property
    def chunks(self) -> tuple[Chunk, ...]:
        """The chunks of all runs, run after run."""
        return tuple(chunk for run in self.runs for chunk in run.result.chunks)


class KnownFile(NamedTuple):
    """What a scan compares a file with; one row of many thousands, so no model."""

    source_path: str
    byte_len: int
    mtime_ns: int
    inode: int
    doc_id: str


class DocumentStore(Protocol):
    """Documents and chunks. One document is one transaction: a reader sees all of it or nothing."""

    def put_document(self, ingested: IngestedDocument, *, replaces: Sequence[str] = ()) -> None:
        """Store a document in place of any other at its path, and of the documents `replaces`.

        Raises:
            StoreFull, StoreBusy, StoreCorrupt: nothing of it was stored.
        """
        ...

    def put_runs(self, doc_id: str, versions: DocumentVersions, runs: Sequence[ChunkRun]) -> None:
        """Store what chunk modules made of a stored document, in place of all of its chunks.

        Args:
            doc_id: the document.
            versions: those of it from now on.
            runs: of the chunk modules, as `versions.modules` says.

        Raises:
            NotFound: there is no such document.
            StoreFull, StoreBusy, StoreCorrupt: its chunks are as they were.
        """
        ...

    def delete_document(self, doc_id: str) -> bool:
        """Remove a document from every table and index but the caches; False when absent."""
        ...

    def restamp(self, doc_id: str, source_path: str, stamp: FileStamp) -> None:
        """Note that the file's bytes are still the same though its stamp or place differs."""
        ...

    def known_files(self) -> list[KnownFile]:
        """Return place and stamp of every document's file, in order of `source_path`.

        Companion files are rows of their own, with the `doc_id` of their recording.
        """
        ...

    def version_groups(self) -> list[tuple[MediaType, DocumentVersions]]:
        """Return each combination of kind and versions that some document has, in order.

        Documents whose transcript was read from a companion file are left out.
        """
        ...

    def has_companions(self) -> bool:
        """Return whether some document's transcript was read from a companion file."""
        ...

    def list_documents(self) -> list[StoredDocument]:
        """Return all documents, ordered by workspace path."""
        ...

    def find_document(self, doc_id: str) -> StoredDocument | None:
        """Return a document's row, or None."""
        ...

    def find_document_by_path(self, workspace_path: str) -> StoredDocument | None:
        """Return the row of the document at that path, or None."""
        ...

    def load_document(self, doc_id: str) -> CanonicalDocument | None:
        """Return the whole document, segments included, or None."""
        ...

    def chunk_ids(self, doc_id: str) -> list[str]:
        """Return the ids of a document's chunks in their order, module after module."""
        ...

    def load_passages(self, chunk_ids: Sequence[str]) -> list[StoredPassage]:
        """Return the chunks with their units, in the order asked for; absent ids are left out."""
        ...

    def neighbour_ids(self, chunk_id: str, distance: int) -> list[str]:
        """Return up to `distance` chunks before and after one, with itself, in document order.

        They are of the same module.
        """
        ...

    def document_facts(self) -> list[DocumentFacts]:
        """Return what filters look at, for every document, ordered by path."""
        ...

    def forget(self, workspace_path: str) -> None:
        """Note that a file, or everything below a folder, stays out until it is named again."""
        ...

    def take_back(self, workspace_path: str) -> None:
        """Undo `forget` for a path and for everything below it; unknown paths are ignored."""
        ...

    def forgotten_paths(self) -> list[str]:
        """Return what `forget` noted, in order."""
        ...

    def iter_chunk_ids(self, prefix: str) -> Iterator[str]:
        """Return the ids of chunks that begin with `prefix`, in order."""
        ...


class LexicalIndex(Protocol):
    """Word search over the chunks of a `DocumentStore`."""

    def search_lexical(
        self,
        query: LexicalQuery,
        *,
        require_all: bool,
        limit: int,
        leg: LexicalLeg = "pairs",
        scope: SearchScope = EVERYTHING,
    ) -> list[LexicalMatch]:
        """Return the best matches, best first; equal scores in order of chunk id.

        Args:
            query: without terms it matches nothing.
            require_all: every term must be in a chunk, or at least one.
            limit: at most so many.
            leg: which index the terms are for.
            scope: what may be found.
        """
        ...

    def chunks_in_scope(self, scope: SearchScope, *, limit: int) -> list[str]:
        """Return chunks of the scope, for a search by filters alone.

        They come by path of their document and then in its order.
        """
        ...


class PendingText(NamedTuple):
    """A text that some chunk has and that has no vector yet.

    Attributes:
        text_digest: BLAKE3 of the text's UTF-8, 64 hex characters.
    """

    text_digest: str
    text: str


class VectorCounts(Model):
    """How far the vectors of one model are.

    Attributes:
        chunks: all there are.
        embedded: those with a vector of that model.
    """

    chunks: int
    embedded: int


class VectorIndex(Protocol):
    """Vectors of chunks, each kept by the digest of its text and made once.

    Chunks have vectors of one model at a time. A vector stays when its chunk goes, until garbage is
    collected, so that cutting anew, moving or restoring makes none again.
    """

    def pending_texts(self, vector_version: str, *, limit: int) -> list[PendingText]:
        """Return texts that need a vector of that model, each once, in order of digest.

        Chunks whose text has one already get it first. Vectors of other models are taken away from
        chunks, but kept.

        Raises:
            StoreFull, StoreBusy, StoreCorrupt: nothing was changed.
        """
        ...

    def put_vectors(self, vector_version: str, vectors: Mapping[str, Vector]) -> None:
        """Keep vectors by the digest of their text and give them to every chunk with that text.

        Raises:
            StoreFull, StoreBusy, StoreCorrupt: none of them was kept.
        """
        ...

    def search_vectors(
        self,
        vector_version: str,
        vector: Vector,
        *,
        limit: int,
        scope: SearchScope = EVERYTHING,
    ) -> list[VectorMatch]:
        """Return the closest chunks, closest first; equal scores in order of chunk id.

        Only chunks with a vector of that model take part.
        """
        ...

    def has_vectors(self, vector_version: str) -> bool:
        """Return whether any chunk has a vector of that model; cheap enough for every search."""
        ...

    def background_cosine(self, vector_version: str, vector: Vector) -> float:
        """Return the mean cosine of `vector` to those of all chunks; 0 when there are none.

        It is what a chunk gets that has nothing to do with the question: far above 0 for models
        whose vectors all point to one side.
        """
        ...

    def vector_counts(self, vector_version: str) -> VectorCounts:
        """Return how many chunks have a vector of that model."""
        ...

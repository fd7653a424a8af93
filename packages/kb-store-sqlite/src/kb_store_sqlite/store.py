"""The knowledge base: one SQLite file behind the ports of kb_core.

Every method is one transaction. Methods may be called from any thread; each thread reads through a
connection of its own, and writers, of this process or another, wait for each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from kb_core.chunks import ChunkRun
from kb_core.document import CanonicalDocument
from kb_core.errors import NotFound
from kb_core.model import nfc
from kb_core.ports.embedder import Vector
from kb_core.ports.store import (
    DocumentVersions,
    FileStamp,
    IngestedDocument,
    KnownFile,
    PendingText,
    StoredDocument,
    VectorCounts,
)
from kb_core.ports.upkeep import HealthFinding, RemovedCache, StoreCounts
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
from kb_store_sqlite import documents, facts, garbage, health, lexical, reading, vectors
from kb_store_sqlite.cached_work import CachedWork
from kb_store_sqlite.connection import Database, make_folder
from kb_store_sqlite.migrations import migrate
from kb_store_sqlite.runs import replace_runs
from kb_store_sqlite.schema import REPRODUCIBLE_ROWS
from kb_store_sqlite.scope import chunks_in_scope

if TYPE_CHECKING:
    from kb_store_sqlite.vector_search import VectorSearch

EXACT_LIMIT = 200_000
"""With more chunks than this, search by meaning uses an approximate index, where it can."""


class SqliteStore(CachedWork):
    """Every port to the knowledge base over one file.

    `DocumentStore`, `LexicalIndex`, `VectorIndex` and `StoreUpkeep`, with what `CachedWork` has.
    """

    def __init__(self, database: Database, *, exact_limit: int = EXACT_LIMIT) -> None:
        super().__init__(database)
        self._exact_limit = exact_limit

    @cached_property
    def _vector_search(self) -> VectorSearch:
        # A search by words alone need not wait until numpy is loaded.
        from kb_store_sqlite.vector_search import VectorSearch

        return VectorSearch(self._database, self._exact_limit)

    @classmethod
    def open(
        cls, path: Path, *, create: bool = False, exact_limit: int = EXACT_LIMIT
    ) -> SqliteStore:
        """Open the knowledge base at `path` and bring its schema up to date.

        Without `create`, one that cannot be written to is opened for reading: every method that
        writes raises StoreError then.

        Args:
            path: of the file.
            create: whether to make it when it is absent.
            exact_limit: with more chunks than this, search by meaning is approximate.

        Raises:
            StoreMissing: there is none, and `create` is not set.
            StoreTooNew: a newer kb wrote it.
            StoreCorrupt: it is damaged, or some other program's file.
            StoreError: it cannot be opened, or cannot be written to and `create` is set.
        """
        if create:
            make_folder(path.parent)
        with ExitStack() as undo:
            database = Database(path, create=create)
            undo.callback(database.close)
            migrate(database, create=create)
            undo.pop_all()
        return cls(database, exact_limit=exact_limit)

    def close(self) -> None:
        """Close all connections; the store cannot be used any more."""
        self._database.close()

    def __enter__(self) -> SqliteStore:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def put_document(self, ingested: IngestedDocument, *, replaces: Sequence[str] = ()) -> None:
        """Store a document in place of any other at its path, and of the documents `replaces`.

        Raises:
            StoreFull, StoreBusy, StoreCorrupt: nothing of it was stored.
        """
        with self._database.write() as connection:
            documents.put_document(connection, ingested, replaces)

    def put_runs(self, doc_id: str, versions: DocumentVersions, runs: Sequence[ChunkRun]) -> None:
        """Store what chunk modules made of a document, in place of all of its chunks.

        Raises:
            NotFound: there is no such document.
            StoreFull, StoreBusy, StoreCorrupt: its chunks are as they were.
        """
        with self._database.write() as connection:
            document = reading.load_document(connection, doc_id)
            if document is None:
                raise NotFound("document", doc_id)
            replace_runs(connection, document, versions, runs)

    def delete_document(self, doc_id: str) -> bool:
        """Remove a document from every table and index but the caches; False when absent."""
        with self._database.write() as connection:
            return documents.delete_document(connection, doc_id)

    def restamp(self, doc_id: str, source_path: str, stamp: FileStamp) -> None:
        """Note that the file's bytes are still the same though its stamp or place differs."""
        with self._database.write() as connection:
            documents.restamp(connection, doc_id, source_path, stamp)

    def known_files(self) -> list[KnownFile]:
        """Return place and stamp of every document's file, companions included, by place."""
        with self._database.read() as connection:
            return reading.known_files(connection)

    def forget(self, workspace_path: str) -> None:
        """Note that a file, or everything below a folder, stays out until it is named again."""
        with self._database.write() as connection:
            documents.forget(connection, nfc(workspace_path))

    def take_back(self, workspace_path: str) -> None:
        """Undo `forget` for a path and for everything below it."""
        with self._database.write() as connection:
            documents.take_back(connection, nfc(workspace_path))

    def forgotten_paths(self) -> list[str]:
        """Return what `forget` noted, in order."""
        with self._database.read() as connection:
            return reading.forgotten_paths(connection)

    def version_groups(self) -> list[tuple[str, DocumentVersions]]:
        """Return each combination of kind and versions that some document has, in order.

        Documents whose transcript was read from a companion file are left out.
        """
        with self._database.read() as connection:
            return reading.version_groups(connection)

    def has_companions(self) -> bool:
        """Return whether some document's transcript was read from a companion file."""
        with self._database.read() as connection:
            return reading.has_companions(connection)

    def list_documents(self) -> list[StoredDocument]:
        """Return all documents, ordered by workspace path."""
        with self._database.read() as connection:
            return reading.list_documents(connection)

    def find_document(self, doc_id: str) -> StoredDocument | None:
        """Return a document's row, or None."""
        with self._database.read() as connection:
            return reading.find_document(connection, "doc_id", doc_id)

    def find_document_by_path(self, workspace_path: str) -> StoredDocument | None:
        """Return the row of the document at that path, or None."""
        with self._database.read() as connection:
            return reading.find_document(connection, "workspace_path", nfc(workspace_path))

    def load_document(self, doc_id: str) -> CanonicalDocument | None:
        """Return the whole document, segments included, or None."""
        with self._database.read() as connection:
            return reading.load_document(connection, doc_id)

    def chunk_ids(self, doc_id: str) -> list[str]:
        """Return the ids of a document's chunks in their order."""
        with self._database.read() as connection:
            return reading.chunk_ids(connection, doc_id)

    def load_passages(self, chunk_ids: Sequence[str]) -> list[StoredPassage]:
        """Return the chunks with their units, in the order asked for; absent ids are left out."""
        with self._database.read() as connection:
            return reading.load_passages(connection, chunk_ids)

    def iter_chunk_ids(self, prefix: str) -> Iterator[str]:
        """Return the ids of chunks that begin with `prefix`, in order."""
        with self._database.read() as connection:
            return iter(reading.chunk_ids_from(connection, prefix))

    def neighbour_ids(self, chunk_id: str, distance: int) -> list[str]:
        """Return up to `distance` chunks before and after one, with itself, in document order."""
        with self._database.read() as connection:
            return reading.neighbour_ids(connection, chunk_id, distance)

    def document_facts(self) -> list[DocumentFacts]:
        """Return what filters look at, for every document, ordered by path."""
        with self._database.read() as connection:
            return facts.document_facts(connection)

    def search_lexical(
        self,
        query: LexicalQuery,
        *,
        require_all: bool,
        limit: int,
        leg: LexicalLeg = "pairs",
        scope: SearchScope = EVERYTHING,
    ) -> list[LexicalMatch]:
        """Return the best matches, best first; equal scores in order of chunk id."""
        with self._database.read() as connection:
            return lexical.search_lexical(
                connection, query, require_all=require_all, limit=limit, leg=leg, scope=scope
            )

    def chunks_in_scope(self, scope: SearchScope, *, limit: int) -> list[str]:
        """Return chunks of the scope, by path of their document and then in its order."""
        with self._database.read() as connection:
            return chunks_in_scope(connection, scope, limit)

    def pending_texts(self, vector_version: str, *, limit: int) -> list[PendingText]:
        """Return texts that need a vector of that model, each once, in order of digest.

        Raises:
            StoreFull, StoreBusy, StoreCorrupt: nothing was changed.
        """
        with self._database.write() as connection:
            return vectors.pending_texts(connection, vector_version, limit)

    def put_vectors(self, vector_version: str, made: Mapping[str, Vector]) -> None:
        """Keep vectors by the digest of their text and give them to every chunk with that text.

        Raises:
            StoreError: they are of different sizes, or no numbers; none of them was kept.
            StoreFull, StoreBusy, StoreCorrupt: none of them was kept.
        """
        from kb_store_sqlite.vector_input import require_sound

        with self._database.write() as connection:
            require_sound(made, vectors.byte_len_of(connection, vector_version))
            vectors.put_vectors(connection, vector_version, made)

    def search_vectors(
        self,
        vector_version: str,
        vector: Vector,
        *,
        limit: int,
        scope: SearchScope = EVERYTHING,
    ) -> list[VectorMatch]:
        """Return the closest chunks, closest first; equal scores in order of chunk id."""
        return self._vector_search.search(vector_version, vector, limit=limit, scope=scope)

    def background_cosine(self, vector_version: str, vector: Vector) -> float:
        """Return the mean cosine of `vector` to those of all chunks; 0 when there are none."""
        return self._vector_search.background_cosine(vector_version, vector)

    def has_vectors(self, vector_version: str) -> bool:
        """Return whether any chunk has a vector of that model."""
        with self._database.read() as connection:
            return vectors.version_in_use(connection) == vector_version

    def vector_counts(self, vector_version: str) -> VectorCounts:
        """Return how many chunks have a vector of that model."""
        with self._database.read() as connection:
            return vectors.vector_counts(connection, vector_version)

    def counts(self) -> StoreCounts:
        """Return how much there is."""
        with self._database.read() as connection:
            return health.counts(connection)

    def collect_garbage(self, *, dry_run: bool = False) -> RemovedCache:
        """Take out cached work of files that are no document any more, and give the room back.

        Raises:
            StoreBusy: somebody else is writing, or reading at the moment of giving room back.
            StoreFull: giving room back needs as much of it for a moment.
        """
        return garbage.collect(self._database, dry_run=dry_run)

    def check(self) -> list[HealthFinding]:
        """Look for damage, for indexes that disagree and for files that are gone."""
        return list(health.check(self._database, self._exact_limit))

    def rebuild_lexical(self) -> None:
        """Make both word indexes anew from the stored chunks; the way out when they are wrong.

        Raises:
            StoreFull, StoreBusy, StoreCorrupt: the indexes are as they were.
        """
        with self._database.write() as connection:
            lexical.rebuild(connection)

    def remove_damaged_vectors(self) -> int:
        """Take out vectors that `check` finds damaged, and return how many; ingest makes them anew.

        Raises:
            StoreFull, StoreBusy, StoreCorrupt: they are still there.
        """
        from kb_store_sqlite.vector_health import damaged_keys

        with self._database.write() as connection:
            return vectors.remove(connection, damaged_keys(connection))

    def rebuild_vector_file(self, *, only_if_behind: bool = False) -> bool:
        """Make the file of the approximate index, where there are so many chunks that it is used.

        It takes minutes, during which others may read and write. Without usearch nothing is made.

        Args:
            only_if_behind: keep a file that is good enough.

        Returns:
            Whether it was made.

        Raises:
            StoreError: it cannot be written; search is exact without it.
        """
        return self._vector_search.rebuild_file(only_if_behind=only_if_behind)

    def dump_reproducible_rows(self) -> Iterator[tuple[object, ...]]:
        """Return every row that the same input must always give, sorted, each after its table."""
        with self._database.read() as connection:
            rows = [
                (table, *row)
                for table, query in REPRODUCIBLE_ROWS.items()
                for row in sorted(connection.execute(query), key=repr)
            ]
        return iter(rows)

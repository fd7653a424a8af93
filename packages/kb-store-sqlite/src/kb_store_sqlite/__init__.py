"""The SQLite store of kb: documents, chunks, word index and transcript cache in one file."""

from kb_store_sqlite.store import SqliteStore

__all__ = ["SqliteStore"]

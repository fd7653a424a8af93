"""The tables, as numbered steps from an empty file; a step that was released never changes.

What the same input must always give is apart from what depends on the machine: where a file lies
and when it was found stand in `source_files` alone. `chunk_key` is the one number that depends on
history; it ties a chunk to its row in the full-text index and is never shown.

`chunk_fts` (pairs of characters) and `chunk_morphemes` keep their own copy of the tokens. An index
without content is smaller, but up to SQLite 3.43 a row can only be taken out of it by giving the
very tokens that went in, and a change of the analysis in between would corrupt it silently. Their
tokenizer `ascii` splits at spaces alone, given the two signs that tokens hold, and folds nothing
that is not folded already.
"""

from __future__ import annotations

from kb_text import INDEXED_PUNCTUATION

APPLICATION_ID = 0x6B62_6462  # "kbdb"


def _word_index(name: str) -> str:
    return f"""
    CREATE VIRTUAL TABLE {name} USING fts5 (
        tokens, tokenize = "ascii tokenchars '{INDEXED_PUNCTUATION}'"
    )
    """


CREATE_CHUNK_FTS = _word_index("chunk_fts")
CREATE_CHUNK_MORPHEMES = _word_index("chunk_morphemes")

_INITIAL = (
    """
    CREATE TABLE assets (
        asset_id TEXT PRIMARY KEY,
        checksum TEXT NOT NULL,
        byte_len INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE documents (
        doc_id TEXT PRIMARY KEY,
        asset_id TEXT NOT NULL REFERENCES assets,
        workspace_path TEXT NOT NULL UNIQUE,
        media_type TEXT NOT NULL,
        title TEXT NOT NULL,
        lang TEXT,
        duration_ms INTEGER,
        segment_count INTEGER NOT NULL,
        chunk_count INTEGER NOT NULL,
        metadata TEXT NOT NULL,
        provenance TEXT NOT NULL,
        schema_version TEXT NOT NULL,
        doc_version TEXT NOT NULL,
        parser_version TEXT NOT NULL,
        versions TEXT NOT NULL,
        warnings TEXT NOT NULL
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX documents_by_asset ON documents (asset_id)",
    """
    CREATE TABLE source_files (
        doc_id TEXT PRIMARY KEY REFERENCES documents ON DELETE CASCADE,
        source_path TEXT NOT NULL,
        discovered_at TEXT NOT NULL,
        storage TEXT NOT NULL,
        byte_len INTEGER NOT NULL,
        mtime_ns INTEGER NOT NULL,
        inode TEXT NOT NULL
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE blocks (
        doc_id TEXT NOT NULL REFERENCES documents ON DELETE CASCADE,
        ordinal INTEGER NOT NULL,
        block_id TEXT NOT NULL,
        kind TEXT NOT NULL,
        source_span TEXT NOT NULL,
        body TEXT NOT NULL,
        PRIMARY KEY (doc_id, ordinal)
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE UNIQUE INDEX blocks_by_id ON blocks (doc_id, block_id)",
    """
    CREATE TABLE segments (
        doc_id TEXT NOT NULL,
        block_id TEXT NOT NULL,
        ordinal INTEGER NOT NULL,
        start_ms INTEGER NOT NULL,
        end_ms INTEGER NOT NULL,
        text TEXT NOT NULL,
        speaker TEXT,
        confidence REAL,
        language TEXT,
        words TEXT NOT NULL,
        flags TEXT NOT NULL,
        PRIMARY KEY (doc_id, block_id, ordinal),
        FOREIGN KEY (doc_id, block_id) REFERENCES blocks (doc_id, block_id) ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE INDEX segments_by_speaker ON segments (doc_id, speaker, ordinal)
    WHERE speaker IS NOT NULL
    """,
    """
    CREATE TABLE chunks (
        chunk_key INTEGER PRIMARY KEY,
        chunk_id TEXT NOT NULL UNIQUE,
        doc_id TEXT NOT NULL REFERENCES documents ON DELETE CASCADE,
        chunk_index INTEGER NOT NULL,
        text TEXT NOT NULL,
        block_ids TEXT NOT NULL,
        heading_path TEXT NOT NULL,
        source_spans TEXT NOT NULL,
        token_estimate INTEGER NOT NULL,
        chunker_version TEXT NOT NULL,
        policy_hash TEXT NOT NULL,
        metadata TEXT NOT NULL,
        UNIQUE (doc_id, chunk_index)
    ) STRICT
    """,
    """
    CREATE TABLE chunk_units (
        chunk_key INTEGER NOT NULL REFERENCES chunks ON DELETE CASCADE,
        ordinal INTEGER NOT NULL,
        unit_id TEXT NOT NULL,
        block_id TEXT NOT NULL,
        segment_ordinal INTEGER,
        char_start INTEGER NOT NULL,
        char_end INTEGER NOT NULL,
        PRIMARY KEY (chunk_key, ordinal)
    ) STRICT, WITHOUT ROWID
    """,
    CREATE_CHUNK_FTS,
    """
    CREATE TABLE transcripts (
        asset_id TEXT NOT NULL,
        transcript_version TEXT NOT NULL,
        body BLOB NOT NULL,
        PRIMARY KEY (asset_id, transcript_version)
    ) STRICT
    """,
    """
    CREATE TABLE transcript_windows (
        asset_id TEXT NOT NULL,
        transcript_version TEXT NOT NULL,
        start_sample INTEGER NOT NULL,
        end_sample INTEGER NOT NULL,
        body BLOB NOT NULL,
        PRIMARY KEY (asset_id, transcript_version, start_sample, end_sample)
    ) STRICT
    """,
)


def _heard_table(name: str) -> str:
    return f"""
    CREATE TABLE {name} (
        asset_id TEXT NOT NULL,
        recognition_version TEXT NOT NULL,
        start_sample INTEGER NOT NULL,
        end_sample INTEGER NOT NULL,
        body BLOB NOT NULL,
        PRIMARY KEY (asset_id, recognition_version, start_sample, end_sample)
    ) STRICT
    """


_WINDOWS_OUTLIVE_TRANSCRIPTS = (
    # Its rows were cut by a rule that is no more, so no version that asks for them is left.
    "DROP TABLE transcript_windows",
    _heard_table("heard_windows"),
    _heard_table("heard_languages"),
)

_DOCUMENTS_OF_EVERY_KIND = (
    "ALTER TABLE segments ADD COLUMN line_start INTEGER",
    "ALTER TABLE segments ADD COLUMN line_end INTEGER",
    # NULL in rows of earlier schemas, and where a chunk does not say: then the whole unit counts.
    "ALTER TABLE chunk_units ADD COLUMN unit_char_start INTEGER",
    "ALTER TABLE chunk_units ADD COLUMN unit_char_end INTEGER",
    "ALTER TABLE chunk_units ADD COLUMN span TEXT",
    """
    CREATE TABLE companion_files (
        doc_id TEXT PRIMARY KEY REFERENCES documents ON DELETE CASCADE,
        asset_id TEXT NOT NULL,
        workspace_path TEXT NOT NULL,
        source_path TEXT NOT NULL,
        byte_len INTEGER NOT NULL,
        mtime_ns INTEGER NOT NULL,
        inode TEXT NOT NULL
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE forgotten_paths (
        workspace_path TEXT PRIMARY KEY
    ) STRICT, WITHOUT ROWID
    """,
)

_SEARCH_BY_MEANING = (
    CREATE_CHUNK_MORPHEMES,
    # Filled in together with the indexes.
    "ALTER TABLE chunks ADD COLUMN text_digest TEXT NOT NULL DEFAULT ''",
    "CREATE INDEX chunks_by_text ON chunks (text_digest)",
    # A vector belongs to a text, whichever chunk has it, and outlives them: it is dear to make.
    """
    CREATE TABLE vectors (
        vector_key INTEGER PRIMARY KEY AUTOINCREMENT,
        vector_version TEXT NOT NULL,
        text_digest TEXT NOT NULL,
        vector BLOB NOT NULL,
        UNIQUE (vector_version, text_digest)
    ) STRICT
    """,
    """
    CREATE TABLE chunk_vectors (
        chunk_key INTEGER PRIMARY KEY REFERENCES chunks ON DELETE CASCADE,
        vector_key INTEGER NOT NULL REFERENCES vectors
    ) STRICT
    """,
    "CREATE INDEX chunk_vectors_by_vector ON chunk_vectors (vector_key)",
    # What was left out of `vectors` when the file was made has a higher key, because none returns.
    """
    CREATE TABLE vector_files (
        vector_version TEXT PRIMARY KEY,
        file_name TEXT NOT NULL,
        byte_len INTEGER NOT NULL,
        checksum TEXT NOT NULL,
        vector_keys BLOB NOT NULL,
        total BLOB NOT NULL
    ) STRICT, WITHOUT ROWID
    """,
    # Goes up whenever `chunk_vectors` changes, so that others know that what they hold is old.
    "CREATE TABLE vector_state (generation INTEGER NOT NULL) STRICT",
    "INSERT INTO vector_state VALUES (0)",
    # For filters by speaker and language: they look at many segments and few columns.
    """
    CREATE INDEX chunk_units_by_segment ON chunk_units (block_id, segment_ordinal)
    WHERE segment_ordinal IS NOT NULL
    """,
    """
    CREATE INDEX segments_by_language ON segments (doc_id, language)
    WHERE language IS NOT NULL
    """,
)

_SEVERAL_CHUNK_MODULES = (
    # A constraint of a table cannot be changed, and `chunk_index` is counted anew in each run.
    """
    CREATE TABLE new_chunks (
        chunk_key INTEGER PRIMARY KEY,
        chunk_id TEXT NOT NULL UNIQUE,
        doc_id TEXT NOT NULL,
        module TEXT NOT NULL,
        chunk_index INTEGER NOT NULL,
        text TEXT NOT NULL,
        block_ids TEXT NOT NULL,
        heading_path TEXT NOT NULL,
        source_spans TEXT NOT NULL,
        token_estimate INTEGER NOT NULL,
        chunker_version TEXT NOT NULL,
        policy_hash TEXT NOT NULL,
        metadata TEXT NOT NULL,
        text_digest TEXT NOT NULL,
        UNIQUE (doc_id, module, chunk_index),
        FOREIGN KEY (doc_id, module) REFERENCES chunk_runs (doc_id, module) ON DELETE CASCADE
    ) STRICT
    """,
    # `policy` is NULL in rows of earlier schemas, which did not keep it.
    """
    CREATE TABLE chunk_runs (
        doc_id TEXT NOT NULL REFERENCES documents ON DELETE CASCADE,
        place INTEGER NOT NULL,
        module TEXT NOT NULL,
        policy TEXT,
        chunk_count INTEGER NOT NULL,
        warnings TEXT NOT NULL,
        PRIMARY KEY (doc_id, place),
        UNIQUE (doc_id, module)
    ) STRICT, WITHOUT ROWID
    """,
    # The modules of earlier kbs had their key as version.
    """
    INSERT INTO chunk_runs
    SELECT doc_id, 0, versions ->> '$.chunker_version', NULL, chunk_count, '[]' FROM documents
    """,
    """
    INSERT INTO new_chunks
    SELECT chunk_key, chunk_id, doc_id, chunker_version, chunk_index, text, block_ids,
           heading_path, source_spans, token_estimate, chunker_version, policy_hash, metadata,
           text_digest
    FROM chunks
    """,
    "DROP TABLE chunks",
    "ALTER TABLE new_chunks RENAME TO chunks",
    "CREATE INDEX chunks_by_text ON chunks (text_digest)",
    """
    UPDATE documents SET versions = json_remove(
        json_set(versions, '$.modules', json_array(json_object(
            'module', versions ->> '$.chunker_version',
            'chunker_version', versions ->> '$.chunker_version',
            'policy_hash', versions ->> '$.policy_hash',
            'model_id', NULL
        ))),
        '$.chunker_version', '$.policy_hash'
    )
    """,
    """
    CREATE TABLE model_replies (
        request_digest TEXT NOT NULL,
        model_id TEXT NOT NULL,
        asset_id TEXT NOT NULL,
        body BLOB NOT NULL,
        PRIMARY KEY (request_digest, model_id)
    ) STRICT, WITHOUT ROWID
    """,
)

# The analysis of text changed with these steps: words over line ends, ligatures; then morphemes.
# The indexes are made anew from the chunks, see `migrations`.
REBUILDS_INDEX: frozenset[int] = frozenset({3, 4})
"""Schemas that index text in another way than the one before."""

REPLACES_TABLES: frozenset[int] = frozenset({5})
"""Schemas whose step drops a table that others refer to, which SQLite takes for deleting rows."""

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    _INITIAL,
    _WINDOWS_OUTLIVE_TRANSCRIPTS,
    _DOCUMENTS_OF_EVERY_KIND,
    _SEARCH_BY_MEANING,
    _SEVERAL_CHUNK_MODULES,
)
"""Step `n` (from 0) brings a file from schema `n` to schema `n + 1`."""

REPRODUCIBLE_ROWS: dict[str, str] = {
    "assets": "SELECT * FROM assets",
    "documents": "SELECT * FROM documents",
    "blocks": "SELECT * FROM blocks",
    "segments": "SELECT * FROM segments",
    "chunks": """
        SELECT chunk_id, doc_id, module, chunk_index, text, block_ids, heading_path, source_spans,
               token_estimate, chunker_version, policy_hash, metadata
        FROM chunks
    """,
    "chunk_runs": "SELECT * FROM chunk_runs",
    "chunk_units": """
        SELECT chunk_id, ordinal, unit_id, block_id, segment_ordinal, char_start, char_end,
               unit_char_start, unit_char_end, span
        FROM chunk_units JOIN chunks USING (chunk_key)
    """,
    "companion_files": "SELECT doc_id, asset_id, workspace_path FROM companion_files",
    "chunk_fts": """
        SELECT chunk_id, tokens FROM chunk_fts JOIN chunks ON chunk_key = chunk_fts.rowid
    """,
    "chunk_morphemes": """
        SELECT chunk_id, tokens FROM chunk_morphemes
        JOIN chunks ON chunk_key = chunk_morphemes.rowid
    """,
    "chunk_vectors": """
        SELECT chunk_id, vector_version, vectors.text_digest, hex(vector)
        FROM chunk_vectors JOIN chunks USING (chunk_key) JOIN vectors USING (vector_key)
    """,
}
"""What the same input gives in every run and on every machine, table by table."""

"""What filters look at."""

from __future__ import annotations

import json
import sqlite3
from datetime import UTC, datetime

from kb_core.query import DocumentFacts

_NS_PER_S = 1_000_000_000
_FACTS = """
    SELECT d.doc_id, d.workspace_path, d.media_type, d.lang, d.metadata, f.mtime_ns,
           (SELECT json_group_array(DISTINCT language) FROM segments AS s
            WHERE s.doc_id = d.doc_id AND language IS NOT NULL) AS languages,
           (SELECT json_group_array(DISTINCT speaker) FROM segments AS s
            WHERE s.doc_id = d.doc_id AND speaker IS NOT NULL) AS speakers
    FROM documents AS d JOIN source_files AS f USING (doc_id)
    ORDER BY d.workspace_path
"""


def document_facts(connection: sqlite3.Connection) -> list[DocumentFacts]:
    """Return the facts of every document, ordered by path."""
    facts = []
    for (
        doc_id,
        path,
        media_type,
        lang,
        metadata,
        mtime_ns,
        languages,
        speakers,
    ) in connection.execute(_FACTS):
        said = json.loads(metadata)
        facts.append(
            DocumentFacts(
                doc_id=doc_id,
                doc_path=path,
                media_type=media_type,
                languages=tuple(sorted({*json.loads(languages), *([lang] if lang else [])})),
                speakers=tuple(sorted(json.loads(speakers))),
                tags=tuple(said["tags"]),
                created=said["created"],
                modified_on=datetime.fromtimestamp(mtime_ns // _NS_PER_S, UTC).date(),
            )
        )
    return facts

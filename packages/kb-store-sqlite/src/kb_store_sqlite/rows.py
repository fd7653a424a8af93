"""How values become columns, and rows."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from pydantic import BaseModel, JsonValue


def compact_json(value: JsonValue | Sequence[JsonValue]) -> str:
    """Return JSON without spaces, in the order of the value's own fields."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def models_json(models: Iterable[BaseModel]) -> str:
    """Return a JSON array of models."""
    return compact_json([model.model_dump(mode="json") for model in models])


def insert(connection: sqlite3.Connection, table: str, row: Mapping[str, object]) -> int:
    """Add a row and return its number."""
    columns = ", ".join(row)
    places = ", ".join(f":{column}" for column in row)
    statement = f"INSERT INTO {table} ({columns}) VALUES ({places})"  # noqa: S608 (own names)
    return connection.execute(statement, dict(row)).lastrowid or 0

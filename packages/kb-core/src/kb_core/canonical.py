"""Canonical JSON and content-derived ids.

Ids must be the same on every machine and in every run, so they are digests of one canonical byte
form: RFC 8785 (JSON Canonicalization Scheme) over NFC text, hashed with BLAKE3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import blake3
import rfc8785
from pydantic import BaseModel

from kb_core.model import nfc

ID_HEX_CHARS = 32
POLICY_HASH_HEX_CHARS = 16


def canonical_json(value: Any) -> bytes:
    """Return the RFC 8785 bytes of a JSON-like value or a pydantic model, with all text in NFC.

    Raises:
        TypeError: a value that JSON has no form for.
        ValueError: a number outside what RFC 8785 can represent, text without a UTF-8 form, or two
            keys that are one in NFC.
    """
    try:
        return rfc8785.dumps(_plain(value))
    except rfc8785.CanonicalizationError as error:
        raise ValueError(str(error)) from error


def digest_hex(data: bytes) -> str:
    """Return the BLAKE3 digest of `data` as 64 hex characters."""
    return blake3.blake3(data).hexdigest()


def id_from(value: Any) -> str:
    """Return the 32-character id of a JSON-like value."""
    return digest_hex(canonical_json(value))[:ID_HEX_CHARS]


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return _plain(value.model_dump(mode="json"))
    if isinstance(value, str):
        return nfc(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, Mapping):
        plain = {_key(key): _plain(item) for key, item in value.items()}
        if len(plain) < len(value):
            raise ValueError("two keys are the same text in NFC")
        return plain
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray | memoryview):
        return [_plain(item) for item in value]
    raise TypeError(f"no canonical JSON for {type(value).__name__}")


def _key(key: Any) -> str:
    if not isinstance(key, str):
        raise TypeError(f"JSON keys are text, not {type(key).__name__}")
    return nfc(key)

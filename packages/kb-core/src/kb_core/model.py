"""Base class and shared field types of the domain model.

Models are frozen and refuse unknown fields, so that a value says once what is legal and code after
it never checks again. Text is NFC from the moment that it enters a model: two spellings of one
Korean syllable must never make two ids.
"""

from __future__ import annotations

import unicodedata
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field


class Model(BaseModel):
    """Frozen value object."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def nfc(text: str) -> str:
    """Return `text` in Unicode normalisation form C."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


NfcText = Annotated[str, AfterValidator(nfc)]
Milliseconds = Annotated[int, Field(ge=0, description="milliseconds on the player's clock")]
Confidence = Annotated[float, Field(ge=0.0, le=1.0)]
HexDigest = Annotated[str, Field(pattern=r"^[0-9a-f]{16,128}$")]

"""Bytes of a text file: their encoding and their language."""

from kb_source_text.decode import DecodedText, decode_text
from kb_source_text.language import language_of

__all__ = ["DecodedText", "decode_text", "language_of"]

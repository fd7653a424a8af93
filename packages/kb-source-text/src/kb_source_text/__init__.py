"""Bytes of a text file: their encoding and their language."""

from kb_source_text.decode import DecodedText, decode_text, read_bytes
from kb_source_text.language import language_of, language_of_texts

__all__ = ["DecodedText", "decode_text", "language_of", "language_of_texts", "read_bytes"]

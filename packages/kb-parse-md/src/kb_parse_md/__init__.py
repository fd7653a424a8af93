"""Markdown and plain text extractor of kb."""

from kb_parse_md.extractor import MarkdownExtractor, create_extractor

__all__ = ["MarkdownExtractor", "create_extractor"]

"""Subtitle and transcript files of kb, read and written."""

from kb_parse_subtitle.extractor import PARSER_VERSION, SubtitleExtractor, create_extractor

__all__ = ["PARSER_VERSION", "SubtitleExtractor", "create_extractor"]

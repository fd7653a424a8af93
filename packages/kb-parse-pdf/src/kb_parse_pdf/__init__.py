"""PDF extractor of kb."""

from kb_parse_pdf.extractor import PdfExtractor, create_extractor

__all__ = ["PdfExtractor", "create_extractor"]

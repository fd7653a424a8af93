"""Finding files, telling what they hold, and identifying them by their content."""

from kb_source_fs.asset import hash_file, make_asset, stamp_of, workspace_path_of
from kb_source_fs.scan import FoundFile, SkippedPath, scan
from kb_source_fs.sniff import HEAD_BYTES, Sniffed, sniff, sniff_head

__all__ = [
    "HEAD_BYTES",
    "FoundFile",
    "SkippedPath",
    "Sniffed",
    "hash_file",
    "make_asset",
    "scan",
    "sniff",
    "sniff_head",
    "stamp_of",
    "workspace_path_of",
]

"""Which subtitle file beside a recording is its transcript.

`talk.mp4` is said in `talk.srt`, `talk.ko.srt` or, as recognisers name their output, `talk.mp4.srt`
and `talk.mp4.json`. The plainest name wins, then the first in order; the others, translations as a
rule, stay documents of their own. Written transcripts and notes of the same name are never taken:
without exact times nothing could be played.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from kb_core import is_recording
from kb_core.errors import UnreadableFile
from kb_source_fs import FoundFile, sniff
from kb_source_fs.extensions import extension_of, may_be_source_code, media_type_named

COMPANION_TYPES = frozenset({"subtitle", "transcript-json"})

# Language tags, and the words that players use beside them.
_TAG = r"(?:[a-z]{2,3}(?:[-_][a-z0-9]{2,8})*|forced|sdh|cc|default)"
_TAGS = re.compile(rf"(?:\.{_TAG}){{1,3}}", re.IGNORECASE | re.ASCII)


def companions_of(found: Iterable[FoundFile]) -> Mapping[Path, FoundFile]:
    """Return the subtitle file of each recording that has one, by the recording's path.

    Decided by names; the content is looked at only where a name such as `.json` leaves it open.
    """
    recordings: list[FoundFile] = []
    candidates: dict[Path, list[FoundFile]] = defaultdict(list)
    for each in found:
        extension = extension_of(each.path.name)
        named = media_type_named(extension)
        if is_recording(named) and not may_be_source_code(extension):
            recordings.append(each)
        elif named == "subtitle" or extension == "json":
            candidates[each.path.parent].append(each)
    chosen = {}
    for recording in recordings:
        companion = _best(recording.path, candidates.get(recording.path.parent, ()))
        if companion is not None:
            chosen[recording.path] = companion
    return chosen


def neighbours_of(files: Iterable[Path]) -> list[Path]:
    """Return what stands beside each file under names that begin with its stem.

    For files that were named alone: of folders everything is seen anyway.
    """
    found: dict[Path, None] = {}
    for path in files:
        stem = path.name.partition(".")[0]
        try:
            names = sorted(os.listdir(path.parent))
        except OSError:
            continue
        beside = (path.parent / name for name in names if name.startswith(stem))
        found.update(dict.fromkeys(each for each in beside if each.is_file()))
    return list(found)


def _best(recording: Path, candidates: Sequence[FoundFile]) -> FoundFile | None:
    ranked = []
    for candidate in candidates:
        rank = _rank(recording, candidate.path)
        if rank is not None:
            ranked.append((rank, candidate.path.name, candidate))
    for _, _, candidate in sorted(ranked, key=lambda each: each[:2]):
        if _holds_cues(candidate.path):
            return candidate
    return None


def _rank(recording: Path, candidate: Path) -> int | None:
    """Return 0 for the plainest name, more for others, None for a name of something else."""
    name = candidate.name[: -len(candidate.suffix)]
    if name in (recording.stem, recording.name):
        return 0
    for base in (recording.stem, recording.name):
        if name.startswith(base) and _TAGS.fullmatch(name, len(base)):
            return 1
    return None


def _holds_cues(path: Path) -> bool:
    try:
        sniffed = sniff(path)
    except UnreadableFile:
        return media_type_named(extension_of(path.name)) == "subtitle"  # its error is worth telling
    return sniffed.media_type in COMPANION_TYPES

"""Hearing a citation: its span is decoded and played, or written as a WAV file."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import wave
from functools import partial
from pathlib import Path
from typing import BinaryIO

from kb_app.container import Container
from kb_app.library import find_document, find_passage
from kb_app.present import citation_v1
from kb_app.whole_file import refuse_own_files, write_whole
from kb_app.wire import PlayReportV1
from kb_core import Citation, format_clock, parse_citation
from kb_core.errors import (
    CitationSyntaxError,
    InputError,
    KbError,
    NotFound,
    UnreadableFile,
    printable,
)
from kb_core.ports.extractor import AudioClip, ClipReader
from kb_core.ports.store import StoredDocument
from kb_core.query import shared_speaker
from kb_core.spans import TimeSpan

PLAYERS: tuple[tuple[str, ...], ...] = (
    ("afplay",),
    ("ffplay", "-nodisp", "-autoexit", "-loglevel", "error"),
    ("mpv", "--no-video", "--really-quiet"),
    ("pw-play",),
    ("paplay",),
    ("aplay", "--quiet"),
)
"""Commands that play a WAV file, in order of preference."""


def play(container: Container, target: str, *, out: Path | None = None) -> PlayReportV1:
    """Play a citation or a chunk, or write it to `out` as 16-bit mono WAV.

    Raises:
        NotFound: the target is nothing in the knowledge base, or has no sound.
        InputError: the recording is gone, cannot be read or ends before that moment; `out` cannot
            be written, or is a recording itself.
        KbError: no player is installed, or it failed.
    """
    citation, document = resolve_target(container, target)
    if out is not None:
        refuse_own_files(container, out)
    clip = _read_clip(container, citation, document)
    player: str | None = None
    if out is not None:
        write_whole(out, partial(_write_wav, clip))
    else:
        player = _play_clip(clip)
    return PlayReportV1(
        citation=citation_v1(citation),
        source_path=document.source_path,
        out_path=printable(str(out)) if out else None,
        player=player,
        duration_ms=len(clip.pcm_s16le) // 2 * 1000 // clip.sample_rate_hz,
    )


def resolve_target(container: Container, target: str) -> tuple[Citation, StoredDocument]:
    """Return what `target`, a citation in either spelling or a chunk id, points at.

    Raises:
        NotFound: nothing of that name is stored.
        CitationSyntaxError: it looks like a citation, and is none.
    """
    try:
        citation = parse_citation(target)
    except CitationSyntaxError as error:
        try:
            passage = find_passage(container, target)
        except NotFound as not_found:
            raise (error if ":" in target or "#" in target else not_found) from None
        span = passage.chunk.source_spans[0]
        speaker = shared_speaker(passage.units)
        citation = Citation(path=passage.doc_path, span=span, speaker=speaker)
    return citation, find_document(container, citation.path)


def _read_clip(container: Container, citation: Citation, document: StoredDocument) -> AudioClip:
    reader: object = container.extractor_for(document.media_type)
    if not isinstance(citation.span, TimeSpan) or not isinstance(reader, ClipReader):
        raise NotFound("sound for", citation.to_human(), hint="only recordings can be played")
    if document.duration_ms is not None and citation.span.start_ms >= document.duration_ms:
        raise _nothing_there(document)
    _refuse_unreadable(document)
    clip = reader.read_clip(document.source_path, citation.span.start_ms, citation.span.end_ms)
    if not clip.pcm_s16le:
        raise _nothing_there(document)
    return clip


def _nothing_there(document: StoredDocument) -> InputError:
    length_s = (document.duration_ms or 0) // 1000
    return InputError(
        document.workspace_path,
        "nothing is heard in that span",
        hint=f"the recording is {format_clock(length_s)} long",
    )


def _refuse_unreadable(document: StoredDocument) -> None:
    try:
        os.stat(document.source_path)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise UnreadableFile(
            document.source_path,
            "the recording is gone",
            hint="put it back, or run `kb ingest` where it is now",
        ) from error
    except OSError as error:
        reason = (error.strerror or "cannot be read").lower()
        raise UnreadableFile(document.source_path, reason) from error


def _write_wav(clip: AudioClip, file: BinaryIO) -> None:
    with wave.open(file, "wb") as wav:
        wav.setnchannels(1)
        wav.setsampwidth(2)
        wav.setframerate(clip.sample_rate_hz)
        wav.setnframes(len(clip.pcm_s16le) // 2)
        wav.writeframesraw(clip.pcm_s16le)


def _play_clip(clip: AudioClip) -> str:
    command = next((each for each in PLAYERS if shutil.which(each[0])), None)
    if command is None:
        raise KbError(
            "no player found on this machine",
            hint="write the sound with --out FILE.wav, or install mpv or ffplay",
        )
    with tempfile.TemporaryDirectory(prefix="kb-play-") as folder:
        path = Path(folder) / "clip.wav"
        write_whole(path, partial(_write_wav, clip))
        result = subprocess.run([*command, str(path)], capture_output=True, check=False)  # noqa: S603
    if result.returncode != 0:
        detail = result.stderr.decode(errors="replace").strip().splitlines()
        reason = detail[-1] if detail else f"exit code {result.returncode}"
        raise KbError(
            f"{command[0]} could not play: {reason}", hint="write the sound with --out FILE.wav"
        )
    return command[0]

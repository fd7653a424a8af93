"""Hearing a citation: its span is decoded and played, or written as a WAV file."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import wave
from pathlib import Path

from kb_app.container import Container
from kb_app.library import find_document, find_passage
from kb_app.present import citation_v1
from kb_app.wire import PlayReportV1
from kb_core import Citation, parse_citation
from kb_core.errors import CitationSyntaxError, InputError, KbError, NotFound, UnreadableFile
from kb_core.ports.extractor import AudioClip, ClipReader
from kb_core.ports.store import StoredDocument
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
        InputError: the recording is gone or cannot be read, or `out` cannot be written.
        KbError: no player is installed, or it failed.
    """
    citation, document = resolve_target(container, target)
    clip = _read_clip(container, citation, document)
    player: str | None = None
    if out is not None:
        _write_wav(clip, out)
    else:
        player = _play_clip(clip)
    return PlayReportV1(
        citation=citation_v1(citation),
        source_path=document.source_path,
        out_path=str(out) if out else None,
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
        citation = Citation(path=passage.doc_path, span=span)
    return citation, find_document(container, citation.path)


def _read_clip(container: Container, citation: Citation, document: StoredDocument) -> AudioClip:
    reader: object = container.extractor_for(document.media_type)
    if not isinstance(citation.span, TimeSpan) or not isinstance(reader, ClipReader):
        raise NotFound("sound for", citation.to_human(), hint="only recordings can be played")
    if not Path(document.source_path).exists():
        raise UnreadableFile(
            document.source_path,
            "the recording is gone",
            hint="put it back, or run `kb ingest` where it is now",
        )
    return reader.read_clip(document.source_path, citation.span.start_ms, citation.span.end_ms)


def _write_wav(clip: AudioClip, path: Path) -> None:
    try:
        with wave.open(str(path), "wb") as wav:
            wav.setnchannels(1)
            wav.setsampwidth(2)
            wav.setframerate(clip.sample_rate_hz)
            wav.writeframes(clip.pcm_s16le)
    except OSError as error:
        reason = error.strerror or "cannot be written"
        raise InputError(path, reason.lower(), hint="name another file with --out") from error


def _play_clip(clip: AudioClip) -> str:
    command = next((each for each in PLAYERS if shutil.which(each[0])), None)
    if command is None:
        raise KbError(
            "no player found on this machine",
            hint="write the sound with --out FILE.wav, or install mpv or ffplay",
        )
    with tempfile.TemporaryDirectory(prefix="kb-play-") as folder:
        path = Path(folder) / "clip.wav"
        _write_wav(clip, path)
        result = subprocess.run([*command, str(path)], capture_output=True, check=False)  # noqa: S603
    if result.returncode != 0:
        detail = result.stderr.decode(errors="replace").strip().splitlines()
        reason = detail[-1] if detail else f"exit code {result.returncode}"
        raise KbError(
            f"{command[0]} could not play: {reason}", hint="write the sound with --out FILE.wav"
        )
    return command[0]

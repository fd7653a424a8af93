"""Transcribing a file as an ingest would, without a knowledge base: nothing is stored or reused.

What is measured is recognition itself, decoding included. The cache lives as long as the call, so
that a file of which a transcript is stored takes as long as any other.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kb_app.container import Container
from kb_core import CancelToken, Transcript, is_recording
from kb_core.errors import UnreadableFile, UnsupportedMedia
from kb_core.ports.extractor import ExtractRuntime
from kb_core.ports.transcriber import SAMPLE_RATE_HZ, AudioWindow
from kb_core.transcript_memory import TranscriptMemory
from kb_source_fs import FoundFile, make_asset, scan, sniff
from kb_source_fs.extensions import extension_of, media_type_named


@dataclass(frozen=True, slots=True)
class MeasuredTranscript:
    """A transcript and what it took.

    Attributes:
        duration_ms: length of the recording.
        elapsed_ms: wall time of decoding and recognition.
        cpu_ms: processor time of all threads of this process meanwhile.
    """

    transcript: Transcript
    duration_ms: int
    elapsed_ms: int
    cpu_ms: int


def transcribe_file(
    container: Container, path: Path, *, cancel: CancelToken | None = None
) -> MeasuredTranscript:
    """Transcribe one recording with the present settings.

    Raises:
        InputError: the file cannot be used.
        ModelError, FeatureMissing: the recogniser is absent or failed.
        Cancelled: a stop was asked for.
    """
    sniffed = sniff(path)
    if sniffed.mismatch is not None:
        raise UnsupportedMedia(path, sniffed.mismatch, hint=sniffed.hint)
    extractor = container.extractor_for(sniffed.media_type)
    if extractor is None or not is_recording(sniffed.media_type):
        raise UnsupportedMedia(path, "no recording that an installed extractor reads")
    asset = make_asset(path, sniffed.media_type)
    runtime = ExtractRuntime(transcripts=TranscriptMemory(), cancel=cancel)
    started_s, started_cpu_s = time.perf_counter(), time.process_time()
    audio = extractor.extract(asset, runtime).audio
    elapsed_s, cpu_s = time.perf_counter() - started_s, time.process_time() - started_cpu_s
    if audio is None or audio.transcript is None:
        raise UnsupportedMedia(path, "it gives no transcript")
    return MeasuredTranscript(
        transcript=audio.transcript,
        duration_ms=audio.duration_ms,
        elapsed_ms=round(elapsed_s * 1000),
        cpu_ms=round(cpu_s * 1000),
    )


def load_recogniser(container: Container) -> int:
    """Load the model by hearing a second of silence; return the milliseconds that it took.

    Raises:
        ModelError, FeatureMissing: the recogniser is absent or failed.
    """
    silence = memoryview(array("f", bytes(4 * SAMPLE_RATE_HZ)))
    started_s = time.perf_counter()
    container.transcriber.transcribe([AudioWindow(start_sample=0, pcm=silence)], language="en")
    return round((time.perf_counter() - started_s) * 1000)


def recordings_below(container: Container, folder: Path) -> Iterator[Path]:
    """Yield the recordings of a folder, by name; damaged ones that are named like one included.

    Args:
        container: whose own folders are left out.
        folder: absolute and free of links, so that all recordings lie below it.
    """
    for found in scan([folder], own_folders=container.own_folders):
        is_wanted = isinstance(found, FoundFile) or found.severity == "error"
        if is_wanted and _may_be_recording(found.path):
            yield found.path


def _may_be_recording(path: Path) -> bool:
    if is_recording(media_type_named(extension_of(path.name))):
        return True
    try:
        return is_recording(sniff(path).media_type)
    except UnreadableFile:
        return False

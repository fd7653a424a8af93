"""A transcript that was read from a file beside the recording, put on the recording's clock.

Subtitles count from where the player shows 0, which is the start of the container, so nothing is
shifted. What they say beyond the end of the sound is held to it, as what a recogniser says is.
"""

from __future__ import annotations

from kb_core import (
    Progress,
    RawAsset,
    StepWarning,
    TimedText,
    Transcript,
    format_clock,
    repair_timeline,
)
from kb_core.ports.extractor import ExtractRuntime
from kb_core.ports.transcriber import SAMPLES_PER_MS
from kb_core.ports.transcript_cache import CachedTranscript
from kb_parse_audio.decode import open_recording


def held_to_recording(
    transcript: Transcript, asset: RawAsset, runtime: ExtractRuntime
) -> CachedTranscript:
    """Return the transcript with its times inside the recording.

    The recording is decoded to its end, because lengths that containers state are often wrong; that
    takes a fraction of a percent of its length.

    Raises:
        InputError: the recording cannot be used.
        Cancelled: a stop was asked for.
    """
    warnings: list[StepWarning] = []

    def warn(code: str, message: str, unit: str | None = None) -> None:
        warnings.append(StepWarning(code=code, message=message, unit=unit))

    end_sample = 0
    with open_recording(asset.source_path, name=asset.workspace_path, warn=warn) as recording:
        total_ms = recording.probed_duration_ms
        for position, samples in recording.blocks():
            runtime.cancel.raise_if_cancelled()
            end_sample = position + len(samples)
            runtime.progress(Progress(done_ms=end_sample // SAMPLES_PER_MS, total_ms=total_ms))
    duration_ms = end_sample // SAMPLES_PER_MS
    latest_end_ms = max((segment.end_ms for segment in transcript.segments), default=0)
    if latest_end_ms > duration_ms:
        warn(
            "transcript_beyond_end",
            "the subtitle file goes on after the end of the recording",
            format_clock(duration_ms // 1000),
        )
    segments = repair_timeline(
        [TimedText(each.start_ms, each.end_ms, each) for each in transcript.segments], duration_ms
    )
    return CachedTranscript(
        transcript=transcript.model_copy(update={"segments": segments}),
        duration_ms=duration_ms,
        warnings=tuple(warnings),
    )

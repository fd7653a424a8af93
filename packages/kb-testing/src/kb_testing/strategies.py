"""Hypothesis strategies for the domain model, and a builder for documents of a recording."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from hypothesis import strategies as st

from kb_core import (
    AudioRefBlock,
    CanonicalDocument,
    ChunkPolicy,
    Citation,
    LineSpan,
    PageSpan,
    SegmentFlag,
    SourceSpan,
    TimedText,
    TimeSpan,
    Transcript,
    TranscriptSegment,
    Word,
    digest_hex,
    make_asset_id,
    make_block_id,
    make_doc_id,
)

MAX_TIME_MS = 400 * 3_600_000
"""Longer than any recording: hours in a citation then have three digits."""

_PHRASES = (
    "",
    " ",
    "네.",
    "회의를 시작할게요.",
    "We deploy on Thursday.",
    "我们开始吧。会議を始めます。",
    "the same again " * 8,
)
_PARSER_VERSION = "testing-v1"


def unicode_text(*, min_size: int = 0, max_size: int = 60) -> st.SearchStrategy[str]:
    """Any text that has a UTF-8 form: no lone surrogates."""
    return st.text(st.characters(exclude_categories=["Cs"]), min_size=min_size, max_size=max_size)


def spoken_text() -> st.SearchStrategy[str]:
    """Korean, English, Chinese, Japanese, emoji and decomposed letters, also mixed."""
    pieces = st.sampled_from(
        [
            "회의를",
            "시작할게요.",
            "deploy",
            "The cache",
            "我们开始吧。",
            "会議を",
            "👩‍👩‍👧",
            "é",
            "e\u0301",
            "42,",
        ]
    )
    return st.lists(pieces, min_size=1, max_size=12).map(" ".join)


def speakers() -> st.SearchStrategy[str | None]:
    """A few speakers, and nobody known."""
    return st.sampled_from([None, "S1", "S2", "지민"])


def transcript_segments(
    *, with_speakers: bool = True, max_segments: int = 25
) -> st.SearchStrategy[tuple[TranscriptSegment, ...]]:
    """Segments on a legal timeline; they may overlap, be blank, be suppressed, or last no time."""
    row = st.tuples(
        st.sampled_from([0, 0, 40, 900, 5000]),
        st.sampled_from([0, 600, 1000, 9000]),
        st.one_of(st.sampled_from(_PHRASES), spoken_text()),
        speakers() if with_speakers else st.none(),
        st.sampled_from([(), (), (), (SegmentFlag(code="repeated"),)]),
    )
    return st.lists(row, max_size=max_segments).map(_on_a_timeline)


def audio_documents(*, with_speakers: bool = True) -> st.SearchStrategy[CanonicalDocument]:
    """Documents of one recording."""
    return transcript_segments(with_speakers=with_speakers).map(audio_document)


def chunk_policies(chunker_version: str) -> st.SearchStrategy[ChunkPolicy]:
    """Policies from one token to more than any document of `audio_documents`."""
    return st.builds(
        ChunkPolicy,
        chunker_version=st.just(chunker_version),
        target_tokens=st.one_of(st.integers(1, 40), st.integers(41, 2000)),
        overlap_tokens=st.just(0),
        min_segments_per_chunk=st.integers(1, 4),
    )


def source_spans() -> st.SearchStrategy[SourceSpan]:
    """Spans of every kind."""
    ordered = st.tuples(st.integers(0, MAX_TIME_MS), st.integers(0, MAX_TIME_MS)).map(sorted)
    times = ordered.map(lambda pair: TimeSpan(start_ms=pair[0], end_ms=pair[1]))
    lines = ordered.map(lambda pair: LineSpan(start=pair[0] + 1, end=pair[1] + 1))
    pages = st.builds(
        lambda page, chars: PageSpan(page=page, char_start=chars[0], char_end=chars[1]),
        st.integers(1, 10_000),
        st.one_of(st.just((None, None)), ordered.map(tuple)),
    )
    return st.one_of(times, lines, pages)


def citations() -> st.SearchStrategy[Citation]:
    """Citations with any path, section and speaker, also ones that look like syntax."""
    syntax = st.sampled_from(
        [":", "#", '"', "%", "%41", "&", "=", "\\", "/", "\n", " ", "t=1,2", "L3", ":p4", ":L5-L6",
         ":00:10:00-00:20:00", "speaker=", ":section=x", "https://", "é", "e\u0301", "회의"]
    )  # fmt: skip
    hostile = st.lists(st.one_of(syntax, unicode_text(max_size=4)), min_size=1).map("".join)
    name = st.one_of(unicode_text(min_size=1), hostile).filter(bool)
    label = st.one_of(st.none(), unicode_text(), hostile)
    return st.builds(Citation, path=name, span=source_spans(), section=label, speaker=label)


@st.composite
def impossible_timings(draw: st.DrawFn) -> tuple[list[TimedText], int]:
    """What a recogniser may say, with the length of the recording in milliseconds."""
    duration_ms = draw(st.integers(0, 100_000))
    times = st.one_of(st.integers(-50_000, 200_000), st.integers(0, 9).map(lambda n: n * 10_000))
    raw = [
        TimedText(
            draw(times),
            draw(times),
            TranscriptSegment(
                start_ms=0, end_ms=0, text=f"text {place}", words=tuple(draw(_words()))
            ),
        )
        for place in range(draw(st.integers(0, 12)))
    ]
    return raw, duration_ms


def audio_document(
    segments: Sequence[TranscriptSegment],
    *,
    workspace_path: str = "meeting.m4a",
    duration_ms: int | None = None,
) -> CanonicalDocument:
    """Return the document of a recording with these segments; the same ones give the same ids.

    Args:
        segments: on a legal timeline.
        workspace_path: name of the recording; its bytes are made up from it.
        duration_ms: of the recording; by default it ends with the last segment.
    """
    end_ms = max((segment.end_ms for segment in segments), default=0)
    duration_ms = end_ms if duration_ms is None else duration_ms
    checksum = digest_hex(workspace_path.encode())
    asset_id = make_asset_id(checksum)
    doc_id = make_doc_id(
        workspace_path=workspace_path, asset_id=asset_id, parser_version=_PARSER_VERSION
    )
    span = TimeSpan(start_ms=0, end_ms=duration_ms)
    block = AudioRefBlock(
        block_id=make_block_id(
            doc_id=doc_id, block_kind="audio_ref", heading_path=(), ordinal=0, source_span=span
        ),
        source_span=span,
        asset_id=asset_id,
        duration_ms=duration_ms,
        transcript=Transcript(
            segments=tuple(segments),
            engine="testing",
            engine_version="1",
            model_id="none",
            model_version=checksum,
            transcript_version="0" * 32,
        ),
    )
    return CanonicalDocument(
        doc_id=doc_id,
        source_asset_id=asset_id,
        workspace_path=workspace_path,
        media_type="audio/mp4",
        title=workspace_path,
        blocks=(block,),
        parser_version=_PARSER_VERSION,
        doc_version=digest_hex(block.model_dump_json().encode()),
    )


def _on_a_timeline(
    rows: Sequence[tuple[int, int, str, str | None, tuple[SegmentFlag, ...]]],
) -> tuple[TranscriptSegment, ...]:
    starts_ms = accumulate(row[0] for row in rows)
    return tuple(
        TranscriptSegment(
            start_ms=start_ms, end_ms=start_ms + length_ms, text=text, speaker=who, flags=flags
        )
        for start_ms, (_, length_ms, text, who, flags) in zip(starts_ms, rows, strict=True)
    )


@st.composite
def _words(draw: st.DrawFn) -> list[Word]:
    pairs = draw(
        st.lists(
            st.tuples(st.integers(0, 150_000), st.integers(0, 150_000)).map(sorted), max_size=3
        )
    )
    return [
        Word(start_ms=start_ms, end_ms=end_ms, text=f"w{place}")
        for place, (start_ms, end_ms) in enumerate(pairs)
    ]

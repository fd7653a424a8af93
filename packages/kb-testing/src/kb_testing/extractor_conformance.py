"""What every extractor of documents must do, as checks that take one and a sample file.

@pytest.mark.parametrize("check", EXTRACTOR_CHECKS, ids=lambda check: check.__name__)
def test_extractor_conforms(check, tmp_path): check(extractor, Sample(...), tmp_path)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from kb_core import (
    CancelToken,
    CanonicalDocument,
    DocumentChoices,
    LineSpan,
    PageSpan,
    SourceSpan,
    nfc,
)
from kb_core.errors import Cancelled, InputError
from kb_core.ports.extractor import Extractor, ExtractRuntime
from kb_core.transcript_memory import TranscriptMemory
from kb_testing.documents import file_asset

_CUTS = 12


@dataclass(frozen=True, slots=True)
class Sample:
    """A file that the extractor reads.

    Attributes:
        name: of the file, with its extension.
        media_type: what it is sniffed as.
        content: its bytes.
    """

    name: str
    media_type: str
    content: bytes


ExtractorCheck = Callable[[Extractor, Sample, Path], None]


def extract(
    extractor: Extractor, sample: Sample, folder: Path, *, cancel: CancelToken | None = None
) -> CanonicalDocument:
    """Return what the extractor makes of a file that is written into `folder`."""
    path = folder / sample.name
    path.write_bytes(sample.content)
    runtime = ExtractRuntime(transcripts=TranscriptMemory(), cancel=cancel)
    return extractor.extract(file_asset(path, sample.media_type), runtime)


def check_two_runs_are_equal(extractor: Extractor, sample: Sample, folder: Path) -> None:
    """The same bytes at the same place give the same document, byte for byte."""
    first = extract(extractor, sample, folder).model_dump_json()
    assert extract(extractor, sample, folder).model_dump_json() == first


def check_blocks_are_whole_and_in_order(extractor: Extractor, sample: Sample, folder: Path) -> None:
    """Ids differ, texts are NFC and say something, spans never go back."""
    document = extract(extractor, sample, folder)
    assert document.blocks
    assert len({block.block_id for block in document.blocks}) == len(document.blocks)
    units = document.source_units()
    assert units
    for unit in units:
        assert unit.text.strip()
        assert nfc(unit.text) == unit.text
        assert "\0" not in unit.text
    places = [_place(unit.span) for unit in units]
    assert places == sorted(places)


def check_versions_tell_of_the_parser(extractor: Extractor, sample: Sample, folder: Path) -> None:
    """What the document says of its parser is what `versions` announces."""
    document = extract(extractor, sample, folder)
    assert extractor.accepts(sample.media_type)
    assert not extractor.accepts("other")
    assert extractor.versions(DocumentChoices()).parser_version == document.parser_version
    assert document.provenance
    assert document.title


def check_a_damaged_file_is_read_or_refused(
    extractor: Extractor, sample: Sample, folder: Path
) -> None:
    """Cut off or with bytes exchanged, a file gives a document or an error that names it."""
    content = sample.content
    step = max(1, len(content) // _CUTS)
    damaged = [content[:end] for end in range(0, len(content), step)]
    damaged += [
        content[:at] + b"\xff\x00\xfe" + content[at + 3 :] for at in range(0, len(content), step)
    ]
    for each in damaged:
        try:
            extract(extractor, Sample(sample.name, sample.media_type, each), folder)
        except InputError as error:
            assert sample.name in error.message  # noqa: PT017 (either way is right)


def check_a_stop_is_heard(extractor: Extractor, sample: Sample, folder: Path) -> None:
    """A stop that was asked for before ends in `Cancelled`, or in the whole document."""
    cancel = CancelToken()
    cancel.cancel()
    try:
        document = extract(extractor, sample, folder, cancel=cancel)
    except Cancelled:
        return
    assert document == extract(extractor, sample, folder)


EXTRACTOR_CHECKS: tuple[ExtractorCheck, ...] = (
    check_two_runs_are_equal,
    check_blocks_are_whole_and_in_order,
    check_versions_tell_of_the_parser,
    check_a_damaged_file_is_read_or_refused,
    check_a_stop_is_heard,
)


def _place(span: SourceSpan) -> tuple[int, int]:
    if isinstance(span, LineSpan):
        return span.start, 0
    if isinstance(span, PageSpan):
        return span.page, span.char_start or 0
    return span.start_ms, 0

"""The demonstration: a real recording, transcribed and searched in a throw-away knowledge base.

The recording is a public-domain reading of Shakespeare's second sonnet by LibriVox; see
`fixtures/README.md` of the source tree.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from importlib.resources import as_file, files
from pathlib import Path

from kb_app.container import Container
from kb_app.ingest import ingest
from kb_app.search import search
from kb_app.setup import init
from kb_app.wire import IngestProgressV1, IngestReportV1
from kb_app.wire_search import SearchResponseV1
from kb_config import load_settings
from kb_core import CancelToken
from kb_core.errors import KbError

DEMO_RECORDING = "sonnet-2.ogg"
DEMO_QUERIES = ("forty winters", "where all thy beauty lies")


def prepare_demo(folder: Path) -> tuple[Container, Path]:
    """Make a knowledge base in `folder` and put the bundled recording beside it."""
    workspace = folder / "recordings"
    workspace.mkdir(parents=True, exist_ok=True)
    recording = workspace / DEMO_RECORDING
    with as_file(files("kb_app") / "data" / DEMO_RECORDING) as bundled:
        shutil.copyfile(bundled, recording)
    data_dir = folder / "kb"
    init(load_settings(data_dir), workspace)
    return Container(load_settings(data_dir)), recording


def run_demo(
    container: Container,
    recording: Path,
    *,
    on_progress: Callable[[IngestProgressV1], None],
    cancel: CancelToken,
) -> tuple[IngestReportV1, list[SearchResponseV1]]:
    """Ingest the recording and ask the two searches.

    Raises:
        KbError: the recording could not be ingested.
    """
    report = ingest(container, [recording], on_progress=on_progress, cancel=cancel)
    for item in report.items:
        if item.error is not None:
            raise KbError(item.error, hint=item.error_hint)
    return report, [search(container, query) for query in DEMO_QUERIES]

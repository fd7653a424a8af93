"""Which models there are, where their files are, and what their digests must be.

A model is a folder in CTranslate2's layout. The digests of the embedded one are known without its
files, so the identity of a transcript needs neither an unpacked model nor a hash of gigabytes. Of a
model that a person added, a small record in its folder keeps the digests that its files had; it is
written last, so a folder without one is no model.

Nothing is published with digests that kb knows, so there is nothing to pull.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from kb_asr_faster_whisper.embedded import EMBEDDED_FILES, EMBEDDED_NAME, write_embedded
from kb_asr_faster_whisper.model_files import (
    WEIGHTS,
    FileDigest,
    digest_of,
    unusable,
    write_checked,
    write_whole,
)
from kb_asr_faster_whisper.model_folder import examined_files
from kb_core.errors import (
    InputError,
    ModelDigestMismatch,
    ModelError,
    ModelMissing,
    UnreadableFile,
    printable,
)
from kb_core.model import Model
from kb_core.ports.models import ByteProgress, ModelCheck, ModelInfo
from kb_core.runtime import CancelToken

ENGINE = "faster-whisper"
_PREFIX = "faster-whisper-"
_RECORD = "kb-model.json"
_NAME = re.compile(r"\w[\w.-]{0,99}")


@dataclass(frozen=True, slots=True)
class ResolvedModel:
    """A model's name, its folder (which need not be there yet) and the digests of its files."""

    name: str
    folder: Path
    files: Mapping[str, FileDigest]
    source: Literal["embedded", "added"]

    @property
    def weights(self) -> FileDigest:
        """Size and digest of the file with the weights."""
        return self.files[WEIGHTS]


class _FileRecord(Model):
    byte_len: int
    sha256: str


class _Record(Model):
    """What is kept in the folder of an added model."""

    schema_version: Literal[1] = 1
    name: str
    files: dict[str, _FileRecord]
    added_from: str


class FasterWhisperModelRegistry:
    """The models of faster-whisper in one folder."""

    def __init__(self, models_dir: Path) -> None:
        self._dir = models_dir

    @property
    def engine(self) -> str:
        """Name of the engine that uses these models."""
        return ENGINE

    def list_models(self) -> list[ModelInfo]:
        """Return all known models: the embedded one, then added ones, ordered by name.

        Reads no model file; an added model whose record is damaged is left out.
        """
        return [self._info(self._embedded()), *map(self._info, self._added_models())]

    def resolve(self, name: str) -> ResolvedModel:
        """Return folder and digests of a model without touching its files.

        Raises:
            ModelMissing: nobody knows a model of that name.
            ModelError: its record is damaged.
        """
        if name == EMBEDDED_NAME:
            return self._embedded()
        added = self._added(self._folder(name)) if _NAME.fullmatch(name) else None
        if added is None or added.name != name:
            raise ModelMissing(
                f"no model {printable(name)} for {ENGINE}",
                hint="`kb models list` shows what there is, `kb models add FOLDER` takes your own",
            )
        return added

    def obtain(self, name: str) -> Path:
        """Return the folder of a model, its digests checked; the embedded one is unpacked on use.

        Raises:
            FeatureMissing: the distributions with the embedded weights are not installed.
            ModelMissing: the model is not on this machine.
            ModelDigestMismatch: a file is not what it should be.
            ModelError: a file cannot be read or written.
        """
        model = self.resolve(name)
        if model.source == "embedded":
            if _first_fault(model) is not None:
                write_embedded(model.folder)
        elif (fault := _first_fault(model)) is not None:
            file, found = fault
            if found is None:
                raise _missing(model)
            raise ModelDigestMismatch(model.folder / file, model.files[file].sha256, found)
        return model.folder

    def pull(
        self, name: str, *, progress: ByteProgress, cancel: CancelToken | None = None
    ) -> ModelInfo:
        """Unpack the embedded model; no other one is published with a digest that kb knows.

        Raises:
            ModelMissing: it is not the embedded one.
            FeatureMissing, ModelDigestMismatch, ModelError: as `obtain`.
        """
        if name != EMBEDDED_NAME:
            raise ModelMissing(
                f"kb knows no published model {printable(name)} for {ENGINE}",
                hint="download the folder of a Whisper model for CTranslate2 by hand and run "
                "`kb models add FOLDER`",
            )
        model = self.resolve(name)
        self.obtain(name)
        progress(model.weights.byte_len, model.weights.byte_len)
        return self._info(model)

    def add(self, file: Path, *, name: str | None = None) -> ModelInfo:
        """Copy a model into the registry; the same one under the same name changes nothing.

        Args:
            file: the folder of a model, or the `model.bin` in it.
            name: default: from the folder's name.

        Raises:
            InputError: it cannot be read or is no Whisper model of CTranslate2.
            ModelError: another model has that name, or the name is unusable.
        """
        source = file if file.is_dir() else file.parent
        name = name or source.absolute().name.removeprefix(_PREFIX)
        if not _NAME.fullmatch(name):
            raise ModelError(
                f"{printable(name)} cannot be the name of a model",
                hint="name it with --name, in letters, digits, dots and dashes",
            )
        files = examined_files(file)
        known = self._known_as(name)
        if known is not None and (known.files != files or known.name != name):
            raise ModelError(
                f"{known.name} is the name of another model", hint="give this one a --name"
            )
        target = self._folder(name)
        for each, expected in files.items():
            self._copy(source / each, target / each, expected)
        if known is None:
            record = _Record(
                name=name,
                files={
                    each: _FileRecord(byte_len=digest.byte_len, sha256=digest.sha256)
                    for each, digest in files.items()
                },
                added_from=printable(str(file)),
            )
            text = record.model_dump_json(indent=2) + "\n"
            write_whole(target / _RECORD, text.encode("utf-8"))
        return self._info(self.resolve(name))

    def verify(self, name: str | None = None) -> list[ModelCheck]:
        """Read model files again and compare their digests; all that are here, or one.

        Among all, a damaged record of an added model is a failed check, too.

        Raises:
            ModelMissing: no model of that name is here.
            ModelError: a file or the record of that name cannot be read.
        """
        if name is not None:
            model = self.resolve(name)
            if not (model.folder / WEIGHTS).exists():
                raise _missing(model)
            return [_check(model)]
        models = [self._embedded(), *self._added_models()]
        checks = [_check(model) for model in models if (model.folder / WEIGHTS).exists()]
        return [*checks, *self._damaged_records()]

    def _embedded(self) -> ResolvedModel:
        return ResolvedModel(EMBEDDED_NAME, self._folder(EMBEDDED_NAME), EMBEDDED_FILES, "embedded")

    def _folder(self, name: str) -> Path:
        return self._dir / f"{_PREFIX}{name}"

    def _folders(self) -> list[Path]:
        found = sorted(path.parent for path in self._dir.glob(f"{_PREFIX}*/{_RECORD}"))
        return [folder for folder in found if folder != self._folder(EMBEDDED_NAME)]

    def _added_models(self) -> list[ResolvedModel]:
        """The added models whose record can be read, ordered by name."""
        models = []
        for folder in self._folders():
            try:
                model = self._added(folder)
            except ModelError:
                continue
            if model is not None:
                models.append(model)
        return sorted(models, key=lambda model: model.name)

    def _damaged_records(self) -> Iterator[ModelCheck]:
        for folder in self._folders():
            try:
                self._added(folder)
            except ModelError as error:
                name = printable(folder.name.removeprefix(_PREFIX))
                yield ModelCheck(name=name, ok=False, detail=error.message)

    def _added(self, folder: Path) -> ResolvedModel | None:
        """Return the model that a folder's record describes, None when there is no record.

        Raises:
            ModelError: the record cannot be read, is damaged, or belongs to another folder.
        """
        path = folder / _RECORD
        try:
            record = _Record.model_validate_json(path.read_bytes())
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise unusable(path, error) from error
        except ValidationError as error:
            raise _damaged(path) from error
        at_home = _NAME.fullmatch(record.name) and self._folder(record.name).exists()
        if not at_home or not self._folder(record.name).samefile(folder):
            raise _damaged(path)
        if WEIGHTS not in record.files or any(Path(each).name != each for each in record.files):
            raise _damaged(path)
        files = {
            each: FileDigest(digest.byte_len, digest.sha256)
            for each, digest in record.files.items()
        }
        return ResolvedModel(record.name, folder, files, "added")

    def _known_as(self, name: str) -> ResolvedModel | None:
        """The model of that name; upper and lower case are one name on many file systems."""
        models = [self._embedded(), *self._added_models()]
        return next((each for each in models if each.name.casefold() == name.casefold()), None)

    @staticmethod
    def _copy(source: Path, target: Path, expected: FileDigest) -> None:
        try:
            if target.exists() and digest_of(target) == expected:
                return
            found = write_checked(target, [source], expected.sha256)
        except OSError as error:
            if error.filename == str(source):
                raise UnreadableFile(
                    source, (error.strerror or "cannot be read").lower()
                ) from error
            raise unusable(target, error) from error
        if found != expected.sha256:
            raise InputError(source, "changed while it was copied")

    @staticmethod
    def _info(model: ResolvedModel) -> ModelInfo:
        weights = model.folder / WEIGHTS
        here = weights.exists() and weights.stat().st_size == model.weights.byte_len
        absent: Literal["embedded", "available"] = (
            "embedded" if model.source == "embedded" else "available"
        )
        return ModelInfo(
            name=model.name,
            engine=ENGINE,
            status="ready" if here else absent,
            source=model.source,
            path=str(weights) if here else None,
            byte_len=model.weights.byte_len,
            digest_sha256=model.weights.sha256 if here else None,
        )


def _first_fault(model: ResolvedModel) -> tuple[str, str | None] | None:
    """Return the first file that is not what it should be and its digest; None for its absence."""
    for name, expected in model.files.items():
        path = model.folder / name
        try:
            found = digest_of(path)
        except (FileNotFoundError, NotADirectoryError):
            return name, None
        except OSError as error:
            raise unusable(path, error) from error
        if found.sha256 != expected.sha256:
            return name, found.sha256
    return None


def _check(model: ResolvedModel) -> ModelCheck:
    fault = _first_fault(model)
    if fault is None:
        return ModelCheck(name=model.name, ok=True, detail="digests match")
    name, found = fault
    if found is None:
        return ModelCheck(name=model.name, ok=False, detail=f"{name} is gone")
    expected = model.files[name].sha256
    detail = f"{name}: digest {found[:16]}… where {expected[:16]}… was expected"
    return ModelCheck(name=model.name, ok=False, detail=detail)


def _damaged(path: Path) -> ModelError:
    name = path.parent.name.removeprefix(_PREFIX)
    return ModelError(
        f"{printable(str(path))}: damaged record of an added model",
        hint=f"add the model again with `kb models add FOLDER --name {name}`",
    )


def _missing(model: ResolvedModel) -> ModelMissing:
    way_out = {
        "added": f"`kb models add FOLDER --name {model.name}`",
        "embedded": "the next `kb ingest` unpacks it",
    }
    return ModelMissing(f"model {model.name} is not on this machine", hint=way_out[model.source])

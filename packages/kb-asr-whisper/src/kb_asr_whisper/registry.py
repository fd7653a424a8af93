"""Which models there are, where their files are, and what their digests must be.

The digest of an embedded or published model is known without its file, so the identity of a
transcript needs neither an unpacked model nor a hash of gigabytes. For a model that a person added,
a small record beside the file keeps the digest that it had when it was added; one record a model,
so that two processes never rewrite each other's.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

from pydantic import ValidationError

from kb_asr_whisper.download import download
from kb_asr_whisper.embedded import EMBEDDED_NAME, write_embedded
from kb_asr_whisper.ggml_header import read_header
from kb_asr_whisper.model_files import sha256_of, unusable, write_whole
from kb_asr_whisper.published import PUBLISHED_MODELS, PUBLISHED_URL
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

ENGINE = "whisper.cpp"
_NAME = re.compile(r"\w[\w.-]{0,99}")
_SLICE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class ResolvedModel:
    """A model's name, the place of its file (which need not be there yet) and its SHA-256."""

    name: str
    path: Path
    sha256: str
    byte_len: int
    source: Literal["embedded", "published", "added"]


class _Record(Model):
    """What is kept beside the file of an added model."""

    schema_version: Literal[1] = 1
    name: str
    sha256: str
    byte_len: int
    added_from: str


class WhisperModelRegistry:
    """The models of whisper.cpp in one folder; `base_url` is where published ones are fetched."""

    def __init__(self, models_dir: Path, *, base_url: str | None = None) -> None:
        self._dir = models_dir
        self._base_url = base_url or PUBLISHED_URL

    @property
    def engine(self) -> str:
        """Name of the engine that uses these models."""
        return ENGINE

    def list_models(self) -> list[ModelInfo]:
        """Return all known models: embedded, added, then published ones, each ordered by name.

        Reads no model file; an added model whose record is damaged is left out.
        """
        published = sorted(PUBLISHED_MODELS.keys() - {EMBEDDED_NAME})
        added = [self._added(record) for _, record in sorted(self._records().items())]
        models = [self.resolve(EMBEDDED_NAME), *added, *map(self.resolve, published)]
        return [self._info(model) for model in models]

    def resolve(self, name: str) -> ResolvedModel:
        """Return place and digest of a model without touching its file.

        Raises:
            ModelMissing: nobody knows a model of that name.
            ModelError: its record is damaged.
        """
        if name in PUBLISHED_MODELS:
            model = PUBLISHED_MODELS[name]
            source: Literal["embedded", "published"] = (
                "embedded" if name == EMBEDDED_NAME else "published"
            )
            return ResolvedModel(name, self._path(name), model.sha256, model.byte_len, source)
        record = self._record_at(self._record_path(name)) if _NAME.fullmatch(name) else None
        if record is None or record.name != name:
            raise ModelMissing(
                f"no model {printable(name)} for {ENGINE}",
                hint="`kb models list` shows what there is, `kb models add FILE` takes your own",
            )
        return self._added(record)

    def obtain(self, name: str) -> Path:
        """Return the file of a model, its digest checked; the embedded one is unpacked if need be.

        Raises:
            ModelMissing: the model is not on this machine.
            ModelDigestMismatch: the file is not what it should be.
            ModelError: the file cannot be read or written.
        """
        model = self.resolve(name)
        if model.source == "embedded":
            if not self._is_whole(model):
                write_embedded(model.path)
            return model.path
        if not model.path.exists():
            raise _missing(model)
        found = sha256_of(model.path)
        if found != model.sha256:
            raise ModelDigestMismatch(model.path, model.sha256, found)
        return model.path

    def pull(
        self, name: str, *, progress: ByteProgress, cancel: CancelToken | None = None
    ) -> ModelInfo:
        """Fetch a published model; one that is here, or comes embedded, is not fetched again.

        A file that is here is read for that, and replaced when it is not the published one.

        Raises:
            ModelMissing: no model of that name is published.
            ModelDownloadFailed: network or server; what arrived is kept.
            ModelDigestMismatch: what arrived is not the published file; it is deleted.
            ModelError: the file cannot be written.
        """
        if name not in PUBLISHED_MODELS:
            known = ", ".join(PUBLISHED_MODELS)
            raise ModelMissing(
                f"no model {printable(name)} is published for {ENGINE}", hint=f"there are: {known}"
            )
        model = self.resolve(name)
        if model.source == "embedded":
            self.obtain(name)
        elif not self._is_whole(model):
            url = f"{self._base_url.rstrip('/')}/{model.path.name}"
            download(url, model.path, PUBLISHED_MODELS[name], progress=progress, cancel=cancel)
        progress(model.byte_len, model.byte_len)
        return self._info(model)

    def add(self, file: Path, *, name: str | None = None) -> ModelInfo:
        """Copy a model file into the registry; the same file under the same name changes nothing.

        A file that is byte for byte a published model counts as that model under its name.

        Raises:
            InputError: the file cannot be read or is no model of whisper.cpp.
            ModelError: another model has that name, or the name is unusable.
        """
        name = name or file.stem.removeprefix("ggml-")
        if not _NAME.fullmatch(name):
            raise ModelError(
                f"{printable(name)} cannot be the name of a model",
                hint="name it with --name, in letters, digits, dots and dashes",
            )
        sha256, byte_len = _examined(file)
        known = self._known_as(name)
        if known is not None and (known.sha256 != sha256 or known.name != name):
            raise ModelError(
                f"{known.name} is the name of another model", hint="give this one a --name"
            )
        target = self._path(name)
        if not target.exists() or sha256_of(target) != sha256:
            written = write_whole(target, _pieces(file))
            if written != sha256:
                target.unlink(missing_ok=True)
                raise InputError(file, "changed while it was copied")
        if known is None:
            record = _Record(
                name=name, sha256=sha256, byte_len=byte_len, added_from=printable(str(file))
            )
            text = record.model_dump_json(indent=2) + "\n"
            write_whole(self._record_path(name), [text.encode("utf-8")])
        return self._info(self.resolve(name))

    def verify(self, name: str | None = None) -> list[ModelCheck]:
        """Read model files again and compare their digests; all that are here, or one.

        Among all, a damaged record of an added model is a failed check, too.

        Raises:
            ModelMissing: no model of that name is here.
            ModelError: the file or record of that name cannot be read.
        """
        if name is not None:
            model = self.resolve(name)
            if not model.path.exists():
                raise _missing(model)
            return [_check(model)]
        models = (self.resolve(info.name) for info in self.list_models())
        checks = [_check(model) for model in models if model.path.exists()]
        return [*checks, *self._damaged_records()]

    def _known_as(self, name: str) -> ResolvedModel | None:
        """The model of that name; upper and lower case are one name on many file systems."""
        names = {known.casefold(): known for known in (*PUBLISHED_MODELS, *self._records())}
        known = names.get(name.casefold())
        return None if known is None else self.resolve(known)

    def _added(self, record: _Record) -> ResolvedModel:
        path = self._path(record.name)
        return ResolvedModel(record.name, path, record.sha256, record.byte_len, "added")

    def _records(self) -> dict[str, _Record]:
        """The records that can be read, by name."""
        records = {}
        for path in self._record_paths():
            with contextlib.suppress(ModelError):
                if record := self._record_at(path):
                    records[record.name] = record
        return records

    def _damaged_records(self) -> Iterator[ModelCheck]:
        for path in self._record_paths():
            try:
                self._record_at(path)
            except ModelError as error:
                name = printable(path.stem.removeprefix("ggml-"))
                yield ModelCheck(name=name, ok=False, detail=error.message)

    def _record_paths(self) -> list[Path]:
        return sorted(self._dir.glob("ggml-*.json"))

    def _record_at(self, path: Path) -> _Record | None:
        """Return the record in a file, None when there is no such file.

        Raises:
            ModelError: it cannot be read, is damaged, or belongs to another file.
        """
        try:
            record = _Record.model_validate_json(path.read_bytes())
            is_at_home = bool(_NAME.fullmatch(record.name)) and path.samefile(
                self._record_path(record.name)
            )
        except FileNotFoundError:
            if not path.exists():
                return None
            is_at_home = False
        except OSError as error:
            raise unusable(path, error) from error
        except ValidationError as error:
            raise _damaged(path) from error
        if not is_at_home:
            raise _damaged(path)
        return record

    def _info(self, model: ResolvedModel) -> ModelInfo:
        here = self._is_here(model)
        absent: Literal["embedded", "available"] = (
            "embedded" if model.source == "embedded" else "available"
        )
        return ModelInfo(
            name=model.name,
            engine=ENGINE,
            status="ready" if here else absent,
            source=model.source,
            path=str(model.path) if here else None,
            byte_len=model.byte_len,
            digest_sha256=model.sha256 if here else None,
        )

    @staticmethod
    def _is_here(model: ResolvedModel) -> bool:
        """Whether there is a file of the right size; cheap, and no proof."""
        return model.path.exists() and model.path.stat().st_size == model.byte_len

    def _is_whole(self, model: ResolvedModel) -> bool:
        return self._is_here(model) and sha256_of(model.path) == model.sha256

    def _path(self, name: str) -> Path:
        return self._dir / f"ggml-{name}.bin"

    def _record_path(self, name: str) -> Path:
        return self._dir / f"ggml-{name}.json"


def _damaged(path: Path) -> ModelError:
    name = path.stem.removeprefix("ggml-")
    return ModelError(
        f"{printable(str(path))}: damaged record of an added model",
        hint=f"add the model again with `kb models add FILE --name {name}`",
    )


def _missing(model: ResolvedModel) -> ModelMissing:
    way_out = {
        "published": f"`kb models pull {model.name}`",
        "added": f"`kb models add FILE --name {model.name}`",
        "embedded": "the next `kb ingest` unpacks it",
    }
    return ModelMissing(f"model {model.name} is not on this machine", hint=way_out[model.source])


def _check(model: ResolvedModel) -> ModelCheck:
    found = sha256_of(model.path)
    if found == model.sha256:
        return ModelCheck(name=model.name, ok=True, detail="digest matches")
    detail = f"digest {found[:16]}… where {model.sha256[:16]}… was expected"
    return ModelCheck(name=model.name, ok=False, detail=detail)


def _examined(file: Path) -> tuple[str, int]:
    """Return SHA-256 and size of a file that is a whisper.cpp model."""
    with _opened(file) as opened:
        byte_len = file.stat().st_size
        try:
            header = read_header(opened)
        except ValueError as error:
            raise InputError(
                file, str(error), hint="kb takes models in whisper.cpp's ggml format"
            ) from error
    if byte_len < header.least_byte_len:
        raise InputError(file, "the model file is cut short", hint="copy it again")
    return sha256_of(file), byte_len


def _pieces(file: Path) -> Iterator[bytes]:
    with _opened(file) as opened:
        while piece := opened.read(_SLICE_BYTES):
            yield piece


def _opened(file: Path) -> BinaryIO:
    try:
        return file.open("rb")
    except OSError as error:
        reason = (error.strerror or "cannot be read").lower()
        raise UnreadableFile(file, reason) from error

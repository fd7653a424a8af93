"""Finding the reference of a recording among the files beside it.

The first that is there tells the text, the first with times adds them:

1. `NAME.txt`: plain text; empty where nothing is said
2. `NAME.json`, then `NAME.words.json`: parts or words with their times
3. without these, `metadata.csv` of LJ Speech or `transcription.txt` of Sphinx: a line a recording

A recording without any of these, in a folder named `nonspeech`, is known to say nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from kb_core.errors import InputError, UnreadableFile
from kb_eval.languages import language_told_by
from kb_eval.readers import read_ljspeech, read_sphinx, read_text, read_timed_json
from kb_eval.reference import Reference

SILENT_FOLDER = "nonspeech"
_MOST_BYTES = 64 * 1024 * 1024


def find_reference(recording: Path, root: Path) -> Reference | None:
    """Return what a recording is known to say; None when nothing is known.

    Args:
        recording: below `root`.
        root: folder of the whole collection; its name and those of the folders in it may tell the
            language.

    Raises:
        InputError: a reference is there and cannot be used.
    """
    found = [reference for reference in _references(recording) if reference is not None]
    place = Path(root.resolve().name) / recording.relative_to(root)
    if not found:
        return Reference(text="") if SILENT_FOLDER in place.parent.parts else None
    timed = next((each for each in found if each.parts or each.words), found[0])
    languages = [each.language for each in found if each.language is not None]
    if not languages and not any(part.language for part in timed.parts):
        told = language_told_by(place)
        languages = [told] if told is not None else []
    return Reference(
        text=found[0].text,
        parts=timed.parts,
        words=timed.words,
        language=next(iter(languages), None),
    )


def _references(recording: Path) -> Iterator[Reference | None]:
    folder, name = recording.parent, recording.stem
    plain = _read(folder / f"{name}.txt")
    own = [
        None if plain is None else read_text(plain),
        _timed(folder / f"{name}.json"),
        _timed(folder / f"{name}.words.json"),
    ]
    yield from own
    if not any(own):
        rows, lines = _read(folder / "metadata.csv"), _read(folder / "transcription.txt")
        yield None if rows is None else read_ljspeech(rows, name)
        yield None if lines is None else read_sphinx(lines, name)


def _timed(path: Path) -> Reference | None:
    text = _read(path)
    if text is None:
        return None
    try:
        return read_timed_json(text)
    except ValueError as error:
        reason = f"no usable reference: {' '.join(str(error).split())}"
        hint = "the README of kb-eval shows the formats"
        raise InputError(path, reason, hint=hint) from error


def _read(path: Path) -> str | None:
    """Return the text of a file; None when there is no such file."""
    try:
        if not path.is_file():
            return None
        with path.open("rb") as stream:
            content = stream.read(_MOST_BYTES + 1)
    except OSError as error:
        raise UnreadableFile(path, error.strerror or str(error)) from error
    if len(content) > _MOST_BYTES:
        raise InputError(path, "too long for a reference")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(path, "is not UTF-8", hint="save it as UTF-8") from error

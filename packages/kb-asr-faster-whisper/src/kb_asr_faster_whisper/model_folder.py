"""Recognises a Whisper model in CTranslate2's layout: which files it has, and that they are those.

`tokenizer.json` is demanded although the library would do without: it would ask the network.
"""

from __future__ import annotations

import struct
from pathlib import Path

from kb_asr_faster_whisper.model_files import WEIGHTS, FileDigest, digest_of
from kb_core.errors import InputError, UnreadableFile

_NEEDED = ("config.json", "tokenizer.json")
_VOCABULARIES = ("vocabulary.json", "vocabulary.txt")
_OPTIONAL = ("preprocessor_config.json",)
_KIND = b"WhisperSpec\0"
_MOST_VERSION = 100
_WAY_OUT = "kb takes the folder of a Whisper model that was converted for CTranslate2"


def examined_files(file: Path) -> dict[str, FileDigest]:
    """Return size and digest of each file that belongs to a model, the weights last.

    Args:
        file: the folder, or the `model.bin` in it.

    Raises:
        InputError: it cannot be read or is no such model.
    """
    folder = file if file.is_dir() else file.parent
    if not file.is_dir() and file.name != WEIGHTS and file.exists():
        raise InputError(file, f"not a {WEIGHTS}", hint=_WAY_OUT)
    if not file.exists():
        raise UnreadableFile(file, "no such file or folder")
    vocabulary = [name for name in _VOCABULARIES if (folder / name).exists()][:1]
    optional = [name for name in _OPTIONAL if (folder / name).exists()]
    names = [*_NEEDED, *(vocabulary or _VOCABULARIES[:1]), *optional, WEIGHTS]
    for name in names:
        if not (folder / name).is_file():
            raise InputError(file, f"there is no {name} in the folder", hint=_WAY_OUT)
    try:
        _check_kind(folder / WEIGHTS)
        return {name: digest_of(folder / name) for name in names}
    except OSError as error:
        raise UnreadableFile(file, (error.strerror or "cannot be read").lower()) from error


def _check_kind(weights: Path) -> None:
    """Look at how the file begins: u32 version, u16 length, the kind with a closing NUL."""
    with weights.open("rb") as opened:
        head = opened.read(6 + len(_KIND))
    version, length = struct.unpack_from("<IH", head.ljust(6, b"\0"))
    if not 0 < version <= _MOST_VERSION or length != len(_KIND) or head[6:] != _KIND:
        raise InputError(weights, "not the weights of a Whisper model", hint=_WAY_OUT)

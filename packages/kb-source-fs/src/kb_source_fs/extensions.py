"""What a file's name promises."""

from __future__ import annotations

from pathlib import PurePath

_BY_EXTENSION: dict[str, str] = {
    "3gp": "video/3gpp",
    "aac": "audio/aac",
    "ac3": "audio/ac3",
    "aif": "audio/aiff",
    "aifc": "audio/aiff",
    "aiff": "audio/aiff",
    "amr": "audio/amr",
    "ape": "audio/x-ape",
    "asf": "video/x-ms-asf",
    "au": "audio/basic",
    "avi": "video/x-msvideo",
    "caf": "audio/x-caf",
    "dsf": "audio/x-dsf",
    "flac": "audio/flac",
    "flv": "video/x-flv",
    "m2ts": "video/mp2t",
    "m4a": "audio/mp4",
    "m4b": "audio/mp4",
    "m4v": "video/mp4",
    "mka": "audio/x-matroska",
    "mkv": "video/x-matroska",
    "mov": "video/quicktime",
    "mp2": "audio/mpeg",
    "mp3": "audio/mpeg",
    "mp4": "video/mp4",
    "mpeg": "video/mpeg",
    "mpg": "video/mpeg",
    "mts": "video/mp2t",
    "oga": "audio/ogg",
    "ogg": "audio/ogg",
    "ogv": "video/ogg",
    "opus": "audio/ogg",
    "snd": "audio/basic",
    "spx": "audio/ogg",
    "tak": "audio/x-tak",
    "ts": "video/mp2t",
    "tta": "audio/x-tta",
    "vob": "video/mpeg",
    "w64": "audio/x-w64",
    "wav": "audio/wav",
    "weba": "audio/webm",
    "webm": "video/webm",
    "wma": "audio/x-ms-wma",
    "wmv": "video/x-ms-wmv",
    "wv": "audio/x-wavpack",
    "ass": "subtitle",
    "dfxp": "subtitle",
    "lrc": "subtitle",
    "sbv": "subtitle",
    "srt": "subtitle",
    "ssa": "subtitle",
    "ttml": "subtitle",
    "vtt": "subtitle",
    "markdown": "markdown",
    "md": "markdown",
    "mdown": "markdown",
    "mkd": "markdown",
    "pdf": "pdf",
    "text": "text",
    "txt": "text",
}
_NAMES_OF_SOURCE_CODE_TOO = frozenset({"ts", "mts"})


def extension_of(name: str) -> str:
    """Return the extension in lower case, without its dot."""
    return PurePath(name).suffix.removeprefix(".").lower()


def media_type_named(extension: str) -> str:
    """Return the media type that an extension promises, `other` for an unknown one."""
    return _BY_EXTENSION.get(extension, "other")


def is_named_audio(extension: str) -> bool:
    """Return whether an extension promises sound without pictures."""
    return media_type_named(extension).startswith("audio/")


def may_be_source_code(extension: str) -> bool:
    """Return whether program text has that extension too, as TypeScript has `.ts`."""
    return extension in _NAMES_OF_SOURCE_CODE_TOO

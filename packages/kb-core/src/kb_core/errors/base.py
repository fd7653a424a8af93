"""What every error of kb is, and those that belong to no part of it."""

from __future__ import annotations

from typing import ClassVar


class KbError(Exception):
    """Base of all errors that kb raises on purpose."""

    code: ClassVar[str] = "error"
    hint: str | None = None

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        self.message = printable(message)
        super().__init__(self.message)
        if hint is not None:
            self.hint = printable(hint)

    def __str__(self) -> str:
        return self.message


class ConfigError(KbError):
    """A setting or a policy that makes no sense."""

    code = "bad_config"


class CitationSyntaxError(KbError):
    """Text that is not a citation in any of the spellings."""

    code = "citation_syntax"

    def __init__(self, text: str, reason: str) -> None:
        self.text = text
        super().__init__(
            f"not a citation: {printable(text)}: {reason}",
            hint="a citation looks like meeting.m4a:00:13:42-00:14:10, paper.pdf:p13 or a.md:L3-L9",
        )


class ExportError(KbError):
    """A format that cannot hold what it was asked to hold."""

    code = "export_error"


class NotFound(KbError):
    """Nothing of that name is in the knowledge base."""

    code = "not_found"

    def __init__(self, kind: str, name: str, *, hint: str | None = None) -> None:
        super().__init__(f"no {kind} {printable(name)} in the knowledge base", hint=hint)


class FeatureMissing(KbError):
    """The distribution that provides a feature is not installed."""

    code = "feature_missing"

    def __init__(self, feature: str, distribution: str) -> None:
        super().__init__(
            f"{feature} is not available: {distribution} is not installed",
            hint=f"install {distribution} beside kb",
        )


class Cancelled(KbError):
    """The user asked to stop."""

    code = "cancelled"

    def __init__(self, message: str = "stopped; what was finished is kept") -> None:
        super().__init__(message, hint="run the same command again to go on")


def printable(text: str) -> str:
    """Return `text` on one line, with undecodable bytes and controls shown as escapes."""
    return "".join(
        char if char.isprintable() and not 0xD800 <= ord(char) <= 0xDFFF else _escaped(char)
        for char in text
    )


def _escaped(char: str) -> str:
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:  # surrogateescape: the byte itself
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"

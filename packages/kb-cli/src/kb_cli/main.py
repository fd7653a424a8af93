"""Entry point and last line of defence.

Every error that kb raises on purpose ends here as `error: …` and `hint: …`; anything else is a bug,
which is named in one line too; only `--debug` shows a traceback. Under `--json` each of them is an
`error.v1` on stdout as well. The commands are imported inside, so that a Ctrl-C is answered from
the first moment.
"""

from __future__ import annotations

import signal
import sys
import traceback
from collections.abc import Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

from kb_cli.exit_codes import ExitCode
from kb_cli.session import session
from kb_cli.streams import lasting_streams
from kb_cli.terminal import for_terminal

if TYPE_CHECKING:
    from typer import TyperException

_TYPER_INTERRUPTED = 130
"""Typer turns a KeyboardInterrupt into this exit code, which no command of kb uses."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    session.reset()
    session.json_output = _asks_for_json(given)
    try:
        with lasting_streams():
            return _run_to_its_end(given)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        return _fail(f"the answer could not be written: {reason}", None)


def _run_to_its_end(given: list[str]) -> int:
    try:
        return _run(given)
    except KeyboardInterrupt:
        return _stopped()
    except Exception as error:  # noqa: BLE001 - the one place where a bug becomes a line
        return _report(error)


def _run(given: list[str]) -> int:
    import typer

    from kb_cli.app import app

    try:
        code = app(args=given, prog_name="kb", standalone_mode=False)
    except typer.Abort:
        return _stopped()
    except typer.TyperException as error:
        return _report_usage(error)
    if code == _TYPER_INTERRUPTED:
        return _stopped()
    return int(code) if isinstance(code, int) else ExitCode.OK


def _asks_for_json(given: Sequence[str]) -> bool:
    """Guess what `--json` will be, for what fails before the options are understood."""
    return "--json" in takewhile(lambda argument: argument != "--", given)


def _stopped() -> int:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process ends; no third Ctrl-C may garble it
    from kb_core.errors import Cancelled

    return _report(Cancelled("stopped"))


def _report_usage(error: TyperException) -> int:
    message = error.format_message()
    if type(error).__name__ == "NoArgsIsHelpError":  # which typer does not export
        print(message, file=sys.stderr)
        return ExitCode.ERROR
    message = " ".join(message.split())
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "kb"
    return _fail(message, f"`{command} --help` shows what it takes", code="usage")


def _report(error: Exception) -> int:
    from kb_core.errors import Cancelled, KbError

    if session.debug:
        traceback.print_exception(error)
    if isinstance(error, Cancelled):
        return _fail("stopped", error.hint, code=error.code, exit_code=ExitCode.PARTLY_DONE)
    if isinstance(error, KbError):
        return _fail(error.message, error.hint, code=error.code)
    detail = " ".join(f"{type(error).__name__}: {error}".split())
    hint = "run again with --debug and report what it prints"
    return _fail(f"a bug in kb: {detail}", hint, code="bug")


def _fail(
    message: str, hint: str | None, *, code: str | None = None, exit_code: ExitCode = ExitCode.ERROR
) -> int:
    """Print an error for people, and under `--json` for programs too unless it has no code."""
    message = for_terminal(message)
    if code is not None and session.json_output:
        from kb_app.wire import ErrorV1

        session.print_json(ErrorV1(code=code, message=message, hint=hint))
    print(f"error: {message}", file=sys.stderr)
    if hint:
        print(f"hint: {for_terminal(hint)}", file=sys.stderr)
    return exit_code

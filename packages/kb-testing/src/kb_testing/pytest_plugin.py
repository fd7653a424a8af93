"""Pytest plugin: the tests that press Ctrl-C work wherever pytest was started.

A shell that starts a command in the background has it ignore SIGINT, and its children too; a test
that sends one would then wait for ever. A handler that is set here is reset to the default in child
processes.
"""

from __future__ import annotations

import signal

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Take SIGINT back when it is ignored."""
    del config
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)

"""Runs a long call of a C library so that KeyboardInterrupt neither waits for it nor crosses it.

Python runs signal handlers in the main thread, between its own instructions. Were the call made
there, the first such instruction would be inside a callback from C, and an exception of the handler
would unwind the library's frames. So the call gets a thread of its own and the main one waits.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import TypeVar

Result = TypeVar("Result")


def call_interruptibly(call: Callable[[], Result], ask_to_stop: Callable[[], None]) -> Result:
    """Return what `call` returns.

    Args:
        call: runs in another thread.
        ask_to_stop: makes `call` end early; called on every KeyboardInterrupt.

    Raises:
        KeyboardInterrupt: it was raised here meanwhile; `call` has ended by then.
    """
    outcome: Future[Result] = Future()
    begun = threading.Lock()
    interrupted = False

    def run() -> None:
        if not begun.acquire(blocking=False):
            return
        try:
            outcome.set_result(call())
        except BaseException as error:  # noqa: BLE001 - raised again where the result is asked for
            outcome.set_exception(error)

    while True:
        try:
            if outcome.done():
                break
            # After an interrupt nobody knows whether the thread had started; a second one does
            # nothing then.
            threading.Thread(target=run).start()
            wait([outcome])
        except KeyboardInterrupt:
            interrupted = True
            ask_to_stop()
    if interrupted:
        raise KeyboardInterrupt
    return outcome.result()

import signal
import sys
import threading
import time

import pytest

from kb_asr_whisper.interruptible import call_interruptibly

on_posix = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


def press_ctrl_c() -> None:
    main = threading.main_thread().ident
    assert main is not None
    signal.pthread_kill(main, signal.SIGINT)


def test_result_and_error_of_the_call_are_its_own():
    assert call_interruptibly(lambda: 7, ask_to_stop=lambda: None) == 7
    with pytest.raises(ZeroDivisionError):
        call_interruptibly(lambda: 1 // 0, ask_to_stop=lambda: None)


@on_posix
def test_interrupt_stops_the_call_and_is_raised_when_it_has_ended():
    stop = threading.Event()
    ended = []

    def call() -> None:
        press_ctrl_c()
        ended.append(stop.wait(10))

    with pytest.raises(KeyboardInterrupt):
        call_interruptibly(call, ask_to_stop=stop.set)
    assert ended == [True]


@on_posix
def test_impatience_does_not_leave_the_call_running():
    asked = []
    again = threading.Event()
    ended = []

    def call() -> None:
        press_ctrl_c()
        again.wait(10)
        time.sleep(0.1)
        press_ctrl_c()
        while len(asked) < 2:
            time.sleep(0.01)
        ended.append(True)

    def ask_to_stop() -> None:
        asked.append(True)
        again.set()

    with pytest.raises(KeyboardInterrupt):
        call_interruptibly(call, ask_to_stop=ask_to_stop)
    assert ended == [True]


@on_posix
def test_interrupt_reaches_no_code_of_the_call():
    stop = threading.Event()
    seen = []

    def called_back() -> bool:
        return stop.is_set()

    def call() -> None:
        press_ctrl_c()
        try:
            while not called_back():
                time.sleep(0.01)
        except KeyboardInterrupt as error:
            seen.append(error)

    with pytest.raises(KeyboardInterrupt):
        call_interruptibly(call, ask_to_stop=stop.set)
    assert seen == []

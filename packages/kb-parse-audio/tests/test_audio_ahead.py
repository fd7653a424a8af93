"""Items that are made in another thread before they are asked for."""

import threading
import time

import pytest

from kb_parse_audio.ahead import Ahead


def test_items_come_in_their_order():
    with Ahead(range(1000), 7) as items:
        assert list(items) == list(range(1000))


def test_items_are_made_by_another_thread():
    with Ahead((threading.get_ident() for _ in range(3)), 1) as items:
        assert threading.get_ident() not in set(items)


def test_no_more_items_wait_than_allowed():
    made = []

    def numbers():
        for number in range(100):
            made.append(number)
            yield number

    with Ahead(numbers(), 5) as items:
        next(items)
        time.sleep(0.3)
        assert len(made) <= 7
        assert list(items) == list(range(1, 100))


def test_an_error_comes_after_the_items_before_it():
    def failing():
        yield 1
        raise ValueError("no second one")

    with Ahead(failing(), 5) as items:
        assert next(items) == 1
        with pytest.raises(ValueError, match="no second one"):
            next(items)


def test_the_thread_has_ended_when_the_items_are_left_early():
    def endless():
        while True:
            yield 1

    threads = threading.active_count()
    with Ahead(endless(), 3) as items:
        next(items)
    assert threading.active_count() == threads
    assert next(items, None) is None


def test_an_error_of_the_one_who_asks_ends_the_thread():
    threads = threading.active_count()

    def ask():
        with Ahead(iter(int, 1), 3) as items:
            next(items)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ask()
    assert threading.active_count() == threads

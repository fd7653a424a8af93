"""Working ahead: what comes next is made in another thread while the present is used.

Decoding and the detector of speech leave the interpreter to others while they work, and recognisers
do not keep every processor busy all the time.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from queue import Empty, Full, Queue
from types import TracebackType
from typing import Generic, TypeVar

Item = TypeVar("Item")

_LOOK_S = 0.1


class Ahead(Generic[Item]):
    """Items of an iterable in their order, made by a thread of their own.

    A context manager: the thread lives in it, and has ended when it is left. What the iterable
    raises is raised where the item would have come.

    Args:
        items: used by the thread alone.
        most: items that wait at a time.
    """

    def __init__(self, items: Iterable[Item], most: int) -> None:
        self._items = items
        self._made: Queue[tuple[Item] | BaseException | None] = Queue(most)
        self._left = threading.Event()
        self._thread = threading.Thread(target=self._make, daemon=True)

    def __enter__(self) -> Iterator[Item]:
        self._thread.start()
        return self._take()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._left.set()
        self._thread.join()

    def _take(self) -> Iterator[Item]:
        while not self._left.is_set():
            # A wait without end would keep a signal from being seen on some systems.
            try:
                made = self._made.get(timeout=_LOOK_S)
            except Empty:
                continue
            if made is None:
                return
            if isinstance(made, BaseException):
                raise made
            yield made[0]

    def _make(self) -> None:
        try:
            for item in self._items:
                if not self._put((item,)):
                    return
            self._put(None)
        except BaseException as error:  # noqa: BLE001 - raised again where the item is asked for
            self._put(error)

    def _put(self, made: tuple[Item] | BaseException | None) -> bool:
        while not self._left.is_set():
            try:
                self._made.put(made, timeout=_LOOK_S)
            except Full:
                continue
            return True
        return False

"""The connection of one request, which another thread may cut.

Closing a client does not wake a thread that waits for the server's next byte; shutting its socket
down does, and tells the server that nobody waits any more. The socket is learnt from the trace that
the HTTP library gives of its work, which is the one documented way to it before an answer came.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

_GIVES_A_SOCKET = ("connect_tcp.complete", "start_tls.complete")


class Connection:
    """Whatever one request is sent over."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._is_cut = False

    @property
    def is_cut(self) -> bool:
        """Whether nobody waits for what comes over it."""
        return self._is_cut

    def watch(self, request: Any) -> None:
        """Learn the socket of a request; a hook of the HTTP client."""
        request.extensions["trace"] = self._trace

    def cut(self) -> None:
        """Wake whoever reads from it, now or once it is there."""
        with self._lock:
            self._is_cut = True
            self._shut_down()

    def _trace(self, event: str, info: Mapping[str, Any]) -> None:
        if not event.endswith(_GIVES_A_SOCKET):
            return
        with self._lock:
            self._socket = info["return_value"].get_extra_info("socket")
            if self._is_cut:
                self._shut_down()

    def _shut_down(self) -> None:
        if self._socket is not None:
            with suppress(OSError):  # the other side was faster
                # That of TLS would forget its state, which the reading thread still uses.
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)

"""Fetches one model file over HTTP, taking up where an earlier try stopped.

What arrives is appended to a `.part` file beside the target. A cut connection is resumed at once as
long as each try brings something; when it brings nothing, the part stays for the next command. The
file gets its name only after its digest matched.
"""

from __future__ import annotations

import http.client
import os
import ssl
import urllib.error
import urllib.request
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlsplit

from kb_asr_whisper.model_files import move_into_place, only_writer, sha256_of, unusable
from kb_asr_whisper.published import PublishedModel
from kb_core.errors import ModelDigestMismatch, ModelDownloadFailed, printable
from kb_core.ports.models import ByteProgress
from kb_core.runtime import CancelToken

_TIMEOUT_S = 30.0
_READ_BYTES = 256 * 1024
_RANGE_NOT_SATISFIABLE = 416
_NOT_FOUND = (http.client.NOT_FOUND, http.client.GONE)
_REFUSED = (http.client.UNAUTHORIZED, http.client.FORBIDDEN)
_SERVER_FAILS = 500
_BY_HAND = "copy the file here by hand and run `kb models add FILE`"
_KEPT = "what arrived is kept, run the same command again"
_SEE_URL = "check the setting models_url (KB_MODELS_URL)"


def download(
    url: str,
    target: Path,
    model: PublishedModel,
    *,
    progress: ByteProgress,
    cancel: CancelToken | None = None,
) -> None:
    """Fetch `url` to `target`.

    Raises:
        ModelDownloadFailed: network or server; what arrived is kept.
        ModelDigestMismatch: what arrived is another file; it is deleted.
        ModelError: the file cannot be written, or another process is fetching it.
        Cancelled: a stop was asked for; what arrived is kept.
    """
    part = target.with_name(f"{target.name}.part")
    with only_writer(target.with_name(f".{target.name}.lock")):
        while (done := _size_of(part)) < model.byte_len:
            try:
                _fetch_rest(url, part, model, progress, cancel or CancelToken())
            except (OSError, http.client.HTTPException) as error:
                if isinstance(error, urllib.error.HTTPError) or _size_of(part) <= done:
                    raise _failed(url, error) from error
            else:
                if _size_of(part) <= done:
                    raise _failed(url, EOFError("the server sent nothing more"))
        found = sha256_of(part)
        if found != model.sha256:
            part.unlink(missing_ok=True)
            raise ModelDigestMismatch(target, model.sha256, found)
        try:
            move_into_place(part, target)
        except OSError as error:
            raise unusable(target, error) from error


def _fetch_rest(
    url: str, part: Path, model: PublishedModel, progress: ByteProgress, cancel: CancelToken
) -> None:
    done = _size_of(part)
    try:
        response = _open(url, done)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code != _RANGE_NOT_SATISFIABLE or not done:
            raise
        part.unlink()
        return _fetch_rest(url, part, model, progress, cancel)
    with response:
        if not _resumes_at(response, done):
            done = 0
        try:
            file = part.open("ab")
        except OSError as error:
            raise unusable(part, error) from error
        with file:
            file.truncate(done)
            _append(response, file, done, model, progress, cancel)


def _append(
    response: http.client.HTTPResponse,
    file: BinaryIO,
    done: int,
    model: PublishedModel,
    progress: ByteProgress,
    cancel: CancelToken,
) -> None:
    progress(done, model.byte_len)
    # One byte more than expected is read, so that a longer file is seen to be another one.
    while done <= model.byte_len:
        cancel.raise_if_cancelled()
        piece = response.read(min(_READ_BYTES, model.byte_len + 1 - done))
        if not piece:
            break
        try:
            file.write(piece)
            file.flush()
        except OSError as error:
            raise unusable(Path(file.name), error) from error
        done += len(piece)
        progress(done, model.byte_len)
    os.fsync(file.fileno())


def _open(url: str, done: int) -> http.client.HTTPResponse:
    try:
        if urlsplit(url).scheme not in ("http", "https"):
            raise ModelDownloadFailed(
                f"{printable(url)}: only http and https are fetched", hint=_SEE_URL
            )
        request = urllib.request.Request(url, headers={"User-Agent": "kb"})  # noqa: S310
        if done:
            request.add_header("Range", f"bytes={done}-")
        response: http.client.HTTPResponse = urllib.request.urlopen(  # noqa: S310
            request, timeout=_TIMEOUT_S
        )
    except (ValueError, http.client.InvalidURL) as error:
        raise ModelDownloadFailed(
            f"{printable(url)}: no usable address: {printable(str(error))}", hint=_SEE_URL
        ) from error
    return response


def _resumes_at(response: http.client.HTTPResponse, done: int) -> bool:
    """Whether the server goes on from `done`; one that ignores the request starts at 0."""
    content_range = response.headers.get("Content-Range", "")
    return response.status == http.client.PARTIAL_CONTENT and content_range.startswith(
        f"bytes {done}-"
    )


def _size_of(part: Path) -> int:
    return part.stat().st_size if part.exists() else 0


def _failed(url: str, error: Exception) -> ModelDownloadFailed:
    reason, hint = _cause(error)
    return ModelDownloadFailed(f"{printable(url)}: {printable(reason)}", hint=hint)


def _cause(error: Exception) -> tuple[str, str]:
    """Return what went wrong and the way out."""
    if isinstance(error, urllib.error.HTTPError):
        return _refusal(error.code)
    if isinstance(error, urllib.error.URLError):
        if isinstance(error.reason, ssl.SSLCertVerificationError):
            reason = f"the server's certificate is not trusted: {error.reason.verify_message}"
            return reason, f"a proxy may have put its own in place; or {_BY_HAND}"
        return str(error.reason), f"{_KEPT}; without a network, {_BY_HAND}"
    return str(error) or type(error).__name__, f"{_KEPT}; if it stops there again, {_BY_HAND}"


def _refusal(status: int) -> tuple[str, str]:
    reason = f"HTTP {status}"
    if status in _NOT_FOUND:
        return f"{reason}: the server has no such file", f"{_SEE_URL}, or {_BY_HAND}"
    if status in _REFUSED:
        return f"{reason}: the server refuses to give it", f"{_SEE_URL}, or {_BY_HAND}"
    if status >= _SERVER_FAILS or status == http.client.TOO_MANY_REQUESTS:
        return f"{reason}: the server cannot give it now", f"wait a while; {_KEPT}"
    return f"{reason}: an answer that kb cannot use", f"{_SEE_URL}, or {_BY_HAND}"

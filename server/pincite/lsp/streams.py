"""Messages as bytes on streams, with limits; LSP 3.17, "Base Protocol"."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import BinaryIO, Final

#: Longest accepted message; one message holds the whole text of a document.
MAX_BYTES: Final = 256 << 20
#: A header has two lines, `Content-Length` and `Content-Type`.
_MAX_HEADER_LINES, _MAX_LINE = 8, 4096
_HEADER = re.compile(rb"(?i)content-(?:length: *(\d+)|type: *[^\r\n]*)\r?\n")
#: The first header line of the next message, after bytes that are not a message.
_NEXT = re.compile(rb"(?i)content-length: *(\d{1,12})\r\n\Z")
_CLOSING_SECONDS = 2.0


class NotAMessageError(Exception):
    """The bytes received are not a message of the protocol, or the message is too long."""


def read_message(stream: BinaryIO) -> bytes | None:
    """Return the body of the next message; None at the end of the stream."""
    length: int | None = None
    for _ in range(_MAX_HEADER_LINES):
        line = stream.readline(_MAX_LINE)
        if not line:
            return None
        if not line.strip() and length is not None:
            return _body(stream, length)
        header = _HEADER.fullmatch(line)
        if header is None:
            raise NotAMessageError("the client sent bytes that are not a message header")
        if header[1]:
            # Python refuses to parse numbers with thousands of digits.
            length = int(header[1][:20])
            if len(header[1]) > 20 or length > MAX_BYTES:
                raise NotAMessageError(f"a message is longer than {MAX_BYTES >> 20} MB")
    raise NotAMessageError("the header of a message is too long")


def read_next(stream: BinaryIO) -> bytes | None:
    """Skip bytes that are not a message; return the next one, or None at the end of the stream."""
    while line := stream.readline(_MAX_LINE):
        found = _NEXT.search(line)
        if found is None or int(found[1]) > MAX_BYTES:
            continue
        while (rest := stream.readline(_MAX_LINE)).strip():
            if not _HEADER.fullmatch(rest):
                break
        else:
            return _body(stream, int(found[1])) if rest else None
    return None


def _body(stream: BinaryIO, length: int) -> bytes | None:
    body = stream.read(length)
    return body if len(body) == length else None


class Writer:
    """Writes messages in order, in its own thread: clients may not read for a while."""

    def __init__(self, stream: BinaryIO, when_lost: Callable[[], None]) -> None:
        """Write to `stream`; call `when_lost` once it has no reader."""
        self._stream, self._when_lost = stream, when_lost
        self._waiting: SimpleQueue[bytes | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="pincite-write", daemon=True)
        self._thread.start()

    def write(self, body: bytes) -> None:
        """Queue a message, to be written as soon as the client reads."""
        self._waiting.put(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    def close(self) -> None:
        """Write the queued messages; do not wait for a client that does not read."""
        self._waiting.put(None)
        self._thread.join(_CLOSING_SECONDS)

    def _run(self) -> None:
        try:
            while (message := self._waiting.get()) is not None:
                self._stream.write(message)
                self._stream.flush()
            with suppress(OSError):
                self._stream.close()
        except (OSError, ValueError):  # the pipe is broken, or closed on this side
            self._when_lost()

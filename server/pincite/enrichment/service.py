"""Ask a service on the network: one request at a time, with pauses and a limit on the time.

Answers are cached on disk: no question is asked twice within a month.
"""

from __future__ import annotations

import json
import os
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from hashlib import blake2b
from http.cookiejar import CookieJar, DefaultCookiePolicy
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urljoin, urlsplit

from .. import __version__
from ..cancellation import check, result_of
from ..model.problems import InputError
from ..whole_files import atomic_write
from .sources import Source

if TYPE_CHECKING:
    import httpx

_CACHED_SECONDS: Final = 30 * 24 * 3600.0
_TIMEOUT_SECONDS: Final = 20.0
_MAX_BYTES: Final = 12 << 20
_MAX_VALUES: Final = 2_000_000
#: For a whole answer: a slow server is not waited for, however steadily it sends.
_ANSWER_SECONDS: Final = 90.0
_MAX_REDIRECTIONS: Final = 3
_MAX_ATTEMPTS: Final = 4
#: Between attempts, where the service gives no `Retry-After`; doubled each time.
_FIRST_WAIT_SECONDS: Final = 1.0
#: A service that wants a longer break is given up for now.
_MAX_WAIT_SECONDS: Final = 60.0
_LOOK_SECONDS: Final = 0.05
_NOTHING: Final = frozenset((404, 410))
#: Semantic Scholar's answer, with status 400, if it knows none of the works of a batch.
_NONE_KNOWN: Final = b"No valid paper ids given"
_ELSEWHERE: Final = frozenset((301, 302, 303, 307, 308))
_AGAIN: Final = frozenset((408, 425, 429, 500, 502, 503, 504))
#: Names a server of this computer that stands in for all services, in tests.
_STAND_IN: Final = "PINCITE_SERVICES"

_POSTED: Final = {"Content-Type": "application/json"}

#: The status, the headers and the body.
_Answer = tuple[int, Mapping[str, str], bytes]


class ServiceError(InputError):
    """A service did not answer as documented; `lasting` if it would not answer other questions."""

    def __init__(self, message: str, *, lasting: bool = False) -> None:
        super().__init__(message)
        self.lasting = lasting


class NotAskedError(ServiceError):
    """A response is not cached, and nothing is sent."""


class Answers:
    """A private folder with a file for each answer; without one, everything is asked again."""

    def __init__(self, folder: Path | None, nothing_seconds: float = _CACHED_SECONDS) -> None:
        """`nothing_seconds` is how long it counts that nothing was there."""
        self.folder, self._nothing_seconds = folder, nothing_seconds
        #: Answers are as old as they were then: none expires between a plan and its run.
        self._now = time.time()

    def are_there(self) -> bool:
        """Return whether anything was ever answered."""
        try:
            return self.folder is not None and any(self.folder.iterdir())
        except OSError:
            return False

    def get(
        self, service: str, path: str, parameters: Mapping[str, str]
    ) -> tuple[Any, float] | None:
        """Return the answer to a question, and when it came, in seconds since 1970.

        None if it is not known, or too old.
        """
        try:
            known = json.loads(self._file(service, path, parameters).read_text(encoding="utf-8"))
            at = float(known["at"])
            answer = known["answer"]
            counts = self._nothing_seconds if answer is None else _CACHED_SECONDS
            return (answer, at) if self._now - counts < at <= time.time() else None
        except (OSError, ValueError, TypeError, KeyError, OverflowError, RecursionError):
            return None

    def put(self, service: str, path: str, parameters: Mapping[str, str], answer: object) -> None:
        """Store an answer."""
        with suppress(OSError, ValueError, RecursionError):
            data = json.dumps({"at": time.time(), "answer": answer}).encode("ascii")
            atomic_write(self._file(service, path, parameters), [data])

    def _file(self, service: str, path: str, parameters: Mapping[str, str]) -> Path:
        if self.folder is None:
            raise FileNotFoundError
        asked = repr((service, path, sorted(parameters.items())))
        name = blake2b(asked.encode("utf-8", "replace"), digest_size=16).hexdigest()
        return self.folder / f"{name}.json"


class Service:
    """A source on the network, for one thread; nothing is sent if it is `offline`.

    Only redirections on the same server are followed (of a work that was merged with another), and
    those to servers that the source names. A proxy that the environment names (``HTTPS_PROXY``) is
    used.
    """

    def __init__(
        self, source: Source, answers: Answers, email: str = "", *, offline: bool = False
    ) -> None:
        """Raise `InputError` without httpx, or for an unusable proxy, certificate or key."""
        self.source = source
        self._answers = answers
        self._client = None if offline else _client(source, email)
        stand_in = _stand_in()
        self._address = stand_in or source.address
        self._pause = 0.0 if stand_in else source.pause
        self._next = 0.0
        #: When the newest answer that was returned came, in seconds since 1970.
        self.answered_at = 0.0

    def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            self._client.close()

    def ask(
        self,
        path: str,
        parameters: Mapping[str, str],
        *,
        posted: Any = None,  # noqa: ANN401 - any JSON
        send: bool = True,
        is_answer: Callable[[Any], bool] = lambda _: True,
    ) -> Any:  # noqa: ANN401 - any JSON
        """Return the JSON of an answer, None if there is nothing; raise `ServiceError`.

        `posted` is part of the question. An answer that fails `is_answer` is not cached.
        """
        body = "" if posted is None else json.dumps(posted)
        asked = (self.source.name, path + body, parameters)
        if (known := self._answers.get(*asked)) is not None:
            self.answered_at = known[1]
            return known[0]
        if self._client is None or not send:
            raise NotAskedError(f"{self.source.name} was not asked")
        answer = self._sent(path, parameters, body)
        if not is_answer(answer):
            raise ServiceError(f"{self.source.name} sent an answer in an unexpected form")
        self.answered_at = time.time()
        self._answers.put(*asked, answer)
        return answer

    def _sent(self, path: str, parameters: Mapping[str, str], posted: str) -> Any:  # noqa: ANN401
        import httpx

        wait, reason, is_lasting = _FIRST_WAIT_SECONDS, "", False
        faults = (httpx.HTTPError, httpx.InvalidURL, zlib.error, ValueError, TimeoutError)
        for attempt in range(_MAX_ATTEMPTS):
            check()
            while (left := self._next - time.monotonic()) > 0.0:
                time.sleep(min(left, _LOOK_SECONDS))
                check()
            self._next = time.monotonic() + self._pause
            asked_to_wait = 0.0
            try:
                status, headers, body = self._followed(path, parameters, posted)
            except faults as error:
                reason = str(error) or "timed out"
                is_lasting = isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
            else:
                if (status == 400 and _NONE_KNOWN in body) if posted else status in _NOTHING:
                    return None
                if status == 200:
                    return self._read(body)
                # 401 and 403 refuse us, others only this question.
                reason, is_lasting = f"status {status}", status in (401, 403)
                if status not in _AGAIN:
                    break
                asked_to_wait = _retry_after(headers)
                if asked_to_wait > _MAX_WAIT_SECONDS:
                    reason += f"; it asks to wait {asked_to_wait:.0f} s"
                    is_lasting = True
                    break
            if attempt + 1 < _MAX_ATTEMPTS:
                self._next = max(self._next, time.monotonic() + max(wait, asked_to_wait))
                wait *= 2
        raise ServiceError(f"{self.source.name} cannot be asked now: {reason}", lasting=is_lasting)

    def _followed(self, path: str, parameters: Mapping[str, str], posted: str) -> _Answer:
        """Return the answer to a request, from the same server if it was redirected."""
        address = f"{self._address}{path}"
        key = self.source.key_parameter
        signature = {key: self.source.key} if key and self.source.key else {}
        for _ in range(_MAX_REDIRECTIONS):
            future: Future[_Answer] = Future()
            # In a thread, which is not waited for once this is cancelled.
            given = (address, {**parameters, **signature}, posted, future)
            threading.Thread(target=self._receive, args=given, daemon=True).start()
            # Also if its headers take longer than that.
            answer = result_of(future, _ANSWER_SECONDS)
            following = urljoin(address, answer[1].get("location", ""))
            if answer[0] not in _ELSEWHERE or posted or not self._may_follow(address, following):
                break
            address, parameters = following, {}
        return answer

    def _may_follow(self, address: str, following: str) -> bool:
        here, there = urlsplit(address), urlsplit(following)
        is_known = there.scheme == "https" and there.netloc in self.source.leads_to
        return here[:2] == there[:2] or is_known

    def _receive(
        self, address: str, parameters: Mapping[str, str], posted: str, future: Future[_Answer]
    ) -> None:
        import httpx

        ends = time.monotonic() + _ANSWER_SECONDS
        try:
            url = httpx.URL(address).copy_merge_params(dict(parameters))
            assert self._client is not None
            method, headers = ("POST", _POSTED) if posted else ("GET", None)
            with self._client.stream(
                method, url, content=posted or None, headers=headers
            ) as answer:
                decode = self._decoder(answer.headers if answer.status_code in (200, 400) else {})
                body, received = bytearray(), 0
                # Not httpx's `iter_bytes`: a kilobyte, compressed twice, may have gigabytes.
                for part in answer.iter_raw():
                    received += len(part)
                    body += decode(part, _MAX_BYTES + 1 - len(body))
                    if max(received, len(body)) > _MAX_BYTES:
                        size = f"more than {_MAX_BYTES >> 20} MB"
                        raise ServiceError(f"{self.source.name} sent {size}")
                    if time.monotonic() > ends:
                        raise httpx.ReadTimeout("timed out")
            future.set_result((answer.status_code, answer.headers, bytes(body)))
        except BaseException as error:  # the thread that waits raises it
            future.set_exception(error)

    def _decoder(self, headers: Mapping[str, str]) -> Callable[[bytes, int], bytes]:
        """Return what decodes a part of an answer, to at most so many bytes."""
        coding = headers.get("content-encoding", "").strip().lower()
        if coding in ("gzip", "x-gzip"):
            return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress
        if coding in ("", "identity"):
            return lambda part, _max: part
        raise ServiceError(
            f"{self.source.name} sent an answer in an unknown content encoding: {coding[:40]}"
        )

    def _read(self, body: bytes) -> Any:  # noqa: ANN401 - any JSON
        # A megabyte of empty lists takes a hundred in memory.
        if sum(map(body.count, (b",", b"[", b"{", b"<"))) > _MAX_VALUES:
            raise ServiceError(f"{self.source.name} sent too many values")
        try:
            return self.source.decode(body)
        except (ValueError, RecursionError):
            form = "JSON" if "json" in self.source.accept else "Atom"
            raise ServiceError(f"{self.source.name} sent something that is not {form}") from None


@contextmanager
def opened(
    sources: Iterable[Source], answers: Answers, email: str = "", *, offline: bool = False
) -> Iterator[list[Service]]:
    """Open services, and close them in the end; raise what `Service` raises."""
    with ExitStack() as stack:
        made = (Service(source, answers, email, offline=offline) for source in sources)
        yield [stack.enter_context(closing(each)) for each in made]


def _client(source: Source, email: str) -> httpx.Client:
    try:
        import httpx
    except ImportError:
        raise InputError(
            "fetching needs httpx; install it with: pip install 'pincite[enrich]'"
        ) from None
    contact = f" (mailto:{email})" if email and source.wants_email else ""
    headers = {
        "User-Agent": f"pincite/{__version__}{contact}",
        "Accept": source.accept,
        "Accept-Encoding": "gzip",
    }
    if not (source.key.isascii() and source.key.isprintable()):
        raise InputError(f"{source.key_variable} contains characters that no key has")
    if source.key and source.key_header:
        headers[source.key_header] = source.key
    try:
        return httpx.Client(
            headers=headers,
            timeout=_TIMEOUT_SECONDS,
            follow_redirects=False,
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),  # none is sent back
        )
    except (ImportError, ValueError, OSError) as error:
        raise InputError(
            f"{source.name} cannot be asked: {error} (see the proxy, the certificates and the"
            " key in the environment)"
        ) from None


def _stand_in() -> str:
    address = os.environ.get(_STAND_IN, "")
    parts = urlsplit(address)
    is_here = parts.scheme == "http" and parts.hostname in ("127.0.0.1", "localhost", "::1")
    if address and not is_here:
        raise InputError(f"{_STAND_IN}: {address!r} is not an address of this computer")
    return address


def _retry_after(headers: Mapping[str, str]) -> float:
    """Return the seconds that ``Retry-After`` asks for, given as such or as a date; 0 without."""
    value = headers.get("retry-after", "").strip()
    if value.isdecimal():
        return float(value[:9])
    try:
        at = parsedate_to_datetime(value)
        at = at if at.tzinfo is not None else at.replace(tzinfo=timezone.utc)
        return max(0.0, (at - datetime.now(timezone.utc)).total_seconds())
    except (ValueError, TypeError, OverflowError):
        return 0.0

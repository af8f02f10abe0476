"""The unchanged language server with timed handlers: run instead of `pincite serve`.

`benchmark/timings` returns the seconds that each handler has taken since the last request, from
the moment the event loop begins it until its answer is ready: without reading and writing JSON.
`benchmark/ping` is answered by the event loop at once.
"""

from __future__ import annotations

import asyncio
import functools
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from pincite.lsp import server as lsp
from pincite.lsp.language_server import PinciteServer

TIMINGS = "benchmark/timings"
PING = "benchmark/ping"
_METHODS = (
    "textDocument/didChange",
    "textDocument/completion",
    "completionItem/resolve",
    "textDocument/hover",
)


def _timed(create: Callable[[], PinciteServer]) -> PinciteServer:
    server = create()
    features = server.protocol.fm.features
    taken: dict[str, list[float]] = defaultdict(list)
    for method in _METHODS:
        features[method] = _clocked(features[method], taken[method])

    @server.feature(TIMINGS)
    def timings(_ls: PinciteServer, _params: Any) -> dict[str, list[float]]:
        timings = {method: list(seconds) for method, seconds in taken.items()}
        for seconds in taken.values():
            seconds.clear()
        return timings

    @server.feature(PING)
    def ping(_ls: PinciteServer, _params: Any) -> bool:
        return True

    return server


def _clocked(handler: Callable[..., Any], taken: list[float]) -> Callable[..., Any]:
    if asyncio.iscoroutinefunction(handler):

        @functools.wraps(handler)
        async def timed(*arguments: Any) -> Any:
            began = time.perf_counter()
            try:
                return await handler(*arguments)
            finally:
                taken.append(time.perf_counter() - began)

        return timed

    @functools.wraps(handler)
    def timed_at_once(*arguments: Any) -> Any:
        began = time.perf_counter()
        try:
            return handler(*arguments)
        finally:
            taken.append(time.perf_counter() - began)

    return timed_at_once


if __name__ == "__main__":
    lsp.create_server = functools.partial(_timed, lsp.create_server)
    lsp.serve()

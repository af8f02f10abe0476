"""The language server: the only part that speaks the protocol.

==================  ================================================================================
`server`            starts and ends it; its tables map requests to functions
`language_server`   runs these in threads; only the event loop writes to the client
`streams`           messages as bytes; `jsonrpc` requests, answers and errors; `log` what goes wrong
`wire`              our own requests as JSON (docs/reference/protocol.md)
`documents`         texts and positions; `session` what the client supports, and the newest project
`configuration`     reads and follows settings, and reports what is wrong
`publishing`        diagnostics and progress, as work goes on; `watching` files
`client_files`      asks the client for files of other file systems
`features/`         a function for each request; imported after the first answer
==================  ================================================================================
"""

from __future__ import annotations

from functools import partial

import attrs


def _repr(self: attrs.AttrsInstance) -> str:
    values = (f"{each.name}={getattr(self, each.name)!r}" for each in attrs.fields(type(self)))
    return f"{type(self).__name__}({', '.join(values)})"


# For the five hundred classes of lsprotocol, attrs would compile a ``__repr__`` each: a quarter of
# the time before the first answer.
_define = attrs.define
attrs.define = partial(_define, repr=False)
try:
    from lsprotocol import types
finally:
    attrs.define = _define
for _kind in vars(types).values():
    if isinstance(_kind, type) and attrs.has(_kind) and _kind.__repr__ is object.__repr__:
        setattr(_kind, "__repr__", _repr)  # noqa: B010 - mypy knows methods as they were

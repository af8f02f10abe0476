"""The language server: the only part that speaks the protocol.

==================  ================================================================================
`server`            starts and ends it; its tables say which function answers which request
`language_server`   runs these in threads; only the event loop writes to the client
`streams`           messages as bytes; `jsonrpc` requests, answers and errors; `log` what goes wrong
`wire`              parameters of our own requests (docs/protocol.md)
`documents`         texts and positions; `client` what the client supports; `session` both together
`configuration`     reads settings; `client_settings` follows them, and reports what is wrong
`publishing`        keeps diagnostics up to date; `watching` files; `progress` what is shown of work
`features/`         a function of a project for each request; imported after the first answer
==================  ================================================================================
"""

from __future__ import annotations

from functools import partial
from importlib import import_module

import attrs

# lsprotocol is imported without the ``__repr__`` of its five hundred classes, which attrs would
# compile one by one: that is a quarter of the time before the first answer.
_define = attrs.define
attrs.define = partial(_define, repr=False)
try:
    import_module("lsprotocol.types")
finally:
    attrs.define = _define

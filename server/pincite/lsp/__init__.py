"""The language server: the only part that speaks the protocol.

`server` registers what `features/` answers, a file for each feature: handlers of a few lines, and
functions of a snapshot and offsets. `language_server` runs these in threads; the event loop alone
writes to the client. `session` makes snapshots that speak the client's units; `documents` has the
texts and positions, `blocks` a text in blocks of whole lines. `protocol_types` loads lsprotocol
without what is slow to import, `pygls_internals` has what pygls has no public way for.

`from_proto` says what a position means, `to_proto` makes the protocol's results; `keys` is the key
at the cursor, `evidence` evidence as authors see it, `additions` adds an entry of the library,
`wire` has our own requests and commands (docs/protocol.md). `configuration` reads settings,
`watching` asks the client to watch files, `announcing` keeps diagnostics up to date, `progress`
shows how many papers are read.
"""

from . import protocol_types

# Before anything else imports what pygls is made of.
protocol_types.load()

"""The language server: the only part that speaks the protocol.

`server` registers the features in `features/`, one file each: short handlers, and functions of a
project and offsets. `language_server` runs these in threads; only the event loop writes to the
client. `session` makes snapshots whose positions are in the client's units, `client` says what the
client supports; `documents` holds the texts and converts positions, `blocks` stores a text in
blocks of whole lines. `protocol_types` imports lsprotocol quickly, `pygls_internals` holds all code
that needs private attributes of pygls.

`from_proto` interprets positions, `to_proto` builds the protocol's results; `keys` finds the key at
the cursor, `evidence` formats evidence for authors, `additions` adds an entry of the library,
`wire` defines our own requests and commands (docs/protocol.md). `configuration` reads settings,
`watching` asks the client to watch files, `announcing` keeps diagnostics up to date, `progress`
shows how many papers have been read.
"""

from . import protocol_types

# Before anything else imports pygls or lsprotocol.
protocol_types.load()

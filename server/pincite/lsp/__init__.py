"""The language server: the only part that speaks the protocol."""

from . import protocol_types

# Before anything else imports what pygls is made of.
protocol_types.load()

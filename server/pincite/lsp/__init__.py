"""The language server: the only part that speaks the protocol."""

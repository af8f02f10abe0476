"""A minimal language server in Python: pygls without any features."""

from pygls.lsp.server import LanguageServer

LanguageServer("empty", "0").start_io()

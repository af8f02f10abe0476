"""The least that a language server in Python is: pygls, and nothing that it answers."""

from pygls.lsp.server import LanguageServer

LanguageServer("empty", "0").start_io()

"""Functions that answer requests, by subject; the tables in `pincite.lsp.server` name them.

They take a document as a request found it, and offsets in it for positions, or a project. Only here
may the server import what takes long to load.
"""

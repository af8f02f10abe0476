"""The features of the protocol, one module each; see `pincite.lsp.server`.

Their functions take a project, the path of a document and its `lines` at the time of the request,
to which positions and ranges refer.
"""

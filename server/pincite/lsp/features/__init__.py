"""Functions that answer requests; the tables in `pincite.lsp.server` name them.

They take a project, the path of a document and its `lines` at the time of the request, to which
positions and ranges refer. Only here may the server import what takes long to load.

=================  =================================================================================
`completion`       ranked entries for a key; `hover` and `evidence` what supports a citation
`code_actions`     cite, pin a page, and the fixes of `diagnostics`; `citing` makes their edits
`navigation`       definition, references, rename, highlights, symbols; `links` links and hints
`requests`         our own: works for a place; `library` a whole draft; `enrich` what is missing
`places`           what a position means; `keys` where keys are; `edits` edits that no letter is
                   lost by
=================  =================================================================================
"""

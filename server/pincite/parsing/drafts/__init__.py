r"""A draft of several files: what its root reads, and the bibliographies that come with it.

A file may be part of a larger draft: ``% !TeX root = main.tex`` or the `subfiles` class name the
main file, whose definitions and bibliographies then serve. File names are looked up as LaTeX
does, from the main file's folder, and also from the folder of the file that names them.

`scan` says what must be known of a file before the draft's commands are, `walk` goes over the files
that a main file reads, `bibliographies` finds those that they name, and `reader` puts drafts
together.
"""

from .reader import DraftReader

__all__ = ["DraftReader"]

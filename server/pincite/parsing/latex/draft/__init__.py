r"""A draft of several files: what its main file includes, and its bibliographies.

A file may be part of a larger draft: ``% !TeX root = main.tex`` or the `subfiles` class name the
main file, whose definitions and bibliographies are then used. File names are looked up as LaTeX
does, from the main file's folder, and also from the folder of the file that names them.

`scan` collects what is needed from a file before the draft's commands are known, `walk` visits the
files that a main file includes, `bibliographies` finds the bibliographies that they name, and
`reader` builds drafts.
"""

from .reader import LatexDraftReader

__all__ = ["LatexDraftReader"]

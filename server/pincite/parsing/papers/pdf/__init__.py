"""PDF → `ReferencePaper`: sentences with page, section and printed page label, references.

`extraction` uses PDFium: `characters` repairs accents and superscripts, `lines` builds lines in
reading order. `structure` classifies them. `reader` removes tables, makes sections from headings,
and joins lines (`hyphenation`) to prose (`legibility`); `references` parses the lines of the
reference lists, `front` what the first page says about the paper itself.
"""

from .reader import read_pdf

__all__ = ["read_pdf"]

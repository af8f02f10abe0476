"""PDF → `ReferencePaper`: sentences with page, section and printed page label, references.

`extraction` uses PDFium: `segments` are runs of characters, after `ligatures` and `characters`
repaired ligatures, accents and superscripts and `right_to_left` the order; `line_numbers` go;
`columns` and `lines` put them in reading order. `structure` classifies the lines. `reader` removes
tables, makes sections from headings, and joins lines to prose (`legibility`); `references` parses
the lines of the reference lists, `front` what the first page says about the paper itself.
"""

from .reader import read_pdf

__all__ = ["read_pdf"]

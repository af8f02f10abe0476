"""PDF → `ReferencePaper`: sentences with page, section and printed page label, references.

`extraction` asks PDFium: `characters` repairs what a page's text lacks, `lines` gives lines in
reading order. `structure` says what they are. `reader` leaves tables out, makes sections of
headings, and joins lines (`hyphenation`) to prose (`legibility`); `references` reads the lines of
the reference lists, `front` what the first page says about the paper itself.
"""

from .reader import read_pdf

__all__ = ["read_pdf"]

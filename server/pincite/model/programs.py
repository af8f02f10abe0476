"""The programs that read bibliographies, as far as it depends on them which entry counts.

A file that no draft reads is taken for one of biber: most authors who comment entries out use it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Program:
    """What a program that reads bibliographies makes of keys and comments."""

    name: str
    #: Whether keys that differ only in case are different keys.
    case_sensitive: bool = True
    #: Whether no entry begins outside of entries behind % in its line, nor in ``@comment{...}``.
    comments: bool = True
    #: Whether the last of several entries with one key is used, and not the first.
    last_counts: bool = False
    #: What becomes of the entry that is not used.
    of_repeated: str = "this one is ignored"


BIBTEX: Final = Program("BibTeX", case_sensitive=False, comments=False)
BIBER: Final = Program("biber")
PANDOC: Final = Program("Pandoc", last_counts=True)
#: MyST's reader; in entries, it has comments.
CITATION_JS: Final = Program("citation-js", comments=False, last_counts=True)
#: The reader of Jupyter Book's Sphinx.
PYBTEX: Final = Program("pybtex", comments=False)
TYPST: Final = Program("Typst", of_repeated="Typst refuses the bibliography")

"""The programs that read bibliographies: they decide which entry counts.

A file that no draft reads is read as by biber, which most authors who comment out entries use.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Program:
    """How a program that reads bibliographies treats keys and comments."""

    name: str
    #: Whether keys that differ only in case are different keys.
    case_sensitive: bool = True
    #: Whether % between entries hides those after it in its line, and ``@comment{...}`` its own.
    comments: bool = True
    #: Whether the last of several entries with one key is used, and not the first.
    last_counts: bool = False
    #: What happens to the entry that is not used, in words.
    of_repeated: str = "this one is ignored"


BIBTEX: Final = Program("BibTeX", case_sensitive=False, comments=False)
BIBER: Final = Program("biber")
PANDOC: Final = Program("Pandoc", last_counts=True)
#: MyST's reader; in entries, it has comments.
CITATION_JS: Final = Program("citation-js", comments=False, last_counts=True)
#: The reader of Jupyter Book's Sphinx.
PYBTEX: Final = Program("pybtex", comments=False)
TYPST: Final = Program("Typst", of_repeated="Typst rejects the bibliography")

"""The persistent index: what was read from papers and drafts, kept by the content of their files.

It is one SQLite file in the user's cache folder (``PINCITE_CACHE`` names another) that several
threads and processes share. Rows are named by a digest of the file's content, its suffix, and the
version of the reader, so a file that did not change is never read twice, wherever it lies.

Each table has a file (`files`, `papers`, `drafts`, `links`); `rows` is what they share, and
`paper_index` puts them together.
"""

from .links import LinkedPaper
from .paper_index import IndexStatus, PaperIndex, default_index_path
from .papers import PackedPaper, pack
from .rows import DRAFT, LENDER, Name, Stamp, reader_version

__all__ = [
    "DRAFT",
    "LENDER",
    "IndexStatus",
    "LinkedPaper",
    "Name",
    "PackedPaper",
    "PaperIndex",
    "Stamp",
    "default_index_path",
    "pack",
    "reader_version",
]

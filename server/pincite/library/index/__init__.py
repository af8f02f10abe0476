"""The persistent index: a cache of what was read from papers and drafts, by file content.

It is one SQLite file in the user's cache folder (``PINCITE_CACHE`` names another) that several
threads and processes share. The key of a row is a digest of the file's content, its suffix, and the
version of the reader, so an unchanged file is never read twice, even if it is moved.

Each table has a module (`files`, `papers`, `drafts`, `links`); `rows` has what they share, and
`paper_index` combines them.
"""

from .links import LinkedPaper
from .paper_index import IndexStatus, PaperIndex, default_index_path
from .papers import PackedPaper, pack
from .rows import DRAFT, LENDER, SETTLED_NS, Name, reader_version

__all__ = [
    "DRAFT",
    "LENDER",
    "SETTLED_NS",
    "IndexStatus",
    "LinkedPaper",
    "Name",
    "PackedPaper",
    "PaperIndex",
    "default_index_path",
    "pack",
    "reader_version",
]

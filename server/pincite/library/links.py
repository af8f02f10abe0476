"""Which entries papers and drafts are, and which they cite; cached until an entry changes."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path

from ..model.papers import CitingPaper
from .index import PaperIndex
from .inlinks import cited_entries
from .same_work import WorkMatcher
from .stored import DRAFT, LinkedPaper, Name


class Links:
    """The cached links of one bibliography, for one state of its entries.

    `state` is a digest of the entries; without it, nothing is stored.
    """

    def __init__(self, index: PaperIndex, bibliography: str = "", state: str = "") -> None:
        self._index, self._bibliography, self._state = index, bibliography, state
        self._known = index.links(bibliography, state) if state else {}

    def known(self, path: Path, name: Name) -> LinkedPaper | None:
        """Return the stored links of a file with this name in the index, if there are any."""
        linked = self._known.get(path)
        return linked if linked is not None and linked.name == name else None

    def store(self, found: Mapping[Path, LinkedPaper]) -> None:
        """Store the links of files."""
        if self._state and found:
            self._index.put_links(self._bibliography, self._state, found)

    def of_draft(self, path: Path, citing: CitingPaper, works: WorkMatcher) -> LinkedPaper:
        """Return which entries a draft cites, in the files of it that are left."""
        cited = dict.fromkeys(number for number, _ in citing.contexts)
        graph = repr((citing.references, tuple(cited)))
        content = blake2b(graph.encode("utf-8", "replace"), digest_size=20)
        name = (content.hexdigest(), DRAFT)
        linked = self.known(path, name)
        if linked is None:
            entries = cited_entries(citing.references, cited, works)
            linked = LinkedPaper(name, None, entries, len(citing.contexts))
            self.store({path: linked})
        return linked

"""The bibliographies that may lend texts to a draft: others of the workspace, and Zotero's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from ..library.index import PaperIndex
from ..model.fetched import fetched_path
from ..model.papers import BibEntry
from ..model.problems import InputError, Problem
from ..parsing.bibliographies import parse_bibliography
from ..parsing.encoding import read_text
from ..zotero.libraries import ZoteroLibraries

if TYPE_CHECKING:
    from ..settings import Settings

#: A workspace may be somebody's home.
_MAX_LENDERS = 500


class Lending:
    """Reads bibliographies as an editor holds them, else as they are on disk."""

    def __init__(self, index: PaperIndex, zotero: ZoteroLibraries) -> None:
        self._index = index
        self._zotero = zotero

    @property
    def problems(self) -> Sequence[Problem]:
        """Why Zotero lends nothing, or only what it had before."""
        return tuple(self._zotero.problems)

    def digests(
        self, others: Iterable[Path], settings: Settings, open_texts: Mapping[Path, str]
    ) -> Iterator[tuple[Path, str]]:
        """Yield bibliographies with digests of their contents.

        Last come those of Zotero, and what was fetched from the network.
        """
        of_zotero = () if settings.zotero == "off" else self._zotero.bibliographies()
        index = self._index.path
        fetched = () if index is None else (fetched_path(index),)
        for path in (*islice(others, _MAX_LENDERS), *of_zotero, *fetched):
            with suppress(OSError):
                yield path, self._digest_of(path, open_texts.get(path))

    def read(self, path: Path, digest: str, text: str | None) -> Sequence[BibEntry]:
        """Return the entries of a bibliography; `text` is the editor's, None for what is on disk.

        Raises `InputError` if its content has changed.
        """
        # Not cached as a draft's own is: of most nothing is lent.
        entries = parse_bibliography(read_text(path) if text is None else text, path).entries
        try:
            now = self._digest_of(path, text)
        except OSError as error:
            raise InputError(f"{path}: {error.strerror or error}") from None
        if now != digest:
            raise InputError(f"{path}: changed while it was read")
        return tuple(entries.values())

    def _digest_of(self, path: Path, text: str | None) -> str:
        if text is None:
            return self._index.digest(path)
        return blake2b(text.encode("utf-8", "replace"), digest_size=20).hexdigest()

"""Bibliographies with fallback texts for a draft: others of the workspace, and Zotero's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from ..library.fallback_texts import TextSource
from ..library.index import PaperIndex
from ..model.fetched import fetched_path
from ..model.papers import BibEntry
from ..model.problems import InputError
from ..parsing.bibliographies import parse_bibliography
from ..parsing.encoding import read_text
from ..zotero.libraries import ZoteroLibraries

if TYPE_CHECKING:
    from ..settings import Settings

#: A workspace may be somebody's home.
_MAX_SOURCES = 500


def text_sources(
    others: Iterable[Path],
    settings: Settings,
    open_texts: Mapping[Path, str],
    index: PaperIndex,
    zotero: ZoteroLibraries,
) -> Iterator[TextSource]:
    """Yield bibliographies as an editor has them, else as they are on disk.

    Last come those of Zotero, and what was fetched from the network.
    """
    of_zotero = () if settings.zotero == "off" else zotero.bibliographies()
    fetched = () if index.path is None else (fetched_path(index.path),)

    def digest(path: Path) -> str:
        if (text := open_texts.get(path)) is None:
            return index.digest(path)
        return blake2b(text.encode("utf-8", "replace"), digest_size=20).hexdigest()

    def read(path: Path, before: str) -> Sequence[BibEntry]:
        # Not cached, unlike the draft's own: most are never used.
        text = open_texts.get(path)
        entries = parse_bibliography(read_text(path) if text is None else text, path).entries
        try:
            now = digest(path)
        except OSError as error:
            raise InputError(f"{path}: {error.strerror or error}") from None
        if now != before:
            raise InputError(f"{path}: changed while it was read")
        return tuple(entries.values())

    for path in (*islice(others, _MAX_SOURCES), *of_zotero, *fetched):
        with suppress(OSError):
            before = digest(path)
            yield TextSource(path, before, partial(read, path, before))

"""Workspace symbols: entries by key, author, title and year."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import nsmallest
from typing import TYPE_CHECKING

from lsprotocol import types

from ...cancellation import checked
from ..keys import shown_path
from ..language_server import PinciteServer
from ..session import Project

if TYPE_CHECKING:
    from ...model.bibliographies import BibliographyFile
    from ...model.drafts import BibliographySource
    from ...model.papers import BibEntry

_MOST_SYMBOLS = 200
#: The key of an entry, its bibliography, and the text that is searched.
_Searched = tuple["BibliographyFile", str, str]


def register(server: PinciteServer) -> None:
    """Answer ``workspace/symbol``."""
    search = EntrySearch()

    @server.feature(types.WORKSPACE_SYMBOL)
    async def symbols(
        ls: PinciteServer, params: types.WorkspaceSymbolParams
    ) -> list[types.WorkspaceSymbol] | None:
        return await ls.answer(search.symbols, params.query)


class EntrySearch:
    """Finds entries of the workspace; builds the searched texts once per bibliography."""

    def __init__(self) -> None:
        self._searched: dict[
            BibliographySource, tuple[BibliographyFile, tuple[_Searched, ...]]
        ] = {}

    def symbols(self, project: Project, query: str) -> list[types.WorkspaceSymbol] | None:
        """Return the entries that contain all words of a query, at most `_MOST_SYMBOLS` of them.

        Entries whose key starts with the query come first. A symbol's name contains everything
        that was searched, as clients filter by it again.
        """
        from ...text.folding import folded

        if not project.settings.editor.does("workspace_symbols", "latex"):
            return None
        words = folded(query).split()
        start = "".join(words)
        found = (
            (not searched.startswith(start), number, key, bibliography)
            for number, (bibliography, key, searched) in enumerate(
                checked(self._entries(project), 1000)
            )
            if all(word in searched for word in words)
        )
        chosen = nsmallest(_MOST_SYMBOLS, found)
        return [
            _symbol(project, bibliography.entries[key], bibliography.place(key).line)
            for *_, key, bibliography in chosen
        ]

    def _entries(self, project: Project) -> Iterator[_Searched]:
        bibliographies = project.parsed_bibliographies()
        self._searched = {s: k for s, k in tuple(self._searched.items()) if s in bibliographies}
        for source, bibliography in bibliographies.items():
            known = self._searched.get(source)
            if known is None or known[0] is not bibliography:
                entries = bibliography.entries.values()
                made = tuple((bibliography, e.key, _searched_text(e)) for e in entries)
                known = self._searched[source] = (bibliography, made)
            yield from known[1]


def _searched_text(entry: BibEntry) -> str:
    from ...text.folding import folded

    return folded(" ".join((entry.key, *entry.surnames, entry.title, entry.year, *entry.aliases)))


def _symbol(project: Project, entry: BibEntry, line: int) -> types.WorkspaceSymbol:
    # Only the line: computing columns in a large bibliography at each keystroke takes too long.
    place = types.Position(line - 1, 0)
    location = types.Location(project.documents.uri(entry.path), types.Range(place, place))
    return types.WorkspaceSymbol(
        name=" · ".join(
            filter(None, (entry.key, ", ".join(entry.surnames), entry.year, entry.title))
        ),
        kind=types.SymbolKind.Key,
        location=location,
        container_name=shown_path(project, entry.path),
    )

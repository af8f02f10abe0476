"""Completion inside citation commands.

Asked for when ``{``, ``,`` or ``<`` is typed and while a key is typed. Answers with the entries
ranked by the text around the cursor; what was typed filters by key, author, title and year.
Supporting sentences are computed only for the item in view (``completionItem/resolve``).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from lsprotocol import types

from ..documents import Lines
from ..from_proto import key_slot_at
from ..language_server import PinciteServer
from ..session import Session
from ..to_proto import completion_item, evidence_markup

if TYPE_CHECKING:
    from ...model.papers import Candidate
    from ..indexes import Ranks

_OPTIONS = types.CompletionOptions(trigger_characters=["{", ",", "<"], resolve_provider=True)
_MOST_ITEMS = 30


def register(server: PinciteServer) -> None:
    """Answer ``textDocument/completion`` and ``completionItem/resolve``."""

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, _OPTIONS)
    async def completes(
        ls: PinciteServer, params: types.CompletionParams
    ) -> types.CompletionList | None:
        return await ls.answer_at(complete, params)

    @server.feature(types.COMPLETION_ITEM_RESOLVE)
    async def resolves(ls: PinciteServer, item: types.CompletionItem) -> types.CompletionItem:
        return await ls.answer(resolve, item) or item


def complete(
    session: Session, path: Path, lines: Lines, position: types.Position
) -> types.CompletionList | None:
    """Return the ranked entries for the key at the cursor; None where no key can stand.

    `lines` is the document as it was when the client asked: the position is one of that text.
    """
    opened = session.open_draft(path, lines.text)
    if opened is None:
        return None
    names = opened.bibliography
    slot = key_slot_at(opened.file, lines.offset(position), lambda key: names.find(key) is not None)
    if slot is None:
        return None
    context = opened.recommender.context(opened.file, slot.place)
    searched = _searched_texts(opened.recommender) if slot.search else {}
    words = _folded(slot.search).split()
    ranked = [
        entry
        for entry in opened.recommender.rank(context, explained=0)
        if entry.key not in slot.taken and all(word in searched[entry.key] for word in words)
    ]
    if typed := slot.search.lower():
        ranked.sort(key=lambda entry: not entry.key.lower().startswith(typed))
    items = []
    for rank, entry in enumerate(opened.recommender.explain(context, ranked[:_MOST_ITEMS])):
        item = completion_item(entry, rank, slot, lines)
        item.data = {"path": str(path), "key": entry.key, "place": slot.place}
        items.append(item)
    # Never complete: a client that filtered by itself would find keys only, in an order of its own.
    return types.CompletionList(is_incomplete=True, items=items)


def resolve(session: Session, item: types.CompletionItem) -> types.CompletionItem:
    """Add the work and its supporting sentences to the item in view."""
    data = item.data
    if not isinstance(data, dict) or not {"path", "key", "place"} <= data.keys():
        return item
    opened = session.open_draft(Path(str(data["path"])))
    candidate = opened.recommender.candidates.get(str(data["key"])) if opened else None
    if opened is None or candidate is None:
        return item
    context = opened.recommender.context(opened.file, int(data["place"]))
    supporting = opened.recommender.supporting(context, candidate.key)
    markdown = session.shows_markdown.documentation
    contents = evidence_markup(
        candidate,
        supporting,
        markdown=markdown,
        base_folders=session.settings.library.base_folders,
    )
    # A plain string is what every client takes.
    item.documentation = contents if markdown else contents.value
    return item


#: Made once for each recommender: a large bibliography is searched at every key stroke.
_SEARCHED: WeakKeyDictionary[Ranks, Mapping[str, str]] = WeakKeyDictionary()


def _searched_texts(recommender: Ranks) -> Mapping[str, str]:
    """Return what typed words are looked up in, by key."""
    texts = _SEARCHED.get(recommender)
    if texts is None:
        texts = {key: _searched(candidate) for key, candidate in recommender.candidates.items()}
        _SEARCHED[recommender] = texts
    return texts


def _searched(candidate: Candidate) -> str:
    known = candidate.entry
    more = (known.year, *known.aliases) if known else ()
    return _folded(" ".join((candidate.key, candidate.paper.title, *candidate.names, *more)))


def _folded(text: str) -> str:
    if text.isascii():
        return text.casefold()
    decomposed = unicodedata.normalize("NFD", text.casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c))

"""Completion inside citation commands.

Asked for when ``{``, ``,`` or ``<`` is typed and while a key is typed. Answers with the entries
ranked by the text around the cursor; what was typed filters by key, author, title and year.
Supporting sentences are computed only for the item in view (``completionItem/resolve``).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from ..documents import path_of
from ..from_proto import key_slot_at
from ..session import Session
from ..to_proto import completion_item, evidence_markup

if TYPE_CHECKING:
    from ...model.results import RankedEntry

OPTIONS = types.CompletionOptions(trigger_characters=["{", ",", "<"], resolve_provider=True)
_MOST_ITEMS = 30


def complete(session: Session, params: types.CompletionParams) -> types.CompletionList | None:
    """Return the ranked entries for the key at the cursor; None where no key can stand."""
    path = path_of(params.text_document.uri)
    lines = session.documents.lines(path)
    if lines is None or "\\" not in lines.text:
        return None
    opened = session.open_draft(path)
    if opened is None or opened.file.text != lines.text:
        return None
    offset = lines.offset(params.position)
    slot = key_slot_at(opened.file, offset)
    if slot is None:
        return None
    typed = "" if slot.literal else slot.prefix
    context = opened.recommender.context(opened.file, slot.place)
    ranked = [
        entry
        for entry in opened.recommender.rank(context, explained=0)
        if entry.key not in slot.taken and _matches(entry, typed)
    ]
    if typed:
        ranked.sort(key=lambda entry: not entry.key.lower().startswith(typed.lower()))
    shown = opened.recommender.explain(context, ranked[:_MOST_ITEMS])
    items = []
    for rank, entry in enumerate(shown):
        item = completion_item(entry, rank, slot, lines, slot.prefix)
        item.data = {"path": str(path), "key": entry.key, "place": slot.place}
        items.append(item)
    more = len(ranked) > len(shown)
    return types.CompletionList(
        is_incomplete=more or bool(typed) or not opened.complete, items=items
    )


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
    contents = evidence_markup(candidate, supporting, markdown=markdown)
    # A plain string is what every client takes.
    item.documentation = contents if markdown else contents.value
    return item


def _matches(entry: RankedEntry, typed: str) -> bool:
    """Tell whether every word typed occurs in the key, the names, the title or the year."""
    if not typed:
        return True
    known = entry.candidate.entry
    fields: Sequence[str] = (
        entry.key,
        entry.candidate.paper.title,
        *entry.candidate.names,
        *((known.year, *known.aliases) if known else ()),
    )
    text = _folded(" ".join(fields))
    return all(word in text for word in _folded(typed).split())


def _folded(text: str) -> str:
    decomposed = unicodedata.normalize("NFD", text.casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c))

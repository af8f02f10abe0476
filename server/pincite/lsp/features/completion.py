"""Completion inside citation commands.

Triggered by ``{``, ``,``, ``<``, ``@`` or a backtick and while a key is typed. The answer has the
entries ranked by the text around the cursor; the typed text filters them by key, author, title and
year. Entries of the author's library follow those of the draft; choosing one adds it to the draft's
bibliography.
Supporting sentences are computed only for the selected item (``completionItem/resolve``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import islice, takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from ...project.search import found_by, names_found
from ..additions import addition
from ..documents import Lines
from ..evidence import evidence_markup, remark_on
from ..from_proto import key_slot_at
from ..language_server import PinciteServer
from ..session import OpenDraft, Snapshot
from ..to_proto import completion_item, ranked_by, takes_versions

if TYPE_CHECKING:
    from ...model.contexts import CitationContext
    from ...model.results import RankedEntry
    from ...parsing.markup import KeySlot
    from ...recommend import Recommender

ADD_ENTRY = "pincite.addEntry"

_OPTIONS = types.CompletionOptions(
    trigger_characters=["{", ",", "<", "@", "`"], resolve_provider=True
)
#: Items when nothing is typed: in total, and those reserved for entries of the library.
_MOST_ITEMS = 30
_PAPERS_ARE_READ = "papers are being read"
_KEPT_FOR_LIBRARY = 10
#: Items that match the typed text; the client asks again with the next letter.
_MOST_FOUND = 50
_MOST_FOUND_IN_LIBRARY = 50


def register(server: PinciteServer) -> None:
    """Answer ``textDocument/completion``, ``completionItem/resolve`` and `ADD_ENTRY`."""
    shown: set[str] = set()

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, _OPTIONS)
    async def completes(
        ls: PinciteServer, params: types.CompletionParams
    ) -> types.CompletionList | None:
        label_details = _shows_label_details(ls.client_capabilities)
        return await ls.answer_at(partial(complete, label_details=label_details), params)

    @server.feature(types.COMPLETION_ITEM_RESOLVE)
    async def resolves(ls: PinciteServer, item: types.CompletionItem) -> types.CompletionItem:
        return await ls.answer(resolve, item) or item

    @server.command(ADD_ENTRY)
    async def adds_entry(ls: PinciteServer, *arguments: object) -> None:
        match arguments:
            case ({"path": str(path), "key": str(key)},):
                message = await add_entry(ls, Path(path), key)
                if message and message not in shown:
                    shown.add(message)
                    kind = types.MessageType.Info
                    ls.window_show_message(types.ShowMessageParams(kind, f"Pincite: {message}"))


async def add_entry(ls: PinciteServer, path: Path, key: str) -> str:
    """Add an entry of the library to a draft's bibliography; return why that failed, or ''."""
    client, versioned = ls.client_capabilities.workspace, takes_versions(ls.client_capabilities)
    added = await ls.answer(partial(addition, versioned=versioned), path, key)
    if added is None or added.edit is None:
        return added.message if added else ""
    if client is None or not client.apply_edit:
        return "Your editor does not let a server add to a .bib file."
    answer = await ls.workspace_apply_edit_async(
        types.ApplyWorkspaceEditParams(added.edit, added.label)
    )
    return "" if answer.applied else f"The editor did not add {key}."


def _shows_label_details(client: types.ClientCapabilities) -> bool:
    completion = client.text_document.completion if client.text_document else None
    item = completion.completion_item if completion else None
    return bool(item and item.label_details_support)


def complete(
    snapshot: Snapshot,
    path: Path,
    lines: Lines,
    position: types.Position,
    *,
    label_details: bool = True,
) -> types.CompletionList | None:
    """Return the ranked entries for the key at the cursor; None where a key is not possible.

    `lines` is the document at the time of the request, to which the position refers.
    `label_details` says whether the client shows label details.
    """
    if (opened := snapshot.open_draft(path)) is None:
        return None
    names = opened.bibliography
    slot = key_slot_at(opened.file, lines.offset(position), lambda key: names.find(key) is not None)
    if slot is None:
        return None
    # An entry that is cited here by an alias also counts as cited.
    slot = replace(slot, taken=slot.taken | {names.key_of(key) or key for key in slot.taken})
    context = opened.recommender.context(opened.draft, opened.file, slot.place)
    own = _chosen(opened, context, slot)
    more = _from_library(snapshot, opened, context, slot, _MOST_ITEMS - len(own))
    if not slot.search:
        own = own[: _MOST_ITEMS - len(more)]
    replaced = lines.range(slot.start, slot.end)
    choices = [
        (entry, name, is_new)
        for entries, is_new in ((own, False), (more, True))
        for entry in entries
        for name in _names(opened, entry, slot)
    ]
    items = []
    for rank, (entry, name, is_new) in enumerate(choices):
        item = completion_item(
            entry,
            rank,
            slot,
            replaced,
            label=snapshot.settings.editor.label,
            label_details=label_details,
            from_library=is_new,
            alias=name if name != entry.key else "",
            # An open list is not updated; typing the next letter replaces it.
            remark="" if rank or opened.complete else _PAPERS_ARE_READ,
        )
        item.data = {"path": str(path), "key": entry.key, "place": slot.place, "new": is_new}
        if is_new:
            arguments = {"path": str(path), "key": entry.key}
            item.command = types.Command(
                "Add to the bibliography", ADD_ENTRY, arguments=[arguments]
            )
        items.append(item)
    # Always incomplete: a client's own filter would find only keys, in its own order.
    return types.CompletionList(is_incomplete=True, items=items)


def _names(opened: OpenDraft, entry: RankedEntry, slot: KeySlot) -> list[str]:
    """Return the names of an entry to offer for the typed text.

    Aliases are offered only if the typed text matches one and biber is used: BibTeX has no aliases.
    """
    aliases = entry.candidate.entry.aliases if entry.candidate.entry is not None else ()
    if not (slot.search and aliases and opened.draft.case_sensitive_keys):
        return [entry.key]
    return names_found(slot.search, entry.key, aliases)


def _chosen(opened: OpenDraft, context: CitationContext, slot: KeySlot) -> list[RankedEntry]:
    """Return the draft's own entries, best first."""
    ranked = _ranked(opened.recommender, context, slot)
    most = _MOST_FOUND if slot.search else _MOST_ITEMS
    return opened.recommender.explain(context, list(islice(ranked, most)))


def _from_library(
    snapshot: Snapshot, opened: OpenDraft, context: CitationContext, slot: KeySlot, room: int
) -> list[RankedEntry]:
    """Return entries of the library, once it is read, that the draft's bibliography lacks.

    When nothing is typed, only those that match the context.
    """
    library = snapshot.global_library.recommender(snapshot.settings)
    if library is None:
        return []
    ranked = _ranked(library, context, slot)
    fitting = takewhile(lambda entry: slot.search or entry.score > 0.0, ranked)
    lacking = snapshot.global_library.lacking(opened.bibliography, fitting)
    most = _MOST_FOUND_IN_LIBRARY if slot.search else max(room, _KEPT_FOR_LIBRARY)
    return library.explain(context, list(islice(lacking, most)))


def _ranked(
    recommender: Recommender, context: CitationContext, slot: KeySlot
) -> Iterator[RankedEntry]:
    ranking = recommender.rank(context)
    found_or_all = iter(ranking)
    if slot.search:
        found_or_all = found_by(recommender, slot.search, ranking)
    return (entry for entry in found_or_all if entry.key not in slot.taken)


def resolve(snapshot: Snapshot, item: types.CompletionItem) -> types.CompletionItem:
    """Add the work, the reasons for its rank, and its supporting sentences to an item."""
    match item.data:
        case {"path": str(path), "key": str(key), "place": int(place), "new": bool(is_new)}:
            opened = snapshot.open_draft(Path(path))
        case _:
            return item
    if opened is None:
        return item
    ranks: Recommender | None = opened.recommender
    shows = ranks
    if is_new:
        ranks = snapshot.global_library.recommender(snapshot.settings)
        shows = snapshot.from_library(opened, key)
    candidate = shows.candidates.get(key) if shows else None
    if shows is None or ranks is None or candidate is None:
        return item
    context = opened.recommender.context(opened.draft, opened.file, place)
    supporting = shows.supporting(context, key)
    entry = ranks.rank(context).of(key)
    remarks = [
        ranked_by(entry)
        for entry in ranks.explain(context, [entry] if entry else [])
        # There are no reasons for an entry that has not been ranked yet.
        if entry.score > 0.0 or opened.complete
    ]
    if is_new:
        remarks.append("It is in your library; choosing it adds it to the bibliography.")
    elif remark := remark_on(opened, candidate, supporting):
        remarks.append(remark)
    markdown = snapshot.shows_markdown.documentation
    contents = evidence_markup(
        candidate,
        supporting,
        markdown=markdown,
        remark=" ".join(remarks),
        opens_pdf=snapshot.opens_pdf,
    )
    # Every client accepts a plain string.
    item.documentation = contents if markdown else contents.value
    return item

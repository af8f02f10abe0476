"""Completion inside citation commands.

Triggered by ``{``, ``,``, ``<``, ``@`` or a backtick and while a key is typed. The answer has the
entries ranked by the text around the cursor; the typed text filters them by key, author, title and
year. Entries of the author's library are among them; choosing one adds it to the draft's
bibliography.
Supporting sentences are computed only for the selected item (``completionItem/resolve``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from ...project.search import matching_names
from ...project.suggestions import suggestions
from .. import wire
from ..additions import addition
from ..documents import Lines
from ..evidence import evidence_markup, remark_on, style_of
from ..language_server import PinciteServer
from ..session import OpenDraft, Project
from ..to_proto import completion_item, ranked_by

if TYPE_CHECKING:
    from ...model.results import RankedEntry
    from ...parsing.markup import KeySlot
    from ...recommend import Recommender

ADD_ENTRY = "pincite.addEntry"

_OPTIONS = types.CompletionOptions(
    trigger_characters=["{", ",", "<", "@", "`"], resolve_provider=True
)
#: Items when nothing is typed: in total, and those reserved for entries of the library.
_MOST_ITEMS = 30
#: Items with documentation for a client that does not resolve it (Neovim).
_DOCUMENTED = 5
_PAPERS_ARE_READ = "papers are being read"
_KEPT_FOR_LIBRARY = 10
#: Items that match the typed text, of draft and library each; the client asks again with the next
#: letter.
_MOST_FOUND = 50


def register(server: PinciteServer) -> None:
    """Answer ``textDocument/completion``, ``completionItem/resolve`` and `ADD_ENTRY`."""
    shown: set[str] = set()

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, _OPTIONS)
    async def completes(
        ls: PinciteServer, params: types.CompletionParams
    ) -> types.CompletionList | None:
        return await ls.answer_at(complete, params)

    @server.feature(types.COMPLETION_ITEM_RESOLVE)
    async def resolves(ls: PinciteServer, item: types.CompletionItem) -> types.CompletionItem:
        return await ls.answer(resolve, item)

    @server.command(ADD_ENTRY)
    async def adds_entry(ls: PinciteServer, *arguments: object) -> Any:  # noqa: ANN401 - JSON
        match arguments:
            case ({"path": str(path), "key": str(key), **more},):
                added = await add_entry(ls, Path(path), key)
            case _:
                return None
        if isinstance(added, wire.AddedEntry):
            return wire.written(added)
        # Reported once while keys are completed; each time if the entry alone was asked for.
        if added and not ("cited" in more and added in shown):
            shown.add(added)
            _tell(ls, added)
        return None


async def add_entry(ls: PinciteServer, path: Path, key: str) -> wire.AddedEntry | str:
    """Add an entry of the library to a draft's bibliography, and say so.

    Returns what was added, or why nothing was, "" where the draft has it already.
    """
    await ls.look_at_files()
    added = await ls.answer(addition, path, key)
    if added is None or added.edit is None:
        return added.message if added else ""
    if not ls.session.client.applies_edits:
        return "Your editor does not let a server add to a .bib file."
    answer = await ls.workspace_apply_edit_async(
        types.ApplyWorkspaceEditParams(added.edit, added.label)
    )
    if not answer.applied:
        return f"The editor did not add {key}."
    if not ls.session.client.tells_added_entries:
        _tell(ls, added.message)
    return wire.AddedEntry(key, ls.session.documents.now.uri(added.path), added.text)


def _tell(ls: PinciteServer, message: str) -> None:
    params = types.ShowMessageParams(types.MessageType.Info, f"Pincite: {message}")
    ls.window_show_message(params)


def complete(
    project: Project, path: Path, lines: Lines, position: types.Position
) -> types.CompletionList | None:
    """Return the ranked entries for the key at the cursor; None where a key is not possible."""
    if (opened := project.open_draft(path)) is None:
        return None
    from ...parsing.markups import markup_of

    file, offset, names = opened.file, lines.offset(position), opened.bibliography
    slot = markup_of(file.path).syntax.key_slot(
        file, offset, lambda key: names.find(key) is not None
    )
    if slot is None:
        return None
    # An entry that is cited here by an alias also counts as cited.
    slot = replace(slot, taken=slot.taken | {names.key_of(key) or key for key in slot.taken})
    context = opened.context(slot.place)
    suggested = suggestions(
        project,
        opened,
        context,
        most=_MOST_FOUND if slot.search else _MOST_ITEMS,
        kept=_KEPT_FOR_LIBRARY,
        typed=slot.search,
        taken=slot.taken,
    )
    choices = [
        (entry, name, is_new) for entry, is_new in suggested for name in _names(opened, entry, slot)
    ]
    slot = _behind_sign(slot, [name for _, name, _ in choices])
    replaced = lines.range(slot.start, slot.end)
    items = []
    for rank, (entry, name, is_new) in enumerate(choices):
        item = completion_item(
            entry,
            rank,
            slot,
            replaced,
            label=project.settings.editor.label,
            label_details=project.client.label_details,
            from_library=is_new,
            alias=name if name != entry.key else "",
            # An open list is not updated; typing the next letter replaces it.
            remark="" if rank or opened.complete else _PAPERS_ARE_READ,
        )
        item.data = {"path": str(path), "key": entry.key, "place": slot.place, "new": is_new}
        if is_new:
            # What is put into the draft, for a client that takes it back with the entry.
            arguments = {"path": str(path), "key": entry.key, "cited": slot.write(name)}
            item.command = types.Command(
                "Add to the bibliography", ADD_ENTRY, arguments=[arguments]
            )
        items.append(item)
    if not project.client.resolves_documentation:
        for item in items[:_DOCUMENTED]:
            resolve(project, item)
    # Always incomplete: a client's own filter would find only keys, in its own order.
    return types.CompletionList(is_incomplete=True, items=items)


def _behind_sign(slot: KeySlot, names: Sequence[str]) -> KeySlot:
    """Return a slot without the sign before it, if all of these keys leave that as it stands.

    Older Neovim takes as typed only what is a word.
    """
    sign = slot.prefix[:1]
    if sign not in ("@", "<") or not all(slot.write(name).startswith(sign) for name in names):
        return slot
    write = slot.write
    return replace(
        slot, start=slot.start + 1, prefix=slot.prefix[1:], write=lambda key: write(key)[1:]
    )


def _names(opened: OpenDraft, entry: RankedEntry, slot: KeySlot) -> list[str]:
    """Return the names of an entry to offer for the typed text.

    Aliases are offered only if the typed text matches one and biber is used: BibTeX has no aliases.
    """
    aliases = entry.candidate.entry.aliases if entry.candidate.entry is not None else ()
    if not (slot.search and aliases and opened.draft.case_sensitive_keys):
        return [entry.key]
    return matching_names(slot.search, entry.key, aliases)


def resolve(project: Project, item: types.CompletionItem) -> types.CompletionItem:
    """Add the work, the reasons for its rank, and its supporting sentences to an item."""
    match item.data:
        case {"path": str(path), "key": str(key), "place": int(place), "new": bool(is_new)}:
            opened = project.open_draft(Path(path))
        case _:
            return item
    if opened is None:
        return item
    ranks: Recommender | None = opened.recommender
    shows = ranks
    if is_new:
        ranks = project.global_library.recommender()
        shows = project.from_library(opened, key)
    candidate = shows.candidates.get(key) if shows else None
    if shows is None or ranks is None or candidate is None:
        return item
    context = opened.context(place)
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
    markdown = project.client.markdown_documentation
    style = style_of(markdown=markdown, opens_pdf=project.client.opens_pdf)
    contents = evidence_markup(candidate, supporting, style, remark=" ".join(remarks))
    # Every client accepts a plain string.
    item.documentation = contents if markdown else contents.value
    return item

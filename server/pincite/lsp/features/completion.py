"""Completion inside citation commands: entries ranked by the text around the cursor."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from lsprotocol import types

from ...model.results import RankedEntry
from ...parsing.markups import KeySlot, markup_of
from ...project.search import matching_names
from ...project.suggestions import nothing_fits, suggestions
from ...settings import Label
from ..commands import ADD_ENTRY
from ..session import Document, Project, ReadDraft
from .evidence import Style, evidence_markup, ranked_by, remark_on, verdict_here
from .first_bibliography import Offer, offers

#: Items when nothing is typed: in total, and those reserved for entries of the library.
_MAX_ITEMS = 30
_FOR_LIBRARY = 10
#: Items that match the typed text, of draft and library each; the client asks again with the next
#: letter.
_MAX_FOUND = 50
#: Items with documentation for a client that does not resolve it (Neovim).
_DOCUMENTED = 5
#: The icon of a row shows the basis of the entry's rank: a page, text, a reference.
_ICONS: Mapping[str, types.CompletionItemKind] = {
    "full text": types.CompletionItemKind.File,
    "abstract": types.CompletionItemKind.Text,
    "title": types.CompletionItemKind.Reference,
    "inlink contexts": types.CompletionItemKind.Reference,
}
#: The most characters of author and year: half of a row in a narrow window.
_MAX_NAMES = 34
#: The characters that a row of VS Code has room for, and the least of a title that is shown.
_MAX_ROW, _MIN_TITLE = 44, 13
_READING = "papers are being read"
#: A command of clients that have “Suggest citations here”, and how many works stand before it.
SUGGEST_DISCOVERED = "pincite.suggestDiscovered"
_BEFORE_DISCOVERED = 3
#: VS Code ignores the rest of a `filter_text`.
_MAX_FILTER = 128


def complete(here: Document, offset: int) -> types.CompletionList | None:
    """Return the ranked entries for the key at the cursor; None where a key is not possible."""
    project, opened = here.project, here.opened()
    if opened is None:
        rows = _rows(here, here.project.begun_draft(here.path), offset)
        return types.CompletionList(is_incomplete=True, items=rows) if rows else None
    names, path = opened.bibliography, str(here.path)
    syntax = markup_of(here.path).syntax
    slot = syntax.key_slot(opened.file, offset, lambda key: names.find(key) is not None)
    if slot is None or (slot.is_label and not _begins_key(slot.search, names.entries)):
        return None
    # An entry that is cited here by an alias also counts as cited.
    slot = replace(slot, taken=slot.taken | {names.key_of(key) or key for key in slot.taken})
    suggested = suggestions(
        project,
        opened,
        opened.context(slot.place),
        most=_MAX_FOUND if slot.search else _MAX_ITEMS,
        for_library=_FOR_LIBRARY,
        typed=slot.search,
        taken=slot.taken,
        explained=False,  # rows show no reasons
    )
    choices: list[tuple[RankedEntry, str, bool]] = []
    for entry, is_new in suggested:
        # Aliases are offered only if the typed text matches one and biber is used: BibTeX has none.
        aliases = entry.candidate.entry.aliases if entry.candidate.entry is not None else ()
        by_name = slot.search and aliases and opened.draft.case_sensitive_keys
        found = matching_names(slot.search, entry.key, aliases) if by_name else [entry.key]
        choices += ((entry, name, is_new) for name in found)
    rows = [] if names.entries else _rows(here, opened, offset, after=len(choices))
    if not choices:
        return types.CompletionList(is_incomplete=True, items=rows)
    sign, write = slot.prefix[:1], slot.write
    if sign in ("@", "<") and all(write(name).startswith(sign) for _, name, _ in choices):
        # Older Neovim takes as typed only what is a word, so the sign stays as it stands.
        start, prefix = slot.start + 1, slot.prefix[1:]
        slot = replace(slot, start=start, prefix=prefix, write=lambda key: write(key)[1:])
    replaced = types.Range(here.lines.position(slot.start), here.lines.position(slot.end))
    label, items = project.settings.editor.label, []
    for rank, (entry, name, is_new) in enumerate(choices):
        item = completion_item(
            entry,
            rank,
            slot,
            replaced,
            label=label,
            label_details=project.client.label_details,
            from_library=is_new,
            alias=name if name != entry.key else "",
            # An open list is not updated; typing the next letter replaces it.
            remark="" if rank or label == "key" or not opened.reads_papers else _READING,
        )
        item.data = {"path": path, "key": entry.key, "place": slot.place, "new": is_new}
        if is_new:
            # What is put into the draft, for a client that takes it back with the entry.
            argument = {"path": path, "key": entry.key, "cited": slot.write(name)}
            item.command = types.Command("Add to the bibliography", ADD_ENTRY, arguments=[argument])
        if rank < _DOCUMENTED and not project.client.resolves_documentation:
            resolve(project, item)
        items.append(item)
    first = (entry for entry, _ in suggested)
    if not slot.search and opened.complete and nothing_fits(opened.recommender, first):
        rows += _beyond(here, slot, offset)
    # Always incomplete: a client's own filter would find only keys, in its own order.
    return types.CompletionList(is_incomplete=True, items=[*items, *rows])


def _begins_key(typed: str, keys: Iterable[str]) -> bool:
    return any(key.lower().startswith(typed.lower()) for key in keys)


def _rows(
    here: Document, read: ReadDraft | None, offset: int, after: int = 0
) -> list[types.CompletionItem]:
    """Return what gives a draft its first entries, where a citation is being typed."""
    if read is None:
        return []
    syntax = markup_of(here.path).syntax
    slot = syntax.key_slot(read.file, offset, lambda _key: False)
    if slot is None or not syntax.wants_citation(read.file, slot):
        return []
    found = enumerate(offers(here.project, here.path, read), after)
    return [_row(here, slot, offset, offer, f"!{number:05d}") for number, offer in found]


def _beyond(here: Document, slot: KeySlot, offset: int) -> list[types.CompletionItem]:
    """Return the row that suggests works beyond the bibliography, below the first ones."""
    if not here.project.client.suggests_here:
        return []
    title = "Suggest works you do not have…"
    why = "None of the first entries is very likely to be cited here."
    offer = Offer(title, why, "", types.Command(title, SUGGEST_DISCOVERED))
    return [_row(here, slot, offset, offer, f"!{_BEFORE_DISCOVERED - 1:05d}~")]


def _row(
    here: Document, slot: KeySlot, offset: int, offer: Offer, sort_text: str
) -> types.CompletionItem:
    """Return a row that executes a command and inserts nothing."""
    shows_label_details, cursor = here.project.client.label_details, here.lines.position(offset)
    return types.CompletionItem(
        label=offer.title,
        label_details=types.CompletionItemLabelDetails(description=offer.in_short or None),
        detail=None if shows_label_details else offer.why,
        documentation=offer.why if shows_label_details else None,
        kind=types.CompletionItemKind.Event,
        sort_text=sort_text,
        filter_text=f"{slot.prefix} {offer.title}",
        text_edit=types.TextEdit(types.Range(cursor, cursor), ""),
        command=offer.command,
    )


def completion_item(
    entry: RankedEntry,
    rank: int,
    slot: KeySlot,
    replaced: types.Range,
    *,
    label: Label = "key",
    label_details: bool = True,
    from_library: bool = False,
    alias: str = "",
    remark: str = "",
) -> types.CompletionItem:
    """Return a ranked entry as a completion item whose order the client keeps.

    It inserts the key of the entry or an `alias`. A row is author, year and title, after the key if
    `label` is that; the icon shows the basis of the rank. At its right end stands what is special
    about it: that the key is an alias or the work one of the library, for which the title is cut,
    or a `remark`. The key that no row has is the detail; the reasons are in the documentation.
    `replaced` is the range of the slot. `filter_text` starts with the text before the cursor, so
    that the client keeps every item: the server has already filtered, by more than the key.
    Without `label_details`, which some clients do not show, the detail contains their text.
    """
    candidate = entry.candidate
    title, name = " ".join(candidate.title.split()), alias or entry.key
    row = [each for each in (_short(candidate.author_year), title) if each]
    if label == "key" or not row:
        row.insert(0, name)
    begins, *others = row
    beside = " · ".join(others)
    between = " " if label == "key" else " · "
    special = ("library" if from_library else "", f"alias of {entry.key}" if alias else "", remark)
    at_end = " · ".join(filter(None, special))
    if label_details:
        detail = name if begins != name else ""
    else:
        detail = " · ".join(filter(None, (*others, at_end)))
    search_text = " ".join(filter(None, (slot.prefix, entry.key, *candidate.names, title)))
    if label != "key" and (from_library or alias):
        # A long title would push what is special out of the row.
        room = _MAX_ROW - len(begins) - len(between) - len(at_end)
        beside = _cut(beside, max(room, _MIN_TITLE))
    return types.CompletionItem(
        label=begins,
        label_details=types.CompletionItemLabelDetails(
            detail=f"{between}{beside}" if beside else None, description=at_end or None
        ),
        detail=detail or None,
        kind=types.CompletionItemKind.Folder if from_library else _ICONS[entry.basis[0]],
        sort_text=f"!{rank:05d}",
        filter_text=search_text[:_MAX_FILTER],
        preselect=(rank == 0 and not from_library) or None,
        text_edit=types.TextEdit(replaced, slot.write(name)),
    )


def _short(author_year: str) -> str:
    """Return author and year, with the names cut so that a narrow row has room for the title."""
    if len(author_year) <= _MAX_NAMES:
        return author_year
    names, _, year = author_year.rpartition(" ")
    return f"{_cut(names, _MAX_NAMES - len(year) - 1)} {year}"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def resolve(project: Project, item: types.CompletionItem) -> types.CompletionItem:
    """Add the work, the reasons for its rank, and its supporting sentences to an item."""
    match item.data:
        case {"path": str(path), "key": str(key), "place": int(place), "new": bool(is_new)}:
            opened = project.open_draft(Path(path))
        case _:
            return item
    if opened is None:
        return item
    ranks = project.global_library.recommender() if is_new else opened.recommender
    shows = project.from_library(opened, key) if is_new else opened.recommender
    candidate = shows.candidates.get(key) if shows else None
    if shows is None or ranks is None or candidate is None:
        return item
    context = opened.context(place)
    supporting = shows.supporting(context, key)
    entry = ranks.rank(context).of(key)
    # There are no reasons for an entry that has not been ranked yet.
    is_ranked = entry is not None and (entry.score > 0.0 or opened.complete)
    (entry,) = ranks.explain(context, [entry]) if entry is not None and is_ranked else [None]
    remarks: list[str] = []
    if is_new:
        remarks.append("It is in your library; choosing it adds it to the bibliography.")
    else:
        judged = verdict_here(opened, context, candidate, supporting)
        remarks += filter(None, [remark_on(opened, candidate, judged)])
    style = Style(project.client.markdown_documentation, project.client.opens_pdf)
    why = "" if entry is None else ranked_by(entry)
    contents = evidence_markup(candidate, supporting, style, " ".join(remarks), why)
    # Every client accepts a plain string.
    item.documentation = contents if style.markdown else contents.value
    return item

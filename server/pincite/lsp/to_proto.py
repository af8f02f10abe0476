"""Convert results to the protocol's types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from lsprotocol import types

from ..model.problems import InputError

if TYPE_CHECKING:
    from ..model.edits import TextEdit
    from ..model.results import RankedEntry
    from ..model.spans import TextSpan
    from ..parsing.markup import KeySlot
    from ..settings import Label
    from .documents import Lines
    from .session import Project

_MOST_MATCHED = 4
_MOST_NAMED = 12
#: The icon of a row shows the basis of the entry's rank: a page, text, a reference.
_ICONS: Mapping[str, types.CompletionItemKind] = {
    "full text": types.CompletionItemKind.File,
    "abstract": types.CompletionItemKind.Text,
    "title": types.CompletionItemKind.Reference,
    "inlink contexts": types.CompletionItemKind.Reference,
}
_FROM_LIBRARY = types.CompletionItemKind.Folder
#: VS Code ignores the rest of a `filter_text`.
_LONGEST_FILTER = 128


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

    It inserts the key of the entry or an `alias`, which is labelled as such. A row begins with
    either key or author, as `label` says, followed by the other; the icon shows the basis of the
    rank. A `remark` comes after author and year, before the reasons.
    `replaced` is the range of the slot. `filter_text` starts with the text before the cursor, so
    that the client keeps every item: the server has already filtered, by more than the key.
    Without `label_details`, which some clients do not show, the detail contains their text.
    """
    candidate = entry.candidate
    who, title = candidate.author_year, candidate.title
    name = alias or entry.key
    begins_with_names = label == "author-year" and bool(who)
    first = remark if begins_with_names else ""
    remarks = (first, f"alias of {entry.key}" if alias else "", "library" if from_library else "")
    why = " · ".join(filter(None, (*remarks, reason(entry))))
    begins, beside, at_end = name, who, why
    if begins_with_names:
        begins, beside, at_end = who, why or title, name
    found_by = " ".join(filter(None, (slot.prefix, entry.key, *candidate.names, title)))
    return types.CompletionItem(
        label=begins,
        label_details=types.CompletionItemLabelDetails(
            detail=f" {beside}" if beside else None, description=at_end
        ),
        detail=(title if label_details else " · ".join(filter(None, (who, why, title)))) or None,
        kind=_FROM_LIBRARY if from_library else _ICONS[entry.basis[0]],
        sort_text=f"!{rank:05d}",
        filter_text=found_by[:_LONGEST_FILTER],
        preselect=(rank == 0 and not from_library) or None,
        text_edit=types.TextEdit(replaced, slot.write(name)),
    )


class Locations:
    """Makes locations of places in files, whose lines are counted once."""

    def __init__(
        self, project: Project, known: Mapping[Path, Lines] = MappingProxyType({})
    ) -> None:
        """Look for files in a project, but for those whose lines are `known`."""
        self._snapshot = project
        self._lines: dict[Path, Lines | None] = {**known}

    def of(self, path: Path, span: TextSpan) -> types.Location | None:
        """Return the location of a span of a file; None if the file cannot be read."""
        if path not in self._lines:
            self._lines[path] = self._snapshot.lines(path)
        if (lines := self._lines[path]) is None:
            return None
        uri = self._snapshot.documents.uri(path)
        return types.Location(uri, lines.range(span.start, span.end))


def workspace_edit(project: Project, edits: Iterable[TextEdit]) -> types.WorkspaceEdit | None:
    """Return edits of files as the protocol's; None if one of the files cannot be read.

    Raises `InputError` if one of them must not be edited, or lacks a letter of an edit.
    """
    from ..edits.letters import require_letters
    from .editable import editable_in

    by_path: dict[Path, list[TextEdit]] = {}
    for edit in edits:
        by_path.setdefault(edit.path, []).append(edit)
    changes: dict[str, list[types.TextEdit]] = {}
    documents: list[types.TextDocumentEdit] = []
    for path, own in by_path.items():
        if (lines := project.lines(path)) is None:
            return None
        encoding = editable_in(project, path)
        try:
            require_letters("".join(edit.text for edit in own), encoding)
        except InputError as error:
            raise InputError(f"{path.name} was not changed: {error}.") from None
        uri, version = project.documents.uri(path), project.documents.version(path)
        changes[uri] = [
            types.TextEdit(lines.range(edit.span.start, edit.span.end), edit.text) for edit in own
        ]
        identifier = types.OptionalVersionedTextDocumentIdentifier(uri, version)
        documents.append(types.TextDocumentEdit(identifier, changes[uri]))
    if project.client.versioned_edits:
        return types.WorkspaceEdit(document_changes=documents)
    return types.WorkspaceEdit(changes=changes)


def reason(entry: RankedEntry) -> str:
    """Return in a few words why an entry has its rank."""
    if entry.score <= 0.0:
        return ""
    if entry.reasons:
        return "; ".join(entry.reasons)
    basis: str = entry.basis[0]
    if entry.external > entry.internal:
        basis = f"cited {'by you ' if _cited_by_author(entry) else ''}in a similar context"
    matched = ", ".join(entry.matched[:_MOST_MATCHED])
    return f"{basis}: {matched}" if matched else basis


def ranked_by(entry: RankedEntry) -> str:
    """Return in a sentence what the rank of an entry is based on."""
    if entry.score <= 0.0:
        return "Nothing that is known of it resembles the text around the cursor."
    if entry.reasons:
        return f"Ranked by its {' and '.join(entry.basis)}: {'; '.join(entry.reasons)}."
    others = round(100 * entry.external / ((entry.internal + entry.external) or 1.0))
    parts = [f"its {entry.basis[0]}" + (f" ({100 - others} %)" if others else "")] * (others < 100)
    if others:
        parts.append(f"how {'you' if _cited_by_author(entry) else 'others'} cite it ({others} %)")
    shared = ", ".join(entry.matched[:_MOST_NAMED])
    return f"Ranked by {' and '.join(parts)}" + (f": {shared}." if shared else ".")


def _cited_by_author(entry: RankedEntry) -> bool:
    # Imported here, so that NumPy is not loaded before the first completion.
    from ..ranking.reasons import cited_by_author

    return cited_by_author(entry.candidate, entry.matched)

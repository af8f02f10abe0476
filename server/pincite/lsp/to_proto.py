"""Results as the protocol's types."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from lsprotocol import types

from ..library.file_fields import missing_file
from ..model.edits import TextEdit
from ..model.papers import Candidate, ReferencePaper
from ..model.results import RankedEntry, SupportingSentence
from .documents import Lines
from .from_proto import KeySlot
from .session import Session

_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~])")
_MOST_MATCHED = 4


def completion_item(
    entry: RankedEntry, rank: int, slot: KeySlot, lines: Lines
) -> types.CompletionItem:
    """Return a ranked entry as a completion item whose order the client keeps.

    `filter_text` starts with what stands before the cursor: the server has filtered already, by
    more than the key, and the client must not filter again.
    """
    known = entry.candidate.entry
    new_text = f"{{{entry.key}}}" if slot.literal else entry.key
    return types.CompletionItem(
        label=entry.key,
        label_details=types.CompletionItemLabelDetails(
            detail=f" {known.author_year}" if known and known.author_year else None,
            description=reason(entry),
        ),
        detail=entry.candidate.paper.title or None,
        kind=types.CompletionItemKind.Reference,
        sort_text=f"!{rank:05d}",
        filter_text=f"{slot.prefix} {entry.key}" if slot.prefix else entry.key,
        preselect=rank == 0 or None,
        text_edit=types.TextEdit(lines.range(slot.start, slot.end), new_text),
    )


def workspace_edit(
    session: Session, edits: Iterable[TextEdit], *, versioned: bool
) -> types.WorkspaceEdit | None:
    """Return edits of files as the protocol's; None where one of the files cannot be read.

    The files are taken as they stand now. `versioned` says whether the client takes
    ``documentChanges``, which it refuses when the author has typed on.
    """
    by_path: dict[Path, list[TextEdit]] = {}
    for edit in edits:
        by_path.setdefault(edit.path, []).append(edit)
    changes: dict[str, list[types.TextEdit]] = {}
    documents: list[types.TextDocumentEdit] = []
    for path, own in by_path.items():
        if (lines := session.lines(path)) is None:
            return None
        uri, version = session.documents.uri(path), session.documents.version(path)
        changes[uri] = [
            types.TextEdit(lines.range(edit.span.start, edit.span.end), edit.text) for edit in own
        ]
        identifier = types.OptionalVersionedTextDocumentIdentifier(uri, version)
        documents.append(types.TextDocumentEdit(identifier, changes[uri]))
    if versioned:
        return types.WorkspaceEdit(document_changes=documents)
    return types.WorkspaceEdit(changes=changes)


def reason(entry: RankedEntry) -> str:
    """Say in a few words why an entry stands where it does."""
    if entry.score <= 0.0:
        return ""
    basis = "cited in a like context" if entry.external > entry.internal else entry.basis[0]
    matched = ", ".join(entry.matched[:_MOST_MATCHED])
    return f"{basis}: {matched}" if matched else basis


def evidence_markup(
    candidate: Candidate,
    supporting: Sequence[SupportingSentence],
    *,
    markdown: bool,
    base_folders: Sequence[Path] = (),
    note: str = "",
) -> types.MarkupContent:
    """Return a work and its supporting sentences, the matched words marked.

    `markdown` says whether the client shows Markdown; it gets plain text otherwise.
    `base_folders` are where the entry's file may lie. `note` is said at the end.
    """
    style = _Markdown() if markdown else _PlainText()
    entry, paper = candidate.entry, candidate.paper
    who = entry.author_year if entry is not None else candidate.key
    parts = [" · ".join(filter(None, (style.strong(who), style.text(paper.title))))]
    if paper.basis == "title":
        parts.append(_how_to_attach(candidate, base_folders, style))
    elif not supporting:
        parts.append(style.text(f"No sentence of the {paper.basis} matches this sentence."))
    parts.extend(style.quote(sentence, _place(sentence, paper, style)) for sentence in supporting)
    if supporting and paper.basis == "abstract":
        parts.append(style.text("From the abstract; the full text is not attached."))
    if note:
        parts.append(style.text(note))
    kind = types.MarkupKind.Markdown if markdown else types.MarkupKind.PlainText
    return types.MarkupContent(kind, "\n\n".join(parts))


def _how_to_attach(candidate: Candidate, base_folders: Sequence[Path], style: _PlainText) -> str:
    """Say why there is only a title, and what the author can do."""
    entry = candidate.entry
    missing = missing_file(entry, bases=base_folders) if entry else None
    if missing is not None:
        said = style.text("Only the title is known: the file it names does not exist (")
        return said + style.code(missing) + style.text(").")
    return (
        style.text("Only the title is known. Give the entry a file or abstract field, or put ")
        + style.code(f"{candidate.key}.pdf")
        + style.text(" into a papers folder, to see what supports this citation.")
    )


class _PlainText:
    """How evidence looks where Markdown is not shown: matched words between asterisks."""

    def text(self, text: str) -> str:
        return text

    def strong(self, text: str) -> str:
        return text

    def code(self, text: str) -> str:
        return text

    def link(self, text: str, target: str) -> str:
        return text

    def quote(self, sentence: SupportingSentence, place: str) -> str:
        quoted = f"“{self._marked(sentence)}”"
        return f"{quoted} ({place})" if place else quoted

    def mark(self, text: str) -> str:
        return f"*{text}*"

    def _marked(self, sentence: SupportingSentence) -> str:
        text, parts, last = sentence.text, [], 0
        for span in sentence.matched:
            parts += [self.text(text[last : span.start]), self.mark(span.of(text))]
            last = span.end
        parts.append(self.text(text[last:]))
        return " ".join("".join(parts).split())


class _Markdown(_PlainText):
    def text(self, text: str) -> str:
        return escape(text)

    def strong(self, text: str) -> str:
        return f"**{escape(text)}**" if text else ""

    def code(self, text: str) -> str:
        return f"`{text}`"

    def link(self, text: str, target: str) -> str:
        return f"[{escape(text)}]({target})"

    def quote(self, sentence: SupportingSentence, place: str) -> str:
        return f"> {self._marked(sentence)}" + (f"  \n> — {place}" if place else "")

    def mark(self, text: str) -> str:
        return f"**{escape(text)}**"


def _place(sentence: SupportingSentence, paper: ReferencePaper, style: _PlainText) -> str:
    """Say where a sentence stands; the page is a link that opens the paper there."""
    parts = []
    if sentence.page is not None:
        page = f"p. {sentence.page}"
        if paper.source is not None:
            page = style.link(page, f"{paper.source.as_uri()}#page={sentence.page}")
        if sentence.page_label not in (None, str(sentence.page)):
            page += style.text(f" (printed {sentence.page_label})")
        parts.append(page)
    if sentence.section:
        parts.append(style.text(sentence.section))
    return ", ".join(parts)


def escape(text: str) -> str:
    """Escape what Markdown would read as markup."""
    return _MARKDOWN.sub(r"\\\1", text)

"""What a work says, in words for authors: on hover, and with suggestions."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from lsprotocol import types

from ...checking.claims import verdict_on
from ...checking.verdicts import Verdict
from ...library.library import Library
from ...model.contexts import CitationContext
from ...model.papers import MAX_PAGES, Candidate, ReferencePaper
from ...model.results import RankedEntry, SupportingSentence
from ...parsing.bibliographies import entry_at, parse_bibliography
from ...parsing.markups import markup_of
from ...parsing.papers import READABLE_SUFFIXES
from ...project.project import is_bibliography
from ...text.characters import without_controls
from ...text.languages import name_of
from ..session import Document, OpenDraft
from .keys import citing_places, comments_in, place_at, shown_path

_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~&])")
#: A longer list would hide the rest of the hover.
_MAX_PLACES = 5


def hover(here: Document, offset: int) -> types.Hover | None:
    """Return the sentences that support the citance of the key under the cursor."""
    client, editor = here.project.client, here.project.settings.editor
    # Every other extension shows the title, with the other fields.
    titled = not editor.has_peer(markup_of(here.path).name)
    style = Style(client.markdown_hovers, client.opens_pdf, titled)
    if is_bibliography(here.path):
        return _hover_on_entry(here, offset, style)
    opened = here.opened()
    if opened is None:
        return None
    place = place_at(opened.file, offset)
    key = place.key_at(offset)
    entry = opened.bibliography.find(key.key) if key else None
    candidate = opened.recommender.candidates.get(entry.key) if entry else None
    if key is None or candidate is None:
        return None
    context = opened.context(place.span.start)
    supporting = opened.recommender.supporting(context, candidate.key)
    remark = remark_on(opened, candidate, verdict_here(opened, context, candidate, supporting))
    contents = evidence_markup(candidate, supporting, style, remark)
    return types.Hover(contents, here.lines.range(key.span))


def _hover_on_entry(here: Document, offset: int, style: Style) -> types.Hover | None:
    """Return what is known about the work of an entry, at its keys, and where it is cited."""
    project, path, text = here.project, here.path, here.text
    place = entry_at(path, text, offset, comments=False)
    keys = place.keys if place is not None else ()
    key = next((key for key, is_own in keys if is_own and key.span.covers(offset)), None)
    if place is None or key is None:
        return None
    drafts = project.drafts_with(path)
    if comments_in(drafts) and entry_at(path, text, offset) is None:
        return None
    # An open draft is read anyway.
    held = project.buffers.texts.keys()
    chosen = min(drafts, key=lambda read: held.isdisjoint(read.draft.own_paths), default=None)
    opened = None if chosen is None else project.open_draft(chosen.file.path)
    entry = opened.bibliography.find(place.key) if opened is not None else None
    candidate: Candidate | None = None
    if opened is not None and entry is not None and entry.path == path:
        candidate = opened.recommender.candidates.get(entry.key)
    if candidate is None:
        # The entry alone: it is new, not the one in use, or in no draft.
        written = parse_bibliography(place.span.of(text), path).entries
        if (entry := next(iter(written.values()), None)) is None:
            return None
        candidate = Candidate(entry.key, Library.known_text(entry), entry, entry.surnames)
    paper = candidate.paper
    basis = f"{paper.basis} only"
    if paper.basis == "full text" and paper.source is not None:
        number = paper.page_count
        pages = "" if number is None else f", {number} page{'' if number == 1 else 's'}"
        name = style.text(paper.source.name)
        basis = f"{style.link(paper.basis, file_of(paper))} ({name}{pages})"
    cited = citing_places(drafts, place.key)
    parts = [_places(here, cited, style)] if cited else []
    remarks = []
    if opened is not None and not opened.complete and paper.basis != "full text":
        remarks.append("Papers are still being read.")
    if not drafts:
        remarks.append("No draft of the workspace reads this bibliography.")
    elif not cited:
        names = [f"`{read.draft.root.name}`" for read in drafts]
        of_all = names[0] if len(names) == 1 else f"the {len(names)} drafts with this bibliography"
        remarks.append(f"Not cited in {of_all}.")
    contents = style.content(candidate, basis, parts, " ".join(remarks))
    return types.Hover(contents, here.lines.range(key.span))


def _places(here: Document, cited: Sequence[tuple[Path, int]], style: Style) -> str:
    # Two citations in one line have the same place.
    places, shown = list(dict.fromkeys(cited)), []
    for file, line in places[:_MAX_PLACES]:
        named = f"{shown_path(here.project, file)}:{line}"
        address = f"{here.project.buffers.uri(file)}#L{line}"
        shown.append(style.address(named, address, named))
    if len(places) > _MAX_PLACES:
        shown.append(f"and {len(places) - _MAX_PLACES} more")
    times = "once" if len(cited) == 1 else f"{len(cited)} times"
    return f"Cited {times}: {', '.join(shown)}"


@dataclass(frozen=True, slots=True)
class Style:
    """How evidence is written: in Markdown with links, or in plain text.

    `opens_pdf`: the client has the command ``pincite.openPdf`` for links that open a PDF at a page,
    as viewers inside VS Code ignore the page in a URL. Not `titled`: another extension shows the
    title.
    """

    markdown: bool
    opens_pdf: bool = False
    titled: bool = True

    def content(
        self, candidate: Candidate, basis: str, parts: Sequence[str], remark: str | None
    ) -> types.MarkupContent:
        """Return a work with what is known about it (`basis`), paragraphs, and a remark."""
        entry = candidate.entry
        who = entry.author_year if entry is not None and entry.surnames else ""
        title = " ".join(candidate.title.split()) if self.titled or not who else ""
        name = self.text(who or title or candidate.key)
        name = f"**{name}**" if self.markdown and name else name
        header = [name, self.text(title if who else ""), basis]
        if entry is not None and entry.doi:
            address = f"https://doi.org/{quote(entry.doi, safe='/:;')}"
            header.append(self.address("DOI", address, address))
        paragraphs = [" · ".join(filter(None, header)), *parts]
        if remark:
            written = remark.split("`")
            written[::2] = map(self.text, written[::2])
            paragraphs.append(("`" if self.markdown else "").join(written))
        kind = types.MarkupKind.Markdown if self.markdown else types.MarkupKind.PlainText
        return types.MarkupContent(kind, "\n\n".join(paragraphs))

    def text(self, text: str) -> str:
        """Return a text as it is, without control characters."""
        plain = without_controls(text)
        return _MARKDOWN.sub(r"\\\1", plain) if self.markdown else plain

    def address(self, text: str, address: str, plain: str) -> str:
        """Return a link, or what stands for it in plain text."""
        return f"[{self.text(text)}]({address})" if self.markdown else plain

    def link(self, text: str, file: Path | None, sentence: SupportingSentence | None = None) -> str:
        """Link a text to a file, at the page of a sentence."""
        if file is None or not self.markdown:
            return self.text(text)
        page = sentence.page if sentence else None
        address = pdf_uri(file, page)
        if self.opens_pdf and file.suffix.lower() == ".pdf":
            place: dict[str, object] = {"uri": file.as_uri(), "page": page or 1}
            if sentence is not None:
                place["sentence"] = sentence.text
            # The tooltip; without it editors would show the command.
            title = f"Open at page {page or 1}"
            address = f'command:pincite.openPdf?{quote(json.dumps([place]), safe="")} "{title}"'
        return f"[{self.text(text)}]({address})"

    def quoted(self, sentence: SupportingSentence, paper: ReferencePaper) -> str:
        """Quote a sentence with its matched words marked, its strength, and where it stands."""
        strength = sentence.strength or ""
        where = [f"*{strength}*" if self.markdown and strength else strength]
        if sentence.page is not None:
            page = self.link(f"p. {sentence.printed_page}", file_of(paper), sentence)
            # A client that opens the page needs no number to find it.
            needs_number = sentence.is_printed_otherwise and not self.opens_pdf
            where.append(page + f" (PDF page {sentence.page})" * needs_number)
        where += [self.text(sentence.section or ""), self.text(sentence.marking or "")]
        place = ", ".join(filter(None, where))
        text, parts, last = sentence.text, [], 0
        mark = "**" if self.markdown else "*"
        for span in sentence.matched:
            parts += [self.text(text[last : span.start]), mark, self.text(span.of(text)), mark]
            last = span.end
        parts.append(self.text(text[last:]))
        marked = " ".join("".join(parts).split())
        if not self.markdown:
            return f"“{marked}” ({place})" if place else f"“{marked}”"
        # No block quote: editors indent it so far that little room is left.
        return f"“{marked}”" + (f"  \n— {place}" if place else "")


def evidence_markup(
    candidate: Candidate,
    supporting: Sequence[SupportingSentence],
    style: Style,
    remark: str | None = None,
    why: str = "",
) -> types.MarkupContent:
    """Return a work, why it is suggested, and its supporting sentences, matched words marked."""
    paper = candidate.paper
    # A title has no sentences.
    basis = "" if paper.basis == "title" else style.link(paper.basis, file_of(paper))
    quoted = [style.quoted(sentence, paper) for sentence in supporting]
    return style.content(candidate, basis, [*filter(None, [style.text(why)]), *quoted], remark)


def verdict_here(
    opened: OpenDraft,
    context: CitationContext,
    candidate: Candidate | None,
    supporting: Sequence[SupportingSentence],
) -> Verdict:
    """Return the verdict on a work that is cited, or may be, with its supporting sentences."""
    return verdict_on(
        opened.recommender,
        context,
        candidate,
        supporting,
        lacks_text=opened.workspace.lacks_text(opened.draft),
        complete=opened.complete,
    )


def remark_on(opened: OpenDraft, candidate: Candidate, found: Verdict) -> str | None:
    """Return what the evidence lacks; what to do about it is in the library view."""
    paper, remarks = candidate.paper, []
    if found.kind != "supported":
        remarks.append(found.sentence())
    elif paper.basis == "abstract":
        reading = "Papers are still being read; so far this is from the abstract."
        remarks.append("From the abstract." if opened.complete else reading)
    remarks.append(found.about_numbers())
    if (paper.page_count or 0) > MAX_PAGES:
        pages = f"Only the first {MAX_PAGES:,} of its {paper.page_count:,} pages were read."
        remarks.append(pages)
    if paper.basis != "title" and (differ := opened.recommender.languages(candidate.key)):
        draft, work = map(name_of, differ)
        remarks.append(f"The work is in {work}, the draft in {draft}: only shared terms can match.")
    return " ".join(filter(None, remarks)) or None


def file_of(paper: ReferencePaper) -> Path | None:
    """Return the file of a paper, by its suffix; viewers open no folder of LaTeX sources."""
    source = paper.source
    return source if source and source.suffix.lower() in READABLE_SUFFIXES else None


def pdf_uri(source: Path, page: int | None = None) -> str:
    """Return the address of a paper's file, at a page of a PDF."""
    return source.as_uri() + (f"#page={page}" if page is not None else "")


def ranked_by(entry: RankedEntry) -> str:
    """Return in a line by which of its texts an entry is ranked, and why it has its rank."""
    if entry.score <= 0.0:
        return "Nothing known about it resembles the text around the cursor."
    text = "" if entry.basis[0] == "title" else f"by its {entry.basis[0]}"
    line = "; ".join(filter(None, (text, *entry.reasons)))
    return line[:1].upper() + line[1:]

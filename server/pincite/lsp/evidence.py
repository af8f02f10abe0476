"""Format evidence for authors: supporting sentences, and how to get more evidence."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from lsprotocol import types

from ..model.papers import MOST_PAGES
from ..text.controls import without_controls
from ..text.languages import name_of

if TYPE_CHECKING:
    from ..model.papers import Candidate, ReferencePaper
    from ..model.results import SupportingSentence
    from .session import OpenDraft

#: The client's command for links that open a PDF at a page, as viewers inside VS Code ignore the
#: page in a URL. Used only if the client declares it.
OPEN_PDF = "pincite.openPdf"

_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~&])")
#: Markup of lists and headings at the start of a line.
_LINE_START = re.compile(r"^(\d*)([-+.)=])")
#: The most citing places shown; a longer list would hide the rest of the hover.
_MOST_PLACES = 5


def style_of(*, markdown: bool, opens_pdf: bool = False) -> _PlainText:
    """Return the style of evidence; `opens_pdf`: the client has the command `OPEN_PDF`."""
    return _Markdown(opens_pdf) if markdown else _PlainText()


def evidence_markup(
    candidate: Candidate,
    supporting: Sequence[SupportingSentence],
    style: _PlainText,
    *,
    titled: bool = True,
    remark: str | None = None,
) -> types.MarkupContent:
    """Return a work and its supporting sentences, with matched words marked.

    Without `titled` the title is left out, as another extension shows it. `remark` comes last.
    """
    parts = [_header(candidate, style, _basis(candidate, style), titled)]
    parts += [style.quote(sentence, _place(sentence, candidate, style)) for sentence in supporting]
    if remark:
        parts.append(style.remark(remark))
    return types.MarkupContent(style.kind, "\n\n".join(parts))


def work_markup(
    candidate: Candidate,
    cited: Sequence[tuple[str, str]],
    remark: str,
    style: _PlainText,
    *,
    titled: bool = True,
) -> types.MarkupContent:
    """Return what is known about a work, and the places that cite it.

    `cited` has the names and addresses of these places; two citations in one line have the same
    place. The rest is as in `evidence_markup`.
    """
    parts = [_header(candidate, style, _basis_with_file(candidate, style), titled)]
    if cited:
        places = list(dict.fromkeys(cited))
        shown = [style.place(*each) for each in places[:_MOST_PLACES]]
        if len(places) > _MOST_PLACES:
            shown.append(f"and {len(places) - _MOST_PLACES} more")
        times = "once" if len(cited) == 1 else f"{len(cited)} times"
        parts.append(f"Cited {times}: {', '.join(shown)}")
    if remark:
        parts.append(style.remark(remark))
    return types.MarkupContent(style.kind, "\n\n".join(parts))


def remark_on(
    opened: OpenDraft, candidate: Candidate, supporting: Sequence[SupportingSentence]
) -> str | None:
    """Return what the evidence lacks, None if complete.

    What to do about it is in the library view, once for all works.
    """
    said = _lacking(opened, candidate, supporting)
    if (candidate.paper.page_count or 0) > MOST_PAGES:
        said = f"{said} " if said else ""
        said += f"Of its {candidate.paper.page_count:,} pages, the first {MOST_PAGES:,} were read."
    if candidate.paper.basis != "title":
        differ = opened.recommender.languages(candidate.key)
        if differ is not None:
            draft, work = map(name_of, differ)
            said = f"{said} " if said else ""
            said += f"The work is in {work}, the draft in {draft}: only shared terms can match."
    return said


def _lacking(
    opened: OpenDraft, candidate: Candidate, supporting: Sequence[SupportingSentence]
) -> str | None:
    basis = candidate.paper.basis
    if basis != "full text" and not opened.complete:
        known = "only the title is known" if basis == "title" else "this is from the abstract"
        return f"Papers are still being read; so far {known}."
    if basis == "title":
        return "Only the title is known."
    if basis == "full text":
        return None if supporting else "Nothing in the full text supports this."
    return "From the abstract." if supporting else "Nothing in the abstract supports this."


def file_of(paper: ReferencePaper) -> Path | None:
    """Return the file of a paper; None for a folder of LaTeX sources, which no viewer opens.

    Only the suffix is checked: a request must not wait for a disk.
    """
    from ..parsing.papers import READABLE_SUFFIXES

    source = paper.source
    return source if source and source.suffix.lower() in READABLE_SUFFIXES else None


def pdf_uri(source: Path, page: int | None = None) -> str:
    """Return the address of a paper's file, at a page of a PDF."""
    return source.as_uri() + (f"#page={page}" if page is not None else "")


def doi_address(doi: str) -> str:
    """Return the URL of a DOI's resolver."""
    return f"https://doi.org/{quote(doi, safe='/:;')}"


def _header(candidate: Candidate, style: _PlainText, basis: str, titled: bool) -> str:
    """Return one line with the work, what is known about it (`basis`), and where to find it."""
    entry = candidate.entry
    who = entry.author_year if entry is not None and entry.surnames else ""
    title = " ".join(candidate.title.split()) if titled or not who else ""
    parts = [style.strong(who or title or candidate.key), style.text(title if who else ""), basis]
    if entry is not None and entry.doi:
        parts.append(style.address("DOI", doi_address(entry.doi)))
    return " · ".join(filter(None, parts))


def _basis(candidate: Candidate, style: _PlainText) -> str:
    """Return where the sentences of a work come from; a title has none."""
    paper = candidate.paper
    if paper.basis == "title":
        return ""
    file = file_of(paper)
    return style.link(paper.basis, file) if file is not None else paper.basis


def _basis_with_file(candidate: Candidate, style: _PlainText) -> str:
    """Return what is known about a work and, for a full text, the file's name and length."""
    paper = candidate.paper
    if paper.basis != "full text" or paper.source is None:
        return f"{paper.basis} only"
    pages = "" if paper.page_count is None else f", {paper.page_count} page"
    pages += "s" if paper.page_count not in (None, 1) else ""
    return f"{_basis(candidate, style)} ({style.text(paper.source.name)}{pages})"


def _place(sentence: SupportingSentence, candidate: Candidate, style: _PlainText) -> str:
    """Return the strength of a sentence and its location, with the page as a link."""
    parts = [style.strength(sentence.strength)] if sentence.strength else []
    if sentence.page is not None:
        page, file = f"p. {sentence.printed_page}", file_of(candidate.paper)
        page = style.text(page) if file is None else style.link(page, file, sentence)
        if sentence.is_printed_otherwise:
            page += f" (PDF page {sentence.page})"
        parts.append(page)
    if sentence.section:
        parts.append(style.text(sentence.section))
    if sentence.marking:
        parts.append(style.text(sentence.marking))
    return ", ".join(parts)


class _PlainText:
    """The style of evidence in plain text: matched words are between asterisks."""

    kind = types.MarkupKind.PlainText

    def text(self, text: str) -> str:
        return without_controls(text)

    def strong(self, text: str) -> str:
        return without_controls(text)

    def link(self, text: str, file: Path, sentence: SupportingSentence | None = None) -> str:
        return text

    def address(self, text: str, address: str) -> str:
        return address

    def place(self, name: str, address: str) -> str:
        return name

    def strength(self, word: str) -> str:
        return word

    def remark(self, text: str) -> str:
        return text.replace("`", "")

    def quote(self, sentence: SupportingSentence, place: str) -> str:
        quoted = f"“{self._marked(sentence)}”"
        return f"{quoted} ({place})" if place else quoted

    def mark(self, text: str) -> str:
        return f"*{without_controls(text)}*"

    def _marked(self, sentence: SupportingSentence) -> str:
        text, parts, last = sentence.text, [], 0
        for span in sentence.matched:
            parts += [self.text(text[last : span.start]), self.mark(span.of(text))]
            last = span.end
        parts.append(self.text(text[last:]))
        return " ".join("".join(parts).split())


class _Markdown(_PlainText):
    """The style of evidence in Markdown, with links."""

    kind = types.MarkupKind.Markdown

    def __init__(self, opens_pdf: bool) -> None:
        self._opens_pdf = opens_pdf

    def text(self, text: str) -> str:
        return escape(text)

    def strong(self, text: str) -> str:
        return f"**{escape(text)}**" if text else ""

    def link(self, text: str, file: Path, sentence: SupportingSentence | None = None) -> str:
        page = sentence.page if sentence else None
        address = pdf_uri(file, page)
        if self._opens_pdf and file.suffix.lower() == ".pdf":
            place: dict[str, object] = {"uri": file.as_uri(), "page": page or 1}
            if sentence is not None:
                place["sentence"] = sentence.text
            # The tooltip; without it editors would show the command.
            title = f"Open at page {page or 1}"
            address = f'command:{OPEN_PDF}?{quote(json.dumps([place]), safe="")} "{title}"'
        return f"[{escape(text)}]({address})"

    def address(self, text: str, address: str) -> str:
        return f"[{escape(text)}]({address})"

    def place(self, name: str, address: str) -> str:
        return self.address(name, address)

    def strength(self, word: str) -> str:
        return f"*{word}*"

    def remark(self, text: str) -> str:
        # Every second part was between backticks.
        parts = text.split("`")
        parts[::2] = map(escape, parts[::2])
        return "`".join(parts)

    def quote(self, sentence: SupportingSentence, place: str) -> str:
        # A sentence that begins with "1." must not become a list.
        quoted = _LINE_START.sub(r"\1\\\2", self._marked(sentence))
        return f"> {quoted}" + (f"  \n> — {place}" if place else "")

    def mark(self, text: str) -> str:
        return f"**{escape(text)}**"


def escape(text: str) -> str:
    """Escape Markdown's markup, and remove control characters."""
    return _MARKDOWN.sub(r"\\\1", without_controls(text))

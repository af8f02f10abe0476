"""Format evidence for authors: supporting sentences, and how to get more evidence."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from lsprotocol import types

from ...model.papers import MAX_PAGES, Candidate, ReferencePaper
from ...model.results import SupportingSentence
from ...parsing.papers import READABLE_SUFFIXES
from ...text.characters import without_controls
from ...text.languages import name_of
from ..session import OpenDraft

_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~&])")
#: Markup of lists and headings at the start of a line.
_LINE_START = re.compile(r"^(\d*)([-+.)=])")
#: A longer list would hide the rest of the hover.
_MAX_PLACES = 5


@dataclass(frozen=True, slots=True)
class Style:
    """How evidence is written: in Markdown with links, or in plain text.

    `opens_pdf`: the client has the command ``pincite.openPdf`` for links that open a PDF at a page,
    as viewers inside VS Code ignore the page in a URL.
    """

    markdown: bool
    opens_pdf: bool = False

    def content(self, parts: Sequence[str]) -> types.MarkupContent:
        """Return paragraphs as content of the protocol."""
        kind = types.MarkupKind.Markdown if self.markdown else types.MarkupKind.PlainText
        return types.MarkupContent(kind, "\n\n".join(parts))

    def text(self, text: str) -> str:
        """Return a text as it is, without control characters."""
        plain = without_controls(text)
        return _MARKDOWN.sub(r"\\\1", plain) if self.markdown else plain

    def strong(self, text: str) -> str:
        """Emphasize the name of a work."""
        return f"**{self.text(text)}**" if self.markdown and text else self.text(text)

    def address(self, text: str, address: str, plain: str) -> str:
        """Return a link, or what stands for it in plain text."""
        return f"[{self.text(text)}]({address})" if self.markdown else plain

    def file(self, text: str, file: Path | None, sentence: SupportingSentence | None = None) -> str:
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

    def remark(self, text: str) -> str:
        """Return a remark, in which code is between backticks."""
        if not self.markdown:
            return text.replace("`", "")
        parts = text.split("`")
        parts[::2] = map(self.text, parts[::2])
        return "`".join(parts)

    def quoted(self, sentence: SupportingSentence, place: str) -> str:
        """Quote a sentence with its matched words marked, and where it stands."""
        text, parts, last = sentence.text, [], 0
        mark = "**" if self.markdown else "*"
        for span in sentence.matched:
            parts += [self.text(text[last : span.start]), mark, self.text(span.of(text)), mark]
            last = span.end
        parts.append(self.text(text[last:]))
        marked = " ".join("".join(parts).split())
        if not self.markdown:
            return f"“{marked}” ({place})" if place else f"“{marked}”"
        # A sentence that begins with "1." must not become a list.
        quoted = _LINE_START.sub(r"\1\\\2", marked)
        return f"> {quoted}" + (f"  \n> — {place}" if place else "")


def evidence_markup(
    candidate: Candidate,
    supporting: Sequence[SupportingSentence],
    style: Style,
    *,
    titled: bool = True,
    remark: str | None = None,
) -> types.MarkupContent:
    """Return a work and its supporting sentences, with matched words marked.

    Without `titled` the title is left out, as another extension shows it. `remark` comes last.
    """
    paper = candidate.paper
    # A title has no sentences.
    basis = style.file(paper.basis, file_of(paper)) if paper.basis != "title" else ""
    parts = [_header(candidate, style, basis, titled)]
    parts += [style.quoted(sentence, _place(sentence, paper, style)) for sentence in supporting]
    return style.content([*parts, style.remark(remark)] if remark else parts)


def work_markup(
    candidate: Candidate,
    cited: Sequence[tuple[str, str]],
    remark: str,
    style: Style,
    *,
    titled: bool = True,
) -> types.MarkupContent:
    """Return what is known about a work, and the names and addresses of places that cite it.

    Two citations in one line have the same place. The rest is as in `evidence_markup`.
    """
    paper = candidate.paper
    basis = f"{paper.basis} only"
    if paper.basis == "full text" and paper.source is not None:
        number = paper.page_count
        pages = "" if number is None else f", {number} page{'' if number == 1 else 's'}"
        name = style.text(paper.source.name)
        basis = f"{style.file(paper.basis, file_of(paper))} ({name}{pages})"
    parts = [_header(candidate, style, basis, titled)]
    if cited:
        places = list(dict.fromkeys(cited))
        shown = [style.address(name, address, name) for name, address in places[:_MAX_PLACES]]
        if len(places) > _MAX_PLACES:
            shown.append(f"and {len(places) - _MAX_PLACES} more")
        times = "once" if len(cited) == 1 else f"{len(cited)} times"
        parts.append(f"Cited {times}: {', '.join(shown)}")
    return style.content([*parts, style.remark(remark)] if remark else parts)


def remark_on(
    opened: OpenDraft, candidate: Candidate, supporting: Sequence[SupportingSentence]
) -> str | None:
    """Return what the evidence lacks, None if complete.

    What to do about it is in the library view, once for all works.
    """
    paper = candidate.paper
    lacking = _lacking(opened, paper, bool(supporting))
    remarks = [lacking] if lacking else []
    if (paper.page_count or 0) > MAX_PAGES:
        pages = f"Of its {paper.page_count:,} pages, the first {MAX_PAGES:,} were read."
        remarks.append(pages)
    if paper.basis != "title" and (differ := opened.recommender.languages(candidate.key)):
        draft, work = map(name_of, differ)
        remarks.append(f"The work is in {work}, the draft in {draft}: only shared terms can match.")
    return " ".join(remarks) or None


def _lacking(opened: OpenDraft, paper: ReferencePaper, is_supported: bool) -> str:
    if paper.basis == "full text":
        return "" if is_supported else "Nothing in the full text supports this."
    if not opened.complete:
        is_title = paper.basis == "title"
        known = "only the title is known" if is_title else "this is from the abstract"
        return f"Papers are still being read; so far {known}."
    if paper.basis == "title":
        return "Only the title is known."
    return "From the abstract." if is_supported else "Nothing in the abstract supports this."


def file_of(paper: ReferencePaper) -> Path | None:
    """Return the file of a paper; None for a folder of LaTeX sources, which no viewer opens.

    Only the suffix is checked: a request must not wait for a disk.
    """
    source = paper.source
    return source if source and source.suffix.lower() in READABLE_SUFFIXES else None


def pdf_uri(source: Path, page: int | None = None) -> str:
    """Return the address of a paper's file, at a page of a PDF."""
    return source.as_uri() + (f"#page={page}" if page is not None else "")


def _header(candidate: Candidate, style: Style, basis: str, titled: bool) -> str:
    """Return one line with the work, what is known about it (`basis`), and where to find it."""
    entry = candidate.entry
    who = entry.author_year if entry is not None and entry.surnames else ""
    title = " ".join(candidate.title.split()) if titled or not who else ""
    parts = [style.strong(who or title or candidate.key), style.text(title if who else ""), basis]
    if entry is not None and entry.doi:
        address = f"https://doi.org/{quote(entry.doi, safe='/:;')}"
        parts.append(style.address("DOI", address, address))
    return " · ".join(filter(None, parts))


def _place(sentence: SupportingSentence, paper: ReferencePaper, style: Style) -> str:
    """Return the strength of a sentence and its location, with the page as a link."""
    strength = sentence.strength or ""
    parts = [f"*{strength}*" if style.markdown and strength else strength]
    if sentence.page is not None:
        page = style.file(f"p. {sentence.printed_page}", file_of(paper), sentence)
        parts.append(page + f" (PDF page {sentence.page})" * sentence.is_printed_otherwise)
    parts += [style.text(sentence.section or ""), style.text(sentence.marking or "")]
    return ", ".join(filter(None, parts))

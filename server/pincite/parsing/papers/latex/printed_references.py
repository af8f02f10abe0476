r"""Parse printed reference lists: ``\bibitem``s, and the .bbl files of biber.

Styles print different things around title and names, but BibTeX's styles mark where a block starts
(``\newblock``), and natbib's labels have names and year in plain text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from ....model.papers import BibEntry, Reference
from ...latex.arguments import argument_span, read_arguments
from ...latex.symbols import plain_text
from ..references import parse_reference, reference_of

_ITEM = re.compile(r"\\bibitem(?![A-Za-z])|\\end\s*\{thebibliography\}|\Z")
_NEW_BLOCK = re.compile(r"\\newblock(?![A-Za-z])")
#: URLs that a reader does not see.
_LINK = re.compile(r"\\(?:href|url|doi|path|nolinkurl)\s*\{([^{}]{1,500})\}")
_TITLE_MACRO = re.compile(r"\\(?:bibinfo\s*\{title\}|showarticletitle|showtitle)\s*(?=\{)")
_PERSON_MACRO = re.compile(r"\\bibnamefont\s*(?=\{)")
_LABEL_MACRO = re.compile(r"\\(?:citeauthoryear|astroncite|BCAY)\s*(?=\{)")
_YEAR = re.compile(r"(?<!\d)((?:1[5-9]|20)\d\d)([a-z]?)(?![\da-z])")
_YEAR_BLOCK = re.compile(r"[(\[]?(?:1[5-9]|20)\d\d[a-z]?[)\]]?[.,]?")
_NAMES_YEAR = re.compile(r"([^()]*)\([^()]*\)(.*)")
_BETWEEN_NAMES = re.compile(r"\s*(?:,\s*(?:and|&|und|et)\s|,|;|&|\s(?:and|und|et|y)\s)\s*")
_OTHERS = re.compile(r",?\s*(?:et\.?\s+al\.?|and others|u\.\s?a\.)\s*$")
_AROUND_TITLE = " \t.,;:“”\"'"

_ENTRY = re.compile(r"\\entry\s*\{([^{}]+)\}\s*\{([^{}]*)\}|\Z")
_END_ENTRY = re.compile(r"\\endentry(?![A-Za-z])")
_FIELD = re.compile(r"\\field\s*\{(\w+)\}\s*(?=\{)")
_NAME_LIST = re.compile(r"\\name\s*\{(author|editor)\}\s*\{\d+\}\s*(?:\{[^{}]*\}\s*)?(?=\{)")
#: A name starts with the data by which biber disambiguates it.
_NAME = re.compile(r"\{\{[^{}]*\}\s*(?=\{)")
_NAME_PART = re.compile(r"(?<![a-z])(family|prefix)\s*=\s*(?=\{)")
_VERBATIM = re.compile(r"\\verb\s*\{(\w+)\}\s*\\verb ([^\n]*)\n\s*\\endverb")


def printed_references(text: str, visible: str) -> Iterator[Reference]:
    r"""Yield the works of the ``\bibitem``s and of biber's ``\entry``s in a file, in order.

    `visible` is its text with comments and URLs blanked out, at equal length. The label of a
    reference is its key.
    """
    for item, following in pairwise(_ITEM.finditer(visible)):
        if item[0] == "\\bibitem":
            yield from _bib_item(text, visible, item.end(), following.start())
    for entry, following in pairwise(_ENTRY.finditer(visible)):
        end = _END_ENTRY.search(visible, entry.end(), following.start()) or following
        yield _biber_entry(entry[1].strip(), entry[2], text[entry.end() : end.start()])


def _bib_item(text: str, visible: str, position: int, stop: int) -> Iterator[Reference]:
    given = read_arguments(visible, position, "om", 1_000)
    if len(given.spans) < 2 or not given.spans[1]:
        return
    key = " ".join(visible[slice(*given.spans[1])].split())
    label = visible[slice(*given.spans[0])] if given.spans[0] else ""
    if not key:
        return
    source = visible[given.end : stop].replace("``", "“").replace("''", "”")
    blocks = [plain_text(block).strip() for block in _NEW_BLOCK.split(source)]
    printed = " ".join(filter(None, blocks))
    addresses = (link[1] for link in _LINK.finditer(text, given.end, stop))
    found = parse_reference(" ".join((printed, *(a for a in addresses if a not in printed))), key)
    surnames, year = _names_and_year(label)
    surnames = surnames or tuple(value for _, value in _braced(source, _PERSON_MACRO))
    title = next((value for _, value in _braced(source, _TITLE_MACRO)), "")
    if not title and blocks[0]:
        # Authors, the year in some styles, the title, where it appeared.
        title = next((block for block in blocks[1:-1] if not _YEAR_BLOCK.fullmatch(block)), "")
    yield replace(
        found,
        title=title.strip(_AROUND_TITLE) or found.title,
        surnames=surnames if len(surnames) >= len(found.surnames) else found.surnames,
        year=year or found.year,
        text=printed,
    )


def _names_and_year(label: str) -> tuple[tuple[str, ...], str]:
    r"""Return the surnames and the year in the label of a ``\bibitem``, if it has them.

    natbib: ``Brown et~al.(1993)Brown, Cocke, and Pietra``; apalike: ``Brown et~al., 1993``;
    chicago and named: ``\protect\citeauthoryear{Brown and Cocke}{Brown et~al.}{1993}``.
    """
    readable = plain_text(label)
    years = _YEAR.findall(readable)
    if not years:  # a number, or "Bro93"
        return (), ""
    if _LABEL_MACRO.search(label):
        names = next((value for _, value in _braced(label, _LABEL_MACRO)), "")
    elif split := _NAMES_YEAR.fullmatch(readable):
        names = split[2] or split[1]
    else:
        names = _YEAR.sub("", readable)
    parts = _BETWEEN_NAMES.split(_OTHERS.sub("", names.strip(" ,()")))
    return tuple(filter(None, (part.strip(" .") for part in parts))), "".join(years[-1])


def _biber_entry(key: str, entry_type: str, body: str) -> Reference:
    fields: dict[str, str] = {}
    for name, value in _braced(body, _FIELD):
        fields.setdefault(name, value)
    for match in _VERBATIM.finditer(body):
        fields.setdefault(match[1], match[2].strip())
    lists = {match[1]: match for match in reversed(list(_NAME_LIST.finditer(body)))}
    chosen = lists.get("author") or lists.get("editor")
    span = argument_span(body, chosen.end()) if chosen else None
    surnames = tuple(_biber_surnames(body[slice(*span)])) if span else ()
    return replace(reference_of(BibEntry(key, entry_type, fields, Path())), surnames=surnames)


def _biber_surnames(names: str) -> Iterator[str]:
    """Yield the surnames of a name list: named parts, or (biber 1) the surname as first part."""
    for name in _NAME.finditer(names):
        span = argument_span(names, name.end())
        person = names[slice(*span)] if span else ""
        parts = dict(_braced(person, _NAME_PART))
        surname = f"{parts.get('prefix', '')} {parts.get('family', '')}"
        if surname := (surname if parts else plain_text(person)).strip():
            yield surname


def _braced(source: str, macro: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """Yield the name in each use of a macro, if it has one, and the readable text in its braces."""
    for match in macro.finditer(source):
        if (span := argument_span(source, match.end())) is not None:
            yield match[match.lastindex or 0], plain_text(source[slice(*span)])

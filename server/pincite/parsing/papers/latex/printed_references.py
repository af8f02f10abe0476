r"""Parse printed reference lists: ``\bibitem``s, and the .bbl files of biber.

Styles print different things around title and names, but BibTeX's styles mark where a block starts
(``\newblock``), and natbib's labels have names and year in plain text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from ....model.papers import BibEntry, Reference
from ...latex.arguments import brace_end, bracket_end, skip_space
from ...latex.symbols import plain_text
from ..references import parse_reference, reference_of

_ITEM = re.compile(r"\\bibitem(?![A-Za-z])|\\end\s*\{thebibliography\}")
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

_ENTRY = re.compile(r"\\entry\s*\{([^{}]+)\}\s*\{([^{}]*)\}")
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
    items = list(_ITEM.finditer(visible))
    for number, item in enumerate(items):
        if item[0].startswith("\\bibitem"):
            stop = items[number + 1].start() if number + 1 < len(items) else len(visible)
            yield from _bib_item(text, visible, item.end(), stop)
    entries = list(_ENTRY.finditer(visible))
    for number, entry in enumerate(entries):
        stop = entries[number + 1].start() if number + 1 < len(entries) else len(visible)
        end = _END_ENTRY.search(visible, entry.end(), stop)
        body = text[entry.end() : end.start() if end else stop]
        yield _biber_entry(entry[1].strip(), entry[2], body)


def _bib_item(text: str, visible: str, position: int, stop: int) -> Iterator[Reference]:
    start = skip_space(visible, position)
    label_end = bracket_end(visible, start) if visible[start : start + 1] == "[" else None
    label = visible[start + 1 : label_end - 1] if label_end else ""
    start = skip_space(visible, label_end or position)
    key_end = brace_end(visible, start, 1_000) if visible[start : start + 1] == "{" else None
    if key_end is None or not (key := " ".join(visible[start + 1 : key_end - 1].split())):
        return
    source = visible[key_end:stop].replace("``", "“").replace("''", "”")
    blocks = [plain_text(block).strip() for block in _NEW_BLOCK.split(source)]
    printed = " ".join(filter(None, blocks))
    addresses = (link[1] for link in _LINK.finditer(text, key_end, stop))
    found = parse_reference(" ".join((printed, *(a for a in addresses if a not in printed))), key)
    surnames, year = _names_and_year(label)
    surnames = surnames or tuple(_braced(source, _PERSON_MACRO.finditer(source)))
    title = next(_braced(source, _TITLE_MACRO.finditer(source)), "")
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
    if macro := _LABEL_MACRO.search(label):
        names = next(_braced(label, [macro]), "")
    elif split := _NAMES_YEAR.fullmatch(readable):
        names = split[2] or split[1]
    else:
        names = _YEAR.sub("", readable)
    names = _OTHERS.sub("", names.strip(" ,()"))
    surnames = tuple(name for part in _BETWEEN_NAMES.split(names) if (name := part.strip(" .")))
    return surnames, "".join(years[-1])


def _biber_entry(key: str, entry_type: str, body: str) -> Reference:
    fields: dict[str, str] = {}
    for match in _FIELD.finditer(body):
        fields.setdefault(match[1], next(_braced(body, [match]), ""))
    for match in _VERBATIM.finditer(body):
        fields.setdefault(match[1], match[2].strip())
    lists = {match[1]: match for match in reversed(list(_NAME_LIST.finditer(body)))}
    chosen = lists.get("author") or lists.get("editor")
    end = brace_end(body, chosen.end()) if chosen else None
    surnames = tuple(_biber_surnames(body[chosen.end() : end])) if chosen and end else ()
    reference = reference_of(BibEntry(key, entry_type, fields, Path()))
    return replace(reference, surnames=surnames)


def _biber_surnames(names: str) -> Iterator[str]:
    """Yield the surnames of a name list: named parts, or (biber 1) the surname as first part."""
    for name in _NAME.finditer(names):
        end = brace_end(names, name.end())
        person = names[name.end() + 1 : end - 1] if end else ""
        parts = {
            part[1]: value
            for part in _NAME_PART.finditer(person)
            for value in _braced(person, [part])
        }
        surname = (
            f"{parts.get('prefix', '')} {parts.get('family', '')}" if parts else plain_text(person)
        )
        if surname.strip():
            yield surname.strip()


def _braced(source: str, macros: Iterable[re.Match[str]]) -> Iterator[str]:
    """Yield the readable text in the braces after each of some macros."""
    for macro in macros:
        end = brace_end(source, macro.end())
        if end is not None:
            yield plain_text(source[macro.end() : end])

"""A reference as printed → `Reference`.

The authors come first in every style, so they are parsed first, name by name, as far as names go;
where they end, and with which punctuation, shows where year and title are. Every repetition in an
expression below has an upper bound, and each is tried at one place only: the time is linear in the
text.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import replace

import regex

from ...model.papers import BibEntry, Reference
from .identifiers import arxiv_in, doi_in, year_in
from .reference_authors import EARLY_YEAR, QUOTES, YEAR, Authors, read_authors
from .reference_lists import PLAIN_YEAR, split_label

#: Only this many characters of a reference are parsed for names, title and year.
_MAX_REFERENCE = 1500
_MAX_TEXT = 5000
_STRAY_ACCENT = regex.compile(r"(?<=\p{L})[´`¨ˆ˜ˇ˘˙˚]\s(?=\p{Ll})|[´`¨ˆ˜ˇ˘˙˚]")

_EDITORS = regex.compile(r"[,.]?\s{0,3}[(\[]?(?:[Ee]ditors?|[Ee]ds?|Hrsg)\b\.?[)\]]?")
#: A corporate author, before a year.
_BODY = regex.compile(
    rf"(?P<name>[\p{{Lu}}\p{{Lo}}\d][^.,;:()\[\]{QUOTES}]{{1,80}})[.,]?\s{{0,3}}[(\[]?(?={YEAR})"
)
_SAME = regex.compile(r"(?:[—–―‒]\s?){1,6}[.,]?\s{0,3}|[-_]{2,12}[.,]?\s{0,3}|(?:-\s){2,6}[.,]?\s?")

_LATE_YEAR = regex.compile(
    rf"(?P<open>\()?(?<![\p{{L}}\p{{N}}/:.–-])(?<!pp?\.\s?|pages\s)(?P<year>{YEAR})(?![–/-]\d)"
)
_ADDRESS = regex.compile(r"(?:https?://|www\.|doi:\s?|arXiv:|abs/|10\.\d{4,9}/)\S{0,300}", regex.I)
_QUOTED = regex.compile(
    rf"[{QUOTES}](?P<double>.{{3,400}}?)[”\"»“](?!\p{{L}})"
    r"|[‘'`](?P<single>.{3,400}?)['’](?=[\s,.]|\Z)"
)
#: What begins the part after a title.
_VENUE = (
    r"(?:In[:\s]\s?(?=\S)|in:\s|in\s(?=Proc|\p{Lu}{3}|Advances|Annual|International|the\sProc)"
    r"|Proc(?:eedings\b|s?\.)|Journal\s(?:of|for)|J\.\s|IEEE\b|ACM\b|Trans(?:actions|\.)\b"
    r"|Ph\.?\s?D\b|Master['’]?s?\sthesis|Doctoral\s|Dissertation|Diplom|Tech(?:nical)?\.?\s[Rr]ep"
    r"|arXiv|CoRR\b|Lecture\sNotes|LNCS\b|LNAI\b|https?:|www\.|doi\b|[Vv]ol(?:ume|\.)\s?\d"
    r"|pp?\.\s?\d|pages\s\d|Available|Retrieved|Unpublished|Manuscript)"
)
_TITLE_END = regex.compile(
    r"(?P<stop>[.。][”\"’]?(?=\s|\Z))|(?P<ask>[?!][”\"’]?(?=\s|\Z))|(?P<comma>[,;]\s{1,2})"
    r"|\s(?P<missing>In\sProc|In:\s)"
)
_BEHIND_TITLE = regex.compile(rf"\s{{0,3}}{_VENUE}")
#: "Journal 12 (2001)", "Journal, vol. 3", a publisher: after a comma in the styles with commas.
_JOURNAL = regex.compile(
    r"[\p{Lu}\p{Lt}][\p{L}\p{M}.&:’' -]{1,80}(?:,\s?)?\s(?:[A-Z]\s?)?\d{1,4}\s{0,2}[(,:]"
    r"|in\s\p{L}|(?:[\p{Lu}][\p{L}\p{M}-]{1,20}\s){0,4}"
    r"(?:Press|Springer|Elsevier|Wiley|Kluwer|Verlag|Publish\w*|Hall|University|Thesis|Hill)\b"
)
_NO_TITLE = regex.compile(
    r"(?:\p{Lu}[\p{L}\p{M}.&]{0,20}+\s{0,2}+|of\s|and\s|the\s|for\s|&\s|in\s){1,8}\d{1,4}\s{0,2}"
    r"(?:\([\d–-]{1,9}\)\s?)?[,:;]\s?\p{Lu}?\d{1,6}\b.{0,60}"
)
_ABBREVIATED = regex.compile(
    r"(?:(?<![\p{L}.])\p{Lu}|\b(?:vs|e\.g|i\.e|cf|St|Dr|Mr|Mrs|No|Nos|Vol|vol|approx|U\.S|U\.K"
    r"|Ver|ver|Eds?|eds?|resp))\Z"
)
_TRAILING = regex.compile(
    rf"(?:[,.]\s(?:\({YEAR}\)|{YEAR})"
    r"|[,.]\s(?:pp?\.|pages|vol(?:ume|\.)?|no\.|chapter)\s?\d.{0,200}|\[[A-Z]{1,3}(?:/[A-Z]{2})?\])\Z"
)
_SENTENCE = regex.compile(r"[^.]{15,300}\.\s\p{Lu}")


def read_references(texts: Iterable[str], *, labelled: bool = False) -> tuple[Reference, ...]:
    """Parse the references of a list, in order; dashes mean the authors of the preceding one.

    With `labelled` a number before the names is a label whatever follows it.
    """
    found: list[Reference] = []
    for text in texts:
        label, rest = split_label(text, bare=labelled)
        reference = parse_reference(rest, label)
        if found and not reference.surnames and _SAME.match(reference.text):
            reference = replace(reference, surnames=found[-1].surnames)
        if sum(char.isalpha() for char in reference.text) > 5:
            found.append(reference)
    return tuple(found)


def parse_reference(text: str, label: str = "") -> Reference:
    """Parse one reference as printed, in any usual style; unknown values are empty.

    Without `label`, a label at the beginning of the text is used: ``[7]``, ``7.``, ``[Och03]``.
    """
    text = _readable(text[:_MAX_TEXT])
    if not label:
        label, text = split_label(text)
    head = text[:_MAX_REFERENCE]
    same = _SAME.match(head)
    surnames, end, by_comma = Authors([], same.end(), False) if same else read_authors(head)
    if not same and not surnames and (body := _BODY.match(head)):
        surnames, end = [body["name"].strip()], body.end("name")
    if editors := _EDITORS.match(head, end):
        end = editors.end()
    year, dated = "", False
    if early := EARLY_YEAR.match(head, end):
        year, dated = early["round"] or early["bare"], True
        end = early.end()
        by_comma = early["sign"] == "," or (by_comma and not early["sign"])
    title = _title(head, end, by_comma=by_comma)
    if not dated:
        in_label = PLAIN_YEAR.search(label)
        year = in_label[0] if in_label else _late_year(head, end)
    return Reference(
        title=title,
        surnames=tuple(surnames),
        year=year if year[:1].isdigit() else "",
        doi=doi_in(text),
        arxiv=arxiv_in(text),
        label=label,
        text=text,
    )


def reference_of(entry: BibEntry) -> Reference:
    """Return what identifies the work of a bibliography entry, with its key as the label."""
    if entry.entry_type == "bibitem":  # only its printed form is known
        return parse_reference(entry.title, entry.key)
    return Reference(
        title=entry.title,
        surnames=entry.surnames,
        year=entry.year,
        doi=entry.doi,
        arxiv=entry.arxiv,
        label=entry.key,
    )


def described_work(
    *,
    title: str,
    surnames: Iterable[str],
    year: str,
    doi: str = "",
    arxiv: str = "",
    label: str = "",
    text: str = "",
    is_printed: bool = True,
) -> Reference:
    """Return a work described by separate values, as in structured formats.

    `doi` and `arxiv` may be URLs or empty. Missing values are parsed from `text`, if that is the
    reference as printed.
    """
    surnames = tuple(filter(None, surnames))
    read = Reference()
    if text and is_printed and not (title and surnames and year_in(year)):
        read = parse_reference(text, label)
    return Reference(
        title=title or read.title,
        surnames=surnames or read.surnames,
        year=year_in(year) or read.year,
        doi=doi_in(doi) or doi_in(text),
        arxiv=arxiv_in(arxiv, is_named=True) or arxiv_in(text),
        label=label,
        text=text,
    )


def read_names(text: str) -> tuple[str, ...]:
    """Return the surnames in a list of names, in any usual order and punctuation."""
    return tuple(read_authors(_readable(text)[:_MAX_REFERENCE]).surnames)


def _readable(text: str) -> str:
    """Return a reference without artefacts of typesetting."""
    text = unicodedata.normalize("NFC", text).replace("``", "“").replace("''", "”")
    text = _STRAY_ACCENT.sub("", text.replace("\u00ad", ""))
    return " ".join(text.split())


def _title(text: str, start: int, *, by_comma: bool) -> str:
    """Return the title that begins near `start`; `by_comma` if commas separate all elements."""
    rest = text[start:].lstrip(" .,:;)")
    if quoted := _QUOTED.match(rest):
        return _tidy(quoted["double"] or quoted["single"])
    if _NO_TITLE.fullmatch(rest) or (_BEHIND_TITLE.match(rest) and not rest.startswith("Proceed")):
        return ""
    if by_comma and _JOURNAL.match(rest) and not _SENTENCE.match(rest):
        return ""
    return _tidy(rest[: _title_end(rest, by_comma=by_comma)])


def _title_end(rest: str, *, by_comma: bool) -> int:
    """Return the offset at which a title at the beginning of `rest` ends."""
    for found in _TITLE_END.finditer(rest):
        sign = found.lastgroup
        # A question mark is part of the title.
        place = found.start() + (sign == "ask")
        if sign == "missing" or _BEHIND_TITLE.match(rest, found.end()):
            return place
        if sign == "stop":
            following = rest[found.end() :].lstrip()[:1]
            abbreviated = _ABBREVIATED.search(rest[max(0, place - 8) : place])
            ends = not following or not (following.islower() or abbreviated)
        elif sign == "ask":
            ends = found.end() == len(rest)
        else:
            ends = by_comma and _JOURNAL.match(rest, found.end()) is not None
        if ends:
            return place
    return len(rest)


def _tidy(title: str) -> str:
    """Return a title without surrounding text; empty if no word is left."""
    title = _TRAILING.sub("", title.strip(' .,;:“”"«»'))
    title = title.strip(" .,;:")
    return title if sum(char.isalpha() for char in title) > 2 else ""


def _late_year(text: str, start: int) -> str:
    """Return the year after the title: the last in brackets, else the last that is not a page."""
    plain = _ADDRESS.sub(" ", text[start:])
    found = list(_LATE_YEAR.finditer(plain))
    in_brackets = [match for match in found if match["open"]]
    chosen = in_brackets or found
    return str(chosen[-1]["year"]) if chosen else ""

"""A reference as printed → `Reference`; DOIs, arXiv ids, years and surnames in normal form.

The authors come first in every style; where they end, and with which punctuation, shows where year
and title are. Every repetition in an expression below has an upper bound, and each is tried at one
place only: the time is linear in the text.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace

import regex

from ...model.papers import BibEntry, Reference
from .hyphenation import Join, join_lines
from .reference_authors import EARLY_YEAR, QUOTES, YEAR, Authors, read_authors
from .reference_lists import PLAIN_YEAR, ListLine, split_label, split_references

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
_DOI = regex.compile(r"(?<![\d.])10\.\d{4,9}(?:\.\d{1,9}){0,4}/\s?[^\s\"“”{}|\\^`]{1,200}+")
_DOI_TAIL = ".,;:'’*"
_OPENING = {")": "(", "]": "[", ">": "<"}
_ARXIV = r"(\d\d(?:0[1-9]|1[0-2])\.\d{4,5}|[a-z][a-z-]{1,15}(?:\.[a-z]{2})?/\d{7})(?!\d)"
_ARXIV_ID = regex.compile(rf"(?<![\w.]){_ARXIV}", regex.I)
_NAMED_ARXIV = regex.compile(
    rf"(?:arxiv(?:\s(?:e-?|pre)print)?[^\d\s]{{0,12}}?\s?|\babs/)(?<![a-z]){_ARXIV}", regex.I
)
_YEAR = regex.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)(?:[a-z](?![a-z]))?")
_INITIALS = regex.compile(r"(?:\p{Lu}\.?-?){1,4}")


def doi_in(text: str) -> str:
    """Return the first DOI in `text`, in lower case and without a resolver, or an empty string."""
    match = _DOI.search(text)
    if match is None:
        return ""
    doi: str = match[0].replace(" ", "").lower().rstrip(_DOI_TAIL)
    # An unmatched closing bracket is not part of the DOI: 10.1016/s0004-3702(97)00043-x).
    while (opening := _OPENING.get(doi[-1])) and doi.count(doi[-1]) > doi.count(opening):
        doi = doi[:-1].rstrip(_DOI_TAIL)
    return doi


def arxiv_in(text: str, *, is_named: bool = False) -> str:
    """Return the first arXiv id in `text`, without version and class, or an empty string."""
    match = (is_named and _ARXIV_ID.search(text)) or _NAMED_ARXIV.search(text)
    if not match:
        return ""
    archive, _, number = match[1].lower().rpartition("/")
    return f"{archive.partition('.')[0]}/{number}" if archive else number


def year_in(text: str) -> str:
    """Return the first year in `text`, with its letter (``2001a``), or an empty string."""
    match = _YEAR.search(text)
    return match[0] if match else ""


def surname_of(name: str) -> str:
    """Return the surname in a name as printed: "Ada Byron", "Byron, Ada" or "Byron A"."""
    before, comma, _ = name.partition(",")
    if comma:
        return before.strip()
    words = name.split()
    return next((word for word in reversed(words) if not _INITIALS.fullmatch(word)), name.strip())


def read_references(texts: Iterable[str], *, labelled: bool = False) -> tuple[Reference, ...]:
    """Parse the references of a list, in order; dashes mean the authors of the preceding one."""
    found: list[Reference] = []
    for text in texts:
        label, rest = split_label(text, bare=labelled)
        reference = parse_reference(rest, label)
        if found and _SAME.match(reference.text):
            reference = replace(reference, surnames=found[-1].surnames)
        if sum(map(str.isalpha, reference.text)) > 5:
            found.append(reference)
    return tuple(found)


def read_list(lines: Sequence[ListLine], join: Join) -> tuple[Reference, ...]:
    """Parse the references of a list given as lines, which `join` joins."""
    items = split_references(lines)
    labelled = sum(bool(split_label(item[0], bare=True)[0]) for item in items)
    texts = (join_lines(item, join) for item in items)
    return read_references(texts, labelled=labelled > 0.6 * len(items))


def parse_reference(text: str, label: str = "") -> Reference:
    """Parse one reference as printed, by default with its label; unknown values are empty."""
    text = _readable(text[:_MAX_TEXT])
    if not label:
        label, text = split_label(text)
    head = text[:_MAX_REFERENCE]
    if same := _SAME.match(head):
        surnames, end, by_comma = Authors([], same.end(), False)
    else:
        surnames, end, by_comma = read_authors(head)
        if not surnames and (body := _BODY.match(head)):
            surnames, end = [body["name"].strip()], body.end("name")
    if editors := _EDITORS.match(head, end):
        end = editors.end()
    year = ""
    if early := EARLY_YEAR.match(head, end):
        year = early["round"] or early["bare"]
        end, by_comma = early.end(), early["sign"] == ","
    elif in_label := PLAIN_YEAR.search(label):
        year = in_label[0]
    else:
        # The last in brackets, else the last that is not a page.
        late = [*_LATE_YEAR.finditer(_ADDRESS.sub(" ", head[end:]))]
        if late := [match for match in late if match["open"]] or late:
            year = late[-1]["year"]
    title = _title(head[end:].lstrip(" .,:;)"), by_comma)
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
    work = entry.title, entry.surnames, entry.year, entry.doi, entry.arxiv
    return Reference(*work, label=entry.key)


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
    """Return a work described by separate values; missing ones are parsed from a printed `text`."""
    surnames = tuple(filter(None, surnames))
    is_whole = title and surnames and year_in(year)
    read = parse_reference(text, label) if text and is_printed and not is_whole else Reference()
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
    text = unicodedata.normalize("NFC", text).replace("``", "“").replace("''", "”")
    text = _STRAY_ACCENT.sub("", text.replace("\u00ad", ""))
    return " ".join(text.split())


def _title(rest: str, by_comma: bool) -> str:
    """Return the title at the beginning of a text; `by_comma` if commas separate all elements."""
    if quoted := _QUOTED.match(rest):
        return _tidy(quoted["double"] or quoted["single"])
    if _NO_TITLE.fullmatch(rest) or (_BEHIND_TITLE.match(rest) and not rest.startswith("Proceed")):
        return ""
    if by_comma and _JOURNAL.match(rest) and not _SENTENCE.match(rest):
        return ""
    for found in _TITLE_END.finditer(rest):
        sign, end = found.lastgroup, found.end()
        # A question mark is part of the title.
        title = rest[: found.start() + (sign == "ask")]
        following = rest[end:].lstrip()[:1]
        if (
            sign == "missing"
            or _BEHIND_TITLE.match(rest, end)
            or (sign == "stop" and not following.islower() and not _ABBREVIATED.search(title[-8:]))
            or (sign in ("stop", "ask") and not following)
            or (sign == "comma" and by_comma and _JOURNAL.match(rest, end))
        ):
            return _tidy(title)
    return _tidy(rest)


def _tidy(title: str) -> str:
    """Return a title without surrounding text; empty if no word is left."""
    title = _TRAILING.sub("", title.strip(' .,;:“”"«»')).strip(" .,;:")
    return title if sum(map(str.isalpha, title)) > 2 else ""

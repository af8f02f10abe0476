"""How an author names a work: an identifier, a text with one, a title; or a record."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Final, Literal, NamedTuple
from urllib.parse import unquote

from ..edits.bibtex_entries import bibtex_entry
from ..edits.new_keys import is_typed
from ..model.bibliographies import BibliographyFile
from ..model.papers import BibEntry
from ..model.problems import InputError
from ..parsing.bibliographies import parse_bibliography
from ..parsing.bibliographies.ris import begins_as_ris, from_pubmed, read_ris
from ..parsing.papers.references import arxiv_in, doi_in
from .sources import ARXIV_DOI, doi_of, is_sendable

NameKind = Literal["DOI", "arXiv id", "PMID", "PMCID", "ISBN", "title"]
_MAX_TEXT: Final = 2_000_000
_MAX_TITLE: Final = 500
_MAX_NAME: Final = 2_000
_ADDRESS: Final = re.compile(r"https?://\S+|(?:www\.|dx\.)?doi\.org/\S+|arxiv\.org/\S+", re.I)
_BARE_DOI: Final = re.compile(r"(?:doi:?\s*)?(10\.\d{1,9}(?:\.\d{1,9}){0,4}/\S+)", re.I)
_PMID: Final = re.compile(
    r"(?:pmid:?\s*(\d{1,9}))|(\d{6,8})|https?://(?:www\.)?(?:pubmed\.ncbi\.nlm\.nih\.gov"
    r"|ncbi\.nlm\.nih\.gov/(?:m/)?pubmed|europepmc\.org/(?:article|abstract)/med)/(\d{1,9})"
    r"(?:[/?#]\S*)?",
    re.I,
)
_PMCID: Final = re.compile(
    r"(?:pmcid:?\s*|https?://(?:[a-z]+\.)?(?:ncbi\.nlm\.nih\.gov|europepmc\.org)/(?:[a-z]+/)*)?"
    r"pmc(\d{1,9})(?:[./?#]\S*)?",
    re.I,
)
#: The pages of repositories whose DOIs have the number or name of the page.
_PAGES: Final = {
    re.compile(rf"https?://(?:www\.)?{page}(?=[/?#_.]|\Z)", re.I): doi
    for page, doi in (
        (r"zenodo\.org/records?/(\d+)", "10.5281/zenodo."),
        (r"figshare\.com/articles/(?:[^/\s]+/){0,2}?(\d{5,9})", "10.6084/m9.figshare."),
        (r"osf\.io/([a-z0-9]{5})", "10.17605/osf.io/"),
        (r"osf\.io/preprints/(?:osf/)?([a-z0-9]{5})", "10.31219/osf.io/"),
        (r"(?:osf\.io/preprints/psyarxiv|psyarxiv\.com)/([a-z0-9]{5})", "10.31234/osf.io/"),
        (r"osf\.io/preprints/socarxiv/([a-z0-9]{5})", "10.31235/osf.io/"),
        (r"osf\.io/preprints/edarxiv/([a-z0-9]{5})", "10.35542/osf.io/"),
    )
}
_ISBN: Final = re.compile(
    r"(?:\S*\bisbn(?:-1[03])?[\s:=/]*)?((?:97[89][- ]?)?\d(?:[- ]?\d){8}[- ]?[\dx])\S*", re.I
)
#: In PubMed's own format (``.nbib``): a work, and its DOI.
_IN_PUBMED: Final = re.compile(r"^[ \t\ufeff]*PMID- ?(\d{1,9})\s*$", re.MULTILINE)
_DOI_IN_PUBMED: Final = re.compile(r"^[ \t]*(?:AID|LID) ?- (\S+) \[doi\]", re.MULTILINE)
_PMID_IN_TEXT: Final = re.compile(r"\bpmid:?\s*(\d{1,9})\b", re.IGNORECASE)
_PMID_ALONE: Final = re.compile(r"\s*(?:pmid:?\s*)?(\d{1,8})\s*", re.IGNORECASE)
_ISBN_IN_LIST: Final = re.compile(r"(?:97[89][-\s]?)?(?:\d[-\s]?){9}[\dXx]")
_BIBTEX: Final = re.compile(r"^[ \t\ufeff]*@[A-Za-z]+\s*[{(]", re.MULTILINE)
_CSL_YAML: Final = re.compile(r"^(?:---\s*\n)?references:\s*\n|^- +id:", re.MULTILINE)
_LETTERS: Final = re.compile(r"[^\W_]")


class NamedWork(NamedTuple):
    """How an author names a work; DOIs and arXiv ids as `BibEntry` has them, ISBNs as digits."""

    kind: NameKind
    value: str

    def __str__(self) -> str:
        return f"“{self.value}”" if self.kind == "title" else f"{self.kind} {self.value}"

    @property
    def doi(self) -> str:
        """The DOI that it is, or that arXiv has registered for it; empty for others."""
        return {"DOI": self.value, "arXiv id": f"{ARXIV_DOI}{self.value}"}.get(self.kind, "")

    def is_of(self, entry: BibEntry) -> bool:
        """Return whether an entry has the identifier."""
        match self.kind:
            case "DOI" | "arXiv id":
                is_arxiv = self.doi.startswith(ARXIV_DOI)
                arxiv = self.doi.removeprefix(ARXIV_DOI) if is_arxiv else ""
                return entry.doi == self.doi or bool(arxiv and entry.arxiv == arxiv)
            case "PMID":
                return pmid_of(entry) == self.value
            case "PMCID":
                found = _PMCID.fullmatch(entry.fields.get("pmcid", ""))
                return found is not None and f"PMC{found[1]}" == self.value
            case "ISBN":
                return self.value in map(isbn_in, isbns_of(entry))
            case "title":
                return False


def named_work(text: str) -> NamedWork:
    """Return the name of a work in a text; raise `InputError` if it cannot be one.

    A reference with exactly one identifier is named by that.
    """
    if pmid := _IN_PUBMED.search(text):
        doi = next(filter(None, map(doi_of, _DOI_IN_PUBMED.findall(text))), "")
        return _of_doi(doi) if doi else NamedWork("PMID", pmid[1].lstrip("0"))
    text = " ".join(text[:_MAX_NAME].split())
    if _ADDRESS.fullmatch(text):
        fields, text = {"url": text}, unquote(text)
        entry = BibEntry("", "", fields, Path())
        if entry.arxiv:
            return NamedWork("arXiv id", entry.arxiv)
        if (doi := _doi_at(text)) and is_sendable(doi):
            return _of_doi(doi)
    elif bare := _BARE_DOI.fullmatch(unquote(text)):
        if doi := doi_of(bare[1]):
            return _of_doi(doi)
        raise InputError(f"{text[:80]} is not a DOI that can be looked up")
    elif arxiv := BibEntry("", "", {"eprint": text}, Path()).arxiv:
        return NamedWork("arXiv id", arxiv)
    if found := _ISBN.fullmatch(text):
        if isbn := isbn_in(found[1]):
            return NamedWork("ISBN", isbn)
        if text.lower().startswith("isbn"):
            raise InputError(f"{text} is not an ISBN: its check digit is wrong")
    if found := _PMID.fullmatch(text):
        return NamedWork("PMID", next(filter(None, found.groups())).lstrip("0"))
    if found := _PMCID.fullmatch(text):
        return NamedWork("PMCID", f"PMC{found[1]}")
    if _ADDRESS.fullmatch(text):
        raise InputError(
            "this address has no DOI, arXiv id, PMID or ISBN in it; give one, or a title"
        )
    return _in_reference(text)


def records_in(text: str) -> BibliographyFile | None:
    """Return the entries of a text in BibTeX, RIS or CSL; None for any other text.

    RIS, and several works in PubMed's format, become BibTeX. Raises `InputError` if none of the
    entries can be read.
    """
    if len(text) > _MAX_TEXT:
        raise InputError("this is too much text for a few entries")
    if len(_IN_PUBMED.findall(text)) > 1:
        text = from_pubmed(text)
    if begins_as_ris(text):
        entries = [
            replace(each, key=each.key if is_typed(each.key) else str(number))
            for number, each in enumerate(read_ris(text, Path("pasted.ris")))
        ]
        kind, text, name = (
            "RIS",
            "\n".join(bibtex_entry(each, protects_capitals=True) for each in entries),
            "pasted.bib",
        )
    elif _BIBTEX.search(text):
        kind, name = "BibTeX", "pasted.bib"
    elif text.lstrip(" \t\r\n\ufeff").startswith(("{", "[{", "[\n", "[ ", "[\r")):
        kind, name = "CSL", "pasted.json"
    elif _CSL_YAML.match(text.lstrip(" \t\r\n\ufeff")):
        kind, name = "CSL", "pasted.yaml"
    else:
        return None
    read = parse_bibliography(text, Path(name))
    if not any(entry.title for entry in read.entries.values()):
        first = next(iter(read.problems), None)
        why = "" if first is None else f" (line {first.line}: {first.message})"
        raise InputError(f"this looks like {kind}, but no entry in it has a key and a title{why}")
    return read


def _in_reference(text: str) -> NamedWork:
    """Return the only identifier in a text, or the text as a title."""
    named = _identifiers_in(text)
    if len(named) == 1:
        return named.pop()
    if len(_LETTERS.findall(text)) < 3 or len(text) > _MAX_TITLE:
        raise InputError(
            "give a DOI, arXiv id, PMID, ISBN, an address or a reference with one, a title,"
            " or an entry in BibTeX, RIS or CSL"
        )
    return NamedWork("title", text)


def _identifiers_in(text: str) -> set[NamedWork]:
    """Return the DOIs and arXiv ids in a text, or else the PMIDs."""
    words = (_doi_at(word.rstrip(".,;)")) if "://" in word else word for word in text.split())
    found = {_of_doi(doi) for word in words if (doi := doi_of(doi_in(word)))}
    if arxiv := arxiv_in(text):
        found.add(NamedWork("arXiv id", arxiv))
    return found or {NamedWork("PMID", each.lstrip("0")) for each in _PMID_IN_TEXT.findall(text)}


def _doi_at(address: str) -> str:
    """Return the DOI in an address, or that of the page of a repository; or ""."""
    if doi := BibEntry("", "", {"url": address}, Path()).doi:
        return doi
    pages = ((page.match(address), doi) for page, doi in _PAGES.items())
    return next((f"{doi}{found[1]}".lower() for found, doi in pages if found), "")


def _of_doi(doi: str) -> NamedWork:
    arxiv = BibEntry("", "", {"doi": doi}, Path()).arxiv if doi.startswith(ARXIV_DOI) else ""
    return NamedWork("arXiv id", arxiv) if arxiv else NamedWork("DOI", doi)


def pmid_of(entry: BibEntry) -> str:
    """Return the PubMed identifier of an entry, or ""."""
    get = entry.fields.get
    eprint = get("eprint", "") if get("eprinttype", "").lower() in ("pubmed", "pmid") else ""
    found = _PMID_ALONE.fullmatch(get("pmid", "") or eprint)
    return found[1] if found else ""


def isbns_of(entry: BibEntry) -> list[str]:
    """Return the ISBNs of an entry with a right check digit, without hyphens."""
    written = _ISBN_IN_LIST.findall(entry.fields.get("isbn", "")[:200])
    return [re.sub(r"[-\s]", "", each).upper() for each in written if isbn_in(each)]


def isbn_in(text: str) -> str:
    """Return the thirteen digits of an ISBN, which may be of ten; empty if it is none."""
    digits = re.sub(r"[^\dXx]", "", text).upper()
    if len(digits) == 10 and "X" not in digits[:9]:
        values = (10 if sign == "X" else int(sign) for sign in digits)
        if sum(value * weight for value, weight in zip(values, range(10, 0, -1), strict=True)) % 11:
            return ""
        digits = f"978{digits[:9]}"
        return f"{digits}{_check_digit(digits)}"
    is_sound = len(digits) == 13 and digits.isdecimal() and digits.startswith(("978", "979"))
    return digits if is_sound and int(digits[12]) == _check_digit(digits[:12]) else ""


def _check_digit(digits: str) -> int:
    return -sum(int(digit) * (1, 3)[at % 2] for at, digit in enumerate(digits)) % 10

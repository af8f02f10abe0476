"""Find DOIs, arXiv ids, years and surnames in a text, in normal form."""

from __future__ import annotations

import regex

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
    """Return the first arXiv id in `text`, without version and class, or an empty string.

    It must follow the word arXiv, unless `is_named` says that the text is such an id.
    """
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

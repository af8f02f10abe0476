"""Bibliography entries, and the papers that they describe."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, Protocol, TypeVar
from urllib.parse import unquote

from .zotero import Highlight

_T = TypeVar("_T")
#: What is known about an entry's text, best first.
TextBasis = Literal["full text", "abstract", "title"]
#: What is known about an entry.
Basis = Literal["full text", "abstract", "title", "inlink contexts"]
#: Joins words that braces make one name: ``{World Health Organization}``.
NO_BREAK_SPACE: Final = "\u00a0"
#: Only this many pages of a longer PDF are read, from the first.
MAX_PAGES: Final = 2_000
# A comma inside braces is followed by a no-break space and is not a separator.
_COMMA: Final = re.compile(rf",(?!{NO_BREAK_SPACE})")
_FAMILY: Final = re.compile(r"(?:^|,)\s*family\s*=\s*([^,]*)", re.IGNORECASE)
#: What stands for the people whom a list of names leaves out: at its end, or behind a name.
OTHERS: Final = re.compile(r"(?:\A|[\s,]{1,9})et\.?\s*al\.?\Z|\Aothers\.?\Z", re.IGNORECASE)

_YEAR: Final = re.compile(r"\d{4}")
_TIME: Final = re.compile(r"(\d{4})[-./](\d\d?)[-./](\d\d?)(?:[T ]+(\d\d:\d\d(?::\d\d)?))?")
_DOI: Final = re.compile(r"10\.\d{1,9}(?:\.\d{1,9}){0,4}/[^\s\"]+")
#: Publishers write a DOI into the addresses of its pages behind such words.
_DOI_ADDRESS: Final = re.compile(
    r"(?:(?:(?:^|//)(?:www\.|dx\.)?doi\.org|/doi(?:/[a-z]+)?|/(?:abstract|articles?|book|chapter"
    r"|content(?:/pdf)?|referenceworkentry))/|\bdoi:|[?&](?:id|doi)=)(10\.[^?#&]+)",
    re.IGNORECASE,
)
#: What is added to a DOI in the address of one of its pages, or of a file; bioRxiv adds a version.
_PAGE_OF_DOI: Final = re.compile(
    r"(?:(?<=\d\d\d\d\d\d)v\d{1,2}(?:\.[a-z.-]+)?)?(?:/(?:abstract|e?pdf|full|html|meta"
    r"|[^/]*\.pdf)){0,2}/?(?:;[a-z]+=.*|(?<=\w)\.pdf)?\Z",
    re.IGNORECASE,
)
#: What publishers at Silverchair add: the number of the article, and its title or file.
_NUMBER: Final = re.compile(r"(?<=/doi/)(10\.[^?#]+?)/\d{5,9}(?:/[^/?#]*)?(?=[?#]|\Z)")
#: A field behind a DOI that is not closed.
_FIELD_BEHIND: Final = re.compile(r",[a-z]+=.*", re.IGNORECASE | re.DOTALL)
# ``<`` as written in LaTeX, braces, and the backslash of ``\_``.
_LESS: Final = re.compile(r"\$<\$|\{?\\textless(?![a-z])(?:\{\})?\}?")
_GREATER: Final = re.compile(r"\$>\$|\{?\\textgreater(?![a-z])(?:\{\})?\}?")
_ESCAPE: Final = re.compile(r"[{}]|\\(?=[_&%#$])")

# "1706.03762", and until 2007 "cs/0112017" or "math.GT/0309136", whose class is ignored.
_ARXIV_ID: Final = (
    r"(\d\d(?:0[1-9]|1[0-2])\.\d{4,5}(?!\d)|[a-z][a-z-]{1,15}(?:\.[a-z]{2})?/\d{7}(?!\d))"
)
_ARXIV: Final = re.compile(
    rf"\s*(?:arxiv:\s*|abs/)?{_ARXIV_ID}(?:v\d{{1,3}})?\s*(?:\[|\Z)", re.IGNORECASE
)
_NAMED_ARXIV: Final = re.compile(
    rf"arxiv(?:\.org/[a-z]{{2,8}}/|[\s.:]{{1,3}}){_ARXIV_ID}", re.IGNORECASE
)
_ARXIV_CLASS: Final = re.compile(r"\.[a-z]{2}/")
# Fields that may mention arXiv, as in "arXiv preprint arXiv:1706.03762 [cs.CL]".
_NAMING_ARXIV: Final = ("eprint", "url", "doi", "journal", "journaltitle", "note", "howpublished")


#: A key that is a DOI: bare, or with ``doi:`` or an address.
_DOI_AS_KEY: Final = re.compile(
    r"(?:doi:|https?://[\w.-]+/(?:[^\s?#]*/)?|(?:dx\.|www\.)?doi\.org/)?"
    r"(10\.\d{1,9}(?:\.\d{1,9}){0,4}/\S+)|https?://(?:dx\.|www\.)?doi\.org/([\w-]+)",
    re.IGNORECASE,
)

#: The DOIs of preprints (of bioRxiv and medRxiv with another number since 2025), and their servers.
PREPRINT_DOI: Final = re.compile(
    r"10\.(?:48550|31234|31219|31235|2139|21203|20944|26434|22541|36227|31223|32942|33774|35542)/"
    r"|10\.(?:1101|64898)/(?:\d{4}\.\d\d\.\d\d\.)?\d{6}"
)
_PREPRINTS: Final = re.compile(
    r"rxiv|\bcorr\b|preprint|\bssrn\b|\bosf\b|research square|authorea", re.IGNORECASE
)

#: What exporters write into a field for which they have nothing; such texts are short.
_NOTHING: Final = re.compile(
    r"\W*(?:(?:there is )?no abstract(?: is)?(?: available| provided)?(?: for this \w+)?"
    r"|abstract(?: is)? (?:not available|unavailable)|n/?a|null|none)\W*",
    re.IGNORECASE,
)
_LONGEST_NOTHING: Final = 60


def is_of_preprints(venue: str) -> bool:
    """Return whether the name of a journal is that of a preprint server."""
    return _PREPRINTS.search(venue) is not None


def doi_in_key(key: str) -> str:
    """Return the DOI that a citation key is, in lower case; empty if it is none."""
    found = _DOI_AS_KEY.fullmatch(unquote(key))
    return (found[1] or found[2]).lower() if found else ""


class UnreadFields(Protocol):
    """The text of an entry, of which the fields are read on access."""

    def fields(self) -> Mapping[str, str]:
        """Return the decoded fields."""

    def written(self) -> Mapping[str, str]:
        """Return the fields before decoding."""

    def title(self) -> Mapping[str, str]:
        """Return title and subtitle, and other fields where these are no faster without."""


@dataclass(frozen=True, slots=True)
class BibEntry:
    """One entry of a bibliography; `source` has its fields, or the text to read them from.

    A file has up to tens of thousands of entries, of which few are read at a time. Its
    `BibliographyFile` knows its place in the file at `path`.
    """

    key: str
    entry_type: str
    source: Mapping[str, str] | UnreadFields
    path: Path
    aliases: tuple[str, ...] = ()
    members: tuple[str, ...] = ()

    @property
    def fields(self) -> Mapping[str, str]:
        """The fields by lower-cased name, as a reader would see them, with what is inherited.

        The verbatim fields (`file`, `url`, `doi`, `eprint`) are as written. Names are separated by
        `` and ``; a space inside braces within a name becomes a no-break space.
        """
        return self.source if isinstance(self.source, Mapping) else self.source.fields()

    @property
    def written(self) -> Mapping[str, str]:
        """The fields before decoding, with what is inherited."""
        return self.source if isinstance(self.source, Mapping) else self.source.written()

    @property
    def title(self) -> str:
        """Title with its subtitle."""
        return _title_in(self.fields)

    def title_alone(self) -> str:
        """Return the title of an entry of which nothing else is needed."""
        return _title_in(self.source if isinstance(self.source, Mapping) else self.source.title())

    @property
    def abstract(self) -> str:
        """Abstract, or the author's annotation of the work."""
        named = map(self.prose, ("abstract", "annote", "annotation", "keywords"))
        return next(filter(None, named), "")

    def prose(self, name: str) -> str:
        """Return the text of a field, "" where it only states that there is none."""
        value = self.fields.get(name, "")
        return "" if len(value) < _LONGEST_NOTHING and _NOTHING.fullmatch(value) else value

    @property
    def year(self) -> str:
        """Year of publication as four digits, or an empty string."""
        for name in ("year", "date", "eventdate", "origdate"):
            if found := _YEAR.search(self.fields.get(name, "")):
                return found[0]
        return ""

    @property
    def added(self) -> str:
        """When the author added the entry, as BibDesk, JabRef or Zotero note it, or "".

        As texts, times are in order: ``2026-03-09 14:05``.
        """
        for name in ("date-added", "creationdate", "timestamp", "dateadded"):
            if found := _TIME.match(self.fields.get(name, "")):
                year, month, day, time = found.groups("")
                return f"{year}-{month:0>2}-{day:0>2} {time}".rstrip()
        return ""

    @property
    def doi(self) -> str:
        """DOI in lower case without a resolver's URL, or one in the URL of the work, or ""."""
        if (written := self.fields.get("doi", "")) and (found := _DOI.search(_unescaped(written))):
            return _FIELD_BEHIND.sub("", found.group()).rstrip(".,;").lower()
        url = self.fields.get("url", "")
        # The path of a file on this computer is none of it.
        url = _NUMBER.sub(r"\1", url) if "/article" in url else url
        address = None if "file:" in url.lower() else _DOI_ADDRESS.search(url)
        found = _DOI.match(_unescaped(address[1])) if address else None
        if found is None:
            return ""
        registrant, _, rest = found.group().partition("/")
        return f"{registrant}/{_PAGE_OF_DOI.sub('', rest)}".rstrip(".,;/").lower()

    @property
    def arxiv(self) -> str:
        """Identifier at arXiv in lower case, without version or class, or an empty string."""
        get = self.fields.get
        kind = get("archiveprefix") or get("eprinttype") or get("archive") or "arxiv"
        own = get("eprint", "") if kind.strip().lower() == "arxiv" else ""
        # DBLP's articles in CoRR: "volume = {abs/1706.03762}".
        volume = get("volume", "") if get("journal", "").lower() == "corr" else ""
        for value in (own, get("arxiv", ""), get("arxivid", ""), volume):
            if value and (found := _ARXIV.match(value)):
                return _ARXIV_CLASS.sub("/", found[1].lower())
        for name in _NAMING_ARXIV:
            if found := _NAMED_ARXIV.search(get(name, "")):
                return _ARXIV_CLASS.sub("/", found[1].lower())
        return ""

    @property
    def surnames(self) -> tuple[str, ...]:
        """Surnames of the authors, or of the editors if there is no author."""
        names = (OTHERS.sub("", name.strip()) for name in self._people)
        return tuple(surname for name in names if (surname := _surname(name)))

    @property
    def author_year(self) -> str:
        """Short label such as ``Duma and Klein 2014``."""
        return author_year(self.surnames, self.year, others=any(map(OTHERS.search, self._people)))

    @property
    def _people(self) -> list[str]:
        return (self.fields.get("author") or self.fields.get("editor") or "").split(" and ")


def _title_in(fields: Mapping[str, str]) -> str:
    title, subtitle = fields.get("title", ""), fields.get("subtitle", "")
    return f"{title}: {subtitle}" if title and subtitle else title or subtitle


def author_year(surnames: Sequence[str], year: str, *, others: bool = False) -> str:
    """Return a short label such as ``Duma and Klein 2014``."""
    is_short = len(surnames) > 2 or (others and surnames)
    who = f"{surnames[0]} et al." if is_short else " and ".join(surnames)
    return f"{who} {year}".strip()


def _unescaped(address: str) -> str:
    if "\\" in address or "$" in address or "{" in address:
        address = _ESCAPE.sub("", _GREATER.sub(">", _LESS.sub("<", address)))
    return unquote(address) if "%" in address else address


def _surname(name: str) -> str:
    """Return the surname of one name in any of BibTeX's and biber's orders."""
    if "=" in name and (named := _FAMILY.search(name)):
        surname = named[1]
    elif "," in name and (comma := _COMMA.search(name)):
        surname = name[: comma.start()]
    else:
        # Split at plain spaces only: text in braces is one word.
        words = [word for word in name.split(" ") if word]
        # "Ludwig van Beethoven": the surname starts at the first lower-case particle.
        particles = (at for at, word in enumerate(words[:-1]) if at and word[:1].islower())
        surname = " ".join(words[next(particles, len(words) - 1) :])
    return surname.replace(NO_BREAK_SPACE, " ").strip()


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a paper with its place: 1-based PDF page, printed page label, section."""

    text: str
    page: int | None = None
    page_label: str | None = None
    section: str | None = None


@dataclass(frozen=True, slots=True)
class Reference:
    """One item of a reference list, as far as it could be parsed; unknown values are empty.

    `label` is what the text cites it by, unless that is names and year: the ``7`` of ``[7]``, the
    ``Och03`` of ``[Och03]``, or a key. `year` may have a letter (``2001a``). `doi` is in lower case
    and starts with ``10.``; `arxiv` has no version (``1706.03762``, ``cs/0112017``).
    """

    title: str = ""
    surnames: tuple[str, ...] = ()
    year: str = ""
    doi: str = ""
    arxiv: str = ""
    label: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Marker:
    """A citation marker in a paper: its place, and what it cites.

    `start` and `end` are offsets in the text of the sentence with index `sentence`; `references`
    are indices into the paper's reference list, none if the marker could not be resolved.
    """

    sentence: int
    start: int
    end: int
    references: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ReferencePaper:
    """The text of a cited work; `basis` is the kind of that text.

    `sentences` holds the body (with the abstract, if the source has it) in reading order; it is
    empty if only the title is known. `surnames`, `year`, `doi` and `arxiv` are those that the
    paper gives itself (formatted as in `Reference`), `front` is the text at its very beginning.
    `references` is its reference list and `markers`, in reading order, are the places that cite.
    `numbers` are those that stand in no sentence, as in tables and formulas: for each page (None
    without pages), as written, with spaces between; None if the reader does not see all of them.
    `highlights` are what the author highlighted in it, `zotero` the address of its file in Zotero.
    """

    title: str
    basis: TextBasis
    sentences: Sequence[Sentence] = ()
    abstract: str = ""
    source: Path | None = None
    page_count: int | None = None
    surnames: tuple[str, ...] = ()
    year: str = ""
    doi: str = ""
    arxiv: str = ""
    front: str = ""
    references: tuple[Reference, ...] = ()
    markers: tuple[Marker, ...] = ()
    numbers: tuple[tuple[int | None, str], ...] | None = None
    highlights: tuple[Highlight, ...] = ()
    zotero: str = ""


@dataclass(frozen=True, slots=True)
class InlinkContext:
    """The words around a citation of a reference paper in another paper or draft.

    `citing_paper` identifies the citing source, so that an evaluation can leave one paper out.
    `citance` is the citing sentence as printed, `page` its 1-based PDF page.
    """

    citing_paper: str
    left: tuple[str, ...]
    right: tuple[str, ...]
    citance: str = ""
    page: int | None = None


class Lazy(Sequence[_T]):
    """The sentences or inlink contexts of a work, loaded on each access; `length` may be known."""

    __slots__ = ("_length", "_load")

    def __init__(self, load: Callable[[], Sequence[_T]], length: int | None = None) -> None:
        self._load, self._length = load, length

    def __len__(self) -> int:
        return len(self._load()) if self._length is None else self._length

    def __getitem__(self, index: Any) -> Any:  # noqa: ANN401 - an index or a slice
        return self._load()[index]

    def __iter__(self) -> Iterator[_T]:
        return iter(self._load())


@dataclass(frozen=True, slots=True)
class CitingPaper:
    """The contexts in which a paper or draft cites works, with the indices of its references."""

    references: tuple[Reference, ...] = ()
    contexts: tuple[tuple[int, InlinkContext], ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entry that may be cited, with all that is known about it.

    `text` is its paper or a function that returns it, as a list of works shows the text of few.
    """

    key: str
    text: ReferencePaper | Callable[[], ReferencePaper] = field(compare=False)
    entry: BibEntry | None = None
    names: tuple[str, ...] = ()
    inlink_contexts: Sequence[InlinkContext] = field(default=())

    @property
    def paper(self) -> ReferencePaper:
        """Its text, loaded on access."""
        return self.text if isinstance(self.text, ReferencePaper) else self.text()

    @property
    def title(self) -> str:
        """The title of the entry; its paper's is loaded only if the entry has none."""
        return (self.entry.title if self.entry is not None else "") or self.paper.title

    @property
    def author_year(self) -> str:
        """Short label of the entry, empty if there is no entry."""
        return self.entry.author_year if self.entry is not None else ""


class Candidates(Mapping[str, Candidate]):
    """Candidates by key, made from entries on access: all together would fill the memory."""

    def __init__(
        self, entries: Mapping[str, BibEntry | None], make: Callable[[str], Candidate]
    ) -> None:
        """Store the entries by key, and the function that makes a candidate for a key."""
        self.entries, self._make = entries, make

    @classmethod
    def of(cls, candidates: Iterable[Candidate]) -> Candidates:
        """Return a mapping of existing candidates."""
        known = {candidate.key: candidate for candidate in candidates}
        return cls({key: each.entry for key, each in known.items()}, known.__getitem__)

    def __getitem__(self, key: str) -> Candidate:
        if key not in self.entries:
            raise KeyError(key)
        return self._make(key)

    def __contains__(self, key: object) -> bool:
        return key in self.entries

    def titles(self) -> Iterator[str]:
        """Yield the titles of all candidates in order: the fastest way to see something of all."""
        for key, entry in self.entries.items():
            yield self[key].title if entry is None else entry.title_alone()

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

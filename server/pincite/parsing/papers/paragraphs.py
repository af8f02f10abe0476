"""The builder of papers: text with citation markers → sentences, with each marker's place.

A reader passes the text piece by piece; white space becomes single spaces, and soft hyphens are
removed.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path

import regex

from ...model.drafts import CITATION_MARK
from ...model.papers import Marker, Reference, ReferencePaper, Sentence
from ...model.problems import NoTextError
from ...text.quantities import numbers
from ...text.sentences import sentence_spans

# Names of sections, in several languages.
ABSTRACT = re.compile(
    r"(?:abstract|summary|zusammenfassung|kurzfassung|résumé|resumen)[^\w\n]*", re.IGNORECASE
)
REFERENCES = re.compile(
    r"(?:(?:\d{1,2}(?:\.\d{1,2}){0,3}|[IVX]{1,5})[.:)]?\s+)?"
    r"(?:references?|bibliography|bibliographical references|references and notes"
    r"|literature cited|works cited|literatur(?:verzeichnis|angaben)?"
    r"|r[ée]f[ée]rences(?: bibliographiques)?|bibliographie|bibliografía|referencias"
    r"|riferimenti bibliografici|литература|список литературы|参考文献)\s*[:.]?",
    re.IGNORECASE,
)
#: Names of sections that are headings whatever their type or number.
KNOWN = re.compile(
    r"(?:abstract|introduction|motivation|background|(?:related|previous|future) work"
    r"|materials and methods|methods?|methodology|approach|data|discussion|evaluation|summary"
    r"|(?:experimental )?(?:results|setup)|experiments?|experiments and results"
    r"|results and (?:discussion|analysis)|(?:discussion and )?conclusions?|concluding remarks"
    r"|conclusions? and (?:future (?:work|directions)|outlook|discussion)|limitations"
    r"|ethics statement|acknowledge?ments?|zusammenfassung|einleitung|fazit|ausblick|ergebnisse"
    r"|diskussion|danksagung|résumé|remerciements)",
    re.IGNORECASE,
)
#: The words of headings within a structured abstract, and of those of its last parts.
_PART_WORDS = frozenset(
    "aim aims analysis and approach availability background conclusion conclusions context data"
    " design discussion evidence exposure exposures extraction findings for funding goal goals"
    " hypothesis implementation implications importance information intervention interventions"
    " interpretation level limitations main materials measure measures measurements method"
    " methodology methods motivation number objective objectives of outcome outcomes participants"
    " patients population primary principal problem purpose question rationale registration"
    " relevance research result results review search selection setting settings significance"
    " source sources statement strategy study subjects supplementary synthesis the trial"
    " ergebnis ergebnisse fragestellung hintergrund methode methoden methodik schlussfolgerung"
    " schlussfolgerungen ziel ziele contexte but buts et méthode méthodes matériel objectif"
    " objectifs patients résultats antecedentes conclusiones materiales métodos objetivo objetivos"
    " resultados y".split()
)
_LAST_PART = re.compile(r"conclu|interpret|schluss", re.IGNORECASE)
_PART_WORD = re.compile(r"\w+")
#: A heading on the line of its text, or one that is not known as a heading.
_RUN_IN = re.compile(r"(\w+(?:[ ,/&]{1,3}\w+){0,3}?)\s?(?:[:.–—]|\s(?=[A-Z])|\Z)")
#: "2.1 Results", "IV. Results", "B Results".
NUMBERED = re.compile(
    r"(?P<number>(?:\d{1,2}|[A-H])(?:\.\d{1,2}){0,3}|[IVX]{1,5})[.:)]?\s+(?P<name>[^\s\d].*)"
)

_SPACE = r"\s\x00-\x1f\x7f-\x9f"
_WIDTHLESS = r"\u00ad\u200b\u2060\ufeff"
#: A soft hyphen with the line break after it, other characters without a width, and white space.
_TO_NORMALISE = regex.compile(
    rf"(?P<gone>(?<=\w)\u00ad++[{_SPACE}]*+(?=\w)|[{_WIDTHLESS}]++)"
    rf"|[{_SPACE}][{_SPACE}{_WIDTHLESS}]*+"
)
#: Where a sentence could end within a marker: "Smith et al. (2001)".
_BREAK = regex.compile(r"[\s。！？｡]")
_LETTER = regex.compile(r"\p{L}")
#: Numbers that cite, with their brackets and separators: "[3], [5]-[7]".
_CITED = regex.compile(
    rf"[\[(]?{CITATION_MARK}++"
    rf"(?:[\])]?\s{{0,2}}+[,;‐‑–—−-]?\s{{0,2}}+[\[(]?{CITATION_MARK}++)*+[\])]?"
)
#: A number that cites, or a range of them: "[3]", "3–7".
_NUMBER = regex.compile(r"[\[(]?\s?(\d{1,3})(?:\s?[-‐‑–—−]\s?(\d{1,3}))?\s?[\])]?")
#: The text between the two ends of a range if each is a marker.
_DASH = regex.compile(r"[\])]?\s{0,2}+[-‐‑–—−]\s{0,2}+[\[(]?")
_MAX_RANGE = 50
#: A marker longer than this is an error in the file, which must not join sentences.
_MAX_MARKER = 200


def is_known(heading: str) -> bool:
    """Return whether a heading, numbered or not, is that of a usual section."""
    numbered = NUMBERED.fullmatch(heading)
    return KNOWN.fullmatch((numbered["name"] if numbered else heading).rstrip(".:")) is not None


def plain(text: str) -> str:
    """Return a heading, title or reference with single spaces and without soft hyphens."""
    return _normalised([text])[0].strip()


class StructuredAbstract:
    """Distinguishes the headings within an abstract from those of sections, in reading order."""

    def __init__(self) -> None:
        self._parts: list[str] | None = None

    def contains(self, heading: str, above: str) -> bool:
        """Return whether a heading is within an abstract; `above` begins the text before it.

        A repeated heading is the first of the paper proper, as is a usual one after conclusions.
        """
        part, parts = heading.casefold().rstrip(" .:"), self._parts
        if parts == [] and (run_in := _RUN_IN.match(above)) and _is_part(run_in[1].casefold()):
            parts.append(run_in[1].casefold())
        if (
            parts is not None
            and (parts or not above)
            and _is_part(part)
            and part not in parts
            and not (KNOWN.fullmatch(part) and any(map(_LAST_PART.search, parts)))
        ):
            parts.append(part)
            return True
        self._parts = [] if ABSTRACT.fullmatch(heading) else None
        return False


def _is_part(heading: str) -> bool:
    words = _PART_WORD.findall(heading)
    return bool(words) and _PART_WORDS.issuperset(words)


class PaperBuilder:
    """Gathers the paragraphs of a paper in reading order.

    `page` (1-based) may be set at any time, even within a paragraph: a sentence is on the page that
    was current at its start. `in_abstract` is whether the added text belongs to the abstract.
    """

    def __init__(self) -> None:
        self.sentences: list[Sentence] = []
        self.markers: list[Marker] = []
        self.section: str | None = None
        self.page: int | None = None
        self.in_abstract = False
        self._structure = StructuredAbstract()
        #: The number of the first sentence of the section.
        self._start = 0
        self._abstract: list[str] = []
        #: The pieces of the paragraph: text, page, and the references of markers.
        self._pieces: list[tuple[str, int | None, tuple[int, ...] | None]] = []
        #: The number at the end of the last marker with its reference, and the pieces up to it.
        self._last: tuple[int, int, int] | None = None

    def add_text(self, text: str) -> None:
        """Add running text to the current paragraph as written; space may be of any length."""
        self._pieces.append((text, self.page, None))

    def add_marker(self, text: str, references: tuple[int, ...] = (), shown: str = "") -> None:
        """Add a citation marker as printed; `references` are indices into the reference list.

        The paragraph has it as `shown`, if given, such as with raised numbers.
        Space at its ends is trimmed. If only the ends of a range of numbers such as "3–7" are
        known, in one marker or in two, the references between are added if the list is in order.
        """
        number = _NUMBER.fullmatch(text.strip())
        if number and len(references) == 1:
            (reference,) = references
            first, last = int(number[1]), int(number[2] or 0)
            if 0 < last - first <= _MAX_RANGE and reference == first - 1:
                references = tuple(range(reference, last))
            elif not last and self._last:
                start, referred, count = self._last
                between = plain("".join([piece for piece, _, _ in self._pieces[count:]]))
                is_ordered = 0 < first - start == reference - referred <= _MAX_RANGE
                if is_ordered and _DASH.fullmatch(between):
                    references = tuple(range(referred + 1, reference + 1))
        self._pieces.append((shown or text, self.page, references))
        self._last = None
        if number and references:
            self._last = int(number[2] or number[1]), references[-1], len(self._pieces)

    def end_paragraph(self, *, is_sentence: bool = False) -> None:
        """End the current paragraph, if there is one, and find its sentences."""
        pieces, self._pieces, self._last = self._pieces, [], None
        text, starts = _normalised([piece for piece, _, _ in pieces])
        marked: list[tuple[int, int, tuple[int, ...]]] = []
        for start, end, (_, _, cited) in zip(starts, starts[1:], pieces, strict=False):
            if cited is not None and (marker := text[start:end].strip()):
                start = text.index(marker, start)
                marked.append((start, start + len(marker), cited))
        whole = len(text) - len(text.lstrip()), len(text.rstrip())
        spans = [whole] if is_sentence else sentence_spans(_masked(text, marked))
        spans = [span for span in spans if _LETTER.search(text, *span)]
        ends = [last for _, last in spans]
        for start, end, cited in marked:
            # Of a marker that runs over several sentences, the part in the first.
            number = bisect_right(ends, start)
            if number < len(spans) and spans[number][0] < end:
                first, last = spans[number]
                place = max(start, first) - first, min(end, last) - first
                self.markers.append(Marker(len(self.sentences) + number, *place, cited))
        for first, last in spans:
            page = pieces[bisect_right(starts, first, hi=len(pieces)) - 1][1]
            self.sentences.append(Sentence(text[first:last], page, section=self.section))
            if self.in_abstract:
                self._abstract.append(text[first:last])

    def start_section(self, name: str | None) -> None:
        """End the paragraph and start a section with a heading; None if the text has none.

        The abstract goes on after a heading within it.
        """
        self.end_paragraph()
        name = plain(name or "")
        above = (
            "" if self.in_abstract else "".join(s.text for s in self.sentences[self._start :][:1])
        )
        if not self._structure.contains(name, above):
            self.section = name or None
            self.in_abstract = False
            self._start = len(self.sentences)

    def start_abstract(self) -> None:
        """End the paragraph; the text until the next section is the abstract."""
        self.start_section("Abstract")
        self.in_abstract = True

    def complete(
        self,
        about: Reference,
        references: Sequence[Reference],
        source: Path | None,
        *,
        page_count: int | None = None,
        abstract: str = "",
        front: str = "",
        printed: Iterable[tuple[int | None, str]] | None = None,
    ) -> ReferencePaper:
        """Return the paper that `about` describes, with its text and its reference list.

        The abstract, if not given, follows `start_abstract`, or is the section with such a heading.
        `printed` are texts with their pages that have all its numbers, if they are known.
        """
        self.end_paragraph()
        count = len(references)
        if not self.sentences:
            raise NoTextError("there is no text in it")
        titled = (s.text for s in self.sentences if ABSTRACT.fullmatch(s.section or ""))
        return ReferencePaper(
            title=about.title,
            basis="full text" if len(self.sentences) > len(self._abstract) else "abstract",
            sentences=tuple(self.sentences),
            abstract=abstract or " ".join(self._abstract or titled),
            source=source,
            page_count=page_count,
            surnames=about.surnames,
            year=about.year,
            doi=about.doi,
            arxiv=about.arxiv,
            front=front,
            references=tuple(references),
            numbers=None if printed is None else _numbers_apart(self.sentences, printed),
            markers=tuple(
                replace(marker, references=tuple(at for at in marker.references if at < count))
                for marker in self.markers
            ),
        )


def _numbers_apart(
    sentences: Iterable[Sentence], printed: Iterable[tuple[int | None, str]]
) -> tuple[tuple[int | None, str], ...]:
    """Return the numbers of each page that are in none of its sentences, once."""
    within: defaultdict[int | None, set[str]] = defaultdict(set)
    for sentence in sentences:
        within[sentence.page].update(numbers(sentence.text))
    apart: defaultdict[int | None, dict[str, None]] = defaultdict(dict)
    for page, text in printed:
        apart[page].update((each, None) for each in numbers(text) if each not in within[page])
    return tuple((page, " ".join(listed)) for page, listed in apart.items() if listed)


def _normalised(pieces: Sequence[str]) -> tuple[str, list[int]]:
    """Return the joined text with single spaces, and where each piece starts in it, and the end."""
    parts: list[str] = []
    is_after_space = False
    for piece in pieces:
        if "  " in piece or not piece.isprintable():
            piece = _TO_NORMALISE.sub(lambda found: "" if found["gone"] else " ", piece)
        if is_after_space:
            piece = piece.removeprefix(" ")
        if piece:
            is_after_space = piece[-1] == " "
        parts.append(piece)
    return "".join(parts), [*accumulate(map(len, parts), initial=0)]


def _masked(text: str, marked: list[tuple[int, int, tuple[int, ...]]]) -> str:
    """Return text of equal length in which no marker looks like the end of a sentence."""
    if not marked:
        return text
    parts: list[str] = []
    position = 0
    for start, end, _ in marked:
        if end - start <= _MAX_MARKER:
            marker = text[start:end]
            is_name = _LETTER.search(marker) is not None
            mask = _BREAK.sub("_", marker) if is_name else CITATION_MARK * len(marker)
            parts += (text[position:start], mask)
            position = end
    parts.append(text[position:])
    return _CITED.sub(lambda match: CITATION_MARK * len(match[0]), "".join(parts))

"""Find claims whose citation hardly supports them, and claims that probably lack a citation.

Heuristics, off by default. Of a citation only words are seen, and a paper may be cited for its
data, its idea, or as one of several. A sentence lacks a citation when it has one of these cues and
neither it nor the sentence before or after it in the paragraph cites anything:

* authors and year written by hand, ``Smith and Jones (2008)`` or ``(Smith, 2008)``, or ``et al.``
  of an author whom the file has neither cited before nor named beside a citation; a single name
  before a bracket does not count, as in "the Education Act (2013)";
* in English, a statement that something has been shown, proposed or used, that others have done
  something, or what recent work is about. Sentences about the draft itself (we, our, this section,
  Table 2) do not count.

In 1,180 ACL papers, 76 % of the sentences with the second cue have a citation there, of all
sentences 24 % (``benchmarks/missing_citations.py``). Abstracts, acknowledgements and headings are
skipped, as they rarely have citations.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache, partial
from itertools import pairwise
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import regex

from ..cancellation import check
from ..model.contexts import CitationContext
from ..model.drafts import CITATION_MARK, CitationKey, Draft, DraftFile, is_gap
from ..model.papers import BibEntry, Candidate
from ..model.results import Strength, SupportingSentence
from ..model.spans import TextSpan
from ..parsing.markups import markup_of
from ..text.characters import folded
from ..text.markers import cited_works
from ..text.sentences import sentence_spans
from ..text.tokens import terms, words
from .citations import Finding
from .numbers import OF_THE_DRAFT, AttributedNumber, attributed_numbers
from .verdicts import MIN_TERMS, Reason, Verdict, VerdictKind

if TYPE_CHECKING:
    from ..recommend import Recommender

#: What the paper with a key has for a place, as far as that was judged: how strongly it supports
#: the text there, and what it has of the numbers in it.
_Judged = tuple[Strength | None, tuple[AttributedNumber, ...]]
_JUDGED: WeakKeyDictionary[Recommender, dict[tuple[str, str, str, bool, str], _Judged]] = (
    WeakKeyDictionary()
)

_ADVERB = r"(?:\w+ly\s+|also\s+|often\s+|since\s+|long\s+)?"
_DONE = (
    r"(?:shown|argued|reported|suggested|proposed|introduced|investigated|studied|explored"
    r"|addressed|examined|applied|used|adopted|employed)"
)
_EARLIER = r"(?:previous|prior|earlier|recent|related|existing)"
#: Before "have been": what should, or might, be so was not done by others.
_MODAL = r"(?:should|could|would|might|must|may|can|cannot|shall|will|to)"
#: Nor what has not been done, or is done once something has been: "until all words have been used".
_CONDITION = r"(?:until|unless|once|if|when|whenever|whether|after|no|none|neither)"
_BEEN = rf"(?:has|have)\s+{_ADVERB}been\s+{_ADVERB}"
_CLAIM = regex.compile(
    rf"(?<!\b{_MODAL}\s+(?:not\s+|\w+ly\s+)?)(?<!\b{_CONDITION}\b[^,;:()]{{0,60}})"
    # "It has been found", "the tool has been developed" and "a tool that has been used" as often
    # refer to the author's own work.
    rf"(?<!\b(?:that|which|who)\s+)\b(?:{_BEEN}{_DONE}|(?<!^The\b[^;]{{0,200}})have\s+{_ADVERB}been"
    r"\s+developed)\b(?!,?\s+denoted\b)"
    r"|\bit\s+has\s+(?:since|long|often)\s+been\s+(?:demonstrated|observed|found)\b"
    r"|(?<!\bno\s+)\b(?:researchers|authors|scholars|groups|studies|works|papers|approaches|methods"
    rf"|{_EARLIER}\s+(?:\w+\s+)?(?:research|work|literature))\s+(?:has|have)\s+{_ADVERB}"
    r"(?!been|to\b|not\b|(?:in|de)creased)\w+(?:ed|wn|nd|en)\b"
    r"|\brecent\s+(?:\w+\s+)?(?:works?|stud(?:ies|y)|research|approaches|methods|papers"
    r"|literature|efforts|advances)\b"
    r"|\b(?:has|have)\s+recently\b|\brecently\s+(?:proposed|introduced|shown|been)\b",
    regex.IGNORECASE,
)
#: Requires something between names, or before the year, unlike "Team Selection Test 2016".
_BEFORE_NAME = r"(?:(?:e\.g\.|see|cf\.|van|von|de[rnls]?|d[aiou]s?|la|le|ten?),?\s+){0,3}\p{Lu}"
_OF_AUTHORS = regex.compile(
    rf"{_BEFORE_NAME}[\p{{L}}\p{{M}}'’.\- ]+?(?:,|\s+(?:and|und|y|et|e)\s|\s*&)\s*"
    rf"(?:{_BEFORE_NAME}|\d)"
)
#: Behind a year: years of a range, "(UK, 2002-2005)", and what was said to the author, which no
#: bibliography lists.
_NO_WORK = regex.compile(
    r"\s*[-\N{EN DASH}]\s*\d|(?<=[-\N{EN DASH}])\d"
    r"|,?\s*(?:pers(?:onal|\.)\s+(?:comm|interview|corresp)|interview\b|in\s+conversation"
    r"|pers(?:ö|oe)nliche\s+(?:mitteilung|kommunikation)|communication\s+(?:personnelle|orale)"
    r"|comunica\w+\s+(?:pessoal|personal|personale|verbal)|informa\w+\s+(?:verbal|oral))",
    regex.IGNORECASE,
)
_OTHERS = regex.compile(r"(\p{Lu}[\p{L}\p{M}'’\-]+),?\s+et\s+al\b\.?+(?!,?\s+unpublished)")
_BLANK_LINE = regex.compile(r"\n[^\S\n]*\n")
_ABSTRACT = re.compile(r"\\begin\s*\{abstract\}.*?(?:\\end\s*\{abstract\}|\Z)", re.DOTALL)
#: In the metadata of Markdown, with all that is before it there.
_ABSTRACT_IN_METADATA = re.compile(
    r"\A---\s*\n(?:(?!---|\.\.\.).*\n)*?abstract:.*\n(?:(?:[ \t].*)?\r?\n)*"
)
#: The names of what rarely has citations; an abstract may be called a summary.
_UNCITED = (
    r"(?:abstract|(?:executive[\s_-]*)?summary|acknowledge?ments?|zusammenfassung|kurzfassung|danksagung"
    r"|r[eé]sum[eé]|remerciements|resumen|agradecimientos?|resumo|agradecimentos?|sommario"
    r"|ringraziamenti|samenvatting|dankwoord)"
)
_WITHOUT_CITATIONS = re.compile(
    rf"(?:\\\w+)?[^\w\n]*{_UNCITED}[ \t]*(?=[\r\n{{}}]|\Z)", re.IGNORECASE
)
_FILE_WITHOUT_CITATIONS = re.compile(rf"[\W\d_]*(?:{_UNCITED}|abstract[\W_].*)", re.IGNORECASE)


def citations_in(
    draft: Draft, file: DraftFile, find: Callable[[str], BibEntry | None], recommender: Recommender
) -> Iterator[tuple[CitationKey, CitationContext, Candidate | None]]:
    """Yield the keys that a file cites, with the work that each means; `find` finds entries."""
    for citation in file.citations:
        check()
        if citation.listed_only:
            continue
        context = recommender.context(draft, file, citation.span.start)
        for keys in citation.key_lists:
            for key in keys.keys:
                entry = find(key.key)
                # After an unclosed brace, a name without an entry may not be a key at all.
                if not is_gap(key.key) and (entry is not None or keys.closed):
                    yield key, context, recommender.candidates.get(entry.key) if entry else None


def verdict_on(
    recommender: Recommender,
    context: CitationContext,
    candidate: Candidate | None,
    supporting: Sequence[SupportingSentence] | None = None,
    *,
    lacks_text: Callable[[BibEntry], bool] = lambda _entry: False,
    complete: bool = True,
) -> Verdict:
    """Return the verdict on a citation, whose `supporting` sentences are found unless given.

    `lacks_text` returns whether a file of an entry gives no text. What was judged is cached.
    """
    if candidate is None:
        return Verdict("not checked", reason="undefined key")
    known = _JUDGED.setdefault(recommender, {})
    asked = _asked(context, candidate)
    if supporting is not None or asked not in known:
        if supporting is None:
            supporting = recommender.supporting(context, candidate.key)
        best = max(supporting, key=lambda one: one.probability or 0.0, default=None)
        numbers = attributed_numbers(context, candidate, supporting)
        known[asked] = None if best is None else best.strength, numbers
    strength, numbers = known[asked]
    sentences = len(candidate.paper.sentences)
    if strength is not None:
        return Verdict("supported", strength, sentences, None, numbers)
    reason = why_unchecked(
        recommender, context, candidate, lacks_text=lacks_text, complete=complete
    )
    kind: VerdictKind = "nothing found" if reason is None else "not checked"
    return Verdict(kind, None, sentences, reason, numbers)


def why_unchecked(
    recommender: Recommender,
    context: CitationContext,
    candidate: Candidate,
    *,
    lacks_text: Callable[[BibEntry], bool] = lambda _entry: False,
    complete: bool = True,
) -> Reason | None:
    """Return why it means nothing if no sentence supports a citation; None if it is evidence."""
    paper, entry = candidate.paper, candidate.entry
    is_read = paper.basis == "full text" and bool(paper.sentences)
    if not is_read:
        if not complete:
            return "being read"
        if paper.basis == "full text" or (entry is not None and lacks_text(entry)):
            return "no text"
        if paper.basis == "title":
            return "title only"
    elif len(terms(words(context.citance))) < MIN_TERMS:
        return "too short"
    if recommender.languages(candidate.key) is not None:
        return "other language"
    return None if is_read else "abstract only"


def is_judged(recommender: Recommender, context: CitationContext, candidate: Candidate) -> bool:
    """Return whether `verdict_on` has the verdict cached."""
    return _asked(context, candidate) in _JUDGED.get(recommender, {})


def _asked(context: CitationContext, candidate: Candidate) -> tuple[str, str, str, bool, str]:
    return context.citance, context.asked, context.clause, context.is_alone, candidate.key


def weak_support(key: CitationKey, candidate: Candidate, found: Verdict) -> Finding:
    """Return the finding for a key of a citation whose work lacks support, or a number."""
    name = name_of(candidate)
    message = "" if found.kind == "supported" else found.sentence(name)
    lacking = found.about_missing("" if message else name)
    message = " ".join(filter(None, (message, lacking)))
    return Finding("weak-support", key.span, message, key.span, key.key)


def name_of(candidate: Candidate) -> str:
    """Return what messages call a work: its authors and year, or its key without authors."""
    entry = candidate.entry
    return entry.author_year if entry is not None and entry.surnames else candidate.key


def missing_citations(
    file: DraftFile, find: Callable[[str], BibEntry | None] = lambda _key: None
) -> Iterator[Finding]:
    """Find the sentences of a file that probably need a citation and have none nearby.

    `find` finds entries: an author whose work the file has cited may be named again without it.
    """
    prose = file.prose
    spans = sentence_spans(prose.text)
    syntax = markup_of(file.path).syntax
    skipped = [*_without_citations(file)]
    first_cited = cache(partial(_first_cited, file, find))
    introduced: set[str] = set()

    def source_span(start: int, end: int) -> TextSpan:
        first, last = prose.source_offset(start), prose.source_offset(end - 1)
        return TextSpan(first, max(first, last) + 1)

    for (start, end), cited in zip(spans, _cited_nearby(prose.text, spans), strict=True):
        if cited:
            introduced.update(folded(each[1]) for each in _OTHERS.finditer(prose.text, start, end))
            continue
        if (cue := cue_in(prose.text[start:end])) is None:
            continue
        (first, last), message = cue
        scope = source_span(start, end)
        span = source_span(start + first, start + last)
        if named := _OTHERS.fullmatch(prose.text, start + first, start + last):
            name = folded(named[1])
            if name in introduced or first_cited().get(name, span.start) < span.start:
                continue
        is_skipped = any(each.covers(scope.start) for each in skipped)
        if not is_skipped and syntax.can_cite_at(file.text, span.start):
            yield Finding("missing-citation", span, message, scope)


def _first_cited(file: DraftFile, find: Callable[[str], BibEntry | None]) -> dict[str, int]:
    """Return where a file first cites a work of each first author, by surname."""
    found: dict[str, int] = {}
    for citation in file.citations:
        for entry in () if citation.listed_only else (find(each.key) for each in citation.keys):
            if entry is not None and entry.surnames:
                found.setdefault(folded(entry.surnames[0].split()[-1]), citation.span.start)
    return found


def _without_citations(file: DraftFile) -> Iterator[TextSpan]:
    """Yield the parts of a file that rarely have citations: abstracts and acknowledgements."""
    if not file.citations and _FILE_WITHOUT_CITATIONS.fullmatch(file.path.stem):
        yield TextSpan(0, len(file.text))
    for pattern in (_ABSTRACT, _ABSTRACT_IN_METADATA):
        yield from (TextSpan(*found.span()) for found in pattern.finditer(file.text))
    headings = (by + each.offset for by, region in file.placed for each in region.headings)
    for start, end in pairwise([*headings, len(file.text)]):
        if _WITHOUT_CITATIONS.match(file.text, start):
            yield TextSpan(start, end)


@lru_cache(maxsize=1 << 14)
def cue_in(sentence: str) -> tuple[tuple[int, int], str] | None:
    """Return the span in a sentence that calls for a citation, and the message for it."""
    for work in cited_works(sentence):
        written = " ".join(sentence[work.start : work.end].strip(" \t\n,;.").split())
        if not {"(", "["} & {*written[1:]}:
            written = written.strip("()[]")
        if not work.year or _NO_WORK.match(sentence, work.end):
            continue
        if work.others or _OF_AUTHORS.match(written):
            message = f"“{written}” is written out, without a citation command."
            return (work.start, work.end), message
    if others := _OTHERS.search(sentence):
        return others.span(), "This refers to a work without citing it."
    claim = _CLAIM.search(sentence)
    if claim and not OF_THE_DRAFT.search(sentence):
        return claim.span(), "This is about others’ work but cites nothing."
    return None


def _cited_nearby(text: str, spans: list[tuple[int, int]]) -> Iterator[bool]:
    """Yield for each sentence whether it or a neighbour in its paragraph cites anything."""
    cites = [CITATION_MARK in text[start:end] for start, end in spans]
    joined = [_BLANK_LINE.search(text, one[1], other[0]) is None for one, other in pairwise(spans)]
    for index, own in enumerate(cites):
        before = index > 0 and joined[index - 1] and cites[index - 1]
        behind = index < len(joined) and joined[index] and cites[index + 1]
        yield own or before or behind

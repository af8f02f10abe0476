"""Join the lines of a paper, and undo hyphenation by the words that it uses elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import TypeAlias

import regex

#: Joins a line to the text before it.
Join: TypeAlias = Callable[[str, str], str]

#: Characters at the end of a text that matter for joining a line to it.
TAIL = 40
_HYPHENS = ("-", "‐", "\u00ad")
_PART = regex.compile(r"\p{L}[\p{L}\p{M}]*(?:-\p{L}[\p{L}\p{M}]*)*")
_BEFORE_HYPHEN = regex.compile(r"([\p{L}\p{M}\p{N}]+)[-‐]\Z")
_LAST_COMPOUND = regex.compile(r"[\p{L}\p{M}]+(?:-[\p{L}\p{M}]+)*(?=[-‐]\Z)")

#: "pre- and post-", "two- or three-"
_SUSPENDED = regex.compile(r"\p{L}[-‐][ ](?:and|or|to|and/or|et|ou|y|o|e)[ ][\p{L}\p{M}]+[-‐]\Z")
#: Words between those of a compound: "state-of-the-art", "one-to-one".
_LINKS = frozenset(
    "a al and as at auf by d de des du em en et for fro from im in into la le no of off on or"
    " out per than the to und up versus vs with zu à".split()
)
#: First words of compounds; what follows the hyphen is none of their endings.
_FIRST = frozenset(
    "self well quasi cross half ill high higher low lower long short large small full real fine"
    " coarse hard deep open single double first second third last one two three four five six"
    " seven eight nine twenty thirty forty fifty sixty seventy eighty ninety mid state peer follow"
    " decision".split()
)
_ENDING = regex.compile(
    r"(?:e[rdn]|ened|ening|est|ly|ing|ness|st|age|dom|ware|ways?|lands?|light\w*|cuts?|comings?|man"
    r"|ships?|tons?|y|ish|less|teen\w*|ty|ties|able|ably"
    r"|hood|being|self|over|fold|men\w*|it\w*|i[sz]\w*|s|ment\w*|ary|arily|nd\w*|ally|al)"
)
#: Last words of compounds, unless a prefix is before them.
_LAST = frozenset(
    "art associated aware based called class control controlled dependent dimensional driven"
    " effective free friendly grained independent induced known learning level like making mediated"
    " order oriented quality ray related reviewed scale sensitive shot specific supervised term"
    " time trained type world year".split()
)
_PREFIXES = frozenset(
    "anti auto bi bio co cor de dis down en er ex further geo here hyper il im in inter intra ir"
    " life macro meta micro mini mis mono more multi neo neuro never non out over para per photo"
    " poly post pre pro re some sub super sur there thermo trans tri ultra un under uni up"
    " where".split()
)
#: A dash or slash between words, or in an address, that is no hyphen; and one behind a sign:
#: "(S)-enantiomer", "10%-20%".
_CLOSED = regex.compile(r"(?:\A|\s)\(?[^\s/(]\S*[–—/]\Z|[^\s\p{Pd}][-‐]\Z")
#: An address of a page, a file or a person: its hyphens are no divisions.
_ADDRESS = regex.compile(r"://|www\.|@|[./_].*[./_]")
#: Before these a hyphen at the end of a line is suspended: "one- and two-way".
_CONJUNCTIONS = frozenset("and or to und oder bis bzw et ou".split())


class LineJoiner:
    """Joins lines by the words that a paper uses."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._vocabulary = _vocabulary(lines)

    def join(self, before: str, after: str) -> str:
        """Join two lines with a space, or undo a hyphenation between them.

        A hyphen is kept if the paper has the hyphenated compound elsewhere, before a capital or
        digit, and in what is a compound by its form or by its words.
        """
        if not before:
            return after
        if before.endswith("\u00ad"):
            return before[:-1] + after
        tail = max(0, len(before) - TAIL)
        hyphen = _BEFORE_HYPHEN.search(before, tail)
        first = _PART.match(after)
        word = hyphen[1] + first[0] if hyphen and first else ""
        is_conjunction = first and first[0] in _CONJUNCTIONS and before[-1] in _HYPHENS
        if is_conjunction and not self._vocabulary[word]:
            return f"{before} {after}"
        if hyphen is None:
            return before + after if _CLOSED.search(before, tail) else f"{before} {after}"
        if word.isupper() and self._vocabulary[word.casefold()]:
            return before[:-1] + after
        if first is None or not first[0][0].islower() or not hyphen[1].isalpha():
            return before + after
        is_address = _ADDRESS.search(before[tail:].split()[-1]) or "@" in after.split()[0]
        if hyphen[1][-2:].isupper() or is_address:
            return before + after
        return before + after if self._keeps(before[tail:], after) else before[:-1] + after

    def _keeps(self, before: str, after: str) -> bool:
        """Return whether the hyphen between two lines is more than a division of a word."""
        count = self._vocabulary
        whole_before, whole_after = _LAST_COMPOUND.search(before), _PART.match(after)
        left = whole_before[0].casefold() if whole_before else ""
        right = whole_after[0].casefold() if whole_after else ""
        joined, compound = count[left + right], count[f"{left}-{right}"]
        if joined != compound:
            return compound > joined
        inner, outer = left.rpartition("-")[2], right.partition("-")[0]
        # A single letter is never divided from its word.
        if len(inner) == 1 or _SUSPENDED.search(before):
            return True
        if left != inner or right != outer:
            is_linked = inner in _LINKS if left != inner else outer in _LINKS
            if is_linked or (count[inner] and count[outer]):
                return True
        if (inner in _FIRST and not _ENDING.fullmatch(outer)) or (
            outer in _LAST and inner not in _PREFIXES and (len(inner) > 2 or inner == "so")
        ):
            return True
        # "anti-inflammatory", "pre-existing", "meta-analysis"
        if inner in _PREFIXES and inner[-1] == outer[0] and inner[-1] in "aei":
            return True
        are_words = min(count[inner], count[outer]) > 1 and min(len(inner), len(outer)) > 3
        return are_words and inner not in _PREFIXES and not _ENDING.fullmatch(outer)


def join_pieces(lines: Iterable[str], join: Join) -> list[str]:
    """Return the lines of a text as pieces that make up the joined text."""
    pieces: list[str] = []
    for line in lines:
        if pieces:
            # Only the last word decides.
            rest, last = pieces[-1][:-TAIL], pieces[-1][-TAIL:]
            pieces[-1] = rest + join(last, line).removesuffix(line)
        pieces.append(line)
    return pieces


def join_lines(lines: Iterable[str], join: Join | None = None) -> str:
    """Join the lines of a text; without `join`, only the form of words tells hyphens apart."""
    stripped = filter(None, map(str.strip, lines))
    return "".join(join_pieces(stripped, join or LineJoiner(()).join))


def _vocabulary(lines: Iterable[str]) -> Counter[str]:
    """Count words, compounds and the words of compounds that are not cut by a line end."""
    counted: Counter[str] = Counter()
    cut = False
    for line in lines:
        found = _PART.findall(line.casefold())
        first = 1 if cut else 0
        cut = line.endswith(_HYPHENS)
        kept = found[first : len(found) - 1 if cut else None]
        counted.update(kept)
        for compound in kept:
            if "-" in compound:
                counted.update(compound.split("-"))
    return counted

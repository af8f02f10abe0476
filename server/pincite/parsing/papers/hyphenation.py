"""Join the lines of a paper, and undo hyphenation by the words that it uses elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import TypeAlias

import regex

#: Joins a line to the text before it.
Join: TypeAlias = Callable[[str, str], str]

#: Characters at the end of a text that matter for joining a line to it.
_TAIL = 40
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
#: A dash or slash between words, or in an address; a hyphen behind a sign: "(S)-enantiomer".
_CLOSED = regex.compile(r"(?:\A|\s)\(?[^\s/(]\S*[–—/]\Z|[^\s\p{Pd}][-‐]\Z")
#: An address of a page, a file or a person: its hyphens do not divide words.
_ADDRESS = regex.compile(r"://|www\.|@|[./_].*[./_]")
#: Before these a hyphen at the end of a line is suspended: "one- and two-way".
_CONJUNCTIONS = frozenset("and or to und oder bis bzw et ou".split())


class LineJoiner:
    """Joins lines by the words and compounds of a paper that no line end cuts."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._count: Counter[str] = Counter()
        cut = False
        for line in lines:
            found = _PART.findall(line.casefold())[cut:]
            cut = line.endswith(_HYPHENS)
            for word in found[:-1] if cut else found:
                self._count.update([word, *(word.split("-") if "-" in word else ())])

    def join(self, before: str, after: str) -> str:
        """Join two lines with a space, or undo a hyphenation between them.

        A hyphen stays before a capital or digit, and in what is a compound by its form or words.
        """
        if not before:
            return after
        if before.endswith("\u00ad"):
            return before[:-1] + after
        tail = before[-_TAIL:]
        hyphen, first = _BEFORE_HYPHEN.search(tail), _PART.match(after)
        word = hyphen[1] + first[0] if hyphen and first else ""
        is_suspended = first and first[0] in _CONJUNCTIONS and before[-1] in _HYPHENS
        if is_suspended and not self._count[word]:
            return f"{before} {after}"
        if hyphen is None:
            return before + after if _CLOSED.search(tail) else f"{before} {after}"
        if word.isupper() and self._count[word.casefold()]:
            return before[:-1] + after
        stays = (
            first is None
            or not first[0][0].islower()
            or not hyphen[1].isalpha()
            or hyphen[1][-2:].isupper()
            or _ADDRESS.search(tail.split()[-1])
            or "@" in after.split()[0]
            or self._is_compound(tail, first[0].casefold())
        )
        return before + after if stays else before[:-1] + after

    def _is_compound(self, before: str, right: str) -> bool:
        """Return whether the hyphen between two lines is more than a division of a word."""
        count = self._count
        whole = _LAST_COMPOUND.search(before)
        left = whole[0].casefold() if whole else ""
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
        is_prefix, is_ending = inner in _PREFIXES, _ENDING.fullmatch(outer)
        are_words = min(count[inner], count[outer]) > 1 and min(len(inner), len(outer)) > 3
        return (
            (inner in _FIRST and not is_ending)
            or (outer in _LAST and not is_prefix and (len(inner) > 2 or inner == "so"))
            # "anti-inflammatory", "pre-existing", "meta-analysis"
            or (is_prefix and inner[-1] == outer[0] and inner[-1] in "aei")
            or (are_words and not is_prefix and not is_ending)
        )


def join_pieces(lines: Iterable[str], join: Join) -> list[str]:
    """Return the lines of a text as pieces that make up the joined text."""
    pieces: list[str] = []
    for line in lines:
        if pieces:
            pieces[-1] = join(pieces[-1], line).removesuffix(line)
        pieces.append(line)
    return pieces


def join_lines(lines: Iterable[str], join: Join | None = None) -> str:
    """Join the lines of a text; without `join`, only the form of words distinguishes hyphens."""
    stripped = filter(None, map(str.strip, lines))
    return "".join(join_pieces(stripped, join or LineJoiner(()).join))

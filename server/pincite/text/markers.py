"""Citation markers in running text.

Ricci et al. (2022), section 3.1: markers carry no meaning of their own, yet their rare names and
years would weigh most in a match, so they are taken out before words are compared. Offsets stay
as they are: a marker is blanked, not cut.

Every repetition below has an upper bound, so the time is linear in the length of the text.
"""

from __future__ import annotations

import regex

_SPACE = r"\s{0,4}+"
_SPACES = r"\s{1,4}+"
_PARTICLE = (
    rf"(?i:van|von|vander|vande|de|del|della|der|den|des|di|da|do|dos|du|el|al|bin|ibn|ben"
    rf"|la|le|los|ter|ten|te|zu|zur|st\.|mc|mac){_SPACES}"
)
_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
)
#: Words that open a sentence before a name: "However, Smith and Jones (2001) …".
_OPENER = (
    r"(?:Also|And|Additionally|Although|As|At|Because|Both|But|By|Consequently|Currently"
    r"|Earlier|Finally|First|Following|For|From|Furthermore|Hence|Here|However|In|Indeed"
    r"|Inspired|Instead|Last|Lastly|Later|Like|Meanwhile|More|Moreover|Most|Next|On|Or|Our"
    r"|Previously|Recently|Second|See|Similarly|Since|Specifically|Subsequently|The|Then"
    r"|Therefore|Third|Thus|To|Unlike|Using|We|When|Whereas|While|With)"
)
_NAME = (
    rf"(?:\p{{Lu}}\.{_SPACE}){{0,4}}(?:{_PARTICLE}){{0,3}}"
    rf"(?!(?:{_MONTH}|{_OPENER})(?![\p{{L}}\p{{M}}'’\-]))"
    r"(?:[dDO]['’])?\p{Lu}[\p{L}\p{M}'’\-]{1,40}+"
)
_AND = r"(?:and|und|y|&)"
_JOINT = rf"(?:{_SPACE},{_SPACE}(?:{_AND}{_SPACE})?|{_SPACES}{_AND}{_SPACES}|{_SPACE}&{_SPACE})"
_OTHERS = (
    rf"{_SPACE},?{_SPACE}(?:et{_SPACE}\.?{_SPACE}al(?!\p{{L}})\.?"
    rf"|and{_SPACES}(?:others|colleagues))"
)
_START = r"(?<![\p{L}\p{M}\p{N}'’])"
_END = r"(?![\p{L}\p{M}\p{N}])"
_YEAR = (
    rf"(?:(?:1[89]|20)\d\d(?:{_SPACE}[a-z](?![\p{{L}}\p{{N}}])"
    rf"(?:{_SPACE}[,/&]{_SPACE}[a-z](?!\p{{L}})){{0,8}})?{_END}"
    r"|(?i:in\s+press|to\s+appear|forthcoming|submitted|in\s+prep(?:aration|\.)?|this\s+volume))"
)
_YEARS = rf"{_YEAR}(?:{_SPACE}[,;/\-–]{_SPACE}(?:{_AND}{_SPACE})?{_YEAR}){{0,8}}"
_SHORT_YEAR = rf"['’]?[6-9]\d[a-z]?{_END}"
_PAGES = (
    rf"(?:{_SPACE}[,:;]{_SPACE}(?i:pp?\.?|pages?|ch\.?|chapters?|chap\.|sec\.|sections?|§)?"
    rf"{_SPACE}[\dIVXivx]{{1,8}}(?:{_SPACE}[\-–]{_SPACE}\d{{1,6}})?)?"
)

#: "Smith and Jones, 2001" between brackets; names there may run on without a comma.
_CITED_IN_BRACKETS = regex.compile(
    rf"{_START}{_NAME}(?:"
    rf"(?:(?:{_JOINT}|{_SPACES}){_NAME}){{0,11}}(?:{_OTHERS})?{_SPACE}[,:.]?{_SPACE}{_YEARS}"
    rf"|(?:{_JOINT}{_NAME}){{0,5}}(?:{_OTHERS}|{_JOINT}{_NAME}){_SPACE},?{_SPACE}{_SHORT_YEAR})"
)
_BRACKETS = regex.compile(r"[(\[]([^()\[\]]{2,400}+)[)\]]")
_BARE_YEARS = regex.compile(rf"{_SPACE}{_YEARS}{_PAGES}{_SPACE}")
#: "Smith et al. (2001)", "Smith and Jones's (2001, p. 5)", "Smith [2001]".
_NARRATIVE = regex.compile(
    rf"{_START}{_NAME}(?:{_JOINT}{_NAME}){{0,11}}(?:{_OTHERS})?(?:['’]s?)?{_SPACE}"
    rf"(?:\({_SPACE}{_YEARS}{_PAGES}{_SPACE}\)|\[{_SPACE}{_YEARS}{_PAGES}{_SPACE}\])"
)
#: "Smith et al., 2001" without brackets: only "et al." makes a name certain there.
_WITHOUT_BRACKETS = regex.compile(rf"{_START}{_NAME}{_OTHERS}{_SPACE},?{_SPACE}{_YEAR}")
_NUMBERS = regex.compile(
    # A lone letter before the bracket makes it an index, "a[1]"; a zero makes it an interval.
    r"(?<!(?<![\p{L}\p{N}])[\p{L}\p{N}])"
    rf"\[{_SPACE}[1-9]\d{{0,2}}(?:{_SPACE}[,;\-–]{_SPACE}[1-9]\d{{0,2}}){{0,40}}{_PAGES}{_SPACE}\]"
)
_KEY = r"\p{Lu}[\p{L}+]{1,16}\d{2}(?:\d{2})?[a-z]?"
_KEYS = regex.compile(rf"\[{_SPACE}{_KEY}(?:{_SPACE}[,;]{_SPACE}{_KEY}){{0,20}}{_SPACE}\]")

#: Words that may stand beside the citations of a bracket without being content.
_SIGNAL = regex.compile(
    r"also|al|alia|among|an|and|appendix|as|by|cf|ch|chap|chapter|compare|details|eg|especially"
    r"|et|etc|example|fig|figure|for|further|ie|in|instance|inter|more|notably|note|of|or|others?"
    r"|overview|pages?|particularly|pp|references|review|sec|section|see|survey|table|the|therein"
    r"|vol|volume|[ivxlc]{1,8}|\p{L}",
    regex.IGNORECASE,
)
_WORD = regex.compile(r"[\p{L}\p{M}]+")


def marker_spans(text: str) -> list[tuple[int, int]]:
    """Return the half-open spans of the citation markers in `text`, in order and apart.

    Author-year markers, ``(see Smith, 2001, p. 5; Och et al., 2003a)`` or
    ``Smith et al. (2001)`` with the names; numbers, ``[3, 7-9]``; keys, ``[Smith01]``. A bracket
    that also says something keeps its other words.
    """
    spans = [match.span() for match in _NARRATIVE.finditer(text)]
    spans += [match.span() for match in _WITHOUT_BRACKETS.finditer(text)]
    spans += [match.span() for match in _NUMBERS.finditer(text)]
    spans += [match.span() for match in _KEYS.finditer(text)]
    for match in _BRACKETS.finditer(text):
        spans += _in_brackets(match.group(1), match.start(1))
    return _apart(spans)


def without_markers(text: str) -> str:
    """Return `text` with every citation marker blanked by spaces, so that offsets stay."""
    parts: list[str] = []
    position = 0
    for start, end in marker_spans(text):
        parts += (text[position:start], " " * (end - start))
        position = end
    parts.append(text[position:])
    return "".join(parts)


def _in_brackets(inside: str, offset: int) -> list[tuple[int, int]]:
    """Return the markers in the text between two brackets that starts at `offset`."""
    whole = [(offset - 1, offset + len(inside) + 1)]
    if _BARE_YEARS.fullmatch(inside):
        return whole
    cited = [match.span() for match in _CITED_IN_BRACKETS.finditer(inside)]
    if not cited:
        return []
    rest, position = "", 0
    for start, end in cited:
        rest += inside[position:start] + " "
        position = end
    rest += inside[position:]
    if all(_SIGNAL.fullmatch(word) for word in _WORD.findall(rest)):
        return whole
    return [(offset + start, offset + end) for start, end in cited]


def _apart(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Sort spans and merge those that overlap."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged

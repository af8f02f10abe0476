"""Parse the names at the beginning of a reference, in any usual order and punctuation.

"A. Byron and C. Babbage", "Byron, A., and Babbage, C.", "Byron A, Babbage C", "Byron, Ada, and
Charles Babbage": names are parsed one by one, as far as they go. Every repetition in an expression
has an upper bound, and each expression is tried at one place only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import regex

YEAR = r"(?:1[5-9]|20)\d\d[a-z]?(?![\p{L}\p{N}])"
UNDATED = (
    r"(?i:in\s+press|to\s+appear|forthcoming|submitted|accepted|under\s+review"
    r"|in\s+prep(?:aration|\.)?|n\.\s?d\.?)"
)
QUOTES = '“"„«'
#: The year after the names, as in "(2001, June)." or ". 2001a."; `sign` is what follows it.
EARLY_YEAR = regex.compile(
    rf"[\s,.:;]{{0,4}}(?:[(\[]\s?(?P<round>{YEAR}|{UNDATED})[^()\[\]]{{0,25}}[)\]]"
    rf"|(?P<bare>{YEAR}|{UNDATED}))\s{{0,2}}(?P<sign>[.,:;]|\Z|(?=[{QUOTES}‘\p{{L}}]))"
)

_MAX_NAMES = 300
_MAX_TOKENS = 9
_AND = r"(?:and|und|et(?!\s*\.?\s*al\b)|y|e|i|&|AND|UND)"
#: Particles that may be capitalised, and are then part of the surname; and all of them.
_CAPITAL_PARTICLES = frozenset(
    "Van Von De Der Den Del Della Dei Dal Dalla Di Da Das Do Dos Du La Le Los El Al Ter Ten San"
    " Santa".split()
)
_PARTICLES = frozenset(map(str.lower, _CAPITAL_PARTICLES)).union(
    "te tot zu zum zur bin ibn ben y e af av im vom vander vande dela st. St. 't ’t v.".split()
)
#: An initial of two letters; "Ng." and "Yu." are surnames far more often.
_INITIAL = (
    r"(?:\p{Lu}\p{M}*|(?:Ch|Ll|Th|Ph|Zh|Sh|Kh|Ts|Fr|Wm|Gy|Sz|Cs)|(?:Yu|Ya)(?=\.\s?\p{Lu}\.))\."
)
_HYPHEN = "[-‐‑–]"
_SUFFIX = r"(?:(?:Jr|Sr|JR|SR)\b\.?|I{2,3}\b|IV\b)"
_TOKEN = regex.compile(
    rf"""
    (?P<suffix>{_SUFFIX})
    | (?P<initials>(?:{_INITIAL}[ ]?{_HYPHEN}?){{1,6}}(?:\p{{Lu}}(?![\p{{L}}\p{{M}}.'’]))?
        | (?!Ó[ ])\p{{Lu}}(?:{_HYPHEN}?\p{{Lu}}){{0,2}}(?![\p{{L}}\p{{M}}\p{{N}}'’‐‑-]))
    | (?P<particle>(?:[sS]t\.|v\.|['’]t)(?=\s)|\p{{Ll}}{{1,6}}(?=\s))
    | (?P<word>(?:[dDlLO]['’]|Ó[ ]|(?:al|el|bin|ibn|de|d|l)-)?
        [\p{{Lu}}\p{{Lt}}\p{{Lo}}][\p{{L}}\p{{M}}\p{{N}}'’‐‑-]{{0,40}}
        | (?:de|van|mac)\p{{Lu}}\p{{Ll}}{{1,40}})
    """,
    regex.VERBOSE,
)
_UNSTOPPED_INITIALS = regex.compile(r"\p{Lu}{2,3}")
_INITIALS_FOLLOW = regex.compile(r",?\s\p{Lu}\.")
#: Names in capitals: three letters in a row are a surname there, not initials.
_CAPITALS = regex.compile(r"(?=[^\p{Ll}]{0,30}?\p{Lu}{3})[^\p{Ll}]{12}")
_CAPITAL_WORD = regex.compile(r"\p{Lu}[\p{Lu}\p{M}]+")
_SEPARATOR = regex.compile(
    rf"\.?\s{{0,3}}(?:[,;]\s{{0,3}}(?:(?P<last>{_AND})\s{{1,3}})?"
    rf"|(?<=[\s.])(?P<last>{_AND})\s{{1,3}}|(?P<last>&)\s{{0,3}})"
)
_OTHERS = regex.compile(
    rf"[,;]?\s{{0,3}}(?:(?:{_AND}\s{{1,3}})?(?i:et\s{{0,2}}\.?\s{{0,2}}al(?:ii)?\b\.?)"
    rf"|{_AND}\s{{1,3}}(?:others\b|colleagues\b|the\s\p{{Lu}}[^.,:;]{{2,60}})"
    r"|etc\b\.?|u\.\s?a\.|…|\.\s?\.\s?\.)"
)
_ENDS_NAMES = regex.compile(rf"\.?\s{{0,3}}(?:\Z|[.:(\[{QUOTES}‘`]|,?\s{{0,3}}{YEAR})")
_MORE_NAMES = regex.compile(rf"[^.:({QUOTES}]{{0,120}}?(?:\s{_AND}\s|[\s(]{YEAR})")
_BODY = regex.compile(
    r"\b(?:Consortium|Committee|Organi[sz]ation|Institute|University|Group|Team|Inc|Association"
    r"|Department|Bureau|Office|Ministry|Commission|Council|Society|Foundation|Agency|Union"
    r"|Collaboration|Corporation|Initiative|Network|Project)\b"
)


class Authors(NamedTuple):
    """Surnames in order, the offset after the names, and whether a comma follows them."""

    surnames: list[str]
    end: int
    by_comma: bool


class _Name(NamedTuple):
    """A surname, how the name is written, and the offset after it.

    Forms are "initials" (A. Byron), "initials behind" (Byron A), "inverted initials" (Byron, A.),
    "inverted given" (Byron, Ada) and "direct" (Ada Byron).
    """

    surname: str
    form: str
    end: int


class _Run(NamedTuple):
    """Name tokens between spaces; `kinds` are i(nitials), p(articles), w(ords) and s(uffixes)."""

    kinds: str
    words: list[str]
    ends: list[int]

    def part(self, start: int, end: int | None = None) -> _Run:
        return _Run(self.kinds[start:end], self.words[start:end], self.ends[start:end])

    @property
    def end(self) -> int:
        return self.ends[-1]

    def initials_end(self, index: int) -> int:
        """Return the offset after initials and the suffix that may follow them."""
        return self.ends[index + (self.kinds[index + 1 : index + 2] == "s")]

    def surname(self, given: int | None = None) -> str:
        """Return all words, or the last one with the particles before it behind `given` names."""
        words = [word for kind, word in zip(self.kinds, self.words, strict=True) if kind != "s"]
        start = 0
        if given is not None:
            particle = self.kinds.replace("s", "").find("p", given)
            start = particle if 0 <= particle < len(words) - 1 else len(words) - 1
            while start > given and words[start - 1] in _CAPITAL_PARTICLES:
                start -= 1
        return " ".join(words[start:])


def read_authors(text: str) -> Authors:
    """Read the names at the beginning of a text, as far as names go."""
    surnames: list[str] = []
    forms: list[str] = []
    position = end = 0
    is_last = False
    while len(surnames) < _MAX_NAMES and (name := _name(text, position, forms, is_last)):
        surnames.append(name.surname)
        forms.append(name.form)
        end = name.end
        if others := _OTHERS.match(text, end):
            end = others.end()
            break
        separator = _SEPARATOR.match(text, end)
        if separator is None or (is_last and not separator["last"]):
            break
        is_last = bool(separator["last"])
        position = separator.end()
    if any("initials" in form for form in forms) and all(map(str.isupper, surnames)):
        surnames = [_CAPITAL_WORD.sub(lambda word: word[0].capitalize(), name) for name in surnames]
    return Authors(surnames, end, text[end : end + 1] in (",", ";"))


def _tokens(text: str, position: int) -> _Run:
    """Return the run of name tokens at `position`, at most nine of them."""
    kinds = ""
    words: list[str] = []
    ends: list[int] = []
    while len(words) < _MAX_TOKENS and (token := _TOKEN.match(text, position)):
        kind, word = str(token.lastgroup)[0], token[0].strip()
        if kind == "p" and word not in _PARTICLES:
            break
        if kind == "i" and _UNSTOPPED_INITIALS.fullmatch(word):
            # "NG, V. and CARDIE, C."
            is_first = not words and _INITIALS_FOLLOW.match(text, token.end())
            kind = "w" if is_first or _CAPITALS.match(text) else "i"
        kinds += kind
        words.append(word)
        ends.append(token.start() + len(word))
        position = token.end()
        if text[position : position + 1] == " ":
            position += 1
        elif token[0][-1] not in " .-":
            break
    # A name cannot end with a particle.
    return _Run(kinds, words, ends).part(0, len(kinds.rstrip("p")))


def _name(text: str, position: int, forms: Sequence[str], is_last: bool) -> _Name | None:
    run = _tokens(text, position)
    if "w" not in run.kinds:
        return None
    # "A. B. Surname"; a further initial starts another name.
    if before := regex.match(r"i+([^i]+)", run.kinds):
        words = run.part(*before.span(1))
        is_whole = words.kinds[0] == "w" and "p" in words.kinds
        return _Name(words.surname(None if is_whole else 0), "initials", words.end)
    if inverted := _inverted(text, run, forms, is_last):
        return inverted
    # "Tillmann C", and all further names in the same way.
    initials = run.kinds.find("i")
    surname = " ".join(run.words[:initials])
    if initials > 0 and "initials behind" in forms:
        return _Name(surname, "initials behind", run.initials_end(initials))
    if regex.fullmatch(r"[^i]+is*", run.kinds) and _is_over(text, run.end):
        return _Name(surname, "initials behind", run.end)
    return _direct(text, run, forms, is_last)


def _is_over(text: str, end: int) -> bool:
    """Return whether a name ends at an offset."""
    return bool(_SEPARATOR.match(text, end) or _ENDS_NAMES.match(text, end))


def _inverted(text: str, run: _Run, forms: Sequence[str], is_last: bool) -> _Name | None:
    """Read "Surname, A. B." or "Surname, Given B."; None if the name is in another order."""
    if "i" in run.kinds or text[run.end : run.end + 1] != ",":
        return None
    if forms and forms[-1] == "initials" and not (is_last and run.kinds == "w"):
        return None
    given = _tokens(text, run.end + 1 + (text[run.end + 1 : run.end + 2] == " "))
    if not given.words or given.kinds[0] == "s":
        return None
    is_compound = "w" in run.kinds[1:] and run.kinds[0] != "p"
    ends = _is_over(text, given.end)
    initials = len(given.kinds) - len(given.kinds.lstrip("i"))
    if initials:  # even before a title without punctuation between them
        behind = given.kinds[initials:].rstrip("s")
        if behind and is_compound and ends:
            # "Christoph Tillmann, H. Ney, …": the initials are the next author's.
            return None
        # "Baker, L. Douglas, …"
        follows = _SEPARATOR.match(text, given.end) or EARLY_YEAR.match(text, given.end)
        is_name = not behind or (behind == "w" and follows)
        end = given.end if is_name else given.initials_end(initials - 1)
        return _Name(run.surname(), "inverted initials", end)
    starts_with_particle = run.kinds[0] == "p" or run.words[0] in _CAPITAL_PARTICLES
    are_inverted = forms and all(form.startswith("inverted") for form in forms)
    if is_compound and not (starts_with_particle and are_inverted):
        return None
    # "Knuth, Donald E. The Art of …": the names end with the initial.
    if title := regex.match(r"([^i]+i+)s*[^is]", given.kinds):
        given = given.part(0, title.end(1))
    # At most three given names.
    if given.kinds.count("w") > 3 or not (ends or "i" in given.kinds):
        return None
    return _Name(run.surname(), "inverted given", given.end)


def _direct(text: str, run: _Run, forms: Sequence[str], is_last: bool) -> _Name | None:
    """Read "Given B. Surname" or a single name."""
    followed = _SEPARATOR.match(text, run.end)
    is_dated = EARLY_YEAR.match(text, run.end)
    has_others = _OTHERS.match(text, run.end)
    if not (_is_over(text, run.end) or has_others) or len(run.words) > 7:
        # "Ney H. Word reordering in …": the title has begun after the initials.
        if run.kinds.find("i") == 1 and not forms:
            return _Name(run.words[0], "initials behind", run.initials_end(1))
        if is_last and len(run.words) > 1 and text[run.end : run.end + 1] == " ":
            return _Name(run.surname(1), "direct", run.end)
        return None
    if forms and not is_last and all("initials" in form for form in forms):
        # Among names with initials, words between commas are a title, unless more names follow.
        if followed and not _MORE_NAMES.match(text, run.end):
            return None
        if "i" not in run.kinds and not followed and not is_dated:
            return None
    is_single = is_last or is_dated or has_others or (followed and not forms)
    if run.kinds == "w" and not is_single:
        return None
    whole = " ".join(run.words)
    return _Name(whole if _BODY.search(whole) else run.surname(1), "direct", run.end)

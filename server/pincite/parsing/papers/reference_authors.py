"""Parse the names at the beginning of a reference, in any usual order and punctuation.

"A. Byron and C. Babbage", "Byron, A., and Babbage, C.", "Byron A, Babbage C", "Byron, Ada, and
Charles Babbage": names are parsed one by one, as far as they go. Every repetition in an expression
has an upper bound, and each expression is tried at one place only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

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
_PARTICLES = frozenset(
    """
    van von de der den del della di da das do dos du la le los el al ter ten te tot zu zum zur
    bin ibn ben y e af av im vom vander vande dela st. St. 't ’t v.
    """.split()
)
#: Particles that may be capitalised, and are then part of the surname.
_CAPITAL_PARTICLES = frozenset(
    """
    Van Von De Der Den Del Della Dei Dal Dalla Di Da Das Do Dos Du La Le Los El Al Ter Ten San
    Santa
    """.split()
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
_SUFFIX_BEHIND_COMMA = regex.compile(rf"{_SUFFIX},\s")
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

#: How a name is written: "A. Byron", "Byron A", "Byron, A.", "Byron, Ada", "Ada Byron".
_Form: TypeAlias = Literal[
    "initials", "initials behind", "inverted initials", "inverted given", "direct"
]


class Authors(NamedTuple):
    """Surnames in order, the offset after the names, and whether a comma follows them."""

    surnames: list[str]
    end: int
    by_comma: bool


class _Name(NamedTuple):
    """A surname, how the name is written, and the offset after it."""

    surname: str
    form: _Form
    end: int


@dataclass(slots=True)
class _Run:
    """Consecutive name tokens, with only spaces between them."""

    kinds: str  # one letter a token: i(nitials), p(article), w(ord), s(uffix)
    words: list[str]
    ends: list[int]

    def upto(self, count: int) -> _Run:
        """Return the first `count` tokens."""
        return _Run(self.kinds[:count], self.words[:count], self.ends[:count])

    @property
    def end(self) -> int:
        """Offset after the last token."""
        return self.ends[-1]


def read_authors(text: str) -> Authors:
    """Read the names at the beginning of a text, as far as names go."""
    surnames: list[str] = []
    forms: list[_Form] = []
    position = end = 0
    is_last = False
    while len(surnames) < _MAX_NAMES:
        name = _name(text, position, forms, is_last=is_last)
        if name is None:
            break
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
        surnames = [_capitalised(surname) for surname in surnames]
    return Authors(surnames, end, text[end : end + 1] in (",", ";"))


def _tokens(text: str, position: int) -> _Run:
    """Return the run of name tokens at `position`, at most nine of them."""
    run = _Run("", [], [])
    in_capitals = bool(_CAPITALS.match(text))
    while len(run.words) < _MAX_TOKENS and (token := _TOKEN.match(text, position)):
        kind, word = str(token.lastgroup)[0], token[0].strip()
        if kind == "p" and word not in _PARTICLES:
            break
        if _UNSTOPPED_INITIALS.fullmatch(word) and kind == "i":
            # "NG, V. and CARDIE, C."
            is_surname = not run.words and _INITIALS_FOLLOW.match(text, token.end())
            kind = "w" if in_capitals or is_surname else "i"
        run.kinds += kind
        run.words.append(word)
        run.ends.append(token.start() + len(word))
        position = token.end()
        if text[position : position + 1] == " ":
            position += 1
        elif token[0][-1] not in " .-":
            break
    # A name cannot end with a particle.
    return run.upto(len(run.kinds.rstrip("p")))


def _name(text: str, position: int, forms: Sequence[_Form], *, is_last: bool) -> _Name | None:
    """Return surname, form and end of the name at `position`, None if there is no name."""
    run = _tokens(text, position)
    if "w" not in run.kinds:
        return None
    if run.kinds[0] == "i":
        return _initials_first(run)
    inverted = _inverted(text, run, forms, is_last=is_last)
    if inverted is not None:
        return inverted
    # "Tillmann C", and all further names in the same way.
    initials = run.kinds.find("i")
    if initials > 0 and "initials behind" in forms:
        return _Name(
            " ".join(run.words[:initials]), "initials behind", _initials_end(run, initials)
        )
    ends = _SEPARATOR.match(text, run.end) or _ENDS_NAMES.match(text, run.end)
    if ends and run.kinds.rstrip("s").endswith("i") and run.kinds.count("i") == 1:
        return _Name(" ".join(run.words[:initials]), "initials behind", run.end)
    return _direct(text, run, forms, is_last=is_last)


def _initials_first(run: _Run) -> _Name | None:
    """Read "A. B. Surname"; a further initial starts another name."""
    first = len(run.kinds) - len(run.kinds.lstrip("i"))
    end = run.kinds.find("i", first)
    run = run.upto(end) if end > 0 else run
    words = _Run(run.kinds[first:], run.words[first:], run.ends[first:])
    if "p" in words.kinds.rstrip("s") and words.kinds[0] == "w":
        return _Name(" ".join(_without_suffix(words)), "initials", run.end)
    return _Name(_surname(words, given=0), "initials", run.end)


def _inverted(text: str, run: _Run, forms: Sequence[_Form], *, is_last: bool) -> _Name | None:
    """Read "Surname, A. B." or "Surname, Given B."; None if the name is in another order."""
    if "i" in run.kinds or text[run.end : run.end + 1] != ",":
        return None
    if forms and forms[-1] == "initials" and not (is_last and run.kinds == "w"):
        return None
    position = run.end + 1
    position += text[position : position + 1] == " "
    if suffix := _SUFFIX_BEHIND_COMMA.match(text, position):
        position = suffix.end()
    given = _tokens(text, position)
    if not given.words or given.kinds[0] == "s":
        return None
    is_compound = "w" in run.kinds[1:] and run.kinds[0] != "p"
    initials = len(given.kinds) - len(given.kinds.lstrip("i"))
    if initials:
        return _inverted_initials(text, run, given, initials, is_compound=is_compound)
    starts_with_particle = run.kinds[0] == "p" or run.words[0] in _CAPITAL_PARTICLES
    if is_compound and not (
        starts_with_particle and forms and all(form.startswith("inverted") for form in forms)
    ):
        return None
    return _inverted_given(text, run, given)


def _inverted_initials(
    text: str, run: _Run, given: _Run, initials: int, *, is_compound: bool
) -> _Name | None:
    """Read "Surname, A. B.", even before a title without punctuation between them."""
    behind = given.kinds[initials:].rstrip("s")
    surname = " ".join(_without_suffix(run))
    if not behind:
        return _Name(surname, "inverted initials", given.end)
    follows = bool(_SEPARATOR.match(text, given.end))
    if is_compound and (follows or _ENDS_NAMES.match(text, given.end)):
        # "Christoph Tillmann, H. Ney, …": the initials are the next author's.
        return None
    if behind == "w" and (follows or EARLY_YEAR.match(text, given.end)):
        return _Name(surname, "inverted initials", given.end)  # "Baker, L. Douglas, …"
    return _Name(surname, "inverted initials", _initials_end(given, initials - 1))


def _inverted_given(text: str, run: _Run, given: _Run) -> _Name | None:
    """Read "Surname, Given B.", at most three given names."""
    initial = given.kinds.find("i")
    if initial > 0 and given.kinds[initial + 1 :].strip("is"):
        # "Knuth, Donald E. The Art of …": the names end with the initial.
        behind = given.kinds[initial:].lstrip("i")
        given = given.upto(len(given.kinds) - len(behind))
    if given.kinds.count("w") > 3:
        return None
    if not (_SEPARATOR.match(text, given.end) or _ENDS_NAMES.match(text, given.end) or initial > 0):
        return None
    return _Name(" ".join(_without_suffix(run)), "inverted given", given.end)


def _direct(text: str, run: _Run, forms: Sequence[_Form], *, is_last: bool) -> _Name | None:
    """Read "Given B. Surname" or a single name."""
    followed = _SEPARATOR.match(text, run.end)
    ends = followed or _ENDS_NAMES.match(text, run.end) or _OTHERS.match(text, run.end)
    if not ends or len(run.words) > 7:
        # "Ney H. Word reordering in …": the title has begun after the initials.
        if run.kinds.find("i") == 1 and not forms:
            return _Name(run.words[0], "initials behind", _initials_end(run, 1))
        if is_last and len(run.words) > 1 and text[run.end : run.end + 1] == " ":
            return _Name(_surname(run), "direct", run.end)
        return None
    if forms and not is_last and all("initials" in form for form in forms):
        # Among names with initials, words between commas are a title, unless more names follow.
        if followed and not _MORE_NAMES.match(text, run.end):
            return None
        if "i" not in run.kinds and not followed and not EARLY_YEAR.match(text, run.end):
            return None
    if run.kinds == "w" and not (is_last or _is_dated(text, run.end) or (followed and not forms)):
        return None
    whole = " ".join(run.words)
    if _BODY.search(whole):
        return _Name(whole, "direct", run.end)
    return _Name(_surname(run), "direct", run.end)


def _is_dated(text: str, end: int) -> bool:
    return bool(EARLY_YEAR.match(text, end) or _OTHERS.match(text, end))


def _initials_end(run: _Run, index: int) -> int:
    """Return the offset after the initials at `index` and the suffix that may follow them."""
    if run.kinds[index + 1 : index + 2] == "s":
        return run.ends[index + 1]
    return run.ends[index]


def _without_suffix(run: _Run) -> list[str]:
    return [word for kind, word in zip(run.kinds, run.words, strict=True) if kind != "s"]


def _surname(run: _Run, given: int = 1) -> str:
    """Return the surname of a name in natural order: the last word, with the particles before it.

    At least `given` words are given names.
    """
    words = _without_suffix(run)
    start = len(words) - 1
    particle = run.kinds.replace("s", "").find("p", given)
    if 0 <= particle < start:
        start = particle
    while start > given and words[start - 1] in _CAPITAL_PARTICLES:
        start -= 1
    return " ".join(words[start:])


def _capitalised(surname: str) -> str:
    """Return a name set in capitals as it is usually written."""
    return _CAPITAL_WORD.sub(lambda found: str(found[0]).capitalize(), surname)

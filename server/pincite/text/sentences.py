"""Split a text into sentences; each decision considers a bounded number of characters."""

from __future__ import annotations

import re
from collections.abc import Iterator

import regex

from ..model.drafts import CITATION_MARK

_CLOSERS = r"\"'”’»›)\]}*"
_OPENERS = "\"'“”„‘’«‹»›([{¿¡*_`"
# Possessive throughout: a run of full stops is read once, not once for each full stop.
_STOP = regex.compile(
    rf"""
    (?P<blank>\n[^\S\n]*+\n\s*+)
    | (?P<wide>(?:[。！？｡]|(?<!\p{{Lu}})．(?!\d))++[」』）】〉》”’"']*+)
    | (?P<stop>(?:[.!?…؟।॥۔]|(?<=[.])[ ][.](?!\d))++)
      # Quotation marks that open in English close here: „So.“ Dann, «So. » Alors.
      (?P<closing>[{_CLOSERS}]*+(?:[“‘«‹](?=\s)|[ \u00a0\u202f]»(?=\s))?+)
      # A footnote or citation mark set after the full stop: "shown.12 We", "shown.[3,4] We".
      (?P<mark>\[\d[\d,;\s–-]{{0,30}}\]
        |[⁰¹²³⁴-⁹](?:[⁰¹²³⁴-⁹⁻]|[,–-](?=[⁰¹²³⁴-⁹]))*+
        |(?<=\p{{Ll}}\p{{Ll}}\)?[.])\d\d?(?:[,–-]\d\d?){{0,8}}(?=\s+\p{{Lu}})
        |{CITATION_MARK}++)?
    """,
    regex.VERBOSE,
)
#: Where a match of `_STOP` may begin: this expression is far faster at what begins none.
_MAY_STOP = re.compile(r"[.!?…؟।॥۔。！？｡．]|\n(?=[^\S\n]*\n)")
# What ends a text is searched for backwards: ``(?r)``.
_BEFORE = regex.compile(r"(?r)[^\s(\[{\"'’“‘«/~–—,;]*\Z")
_AFTER = regex.compile(
    rf"(?P<space>\s++)(?P<cited>(?:{CITATION_MARK}\s*+)*+)"
    rf"(?P<opening>[{regex.escape(_OPENERS)}]*+)(?P<word>[\p{{L}}\p{{M}}]++|.)?",
    regex.DOTALL,
)
_START = regex.compile(r"[\p{Lu}\p{Lt}\p{Lo}\p{N}•‣◦▪●–—§$\\]")
_ENUMERATOR = regex.compile(r"[(\[]?(?:\d{1,3}(?:\.\d{1,3})*|[ivxIVX]{1,4}|\p{L})\Z")
_DOTTED = regex.compile(r"(?r)(?:\p{L}{1,2}\.)+\p{L}{1,2}\Z")
_SPACED_ABBREVIATION = regex.compile(
    r"(?r)(?<!\w)(?:z\.\s?(?:B|Zt)|d\.\s?h|u\.\s?[aäU]|o\.\s?[äÄ]|i\.\s?[dA](?:\.\s?R)?"
    r"|s\.\s?[oau]|p\.\s?(?:ex|ej)|i\.\s?e|e\.\s?g|c\.-à-d|ad\s?es|i\sin"
    r"|[Ss]rt?a|[Dd]ra|[Cc]fr|[Ee]sim|[Kk]s|[Vv]rt|[Jj]fr?|[тТ]\.\s?[еЕ]|[тТ]\.\s?к)\Z"
)


#: Never the last word of a sentence, whatever follows.
_ALWAYS = frozenset(
    """
    e.g eg i.e ie cf vs viz fig figs eq eqs eqn eqns sec secs sect sects tabs refs
    thm lem prop cor alg algs chap chaps vol vols pp eds dr prof mr mrs ms
    messrs sen hon rev resp approx ca esp incl proc univ dept wrt w.r.t
    bzw vgl sog ggf evtl inkl abb kap nr bd hrsg zzgl bspw insb mme mlle éd
    рис см гл стр табл напр rys dhr mevr séc dott bijv zob tzw tzn św např tzv srov
    písm акад проф доц ср див βλ δηλ bkz örn doç vö ún डॉ प्रो
    """.split()
)
#: Not the last word before a number (or a bracket).
_BEFORE_NUMBER = frozenset(
    """
    no nos p s ss § art ch ex para par §§ n nn l ll col cols max min avg al etc ff f v vv
    jan feb mar apr jun jul aug sep sept oct nov dec op lett phys
    abs rn rdnr rz fn anm ziff buchst coll cols ibid cit fol fls civ crim pág págs pag pagg
    núm d.lgs ust pkt odst obr zák ст вып изд др ін σελ κεφ vd vb ym mtsai पृ
    """.split()
)
#: The last word of a sentence only if the next word often begins a sentence.
_SELDOM = frozenset(
    """
    jr sr inc ltd co corp u.s u.k ph.d m.sc b.sc d.c usw etw mio mrd dt
    app tab ref def rem ed st mt gen rep conf trans env ee mm np pl hab tj
    """.split()
)
_FIRST_WORDS = frozenset(
    """
    The This These Those That There Then Thus Therefore To They Their Table
    We Our In It Its Is If For From First Finally Figure However Hence Here He His She Her
    A An And As At All Also Although After Another By But Both Because Before Besides
    On Of One Or Other Once Only Each Even Every Some Such Since So Second Similarly Section
    Let Like Most Many Moreover More Next Not Note No Now Nevertheless Unlike Using Under
    What When Where Which While With Without Who Why How Consider Given Intuitively Furthermore
    Further Additionally Again Instead Indeed Our Over Out Two Three Several Recently Recall
    You Your Yet Equation Equivalently Fortunately Unfortunately Results Suppose Assume
    Die Der Das Ein Eine Es Wir Sie Im Dies Diese Dieser Daher Dabei Für Mit Bei Auf Nach Wenn
    Le La Les Un Une Nous Il Elle Ce Cette Ces Dans Pour Ainsi Cependant
    """.split()
)
_GERMAN_ORDINAL = frozenset(
    """
    Januar Februar März April Mai Juni Juli August September Oktober November Dezember
    Jahrhundert Jahrhunderts Jahrhunderte Jh Jhs
    """.split()
)
#: "art. L. 121-1": the letter is the code of an article of law.
_CODE = regex.compile(r"\.\s?\d")
#: "im 2. Weltkrieg"
_BEFORE_ORDINAL = regex.compile(
    r"(?r)\b(?:[Dd](?:er|ie|as|e[mns])|[IiAa]m|[Zz]u[mr]|vom|beim)\s\d+\Z"
)
_BLANK_LINE = regex.compile(r"\n[^\S\n]*\n")
_LOOK_BACK = 24


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans of the sentences of `text`, in order, without surrounding space."""
    return list(_spans(text))


def sentence_near(text: str, offset: int) -> tuple[int, int] | None:
    """Return the span of the sentence at an offset, or else of the last one before it."""
    found = None
    for span in _spans(text):
        if span[0] > offset:
            break
        found = span
    return found


def _spans(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for end in _ends(text):
        piece = text[start:end]
        if stripped := piece.strip():
            first = start + len(piece) - len(piece.lstrip())
            yield first, first + len(stripped)
        start = end


def _ends(text: str) -> Iterator[int]:
    """Yield the offset after every sentence, the end of the text last."""
    start = 0
    for match in _stops(text):
        end = match.end()
        if match.lastgroup != "blank" and match["wide"] is None:
            after = _AFTER.match(text, end)
            # Without space after it, it is a decimal, a URL, or the end of the text.
            if after is None or not _can_start(after, match["stop"]):
                continue
            closed = match["closing"] or match["mark"]
            if not closed and match["stop"] == "." and _is_abbreviated(text, start, match, after):
                continue
            if after["cited"] and (after["word"] or "")[:1].isupper():
                # "shown before. [citation] We then": the citation belongs to the sentence before
                # it, but not across a blank line.
                cited = after.end("cited")
                blank = _BLANK_LINE.search(text, end, cited)
                end = cited if blank is None else blank.start()
        yield end
        start = end
    yield len(text)


def _stops(text: str) -> Iterator[regex.Match[str]]:
    position = 0
    while (begin := _MAY_STOP.search(text, position)) is not None:
        if (match := _STOP.match(text, begin.start())) is not None:
            yield match
        position = (match or begin).end()


def _can_start(after: regex.Match[str], stop: str) -> bool:
    word = after["word"]
    if word is None:
        return bool(after["cited"])
    if _START.match(word):
        return True
    # "\citet{…} show that": a citation before a verb is the subject of a new sentence.
    return bool(after["cited"]) and not after["opening"] and stop != "…"


def _is_abbreviated(text: str, start: int, stop: regex.Match[str], after: regex.Match[str]) -> bool:
    """Return whether a single full stop belongs to an abbreviation, initial or list number."""
    position = stop.start()
    before = text[max(start, position - _LOOK_BACK) : position]
    found = _BEFORE.search(before)
    token: str = found[0] if found else ""
    following: str = after["word"] or ""
    if not token:  # a stop after a space: tokenised text, or a spaced decimal ("0 . 25")
        return following[:1].isdigit()
    if position - start <= _LOOK_BACK and _ENUMERATOR.fullmatch(before.strip()):
        return True
    lowered = token.lower()
    if lowered in _ALWAYS or _SPACED_ABBREVIATION.search(before):
        return True
    if lowered in _BEFORE_NUMBER and (lowered != "s" or token == "S"):
        # Before a number, a bracket or a citation.
        if following[:1].isdigit() or after["opening"] or after["cited"]:
            return True
        if len(following) == 1 and _CODE.match(text, after.end()):
            return True
        return len(token) == 1 and following not in _FIRST_WORDS
    # One letter, also as in "J.-P." or after a sign ("=x").
    is_initial = token[-1].isalpha() and not token[-2:-1].isalnum()
    if lowered in _SELDOM or _DOTTED.search(token) or is_initial:
        # "E. A. Hoang": an initial does not begin a sentence.
        next_initial = len(following) == 1 and text[after.end() : after.end() + 1] == "."
        return following not in _FIRST_WORDS or next_initial
    if not token.isdigit() or len(token) > 2:
        return False
    may_be_ordinal = following not in _FIRST_WORDS and _BEFORE_ORDINAL.search(before)
    return following in _GERMAN_ORDINAL or bool(may_be_ordinal)

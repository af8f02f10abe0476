"""The text fields of UniHD's search index (Aumiller et al. 2020, Table 1).

A field turns a sentence into terms as an analysis chain of Solr 8.5 does:

    tokeniser → word filter → lower case → synonyms → stop words → stemming → shingles

The paper gives the choices of Table 1; their order is that of Solr's English field types (with
synonyms after the word filter), their options are the filters' defaults. A removed stop word
becomes Lucene's filler "_" in shingles, so that its neighbours are not treated as such.

Where we differ from Lucene: runs of scripts without spaces become overlapping pairs of characters
(`text.tokens`), where Lucene has single characters or none; accents are composed; symbols such as ™
are not words; no synonym spans a gap; Snowball's English stemmer has since gained exceptions. In
the 9,465 sentences and citances of CL-SciSumm's annotated training papers, without masks and
synonyms, the terms equal Lucene 8.3's in all but 48 (field 1), 14 (field 2) and 262 (field 3,
because of that stemmer).

The paper masks "formulas or vector representations" with four special tokens and gives no rules
(section 3.1.1); ours find mathematics in prose: ``O(n log n)``, ``P(x | y)``, ``f(x)``,
``(x1, ..., xn)``. Brackets that contain words, "(NP)" or "feature(s)", are not mathematics. Every
repetition has an upper bound, so the time is linear in the length of the text.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib import resources
from itertools import chain
from typing import Literal, NamedTuple

import regex
import snowballstemmer

from pincite.text.tokens import UNSPACED, composed, word_spans

_UNSPACED_RUN = rf"(?P<unspaced>[{UNSPACED}][{UNSPACED}\p{{M}}]*+)"
#: Lucene's limit, which also splits longer tokens.
_MAX_LENGTH = 255
_TOKENS = {
    # Text between two Unicode word boundaries (UAX #29) that begins with a word character.
    "standard": regex.compile(
        rf"(?ws){_UNSPACED_RUN}"
        rf"|(?=_{{0,8}}+[\p{{L}}\p{{N}}])\w(?:.{{0,{_MAX_LENGTH - 1}}}?\b|.{{{_MAX_LENGTH - 1}}})"
    ),
    "whitespace": regex.compile(rf"{_UNSPACED_RUN}|(?:(?![{UNSPACED}])\S){{1,{_MAX_LENGTH}}}+"),
}
_POSSESSIVE = regex.compile(r"['’＇][sS]\Z")
#: Runs of digits, and of letters up to a capital after a small letter: "Power|Shot|500".
_WORD_PARTS = regex.compile(
    r"(?<=\p{L})'[sS](?![\p{L}\p{N}])"
    r"|(?P<part>\p{N}++|[\p{L}\p{M}](?:(?!(?<=\p{Ll})\p{Lu})[\p{L}\p{M}])*+)"
)
#: Lucene's 33 English stop words, which are Solr's too.
STOP_WORDS = frozenset(
    "a an and are as at be but by for if in into is it no not of on or such that the their then"
    " there these they this to was will with".split()
)
_FILLER = "_"


class Word(NamedTuple):
    """A term with the half-open span of its text; an empty term marks a removed word."""

    term: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Analysis:
    """The terms of a sentence: its words in order, and all terms by position.

    At each position the word comes first, then the shingles that begin with it; a gap has none
    else.
    """

    words: tuple[Word, ...]
    places: tuple[tuple[str, ...], ...]

    def terms(self) -> Iterator[str]:
        """Yield the terms of all positions; a term occurs as often as in the text."""
        return chain.from_iterable(self.places)


@dataclass(frozen=True, slots=True)
class Field:
    """One column of Table 1; the defaults are a plain field without stemming and shingles."""

    tokenizer: Literal["standard", "whitespace"] = "standard"
    lowercase: bool = True
    word_filter: Literal["possessive", "delimiter"] | None = None
    stemming: Literal["porter", "snowball"] | None = None
    shingles: Literal[1, 2, 3] = 1
    stop_words: bool = True
    synonyms: bool = False

    def analyse(self, text: str, masked: Sequence[tuple[int, int, str]] = ()) -> Analysis:
        """Return the terms of `text`, in which `masked` are start, end and mask of formulas."""
        words: list[Word] = []
        position = 0
        for start, end, mask in (*masked, (len(text), len(text), "")):
            for first, last in self._spans(text, position, start):
                term = composed(text[first:last])
                words.append(Word(term.lower() if self.lowercase else term, first, last))
            if mask:
                words.append(Word(mask, start, end))
            position = end
        while words and not words[-1].term:
            words.pop()  # Lucene counts no gap for words that the filter removes at the end
        if self.synonyms:
            words = list(_replaced(words, _synonyms(self)))
        if self.stop_words:
            words = [word._replace(term="") if word.term in STOP_WORDS else word for word in words]
        if algorithm := self.stemming:
            words = [
                word if word.term in MASKS else word._replace(term=_stem(word.term, algorithm))
                for word in words
            ]
        return Analysis(
            words=tuple(word for word in words if word.term),
            places=tuple(_placed((word.term for word in words), self.shingles)),
        )

    def _spans(self, text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield the spans of words; an empty span if the word filter leaves nothing."""
        for token in _TOKENS[self.tokenizer].finditer(text, start, end):
            first, last = token.span()
            if token["unspaced"]:
                yield from ((first + at, first + to) for at, to in word_spans(token[0]))
            elif self.word_filter == "delimiter":
                parts = _WORD_PARTS.finditer(text, first, last)
                spans = [part.span() for part in parts if part["part"]]
                yield from spans or [(first, first)]
            elif self.word_filter == "possessive" and _POSSESSIVE.search(token[0]):
                yield first, last - 2
            else:
                yield first, last


PLAIN = Field()
FIELD_1 = Field("standard", word_filter="possessive", shingles=2, synonyms=True)
FIELD_2 = Field("whitespace", word_filter="delimiter", stemming="porter", shingles=2, synonyms=True)
FIELD_3 = Field("standard", stemming="snowball", shingles=3, stop_words=False, synonyms=True)


def _placed(terms: Iterable[str], longest: int) -> Iterator[tuple[str, ...]]:
    """Yield the word and the shingles of up to `longest` words at each position that has any."""
    places: list[str] = []
    gap = 0
    for term in terms:
        gap = 0 if term else gap + 1
        if gap < longest:  # any longer gap is reduced to `longest` - 1 positions
            places.append(term)
    for start, word in enumerate(places):
        ends = range(start + 2, min(start + longest, len(places)) + 1)
        shingles = (places[start:end] for end in ends)
        found = [" ".join(term or _FILLER for term in each) for each in shingles if any(each)]
        if word or found:
            yield (word, *found) if word else tuple(found)


@lru_cache(maxsize=1 << 16)
def _stem(word: str, algorithm: Literal["porter", "snowball"]) -> str:
    # Stemmers are stateful, so threads must not share one.
    snowball = algorithm == "snowball"
    return str(snowballstemmer.stemmer("english").stemWord(word)) if snowball else porter(word)


_CONSONANTS = "[^aeiou][^aeiouy]*"
_VOWELS = "[aeiouy][aeiou]*"
_SYLLABLE = re.compile(f"(?:{_CONSONANTS})?{_VOWELS}[^aeiou]")  # m > 0
_SYLLABLES = re.compile(f"(?:{_CONSONANTS})?{_VOWELS}{_CONSONANTS}{_VOWELS}[^aeiou]")  # m > 1
_ONE_SYLLABLE = re.compile(f"(?:{_CONSONANTS})?{_VOWELS}{_CONSONANTS}(?:{_VOWELS})?")  # m = 1
_HAS_VOWEL = re.compile(f"(?:{_CONSONANTS})?[aeiouy]")  # *v*
_SHORT = re.compile(f"{_CONSONANTS}[aeiouy][^aeiouwxy]")  # *o
_DOUBLE = re.compile(r"([^aeiouylsz])\1$")


def _endings(rules: str) -> tuple[re.Pattern[str], dict[str, str]]:
    """Return a pattern for the longest ending of ``ending:replacement`` rules, and the rules."""
    replaced = dict(rule.split(":") for rule in rules.split())
    return re.compile(f"(?:{'|'.join(replaced)})$"), replaced


_STEP_2 = _endings(
    "ational:ate tional:tion enci:ence anci:ance izer:ize bli:ble alli:al entli:ent eli:e "
    "ousli:ous ization:ize ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous "
    "aliti:al iviti:ive biliti:ble logi:log"
)
_STEP_3 = _endings("icate:ic ative: alize:al iciti:ic ical:ic ful: ness:")
_STEP_4 = (
    re.compile(
        "(?:al|ance|ence|er|ic|able|ible|ant|ement|ment|ent|(?<=[st])ion|ou|ism|ate|iti|ous|ive"
        "|ize)$"
    ),
)


def porter(word: str, step_4: Sequence[re.Pattern[str]] = _STEP_4) -> str:
    """Return a word's stem by Porter's own program (1980), which Lucene and ROUGE use.

    Unlike in his paper, words of two letters are unchanged, "-logi" becomes "-log" ("morphology"
    like "morphological"), and "-bli" becomes "-ble".
    """
    if len(word) <= 2:
        return word
    stem = "Y" + word[1:] if word.startswith("y") else word  # a consonant
    stem = _without_inflection(stem)
    for ending, replaced in (_STEP_2, _STEP_3):
        found = ending.search(stem)
        if found and _SYLLABLE.match(stem[: found.start()]):
            stem = stem[: found.start()] + replaced[found[0]]
    for ending in step_4:
        found = ending.search(stem)
        if found and _SYLLABLES.match(stem[: found.start()]):
            stem = stem[: found.start()]
    if stem.endswith("e"):
        rest = stem[:-1]
        short = _ONE_SYLLABLE.fullmatch(rest) and not _SHORT.fullmatch(rest)
        if short or _SYLLABLES.match(rest):
            stem = rest
    if stem.endswith("ll") and _SYLLABLES.match(stem):
        stem = stem[:-1]
    return stem.lower()


def _without_inflection(word: str) -> str:
    """Return a word after Porter's step 1: without plural, *-ed* and *-ing*, with *y* as *i*."""
    if word.endswith(("sses", "ies")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    if word.endswith("eed"):
        if _SYLLABLE.match(word[:-3]):
            word = word[:-1]
    elif word.endswith(("ed", "ing")):
        stem = word[:-2] if word.endswith("ed") else word[:-3]
        if _HAS_VOWEL.match(stem):
            word = stem
            if stem.endswith(("at", "bl", "iz")) or _SHORT.fullmatch(stem):
                word += "e"
            elif _DOUBLE.search(stem):
                word = stem[:-1]
    if word.endswith("y") and _HAS_VOWEL.match(word[:-1]):
        word = word[:-1] + "i"
    return word


_Forms = Mapping[str, Sequence[tuple[tuple[str, ...], tuple[str, ...]]]]


def _replaced(words: Sequence[Word], synonyms: _Forms) -> Iterator[Word]:
    """Yield `words` with the longest synonym at each position replaced by its canonical form."""
    terms = [word.term for word in words]
    place = 0
    while place < len(words):
        for form, first_form in synonyms.get(terms[place], ()):
            if tuple(terms[place : place + len(form)]) == form:
                start, end = words[place].start, words[place + len(form) - 1].end
                yield from (Word(term, start, end) for term in first_form)
                place += len(form)
                break
        else:
            yield words[place]
            place += 1


@cache
def _synonyms(field: Field) -> _Forms:
    """Return the canonical form of each of `synonyms.txt`, by first word, longest first."""
    plain = replace(field, stemming=None, shingles=1, stop_words=False, synonyms=False)
    forms: dict[str, dict[tuple[str, ...], tuple[str, ...]]] = defaultdict(dict)
    text = (resources.files(__package__) / "synonyms.txt").read_text("utf-8")
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    for group in (line.split(",") for line in lines if line):
        analysed = (plain.analyse(form.strip()).words for form in group)
        first_form, *others = (tuple(word.term for word in words) for words in analysed)
        for form in others:
            if form != first_form:
                forms[form[0]].setdefault(form, first_form)
    return {
        first: sorted(found.items(), key=lambda item: -len(item[0]))
        for first, found in forms.items()
    }


COMPLEXITY, PROBABILITY, FUNCTION = "<COMPLEXITY>", "<PROBABILITY>", "<FUNCTION>"
VECTOR = "<VECTOR>"
MASKS = frozenset({COMPLEXITY, PROBABILITY, FUNCTION, VECTOR})

_LETTER = r"[a-zA-Z\p{Greek}]"
#: Decorations of a name: "P_ml", "f_{i}", "h'", "p̂".
_DECORATION = r"(?:_\{[^{}\s]{1,12}+\}|_\w{1,8}+|['′ˆ˜^*]{1,2}+|\p{M}{1,2}+)?+"
_FUNCTION_NAME = (
    r"arg\s?(?:max|min)|log|ln|exp|max|min|sqrt|sign|sgn|tanh|sin|cos|sim|score|count|freq|rank"
    r"|PMI|MI|KL|tf|idf|df"
)
#: The text of a bracket with up to two nested levels.
_BODY = r"(?:[^()]{1,60}+|\((?:[^()]{1,60}+|\([^()]{0,60}+\)){0,4}+\)){1,8}+"
_CALL = regex.compile(
    r"(?<![\p{L}\p{M}\p{N}_\-])(?:"
    r"(?P<complexity>[OΘΩ])"
    rf"|(?P<probability>(?:[Pp]|Pr|pr|Prob){_DECORATION})"
    rf"|(?P<function>{_FUNCTION_NAME}){_DECORATION}"
    rf"|(?P<letter>{_LETTER}){_DECORATION})"
    rf"(?P<space>\s?)\((?P<body>{_BODY})\)"
)
_ARGMAX = regex.compile(rf"(?<!\p{{L}})arg\s?(?:max|min)(?!\p{{L}}){_DECORATION}")

#: Variables are short; "mn2q2" is several. Words are not mathematics, except names of functions.
_VARIABLE = r"(?:\p{L}{1,2}\d{1,2}+){1,4}+\p{L}?+|(?!\p{Lu}{2})\p{L}{1,2}+"
_SYMBOLS = r"[\s\d\p{Sm}\p{M}.,;:|∣/*\-–_{}\[\]()…⋯·'′’ˆ˜^!&\\%]"
_MATHS = regex.compile(
    rf"(?:{_SYMBOLS}|(?<!\p{{L}})(?:{_FUNCTION_NAME}|{_VARIABLE})(?!\p{{L}})){{1,200}}+"
)
_PRODUCT = regex.compile(
    rf"(?:{_SYMBOLS}|(?<!\p{{L}})(?:log|\p{{L}}{{1,3}}+)(?!\p{{L}})){{1,200}}+"
)
_CONDITION = regex.compile(r"[|∣]")
#: "p (0.05)", "k (3 or 4)", "U (1)" before the number of an equation.
_NUMBER = regex.compile(r"\s*[\d.,]{1,8}(?:\s?(?:or|to|-|–)\s?[\d.,]{1,8})?\p{Ll}?\s*")
#: "score(s)", "recall r (R)": a plural and an abbreviation.
_PLURAL, _ABBREVIATION = regex.compile(r"s"), regex.compile(r"\s*\p{Lu}\s*")

_DOTS = r"(?:\.\s?\.\s?\.|…|⋯|·\s?·\s?·)"
_INDEX = r"(?:_\{[^{}\s]{1,8}+\}|_\w{1,4}+|\s?\d{1,2}+|['′]{1,2}+|(?<=\p{Ll})(?!ii|vi)[ijk])"
_ELEMENT = (
    rf"(?:[-−]?(?<![\p{{L}}\p{{N}}])(?:(?P<indexed>{_LETTER}{_INDEX})|(?P<bare>{_LETTER})"
    rf"|(?P<pair>\p{{L}}\p{{Ll}})|\d{{1,3}}+(?:\.\d{{1,4}}+)?)(?![\p{{L}}\p{{N}}])|(?P<dots>{_DOTS}))"
)
_COMMA = r"\s?[,;]\s?"
_ELEMENTS = rf"\s?{_ELEMENT}(?:{_COMMA}{_ELEMENT}){{1,15}}\s?"
_TUPLE = regex.compile(
    rf"\({_ELEMENTS}\)|<{_ELEMENTS}>|⟨{_ELEMENTS}⟩|〈{_ELEMENTS}〉"
    rf"|\[\s?{_ELEMENT}(?:(?:{_COMMA}|\s){_ELEMENT}){{1,15}}\s?\]"
)
#: Letters that name parts of figures and examples: "(a, b)".
_LABELS = frozenset("abcd")


def math_spans(text: str) -> list[tuple[int, int, str]]:
    """Return start, end and mask of all math-like text, in order and without overlaps."""
    calls = _CALL.finditer(text, overlapped=True)
    found = [(*call.span(), mask) for call in calls if (mask := _mask(call))]
    found += ((*match.span(), FUNCTION) for match in _ARGMAX.finditer(text))
    found += ((*match.span(), VECTOR) for match in _TUPLE.finditer(text) if _is_vector(match))
    apart: list[tuple[int, int, str]] = []
    for start, end, mask in sorted(found, key=lambda span: (span[0], -span[1])):
        if not apart or start >= apart[-1][1]:
            apart.append((start, end, mask))
    return apart


def _mask(call: regex.Match[str]) -> str:
    """Return the mask for a name with brackets, or an empty string for prose."""
    body, apart = call["body"], bool(call["space"])
    if call["complexity"]:
        return COMPLEXITY if _PRODUCT.fullmatch(body) else ""
    if call["probability"] and _CONDITION.search(body):
        return PROBABILITY
    if not _MATHS.fullmatch(body) or (apart and _NUMBER.fullmatch(body)):
        return ""
    if call["probability"]:
        return PROBABILITY
    if call["function"]:
        return "" if apart or _PLURAL.fullmatch(body) else FUNCTION
    # "a (k)" and "I (x)" are more often words than functions.
    prose = apart and (call["letter"] in ("a", "A", "I") or _ABBREVIATION.fullmatch(body))
    return "" if prose else FUNCTION


def _is_vector(match: regex.Match[str]) -> bool:
    """Return whether it is a tuple of variables, not a list of numbers, labels or word classes."""
    sure = bool(match["indexed"] or match["dots"])
    if not sure and not any(separator in match[0] for separator in ",;"):
        return False  # spaced letters
    if match["pair"] and not match["dots"]:
        return False  # "(in, on)" are words, "(x1, ..., xn)" are not
    letters = match.captures("bare")
    if sure:
        return bool(match["indexed"] or match["pair"] or letters)
    return any(not letter.isupper() and letter not in _LABELS for letter in letters)

"""Find math-like text, to be masked before matching (Aumiller et al. 2020, section 3.1.1).

The paper masks "formulas or vector representations" with four special tokens and gives no rules;
these are ours. They find mathematics in prose: ``O(n log n)``, ``P(x | y)``, ``f(x)``,
``(x1, ..., xn)``. Brackets that contain words, "(NP)" or "feature(s)", are not mathematics.

Every repetition has an upper bound, so the time is linear in the length of the text.
"""

from __future__ import annotations

from typing import Final

import regex

COMPLEXITY: Final = "<COMPLEXITY>"
PROBABILITY: Final = "<PROBABILITY>"
FUNCTION: Final = "<FUNCTION>"
VECTOR: Final = "<VECTOR>"
MASKS: Final = frozenset({COMPLEXITY, PROBABILITY, FUNCTION, VECTOR})

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
    found = [
        (*match.span(), mask)
        for match in _CALL.finditer(text, overlapped=True)
        if (mask := _mask(match))
    ]
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

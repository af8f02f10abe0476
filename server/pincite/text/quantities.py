"""Numbers that a text reports, and the values of all numbers that are written in it.

86 %, 86 percent and 86.0 % are the same; so are p < .05 and p<0.05, 35,000 and 35 000, 3 × 10⁻⁵
and 3e-5, 1.2 million and 1,200,000. A comma is a decimal sign where it cannot separate thousands
("3,2 %"); a point may do either ("1.234"). Of numbers in words, only whole ones below one thousand
are known, in English (`in_words`).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

import regex

from .markers import years

#: The unit of a number; decimals and numbers from a thousand on also count without one.
Unit = Literal["percent", "fold", "p", "n", "decimal", "thousands"]

_THIN: Final = r"[\u00a0\u2009\u202f ]"
#: Not in the middle of a word, a version or a date; a full stop behind it ends the sentence.
_NUMBER: Final = (
    r"(?<![\p{L}\p{N}_.,·/])(?P<number>"
    rf"(?:\d{{1,3}}(?:[,'’]\d{{3}}){{1,4}}|\d{{1,3}}(?:{_THIN}\d{{3}}){{1,4}}|\d{{1,12}})"
    r"(?:(?!·10[−^⁻⁰¹²³⁴-⁹])[.·,]\d{1,9})?|[.·]\d{1,9})"
    # 3 × 10⁻⁵, 3 × 10^{-5}, 3 × 10-5, 10⁻⁵, 3e-5
    rf"(?:(?:{_THIN}?(?:[×x*·]|times){_THIN}?10(?=[-−–^⁻⁰¹²³⁴-⁹])|(?P<bare>(?<=\b10)(?=[\^⁻⁰¹²³⁴-⁹])))"
    r"\^?\{?(?P<power>[-−–⁻]?\p{N}{1,3})\}?|[eE](?P<power>[-−+]?\d{1,3})\b)?"
    rf"(?:{_THIN}(?i:(?P<thousand>thousand)|(?P<million>mill?i[oó]n(?:e?[sn])?|mio)"
    r"|(?P<billion>billions?|milliard(?:en?|s)?|mrd))\b)?"
    r"(?!\p{N}|[.,·/]\d)"
)
_SCALES: Final = {"thousand": 3, "million": 6, "billion": 9}
_MINUS: Final = dict.fromkeys(map(ord, "−–"), "-")
_MAX_EXPONENT: Final = 290
_PERCENT: Final = (
    rf"{_THIN}?(?:%|％|(?:percent|procent|Prozent|(?:per|pour){_THIN}cent|por{_THIN}ciento"
    rf"|per{_THIN}cento)\b)"
)
_NUMBERS: Final = regex.compile(_NUMBER)
_QUANTITY: Final = regex.compile(
    rf"(?:(?<![\p{{L}}\p{{N}}])(?P<letter>[pPnN]){_THIN}?(?P<sign>[<>=≤≥]){_THIN}?)?{_NUMBER}"
    rf"(?:(?P<percent>{_PERCENT})|(?P<fold>(?:{_THIN}|-)?(?:fold|fach|times)\b|{_THIN}?×)(?!{_THIN}?\d))?"
)
#: What an author writes before a number that is rounded, a bound, or the end of a range.
_HEDGE: Final = regex.compile(
    r"(?:\b(?:about|approx(?:imately|\.)?|around|nearly|almost|roughly|some|over|under|above|below"
    r"|than|up to|least|most|circa|ca\.?|close to|between|from|etwa|rund|fast|knapp|über|environ"
    r"|près de|plus de|alrededor de|más de)|[~∼≈<>≥≤±–—−-]"
    r"|\d\s{0,2}%?\s{0,2}(?:to|and|or|bis|und|à|et|y))\s{0,3}\Z",
    regex.IGNORECASE,
)
_HEDGE_CHARACTERS: Final = 24
_RANGE_BEGINS: Final = regex.compile(
    r"\s{0,3}(?:[-–—−/]|(?:to|and|or|vs|versus|bis|und|à|et|y)\b\.?)\s{0,3}[<>~]?\d",
    regex.IGNORECASE,
)
_GROUPS: Final = regex.compile(r"[1-9]\d{0,2}(?:[,.'’]\d{3}){1,4}(?=[.·,]\d|\Z)")
_GROUPING: Final = regex.compile(r"[,.'’]")
_SPACES: Final = regex.compile(_THIN)
_THOUSAND: Final = 1_000
_ONES: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
).split()
_TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety".split()


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with its unit, as `written`; `values` are all that its digits may stand for.

    `decimals` is the number of its decimal places. `is_exact` is False if it is rounded
    ("about 86 %"), a bound (p < .05), or an end of a range.
    """

    written: str
    unit: Unit
    values: frozenset[float]
    decimals: int
    is_exact: bool

    def is_rounded(self, value: float) -> bool:
        """Return whether this is a value, with the same decimals or more, after rounding."""
        half = 0.5 * 10.0**-self.decimals * (1 + 1e-9)
        return any(abs(value - own) <= half for own in self.values)


def quantities(text: str) -> list[Quantity]:
    """Return the quantities that a text reports, each once, in order.

    These are percentages, multiples (3.2-fold), p values, sizes of samples (n = 120), decimal
    numbers, and numbers of a thousand and more that are no years.
    """
    in_years = {(start, end) for start, end, _ in years(text)}
    found: dict[tuple[Unit, frozenset[float]], Quantity] = {}
    for match in _QUANTITY.finditer(text):
        number, start, end = match["number"], match.start(), match.end()
        exponent = _exponent(match)
        values = values_of(number, exponent)
        unit = _unit(match, values)
        if unit is None or (unit == "thousands" and match.span("number") in in_years):
            continue
        is_exact = (
            match["sign"] in (None, "=")
            and not _HEDGE.search(text, max(0, start - _HEDGE_CHARACTERS), start)
            and not _RANGE_BEGINS.match(text, end)
        )
        written = " ".join(match[0].split())
        quantity = Quantity(written, unit, values, _decimals(number) - exponent, is_exact)
        found.setdefault((unit, values), quantity)
    return list(found.values())


def numbers(text: str) -> list[str]:
    """Return all numbers that are written in a text, in order."""
    return [match[0] for match in _NUMBERS.finditer(text)]


def values_in(text: str) -> Iterator[float]:
    """Yield the values of all numbers in a text; "63 100" may be one number or two."""
    for match in _NUMBERS.finditer(text):
        number = match["number"]
        for each in dict.fromkeys((number, *number.split())):
            yield from values_of(each, _exponent(match))


def values_of(number: str, exponent: int = 0) -> frozenset[float]:
    """Return the values that a written number may have, times a power of ten.

    >>> sorted(values_of("35 000")), sorted(values_of(".05")), sorted(values_of("1.234"))
    ([35000.0], [0.05], [1.234, 1234.0])
    """
    plain = _SPACES.sub("", number).replace("·", ".")
    readings = set()
    if groups := _GROUPS.match(plain):
        whole = _GROUPING.sub("", groups[0])
        readings.add(whole + plain[groups.end() :].replace(",", "."))
    if "'" not in plain and "’" not in plain and plain.count(".") + plain.count(",") <= 1:
        readings.add(plain.replace(",", "."))
    return frozenset(float(f"{each}e{exponent}") for each in readings)


def in_words(value: float) -> str | None:
    """Return a whole number below one thousand in English words, None for others.

    >>> in_words(86.0), in_words(120.0), in_words(8.6)
    ('eighty six', 'one hundred twenty', None)
    """
    number = int(value)
    if number != value or not 0 <= number < _THOUSAND:
        return None
    hundreds, rest = divmod(number, 100)
    ten, one = divmod(rest, 10) if rest >= len(_ONES) else (0, rest)
    parts = [f"{_ONES[hundreds]} hundred"] if hundreds else []
    parts += [_TENS[ten - 2]] if ten else []
    return " ".join([*parts, *([_ONES[one]] if one or not parts else [])])


def _exponent(match: regex.Match[str]) -> int:
    """Return the power of ten that a matched number is multiplied by."""
    power = unicodedata.normalize("NFKC", match["power"] or "0").translate(_MINUS)
    exponent = int(power) - (match["bare"] is not None)
    exponent += sum(scale for name, scale in _SCALES.items() if match[name])
    return max(-_MAX_EXPONENT, min(exponent, _MAX_EXPONENT))


def _decimals(number: str) -> int:
    behind = regex.search(r"[.,·](\d+)\Z", number)
    return len(behind[1]) if behind else 0


def _unit(match: regex.Match[str], values: frozenset[float]) -> Unit | None:
    number = match["number"]
    if match["percent"]:
        return "percent"
    if match["fold"]:
        return "fold"
    if match["letter"]:
        return "p" if match["letter"] in "pP" else "n"
    if max(values) >= _THOUSAND and ("." not in number or min(values) >= _THOUSAND):
        return "thousands"
    # "5,6" without a unit is rather a list.
    return "decimal" if "." in number or "·" in number else None

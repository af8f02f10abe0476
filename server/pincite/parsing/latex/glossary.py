r"""Acronyms and glossary entries: what ``\gls{cnn}`` or ``\ac{CNN}`` prints.

The packages glossaries, glossaries-extra, acronym and acro.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .arguments import read_arguments

_ENTRY = re.compile(
    r"\\(newacronym|newabbreviation|acrodef|acro|(?:new|provide)glossaryentry|DeclareAcronym)"
    r"(?![A-Za-z])"
)
_SETTING = re.compile(
    r"(?:\A|,)\s*(name|text|short|long)\s*=\s*(?:\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}|([^,]*))"
)
_MAX_ENTRY = 2_000
_GLOSSARY = re.compile(
    r"[gG](?:ls|LS)(?:pl|name|plural|text|first|firstplural|symbol|link|disp|xtr(?:short|long|full)"
    r"(?:pl)?|entry(?:name|text|short|long|plural|first|full)(?:pl)?)?\Z|GLS(?:pl)?\Z|"
    r"[aA][cC]r?(?:p|s|l|f|sp|lp|fp|short|long|full|shortpl|longpl|fullpl|lu|fu|su)?\*?\Z"
)


def glossary_form(name: str) -> str | None:
    r"""Return which form a glossary command shows ("short", "long", "full"), if it is one.

    The commands of glossaries, acronym and acro: ``\gls``, ``\acrlong``, ``\ac``, ``\acfp``...
    """
    if _GLOSSARY.match(name) is None:
        return None
    tail = name.removesuffix("pl").lower()
    if "long" in tail or tail in ("acl", "aclp", "aclu"):
        return "long"
    return "full" if "full" in tail or tail in ("acf", "acfp", "acfu") else "short"


def find_glossary(text: str) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the label of every acronym and entry that `text` defines, its short and long form."""
    for match in _ENTRY.finditer(text):
        spans = read_arguments(text, match.end(), "omomm", _MAX_ENTRY).spans
        given = [text[slice(*span)].strip() if span else "" for span in spans]
        _, label, option, first, second, *_ = (*given, *[""] * 5)
        if len(spans) < 2:
            continue
        if match[1] in ("acro", "acrodef"):
            yield label, (option or label, first or label)
        elif match[1] in ("newacronym", "newabbreviation"):
            if first and second:
                yield label, (first, second)
        else:
            named = {
                each[1]: (each[2] or each[3] or "").strip() for each in _SETTING.finditer(first)
            }
            if short := named.get("short") or named.get("text") or named.get("name"):
                yield label, (short, named.get("long", short))

r"""Acronyms and glossary entries: what ``\gls{cnn}`` or ``\ac{CNN}`` prints.

The packages glossaries, glossaries-extra, acronym and acro.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .arguments import brace_end, bracket_end, skip_space

_ENTRY = re.compile(
    r"\\(newacronym|newabbreviation|acrodef|acro|(?:new|provide)glossaryentry|DeclareAcronym)"
    r"(?![A-Za-z])"
)
_SETTING = re.compile(r"(?:\A|,)\s*(name|text|short|long)\s*=\s*(\{)?")
_LONGEST_ENTRY = 2_000

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
        kind, position = match.group(1), match.end()
        position = _after_option(text, position)[1]
        label, position = _argument(text, position)
        if label is None:
            continue
        if kind in ("acro", "acrodef"):
            option, position = _after_option(text, position)
            long, _ = _argument(text, position)
            yield label, (option or label, long or label)
        elif kind in ("newacronym", "newabbreviation"):
            short, position = _argument(text, position)
            long, _ = _argument(text, position)
            if short and long:
                yield label, (short, long)
        else:
            settings, _ = _argument(text, position)
            named = dict(_settings(settings or ""))
            short = named.get("short") or named.get("text") or named.get("name")
            if short:
                yield label, (short, named.get("long", short))


def _settings(text: str) -> Iterator[tuple[str, str]]:
    for match in _SETTING.finditer(text):
        if match.group(2):
            end = brace_end(text, match.end() - 1) or len(text)
            yield match.group(1), text[match.end() : end - 1]
        else:
            yield match.group(1), text[match.end() :].split(",", 1)[0].strip()


def _argument(text: str, position: int) -> tuple[str | None, int]:
    start = skip_space(text, position)
    end = brace_end(text, start, _LONGEST_ENTRY) if text[start : start + 1] == "{" else None
    return (None, position) if end is None else (text[start + 1 : end - 1].strip(), end)


def _after_option(text: str, position: int) -> tuple[str | None, int]:
    start = skip_space(text, position)
    end = bracket_end(text, start) if text[start : start + 1] == "[" else None
    return (None, position) if end is None else (text[start + 1 : end - 1].strip(), end)

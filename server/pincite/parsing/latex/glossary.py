r"""Acronyms and glossary entries: what ``\gls{cnn}`` or ``\ac{CNN}`` prints.

The packages glossaries, glossaries-extra, acronym and acro.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .arguments import argument_span, brace_end, option_span

_ENTRY = re.compile(
    r"\\(newacronym|newabbreviation|acrodef|acro|(?:new|provide)glossaryentry|DeclareAcronym)"
    r"(?![A-Za-z])"
)
_SETTING = re.compile(r"(?:\A|,)\s*(name|text|short|long)\s*=\s*(\{)?")
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
        kind = match.group(1)
        _, position = _option(text, match.end())
        label, position = _argument(text, position)
        if label is None:
            continue
        if kind in ("acro", "acrodef"):
            option, position = _option(text, position)
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
    """Return the argument at an offset, if there is one, and the offset after it."""
    return _inside(text, position, argument_span(text, position, _MAX_ENTRY))


def _option(text: str, position: int) -> tuple[str | None, int]:
    """Return the optional argument at an offset, if there is one, and the offset after it."""
    return _inside(text, position, option_span(text, position))


def _inside(text: str, position: int, span: tuple[int, int] | None) -> tuple[str | None, int]:
    return (None, position) if span is None else (text[span[0] : span[1]].strip(), span[1] + 1)

r"""Bibliographies that are named in options of packages and classes.

An option names one if it is known for that, or if its value is a `.bib` file:
``\thesissetup{bib = {a.bib, b.bib}}``. A package of the draft's own may store the value of an
option in a macro that it passes to ``\addbibresource``; keyval, xkeyval, kvoptions, pgfkeys, l3keys
and LaTeX's own keys store it in the ways that `stored_in` knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ...model.drafts import Spanned
from ...model.spans import TextSpan
from .arguments import argument_span, brace_end, option_span

_CARRIER = re.compile(
    r"\\(?!hyper|caption|si)(?:documentclass|usepackage|RequirePackage|LoadClass"
    r"|PassOptionsTo(?:Package|Class)|keys_set:[a-z]+|[A-Za-z@]*(?:[sS]etup|[kK]eys(?!_)))(?![A-Za-z@])\*?"
)
_KEY = r"(?<![\w-])([A-Za-z][\w -]{0,40}?)"
_GAP = r"\s{0,9}"
_OPTION = re.compile(rf"{_KEY}[ \t]*=\s*(?:\{{([^{{}}]*)\}}|([^,={{}}\[\]]*))")
#: Options that name bibliographies, whether with or without a suffix.
_NAMING = re.compile(r"(?:bib|bibliography|bib-?(?:files?|resources?|sources?|data(?:base)?))\Z")
_MAX_ARGUMENTS = 3
_MAX_VALUE = 500
_SETTER = re.compile(
    r"\\(?:def|newcommand\*?|DeclareRobustCommand\*?|NewDocumentCommand)"
    rf"{_GAP}\{{?{_GAP}\\([A-Za-z@]+){_GAP}\}}?\s*(?:\[1\]|#1|\{{\s*m\s*\}})"
    r"\s*\{\s*(?:\\global\s*)?\Z"
)
_IN_BRACKETS = r"(?:\[([^\[\]]*)\]\s*)?"
_KEY_HEAD = re.compile(
    r"\\(?:define@key\s*(?:\[[^\[\]]*\]\s*)?\{[^{}]*\}"
    r"|DeclareOptionX\*?\s*(?:\[[^\[\]]*\]\s*)?(?:<[^<>]*>)?)"
    rf"\s*\{{([^{{}}]*)\}}\s*{_IN_BRACKETS}(?=\{{)"
    rf"|{_KEY}{_GAP}/?{_GAP}\.code(?::n)?\s*=\s*(?=\{{)"
)
#: kvoptions and \define@cmdkey put the family before the option's name.
_DECLARED = re.compile(
    rf"\\DeclareStringOption\s*{_IN_BRACKETS}\{{([^{{}}]*)\}}"
    r"|\\define@cmdkey\s*(?:\[[^\[\]]*\]\s*)?\{[^{}]*\}\s*(?:\[[^\[\]]*\]\s*)?\{([^{}]*)\}\s*"
    rf"{_IN_BRACKETS}"
)


@dataclass(frozen=True, slots=True)
class Option(Spanned):
    """An option that a text gives to a package or class, and the place of its value."""

    name: str
    value: str
    span: TextSpan

    @property
    def bibliographies(self) -> list[str]:
        """The bibliographies that it names."""
        if "bib" not in self.name or re.search(r"[#\\]", self.value):
            return []
        names = (each.strip().strip('"') for each in self.value.split(","))
        any_suffix = _NAMING.match(self.name)
        return [name for name in names if name and (any_suffix or name.endswith(".bib"))]


def given_options(visible: str) -> Iterator[Option]:
    """Yield the options that a text gives to packages and classes."""
    position = 0
    for match in _CARRIER.finditer(visible):
        if match.start() < position:
            continue  # within the options of another one
        position = match.end()
        for _ in range(_MAX_ARGUMENTS):
            found = option_span(visible, position) or argument_span(visible, position)
            if found is None:
                break
            for option in _OPTION.finditer(visible, *found):
                at = 2 if option[2] is not None else 3
                if len(value := option[at].strip()) <= _MAX_VALUE:
                    yield Option(option[1], value, TextSpan(*option.span(at)))
            position = found[1] + 1


def stored_in(macro: str, text: str) -> tuple[str, str] | None:
    r"""Return the option whose value a package stores in ``\macro``, and the option's default.

    A command that stores its only argument there is returned with its backslash.
    """
    name = re.escape(macro)
    place = rf"{_KEY}{_GAP}/?{_GAP}\.(?:e?store(?: in)?|tl_g?set:N)\s*=\s*\\{name}(?![\w@])"
    if (stored := re.search(place, text)) is not None:
        key = rf"(?<![\w-]){re.escape(stored[1])}{_GAP}/?{_GAP}"
        initial = re.search(rf"{key}\.initial(?::n)?\s*=\s*\{{?([^{{}},]*)", text)
        return stored[1], initial[1].strip() if initial else ""
    assigned = re.search(
        rf"\\(?:[gex]?def|(?:re)?newcommand\*?|providecommand\*?){_GAP}\{{?{_GAP}\\{name}{_GAP}\}}?"
        rf"\s*\{{\s*#1\s*\}}|\\tl_g?set:N[nx]\s*\\{name}\s*\{{\s*#1\s*\}}",
        text,
    )
    if assigned is not None:
        at = assigned.start()
        for head in reversed([*_KEY_HEAD.finditer(text, 0, at)]):
            if (brace_end(text, head.end()) or 0) > at:
                return (head[1] or head[3]).strip(), (head[2] or "").strip()
        if (setter := _SETTER.search(text[:at])) is not None:
            return f"\\{setter[1]}", ""
    for declared in _DECLARED.finditer(text):
        option_name = (declared[2] or declared[3]).strip()
        if option_name and macro.endswith(f"@{option_name}"):
            return option_name, (declared[1] or declared[4] or "").strip()
    return None

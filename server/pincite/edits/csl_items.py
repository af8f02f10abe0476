"""An entry as an item of CSL data: the reverse of `parsing.bibliographies.csl`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final, Union

import regex

from ..model.papers import NO_BREAK_SPACE, BibEntry
from ..parsing.bibliographies import csl

#: What CSL data consists of.
Data = Union[str, int, "list[Data]", "dict[str, Data]"]

_NAMES: Final[Mapping[str, str]] = {
    csl.NAMES[variable]: variable
    for variable in ("author", "editor", "translator", "container-author", "director")
}
_MARKED_UP: Final = frozenset(
    ("title", "container-title", "collection-title", "abstract", "note", "annote", "publisher")
)
_DASHES: Final = re.compile(r"\s*(?:-{2,3}|[–—])\s*")
_PARTICLES: Final = regex.compile(r"((?:\p{Ll}\S*\s+)+)(?=\S)")
_MONTHS: Final = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_ISO: Final = re.compile(r"\d{4}(?:-\d\d){0,2}")


def csl_item(entry: BibEntry, markup: Callable[[str], str] = str) -> dict[str, Data]:
    """Return an entry as CSL data; `markup` escapes what would be markup in a text."""
    fields = entry.fields
    item: dict[str, Data] = {"id": entry.key, "type": csl.WRITTEN_TYPES.get(entry.entry_type, "document")}
    if entry.entry_type == "article" and not (fields.get("journal") or fields.get("journaltitle")):
        item["type"] = "article"
    if title := entry.title:
        item["title"] = markup(title)
    for role, variable in _NAMES.items():
        if names := list(_names(fields.get(role, ""))):
            item[variable] = [*names]
    for field, variable in csl.VARIABLES.items():
        if (value := " ".join(fields.get(field, "").split())) and variable not in item:
            value = _DASHES.sub("-", value) if variable == "page" else value
            item[variable] = markup(value) if variable in _MARKED_UP else value
    if number := fields.get("number", ""):
        kind = "issue" if "journal" in fields or "journaltitle" in fields else "number"
        item.setdefault("collection-number" if "series" in fields else kind, number)
    if entry.entry_type == "mastersthesis":
        item.setdefault("genre", "Master’s thesis")
    if (arxiv := entry.arxiv) and entry.fields.get("eprint"):
        item.setdefault("number", f"arXiv:{arxiv}")
    if parts := _date(entry):
        item["issued"] = {"date-parts": parts}
    return item


def edtf(issued: Data) -> str:
    """Return a date of `csl_item` as a string."""
    dates = issued["date-parts"] if isinstance(issued, dict) else []
    parts = [date for date in dates if isinstance(date, list)] if isinstance(dates, list) else []
    return "/".join("-".join(f"{int(str(each)):02}" for each in date) for date in parts)


def markdown(text: str) -> str:
    """Return a text in Markdown, as the variables of CSL YAML are."""
    return re.sub(r"([\\*_\[\]$<>^~`@])", r"\\\1", text)


def _names(text: str) -> Iterator[dict[str, Data]]:
    for name in text.split(" and ") if text else ():
        parts = [_spaced(part) for part in re.split(rf",(?!{NO_BREAK_SPACE})\s*", name.strip())]
        if parts == ["others"] or not any(parts):
            continue
        if len(parts) == 1:
            yield from _undivided(name.strip())
            continue
        family, given, suffix = parts[0], parts[-1], parts[1] if len(parts) > 2 else ""
        particles = _PARTICLES.match(family)
        found: dict[str, Data] = {"family": family[particles.end() :] if particles else family}
        if given:
            found["given"] = given
        if particles:
            found["non-dropping-particle"] = particles[0].strip()
        if suffix:
            found["suffix"] = suffix
        yield found


def _undivided(name: str) -> Iterator[dict[str, Data]]:
    """Yield a name without a comma: one word is literal, else the family name comes last."""
    words = [word for word in name.split(" ") if word]
    if len(words) < 2:
        yield {"literal": _spaced(name)}
        return
    start = next(
        (at for at, word in enumerate(words[1:-1], 1) if word[:1].islower()), len(words) - 1
    )
    yield from _names(f"{' '.join(words[start:])}, {' '.join(words[:start])}")


def _spaced(part: str) -> str:
    return part.replace(NO_BREAK_SPACE, " ").strip()


def _date(entry: BibEntry) -> list[Data]:
    dates = [each for each in entry.fields.get("date", "").split("/")[:2] if _ISO.fullmatch(each)]
    if dates:
        return [[int(part) for part in each.split("-")] for each in dates]
    if not entry.year:
        return []
    month = entry.fields.get("month", "").strip().lower()
    if month[:3] in _MONTHS:
        return [[int(entry.year), _MONTHS.index(month[:3]) + 1]]
    return [
        [int(entry.year), int(month)] if month.isdigit() and int(month) < 13 else [int(entry.year)]
    ]

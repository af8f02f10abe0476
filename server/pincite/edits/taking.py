"""What authors can apply to an entry from services: single fields, or the published version.

The key and the author's own fields, such as files, keywords and notes, stay in any case.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from ..model.edits import TextEdit
from ..model.papers import BibEntry, is_of_preprints
from ..model.problems import InputError
from ..parsing.bibliographies import ItemFile, csl
from ..text.characters import letters_of
from .bibtex_entries import written_fields
from .csl_items import Written, csl_item, markdown, written_value
from .merging import better_of, name_in
from .written_entries import WrittenEntry, bibtex_changed, item_changed

#: Fields that determine what a work is and where it is: of a preprint they go with it.
_OF_THE_WORK: Final = frozenset(
    "address archive archiveprefix author booktitle date day doi editor eid eprint eprintclass "
    "eprinttype howpublished institution isbn issn issue journal journaltitle location month "
    "number organization pages primaryclass publisher pubstate series subtitle title type url "
    "urldate version volume year".split()
)
#: As the author has written them, unless the entry is replaced.
_AS_WRITTEN: Final = frozenset(("author", "editor", "title"))
_OF_THE_YEAR: Final = frozenset(("date", "day", "month"))
_PLACE: Final = frozenset(("journal", "journaltitle", "volume"))
#: The names in CSL of fields.
_VARIABLES: Final = {
    **csl.VARIABLES,
    **{field: variable for variable, field in csl.NAMES.items()},
    **dict.fromkeys(("year", *_OF_THE_YEAR), "issued"),
}
_YEAR: Final = re.compile(r"(?<!\w)\d{4}(?!\d)")
_MAX_SHOWN: Final = 60


class Taking(NamedTuple):
    """A change that can be applied: `name` is unique in its entry, `title` describes the change.

    `values` are the fields that are written. With an `entry_type` they are those of the published
    version: then values that mean the same stay, and the other fields that are `gone` are deleted.
    """

    name: str
    title: str
    values: Mapping[str, str]
    entry_type: str = ""
    gone: frozenset[str] = frozenset()

    def with_more(self, other: Taking) -> Taking:
        """Return this change combined with another one to the same entry."""
        return self._replace(
            values={**self.values, **other.values},
            entry_type=self.entry_type or other.entry_type,
            gone=self.gone | other.gone,
        )


def takings(
    entry: BibEntry, values: Sequence[tuple[str, str]], entry_type: str = ""
) -> list[Taking]:
    """Return the changes that the `values` of a finding offer for an entry."""
    theirs = dict(values)
    if not entry_type:
        return [Taking(name, _change(entry, name, value), {name: value}) for name, value in values]
    more = {
        name: value
        for name, value in values
        if name not in _AS_WRITTEN or not entry.fields.get(name)
    }
    old: frozenset[str] = frozenset()
    if theirs.get("year", "") not in ("", entry.year):
        old |= _OF_THE_YEAR
    # As "abs/1706.03762" in CoRR.
    if is_of_preprints(entry.fields.get("journal") or entry.fields.get("journaltitle") or ""):
        old |= _PLACE
    names = ", ".join(more)
    return [
        Taking("replace", "Replace the entry with the published version", theirs, entry_type,
               _OF_THE_WORK - {*_only_there(entry, theirs)}),
        Taking("add", f"Add the fields of the published version ({names})", more, entry_type, old),
    ]  # fmt: skip


def _only_there(entry: BibEntry, theirs: Mapping[str, str]) -> Iterator[str]:
    """Yield the fields of any work that the published version lacks: these stay."""
    yield from (name for name in _AS_WRITTEN if not theirs.get(name))
    if not theirs.get("year"):
        yield from (*_OF_THE_YEAR, "year")
    if letters_of(entry.fields.get("subtitle", "")) not in letters_of(theirs.get("title", "")):
        yield "subtitle"


def _change(entry: BibEntry, name: str, value: str) -> str:
    own = entry.fields.get(name, "")
    shown = [each if len(each) <= _MAX_SHOWN else f"{each[:_MAX_SHOWN]}…" for each in (own, value)]
    return f"Change {name} from {shown[0]} to {shown[1]}" if own else f"Add {name} {value}"


def taken(entry: WrittenEntry, taking: Taking, encoding: str) -> list[TextEdit]:
    """Return the edits that apply a change to an entry; raise `InputError` if that fails."""
    if isinstance(entry.file, ItemFile) and entry.file.format == "Hayagriva":
        theirs = ", ".join(f"{name} {value}" for name, value in taking.values.items())
        raise InputError(
            f"Pincite cannot write Hayagriva entries; change the entry by hand: {theirs}"
        )
    values = dict(_new_values(entry.own, taking))
    if isinstance(entry.file, ItemFile):
        return _taken_into_item(entry, values, taking, encoding)
    names = {field.name: "" for field in entry.fields}
    renamed = {_own_name(names, name): value for name, value in values.items()}
    written = written_fields(renamed, protects_capitals=True)
    in_braces = {name: f"{{{value}}}" for name, value in written.items()}
    if "year" in values and not taking.entry_type:
        in_braces.update(_dates(entry, values["year"]))
    # Fields that the entry names differently belong to the published version, too.
    there = {_own_name(names, name) for name in taking.values}
    return bibtex_changed(entry, in_braces, encoding, taking.entry_type, taking.gone - there)


def _dates(entry: WrittenEntry, year: str) -> Iterator[tuple[str, str]]:
    """Yield the year and the date of an entry of BibTeX as they are written, but of a `year`."""
    for field in entry.fields:
        if field.name in ("year", "date"):
            yield field.name, _of_year(field.value.of(entry.text), year)


def _of_year(date: str, year: str) -> str:
    """Return a date with another year; its months and days stay. Raise `InputError` if unsure."""
    if len({*_YEAR.findall(date)}) != 1:
        raise InputError(f"change the year to {year} by hand: it is now {' '.join(date.split())}")
    return _YEAR.sub(year, date)


def _own_name(names: Mapping[str, str], name: str) -> str:
    """Return the name under which an entry has a field."""
    if name == "year" and "year" not in names and "date" in names:
        return "date"
    return name_in(names, name) or name


def _new_values(own: BibEntry, taking: Taking) -> Iterator[tuple[str, str]]:
    """Yield the values that differ from the entry's."""
    theirs = BibEntry("", taking.entry_type, taking.values, own.path)
    for name, value in taking.values.items():
        mine = own.year if name == "year" else own.fields.get(_own_name(own.fields, name), "")
        is_same = mine and better_of(name, mine, value, own, theirs) == mine
        if not (taking.entry_type and is_same):
            yield name, value


def _taken_into_item(
    entry: WrittenEntry, values: Mapping[str, str], taking: Taking, encoding: str
) -> list[TextEdit]:
    assert isinstance(entry.file, ItemFile)
    markup = markdown if entry.file.format == "CSL YAML" else str
    kind, raw = taking.entry_type or entry.own.entry_type, entry.raw
    own = {n: v for n, v in entry.own.fields.items() if n not in _OF_THE_YEAR | taking.gone}
    item, whole = (
        csl_item(BibEntry(entry.key, kind, fields, entry.path), markup)
        for fields in ({**own, **values}, taking.values)
    )
    names = {name.lower(): name for name in raw}
    wanted = {_VARIABLES.get(name, name) for name in values}
    wanted |= {"issue"} if "number" in values else set()
    new = {names.get(n.lower(), n): value for n, value in item.items() if n in wanted}
    if taking.entry_type:
        new["type"] = item["type"]
    issued = names.get("issued", "")
    if issued in new and not taking.entry_type:
        date = written_value(entry.text, entry.place.span, issued)
        new[issued] = Written(_of_year(date, values["year"]))
    elif issued in new and isinstance(raw[issued], str):
        new[issued] = values["year"]
    old = {_VARIABLES.get(name, name) for name in taking.gone} - whole.keys()
    return item_changed(entry, new, encoding, {names[n.lower()] for n in old if n.lower() in names})

"""Merge entries that are the same work into one: its fields united, the others deleted.

Of two values of a field the better one stays: the complete name of a journal or a person, the
title with its subtitle, what the publication has instead of its preprint. What is a list is joined.
Nothing is decided between other values: `unite` raises `ConflictError` with them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, Final

from rapidfuzz import fuzz

from ..model.bibliographies import NAMING_FIELDS
from ..model.drafts import DraftFile
from ..model.edits import TextEdit
from ..model.papers import OTHERS, PREPRINT_DOI, BibEntry, is_of_preprints
from ..model.spans import TextSpan, without
from ..parsing.bibliographies import ItemFile
from ..parsing.bibliographies.items import plain
from ..parsing.bibtex.entry import MONTHS
from ..parsing.bibtex.file import listed_keys
from ..parsing.markups import LATEX, markup_of
from ..text.characters import abbreviates, letters_of
from .citations import key_replaced
from .csl_items import written_value
from .written_entries import ConflictError, WrittenEntry, bibtex_changed, item_changed

_SCHEME: Final = re.compile(r"^(?:https?://)?(?:(?:dx\.)?doi\.org/|www\.)?|/$", re.IGNORECASE)
#: Fields that are lists, with what separates their parts; the first separator joins them.
_LISTS: Final = {"keywords": ",;", "groups": ",;", "mendeley-tags": ",;", "file": ";"}
#: Remarks of the author; all stay.
_REMARKS: Final = frozenset(("annote", "annotation", "comment", "review"))
#: Fields that programs write for their own use.
_OF_PROGRAMS: Final = re.compile(
    r"(?:date-(?:added|modified)|timestamp|owner|creationdate|modificationdate|urldate|accessed"
    r"|citation-key|bdsk-.*|mendeley-(?!tags).*|__markedentry|readstatus|id)\Z"
)
_NAMES: Final = frozenset(("author", "editor", "translator", "container-author", "bookauthor"))
_IDENTIFIERS: Final = frozenset(("doi", "url", "eprint", "pmid", "pmcid"))
#: Fields with one number or several, in any order: those of the print, of the electronic edition.
_NUMBERS: Final = frozenset(("isbn", "issn"))
#: Names that stand for the same field, and types for the same kind of work.
_SAME_FIELD: Final = {
    "annotation": "annote",
    "journaltitle": "journal",
    "location": "address",
}
_SAME_TYPE: Final = {
    "conference": "inproceedings",
    "electronic": "online",
    "mastersthesis": "thesis",
    "phdthesis": "thesis",
    "techreport": "report",
    "www": "online",
}
_MONTHS: Final = frozenset(month[:3].lower() for month in MONTHS)
_PARENTS: Final = frozenset(("crossref", "xdata"))
#: Types that are used for a work of any type.
_ANY_TYPE: Final = frozenset(("misc", "online", "electronic", "www", "unpublished", "document"))
_INITIALS: Final = re.compile(r"([A-Z])(?=[A-Z](?:[A-Z]|\b))")
_MACRO: Final = re.compile(r"\\[A-Za-z]+")
_MIN_ABSTRACT_SCORE: Final = 90.0


def unite(
    kept: WrittenEntry, others: Sequence[WrittenEntry], ids: Collection[str], encoding: str
) -> list[TextEdit]:
    """Return the edits that add fields and aliases of others to the entry that stays.

    Raises `ConflictError` with the fields that differ and cannot be united.
    """
    _require_alike(kept, others)
    values, unread = _values(kept)
    #: Fields that change: joined values, or those of another entry.
    changed: dict[str, Any] = {}
    kind, conflicts = kept.own.entry_type, list[tuple[str, str, str]]()
    for other in others:
        # What a preprint has is replaced by what the publication has.
        wins = _is_preprint(kept.own) - _is_preprint(other.own)
        theirs, their_unread = _values(other)
        types = [_SAME_TYPE.get(each, each) for each in (kind, other.own.entry_type)]
        if types[0] != types[1] and (wins > 0 or _is_of_any_type(kind, values)):
            kind = other.own.entry_type
        elif types[0] != types[1] and not (
            wins < 0 or _is_of_any_type(other.own.entry_type, theirs)
        ):
            conflicts.append(("type", kind, other.own.entry_type))
        for name, value in theirs.items():
            field = name_in(values, name) or name
            mine = values.get(field, "")
            if wins < 0 and _SAME_FIELD.get(name, name) == "journal" and is_of_preprints(value):
                continue
            if not mine and name in _PARENTS:
                # It would inherit what it lacks now.
                conflicts.append((name, mine, value))
                continue
            # What a macro stands for is not known: it is neither better nor another value.
            is_macro = mine and (field in unread or name in their_unread)
            better = None if is_macro else better_of(field, mine, value, kept.own, other.own)
            if better is None and (is_macro or wins):
                better = value if wins > 0 else mine
            if better is None:
                conflicts.append((field, mine, value))
            elif better != mine:
                values[field] = better
                joint = better if isinstance(kept.file, ItemFile) else f"{{{better}}}"
                is_theirs = better == value
                changed[field] = _written(name, other, their_unread) if is_theirs else joint
    if conflicts:
        raise ConflictError("their fields differ", conflicts)
    if isinstance(kept.file, ItemFile):
        return item_changed(kept, changed, encoding)
    every = (*kept.own.aliases, *(alias for each in others for alias in each.own.aliases), *ids)
    names = [name for name in dict.fromkeys(every) if name != kept.key]
    if {*names} != {*kept.own.aliases}:
        changed["ids"] = f"{{{', '.join(names)}}}"
    return bibtex_changed(kept, changed, encoding, kind)


def _is_of_any_type(kind: str, values: Mapping[str, str]) -> bool:
    """Return whether a type is no evidence: programs make articles of what they misread."""
    return kind in _ANY_TYPE or (kind == "article" and name_in(values, "journal") is None)


def _require_alike(kept: WrittenEntry, others: Sequence[WrittenEntry]) -> None:
    formats = {
        each.file.format if isinstance(each.file, ItemFile) else "" for each in (kept, *others)
    }
    if "Hayagriva" in formats:
        raise ConflictError("Pincite cannot write Hayagriva entries")
    if len(formats) > 1:
        raise ConflictError("their files have different formats")
    group = {kept.key.lower(), *(each.key.lower() for each in others)}
    if any(not group.isdisjoint(_named(each)) for each in (kept, *others)):
        raise ConflictError("one of them refers to the other")


def _values(entry: WrittenEntry) -> tuple[dict[str, str], frozenset[str]]:
    """Return the own fields as a reader would see them, and those whose values are not read.

    Not read is what is only a macro that the style defines: it stays as it is written, as do lists
    and remarks.
    """
    if isinstance(entry.file, ItemFile):
        return {name: _shown(name, value) for name, value in entry.raw.items()}, frozenset()
    own, values, unread = entry.own, {}, set()
    for field in entry.fields:
        name, written = field.name, (field.content or field.value).of(entry.text)
        value = own.written.get(name, "") or written
        if name == "ids" or not value.strip():
            continue
        is_macro = _SAME_FIELD.get(name, name) == "journal" and _MACRO.fullmatch(value.strip())
        if is_macro or not letters_of(own.fields.get(name, "")):
            unread.add(name)
        is_as_written = name in unread or name in _LISTS or name in _REMARKS
        values[name] = value if is_as_written else own.fields[name]
    return values, frozenset(unread)


def _named(entry: WrittenEntry) -> set[str]:
    fields = entry.own.fields if not isinstance(entry.file, ItemFile) else {}
    named = (fields.get(name, "") for name in NAMING_FIELDS - {"ids"})
    return {key.lower() for value in named for key in listed_keys(value)}


def name_in(values: Mapping[str, str], name: str) -> str | None:
    """Return the name of the same field in an entry."""
    same = {_SAME_FIELD.get(each, each): each for each in values}
    return name if name in values else same.get(_SAME_FIELD.get(name, name))


def _is_preprint(entry: BibEntry) -> bool:
    venue = entry.fields.get("journal") or entry.fields.get("journaltitle") or ""
    venue = venue or entry.fields.get("booktitle", "")
    return is_of_preprints(venue) if venue else bool(entry.arxiv or PREPRINT_DOI.match(entry.doi))


def better_of(name: str, mine: str, other: str, own: BibEntry, another: BibEntry) -> str | None:
    """Return the better one of two values, or both of a list; None if neither is."""
    name = name.lower()
    if not mine:
        return other
    if letters_of(mine) == letters_of(other) or not letters_of(other) or _OF_PROGRAMS.match(name):
        return mine
    if not letters_of(mine):
        return other
    if name in _LISTS:
        return _joined(name, mine, other)
    if name in _REMARKS:
        return f"{mine}; {other}"
    if name in _IDENTIFIERS:
        same = (name == "doi" and own.doi == another.doi) or (
            name == "eprint" and own.arxiv and own.arxiv == another.arxiv
        )
        return mine if same or _SCHEME.sub("", mine) == _SCHEME.sub("", other) else None
    if name in _NUMBERS:
        numbers, others = _numbers(mine), _numbers(other)
        return mine if others <= numbers else other if numbers <= others else None
    if name == "month" and mine[:3].lower() == other[:3].lower():
        return mine
    if name in _NAMES:
        fuller = max(mine, other, key=lambda value: len(letters_of(value)))
        return fuller if _are_same_people(mine, other) else None
    if (
        name == "abstract"
        and fuzz.ratio(letters_of(mine), letters_of(other)) >= _MIN_ABSTRACT_SCORE
    ):
        return max(mine, other, key=len)
    if abbreviates(other, mine):
        return mine
    return other if abbreviates(mine, other) else None


def _joined(name: str, mine: str, other: str) -> str:
    separators = _LISTS[name]
    parts, more = ([*map(str.strip, re.split(f"[{separators}]", each))] for each in (mine, other))
    known = {letters_of(part) for part in parts}
    added = [part for part in dict.fromkeys(more) if part and letters_of(part) not in known]
    separator = next((each for each in separators if each in mine), separators[0])
    space = "" if re.search(rf"{separator}\S", mine) or name == "file" else " "
    return f"{separator}{space}".join((mine, *added))


def _numbers(text: str) -> set[str]:
    """Return the numbers of a list, without hyphens and notes such as “(print)”."""
    parts = map(letters_of, re.split(r"[\s,;]+", text))
    return {part for part in parts if any(map(str.isdecimal, part))}


def _are_same_people(one: str, other: str) -> bool:
    """Return whether lists name the same people, with more or less of their given names."""
    people = ([*map(str.strip, each.split(" and "))] for each in (one, other))
    for pair in zip_longest(*people, fillvalue=""):
        if any(map(OTHERS.fullmatch, pair)):
            return True
        mine, theirs = map(_person, pair)
        if mine[0] != theirs[0]:
            return False
        short, long = sorted((mine[1], theirs[1]), key=len)
        if short and not abbreviates(short, long):
            return False
    return True


def _person(name: str) -> tuple[str, str]:
    family, comma, given = name.partition(",")
    if not comma:
        given, _, family = family.rpartition(" ")
    # "JS" is J. S.
    given = _INITIALS.sub(r"\1 ", given)
    return letters_of(family), given


def _shown(name: str, value: Any) -> str:  # noqa: ANN401 - any value of CSL
    if name in _NAMES and isinstance(value, list):
        people = (each if isinstance(each, dict) else {} for each in value)
        return " and ".join(
            plain(each.get("literal", ""))
            or f"{plain(each.get('family', ''))}, {plain(each.get('given', ''))}"
            for each in people
        )
    return json.dumps(value, sort_keys=True) if isinstance(value, dict) else plain(value)


def _written(name: str, entry: WrittenEntry, unread: Collection[str]) -> Any:  # noqa: ANN401 - any value of CSL
    """Return the value of a field as another file may have it: its macros are not defined there."""
    if isinstance(entry.file, ItemFile):
        in_json = entry.file.format == "CSL JSON"
        return written_value(entry.text, entry.place.span, name) if in_json else entry.raw[name]
    value = next(each.value.of(entry.text) for each in entry.fields if each.name == name)
    is_whole = value[:1] in '{"' or value.isdecimal() or value.lower() in _MONTHS
    is_whole = (is_whole and "#" not in value) or name in unread
    return value if is_whole else f"{{{entry.own.written[name]}}}"


def deleted(entries: Collection[WrittenEntry]) -> Iterator[TextEdit]:
    """Yield the edits that delete entries of one file, and the space behind each."""
    for file, text in {id(each.file): (each.file, each.text) for each in entries}.values():
        gone = {each.position for each in entries if each.file is file}
        if isinstance(file, ItemFile):
            spans = without(file.spans, gone)
        else:
            spans = [file.place_at(position).span for position in sorted(gone)]
            spans = [
                TextSpan(span.start, len(text) - len(text[span.end :].lstrip())) for span in spans
            ]
        yield from (TextEdit(file.path, span, "") for span in spans)


def recited(
    file: DraftFile, new_keys: Mapping[str, str], fold: Callable[[str], str]
) -> Iterator[TextEdit]:
    r"""Yield the edits of a draft's file that cite other keys, by the `fold`ed old ones.

    A list in LaTeX cites no key twice: ``\cite{old,new}`` becomes ``\cite{new}``.
    """
    in_lists = markup_of(file.path) is LATEX
    for keys in (each for citation in file.citations for each in citation.key_lists):
        # mciteplus and revtex write "\\cite{one,*two}".
        bare = [key.key.lstrip("*") for key in keys.keys]
        new = [new_keys.get(fold(key)) for key in bare]
        if not any(new):
            continue
        seen = {fold(key) for key, each in zip(bare, new, strict=True) if each is None}
        gone: set[int] = set()
        for at, (key, each) in enumerate(zip(keys.keys, new, strict=True)):
            if each is None:
                continue
            if in_lists and fold(each) in seen:
                gone.add(at)
            else:
                seen.add(fold(each))
                span = TextSpan(key.span.end - len(bare[at]), key.span.end)
                yield key_replaced(file.path, file.text, span, each)
        spans = without([key.span for key in keys.keys], gone)
        yield from (TextEdit(file.path, span, "") for span in spans)

"""Add to a bibliography: an entry, verbatim, with everything that it depends on, or fields.

To or from another format than BibTeX, an entry is converted, with what it inherits, and written in
the form of the last one of the file. One of Zotero is copied without abstract, files, notes and
highlights: these stay in Zotero, where they are read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path

from ..model.bibliographies import BibliographyFile
from ..model.edits import TextEdit, applied
from ..model.papers import BibEntry
from ..model.problems import InputError
from ..model.programs import BIBER, Program
from ..model.spans import LINE_END, TextSpan, line_end_of
from ..model.zotero import NOT_COPIED, is_from_zotero
from ..parsing.bibliographies import ItemFile, parse_bibliography
from ..parsing.bibtex import Bibliography
from ..parsing.bibtex import parse_bibliography as parse_bibtex
from ..parsing.bibtex.file import listed_keys
from ..parsing.bibtex.statements import first_unclosed
from .bibtex_entries import bibtex_entry, entries_in_letters_of, in_letters_of, values_of
from .csl_items import inserted
from .written_entries import WrittenEntry, bibtex_changed

#: The rest of a line that BibTeX ignores.
_REST_OF_LINE = re.compile(r"[ \t]*(?:%[^\r\n]*)?(?=[\r\n]|\Z)")
#: The number of entries from which the usual space between entries is measured.
_LOOKED_AT = 200
#: A field that begins a line, and one as Pincite writes it.
_FIELD_LINE = re.compile(r"^([ \t]*)([\w-]+)([ \t]*)=([ \t]*)(?=\S)", re.MULTILINE)
_OWN_LINE = re.compile(r"  ([\w-]+) = (.+),")
#: Fields that name other entries without which an entry is incomplete.
_NAMING = ("crossref", "xdata", "xref", "entryset")


def read_files(
    texts: Iterable[tuple[Path, str]], program: Program = BIBER
) -> list[BibliographyFile]:
    """Parse bibliographies in order: a later one may use the macros of an earlier one."""
    files: list[BibliographyFile] = []
    strings: dict[str, str] = {}
    for path, text in texts:
        files.append(parse_bibliography(text, path, strings, program))
        strings.update(files[-1].strings)
    return files


def copy_entry(
    key: str,
    library: Sequence[BibliographyFile],
    draft: Sequence[BibliographyFile],
    target: BibliographyFile,
    encoding: str = "utf-8",
) -> TextEdit | None:
    """Return the edit that copies the entry of a library with this key to a draft's bibliography.

    The copy goes after the last entry of `target`, one of the draft's files, with the space that is
    usual between its entries; entries that it inherits from are copied too. Macros are expanded
    only if they are undefined there or mean something else. Letters that the `encoding` of the
    file lacks are written as LaTeX. BibTeX requires a parent to come after its children, and reads
    nothing behind an entry that is not closed: the copy goes before such entries.

    Returns None if the draft has the key, or the library lacks it; raises `InputError` if the entry
    is so broken that its copy would damage others, cannot be written in the encoding, or could not
    be read from the file.
    """
    there = {key for file in draft for key in file.all_entries}
    copied = [] if key in there else _with_named(key, library, {name.lower() for name in there})
    if not copied:
        return None
    written = target.text
    if isinstance(target, ItemFile):
        return inserted(copied[0], target.path, written, target)
    named = {name for entry in copied for name in named_by(entry, ("crossref",))}
    later = [target.place(key).span.start for key in target.all_entries if key.lower() in named]
    if (unclosed := first_unclosed(written, comments=target.program.comments)) is not None:
        later.append(unclosed)
    place = min(later) if later else _behind_last(target, written)
    line_end = line_end_of(written)
    gap = line_end * _line_ends_between(target, written)
    macros = partial(_macros, draft, target, place)
    texts = (LINE_END.sub(line_end, _written(entry, library, macros, target)) for entry in copied)
    text = entries_in_letters_of(encoding, gap.join(texts))
    if later:
        starts_line = place == 0 or written[place - 1] in "\r\n"
        text = ("" if starts_line else line_end) + text + gap
    elif written[:place].strip():
        text = gap + text
    else:
        text += line_end
    edit = TextEdit(target.path, TextSpan(place, place), text)
    after = parse_bibtex(applied(written, [edit]), target.path, program=target.program)
    if after.all_entries.keys() != {*target.all_entries, *(entry.key for entry in copied)}:
        raise InputError("it is too broken for an entry to be added")
    return edit


def _with_named(key: str, library: Sequence[BibliographyFile], there: set[str]) -> list[BibEntry]:
    """Return an entry and, after it, those that it names and that are not `there`."""
    # The key may be there in another case.
    found = [file.all_entries[key] for file in library if key in file.all_entries][:1]
    seen = there | {key.lower()}
    for entry in found:  # which grows
        for name in named_by(entry):
            others = filter(None, (file.find(name) for file in library))
            if (other := next(others, None)) is not None and other.key.lower() not in seen:
                seen.add(other.key.lower())
                found.append(other)
    return [
        replace(entry, source={n: v for n, v in entry.fields.items() if n not in NOT_COPIED})
        if is_from_zotero(entry.path)
        else entry
        for entry in found
    ]


def named_by(entry: BibEntry, fields: Sequence[str] = _NAMING) -> Iterator[str]:
    """Yield the keys of entries without which an entry is incomplete, in lower case."""
    for field in fields:
        yield from listed_keys(entry.fields.get(field, "").lower())


def _written(
    entry: BibEntry,
    library: Sequence[BibliographyFile],
    known: Callable[[], Mapping[str, str]],
    target: BibliographyFile,
) -> str:
    """Return an entry's source, with the macros expanded that are not `known` with their value."""
    own = next(file for file in library if file.path == entry.path)
    if isinstance(own, ItemFile) or is_from_zotero(own.path):
        return in_form_of(target, bibtex_entry(entry))
    place = own.place(entry.key)
    text = place.span.of(own.text)
    alone = parse_bibtex(text, entry.path)
    faults = alone.faults
    if any(each.message.endswith("not closed") or each.kind == "extra brace" for each in faults):
        raise InputError(f"{entry.key} is not closed (line {place.line})")
    if undefined := alone.statements[0].command().undefined:
        values, there = _macros(library, own, place.span.start), known()
        for name, start in reversed(undefined):
            value = values.get(name.lower())
            if value is not None and value != there.get(name.lower()):
                text = f"{text[:start]}{{{value}}}{text[start + len(name) :]}"
    return text


def in_form_of(file: BibliographyFile, text: str) -> str:
    """Return an entry that Pincite has written, in the form of the last one of a file.

    That is the indentation, the space around ``=``, the case of names, and the last comma.
    """
    lines = text.split("\n")
    own = [found for line in lines[1:-1] if (found := _OWN_LINE.fullmatch(line))]
    last = next(reversed(tuple(file.all_entries)), None)
    there = "" if last is None else file.place(last).span.of(file.text)
    fields = _FIELD_LINE.findall(there)
    if len(fields) < 2 or not own or len(own) < len(lines) - 2:
        return text
    indent = fields[0][0]
    names, spaces, behind = zip(*(each[1:] for each in fields if each[0] == indent), strict=True)
    case = str.upper if "".join(names).isupper() else str
    if case is str and all(name[0].isupper() for name in names):
        case = str.capitalize
    columns = set(map(len, map(str.__add__, names, spaces)))
    width = 0
    if len(columns) == 1 and max(map(len, spaces)) > 1:
        width = max(*columns, *(len(each[1]) + 1 for each in own))
    space, after = "" if width else min(spaces, key=len), min(behind, key=len)
    lines[1:-1] = (f"{indent}{case(each[1]) + space:{width}}={after}{each[2]}," for each in own)
    if not re.search(r",\s*\}\Z", there):
        lines[-2] = lines[-2].removesuffix(",")
    return "\n".join(lines)


def _macros(
    files: Sequence[BibliographyFile], last: BibliographyFile, place: int
) -> dict[str, str]:
    """Return the macros that are known at a place of the `last` file."""
    known: dict[str, str] = {}
    for file in files:
        if file.path == last.path:
            break
        known.update(file.strings)
    if last.strings:
        known.update(parse_bibtex(last.text[:place], last.path, known).strings)
    return known


def _behind_last(file: BibliographyFile, text: str) -> int:
    """Return the offset after the last entry; without one, after the whole text."""
    last = next(reversed(tuple(file.all_entries)), None)
    end = len(text) if last is None else file.place(last).span.end
    # The span of an unclosed entry includes the space after it.
    end = len(text[:end].rstrip())
    rest = _REST_OF_LINE.match(text, end)
    return rest.end() if rest and end else end


def _line_ends_between(file: BibliographyFile, text: str) -> int:
    """Return the most frequent number of line ends between the last entries, by default two."""
    spans = [file.place(key).span for key in tuple(file.all_entries)[-_LOOKED_AT:]]
    gaps = (text[one.end : other.start] for one, other in pairwise(spans))
    counts = Counter(len(LINE_END.findall(gap)) for gap in gaps if not gap.strip())
    counts.pop(0, None)
    return counts.most_common(1)[0][0] if counts else 2


def fields_added(
    bibliography: Bibliography, added: Mapping[str, Mapping[str, str]], encoding: str = "utf-8"
) -> Iterator[TextEdit]:
    """Yield the edits that add fields to the entries with these keys, before their first field.

    A field that an entry has, even an empty one, is left to the author, as is an entry without a
    comma behind its key. A field with letters for which the encoding has nothing is left out.
    """
    text = bibliography.text
    for key in filter(added.__contains__, bibliography.all_entries):
        entry = WrittenEntry(bibliography, bibliography.positions[key], text, {})
        own = {name.lower() for name in bibliography.entries[key].fields}
        written = {}
        for name, value in values_of({n: v for n, v in added[key].items() if n not in own}):
            with suppress(InputError):
                written[name] = f"{{{in_letters_of(encoding, value)}}}"
        with suppress(InputError):
            yield from bibtex_changed(entry, written, encoding)

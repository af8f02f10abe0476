"""Copy an entry into a bibliography: verbatim, with everything that it depends on.

To or from another format than BibTeX, it is converted, with what it inherits. An entry of Zotero is
copied without abstract, files, notes and highlights: these stay in Zotero, where they are read.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from ..model.bibliographies import BibliographyFile
from ..model.edits import TextEdit, applied
from ..model.papers import BibEntry
from ..model.problems import InputError
from ..model.programs import BIBER, Program
from ..model.spans import TextSpan
from ..model.zotero import NOT_COPIED, is_from_zotero
from ..parsing.bibliographies import ItemFile, parse_bibliography
from ..parsing.bibtex import parse_bibliography as parse_bibtex
from ..parsing.bibtex.statements import first_unclosed
from .bibtex_entries import bibtex_entry
from .insertion import LINE_END, inserted, line_end_of
from .letters import entries_in_letters_of

_MACRO = re.compile(r"""[^\s"#%'(),={}]+""")
#: The rest of a line that BibTeX ignores.
_REST_OF_LINE = re.compile(r"[ \t]*(?:%[^\r\n]*)?(?=[\r\n]|\Z)")
#: The number of entries from which the usual space between entries is measured.
_LOOKED_AT = 200
#: Fields that name other entries without which an entry is incomplete.
_NAMING = ("crossref", "xdata", "xref", "entryset")


@dataclass(frozen=True, slots=True)
class BibFile:
    """A parsed bibliography and its text."""

    path: Path
    text: str
    read: BibliographyFile

    @property
    def entries(self) -> Mapping[str, BibEntry]:
        """All entries that others may name, `@xdata` included, in file order."""
        return self.read.all_entries


def read_files(texts: Iterable[tuple[Path, str]], program: Program = BIBER) -> list[BibFile]:
    """Parse bibliographies in order: a later one may use the macros of an earlier one."""
    files: list[BibFile] = []
    strings: dict[str, str] = {}
    for path, text in texts:
        files.append(BibFile(path, text, parse_bibliography(text, path, strings, program)))
        strings.update(files[-1].read.strings)
    return files


def copy_entry(
    key: str,
    library: Sequence[BibFile],
    draft: Sequence[BibFile],
    target: BibFile,
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
    there = {key for file in draft for key in file.entries}
    if key in there:
        return None
    named_too = _with_named(key, library, {name.lower() for name in there})
    copied = list(map(_plain, named_too))
    if not copied:
        return None
    if isinstance(target.read, ItemFile):
        return inserted(copied[0], target.path, target.text, target.read)
    named = {name for entry in copied for name in _named(entry, ("crossref",))}
    later = [target.read.place(key).span.start for key in target.entries if key.lower() in named]
    if (unclosed := first_unclosed(target.text, comments=target.read.program.comments)) is not None:
        later.append(unclosed)
    place = min(later) if later else _behind_last(target)
    line_end = line_end_of(target.text)
    gap = line_end * _line_ends_between(target)
    texts = [
        LINE_END.sub(line_end, _written(entry, library, draft, target, place)) for entry in copied
    ]
    text = entries_in_letters_of(encoding, gap.join(texts))
    if later:
        text = ("" if _starts_line(target.text, place) else line_end) + text + gap
    elif target.text[:place].strip():
        text = gap + text
    else:
        text += line_end
    edit = TextEdit(target.path, TextSpan(place, place), text)
    expected = {*target.entries, *(entry.key for entry in copied)}
    after = parse_bibtex(applied(target.text, [edit]), target.path, program=target.read.program)
    if after.all_entries.keys() != expected:
        raise InputError("it is so broken that the entry could not be read there")
    return edit


def _plain(entry: BibEntry) -> BibEntry:
    """Return an entry without what our bibliography of a Zotero library has for reading only."""
    if not is_from_zotero(entry.path):
        return entry
    return replace(entry, source={n: v for n, v in entry.fields.items() if n not in NOT_COPIED})


def _with_named(key: str, library: Sequence[BibFile], there: set[str]) -> Iterator[BibEntry]:
    """Yield an entry and, after it, those that it names and that are not `there` yet.

    `there` has the existing names in lower case; it may contain the entry's own key in another
    case.
    """
    waiting = deque([file.entries[key] for file in library if key in file.entries][:1])
    seen = there - {key.lower()}
    while waiting:
        entry = waiting.popleft()
        if entry.key.lower() not in seen:
            seen.add(entry.key.lower())
            yield entry
            found = (_by_name(name, library) for name in _named(entry, _NAMING))
            waiting += (other for other in found if other is not None)


def _by_name(name: str, library: Sequence[BibFile]) -> BibEntry | None:
    entries = (file.read.find(name) for file in library)
    return next((entry for entry in entries if entry is not None), None)


def _named(entry: BibEntry, fields: Sequence[str]) -> Iterator[str]:
    """Yield the keys that an entry names in some of its fields, in lower case."""
    for field in fields:
        for name in entry.fields.get(field, "").lower().split(","):
            if name := name.strip():
                yield name


def _written(
    entry: BibEntry,
    library: Sequence[BibFile],
    draft: Sequence[BibFile],
    target: BibFile,
    place: int,
) -> str:
    """Return an entry's source, with the macros expanded that are unknown at its new place."""
    own = next(file for file in library if file.path == entry.path)
    if isinstance(own.read, ItemFile) or is_from_zotero(own.path):
        return bibtex_entry(entry)
    stands = own.read.place(entry.key)
    text = stands.span.of(own.text)
    read = parse_bibtex(text, entry.path)
    if any(
        fault.message.endswith("not closed") or fault.kind == "extra brace" for fault in read.faults
    ):
        raise InputError(f"{entry.key} is not closed (line {stands.line})")
    if not any(fault.kind == "no macro" for fault in read.faults):
        return text
    meant = _macros(library, own, stands.span.start)
    known = _macros(draft, target, place)
    alike = {name: value for name, value in known.items() if meant.get(name) == value}
    return _expanded(text, meant, alike)


def _expanded(text: str, meant: Mapping[str, str], alike: Mapping[str, str]) -> str:
    """Return an entry with all macros expanded that are not `alike` in both files."""
    while True:
        # One at a time: only the first use of a macro is a fault.
        for fault in parse_bibtex(text, Path(), alike).faults:
            name = _MACRO.match(text, fault.offset) if fault.kind == "no macro" else None
            if name is not None and (value := meant.get(name.group().lower())) is not None:
                text = f"{text[: name.start()]}{{{value}}}{text[name.end() :]}"
                break
        else:
            return text


def _macros(files: Sequence[BibFile], last: BibFile, place: int) -> dict[str, str]:
    """Return the macros that are known at a place of the `last` file."""
    known: dict[str, str] = {}
    for file in files:
        if file.path == last.path:
            break
        known.update(file.read.strings)
    if last.read.strings:
        known.update(parse_bibtex(last.text[:place], last.path, known).strings)
    return known


def _behind_last(file: BibFile) -> int:
    """Return the offset after the last entry; without one, after all text."""
    last = next(reversed(tuple(file.entries)), None)
    end = len(file.text) if last is None else file.read.place(last).span.end
    # The span of an unclosed entry includes the space after it.
    end = len(file.text[:end].rstrip())
    rest = _REST_OF_LINE.match(file.text, end)
    return rest.end() if rest and file.text[:end] else end


def _line_ends_between(file: BibFile) -> int:
    """Return the most frequent number of line ends between two entries, by default two.

    Only the last entries are measured: finding the ends of tens of thousands takes long.
    """
    spans = [file.read.place(key).span for key in tuple(file.entries)[-_LOOKED_AT:]]
    gaps = (file.text[one.end : other.start] for one, other in pairwise(spans))
    counts = Counter(len(LINE_END.findall(gap)) for gap in gaps if not gap.strip())
    counts.pop(0, None)
    return counts.most_common(1)[0][0] if counts else 2


def _starts_line(text: str, place: int) -> bool:
    return place == 0 or text[place - 1] in "\r\n"

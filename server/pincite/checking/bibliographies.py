"""Find repeated keys, broken entries and their fixes, and entries that no draft cites."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from ..cancellation import checked
from ..model.bibliographies import BibliographyFile, Fault
from ..model.drafts import CitationKey, Draft, DraftFile
from ..model.edits import TextEdit, applied
from ..model.papers import doi_in_key
from ..model.programs import BIBTEX, Program
from ..model.spans import TextSpan
from ..parsing.bibliographies import has_items
from ..parsing.bibtex import parse_bibliography
from ..parsing.bibtex.file import keys_named_by, listed_keys
from .citations import Files, Finding

#: Macros for journals that BibTeX's standard styles define.
_OF_STYLES = frozenset(
    "acmcs acta cacm ibmjrd ibmsj ieeese ieeetc ieeetcad ipl jacm jcss scp sicomp tocs tods tog "
    "toms toois toplas tcs".split()
)
_HEAD = re.compile(r"@\s*[\w-]+(?:\s*[{(]\s*[^\s,={}()]*)?")
_WORD = re.compile(r"[^\s,]+")
#: What prints all entries: an argument in Typst, and an option of Sphinx.
_LISTS_ALL = re.compile(
    r"\bbibliography\((?:[^()]|\([^()]*\))*\bfull\s*:\s*true|^[ \t>]*:all:[ \t\r]*$", re.MULTILINE
)
#: biblatex's sets are cited as one; all works in them are printed.
_SET_MEMBERS = re.compile(r"\\defbibentryset\s*\{[^{}\\]*\}\s*\{([^{}\\]*)\}")


# Repeated keys


def repeated_keys(path: Path, draft: Draft, files: Files) -> Iterator[Finding]:
    """Find the keys in a file that another entry of the draft, the one that counts, has already."""
    fold = str if draft.case_sensitive_keys else str.lower
    counted: dict[str, tuple[Path, BibliographyFile, str]] = {}
    for source, bibliography in draft.by_precedence(files):
        if source in draft.fallback_bibliographies and source.path == path:
            # LaTeX may combine it with other files than we do, or read it alone.
            yield from repeated_in(path, bibliography)
        if source not in draft.bibliographies:
            continue
        for key in bibliography.all_entries:
            used = (source.path, bibliography, key)
            other = counted.setdefault(fold(key), used)
            if other is not used and source.path == path:
                yield _repeated(CitationKey(key, bibliography.place(key).key_span), *other)
        if source.path == path:
            for again in bibliography.repeated:
                yield _repeated(again, *counted[fold(again.key)])


def repeated_in(path: Path, bibliography: BibliographyFile) -> Iterator[Finding]:
    """Find the keys that are used twice in a bibliography that belongs to no draft."""
    for again in bibliography.repeated:
        yield _repeated(again, path, bibliography, again.key)


def _repeated(again: CitationKey, path: Path, file: BibliographyFile, counted: str) -> Finding:
    return _another(again, (path, file.place(counted).key_span), file.program)


def repeated_items(file: DraftFile) -> Iterator[Finding]:
    r"""Find the ``\bibitem``s of a file that repeat the key of an earlier one."""
    first: dict[str, TextSpan] = {}
    for item in file.bib_items:
        if (counted := first.setdefault(item.key, item.key_span)) != item.key_span:
            yield _another(CitationKey(item.key, item.key_span), (file.path, counted), BIBTEX)


def _another(again: CitationKey, counted: tuple[Path, TextSpan], program: Program) -> Finding:
    which = "A later" if program.last_counts else "An earlier"
    message = f"{which} entry has the key “{again.key}”: {program.of_repeated}."
    return Finding("duplicate-key", again.span, message, again.span, again.key, counted)


# Broken entries


def broken_entries(
    text: str, faults: Iterable[Fault], *, macros_known: bool = True, by_bibtex: bool = False
) -> Iterator[Finding]:
    """Find what is wrong with the entries in `text`, the file that has these faults.

    Undefined macros are reported only with `macros_known`: another file may define them. Comments
    inside of entries are reported only if they are read `by_bibtex`: biber allows for them.
    """
    ignored = {"key used"} if by_bibtex else {"key used", "comment"}
    ignored |= set() if macros_known else {"no macro"}
    for fault in faults:
        if fault.kind in ignored:
            continue
        span = _marked(text, fault)
        if fault.kind != "no macro" or span.of(text).lower() not in _OF_STYLES:
            message = f"{fault.message[0].upper()}{fault.message[1:]}."
            yield Finding("broken-entry", span, message, fault.entry)


def _marked(text: str, fault: Fault) -> TextSpan:
    """Return the span to mark for a fault: the word there, else the head of the entry."""
    if fault.kind == "no comma":
        # After the value, where the comma belongs, not at the text that follows.
        end = _content_end(text, fault.offset)
        return TextSpan(end - 1, end)
    word = None
    if fault.message != "not closed" and fault.offset != fault.entry.start:
        word = _WORD.match(text, fault.offset, fault.entry.end)
    word = word or _HEAD.match(text, fault.entry.start)
    return TextSpan(*word.span()) if word else fault.entry


def repaired(path: Path, text: str, finding: Finding) -> tuple[str, TextEdit] | None:
    """Return title and edit of a fix that parsing proves safe, for a broken entry in `text`."""
    if has_items(path):
        return None
    entry = finding.scope
    before = parse_bibliography(entry.of(text), path)
    for alone in before.faults:
        fault = replace(alone, offset=alone.offset + entry.start, entry=entry)
        if finding in broken_entries(text, [fault]):
            break
    else:
        return None
    if (mending := _mending(text, fault)) is None:
        return None
    title, span, new = mending
    moved = TextEdit(path, span.moved(-entry.start), new)
    after = parse_bibliography(applied(entry.of(text), [moved]), path)
    faults_left = [each.message for each in before.faults if each is not alone]
    entries_before, entries_after = (
        [(each.key, each.entry_type, each.written) for each in file.all_entries.values()]
        for file in (before, after)
    )
    is_certain = faults_left == [each.message for each in after.faults]
    is_certain = is_certain and entries_after == entries_before
    return (title, TextEdit(path, span, new)) if is_certain else None


def _mending(text: str, fault: Fault) -> tuple[str, TextSpan, str] | None:
    """Return the title and the edit for a fault, None if it has no simple fix."""
    if fault.kind == "no comma":
        end = _content_end(text, fault.offset)
        return "Insert the missing comma", TextSpan(end, end), ","
    if fault.kind == "extra brace":
        return "Remove the brace", TextSpan(fault.offset, fault.offset + 1), ""
    if fault.kind == "not closed":
        end = _content_end(text, fault.entry.end)
        written = text[fault.entry.start : end]
        head = _HEAD.match(written)
        closing = ")" if head and "(" in head[0] else "}"
        return "Close the entry", TextSpan(end, end), "\n" * ("\n" in written) + closing
    return None


def _content_end(text: str, offset: int) -> int:
    while offset and text[offset - 1].isspace():
        offset -= 1
    return offset


# Unused entries


def unused_entries(path: Path, drafts: Sequence[tuple[Draft, Files]]) -> Iterator[Finding]:
    """Find the entries of the bibliography at `path` that none of `drafts` cites.

    `drafts` are all drafts that read it, with their bibliographies. Nothing is reported where a
    citation may be invisible to us: if a file of a draft is missing, or if drafts do not name the
    bibliography themselves. Entries that used entries inherit from, or are printed with, count as
    used. Keys are compared without case.
    """
    is_named = any(path == source.path for draft, _ in drafts for source in draft.bibliographies)
    if not is_named or not all(draft.has_all_text for draft, _ in drafts):
        return
    used = {name for draft, _ in checked(drafts) for name in cited_names(draft)}
    both = [read for _, files in drafts for read in files]
    own = next((each for source, each in both if source.path == path and source.text is None), None)
    if own is None or "*" in used:
        return
    dois = {doi_in_key(name) for name in used if "10." in name} - {""}
    files, waiting = tuple(dict.fromkeys(bibliography for _, bibliography in both)), list(used)
    while waiting:
        name = waiting.pop()
        found = (entry for file in files if (entry := file.find(name)) is not None)
        named = {other.lower() for entry in found for other in keys_named_by(entry)}
        waiting += named - used
        used |= named
    by_alias = {key for alias, key in own.names.folded_aliases.items() if alias in used}
    if dois:
        by_alias |= {key for key, entry in own.entries.items() if entry.doi in dois}
    for key in checked(own.all_entries, 1000):
        if key.lower() not in used and key not in by_alias:
            place = own.place(key)
            message = f"No draft that reads this bibliography cites “{key}”."
            yield Finding("unused-entry", place.key_span, message, place.span, key)


def cited_names(draft: Draft) -> set[str]:
    r"""Return the names that a draft cites, in lower case; ``*`` stands for all."""
    cited: set[str] = set()
    for file in draft.all_files:
        for citation in file.citations:
            # mciteplus and revtex write "\cite{one,*two}".
            cited.update(key.key.lstrip("*") for key in citation.keys)
            # The star is no key.
            lists = (keys.span.of(file.text) for keys in citation.key_lists if citation.listed_only)
            cited.update("*" for listed in lists if "*" in map(str.strip, listed.split(",")))
        if _LISTS_ALL.search(file.text):
            cited.add("*")
        for members in _SET_MEMBERS.findall(file.text):
            cited.update(listed_keys(members))
    return {name.lower() for name in cited}

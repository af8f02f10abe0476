"""Find missing bibliographies, repeated keys and broken entries."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ..model.bibliographies import BibliographyFile, Fault
from ..model.drafts import BibliographySource, CitationKey, Draft, DraftFile
from ..model.edits import TextEdit, applied
from ..model.problems import MissingBibliography, UnnamedBibliography
from ..model.programs import BIBTEX, Program
from ..model.spans import TextSpan
from ..parsing.bibliographies import has_items
from ..parsing.bibtex import parse_bibliography
from .findings import Finding

#: A draft's parsed bibliographies, in order.
Files = Sequence[tuple[BibliographySource, BibliographyFile]]
#: An entry, identified by its file and its key there.
_Used = tuple[Path, BibliographyFile, str]

#: Macros for journals that BibTeX's standard styles define.
_OF_STYLES = frozenset(
    "acmcs acta cacm ibmjrd ibmsj ieeese ieeetc ieeetcad ipl jacm jcss scp sicomp tocs tods tog "
    "toms toois toplas tcs".split()
)
_HEAD = re.compile(r"@\s*[\w-]+(?:\s*[{(]\s*[^\s,={}()]*)?")
_WORD = re.compile(r"[^\s,]+")


def missing_bibliographies(draft: Draft, path: Path) -> Iterator[Finding]:
    """Find the bibliographies that the file at `path` names and that do not exist.

    If a main file names none although its draft cites, the finding is at the beginning of the file.
    """
    for problem in missing_in(draft):
        if problem.path == path and problem.span is not None and not problem.remote:
            message = _sentence(problem.message)
            yield Finding("missing-bibliography", problem.span, message, problem.span, problem.name)
    for other in draft.problems:
        if isinstance(other, UnnamedBibliography) and other.path == path and other.span:
            message = _sentence(other.message)
            yield Finding("unnamed-bibliography", other.span, message, other.span)


def _sentence(message: str) -> str:
    return f"{message[0].upper()}{message[1:]}."


def missing_in(draft: Draft) -> Iterator[MissingBibliography]:
    """Yield the bibliographies that a draft lacks, without those that come with TeX."""
    for problem in draft.problems:
        if isinstance(problem, MissingBibliography) and not problem.distributed:
            yield problem


def knows_all_entries(draft: Draft, files: Files) -> bool:
    """Return whether a draft has a bibliography, and all of its bibliographies were read.

    Otherwise an unread one may define a key, so no key can be called undefined; fallback
    bibliographies do not count.
    """
    read = {source for source, _ in files}
    named = bool(files or draft.bib_items) and not draft.fallback_bibliographies
    return named and read.issuperset(draft.bibliographies) and not any(missing_in(draft))


def repeated_keys(path: Path, draft: Draft, files: Files) -> Iterator[Finding]:
    """Find the keys in the file at `path` that the entry of the draft which counts already has.

    Bibliographies that only the settings name are left out: a whole library naturally repeats the
    draft's entries.
    """
    fold = str if draft.case_sensitive_keys else str.lower
    counted: dict[str, _Used] = {}
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
                yield _repeated(CitationKey(key, bibliography.place(key).key_span), other)
        if source.path == path:
            for again in bibliography.repeated:
                yield _repeated(again, counted[fold(again.key)])


def repeated_in(path: Path, bibliography: BibliographyFile) -> Iterator[Finding]:
    """Find the keys that are used twice in a bibliography that belongs to no draft."""
    for again in bibliography.repeated:
        yield _repeated(again, (path, bibliography, again.key))


def repeated_items(file: DraftFile) -> Iterator[Finding]:
    r"""Find the ``\bibitem``s of a file that repeat the key of an earlier one."""
    first: dict[str, TextSpan] = {}
    for item in file.bib_items:
        if (counted := first.setdefault(item.key, item.key_span)) != item.key_span:
            key = CitationKey(item.key, item.key_span)
            yield _another(key, (file.path, counted), BIBTEX)


def _repeated(key: CitationKey, used: _Used) -> Finding:
    path, file, counted = used
    return _another(key, (path, file.place(counted).key_span), file.program)


def _another(again: CitationKey, counted: tuple[Path, TextSpan], program: Program) -> Finding:
    which = "A later" if program.last_counts else "An earlier"
    message = f"{which} entry has the key “{again.key}”: {program.of_repeated}."
    return Finding("duplicate-key", again.span, message, again.span, again.key, counted)


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
        if fault.kind not in ignored:
            span = _marked(text, fault)
            if fault.kind != "no macro" or span.of(text).lower() not in _OF_STYLES:
                yield Finding("broken-entry", span, _sentence(fault.message), fault.entry)


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
    """Return the title and the edit of a fix for a broken entry, None unless the fix is safe.

    `text` is that of the file at `path`. The fix is verified by parsing with the edit applied:
    everything parsed before must still be there, and only this fault be gone.
    """
    if has_items(path):
        return None
    entry = finding.scope
    before = parse_bibliography(entry.of(text), path)
    for alone in before.faults:
        fault = replace(alone, offset=alone.offset + entry.start, entry=entry)
        if finding not in broken_entries(text, [fault]):
            continue
        if (mending := _mending(text, fault)) is None:
            return None
        title, span, new = mending
        moved = TextEdit(path, span.moved(-entry.start), new)
        after = parse_bibliography(applied(entry.of(text), [moved]), path)
        left = [each.message for each in before.faults if each is not alone]
        is_certain = left == [each.message for each in after.faults]
        is_certain = is_certain and _written(after) == _written(before)
        return (title, TextEdit(path, span, new)) if is_certain else None
    return None


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


def _written(file: BibliographyFile) -> list[tuple[str, str, Mapping[str, str]]]:
    return [(entry.key, entry.entry_type, entry.written) for entry in file.all_entries.values()]

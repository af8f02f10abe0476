"""Find keys without an entry, missing bibliographies, and placeholders."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Literal

from ..edits.naming import missing_in
from ..model.bibliographies import BibliographyFile
from ..model.drafts import BibliographySource, Citation, Draft, DraftFile, is_gap
from ..model.problems import MissingBibliography, Problem, UnnamedBibliography
from ..model.spans import TextSpan
from ..parsing.markups import markup_of

#: What is found in drafts, and about entries; both in order of severity.
DraftKind = Literal[
    "undefined-key", "placeholder", "weak-support", "missing-citation", "title-only"
]
ReferenceKind = Literal["retracted", "wrong-identifier", "not-found", "published", "entry-differs"]
_InFiles = Literal[
    "duplicate-key", "broken-entry", "missing-bibliography", "unnamed-bibliography", "unused-entry"
]
Code = DraftKind | ReferenceKind | _InFiles
#: A draft's parsed bibliographies, in order.
Files = Sequence[tuple[BibliographySource, BibliographyFile]]

#: biblatex's sets are cited by a name that is not the key of an entry.
_ENTRY_SET = re.compile(r"\\defbibentryset\s*\{([^{}\\]*)\}")
#: The least Jaro–Winkler similarity at which two keys look alike to a reader.
_ALIKE_FROM = 0.85
_CONSIDERED = 20


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to report about the `span` of a file; `key` is the key concerned.

    The finding is withheld while the author types within `scope`, since the text there may be
    wrong only because it is half typed. `first` is the place of the first entry with a repeated
    key, the one that counts, and `notice` the address of a notice about a work.
    """

    code: Code
    span: TextSpan
    message: str
    scope: TextSpan
    key: str = ""
    first: tuple[Path, TextSpan] | None = None
    notice: str = ""


def missing_bibliographies(draft: Draft, path: Path) -> Iterator[Finding]:
    """Find the bibliographies that the file at `path` lacks, or that it should name."""
    for problem in draft.problems:
        if problem.path != path:
            continue
        message = f"{problem.message[0].upper()}{problem.message[1:]}."
        if isinstance(problem, UnnamedBibliography) and (span := problem.span):
            yield Finding("unnamed-bibliography", span, message, span)
        elif (
            isinstance(problem, MissingBibliography)
            and not problem.remote
            and (span := problem.span)
        ):
            yield Finding("missing-bibliography", span, message, span, problem.name)


def unread_bibliographies(file: DraftFile, unread: Iterable[Problem]) -> Iterator[Finding]:
    """Find where a file names the bibliographies that exist and were not read."""
    names = {name: p for p in unread if p.path for name in (p.path.name, p.path.stem)}
    for each in file.bibliographies:
        if problem := names.get(Path(each.name).name):
            message = f"The bibliography “{each.name}” is not used: {problem.message}."
            yield Finding("missing-bibliography", each.span, message, each.span, each.name)


def knows_all_entries(draft: Draft, files: Files) -> bool:
    """Return whether all bibliographies of a draft were read, so that keys can be undefined."""
    read = {source for source, _ in files}
    named = bool(files or draft.bib_items) and not draft.fallback_bibliographies
    return named and read.issuperset(draft.bibliographies) and not any(missing_in(draft))


def undefined_keys(
    file: DraftFile,
    draft: Draft,
    is_entry: Callable[[str], bool],
    citations: Iterable[Citation] | None = None,
) -> Iterator[Finding]:
    """Find undefined keys in a file, or in some of its citations."""
    sets: set[str] | None = None
    for citation in file.citations if citations is None else citations:
        # In an unclosed list, the text after the brace may be no keys at all.
        for key in (key for keys in citation.key_lists if keys.closed for key in keys.keys):
            # mciteplus and revtex: "\cite{one,*two}" prints two references under one number.
            name = key.key.lstrip("*")
            if not name or is_gap(name) or is_entry(name) or draft.resolves(name):
                continue
            if sets is None:
                found = (_ENTRY_SET.finditer(each.text) for each in draft.files)
                sets = {each[1].strip() for each in chain.from_iterable(found)}
            if name not in sets:
                message = f"No entry of the bibliography has the key “{name}”."
                yield Finding("undefined-key", key.span, message, key.span, name)


def keys_without_bibliography(file: DraftFile, draft: Draft) -> Iterator[Finding]:
    """Find the keys of a draft without any bibliography, each once; messages state what to do."""
    markup = markup_of(draft.root)
    kind = "bibliography" if markup.bibliography_suffixes else ".bib file"
    beside = f"there is no {kind} beside {draft.root.name}"
    if missing := dict.fromkeys(f"“{each.name}”" for each in missing_in(draft)):
        are = "does" if len(missing) == 1 else "do"
        why = f"{' and '.join(missing)} {are} not exist and {beside}. Name one that can be read"
    else:
        name_one = f"Name one with {' or '.join(markup.bibliography_commands)}"
        why = f"the draft names none and {beside}. {name_one}"
    seen: set[str] = set()
    certain = markup_of(file.path).syntax.certain_citations(file)
    for finding in undefined_keys(file, draft, lambda _key: False, certain):
        if finding.key not in seen:
            seen.add(finding.key)
            yield replace(finding, message=f"No bibliography: {why}.")


def placeholders(file: DraftFile, is_entry: Callable[[str], bool]) -> Iterator[Finding]:
    """Find the places where a citation is missing, or the sign of one, as in ``[@a; b]``."""
    for gap in file.placeholders:
        yield Finding("placeholder", gap.span, "A citation is missing here.", gap.span)
    for each in file.unmarked:
        if is_entry(each.key):
            message = f"“{each.key}” is printed as text: its “@” is missing."
            yield Finding("placeholder", each.span, message, each.span, each.key)


def unclosed(file: DraftFile) -> Iterator[Finding]:
    r"""Find the citations whose last bracket is missing; ``\cite{`` is a placeholder already."""
    for citation in file.citations:
        if any(keys.keys and not keys.closed for keys in citation.key_lists):
            message = "This citation is not closed: its last bracket is missing."
            yield Finding("placeholder", citation.span, message, citation.span)


def nearest_keys(key: str, keys: Iterable[str], number: int = 3) -> list[str]:
    """Return the keys spelled most like `key`, best first; their beginnings count most."""
    from rapidfuzz import process
    from rapidfuzz.distance import JaroWinkler

    found = process.extract(
        key,
        sorted(keys),
        scorer=JaroWinkler.similarity,
        processor=str.casefold,
        score_cutoff=_ALIKE_FROM,
        limit=_CONSIDERED,
    )
    begun = key.casefold()
    found.sort(key=lambda match: not match[0].casefold().startswith(begun))
    return [name for name, *_ in found[:number]]

"""Read the contexts in which other drafts cite works; cached until a file of a draft changes.

The inputs of a draft are its text files, packages and bibliographies, including missing ones that
it names. Their stamps are stored with the result.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from ..contexts.drafts import citing_paper
from ..model.drafts import Draft
from ..model.papers import BibEntry, CitingPaper
from ..model.problems import InputError
from ..parsing.paths import Stamp, file_stamp
from ..settings import Window
from .digests import SETTLED_NS
from .index import PaperIndex

#: Reads the draft with this main file and its entries by key; None if the file is not a main file.
ReadDraft = Callable[[Path], tuple[Draft, Mapping[str, BibEntry]] | None]


def citing_drafts(
    paths: Iterable[Path],
    read: ReadDraft,
    index: PaperIndex,
    window: Window,
    *,
    left_out: Collection[Path] = (),
    unsaved: Collection[Path] = (),
) -> Iterator[tuple[Path, CitingPaper]]:
    """Yield the drafts that cite anything, with their contexts; each file counts once."""
    seen = set(left_out)
    for path in paths:
        if path in seen:
            continue
        known = index.citing_draft(path)
        if known is None or not still_valid(known[0]) or not known[0].keys().isdisjoint(unsaved):
            known = read_citing_draft(path, read, window)
            if known[0].keys().isdisjoint(unsaved):
                index.put_citing_draft(path, *known)
        stamps, citing = known
        citing = without_files(citing, seen)
        if citing.contexts:
            seen.update(stamps)
            yield path, citing


def read_citing_draft(
    root: Path, read: ReadDraft, window: Window
) -> tuple[dict[Path, Stamp], CitingPaper]:
    """Read a draft; return its inputs with their stamps, and its contexts."""
    started = time.time_ns()
    try:
        found = read(root)
    except InputError:
        found = None
    paths: Iterable[Path] = (root,)
    citing = CitingPaper()
    if found is not None:
        draft, entries = found
        citing = citing_paper(draft, entries, window)
        paths = dict.fromkeys((root, *_inputs(draft)))
    return {path: _settled(file_stamp(path), started) for path in paths}, citing


def still_valid(stamps: Mapping[Path, Stamp]) -> bool:
    """Return whether no file has changed."""
    return all(file_stamp(path) == stamp for path, stamp in stamps.items())


def without_files(citing: CitingPaper, files: Collection[Path]) -> CitingPaper:
    """Return the contexts of a draft, except in these files."""
    names = {str(path) for path in files}
    contexts = tuple(c for c in citing.contexts if c[1].citing_paper not in names)
    return citing if len(contexts) == len(citing.contexts) else replace(citing, contexts=contexts)


def _settled(stamp: Stamp, started: int) -> Stamp:
    """Return the stamp to store; for a file that may be changing, a stamp that never matches."""
    return None if stamp is None or stamp[0] > started - SETTLED_NS else stamp


def _inputs(draft: Draft) -> Iterator[Path]:
    """Yield the files of a draft, and the paths where its missing files would be."""
    yield from sorted(draft.own_paths)
    yield from (source.path for source in draft.bibliographies)
    for file in draft.files:
        folders = dict.fromkeys((draft.root.parent, file.path.parent))
        read = {offset for offset, _ in draft.inclusions.get(file.path, ())}
        names = [
            (include.name, ".tex")
            for include in file.includes
            if include.kind == "text" and include.span.start not in read
        ]
        names += ((bibliography.name, ".bib") for bibliography in file.bibliographies)
        for folder in folders:
            for name, suffix in names:
                path = folder / (name if name.lower().endswith(suffix) else f"{name}{suffix}")
                if file_stamp(path) is None:
                    yield path

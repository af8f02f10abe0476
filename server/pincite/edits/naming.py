"""Name a bibliography in a draft that names none."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from ..model.drafts import BibliographySource, Draft
from ..model.edits import TextEdit, applied
from ..model.problems import InputError, MissingBibliography
from ..parsing.drafts import DraftReader
from ..parsing.markups import markup_of


def naming_edit(draft: Draft, bibliography: Path, read: Callable[[Path], str]) -> TextEdit | None:
    """Return the edit of a draft's main file that names a bibliography, which may be missing.

    `read` returns the texts of files, or raises `InputError`. None where the draft has or names a
    bibliography, or where no edit makes our own reader find this one.
    """
    if names_any(draft):
        return None
    main = draft.root
    name = _from(main.parent, bibliography)
    others = draft.own_paths - {file.path for file in (*draft.files, *draft.others)}
    packages = [text for path in sorted(others) for text in _texts(path, read)]
    edit = markup_of(main).syntax.naming_edit(draft, name, packages)
    if edit is None:
        return None
    changed = applied(read(main), [edit])
    reader = DraftReader(lambda path: changed if path == main else read(path))
    after = reader.read(main)
    found = BibliographySource(bibliography) in after.bibliographies
    stem = name.removesuffix(".bib")
    return edit if found or any(each.name in (name, stem) for each in _missing(after)) else None


def names_any(draft: Draft) -> bool:
    """Return whether a draft has entries, or names a bibliography, even if it is missing."""
    return bool(draft.bibliographies or draft.bib_items) or any(_missing(draft))


def missing_files(draft: Draft) -> Iterator[Path]:
    """Yield the ``.bib`` files that a draft names and that could be made where it looks first."""
    for each in _missing(draft):
        if each.remote or not each.name or any(sign in each.name for sign in "*?[]{}\\$~"):
            continue
        name = each.name
        if name.startswith("/") or Path(name).suffix.lower() not in ("", ".bib"):
            continue
        file = name if name.lower().endswith(".bib") else f"{name}.bib"
        yield Path(os.path.normpath(draft.root.parent / file))


def _from(folder: Path, path: Path) -> str:
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:  # on another drive
        return path.as_posix()


def _missing(draft: Draft) -> Iterator[MissingBibliography]:
    for each in draft.problems:
        if isinstance(each, MissingBibliography) and not each.distributed:
            yield each


def _texts(path: Path, read: Callable[[Path], str]) -> Iterator[str]:
    with suppress(InputError):
        yield read(path)

"""Name a bibliography in a draft that names none."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from ..model.drafts import BibliographySource, Draft
from ..model.edits import TextEdit, applied
from ..model.problems import InputError, MissingBibliography
from ..parsing.drafts import DraftReader
from ..parsing.markups import markup_of
from ..parsing.paths import relative

#: The name of a new bibliography, and the title of the action that creates it.
NEW: Final = "references.bib"
CREATES_ONE: Final = f"Create {NEW} and name it"


def naming_edits(
    draft: Draft, bibliography: Path, read: Callable[[Path], str]
) -> tuple[TextEdit, ...]:
    """Return the edits of a draft's main file that name a bibliography, which may be missing.

    `read` returns the texts of files, or raises `InputError`. Empty where the draft has or names a
    bibliography, or where no edit makes our own reader find this one.
    """
    main, edits = draft.root, _proposed(draft, bibliography, read)
    if not edits:
        return ()
    changed = applied(read(main), edits)
    reader = DraftReader(lambda path: changed if path == main else read(path))
    after = reader.read(main)
    found = BibliographySource(bibliography) in after.bibliographies
    name = name_of(draft, bibliography)
    stem = name.removesuffix(".bib")
    return edits if found or any(each.name in (name, stem) for each in missing_in(after)) else ()


def _proposed(
    draft: Draft, bibliography: Path, read: Callable[[Path], str]
) -> tuple[TextEdit, ...]:
    if names_any(draft):
        return ()
    others = draft.own_paths - {file.path for file in draft.all_files}
    packages = [text for path in sorted(others) for text in _texts(path, read)]
    name = name_of(draft, bibliography)
    return markup_of(draft.root).syntax.naming_edits(draft, name, packages)


def can_be_named(draft: Draft, bibliography: Path, read: Callable[[Path], str]) -> bool:
    """Return whether there probably are `naming_edits`, without reading the draft again."""
    return bool(_proposed(draft, bibliography, read))


def names_any(draft: Draft) -> bool:
    """Return whether a draft has entries, or names a bibliography, even if it is missing."""
    return bool(draft.bibliographies or draft.bib_items) or any(missing_in(draft))


def missing_files(draft: Draft) -> Iterator[Path]:
    """Yield the ``.bib`` files that a draft names and that could be made where it looks first."""
    names = dict.fromkeys(each.name for each in missing_in(draft) if not each.remote)
    for name in names:
        if name.startswith("/") or any(sign in name for sign in "*?[]{}\\$~:"):
            continue
        if Path(name).suffix.lower() not in ("", ".bib"):
            continue
        file = name if name.lower().endswith(".bib") else f"{name}.bib"
        yield Path(os.path.normpath(draft.root.parent / file))


def name_of(draft: Draft, bibliography: Path) -> str:
    """Return the path of a bibliography from the folder of a draft's main file."""
    return relative(bibliography, draft.root.parent)


def missing_in(draft: Draft) -> Iterator[MissingBibliography]:
    """Yield the bibliographies that a draft lacks."""
    return (each for each in draft.problems if isinstance(each, MissingBibliography))


def _texts(path: Path, read: Callable[[Path], str]) -> Iterator[str]:
    with suppress(InputError):
        yield read(path)

"""What a caller gives: options, as settings, and paths of a draft, a folder with one, a report."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Final, Literal

from ..checking.draft_report import begins_report
from ..model.drafts import Draft
from ..model.problems import InputError
from ..parsing.encoding import read_text
from ..parsing.markups import markup_of
from ..parsing.paths import relative as relative
from ..project.project import is_bibliography
from ..project.workspace import Workspace
from ..settings import (
    DEFAULT_RANKER,
    DEFAULT_SYSTEM,
    RANKER_NAMES,
    SYSTEM_NAMES,
    LibrarySettings,
    MatchingSettings,
    RankingSettings,
    Settings,
    Zotero,
)
from ..whole_files import require_writable
from .nouns import AnyPath, Paths, listed

#: What a draft is, for messages.
DRAFTS: Final = "(.tex, .md, .qmd, .Rmd or .typ), or the folder of one"
#: Documents in other formats. One with any other name is read as LaTeX.
_NOT_READ: Final = frozenset(
    ".ipynb .docx .doc .odt .rtf .pdf .html .htm .epub .rst .org .adoc .lyx".split()
)
_HTML, _MARKDOWN = (".html", ".htm"), (".md", ".markdown")
#: The number of bytes that show whether a file is a report.
_REPORT_HEAD = 1_000
#: The number of drafts that a message names.
_MAX_NAMED = 10
#: A draft with so many times the citations of every other one is the one to take: a thesis
#: beside its slides, an appendix, or a copy of an older paper.
_OUTWEIGHS = 10


def settings_for(
    bibliographies: Paths,
    library: Paths,
    base_folders: Paths,
    drafts: Paths,
    workspace: AnyPath | None,
    ranker: str = DEFAULT_RANKER,
    system: str = DEFAULT_SYSTEM,
    vectors: AnyPath | None = None,
    model: AnyPath | None = None,
    *,
    zotero: Zotero,
) -> Settings:
    """Return the settings; raises `PinciteError` for a missing file or folder, or a wrong name."""
    paths = [*map(listed, (library, base_folders, drafts, bibliographies))]
    for folder in (*paths[0], *paths[1], *paths[2], *([Path(workspace)] if workspace else [])):
        if not folder.is_dir():
            raise InputError(f"{folder}: no such folder")
    for path in paths[3]:
        read_text(path)
    if vectors is not None:
        from ..matching.vectors import WordVectors

        WordVectors.load(Path(vectors))
    if ranker not in RANKER_NAMES:
        raise InputError(f"unknown ranker {ranker!r}; choose from {', '.join(RANKER_NAMES)}")
    if system not in SYSTEM_NAMES:
        similar = get_close_matches(system, SYSTEM_NAMES)
        hint = f"; did you mean {' or '.join(similar)}?" if similar else ""
        raise InputError(
            f"unknown system {system!r}{hint or '; docs/explanation/evaluation.md lists them'}"
        )
    folders, bases, earlier, added = (tuple(p.absolute() for p in each) for each in paths)
    return Settings(
        library=LibrarySettings(folders=folders, base_folders=bases, draft_folders=earlier),
        ranking=RankingSettings(ranker),
        matching=MatchingSettings(
            system,
            None if vectors is None else Path(vectors),
            None if model is None else Path(model),
        ),
        bibliographies=added,
        zotero=zotero,
    )


def require_draft(path: Path) -> None:
    """Raise `InputError` if a file is no draft, by its name: it may be its bibliography."""
    suffix = path.suffix.lower()
    if path.is_file() and (suffix in _NOT_READ or is_bibliography(path)):
        what = "not a draft; give one"
        if suffix == ".bib":
            what = "a bibliography; give a draft that cites it"
        raise InputError(f"{path} is {what} {DRAFTS}")


def main_file_in(folder: Path, workspace: Workspace) -> Path:
    """Return the main file of the one draft in a folder; raise `InputError` if it has not one.

    In a folder with parts of a draft, this is the main file above that reads them. A document that
    cites nothing counts only where no other one does, a draft in a folder of its own only where
    there is none beside it, and one with few citations only where none has many.
    """
    inside = folder.resolve()
    found = [each for each in workspace.drafts() if each.root.resolve().is_relative_to(inside)]
    found = found or [*_begun(inside, workspace)]
    drafts = [each for each in found if _cites(each)] or found
    drafts = [each for each in drafts if each.root.resolve().parent == inside] or drafts
    most = max(map(_cites, drafts), default=0)
    main = [each for each in drafts if _cites(each) * _OUTWEIGHS > most]
    drafts = main if len(main) == 1 else drafts
    mains = sorted({relative(each.root.resolve(), inside) for each in drafts})
    if len(mains) == 1:
        return folder / mains[0]
    if not mains:
        raise InputError(f"{folder}: there is no draft in this folder; give one {DRAFTS}")
    named = ", ".join(mains[:_MAX_NAMED])
    more = f" and {len(mains) - _MAX_NAMED} more" if len(mains) > _MAX_NAMED else ""
    raise InputError(
        f"{folder}: there are {len(mains)} drafts in this folder; give one: {named}{more}"
    )


def _begun(folder: Path, workspace: Workspace) -> Iterator[Draft]:
    """Yield the documents in a folder that cite something and have no bibliography yet."""
    for path in workspace.draft_files():
        if path.resolve().parent == folder:
            draft, certain = workspace.draft(path), markup_of(path).syntax.certain_citations
            if any(file.placeholders or any(certain(file)) for file in draft.files):
                yield draft


def _cites(draft: Draft) -> int:
    """Return the number of a draft's citations and placeholders."""
    return sum(len(file.citations) + len(file.placeholders) for file in draft.files)


def check_report_path(path: AnyPath) -> Literal["html", "markdown"]:
    """Return the form of a report by its name; raise `PinciteError` if it cannot be written."""
    path = Path(path)
    if path.suffix.lower() not in (*_HTML, *_MARKDOWN):
        raise InputError(f"{path}: a report is FILE.html or FILE.md")
    require_writable(path)
    if path.is_file():
        with path.open("rb") as file:
            head = file.read(_REPORT_HEAD).decode("utf-8", "replace")
        if not begins_report(head):
            raise InputError(f"{path}: exists and is not a report; choose another name")
    return "html" if path.suffix.lower() in _HTML else "markdown"

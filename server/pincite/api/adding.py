"""Add works to a bibliography: a search first, which sends nothing."""

from __future__ import annotations

from pathlib import Path

from ..enrichment.sources import ServiceRequest as ServiceRequest
from ..library.index import PaperIndex
from ..model.problems import InputError
from ..parsing.encoding import decoded, read_text
from ..project.adding import NewWork as NewWork
from ..project.adding import WorkSearch as WorkSearch
from ..project.open_draft import Place
from ..project.project import is_bibliography
from ..project.workspace import Workspace
from ..settings import Settings, Zotero
from .enriching import check_email
from .nouns import AnyPath
from .project import open

_RECORDS = (".ris", ".enw", ".nbib")


def find_work(
    work: str | bytes | Path,
    *,
    bibliography: AnyPath | None = None,
    draft: AnyPath = ".",
    zotero: Zotero = "off",
    email: str = "",
) -> WorkSearch:
    """Search for a work to add to a bibliography, by default that of a draft; this sends nothing.

    `work` is a DOI, an arXiv id, a PMID, an ISBN, an address or a reference with one of these, a
    title, or entries in BibTeX, RIS or CSL, as bytes in any encoding; or the path of a paper, such
    as a PDF, or of a file with entries. Your other bibliographies beside this one are searched
    first, and Zotero with `zotero` set to ``auto``. The `bibliography` may be a new file. Raises
    `PinciteError` for any other `work`.

    >>> search = find_work("10.1162/coli.07-034-R2", bibliography="examples/references.bib")
    >>> [each.host for each in search.requests], search.requests[0].values
    (['doi.org', 'api.openalex.org'], ('DOI 10.1162/coli.07-034-r2',))
    """
    check_email(email)
    if bibliography is None:
        try:
            project = open(draft, zotero=zotero)
        except InputError as error:
            raise InputError(f"{error}; or give a bibliography, which may be new") from None
        place = project._place
    else:
        place = _alone(Path(bibliography), zotero)
    if isinstance(work, Path) and (is_bibliography(work) or work.suffix.lower() in _RECORDS):
        work = read_text(work)
    elif isinstance(work, bytes):
        work = decoded(work).text
    return WorkSearch(place, work, email)


def _alone(path: Path, zotero: Zotero) -> Place:
    path = path.absolute()
    if not is_bibliography(path):
        raise InputError(f"{path}: is not a bibliography (.bib, .json, .yaml)")
    if not path.parent.is_dir():
        raise InputError(f"{path.parent}: no such folder")
    if path.exists():
        read_text(path)  # raises what is wrong with it
    workspace = Workspace(path.parent, Settings(zotero=zotero), PaperIndex())
    draft = workspace.without_text(path, (path,))
    return Place(workspace, draft, workspace.bibliography(draft))

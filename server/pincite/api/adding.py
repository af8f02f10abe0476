"""Add works to a bibliography: a search first, which sends nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..library.index import PaperIndex
from ..model.edits import applied
from ..model.problems import InputError
from ..parsing.bibliographies import parse_bibliography
from ..parsing.encoding import decoded, read_text
from ..project.adding import NewWork as NewWork
from ..project.adding import Target, added, encoding_for, target_of
from ..project.adding import WorkSearch as Search
from ..project.open_draft import Place
from ..project.project import is_bibliography
from ..project.workspace import Workspace
from ..settings import Settings, Zotero
from ..whole_files import replacing_text, rewrite
from .enriching import check_email
from .nouns import AnyPath
from .project import open
from .writing import encoded_as

_RIS = (".ris", ".enw")


@dataclass(frozen=True, slots=True)
class ServiceRequest:
    """What a service would be sent at most: identifiers, titles, perhaps your address and key."""

    service: str
    host: str
    values: tuple[str, ...]
    with_email: bool
    with_key: bool


def find_work(
    work: str | bytes | Path,
    *,
    bibliography: AnyPath | None = None,
    draft: AnyPath = ".",
    zotero: Zotero = "off",
    email: str = "",
) -> WorkSearch:
    """Search for a work to add to a bibliography, by default that of a draft; this sends nothing.

    `work` is a DOI, an arXiv id, a PMID, an ISBN, an address with one of these, a title, or entries
    in BibTeX, RIS or CSL, as bytes in any encoding; or the path of a paper, such as a PDF, or of a
    file with entries. Your other bibliographies beside this one are searched first, and Zotero with
    `zotero` set to ``auto``. The `bibliography` may be a new file. Raises `PinciteError` for any
    other `work`.

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
    if isinstance(work, Path) and (is_bibliography(work) or work.suffix.lower() in _RIS):
        work = read_text(work)
    elif isinstance(work, bytes):
        work = decoded(work).text
    return WorkSearch(place, work, email)


class WorkSearch(Search):
    """What was found of a work so far, which `find_work` returns.

    `works` are those that may be meant, best first, and `meant` those of them that are meant
    without doubt: none where you have to choose. `remarks` are what was found to be wrong on the
    way, such as the DOI of another work in a PDF.
    """

    @property
    def requests(self) -> tuple[ServiceRequest, ...]:
        """What `look_up` would send to whom; empty where nothing has to be sent."""
        return tuple(
            ServiceRequest(values=each.values, **each.source.shared(self.email)._asdict())
            for each in self.sent
        )

    def add(self, *works: NewWork) -> tuple[Path, ...]:
        """Add works to the bibliography; return the files that were changed, this one first.

        A new bibliography is named in the draft. Raises `PinciteError` if a key is taken by now or
        a file cannot be written; nothing is changed then.
        """
        place, texts = self._place, [work.entry for work in works]
        target = self._target(place.workspace.read)
        path = target.file.path

        def with_entries(data: bytes) -> bytes:
            text, encoding = decoded(data)
            now = self._target(lambda each: text if each == path else place.workspace.read(each))
            _, edit = added(now, texts, encoding_for(place, now, encoding))
            return encoded_as(data, applied(text, [edit]), encoding)

        def with_name(data: bytes) -> bytes:
            text, encoding = decoded(data)
            if text != place.workspace.read(place.draft.root):
                raise InputError(
                    f"{place.draft.root}: has changed in the meantime; name {path} in it"
                )
            return encoded_as(data, applied(text, target.naming), encoding)

        if path.exists():
            rewrite(path, with_entries)
        else:
            written = with_entries(b"").decode("utf-8")
            with replacing_text(path) as file:
                file.write(written)
        if not target.naming:
            return (path,)
        rewrite(place.draft.root, with_name)
        return (path, place.draft.root)

    def _target(self, read: Callable[[Path], str]) -> Target:
        draft = self._place.draft
        if is_bibliography(draft.root) and not draft.root.exists():
            return Target((), parse_bibliography("", draft.root))
        return target_of(self._place, read)


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

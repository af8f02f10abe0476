"""``pincite add``: add works to a bibliography, from your own libraries or from the network."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import typer

import pincite

from ..settings import EMAIL
from . import output
from .enrich import shared_values
from .options import EmailOption, YesOption, ZoteroUse, option
from .output import log, show

#: The suffixes of papers, and of files with entries.
_FILES: Final = (".pdf", ".bib", ".ris", ".enw", ".nbib", ".json", ".yaml", ".yml")
_STDIN: Final = "-"


def add(
    works: Annotated[
        list[str],
        typer.Argument(
            metavar="WORK...",
            help="DOIs, arXiv ids, PMIDs, ISBNs, addresses with one of these, titles in quotes, PDF"
            " files, or files with entries in BibTeX, RIS or CSL (- is the standard input).",
        ),
    ],
    bibliography: Annotated[
        Path | None,
        option("--bib FILE", "The bibliography, which may be new (default: that of the draft)."),
    ] = None,
    draft: Annotated[
        Path, option("--draft DRAFT", "The draft whose bibliography gets the works.")
    ] = Path(),
    email: EmailOption = "",
    zotero: Annotated[
        ZoteroUse, option("--zotero", "Search Zotero, if it is on this computer.")
    ] = ZoteroUse.auto,
    yes: YesOption = False,
    only_show: Annotated[
        bool, option("--show", "Show what would be sent to whom; send and add nothing.")
    ] = False,
) -> None:
    """Add works to a bibliography: from your own libraries, else from services, once you agree."""
    if email and EMAIL.fullmatch(email) is None:
        raise pincite.PinciteError(f"--email: {email!r} is not an e-mail address")
    failed = False
    find = partial(
        pincite.find_work,
        bibliography=bibliography,
        draft=draft,
        zotero=zotero.value,
        email=email,
    )
    searches: list[tuple[str, str | bytes | Path, pincite.WorkSearch]] = []
    for name in works:
        given = _given(name)
        try:
            search = find(given)
        except pincite.PinciteError as error:
            log(f"{name}: {error}" if len(works) > 1 else str(error))
            failed = True
        else:
            searches.append((name, given, search))
    asked = [search for _, _, search in searches if search.requests]
    agrees = _agrees(asked, agreed=yes, only_show=only_show)
    if only_show:
        raise typer.Exit(1 if failed else 0)
    for number, (name, given, search) in enumerate(searches):
        try:
            if number:  # the works before it are in the bibliography by now
                search = find(given)
            if search.requests and agrees:
                search.look_up()
        except pincite.PinciteError as error:
            log(f"{name}: {error}")
            failed = True
            continue
        for remark in search.remarks:
            log(remark)
        failed |= not _add(name, search)
    raise typer.Exit(1 if failed else 0)


def _given(name: str) -> str | bytes | Path:
    if name == _STDIN:
        return sys.stdin.buffer.read()
    path = Path(name)
    is_file = path.suffix.lower() in _FILES and "://" not in name
    return path if is_file else name


def _agrees(searches: Sequence[pincite.WorkSearch], *, agreed: bool, only_show: bool) -> bool:
    """Show what would be sent; return whether the author agrees to it."""
    sent: dict[tuple[str, str], dict[str, None]] = {}
    for search in searches:
        for each in search.requests:
            values = dict.fromkeys((*each.values, *shared_values(each)))
            sent.setdefault((each.service, each.host), {}).update(values)
    if not sent:
        if only_show:
            show("Nothing needs to be sent.")
        return True
    for (service, host), values in sent.items():
        named = "" if service == host else f" ({host})"
        show(f"to {service}{named}: at most")
        for value in values:
            show(value, 2)
    if any(service == "doi.org" for service, _ in sent):
        show("doi.org forwards a DOI to its registrar (Crossref, DataCite, mEDRA).")
    show("Nothing from a draft is sent.")
    return not only_show and output.may_send(agreed=agreed)


def _add(name: str, search: pincite.WorkSearch) -> bool:
    """Add the works that are meant; show what was done, and return whether it was."""
    meant = search.meant
    if not meant:
        if search.works:
            log(f"{name}: several works match; give the DOI of one of them")
            for work in search.works:
                show(f"{work.author_year}  {work.title}  ({_doi_of(work)}{work.origin})", 2)
        return False
    for work in meant:
        if work.there:
            show(f"{_described(work)} is there already: {work.there}")
    if not (new := [work for work in meant if not work.there]):
        return True
    try:
        path, *others = search.add(*new)
    except pincite.PinciteError as error:
        log(str(error))
        return False
    for work in new:
        show(f"added {work.key} to {path.name}: {_described(work)} ({work.origin})")
    for draft in others:
        show(f"{path.name} is new, and named in {draft.name}")
    return True


def _described(work: pincite.NewWork) -> str:
    return ", ".join(filter(None, (work.author_year, f"“{work.title}”")))


def _doi_of(work: pincite.NewWork) -> str:
    doi = next((line for line in work.entry.splitlines() if line.strip().startswith("doi")), "")
    return f"{doi.partition('{')[2].partition('}')[0]}, " if doi else ""

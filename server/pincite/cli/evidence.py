"""``pincite evidence``: the supporting sentences of every citation of a draft."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pincite

from .options import Options
from .output import (
    console,
    echo,
    languages_line,
    place_json,
    print_json,
    read_papers,
    report_problems,
    show,
    shown_place,
    support_json,
    support_line,
)


def run(given: Path, key: str | None, number: int | None, options: Options, as_json: bool) -> int:
    """Run the command and return its exit status."""
    project = pincite.open(given, **options)
    if project.citations:
        project.require_entries()
    read_papers(project)
    found = list(_found(project, key, number))
    if not found and key is not None:
        raise pincite.PinciteError(f"{given}: does not cite {key}")
    status = report_problems(project)
    if not found:
        echo(f"pincite: {given}: the draft cites nothing", err=True)
    if as_json:
        print_json({"draft": str(given), "citations": [_json(project, each) for each in found]})
    else:
        for each in found:
            _print(project, each)
    return status


def _found(
    project: pincite.Project, wanted: str | None, number: int | None
) -> Iterator[pincite.Support]:
    entry = None if wanted is None else project.entry(wanted)
    for citation in project.citations:
        for key in () if citation.listed_only else citation.cited:
            is_same = entry is not None and project.entry(key) == entry
            if wanted is None or key == wanted or is_same:
                yield project.support(citation.place, key, number)


def _json(project: pincite.Project, found: pincite.Support) -> dict[str, Any]:
    return {
        **place_json(project, found.place),
        "key": found.key,
        "citance": found.citance,
        "basis": list(found.basis),
        **support_json(found.sentences, found.languages),
    }


def _print(project: pincite.Project, found: pincite.Support) -> None:
    screen = console()
    what = found.entry.label if found.entry else ""
    where = shown_place(project, found.place)
    show(screen, f"{where}  {found.key}  {what}".rstrip(), 0, "bold")
    show(screen, found.citance, 2)
    if found.languages is not None:
        show(screen, languages_line(found.languages), 4)
    if found.sentences and "abstract" in found.basis:
        show(screen, "from the abstract; the full text was not found:", 4)
    for remark in found.remarks:
        show(screen, remark, 4)
    for sentence in found.sentences:
        show(screen, support_line(sentence, styled=screen.is_terminal), 4)
    screen.print()

"""``pincite citations``: every citation command of a draft and whether its keys are defined."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pincite

from .options import Options
from .output import counted, echo, print_json, relative, report, shown_place


def run(given: Path, options: Options, as_json: bool) -> int:
    """Run the command; return 1 when a key is undefined, else 0."""
    project = pincite.open(given, **options)
    report(project.problems_of("draft", "entries", "bibliographies"))
    found = project.citations
    if as_json:
        print_json({"draft": str(given), "citations": [_json(project, each) for each in found]})
    else:
        for each in found:
            undefined = f"  undefined: {', '.join(each.undefined)}" if each.undefined else ""
            place = shown_place(project, each.place)
            echo(f"{place}  {each.written}  {', '.join(each.keys)}{undefined}")
    undefined_keys = {key for each in found for key in each.undefined}
    summary = f"{counted(len(found), 'citation')}, {counted(len(undefined_keys), 'undefined key')}"
    if undefined_keys and (why := project.no_entries):
        summary += f"; {why}"
    echo(f"pincite: {given}: {summary}", err=True)
    return 1 if undefined_keys else 0


def _json(project: pincite.Project, citation: pincite.Citation) -> dict[str, Any]:
    places = zip(citation.keys, citation.key_places, strict=True)
    return {
        "file": relative(project, citation.place.file),
        "line": citation.place.line,
        "column": citation.place.column,
        "command": citation.command,
        "keys": [{"key": key, "line": at.line, "column": at.column} for key, at in places],
        "undefined": list(citation.undefined),
    }

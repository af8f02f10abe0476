"""``pincite library --merge``: make one entry of several that are the same work."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pincite

from . import output
from .output import counted, say, show

if TYPE_CHECKING:
    from ..api.writing import EntryPlace

#: Of a value that differs, so many characters are shown.
_MAX_VALUE = 300


def show_merging(
    project: pincite.Project, draft: Path, *, write: bool, aliases: bool, as_json: bool
) -> int:
    """Print what is merged as a diff, what is not and why; write it if asked to."""
    merging = pincite.plan_merge(project, aliases=aliases)
    output.show_changes(merging, draft, write=write, as_json=as_json, **_json(merging))
    if as_json:
        return 0
    for each in merging.unmerged:
        show(f"not merged: {each.why}", style="bold")
        for place in each.entries:
            show(f"{output.relative(place.path)}:{place.line}  {place.key}", 2)
        for field, mine, other in each.values:
            for value in (mine, other):
                shown = value if len(value) <= _MAX_VALUE else f"{value[:_MAX_VALUE]}…"
                show(f"{field} = {{{shown}}}", 4)
    gone = sum(len(each.gone) for each in merging.merges)
    what = f"{counted(len(merging.merges), 'work')} merged, {counted(gone, 'entry', 'entries')} "
    what += f"deleted, {counted(len(merging.unmerged), 'work')} left as they are"
    files = counted(len(merging.files), "file")
    if not merging.merges:
        say(f"{draft}: no duplicates to merge, {len(merging.unmerged)} left as they are")
    elif write:
        say(f"{draft}: {what}; {files} changed")
    else:
        say(f"{draft}: {what}, in {files}. Nothing was written; add --write to change the files")
    return 0


def _json(merging: pincite.Merging) -> dict[str, Any]:
    return {
        "merges": [
            {"kept": _place(each.kept), "gone": [_place(place) for place in each.gone]}
            for each in merging.merges
        ],
        "unmerged": [
            {
                "entries": [_place(place) for place in each.entries],
                "why": each.why,
                "fields": [{"field": f, "values": values} for f, *values in each.values],
            }
            for each in merging.unmerged
        ],
    }


def _place(place: EntryPlace) -> dict[str, Any]:
    return {"key": place.key, "file": output.relative(place.path), "line": place.line}

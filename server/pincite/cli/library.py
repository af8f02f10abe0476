"""The health of a draft's library, and merging what is in it twice (``--merge``)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import pincite

from . import output
from .options import LIBRARY, DraftArgument, Options, option, shared_options
from .output import counted, echo, first_of, log, picked, show, wrapped

if TYPE_CHECKING:
    from ..api.writing import EntryPlace

#: What a group lists; a wall of text helps nobody, and JSON has everything.
_MAX_PROBLEMS, _MAX_KEYS = 10, 40
#: Of a value that differs, so many characters are shown.
_MAX_VALUE = 300
#: Where one folder mends all missing files, a few show what they are.
_MAX_IN_FOLDER = 3
#: The groups in the order in which they are printed: first what one step mends for many entries.
_TITLES: dict[str, str] = {
    "missing-file": "Files that are not on this computer",
    "encrypted": "Encrypted files",
    "scanned": "Files without readable text",
    "unreadable": "Files that cannot be read",
    "broken-entry": "Broken entries",
    "duplicate": "Duplicates",
    "repeated-key": "Keys shared by several entries, only one of which is used",
    "no-year": "Entries without a year",
    "title-only": "Entries known by title only",
}
#: Groups in which all entries have the same problem: their keys are enough.
_ONLY_KEYS: frozenset[str] = frozenset(("repeated-key", "no-year", "title-only"))
_Listed = Sequence[tuple[str, "pincite.LibraryProblem"]]


@shared_options(*LIBRARY)
def library(
    draft: DraftArgument,
    merge: Annotated[
        bool,
        option("--merge", "Show how duplicates would be merged, in all drafts of the workspace."),
    ] = False,
    write: Annotated[bool, option("--write", "With --merge: change the files.")] = False,
    aliases: Annotated[
        bool, option("--aliases", "With --merge: keep old keys as aliases (ids), for biber.")
    ] = False,
    *,
    options: Options,
    as_json: bool,
) -> int:
    """Show what is known about each entry of a draft, what is wrong with it, and what to do."""
    project = output.opened(draft, options)
    project.require_entries()
    if merge:
        return _show_merging(project, draft, write=write, aliases=aliases, as_json=as_json)
    if write or aliases:
        raise pincite.PinciteError("--write and --aliases need --merge")
    output.read_papers(project)
    health = project.library()
    # What is wrong with entries and papers is in the result.
    output.report(project.problems_of("draft", "bibliographies", "setup"))
    if as_json:
        output.print_json({"draft": str(draft), **_health_json(health)})
    else:
        _show_health(draft, health)
    return 2 if health.counts.encrypted or health.counts.unreadable else 0


def _health_json(health: pincite.LibraryHealth) -> dict[str, Any]:
    return {
        "entries": [
            {
                **picked(entry, "key", "basis", "cited"),
                "file": entry.file and str(entry.file),
                "from_zotero": entry.from_zotero,
                "open_access": entry.open_access or None,
                "cited_by": entry.cited_by,
                "problems": [problem.message for problem in entry.problems],
                "kinds": [problem.kind for problem in entry.problems],
            }
            for entry in health.entries
        ],
        "counts": asdict(health.counts),
        "common_folder": health.common_folder and asdict(health.common_folder),
        "others": [problem.message for problem in health.others],
        "fetched": [asdict(each) for each in health.fetched],
    }


def _show_health(draft: Path, health: pincite.LibraryHealth) -> None:
    counts = health.counts
    entries = counted(counts.entries, "entry", "entries")
    show(f"{draft}: {entries}, {counts.cited} cited", style="bold")
    digits = len(f"{counts.entries:,}")
    bases = {"full text": counts.full_text, "abstract only": counts.abstract}
    for label, number in {**bases, "title only": counts.title}.items():
        show(f"{label:<14}{number:>{digits},}", 2)
    if counts.from_zotero:
        of_zotero = Counter[str](entry.basis for entry in health.entries if entry.from_zotero)
        kinds = ("full text", "abstract")
        given = (counted(of_zotero[basis], basis) for basis in kinds if of_zotero[basis])
        show(f"from Zotero: {', '.join(given)}", 2)
    for each in health.fetched:
        numbers = ((each.abstracts, "abstract"), (each.sentences, "citing sentence"))
        parts = [counted(number, noun) for number, noun in numbers if number]
        show(f"from {each.service}: {', '.join(parts)}", 2)
    listed: dict[str, list[tuple[str, pincite.LibraryProblem]]] = {}
    # What the draft cites matters most.
    ordered = sorted(health.entries, key=lambda entry: not entry.cited)
    found = [(entry.key, problem) for entry in ordered for problem in entry.problems]
    for key, problem in (*found, *(("", problem) for problem in health.others)):
        listed.setdefault(problem.kind, []).append((key, problem))
    if not listed:
        show("No problems found.")
    for kind, title in _TITLES.items():
        if group := listed.get(kind):
            echo()
            _show_group(kind, title, group, health)


def _show_group(kind: str, title: str, group: _Listed, health: pincite.LibraryHealth) -> None:
    number, cited = f"{len(group):,}", {e.key for e in health.entries if e.cited}
    is_missing = kind == "missing-file"
    if is_missing:
        number += f" of {health.counts.named_files}"
    number_cited = len({key for key, _ in group} & cited)
    if 0 < number_cited < len(group):
        number += f", {number_cited} of them cited (listed first)"
    show(f"{title}: {number}", style="bold")
    limit, common, advice = _MAX_PROBLEMS, health.common_folder, group[0][1].advice
    if is_missing and common is not None and len(group) > 1:
        number = "All" if common.shared == len(group) else f"{common.shared:,} of them"
        # The path on a line of its own: it may be long, and be copied.
        show(f"{number} are in one folder:", 2)
        show(common.folder, 4)
        advice, limit = advice.replace("its folder", "this folder"), _MAX_IN_FOLDER
    wrapped(f"{advice[0].upper()}{advice[1:]}.", 2)
    if kind in _ONLY_KEYS:
        keys = list(dict.fromkeys(key for key, _ in group))
        wrapped(", ".join(first_of(keys, _MAX_KEYS)), 4)
        return
    lines = (f"{key}  {each.file if is_missing else each.what}".strip() for key, each in group)
    for line in first_of(list(dict.fromkeys(lines)), limit):
        show(line, 4)


def _show_merging(
    project: pincite.Project, draft: Path, *, write: bool, aliases: bool, as_json: bool
) -> int:
    """Print what is merged as a diff, what is not and why; write it if asked to."""
    merging = pincite.plan_merge(project, aliases=aliases)
    output.show_changes(merging, draft, write=write, as_json=as_json, **_merging_json(merging))
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
        log(f"{draft}: no duplicates to merge, {len(merging.unmerged)} left as they are")
    elif write:
        log(f"{draft}: {what}; {files} changed")
    else:
        log(f"{draft}: {what}, in {files}. Nothing was written; add --write to change the files")
    return 0


def _merging_json(merging: pincite.Merging) -> dict[str, Any]:
    return {
        "merges": [
            {"kept": _entry_place(each.kept), "gone": [_entry_place(place) for place in each.gone]}
            for each in merging.merges
        ],
        "unmerged": [
            {
                "entries": [_entry_place(place) for place in each.entries],
                "why": each.why,
                "fields": [{"field": f, "values": values} for f, *values in each.values],
            }
            for each in merging.unmerged
        ],
    }


def _entry_place(place: EntryPlace) -> dict[str, Any]:
    return {"key": place.key, "file": output.relative(place.path), "line": place.line}

"""``pincite library``: the health of a draft's library."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console

import pincite

from .options import Options
from .output import (
    console,
    counted,
    first_of,
    print_json,
    read_papers,
    report,
    show,
    wrapped,
)

#: What a group lists; a wall of text helps nobody, and JSON has everything.
_MAX_PROBLEMS, _MAX_KEYS = 10, 40
#: Where one folder mends all missing files, a few show what they are.
_MAX_IN_FOLDER = 3
_BASES = {"full_text": "full text", "abstract": "abstract only", "title": "title only"}
#: The groups in the order in which they are printed: first what one step mends for many entries.
_TITLES: dict[str, str] = {
    "missing-file": "Files that are not on this computer",
    "encrypted": "Encrypted files",
    "scanned": "Files without text",
    "unreadable": "Files that cannot be read",
    "broken-entry": "Broken entries",
    "duplicate": "Duplicates",
    "repeated-key": "Keys of several entries, of which only one counts",
    "no-year": "Entries without a year",
    "title-only": "Entries of which only the title is known",
}
#: Groups in which all entries have the same problem: their keys say everything.
_ONLY_KEYS: frozenset[str] = frozenset(("repeated-key", "no-year", "title-only"))
_Listed = Sequence[tuple[str, pincite.LibraryProblem]]


def run(given: Path, options: Options, as_json: bool) -> int:
    """Run the command and return its exit status: 2 if a paper is broken."""
    project = pincite.open(given, **options)
    project.require_entries()
    read_papers(project)
    health = project.library()
    # What is wrong with entries and papers is in the result.
    report(project.problems_of("draft", "bibliographies", "setup"))
    if as_json:
        print_json(_json(given, health))
    else:
        _print(given, health)
    return 2 if health.counts.encrypted or health.counts.unreadable else 0


def _json(given: Path, health: pincite.LibraryHealth) -> dict[str, Any]:
    common = health.common_folder
    return {
        "draft": str(given),
        "entries": [
            {
                "key": entry.key,
                "basis": entry.basis,
                "cited": entry.cited,
                "file": None if entry.file is None else str(entry.file),
                "from_zotero": entry.from_zotero,
                "open_access": entry.open_access or None,
                "cited_by": entry.cited_by,
                "problems": [problem.message for problem in entry.problems],
                "kinds": [problem.kind for problem in entry.problems],
            }
            for entry in health.entries
        ],
        "counts": asdict(health.counts),
        "common_folder": None if common is None else asdict(common),
        "others": [problem.message for problem in health.others],
        "fetched": [asdict(each) for each in health.fetched],
    }


def _print(given: Path, health: pincite.LibraryHealth) -> None:
    screen = console()
    counts = asdict(health.counts)
    entries = counted(health.counts.entries, "entry", "entries")
    show(screen, f"{given}: {entries}, {health.counts.cited} cited", 0, "bold")
    digits = len(f"{health.counts.entries:,}")
    for name, label in _BASES.items():
        show(screen, f"{label:<14}{counts[name]:>{digits},}", 2)
    if health.counts.from_zotero:
        show(screen, _of_zotero(health), 2)
    for each in health.fetched:
        numbers = ((each.abstracts, "abstract"), (each.sentences, "citing sentence"))
        parts = [counted(number, noun) for number, noun in numbers if number]
        show(screen, f"from {each.service}: {', '.join(parts)}", 2)
    listed: dict[str, list[tuple[str, pincite.LibraryProblem]]] = {}
    # What the draft cites matters most.
    ordered = sorted(health.entries, key=lambda entry: not entry.cited)
    found = [(entry.key, problem) for entry in ordered for problem in entry.problems]
    for key, problem in (*found, *(("", problem) for problem in health.others)):
        listed.setdefault(problem.kind, []).append((key, problem))
    if not listed:
        show(screen, "No problems found.", 0)
    for kind, title in _TITLES.items():
        if group := listed.get(kind):
            screen.print()
            _print_group(screen, kind, title, group, health)


def _of_zotero(health: pincite.LibraryHealth) -> str:
    """Return what Zotero gave: ``from Zotero: 3 full texts, 1 abstract``."""
    bases = Counter[str](entry.basis for entry in health.entries if entry.from_zotero)
    names: dict[str, tuple[str, str]] = {
        "full text": ("full text", "full texts"),
        "abstract": ("abstract", "abstracts"),
    }
    given = (counted(bases[basis], *name) for basis, name in names.items() if bases[basis])
    return f"from Zotero: {', '.join(given)}"


def _print_group(
    screen: Console, kind: str, title: str, group: _Listed, health: pincite.LibraryHealth
) -> None:
    number, cited = f"{len(group):,}", {e.key for e in health.entries if e.cited}
    if kind == "missing-file":
        number += f" of {health.counts.named_files}"
    number_cited = len({key for key, _ in group} & cited)
    if 0 < number_cited < len(group):
        number += f", {number_cited} of them cited (listed first)"
    show(screen, f"{title}: {number}", 0, "bold")
    most, common, advice = _MAX_PROBLEMS, health.common_folder, group[0][1].advice
    if kind == "missing-file" and common is not None and len(group) > 1:
        number = "All" if common.shared == len(group) else f"{common.shared:,} of them"
        # The path on a line of its own: it may be long, and be copied.
        show(screen, f"{number} are in one folder:", 2)
        show(screen, common.folder, 4)
        advice = advice.replace("its folder", "this")
        most = _MAX_IN_FOLDER
    wrapped(screen, f"{advice[0].upper()}{advice[1:]}.", 2)
    if kind in _ONLY_KEYS:
        keys = list(dict.fromkeys(key for key, _ in group))
        wrapped(screen, ", ".join(first_of(keys, _MAX_KEYS)), 4)
        return
    lines = dict.fromkeys(_line(key, problem) for key, problem in group)
    for line in first_of(list(lines), most):
        show(screen, line, 4)


def _line(key: str, problem: pincite.LibraryProblem) -> str:
    if problem.kind == "missing-file":
        return f"{key}  {problem.file}"
    return f"{key}  {problem.what}".strip()

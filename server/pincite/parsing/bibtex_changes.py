"""A bibliography after an edit: the entries around the edit are read anew, all others kept.

An author who types in a bibliography of tens of thousands of entries changes one of them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path

from .bibtex import Bibliography, Reader, inherits, line_ends
from .bibtex_entry import ENTRY_START, begins_entry


def parse_changed(
    text: str,
    path: Path,
    strings: Mapping[str, str],
    before: str,
    known: Bibliography,
) -> Bibliography | None:
    """Return what `parse_bibliography` gives for a text, from what it gave for the text `before`.

    `path` and `strings` are the same as then. None where an edit may have changed what entries
    elsewhere mean (macros, inheritance, keys used twice) or how their problems are worded.
    """
    if known.inherits or known.data_entries or not known.entries:
        return None
    first, last = _changed(before, text)
    grown = len(text) - len(before)
    entries, places = known.entries, known.places
    # Whole entries that nothing else reaches into, and one more on each side.
    low = max(0, bisect_left(places.starts, first) - 2)
    high = bisect_right(places.starts, last)
    begin, line = (places.starts[low], places.line(low)) if low else (0, 1)
    old_end = places.starts[high] if high < len(entries) else len(before)
    end = old_end + grown
    is_bounded = (not low or _begins(text, begin)) and (
        high == len(entries) or (_begins(before, old_end) and _begins(text, end))
    )
    if not is_bounded or known.strings_end > begin:
        return None
    reader = Reader(text, path, {**strings, **known.strings})
    reader.read(begin, end, line)
    new_lines = line_ends(text, begin, end) - line_ends(before, begin, old_end)
    keys = {entry.key for entry in entries[low:high]}
    if not _alone(reader, known, keys, begin, new_lines):
        return None
    faults, problems, repeated = known.faults, known.problems, known.repeated
    last_line = line + line_ends(before, begin, old_end)
    behind = high < len(entries)
    return replace(
        known,
        entries=(*entries[:low], *reader.entries.values(), *entries[high:]),
        places=places.spliced(low, high, reader.places, new_lines, grown),
        problems=(
            *(each for each in problems if (each.line or 0) < line),
            *reader.problems,
            *(each for each in problems if behind and (each.line or 0) >= last_line),
        ),
        repeated=(
            *(key for key in repeated if key.span.start < begin),
            *reader.repeated,
            *(
                replace(key, span=key.span.moved(grown))
                for key in repeated
                if key.span.start >= old_end
            ),
        ),
        faults=(
            *(each for each in faults if each.entry.start < begin),
            *reader.faults,
            *(
                replace(each, offset=each.offset + grown, entry=each.entry.moved(grown))
                for each in faults
                if each.entry.start >= old_end
            ),
        ),
    )


def _alone(
    reader: Reader, known: Bibliography, keys: Collection[str], begin: int, new_lines: int
) -> bool:
    """Tell whether what was read anew is nothing to entries elsewhere, nor what stood there.

    `keys` are those of the entries that stood there.
    """
    if reader.strings_end or reader.repeated or reader.has_data:
        return False
    if any(map(inherits, reader.entries.values())):
        return False
    if any(key in known.places for key in reader.entries if key not in keys):
        return False
    if any(key.key in keys or key.key in reader.entries for key in known.repeated):
        return False
    faults = [*reader.faults, *known.faults]
    if any(fault.kind == "no macro" for fault in faults):  # told once for each macro
        return False
    # Messages name lines.
    return not new_lines or all(fault.entry.start < begin for fault in known.faults)


def _changed(before: str, text: str) -> tuple[int, int]:
    """Return from where to where, in the text before, two texts differ."""
    low, high = 0, min(len(before), len(text))
    while low < high:
        middle = (low + high + 1) // 2
        if text.startswith(before[low:middle], low):
            low = middle
        else:
            high = middle - 1
    first, grown = low, len(text) - len(before)
    low, high = max(first, first - grown), len(before)
    while low < high:
        middle = (low + high) // 2
        if text.endswith(before[middle:high], 0, high + grown):
            high = middle
        else:
            low = middle + 1
    return first, high


def _begins(text: str, offset: int) -> bool:
    start = ENTRY_START.match(text, offset)
    return start is not None and begins_entry(text, start)

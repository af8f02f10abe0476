"""A bibliography after an edit: the entries around the edit are read anew, all others kept.

An author who types in a bibliography of tens of thousands of entries changes one of them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import AnyStr, Final

from ...model.edits import TextEdit
from .bibliography import Bibliography, in_pieces
from .entry import ENTRY_START, begins_entry
from .inherit import inherits
from .reader import Reader, line_ends

#: Pieces of text that are compared at once: many, and then each of those that are not the same.
_COMPARED: Final = (256, 1)


def parse_changed(
    now: str | bytes | TextEdit, path: Path, strings: Mapping[str, str], known: Bibliography
) -> Bibliography | None:
    """Return what `parse_bibliography` gives for a text, from what it gave for an earlier one.

    The text may be told by the edit that made it from the earlier one; bytes are UTF-8, and decoded
    only where they changed. `path` and `strings` are the same as then. What is `known` is returned
    where the text is the same. None where an edit may have changed what entries elsewhere mean
    (macros, inheritance, keys used twice), how their problems are worded, or the encoding.
    """
    pieces, change = known.pieces, _change(now, known)
    if change is None:
        return known
    if known.inherits or known.data_entries or not known.entries:
        return None
    entries, places = known.entries, known.places
    # Whole entries that nothing else reaches into, and one more on each side.
    low = max(0, change.first // 2 - 2)
    high = min(change.last // 2 + 1, len(entries))
    first, last = 2 * low + 1 if low else 0, 2 * high
    begin, line = (places.starts[low], places.line(low)) if low else (0, 1)
    before = "".join(pieces[first : last + 1])
    try:
        after = change.within(first, last)
    except UnicodeDecodeError:
        return None
    # What stands around is the same.
    in_front, behind = "".join(pieces[max(0, first - 2) : first]), pieces[last + 1 : last + 2]
    is_bounded = all(
        (not low or _begins("".join((in_front, *rest)), len(in_front)))
        and (not behind or _begins("".join((in_front, *rest)), len(in_front) + len(rest[0])))
        for rest in ((before, *behind), (after, *behind))
    )
    if not is_bounded or known.strings_end > begin:
        return None
    reader = Reader(after, path, {**strings, **known.strings})
    reader.read(line=line)
    old_lines = line_ends(before, 0, len(before))
    new_lines = line_ends(after, 0, len(after)) - old_lines
    keys = {entry.key for entry in entries[low:high]}
    if not _alone(reader, known, keys, begin, new_lines):
        return None
    grown, old_end, last_line = len(after) - len(before), begin + len(before), line + old_lines
    new = in_pieces(after, reader.places, reader.texts)
    if low:  # the gap in front is none of those that were read anew
        new = (pieces[first - 1] + new[0], *new[1:])
    faults, problems, repeated = known.faults, known.problems, known.repeated
    return replace(
        known,
        entries=(*entries[:low], *reader.entries.values(), *entries[high:]),
        places=places.spliced(low, high, reader.places.moved(0, begin), new_lines, grown),
        pieces=(*pieces[: 2 * low], *new, *pieces[last + 1 :]),
        problems=(
            *(each for each in problems if (each.line or 0) < line),
            *reader.problems,
            *(each for each in problems if behind and (each.line or 0) >= last_line),
        ),
        repeated=(
            *(key for key in repeated if key.span.start < begin),
            *(key.moved(begin) for key in reader.repeated),
            *(key.moved(grown) for key in repeated if key.span.start >= old_end),
        ),
        faults=(
            *(each for each in faults if each.entry.start < begin),
            *(each.moved(begin) for each in reader.faults),
            *(each.moved(grown) for each in faults if each.entry.start >= old_end),
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


@dataclass(frozen=True, slots=True)
class _Change:
    """What is not the same in a text that consisted of `pieces`.

    The pieces from `first` to `last` are others; `text`, which is the new text or the part of it
    that was looked at, has something else for them from `begin` to `end`.
    """

    pieces: Sequence[str]
    text: str | bytes
    first: int
    last: int
    begin: int
    end: int

    def within(self, first: int, last: int) -> str:
        """Return what stands where some pieces stood that the change lies in."""
        before = "".join(self.pieces[first : self.first])
        behind = "".join(self.pieces[self.last + 1 : last + 1])
        new = self.text[self.begin : self.end]
        return f"{before}{new if isinstance(new, str) else new.decode()}{behind}"


def _change(now: str | bytes | TextEdit, known: Bibliography) -> _Change | None:
    """Return the change that made a text of a known one; None where it is the same."""
    pieces = known.pieces
    if isinstance(now, bytes):
        return _changed(pieces, (0, len(pieces) - 1), now, _utf8)
    if isinstance(now, str):
        return _changed(pieces, (0, len(pieces) - 1), now, str)
    # The gaps in which the edit begins and ends, or else those around the entries where it does.
    starts, ends = known.places.starts, known.places.ends
    low, high = bisect_right(ends, now.span.start), bisect_left(starts, now.span.end)
    begin = ends[low - 1] if low else 0
    before = "".join(pieces[2 * low : 2 * high + 1])
    start, end = now.span.start - begin, now.span.end - begin
    return _changed(pieces, (2 * low, 2 * high), f"{before[:start]}{now.text}{before[end:]}", str)


def _changed(
    pieces: Sequence[str], within: tuple[int, int], text: AnyStr, coded: Callable[[str], AnyStr]
) -> _Change | None:
    """Return the change that made a text of some pieces; None where it is the same.

    `within` are the numbers of the first and the last piece for which the text stands.
    """
    (first, last), begin, end = within, 0, len(text)
    # What was added behind the last one belongs to it.
    for size in _COMPARED:
        while first < last:
            block = coded("".join(pieces[first : min(first + size, last)]))
            if not text.startswith(block, begin):
                break
            first, begin = min(first + size, last), begin + len(block)
    if first == last and text[begin:] == coded(pieces[last]):
        return None
    for size in _COMPARED:
        while last - size >= first:
            block = coded("".join(pieces[last - size + 1 : last + 1]))
            if not text.endswith(block, begin, end):
                break
            last, end = last - size, end - len(block)
    return _Change(pieces, text, first, last, begin, end)


def _utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        # An editor may send half of a character: no UTF-8 has it.
        return b"\xff"


def _begins(text: str, offset: int) -> bool:
    start = ENTRY_START.match(text, offset)
    return start is not None and begins_entry(text, start)

"""Find what is wrong with a bibliography: by part, reported with places in the file."""

from __future__ import annotations

from collections.abc import Iterator

from ...model.bibliographies import Fault
from ...model.problems import Problem
from ...model.programs import Program
from ...model.spans import TextSpan, line_ends
from .commands import Commands
from .entry import ENTRY_START, MONTHS, CommandFault
from .parts import CheckedCommand, Part, check, decoded, read

#: A value that is too long would need hundreds of macros that are shorter than this.
_LONG_MACRO = 500


def faults_of(file: Commands) -> tuple[tuple[Fault, ...], tuple[Problem, ...]]:
    """Return what is wrong with a file, by place and by entry."""
    faults: list[Fault] = []
    problems: list[Problem] = []
    defined = _first_definitions(file)
    used: set[str] = set()
    for position, part, checked in _checked_commands(file):
        start, line = file.start(position), file.line(position)
        entry = TextSpan(start, start + checked.length)
        written = part.written(checked.number)
        what = f"@{part.kinds[checked.number]} {part.keys[checked.number]}".rstrip()
        told: list[str] = []
        for message, offset, kind in checked.faults:
            faults.append(Fault(message, start + offset, entry, kind))
            if kind == "comment":
                continue  # most who write one use biber
            lines = line_ends(decoded(written)[:offset])
            told.append(message + (f" (line {line + lines})" if lines else ""))
        if told:
            problems.append(Problem(file.path, line, f"{what}: {'; '.join(told)}"))
        for name, offset in checked.uses:
            # Reported once, at the first use.
            if name.lower() in used:
                continue
            used.add(name.lower())
            if defined.get(name.lower(), position) < position:
                continue
            message = f"@string macro {name} is not defined"
            faults.append(Fault(message, start + offset, entry, "no macro"))
            problems.append(Problem(file.path, line, f"{what}: {message}"))
    for head, start, line in file.bare_heads():
        message = f"{head.written} has no entry after it: add {{key, ...}}, or delete it"
        end = start + head.end - head.start
        faults.append(Fault(message, start, TextSpan(start, end)))
        problems.append(Problem(file.path, line, message))
    # Sorted, as bare heads are between the entries.
    faults.sort(key=lambda fault: fault.entry.start)
    problems.sort(key=lambda problem: problem.line or 0)
    return tuple(faults), tuple(problems)


def key_used(line: int, program: Program) -> str:
    """Return what is wrong with an entry whose key the entry in a `line` has, which counts."""
    if program.last_counts:
        return f"key used again in line {line}; the last entry counts"
    return f"key already used in line {line}; the first entry counts"


def _first_definitions(file: Commands) -> dict[str, int]:
    """Return the defining command of each macro, -1 if it is defined before the file."""
    macros = file.macros
    defined = dict.fromkeys(macros.before, -1)
    for position, names in zip(file.definitions, macros.defined, strict=True):
        for name in names:
            defined.setdefault(name, position)
    return defined


def _checked_commands(file: Commands) -> Iterator[tuple[int, Part, CheckedCommand]]:
    """Yield the commands that have faults, in order."""
    longest = max(map(len, file.macros.at_end.known.values()))
    repeated = set(file.repeated_positions)
    for number, part in zip(file.numbers, file.parts, strict=False):
        # The value of a macro can itself be a fault only if it is long.
        checked = part.checked if longest <= _LONG_MACRO else _with_macros(file, part, number)
        found = {each.number: each for each in checked}
        for index in range(len(part)) if repeated else ():
            if number + index in repeated:
                found[index] = _repeated(file, part, index, found.get(index))
        for index in sorted(found):
            yield number + index, part, found[index]


def _with_macros(file: Commands, part: Part, number: int) -> tuple[CheckedCommand, ...]:
    return check(part, lambda index: file.macros_at(number + index).known)


def _repeated(
    file: Commands, part: Part, index: int, found: CheckedCommand | None
) -> CheckedCommand:
    """Return what is wrong with an entry whose key one that counts has."""
    written, key = part.written(index), part.keys[index]
    if found is None:
        found = CheckedCommand(index, read(written, MONTHS).end, (), ())
    message = key_used(file.line(file.positions[key]), file.program)
    head = ENTRY_START.match(decoded(written))
    again = CommandFault(message, head.end() if head else 0, "key used")
    return found._replace(faults=(*found.faults, again))

"""What authors have decided about findings: a file beside the draft, made for version control.

It has one decision on each line, sorted, each a line of TOML that can be read alone: what a merge
leaves is read as far as it can be, and lines that two authors have added both stay. A decision
holds as long as what it was made about: the words of the sentence and the work, or the work and
what is known about it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, Final

from ..model.problems import InputError, Problem
from ..parsing.encoding import decoded
from ..text.characters import valid, without_controls
from ..whole_files import replacing_text, rewrite
from .references import REFERENCE_KINDS
from .whole_draft import KINDS, OF_WORKS, Finding

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FILE_NAME: Final = "pincite.decisions.toml"
ALL_KINDS: Final = (*KINDS, *REFERENCE_KINDS)
_REMARK: Final = (
    "# Findings of `pincite check` that were reviewed and accepted, one per line. In a merge,"
    " keep the lines of both sides.\n"
)
_CONFLICT: Final = ("<<<<<<<", "=======", ">>>>>>>", "|||||||")
#: Sentences with fewer words in common are not versions of each other.
_MIN_ALIKE: Final = 0.5
_MAX_SHOWN: Final = 12


@dataclass(frozen=True, slots=True)
class Decision:
    """A finding that was accepted: what was decided about, when (ISO 8601), why, and by whom.

    `about` are the words of the sentence, or what is known about the `work`.
    """

    id: str
    kind: str
    key: str
    work: str
    about: str
    on: str
    note: str = ""
    by: str = ""

    @classmethod
    def of(cls, finding: Finding, note: str = "", by: str = "") -> Decision:
        """Return the decision to accept a finding today."""
        what = finding.id, finding.kind, finding.key, finding.work, finding.about
        return cls(*what, date.today().isoformat(), note, by)

    def line(self) -> str:
        """Return the decision as a line of TOML."""
        named = (
            (name, getattr(self, name)) for name in ("kind", "key", "work", "about", "note", "by")
        )
        values = [f"{name} = {_quoted(value)}" for name, value in named if value]
        return f"{self.id} = {{ {', '.join([*values[:2], f'on = {self.on}', *values[2:]])} }}\n"


@dataclass(frozen=True, slots=True)
class Decisions:
    """The decisions in a file, by their ids, and what could not be read of it."""

    made: Mapping[str, Decision]
    problems: tuple[Problem, ...] = ()

    def change(self, finding: Finding, found: Iterable[Finding]) -> str:
        """Return what has changed since a similar finding was accepted; "" if none was."""
        ids = {each.id for each in found}
        about, best, decided = finding.about.split(), _MIN_ALIKE, None
        for each in self.made.values():
            if (each.kind, each.key) != (finding.kind, finding.key) or each.id in ids:
                continue
            alike = SequenceMatcher(None, about, each.about.split(), autojunk=False).ratio()
            if alike >= best or finding.kind in OF_WORKS:
                best, decided = alike, each
        if decided is None:
            return ""
        since = f"It was accepted on {decided.on}; since then"
        if decided.work != finding.work:
            return f"{since} the work has changed from {decided.work} to {finding.work}."
        if finding.kind in OF_WORKS:
            return f"{since} what is known about the work has changed (before: {decided.about})."
        gone, new = _differing(decided.about.split(), about)
        parts = [f"“{gone}” is gone"] * bool(gone) + [f"“{new}” is new"] * bool(new)
        how = ", ".join(parts) or "its words are in another order"
        return f"{since} the sentence has changed: {how}."


def read_decisions(path: Path) -> Decisions:
    """Return the decisions in a file, none if there is no file; it never fails."""
    try:
        lines, problems = _lines(path, path.read_bytes())
    except FileNotFoundError:
        return Decisions({})
    except OSError as error:
        return Decisions({}, (Problem(path, None, error.strerror or str(error)),))
    made: dict[str, Decision] = {}
    for name, (number, value, _) in lines.items():
        if (decision := _decision(name, value)) is None:
            problems.append(
                Problem(path, number, "is not a decision that Pincite knows; it was left as it is")
            )
        else:
            made[name] = decision
    return Decisions(made, tuple(problems))


def accept(path: Path, accepted: Sequence[Decision], withdrawn: Collection[str] = ()) -> None:
    """Add decisions to a file, replacing earlier ones about the same, or withdraw some.

    `withdrawn` are ids. All other lines stay as they are. Raises `InputError` if the file cannot be
    written, or has lines that cannot be read, such as the marks of a conflict.
    """

    def with_decisions(data: bytes) -> bytes:
        lines, problems = _lines(path, data)
        if problems:
            raise InputError(f"{problems[0]}; nothing was written")
        written = {name: line for name, (_, _, line) in lines.items() if name not in withdrawn}
        written |= {each.id: each.line() for each in accepted}
        remarks = [f"{each}\n" for each in _split(data) if each.lstrip().startswith("#")]
        body = sorted(written.values(), key=_order)
        return "".join((*(remarks or [_REMARK]), *body)).encode("utf-8")

    try:
        if path.is_file():
            rewrite(path, with_decisions)
        else:
            with replacing_text(path) as file:
                file.write(with_decisions(b"").decode("utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror or error})") from None


def _lines(path: Path, data: bytes) -> tuple[dict[str, tuple[int, Any, str]], list[Problem]]:
    """Return the lines of a file by the names that they define, and what is wrong with others."""
    lines: dict[str, tuple[int, Any, str]] = {}
    problems = []
    for number, line in enumerate(_split(data), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if line.startswith(_CONFLICT):
            message = "is a conflict marker: remove it and keep the lines of both sides"
            problems.append(Problem(path, number, message))
            continue
        try:
            found = tomllib.loads(line)
        except (ValueError, RecursionError) as error:
            problems.append(Problem(path, number, f"cannot be read: {error}"))
            continue
        for name, value in found.items():
            before = lines.get(name)
            if before is None or _day(before[1]) <= _day(value):
                lines[name] = (number, value, f"{line}\n")
    return lines, problems


def _order(line: str) -> tuple[str, str, str]:
    ((name, value),) = tomllib.loads(line).items()
    decided = value if isinstance(value, dict) else {}
    return str(decided.get("kind", "")), str(decided.get("key", "")), name


def _split(data: bytes) -> list[str]:
    """Return lines as TOML has them: notes may contain the line separators of Unicode."""
    return decoded(data).text.replace("\r\n", "\n").split("\n")


def _day(value: object) -> str:
    return str(value.get("on", "")) if isinstance(value, dict) else ""


def _decision(name: str, value: object) -> Decision | None:
    if not isinstance(value, dict) or value.get("kind") not in ALL_KINDS:
        return None
    texts = {each: value.get(each, "") for each in ("kind", "key", "work", "about", "note", "by")}
    if not all(isinstance(each, str) for each in texts.values()):
        return None
    return Decision(name, on=_day(value), **texts)


def _quoted(value: str) -> str:
    """Return a string of TOML: one of JSON is one, if it has no control characters."""
    return json.dumps(valid(without_controls(value)), ensure_ascii=False)


def _differing(before: Sequence[str], now: Sequence[str]) -> tuple[str, str]:
    gone: list[str] = []
    new: list[str] = []
    matcher = SequenceMatcher(None, before, now, autojunk=False)
    for kind, start, end, start_now, end_now in matcher.get_opcodes():
        if kind != "equal":
            gone += before[start:end]
            new += now[start_now:end_now]
    return " ".join(gone[:_MAX_SHOWN]), " ".join(new[:_MAX_SHOWN])

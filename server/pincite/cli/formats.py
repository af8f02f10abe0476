"""Findings for programs that show them beside the text: SARIF 2.1.0 and GitHub's annotations."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import pincite

from . import output

#: How serious a finding of a kind is in SARIF; all others are notes.
_LEVELS: Final = {
    "undefined-key": "error",
    "retracted": "error",
    "wrong-identifier": "error",
    "placeholder": "warning",
    "weak-support": "warning",
    "not-found": "warning",
}
_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif(known: pincite.Decided) -> dict[str, Any]:
    """Return findings as a log in SARIF; those that were accepted are suppressed.

    https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
    """
    from ..api.nouns import KIND_TITLES

    findings = [each for each, _ in known.undecided]
    results = [_result(each) for each in findings]
    for each, made in known.accepted:
        suppressed = {"kind": "external", "status": "accepted"}
        suppressed |= {"justification": made.note} if made.note else {}
        results.append(_result(each) | {"suppressions": [suppressed]})
    kinds = dict.fromkeys(each["ruleId"] for each in results)
    rules = [
        {
            "id": kind,
            "shortDescription": {"text": KIND_TITLES[kind][0]},
            "fullDescription": {"text": KIND_TITLES[kind][1]},
        }
        for kind in kinds
    ]
    driver = {"name": "pincite", "version": pincite.__version__, "rules": rules}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(finding: pincite.Finding) -> dict[str, Any]:
    region = {"startLine": finding.place.line, "startColumn": finding.place.column}
    path, inside = finding.place.file, _inside(finding.place.file)
    uri = path.as_uri() if inside is None else quote(os.fsencode(inside))
    place = {"artifactLocation": {"uri": uri}, "region": region}
    return {
        "ruleId": finding.kind,
        "level": _LEVELS.get(finding.kind, "note"),
        "message": {"text": finding.message},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {"finding/v1": finding.id},
    }


def _inside(path: Path) -> str | None:
    """Return a path from the current folder, which is the repository's for these programs."""
    found = output.relative(path)
    return None if found.startswith("../") or Path(found).is_absolute() else found


def github(findings: Iterable[pincite.Finding]) -> Iterator[str]:
    """Yield the commands of a workflow that annotate a change on GitHub.

    https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
    """
    for each in findings:
        level = _LEVELS.get(each.kind, "notice")
        place = _inside(each.place.file) or str(each.place.file)
        values = {
            "file": place,
            "line": each.place.line,
            "col": each.place.column,
            "title": f"pincite: {each.kind}",
        }
        named = ",".join(f"{name}={_escaped(str(value), ':,')}" for name, value in values.items())
        yield f"::{level} {named}::{_escaped(each.message)}"


def _escaped(text: str, also: str = "") -> str:
    for sign in f"%\r\n{also}":
        text = text.replace(sign, f"%{ord(sign):02X}")
    return text

"""``pincite citations``: every citation command of a draft and whether its keys are defined."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..checking.whole_draft import CheckedDraft, has_no_bibliography, undefined_in
from ..model.drafts import Citation, CitationKey, DraftFile
from ..parsing.drafts import syntax_of
from .inputs import DraftInput, read_input, report
from .options import DraftOptions
from .output import counted, echo, print_json


def run(given: Path, options: DraftOptions, output: str) -> int:
    """Run the command; return 1 when a key is undefined, else 0."""
    draft = read_input(given, options)
    report((*draft.draft.problems, *draft.bibliography.problems))
    is_undefined = _undefined(draft)
    found = [
        _item(draft, file, citation, is_undefined)
        for file in draft.draft.files
        for citation in file.citations
    ]
    if output == "json":
        print_json({"draft": str(given), "citations": found})
    else:
        for item in found:
            keys = ", ".join(key["key"] for key in item["keys"])
            undefined = f"  undefined: {', '.join(item['undefined'])}" if item["undefined"] else ""
            place = f"{item['file']}:{item['line']}:{item['column']}"
            command = syntax_of(draft.draft.path).shown(item["command"])
            echo(f"{place}  {command}  {keys}{undefined}")
    undefined_keys = {key for item in found for key in item["undefined"]}
    summary = f"{counted(len(found), 'citation')}, {counted(len(undefined_keys), 'undefined key')}"
    if undefined_keys and not draft.bibliography.entries:
        summary += f"; {draft.no_entries()}"
    echo(f"pincite: {given}: {summary}", err=True)
    return 1 if undefined_keys else 0


def _undefined(draft: DraftInput) -> Callable[[DraftFile, CitationKey], bool]:
    """Return whether a key is undefined, as ``pincite check`` and the server say it."""
    bibliography = draft.bibliography
    checked = CheckedDraft(draft.draft, bibliography.files, bibliography.find)
    found = [
        (file.path, each) for file in draft.draft.files for each in undefined_in(checked, file)
    ]
    if has_no_bibliography(checked):
        names = {each.key for _, each in found}
        return lambda _file, key: key.key.lstrip("*") in names
    places = {(path, each.span) for path, each in found}
    return lambda file, key: (file.path, key.span) in places


def _item(
    draft: DraftInput,
    file: DraftFile,
    citation: Citation,
    is_undefined: Callable[[DraftFile, CitationKey], bool],
) -> dict[str, Any]:
    line, column = file.line_column(citation.span.start)
    keys = []
    for key in citation.keys:
        key_line, key_column = file.line_column(key.span.start)
        keys.append({"key": key.key, "line": key_line, "column": key_column})
    undefined = [key.key for key in citation.keys if is_undefined(file, key)]
    return {
        "file": draft.relative(file.path),
        "line": line,
        "column": column,
        "command": citation.command,
        "keys": keys,
        "undefined": list(dict.fromkeys(undefined)),
    }

"""What the commands print about a draft, as JSON."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

from where import EXAMPLES, ROOT

COMMANDS = {
    "citations": ("citations",),
    "recommend": ("recommend", "--all"),
    "evidence": ("evidence",),
    "check": ("check",),
    "library": ("library",),
}
ARTICLES_EACH = 10
_DRAFT_SUFFIXES = {".tex", ".md", ".qmd", ".Rmd", ".typ"}


def drafts(shared: Path) -> dict[str, Path]:
    """Return the main file of every draft, by the name of its records."""
    data = shared / "data"
    found = {
        f"examples/{name}": EXAMPLES / name for name in ("survey.tex", "notes.qmd", "notes.typ")
    }
    for folder in (data / "wild", data / "drafts"):
        found |= {f"{folder.name}/{name}": path for name, path in _listed(folder)}
    for folder in sorted((data / "articles").iterdir()):
        articles = list(_listed(folder))[:ARTICLES_EACH]
        found |= {f"articles/{folder.name}/{name}": path for name, path in articles}
    for path in sorted((shared / "cases").rglob("*")):
        if path.suffix in _DRAFT_SUFFIXES:
            found[f"cases/{path.relative_to(shared / 'cases')}"] = path
    return found


def _listed(folder: Path) -> Iterator[tuple[str, Path]]:
    listed = json.loads((folder / "drafts.json").read_text("utf-8"))
    yield from ((name, folder / main) for name, main in sorted(listed.items()))


def records(draft: Path, shared: Path) -> dict[str, Any]:
    """Run every command on a draft; return exit status, JSON and reports of each."""
    os.chdir(shared)  # messages name files as seen from the current folder
    with (
        tempfile.TemporaryDirectory() as cache,
        mock.patch.dict(os.environ, {"PINCITE_CACHE": cache, "PINCITE_ZOTERO": cache}),
    ):
        return {name: _run(command, draft, shared) for name, command in COMMANDS.items()}


def _run(command: tuple[str, ...], draft: Path, shared: Path) -> dict[str, Any]:
    from pincite.cli import main

    name, *options = command
    out, reports = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    arguments = ["pincite", name, str(draft), *options, "--format", "json"]
    status: Any = 0
    with (
        mock.patch.object(sys, "argv", arguments),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(reports),
    ):
        try:
            main()
        except SystemExit as done:
            status = done.code or 0
    out.flush()
    text = _without_roots(out.buffer.getvalue().decode(), shared)  # type: ignore[attr-defined]
    lines = _without_roots(reports.getvalue(), shared).splitlines()
    return {"status": status, "out": json.loads(text or "null"), "reports": lines}


def _without_roots(text: str, shared: Path) -> str:
    """Replace the folders in which checkout and data lie on this machine."""
    return text.replace(str(shared), "SHARED").replace(str(ROOT), "ROOT")

"""Real projects: the keys, places and commands that an independent scanner found in them."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pincite.model.drafts import DraftFile
from pincite.parsing.drafts import DraftReader

PROJECTS = """
berquist-phd biblatex-docs coeurjolly-these combiner-de ferigo-phd grattan hott-book lyttle-phd
moreno-beamer napkin russian-template stacks yellowpaper
""".split()

#: biblatex's commands that name entries and cite none, which the scanner did not look for.
NAMING = frozenset(("addtocategory", "assignrefcontextkeyws"))


@cache
def truth(wild: Path, name: str) -> Any:
    return json.loads((wild / f"{name}.json").read_text("utf-8"))


def roots(project: Path) -> list[Path]:
    """The main files that a project's source note names: plain names, patterns, with remarks."""
    found: list[Path] = []
    for name in json.loads((project / "SOURCE.json").read_text("utf-8"))["main_tex"]:
        if name.startswith("("):  # "(each chapter is a root ...)"
            found += sorted(project.glob("*.tex"))
        else:
            found += sorted(project.glob(name.split(" (")[0]))
    return found


@cache
def parsed(project: Path) -> dict[str, DraftFile]:
    files: dict[str, DraftFile] = {}
    reader = DraftReader()
    for root in roots(project):
        for file in reader.read(root).files:
            files[str(file.path.relative_to(project))] = file
    return files


@pytest.fixture(params=PROJECTS)
def project(request: pytest.FixtureRequest, shared: Path) -> Path:
    return shared / "data" / "wild" / request.param


def test_every_key_is_found_on_its_line(project: Path) -> None:
    expected = truth(project.parent, "truth")[project.name]
    optional = truth(project.parent, "truth_optional").get(project.name, {})
    assert parsed(project)
    for name, file in parsed(project).items():
        found = Counter(
            (file.line_column(key.span.start)[0] - 1, key.key)
            for citation in file.citations
            if citation.command.rstrip("*") not in NAMING
            for key in citation.keys
        )
        wanted = Counter((line, key) for line, key in expected.get(name, []))
        allowed = Counter((line, key) for line, key in optional.get(name, []))
        assert wanted - found == Counter(), f"missing in {name}"
        assert (found - wanted) - allowed == Counter(), f"not there in {name}"


def test_every_command_has_its_name_and_columns(project: Path) -> None:
    expected = truth(project.parent, "truth_cmds")[project.name]
    for name, file in parsed(project).items():
        found = []
        for citation in file.citations:
            places = [(*file.line_column(key.span.start), key.key) for key in citation.keys]
            line, _ = file.line_column(citation.span.start)
            found.append((line, citation.command, places))
        for line, command, keys, tags in expected.get(name, []):
            if "optional" not in tags:
                places = [(row + 1, column + 1, key) for row, column, key in keys]
                assert (line + 1, command, places) in found, f"{name}:{line + 1}"

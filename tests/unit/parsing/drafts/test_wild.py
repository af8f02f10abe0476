"""Real projects: the keys, places and commands that an independent scanner found in them."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from pincite.model.drafts import CITATION_MARK, DraftFile
from pincite.parsing.drafts import DraftReader
from pincite.parsing.latex import regions
from pincite.parsing.latex.commands import CommandTable
from pincite.parsing.latex.parse import parse_tex

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


def test_small_regions_say_what_the_file_says(project: Path) -> None:
    for name, file in parsed(project).items():
        table = CommandTable()
        with mock.patch.multiple(regions, _MIN_REGION=500, _MAX_REGION=1_000):
            small = parse_tex(file.path, file.text, table)
        with mock.patch.multiple(regions, _MIN_REGION=10**9, _MAX_REGION=10**9):
            whole = parse_tex(file.path, file.text, table)
        assert small.citations == whole.citations, name
        assert small.placeholders == whole.placeholders, name
        assert small.bib_items == whole.bib_items, name
        assert _without_breaks(small.prose.text) == _without_breaks(whole.prose.text), name


def _without_breaks(text: str) -> list[str]:
    """The paragraphs of a text; how many breaks stand between them does not count."""
    return re.split(r"\s*\n\n\s*", text.strip())


def test_every_citation_is_a_mark_of_the_prose(project: Path) -> None:
    for name, file in parsed(project).items():
        prose, starts = file.prose, frozenset(file.prose.source_starts)
        assert prose.text.count(CITATION_MARK) <= len(file.citations) + len(file.placeholders)
        for citation in file.citations:
            offset = prose.offset_at(citation.span.start)
            # Citations of the preamble and of definitions are in no sentence.
            if citation.span.start in starts and not citation.listed_only:
                assert prose.text[offset] == CITATION_MARK, f"{name}: {citation}"

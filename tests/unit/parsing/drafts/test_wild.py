"""Real projects: the keys, places and commands that an independent scanner found in them."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pincite.parsing.drafts import DraftReader

PROJECTS = """
berquist-phd biblatex-docs coeurjolly-these combiner-de ferigo-phd grattan hott-book lyttle-phd
moreno-beamer napkin russian-template stacks yellowpaper
""".split()

#: biblatex's commands that name entries and cite none, which the scanner did not look for.
NAMING = frozenset(("addtocategory", "assignrefcontextentries"))


def roots(project: Path) -> list[Path]:
    """The main files that a project's source note names: plain names, patterns, with remarks."""
    found: list[Path] = []
    for name in json.loads((project / "SOURCE.json").read_text("utf-8"))["main_tex"]:
        if name.startswith("("):  # "(each chapter is a root ...)"
            found += sorted(project.glob("*.tex"))
        else:
            found += sorted(project.glob(name.split(" (")[0]))
    return found


@pytest.mark.parametrize("name", PROJECTS)
def test_every_command_is_found_with_its_keys_at_their_places(name: str, shared: Path) -> None:
    project = shared / "data" / "wild" / name
    expected = json.loads((project.parent / "truth_cmds.json").read_text("utf-8"))[name]
    reader = DraftReader()
    files = {file.path: file for root in roots(project) for file in reader.read(root).files}
    assert files
    for path, file in files.items():
        found = Counter[tuple[Any, ...]]()
        for citation in file.citations:
            if citation.command.rstrip("*") not in NAMING:
                places = ((*file.line_column(key.span.start), key.key) for key in citation.keys)
                line, _ = file.line_column(citation.span.start)
                found[line, citation.command, tuple(places)] += 1
        required, optional = Counter[tuple[Any, ...]](), Counter[tuple[Any, ...]]()
        for line, command, keys, tags in expected.get(str(path.relative_to(project)), []):
            places = ((row + 1, column + 1, key) for row, column, key in keys)
            counted = optional if "optional" in tags else required
            counted[line + 1, command, tuple(places)] += 1
        assert required - found == Counter(), f"missing in {path}"
        others = found - required - optional
        assert [each for each in others if each[-1]] == [], f"not there in {path}"

"""The configurations that the pages in docs/how-to/editors give, and a project to try them on."""

import os
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = "\n".join(page.read_text("utf-8") for page in sorted(ROOT.glob("docs/how-to/editors/*.md")))
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#{1,3} (.*)$", re.MULTILINE)


def configuration(heading: str, language: str, *, about: str = "") -> str:
    """Return the first block of a language under a heading that speaks of something."""
    sections = HEADING.split(PAGES)
    body = sections[sections.index(heading) + 1]
    return next(
        text for written_in, text in BLOCK.findall(body) if written_in == language and about in text
    )


def example_project(folder: Path) -> Path:
    """Copy the examples, which editors may then change, and make them a project's root."""
    project = folder / "project"
    shutil.copytree(ROOT / "examples", project)
    (project / ".git").mkdir()
    return project


def environment(folder: Path) -> dict[str, str]:
    """Return an environment with our `pincite` on the path and a home of its own."""
    own = {
        name: str(folder / name.lower())
        for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "PINCITE_CACHE")
    }
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    return {**os.environ, **own, "HOME": str(folder), "PATH": path}

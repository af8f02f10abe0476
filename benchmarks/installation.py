"""Measure how the VS Code extension installs its server, without the network, and how that starts.

    python -m benchmarks.installation dist/pincite-*.whl [--runs N]

Downloads what the wheel needs once (the time depends on the registry and the connection). From
that, environments are made in two ways: as the extension does, with the pip that Python carries and
without compiling ahead; and with pip in the environment and everything compiled. Prints wall time,
processor time and size of each, and two starts of its server, from the start of the process to a
ranked list in the examples with a fresh cache: at the first, what is imported is compiled.
"""

from __future__ import annotations

import argparse
import ensurepip
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from .speed.editor import SERVER, Editor
from .speed.startup import first_lists

ROOT = Path(__file__).resolve().parents[1]
GAP = "shuffled ones \\citep{"
RUN_CARRIED = (
    "import runpy, sys; sys.path.insert(0, sys.argv.pop(1));"
    " runpy.run_module('pip', run_name='__main__', alter_sys=True)"
)


@contextmanager
def measured(what: str) -> Iterator[None]:
    """Print the wall time and the processor time of child processes."""
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    yield
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{what:40}{time.perf_counter() - start:7.1f} s wall{spent:7.1f} s processor", flush=True)


def run(*command: object) -> None:
    """Run a program; raise an exception if it fails."""
    subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL)


def as_the_extension(wheel: Path, packages: Path, place: Path) -> None:
    """Make an environment as `client-vscode/src/installation/install.ts` does."""
    carried = next((Path(ensurepip.__file__).parent / "_bundled").glob("pip-*.whl"))
    run(sys.executable, "-I", "-m", "venv", "--without-pip", place)
    local = ("--no-index", "--find-links", packages)
    pip = ("-I", "-c", RUN_CARRIED, carried, "--disable-pip-version-check", "install")
    run(place / "bin/python", *pip, "--no-compile", *local, wheel)


def with_pip(wheel: Path, packages: Path, place: Path) -> None:
    """Make an environment with pip in it, compile everything, and remove pip."""
    run(sys.executable, "-I", "-m", "venv", place)
    pip = (place / "bin/python", "-I", "-m", "pip", "--disable-pip-version-check")
    run(*pip, "install", "--no-index", "--find-links", packages, wheel)
    run(*pip, "uninstall", "--yes", "setuptools", "pip")


def started(python: Path, home: Path, which: str) -> None:
    """Start a server, ask until its list is ranked, and print how long that took."""
    examples = home / "examples"
    shutil.copytree(ROOT / "examples", examples, dirs_exist_ok=True)
    main = examples / "survey.tex"
    text = main.read_text("utf-8")
    before = text[: text.index(GAP) + len(GAP)].split("\n")
    server, cache = ("-I", *SERVER), home / f"cache-{python.parts[-3]}-{which}"
    with Editor(examples, server=server, python=str(python), cache=cache) as editor:
        editor.open(main, text)
        found = first_lists(editor, main, len(before) - 1, len(before[-1]))
    what = f"  {which} start, to a ranked list"
    print(f"{what:40}{found.ranked:7.1f} s wall{found.ranked_cpu:7.1f} s processor", flush=True)


def main() -> None:
    """Measure, and print a line for each step."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--runs", type=int, default=1)
    given = parser.parse_args()
    os.environ.pop("PYTHONPATH", None)
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        packages = home / "packages"
        with measured("download"):
            pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "download")
            run(*pip, "--quiet", "--no-cache-dir", "--dest", packages, given.wheel)
        ways: tuple[tuple[str, Callable[[Path, Path, Path], None]], ...] = (
            ("as the extension does", as_the_extension),
            ("with pip, all compiled", with_pip),
        )
        for number in range(given.runs):
            for what, make in ways:
                place = home / f"{make.__name__}-{number}"
                with measured(f"install, {what}"):
                    make(given.wheel, packages, place)
                size = sum(f.stat().st_size for f in place.rglob("*") if f.is_file())
                print(f"  {size / 1e6:.0f} MB")
                for which in ("first", "second"):
                    started(place / "bin/python", home, which)


if __name__ == "__main__":
    main()

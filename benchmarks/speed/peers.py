"""Peers' own code, fetched once from the package registries into a folder of the benchmark.

latex-utensils is the BibTeX parser of LaTeX Workshop, citation-langserver a language server for
citations in Python. Where they cannot be had, what they stand beside is measured without them.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import venv
from pathlib import Path

from .plan import say

_LATEX_UTENSILS = "latex-utensils@7.0.0"
_CITATION_LANGSERVER = "citation-langserver==0.2.2"
#: Its old pygls needs an old pydantic and typeguard, and setuptools for `pkg_resources`.
_WITH_IT = ("setuptools<80",)
_PARSE = """
const { performance } = require('perf_hooks')
const { bibtexParser } = require('latex-utensils')
const text = require('fs').readFileSync(process.argv[1], 'utf8')
const began = performance.now(), cpu = process.cpuUsage()
let entries = 0, error = ''
try {
  entries = bibtexParser.parse(text).content.filter(each => each.entryType).length
} catch (thrown) { error = String(thrown.message).slice(0, 200) }
const spent = process.cpuUsage(cpu)
console.log(JSON.stringify({ seconds: (performance.now() - began) / 1e3,
  cpu: (spent.user + spent.system) / 1e6, entries, error,
  memory: process.memoryUsage().rss / 1e6 }))
"""


def parse_with_latex_utensils(peers: Path, bibliography: Path, seconds: float) -> dict[str, object]:
    """Return what reading a bibliography takes there; "error" says why nothing came of it."""
    folder = peers / "node"
    if not (folder / "node_modules" / "latex-utensils").is_dir() and not _install(folder):
        return {"error": "latex-utensils is not to be had"}
    command = ["node", "--max-old-space-size=4096", "-e", _PARSE, str(bibliography.absolute())]
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, timeout=seconds, encoding="utf-8", check=False
        )
    except subprocess.TimeoutExpired:
        return {"error": f"not done after {seconds:.0f} s"}
    if done.returncode:
        return {"error": (done.stderr.strip().splitlines() or ["it failed"])[-1]}
    return dict(json.loads(done.stdout))


def _install(folder: Path) -> bool:
    if shutil.which("npm") is None or shutil.which("node") is None:
        return False
    say(f"fetching {_LATEX_UTENSILS}")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text("{}")
    command = ["npm", "install", "--silent", "--no-audit", "--no-fund", _LATEX_UTENSILS]
    return _succeeds(command, folder)


def citation_langserver(peers: Path) -> list[str] | None:
    """Return the command that starts the peer's server, None where it is not to be had."""
    folder = peers / "citation-langserver"
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    command = [str(python), "-m", "citation_langserver"]
    ready = folder / "ready"
    if ready.exists():
        return command if ready.read_text() == "yes" else None
    say(f"fetching {_CITATION_LANGSERVER}")
    venv.create(folder, with_pip=True)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    starts = [str(python), "-c", "import citation_langserver.server"]
    works = _succeeds([*pip, *_WITH_IT, _CITATION_LANGSERVER], peers) and _succeeds(starts, peers)
    ready.write_text("yes" if works else "no")
    return command if works else None


def _succeeds(command: list[str], folder: Path) -> bool:
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=120, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0

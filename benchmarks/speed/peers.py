"""Peers' code, installed once from package registries into a folder of the benchmark.

latex-utensils is the BibTeX parser of LaTeX Workshop, citation-langserver a language server for
citations in Python. If they cannot be installed, Pincite is measured without the comparison.
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
#: Its old pygls needs `pkg_resources`.
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
#: As its server does at the start.
_READ = """
import json, sys, time
from bibparse import Biblio
from citation_langserver.bibliography import key_positions
began, cpu = time.perf_counter(), time.process_time()
read = Biblio()
read.read(sys.argv[1])
keys = key_positions(sys.argv[1])
print(json.dumps({"seconds": time.perf_counter() - began, "cpu": time.process_time() - cpu,
                  "entries": len(keys)}))
"""


def parse_with_latex_utensils(peers: Path, bibliography: Path, seconds: float) -> dict[str, object]:
    """Return what reading a bibliography takes there; "error" says why nothing came of it."""
    folder = peers / "node"
    if not (folder / "node_modules" / "latex-utensils").is_dir() and not _install(folder):
        return {"error": "latex-utensils is not to be had"}
    command = ["node", "--max-old-space-size=4096", "-e", _PARSE, str(bibliography.absolute())]
    return _printed(command, folder, seconds)


def _install(folder: Path) -> bool:
    if shutil.which("npm") is None or shutil.which("node") is None:
        return False
    say(f"fetching {_LATEX_UTENSILS}")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text("{}")
    command = ["npm", "install", "--silent", "--no-audit", "--no-fund", _LATEX_UTENSILS]
    return _succeeds(command, folder)


def read_with_citation_langserver(
    peers: Path, bibliography: Path, seconds: float
) -> dict[str, object]:
    """Return what its reading of a bibliography takes, before it answers anything."""
    folder = peers / "citation-langserver"
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    if not (folder / "ready").exists():
        say(f"fetching {_CITATION_LANGSERVER}")
        venv.create(folder, with_pip=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        if not _succeeds([*pip, *_WITH_IT, _CITATION_LANGSERVER], peers):
            return {"error": "citation-langserver is not to be had"}
        (folder / "ready").touch()
    return _printed([str(python), "-c", _READ, str(bibliography.absolute())], folder, seconds)


def _printed(command: list[str], folder: Path, seconds: float) -> dict[str, object]:
    """Return the JSON object that a command prints."""
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, timeout=seconds, encoding="utf-8", check=False
        )
    except subprocess.TimeoutExpired:
        return {"error": f"not done after {seconds:.0f} s"}
    if done.returncode:
        return {"error": (done.stderr.strip().splitlines() or ["it failed"])[-1]}
    return dict(json.loads(done.stdout))


def _succeeds(command: list[str], folder: Path) -> bool:
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=120, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0

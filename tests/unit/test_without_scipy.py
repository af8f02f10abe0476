"""What an author runs needs no SciPy: it is no core dependency."""

import subprocess
import sys

import pytest

BLOCKED = "import sys; sys.modules['scipy'] = None\n"
DRAFT = (
    "\\documentclass{article}\\begin{document}Entity grids describe text coherence \\cite{grid}."
    "\\bibliography{refs}\\end{document}"
)
REFS = (
    "@article{grid, title = {Modelling local coherence: an entity grid}, author = {Barzilay, R.},\n"
    "  abstract = {Entity grids describe the coherence of texts. Entities are the columns of a grid.}}\n"
    "@article{tree, title = {Dependency trees}, author = {Kübler, S.}}\n"
)


@pytest.fixture(name="draft")
def small_draft(tmp_path):
    (tmp_path / "refs.bib").write_text(REFS, "utf-8")
    (tmp_path / "main.tex").write_text(DRAFT, "utf-8")
    return tmp_path / "main.tex"


def run(code, *arguments):
    return subprocess.run(
        [sys.executable, "-c", BLOCKED + code, *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


@pytest.mark.parametrize(
    "command",
    [
        ("recommend", "--ranker", "learned", "--all"),
        ("recommend", "--ranker", "mixed", "--all"),
        ("evidence",),
    ],
)
def test_the_command_line_goes_without(draft, command):
    name, *options = command
    done = run("from pincite.cli import main; main()", name, draft, *options)
    assert (done.returncode, done.stderr) == (0, "")
    assert "grid" in done.stdout


def test_the_editor_goes_without(draft):
    code = """
from pathlib import Path
from pincite.lsp.documents import Documents
from pincite.lsp.session import Session
from pincite.project.search import searchable

path = Path(sys.argv[1])
session = Session(Documents())
session.folders = (path.parent,)
while not (opened := session.project().open_draft(path)).complete:
    assert session.background.wait(60.0)
context = opened.recommender.context(opened.draft, opened.file, opened.file.text.index("grid}"))
assert opened.complete
best = opened.recommender.rank(context)[0]
assert opened.recommender.supporting(context, best.key), context
print(best.key, searchable(opened.recommender).containing("rees").sum())
session.stop()
"""
    done = run(code, draft)
    assert (done.stdout, done.stderr) == ("grid 1\n", "")


TRAINED = (
    "from pincite_evaluation.baselines.neal import Instances, NealRecipe, TrainingPaper as Paper"
)
SENTENCES = [["a", "b", "c"], ["d", "e", "f"]]


def test_what_needs_it_reports_how_to_install_it():
    code = f"""
from pincite.model.problems import InputError
try:
    {TRAINED}; Instances.of([Paper({SENTENCES}, [(['q'], frozenset([1]))])], NealRecipe())
except InputError as error:
    print(error)
"""
    assert run(code).stdout.strip() == 'this needs SciPy: pip install "pincite[evaluation]"'

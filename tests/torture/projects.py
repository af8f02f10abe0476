"""Projects for the attacks: the examples, or synthetic ones."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"
_WORDS = (
    "coherence lexical model sentence graph entity discourse parsing citation summary neural vector "
    "ranking corpus evidence claim method results translation grammar"
).split()


def examples(folder: Path) -> Path:
    """Copy the example project; return its main file."""
    project = folder / "project"
    shutil.copytree(EXAMPLES, project)
    return project / "survey.tex"


def paper(chance: random.Random, sentences: int = 60) -> str:
    """Return the text of a synthetic paper in Markdown."""
    title = " ".join(chance.choices(_WORDS, k=6)).capitalize()
    body = (" ".join(chance.choices(_WORDS, k=14)).capitalize() + "." for _ in range(sentences))
    return f"# {title}\n\n" + "\n\n".join(body) + "\n"


def bibliography(chance: random.Random, entries: int) -> str:
    """Return the text of a synthetic .bib file whose keys are ``work0``, ``work1``, ..."""
    return "".join(
        f"@article{{work{number},\n  title = {{{' '.join(chance.choices(_WORDS, k=7))}}},\n"
        f"  author = {{Author, A. and Writer{number % 90}, B.}},\n  year = {{{1980 + number % 45}}}\n}}\n\n"
        for number in range(entries)
    )


def draft(chance: random.Random, paragraphs: int, works: int) -> str:
    """Return the text of a synthetic draft that cites works of `bibliography`."""
    sentences = (
        " ".join(chance.choices(_WORDS, k=12)) + f" \\cite{{work{chance.randrange(works)}}}.\n\n"
        for _ in range(paragraphs)
    )
    return (
        "\\documentclass{article}\n\\begin{document}\n"
        + "".join(sentences)
        + "Words \\cite{}.\n\\bibliography{refs}\n\\end{document}\n"
    )


def invented(folder: Path, chance: random.Random, works: int, papers: int = 0) -> Path:
    """Make a project with `works` works, some with a paper; return its main file."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "refs.bib").write_text(bibliography(chance, works))
    (folder / "main.tex").write_text(draft(chance, 40, works))
    (folder / "papers").mkdir(exist_ok=True)
    for number in range(papers):
        (folder / "papers" / f"work{number}.md").write_text(paper(chance))
    return folder / "main.tex"

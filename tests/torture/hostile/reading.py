"""Reads hostile papers as the product does, and compares what comes of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from torture.hostile.papers import Hostile, Outcome
from torture.hostile.pdf import SENTENCE

#: What the product says where nobody thought of a fault: it must not come to that.
_UNFORESEEN = re.compile(r"cannot be read \(\w+: |takes longer than|too much memory")
_CRASH = re.compile(r"crashes the reader")


def wrong_outcomes(papers: Sequence[Hostile], folder: Path) -> list[str]:
    """Return which papers do not have the outcome that is expected of them.

    They are the files of a bibliography, read by the library in processes with their limits.
    """
    from pincite.library.file_fields import missing_file
    from pincite.library.index import PaperIndex
    from pincite.library.library import Library
    from pincite.parsing.bibtex import read_bibliography

    library_folder = folder / "papers"
    library_folder.mkdir()
    names = [paper.make(library_folder).name for paper in papers]
    bibliography = folder / "refs.bib"
    entries = (f"@book{{k{at}, file = {{papers/{name}}}}}\n" for at, name in enumerate(names))
    bibliography.write_text("".join(entries), encoding="utf-8")
    read = read_bibliography(bibliography).entries
    index = PaperIndex(folder / "cache" / "index.sqlite")
    library = Library(index=index)
    library.read(read.values())
    wrong: list[str] = []
    for at, paper in enumerate(papers):
        entry = read[f"k{at}"]
        text = library.paper(entry)
        problems = [str(each) for each in library.unreadable([entry])]
        if missing := missing_file(entry):
            problems.append(f"{missing}: there is no such file")
        said = "; ".join(problems)
        outcome: Outcome = "nothing"
        if problems:
            outcome = "crash" if _CRASH.search(said) else "refused"
        elif text.basis == "full text":
            has_sentence = any(SENTENCE in sentence.text for sentence in text.sentences)
            outcome = "text" if has_sentence else "other text"
        names_it = not problems or all(paper.name in problem for problem in problems)
        if outcome != paper.expected or not names_it or _UNFORESEEN.search(said):
            wrong.append(f"{paper.name}: {outcome}, not {paper.expected}; {said}"[:300])
    index.close()
    return wrong

"""Small drafts and articles for the tests of the evaluation on whole drafts."""

import json
from pathlib import Path

#: Works by key: title, authors, year, abstract.
WORKS = {
    "moss": ("Moss on Northern Walls", "Aalto, Ida", "1998", "Moss grows on damp walls."),
    "lichen": ("Lichens of Granite", "Berg, Nils and Aalto, Ida", "2003", ""),
    "fern": ("Ferns under Glass", "Cole, Ruth", "2011", "Ferns need shade and glass."),
    "kelp": ("Kelp Forests", "Dahl, Per", "1987", ""),
    "reed": ("Reeds and Marshes", "Aalto, Ida", "2015", "Reeds hold the marsh together."),
    "oak": ("Oaks in Hedges", "Evans, Tom", "1975", ""),
}

MAIN = r"""\documentclass{article}
\usepackage[english]{babel}
\begin{document}
\section{Walls}
Moss grows on damp walls \cite{moss}. Granite carries lichens \cite{lichen,nowhere}.
\input{part}
Again the marsh \cite{reed} and nobody knows \cite{nowhere}.
Walls once more \cite{moss}.
\nocite{oak}
\bibliographystyle{plain}
\bibliography{refs}
\end{document}
"""
PART = r"""Reeds hold the marsh \cite{Reed,kelp}.
Shade under glass \cite{fern}\cite{moss}.
"""


def bibliography(works=None, keys=None, order=None):
    """Return a .bib of works; `keys` renames them, `order` is the order of the entries."""
    works = WORKS if works is None else works
    entries = []
    for key in order or works:
        title, authors, year, abstract = works[key]
        fields = {"title": title, "author": authors, "year": year, "abstract": abstract}
        lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items() if value)
        entries.append(f"@article{{{(keys or {}).get(key, key)},\n{lines}}}\n")
    return "\n".join(entries)


def two_files(folder: Path) -> Path:
    """Write the draft of two files; return its main file."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "main.tex").write_text(MAIN, "utf-8")
    (folder / "part.tex").write_text(PART, "utf-8")
    (folder / "refs.bib").write_text(bibliography(), "utf-8")
    return folder / "main.tex"


def draft(folder: Path, parts, works=None, keys=None, order=None) -> Path:
    """Write a draft of parts, each a sentence and the keys it cites; return its main file."""
    folder.mkdir(parents=True, exist_ok=True)
    named = {} if keys is None else keys
    text = "\n".join(
        f"{sentence} \\cite{{{','.join(named.get(key, key) for key in cited)}}}."
        for sentence, cited in parts
    )
    whole = f"\\documentclass{{article}}\\begin{{document}}\n{text}\n\\bibliography{{refs}}\n"
    (folder / "main.tex").write_text(whole + "\\end{document}\n", "utf-8")
    (folder / "refs.bib").write_text(bibliography(works, keys, order), "utf-8")
    return folder / "main.tex"


def article(path: Path, body: str, references=True) -> Path:
    """Write an article in JATS, in which ``[2]`` and ``[2 3]`` cite works of its list."""
    listed = "".join(
        f'<ref id="r{number}"><label>{number}</label><element-citation>'
        f"<person-group><name><surname>{authors.split(',')[0]}</surname></name></person-group>"
        f"<article-title>{title}</article-title><year>{year}</year></element-citation></ref>"
        for number, (title, authors, year, _) in enumerate(WORKS.values(), start=1)
    )
    text = body
    for number in range(1, len(WORKS) + 1):
        mark = f'<xref ref-type="bibr" rid="r{number}">{number}</xref>'
        text = text.replace(f"[{number}]", mark)
    back = f"<back><ref-list>{listed}</ref-list></back>" if references else ""
    path.write_text(
        "<article><front><article-meta><title-group><article-title>Walls</article-title>"
        "</title-group></article-meta></front><body><sec><title>Walls</title>"
        f"<p>{text}</p></sec></body>{back}</article>",
        "utf-8",
    )
    return path


def listed(path: Path, mains) -> Path:
    """Write a JSON list of projects."""
    path.write_text(json.dumps(mains), "utf-8")
    return path

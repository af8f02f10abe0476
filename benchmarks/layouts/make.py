"""Typeset the papers of this benchmark, and record what a reader should find in them.

    python -m benchmarks.layouts.make

writes a PDF for each layout and `truth.json` into `papers/`, beside this file; a second run gives
the same bytes. It needs pdflatex and BibTeX with Debian's texlive-publishers, texlive-science,
texlive-latex-extra, texlive-bibtex-extra and texlive-fonts-recommended.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from .prose import Prose, Said, prose

HERE = Path(__file__).parent
PAPERS = HERE / "papers"
_ENCODING = r"\usepackage[T1]{fontenc}\usepackage[utf8]{inputenc}"
#: The same bytes from every run, in a small file.
_PLAIN_FILE = (
    r"\pdfinfoomitdate=1 \pdftrailerid{} \pdfsuppressptexinfo=-1"
    r" \pdfcompresslevel=9 \pdfobjcompresslevel=2 "
)
_FIGURE = (
    r"\begin{figure}[t]\centering\rule{4cm}{2cm}"
    r"\caption{Counts of both kinds over the whole year, as they were noted.}\end{figure}"
)
_TABLE = (
    r"\begin{table}[b]\centering\caption{Means of three plots.}\begin{tabular}{lrr}"
    r"Plot & First & Second\\ North & 0.25 & 0.31\\ South & 1.75 & 2.04\\ West & 3.10 & 2.95\\"
    r"\end{tabular}\end{table}"
)
_EQUATION = r"\begin{equation} E = \sum_{i=1}^{n} (x_i - m)^2 / 2 s^2 \end{equation}"
_OUTPUT = r"""
\begin{verbatim}
R> summary(counts)
[1] 0.25 0.31 0.47 0.88
[5] 1.25 0.31 0.47 0.88
R> levels(kind)
[1] "first"  "second"
R> is.na(counts)
[1] TRUE FALSE
[1] 12
\end{verbatim}
"""


@dataclass(frozen=True, slots=True)
class Layout:
    """The layout of one paper.

    `cite` and `after` say how a sentence cites: the command, and whether it stands behind the full
    stop. `front` is the title, authors and abstract, with {title} and {abstract}; `back` the list.
    `first` is the number printed on the first page, None where pages have no number of their own.
    """

    name: str
    topic: str
    works: int
    document: str
    front: str
    back: str
    cite: str = r"\cite"
    after: bool = False
    sections: bool = True
    first: int | None = 1
    program: bool = False
    appendix: str = ""
    paragraphs: int = 4
    before_document: str = ""


_ARTICLE_FRONT = r"\title{%(title)s}\author{Ada Person \and Ben Somebody}\date{}\maketitle "
_ABSTRACT = r"\begin{abstract}%(abstract)s\end{abstract}"
_REVTEX_FRONT = (
    r"\title{%(title)s}\author{Ada Person}\author{Ben Somebody}"
    r"\affiliation{Institute of Counting, University of Nowhere}"
    r"\begin{abstract}%(abstract)s\end{abstract}\maketitle "
)
_ELSEVIER_FRONT = (
    r"\begin{frontmatter}\title{%(title)s}\author{Ada Person}\author{Ben Somebody}"
    r"\address{Institute of Counting, University of Nowhere}"
    r"\begin{abstract}%(abstract)s\end{abstract}\end{frontmatter}"
)


def _bibliography(style: str) -> str:
    command = rf"\bibliographystyle{{{style}}}" if style else ""
    return rf"{command}\bibliography{{works}}"


_NO_HEADING = r"\makeatletter\renewcommand\bibsection{}\makeatother"

LAYOUTS = (
    Layout(
        "prl", "lattices", 34, r"\documentclass[prl,twocolumn]{revtex4-2}",
        _REVTEX_FRONT, r"\bibliography{works}", sections=False,
    ),
    Layout(
        "jap", "lattices", 38, r"\documentclass[aip,jap,reprint]{revtex4-2}",
        _REVTEX_FRONT, r"\bibliography{works}", after=True,
    ),
    Layout(
        "prd-preprint", "galaxies", 26, r"\documentclass[prd,preprint]{revtex4-2}",
        _REVTEX_FRONT, r"\bibliography{works}", paragraphs=2,
    ),
    Layout(
        "elsevier-two-columns", "polymers", 36, r"\documentclass[5p,twocolumn]{elsarticle}",
        _ELSEVIER_FRONT, _bibliography("elsarticle-num"), before_document=r"\setcounter{page}{217}",
        first=217,
    ),
    Layout(
        "elsevier-author-year", "meadows", 30, r"\documentclass[3p,authoryear]{elsarticle}",
        _ELSEVIER_FRONT, _bibliography("elsarticle-harv"), cite=r"\citep",
    ),
    Layout(
        "ieee-journal", "software", 32, r"\documentclass[journal]{IEEEtran}",
        _ARTICLE_FRONT + _ABSTRACT, _bibliography("IEEEtran"),
    ),
    Layout(
        "ieee-conference", "software", 24, r"\documentclass[conference]{IEEEtran}",
        _ARTICLE_FRONT + _ABSTRACT, _bibliography("IEEEtran"), first=None,
    ),
    Layout(
        "llncs", "languages", 26, r"\documentclass{llncs}",
        r"\title{%(title)s}\author{Ada Person\inst{1} \and Ben Somebody\inst{1}}"
        r"\institute{University of Nowhere}\maketitle " + _ABSTRACT,
        _bibliography("splncs04"), first=None, paragraphs=3,
    ),
    Layout(
        "aastex", "galaxies", 30, r"\documentclass[twocolumn]{aastex631}",
        r"\title{%(title)s}\author{Ada Person}\affiliation{University of Nowhere}" + _ABSTRACT,
        r"\bibliography{works}\bibliographystyle{aasjournal}", cite=r"\citep",
    ),
    Layout(
        "mnras", "galaxies", 34, r"\documentclass[fleqn,usenatbib]{mnras}",
        r"\title{%(title)s}\author{A. Person}\maketitle " + _ABSTRACT,
        _bibliography("mnras"), cite=r"\citep",
    ),
    Layout(
        "nature", "polymers", 32,
        r"\documentclass[twocolumn]{article}\usepackage[margin=2cm]{geometry}"
        r"\usepackage[super,comma,sort&compress]{natbib}",
        _ARTICLE_FRONT, _bibliography("unsrtnat"), after=True, sections=False,
        before_document=_NO_HEADING
        + r"\makeatletter\renewcommand\@biblabel[1]{#1.}\makeatother\renewcommand\bibfont{\small}",
    ),
    Layout(
        "science", "meadows", 30,
        r"\documentclass[twocolumn]{article}\usepackage[margin=2cm]{geometry}"
        r"\usepackage[round,comma,numbers,sort&compress]{natbib}",
        _ARTICLE_FRONT + _ABSTRACT, _bibliography("unsrtnat"), sections=False,
        before_document=r"\renewcommand\refname{References and Notes}"
        r"\renewcommand\citenumfont[1]{\textit{#1}}"
        r"\makeatletter\renewcommand\@biblabel[1]{#1.}\makeatother\renewcommand\bibfont{\small}",
    ),
    Layout(
        "acs", "polymers", 34, r"\documentclass[journal=jacsat,layout=twocolumn]{achemso}",
        "", r"\bibliography{works}", after=True,
        before_document=r"\title{%(title)s}\author{Ada Person}\email{a@nowhere.edu}"
        r"\affiliation{University of Nowhere}",
    ),
    Layout(
        "apa", "languages", 28, r"\documentclass[doc]{apa6}\usepackage[natbibapa]{apacite}",
        r"\title{%(title)s}\shorttitle{COUNTING}\author{Ada Person}\affiliation{Nowhere}"
        r"\abstract{%(abstract)s}\maketitle ",
        _bibliography("apacite"), cite=r"\citep",
    ),
    Layout(
        "amsart", "software", 24, r"\documentclass{amsart}",
        r"\title{%(title)s}\author{Ada Person}" + _ABSTRACT + r"\maketitle ",
        _bibliography("amsalpha"), paragraphs=3,
    ),
    Layout(
        "statistics-software", "software", 26,
        r"\documentclass{article}\usepackage[margin=3cm]{geometry}\usepackage{natbib}",
        _ARTICLE_FRONT + _ABSTRACT, _bibliography("plainnat"), cite=r"\citep", program=True,
    ),
    Layout(
        "program-output", "software", 22,
        r"\documentclass{article}\usepackage[margin=3cm]{geometry}",
        _ARTICLE_FRONT + _ABSTRACT, _bibliography("plain"), program=True,
        appendix=r"\appendix\section{Further counts}",
    ),
    Layout(
        "journal-banner", "polymers", 28,
        r"\documentclass{article}\usepackage[margin=2.7cm]{geometry}"
        r"\usepackage[numbers,sort&compress]{natbib}\usepackage{fancyhdr}\usepackage{lastpage}",
        r"\thispagestyle{fancy}{\Huge\itshape materials of nowhere}\\[3mm]{\small ISSN 0000-0000}"
        r"\\[2mm]{\LARGE\bfseries %(title)s}\\[4mm]Ada Person and Ben Somebody\\[2mm]"
        r"\textbf{Abstract:} %(abstract)s\par ",
        _bibliography("unsrtnat"), first=1,
        before_document=r"\pagestyle{fancy}\fancyhf{}\fancyhead[L]{Materials of Nowhere 2012, 5}"
        r"\fancyhead[R]{Page \thepage\ of \pageref{LastPage}}"
        r"\renewcommand\thepage{\arabic{page}}",
    ),
    Layout(
        "labels-from-zero", "meadows", 26,
        r"\documentclass[twocolumn]{article}\usepackage[margin=2cm]{geometry}"
        r"\usepackage[numbers,sort&compress]{natbib}\usepackage{fancyhdr}",
        _ARTICLE_FRONT + _ABSTRACT, _bibliography("unsrtnat"),
        before_document=r"\pagestyle{fancy}\fancyhf{}\fancyfoot[C]{Page \thepage\ of 9}"
        r"\fancypagestyle{plain}{}\pdfcatalog{/PageLabels << /Nums [0 << /S /D /St 0 >>] >>}",
    ),
    Layout(
        "labels-all-alike", "languages", 24,
        r"\documentclass[twocolumn]{article}\usepackage[margin=2cm]{geometry}"
        r"\usepackage[numbers]{natbib}",
        _ARTICLE_FRONT + _ABSTRACT, _bibliography("unsrtnat"), first=None,
        before_document=r"\pagestyle{empty}\makeatletter\let\ps@plain\ps@empty\makeatother"
        r"\pdfcatalog{/PageLabels << /Nums [0 << /P (D) >>] >>}",
    ),
    Layout(
        "two-pages-a-sheet", "meadows", 30,
        r"\documentclass[10pt,twocolumn]{article}\usepackage{pgfpages}"
        r"\pgfpagesuselayout{2 on 1}[a4paper,landscape]",
        _ARTICLE_FRONT + _ABSTRACT, _bibliography("plain"), first=None,
    ),
    Layout(
        "hanging-numbers", "lattices", 40,
        r"\documentclass[twocolumn]{article}\usepackage[margin=1.8cm]{geometry}"
        r"\usepackage[numbers,sort&compress]{natbib}",
        _ARTICLE_FRONT + _ABSTRACT, _bibliography("unsrtnat"),
        before_document=r"\makeatletter\renewcommand\@biblabel[1]{#1\hfill}"
        r"\makeatother\setlength\columnsep{12pt}\renewcommand\bibfont{\footnotesize}"
        r"\AtBeginDocument{\setlength\bibhang{2em}}",
    ),
)  # fmt: skip


def source(layout: Layout, text: Prose) -> str:
    """Return the LaTeX source of a paper."""

    def said(one: Said) -> str:
        if not one.keys:
            return f"{one.text}."
        cited = f"{layout.cite}{{{','.join(one.keys)}}}"
        return f"{one.text}.{cited}" if layout.after else f"{one.text} {cited}."

    about = {"title": text.title, "abstract": " ".join(map(said, text.abstract))}
    before, front = layout.before_document % about, layout.front % about
    parts = [layout.document, _ENCODING, before, r"\begin{document}", front]
    for number, (name, section) in enumerate(text.sections):
        if layout.sections:
            parts.append(rf"\section{{{name}}}")
        for place, paragraph in enumerate(section):
            parts.append(" ".join(map(said, paragraph)) + "\n")
            if (number, place) == (1, 0):
                parts.append(_EQUATION + "\n" + (_OUTPUT if layout.program else ""))
            if (number, place) == (2, 0):
                parts.append(_FIGURE + _TABLE)
    parts.append(layout.back)
    if layout.appendix:
        parts.append(f"{layout.appendix} {said(Said('More was counted here than we have said'))}")
    return "\n".join([_PLAIN_FILE, *parts, r"\end{document}", ""])


def typeset(layout: Layout, text: Prose, folder: Path) -> list[str]:
    """Run pdflatex and BibTeX; return the keys in the order of the reference list."""
    (folder / "paper.tex").write_text(source(layout, text), "utf-8")
    works = "\n".join(work.bibtex() for work in text.works)
    (folder / "works.bib").write_text(works, "utf-8")
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1000000000", "FORCE_SOURCE_DATE": "1"}
    latex = ["pdflatex", "-interaction=nonstopmode", "paper.tex"]
    for command in (latex, ["bibtex", "paper"], latex, latex, latex):
        subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    errors = re.findall(
        r"^! .*", (folder / "paper.log").read_text("utf-8", "replace"), re.MULTILINE
    )
    if errors or not (folder / "paper.pdf").exists():
        sys.exit(f"{layout.name} could not be set: {' '.join(errors[:3])}")
    printed = (folder / "paper.bbl").read_text("utf-8", "replace")
    items = printed.replace("%\n", "").split(r"\bibitem")[1:]
    return [found[1] for item in items if (found := re.search(r"\{(w\d\d)\}", item))]


def main() -> None:
    for program in ("pdflatex", "bibtex"):
        if shutil.which(program) is None:
            sys.exit(f"{program} is missing: apt-get install texlive-publishers texlive-science")
    PAPERS.mkdir(exist_ok=True)
    wanted = set(sys.argv[1:])
    truth_file = PAPERS / "truth.json"
    truth = json.loads(truth_file.read_text()) if truth_file.exists() and wanted else {}
    for seed, layout in enumerate(LAYOUTS):
        if wanted and layout.name not in wanted:
            continue
        text = prose(layout.topic, seed, layout.works, layout.paragraphs)
        with tempfile.TemporaryDirectory() as folder:
            order = typeset(layout, text, Path(folder))
            shutil.copy(Path(folder) / "paper.pdf", PAPERS / f"{layout.name}.pdf")
        by_key = {work.key: work for work in text.works}
        truth[layout.name] = {
            "title": text.title,
            "first_page": layout.first,
            "sentences": [
                {"text": one.text, "keys": one.keys}
                for _, section in text.sections
                for paragraph in section
                for one in paragraph
            ],
            "references": [
                {
                    "key": key,
                    "surnames": by_key[key].surnames,
                    "year": str(by_key[key].year),
                }
                for key in order
            ],
        }
        print(layout.name, len(order), "references")
    truth_file.write_text(json.dumps(truth, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()

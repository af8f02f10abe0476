"""Which program reads the bibliographies of a draft, and what it takes from several of them."""

from pathlib import Path

import pytest

from pincite.project.workspace import Workspace

TEX = r"\documentclass{article}%s\begin{document}\cite{moss}\end{document}"


def header(**entries: str) -> str:
    lines = "\n".join(f"{name}: {value}" for name, value in entries.items())
    return f"---\nbibliography: refs.bib\n{lines}\n---\nSo [@moss].\n"


@pytest.fixture(name="program")
def program_of_a_draft(tmp_path):
    def find(name: str, text: str, **others: str) -> str:
        for other, content in {**others, name: text}.items():
            (tmp_path / other).write_text(content, "utf-8")
        return Workspace(tmp_path).draft(tmp_path / name).program.name

    return find


@pytest.mark.parametrize(
    ("preamble", "name"),
    [
        (r"\bibliography{refs}", "BibTeX"),
        (r"\usepackage{natbib}\bibliography{refs}", "BibTeX"),
        (r"\usepackage[style=apa]{biblatex}\addbibresource{refs.bib}", "biber"),
        (r"\usepackage[style=apa, backend = biber]{biblatex}", "biber"),
        (r"\usepackage[backend=bibtex,style=apa]{biblatex}", "BibTeX"),
        (r"\usepackage[backend=bibtex8]{biblatex}", "BibTeX"),
        (r"\PassOptionsToPackage{backend=bibtex}{biblatex}\usepackage{biblatex}", "BibTeX"),
        (r"\bibliography{refs}\AtEndDocument{\printbibliography}", "biber"),
        (r"\usepackage{csquotes, biblatex}", "biber"),
    ],
)
def test_the_packages_of_a_draft_in_latex_name_it(program, preamble, name):
    assert program("main.tex", TEX % preamble) == name


@pytest.mark.parametrize(
    ("name", "text", "others", "reads"),
    [
        ("a.md", header(), {}, "Pandoc"),
        ("a.qmd", header(), {"_quarto.yml": "project:\n  type: default\n"}, "Pandoc"),
        ("a.Rmd", header(output="html_document"), {}, "Pandoc"),
        ("a.Rmd", header(output="\n  pdf_document:\n    citation_package: natbib"), {}, "BibTeX"),
        ("a.Rmd", header(output="\n  pdf_document:\n    citation_package: biblatex"), {}, "biber"),
        ("a.Rmd", header(output="\n  pdf_document:\n    citation_package: default"), {}, "Pandoc"),
        (
            "a.Rmd",
            header(),
            {"_output.yml": "bookdown::pdf_book:\n  citation_package: natbib\n"},
            "BibTeX",
        ),
        (
            "a.Rmd",
            header(),
            {"_output.yml": "bookdown::gitbook:\n  x: 1\nbookdown::pdf_book:\n  citation_package: natbib\n"},
            "Pandoc",
        ),
        ("a.qmd", header(format="\n  pdf:\n    cite-method: biblatex"), {}, "biber"),
        ("a.qmd", header(format="\n  html: default\n  pdf:\n    cite-method: biblatex"), {}, "Pandoc"),
        ("a.Rmd", header(output="html_document", citation_package="natbib"), {}, "Pandoc"),
        ("a.md", header(), {"myst.yml": "project:\n  title: A\n"}, "citation-js"),
        ("a.md", header(), {"_config.yml": "bibtex_bibfiles: [refs.bib]\n", "_toc.yml": "root: a\n"}, "pybtex"),
        ("a.typ", '@moss #bibliography("refs.bib")', {}, "Typst"),
    ],
)  # fmt: skip
def test_other_markups_name_it_too(program, name, text, others, reads):
    assert program(name, text, **others) == reads


def entries_of(folder: Path, name: str) -> dict[str, str]:
    workspace = Workspace(folder)
    found = workspace.bibliography(workspace.draft(folder / name)).entries
    return {key: entry.title for key, entry in found.items()}


@pytest.fixture(name="folder")
def two_bibliographies(tmp_path):
    (tmp_path / "one.bib").write_text("@misc{moss, title={One}}\n@misc{fern, title={Fern}}\n")
    (tmp_path / "two.bib").write_text("@misc{reed, title={Reed}}\n@misc{moss, title={Two}}\n")
    (tmp_path / "three.json").write_text('[{"id": "fern", "type": "book", "title": "Three"}]')
    return tmp_path


def test_of_several_files_the_last_counts_for_pandoc_and_the_first_for_latex(folder):
    named = "---\nbibliography: [one.bib, two.bib, three.json]\n---\n[@moss]\n"
    (folder / "a.md").write_text(named)
    (folder / "a.tex").write_text(TEX % r"\bibliography{one,two}")
    assert entries_of(folder, "a.md") == {"moss": "Two", "fern": "Three", "reed": "Reed"}
    assert entries_of(folder, "a.tex") == {"moss": "One", "fern": "Fern", "reed": "Reed"}


def test_entries_in_the_draft_itself_are_preferred(folder):
    own = "references:\n- id: moss\n  type: book\n  title: Own\n"
    (folder / "a.md").write_text(f"---\nbibliography: [one.bib, two.bib]\n{own}---\n[@moss]\n")
    assert entries_of(folder, "a.md")["moss"] == "Own"


def test_drafts_in_two_markups_share_a_bibliography_without_disturbing_each_other(tmp_path):
    (tmp_path / "refs.bib").write_text("% @misc{moss, title={Old}}\n@misc{moss, title={New}}\n")
    (tmp_path / "a.md").write_text(header())
    (tmp_path / "a.tex").write_text(TEX % r"\bibliography{refs}")
    workspace = Workspace(tmp_path)
    drafts = [workspace.draft(tmp_path / name) for name in ("a.md", "a.tex")]
    first = [workspace.bibliography(draft) for draft in drafts]
    assert [each.entries["moss"].title for each in first] == ["New", "Old"]
    again = [workspace.bibliography(draft) for draft in drafts]
    assert all(one is other for one, other in zip(first, again, strict=True))

"""Drafts in Markdown: their bibliographies, the project of a file, the chapters of a book."""

import pytest

from markup import write_project
from pincite.model.problems import MissingBibliography
from pincite.parsing.disk import Disk
from pincite.parsing.drafts import DraftReader
from pincite.project.workspace import Workspace

BIB = "@book{a, title = {A}}\n"


def draft_of(folder, fixture, name=None):
    main = write_project(folder, fixture)
    return Workspace(folder).draft(folder / name if name else main)


def sources(draft):
    return [source.path.name for source in draft.bibliographies]


@pytest.mark.parametrize(
    "header",
    ["bibliography: refs.bib", "bibliography: [refs.bib]", "bibliography:\n- 'refs'", "bibliography: ./refs.bib"],
)  # fmt: skip
def test_the_header_names_the_bibliography(tmp_path, header):
    text = f"%! paper.md\n---\ntitle: X\n{header}\n---\n\nSo [@a].\n%! refs.bib\n{BIB}"
    draft = draft_of(tmp_path, text)
    assert sources(draft) == ["refs.bib"]
    assert not draft.problems


@pytest.mark.parametrize(
    "text",
    [
        "% A title\n% An author\n---\nbibliography: refs.bib\n---\n\nSo [@a].\n",
        "% A title\n  in two lines\n\n---\nbibliography: refs.bib\n---\n\nSo [@a].\n",
    ],
)
def test_a_title_may_come_before_the_header(tmp_path, text):
    draft = draft_of(tmp_path, f"%! paper.md\n{text}%! refs.bib\n{BIB}")
    assert sources(draft) == ["refs.bib"]


@pytest.mark.parametrize("closing", ["---\n", "...\n\n"])
def test_references_may_be_at_the_end_of_the_file(tmp_path, closing):
    listed = f"---\nreferences:\n- id: moss\n  title: Moss\n- id: kelp\n  title: Kelp\n{closing}"
    workspace = Workspace(tmp_path)
    main = write_project(tmp_path, f"%! paper.md\n---\ntitle: X\n---\n\nSo [@moss].\n\n{listed}")
    bibliography = workspace.bibliography(workspace.draft(main))
    assert list(bibliography.entries) == ["moss", "kelp"]


def test_references_in_an_example_are_none(tmp_path):
    example = "```yaml\n\n---\nreferences:\n- id: moss\n---\n```\n"
    assert not sources(draft_of(tmp_path, f"%! paper.md\nSo [@moss].\n\n{example}"))


def test_a_missing_bibliography_is_told_with_its_place(tmp_path):
    draft = draft_of(
        tmp_path, "%! paper.md\n---\nbibliography: [gone.bib]\n---\n\nSo [@a].\n%! refs.bib\n"
    )
    (problem,) = draft.problems
    assert isinstance(problem, MissingBibliography)
    assert problem.line == 2
    assert problem.span.of(draft.files[0].text) == "gone.bib"
    assert [source.path.name for source in draft.stand_ins] == ["refs.bib"]


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ("_quarto.yml", "bibliography: more.bib\nproject:\n  type: website\n"),
        ("_bookdown.yml", "bibliography: [more.bib]\nrmd_files: [paper.md]\n"),
        ("myst.yml", "version: 1\nproject:\n  bibliography: [more.bib]\n"),
        ("_config.yml", "bibtex_bibfiles:\n  - more.bib\n"),
        ("defaults.yaml", "from: markdown\nbibliography: more.bib\n"),
        ("pdf.yaml", "input-files: [paper.md]\nmetadata:\n  bibliography: ${.}/more.bib\n"),
    ],
)
def test_a_project_names_the_bibliography(tmp_path, settings, text):
    draft = draft_of(tmp_path, f"%! paper.md\nSo [@a].\n%! {settings}\n{text}%! more.bib\n{BIB}")
    assert sources(draft) == ["more.bib"]
    assert tmp_path / settings in draft.own_paths


def test_settings_of_a_project_above_the_workspace_count(tmp_path):
    write_project(
        tmp_path,
        "%! posts/moss/index.qmd\nSo [@a].\n\n{{< include /_more.qmd >}}\n%! _more.qmd\nMore [@a].\n"
        f"%! _quarto.yml\nproject: {{type: website}}\nbibliography: refs.bib\n%! refs.bib\n{BIB}",
    )
    post = tmp_path / "posts/moss/index.qmd"
    draft = Workspace(post.parent).draft(post)
    assert sources(draft) == ["refs.bib"]
    assert [file.path.name for file in draft.files] == ["index.qmd", "_more.qmd"]
    assert not draft.problems


def test_other_yaml_names_nothing(tmp_path):
    other = "%! other.yaml\nbibliography: more.bib\n%! _config.yml\ntheme: x\n"
    draft = draft_of(tmp_path, f"%! paper.md\nSo @a.\n{other}%! more.bib\n{BIB}")
    assert sources(draft) == []


BOOK = {
    "quarto": (
        "_quarto.yml",
        "project: {type: book}\nbibliography: refs.bib\nbook:\n  chapters:\n    - index.qmd\n"
        "    - part: Walls\n      chapters: [one.qmd]\n  appendices: [two.qmd]\n",
        "qmd",
    ),
    "bookdown": ("_bookdown.yml", "book_filename: x\n", "Rmd"),
    "jupyter": ("_toc.yml", "root: index\nchapters:\n- file: one\n  sections:\n  - file: two\n", "md"),
    "myst": ("myst.yml", "project:\n  toc:\n  - file: index.md\n  - children:\n    - file: one.md\n    - file: two.md\n", "md"),
}  # fmt: skip


@pytest.mark.parametrize("kind", BOOK)
def test_chapters_of_a_book_are_one_draft(tmp_path, kind):
    settings, text, suffix = BOOK[kind]
    header = "---\nbibliography: refs.bib\n---\n" if kind != "quarto" else ""
    config = "%! _config.yml\ntitle: X\n" if kind == "jupyter" else ""
    write_project(
        tmp_path,
        f"%! index.{suffix}\n{header}\nFirst [@a].\n%! one.{suffix}\nThen [@b].\n%! two.{suffix}\nLast [@c].\n"
        f"%! {settings}\n{text}{config}%! refs.bib\n{BIB}",
    )
    index, one, two = (tmp_path / f"{name}.{suffix}" for name in ("index", "one", "two"))
    chapter = Workspace(tmp_path).draft(one)
    assert (chapter.root, sources(chapter)) == (index, ["refs.bib"])
    assert [file.path for file in chapter.files] == [one]
    assert {file.path for file in chapter.others} == {index, two}
    whole = Workspace(tmp_path).draft(index)
    assert [file.path for file in whole.files] == [index, one, two]
    assert [draft.root for draft in Workspace(tmp_path).drafts()] == [index]
    assert list(Workspace(tmp_path).mains_with(tmp_path / "refs.bib")) == [index]


def test_included_files_are_read_where_they_are_included(tmp_path):
    write_project(
        tmp_path,
        "%! paper.qmd\n---\nbibliography: refs.bib\n---\n\nA [@a].\n\n{{< include parts/_one.qmd >}}\n\n"
        "```{r child='_two.Rmd'}\n```\n\n{{< include _gone.qmd >}}\n%! parts/_one.qmd\nB [@b].\n"
        "%! _two.Rmd\nC [@c].\n%! refs.bib\n",
    )
    draft = Workspace(tmp_path).draft(tmp_path / "paper.qmd")
    assert [file.path.name for file in draft.files] == ["paper.qmd", "_one.qmd", "_two.Rmd"]
    assert [(p.line, p.message) for p in draft.problems] == [
        (12, "the file “_gone.qmd” that is read here does not exist")
    ]
    part = Workspace(tmp_path).draft(tmp_path / "parts" / "_one.qmd")
    assert (part.root.name, sources(part)) == ("paper.qmd", ["refs.bib"])


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("# Tool\n\nThanks to @alice and bob@x.org.\n", True),
        ("Thanks [@alice]!\n\n[@alice]: https://x.org/alice\n", True),
        ("By [@alice](https://x.org/alice).\n", True),
        ("As shown [@a].\n", False),
        ("As shown {cite}`a`.\n", False),
        ("---\nbibliography: refs.bib\n---\n", False),
    ],
)
def test_a_readme_is_no_draft(tmp_path, text, other):
    draft = draft_of(tmp_path, f"%! README.md\n{text}%! refs.bib\n{BIB}")
    assert draft.is_other_text is other
    assert bool(draft.bibliographies or draft.stand_ins) is not other
    assert DraftReader(disk=Disk()).read(tmp_path / "README.md").is_other_text is other


def test_drafts_in_latex_and_markdown_stand_side_by_side(tmp_path):
    write_project(
        tmp_path,
        "%! main.tex\n\\documentclass{article}\\begin{document}\\input{part}\\bibliography{refs}\n"
        "%! part.tex\nSo \\cite{a}.\n%! paper.md\n---\nbibliography: refs.bib\n---\nSo [@a].\n%! refs.bib\n",
    )
    roots = [draft.root.name for draft in Workspace(tmp_path).drafts()]
    assert roots == ["main.tex", "paper.md"]
    assert Workspace(tmp_path).draft(tmp_path / "part.tex").root.name == "main.tex"

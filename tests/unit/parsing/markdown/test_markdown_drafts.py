"""Drafts in Markdown: their bibliographies, the project of a file, the chapters of a book."""

import pytest

from markup import write_project
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
    ["bibliography: refs.bib", "bibliography: [refs.bib]", "bibliography:\n- 'refs'", "bibliography: ./refs.bib",
     "bibliography:\n  main: refs.bib"],
)  # fmt: skip
@pytest.mark.parametrize(
    "before", ["", "% A title\n% An author\n", "% A title\n  in two lines\n\n"]
)
def test_the_header_names_the_bibliography(tmp_path, header, before):
    text = f"{before}---\ntitle: X\n{header}\n---\n\nSo [@a].\n%! refs.bib\n{BIB}"
    draft = draft_of(tmp_path, f"%! paper.md\n{text}")
    assert sources(draft) == ["refs.bib"]
    assert not draft.problems


@pytest.mark.parametrize("closing", ["---\n", "...\n\n", "---\n\nMore words.\n"])
def test_references_may_be_in_another_block_of_metadata(tmp_path, closing):
    listed = f"---\nreferences:\n- id: moss\n  title: Moss\n- id: kelp\n  title: Kelp\n{closing}"
    workspace = Workspace(tmp_path)
    example = "```yaml\n\n---\nreferences:\n- id: no\n---\n```\n\n"
    text = f"---\ntitle: X\n---\n\nSo [@moss].\n\n{example}{listed}"
    main = write_project(tmp_path, f"%! paper.md\n{text}")
    bibliography = workspace.bibliography(workspace.draft(main))
    assert list(bibliography.entries) == ["moss", "kelp"]


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ("myst.yml", "version: 1\nproject:\n  bibliography: [more.bib]\n"),
        ("_config.yml", "bibtex_bibfiles:\n  - more.bib\n"),
        ("defaults.yaml", "from: markdown\nbibliography: more.bib\n"),
        ("pdf.yaml", "input-files: [paper.md]\nmetadata:\n  bibliography: ${.}/more.bib\n"),
        ("defaults.yaml", "metadata-files: [m.yml]\n%! m.yml\nbibliography: more.bib\n"),
        ("defaults.yaml", "metadata-file: m.yml\n%! m.yml\nbibliography: more.bib\n"),
        ("defaults.yaml", "defaults: [base]\n%! base.yaml\nbibliography: {main: more.bib}\n"),
        ("myst.yml", "extends: lab.yml\n%! lab.yml\nproject:\n  bibliography: [more.bib]\n"),
        ("metadata.yaml", "title: X\nbibliography: more.bib\n"),
        (
            "mkdocs.yml",
            "plugins:\n  - bibtex:\n      bib_file: 'more.bib' # all\nx: !!python/name:y\n",
        ),
        ("conf.py", "bibtex_bibfiles = [str(HERE / 'more.bib'),  # 'old.bib'\n]\n"),
        ("conf.py", "bibtex_bibfiles = glob.glob(os.path.join('.', 'mo*.bib'))\n"),
        ("conf.py", "bibtex_bibfiles = ('more.bib',)\n"),
        (
            "conf.py",
            "extensions = ['myst_parser']\nbibtex_bibfiles: list[str] = [\n  'more.bib'\n]\n",
        ),
    ],
)
def test_a_project_names_the_bibliography(tmp_path, settings, text):
    text += "%! other.yaml\nbibliography: no.bib\n%! no.bib\n"  # which is named by nothing
    draft = draft_of(tmp_path, f"%! paper.md\nSo [@a].\n%! {settings}\n{text}%! more.bib\n{BIB}")
    assert sources(draft) == ["more.bib"]
    assert not draft.problems
    assert tmp_path / settings in draft.own_paths


def test_settings_of_a_site_without_bibliographies_name_none(tmp_path):
    settings = "%! conf.py\nbibtex_bibfiles = []\n%! mkdocs.yml\nplugins: [search]\n"
    draft = draft_of(tmp_path, f"%! paper.md\nSo [@a].\n{settings}")
    assert not draft.problems


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


BOOKDOWN = (
    "%! 01-moss.Rmd\nMoss [@a].\n%! Zebra.Rmd\nZ [@a].\n%! _draft.Rmd\nNot yet.\n%! book.Rmd\nMerged.\n"
    "%! back/98-more.Rmd\nMore [@a].\n%! back/_old.Rmd\nOld.\n%! back/notes.md\nNotes.\n"
    f"%! parts/deep/kelp.rmd\nKelp [@a].\n%! refs.bib\n{BIB}"
)
INDEX = "%! index.Rmd\n---\nsite: bookdown::bookdown_site\nbibliography: refs.bib\n---\n"
ALL = ["index.Rmd", "01-moss.Rmd", "Zebra.Rmd"]


@pytest.mark.parametrize(
    ("settings", "chapters"),
    [
        ("book_filename: book\nrmd_subdir: true", [*ALL, "back/98-more.Rmd", "parts/deep/kelp.rmd"]),
        ('book_filename: "book"\nrmd_subdir: ["parts", back]', [*ALL, "parts/deep/kelp.rmd", "back/98-more.Rmd"]),
        ("rmd_files: [Zebra.Rmd, index.Rmd, _draft.Rmd]", ["index.Rmd", "Zebra.Rmd"]),
        ("rmd_files: [Index.Rmd, zebra.rmd]", ["index.Rmd", "Zebra.Rmd"]),
        (None, [*ALL, "book.Rmd"]),
    ],
)  # fmt: skip
def test_chapters_of_bookdown(tmp_path, settings, chapters):
    more = f"%! _bookdown.yml\n{settings}\n" if settings else ""
    index = write_project(tmp_path, f"{INDEX}{BOOKDOWN}{more}")
    draft = Workspace(tmp_path).draft(index)
    assert [file.path.relative_to(tmp_path).as_posix() for file in draft.files] == chapters
    last = Workspace(tmp_path).draft(tmp_path / chapters[-1])
    assert (last.root, sources(last)) == (index, ["refs.bib"])
    # What is no chapter is a draft of its own.
    assert Workspace(tmp_path).draft(tmp_path / "_draft.Rmd").root.name == "_draft.Rmd"


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ("_quarto-print.yml", "bibliography: refs/a.bib"),
        ("_quarto.yml", "format:\n  pdf:\n    bibliography: refs/a.bib"),
        ("_quarto.yml", "metadata-files: [shared/more.yml]\n%! shared/more.yml\nbibliography: ../refs/a.bib"),
    ],
)  # fmt: skip
def test_a_post_has_the_bibliography_of_its_site(tmp_path, place, text):
    header = "---\nmetadata-files: [more.yml]\n---\n"
    site = "" if place == "_quarto.yml" else "%! _quarto.yml\nproject: {type: website}\n"
    fixture = (
        f"%! posts/one/index.qmd\n{header}So [@a].\n{site}%! {place}\n{text}\n%! refs/a.bib\n{BIB}"
    )
    draft = draft_of(tmp_path, fixture)
    assert sources(draft) == ["a.bib"]
    assert not draft.problems
    assert tmp_path / place in draft.own_paths


def test_the_folders_of_chapters_name_bibliographies_of_the_book(tmp_path):
    book = "project: {type: book}\nbook: {chapters: [index.qmd, one/a.qmd, two/b.qmd]}\n"
    draft = draft_of(
        tmp_path,
        "%! index.qmd\nSo [@a].\n%! one/a.qmd\nSo [@a].\n%! two/b.qmd\nSo [@b].\n"
        f"%! _quarto.yml\n{book}%! _quarto-long.yml\nbook: {{appendices: [more.qmd]}}\n%! more.qmd\nMore.\n"
        f"%! two/_metadata.yml\nbibliography: b.bib\n%! two/b.bib\n{BIB}",
    )
    assert [file.path.name for file in draft.files] == ["index.qmd", "a.qmd", "b.qmd", "more.qmd"]
    assert sources(draft) == ["b.bib"]


@pytest.mark.parametrize(
    "header",
    [
        "bibliography: /refs/a.bib",
        "bibliography: >\n  ../refs/a.bib",
        "bibliography: \"`r here::here('refs', 'a.bib')`\"",
        'bibliography: !expr file.path("..", "refs", "a.bib")',
        "bibliography: \"`r file.path(system.file(package='moss', 'refs'), 'a.bib')`\"",
        "bibliography: '`r paste0(getwd(), \"/refs/a.bib\")`'",
        "output:\n  pdf_document:\n    template: own.tex",
        "format:\n  pdf:\n    template: ../posts/own",
        "output:\n  pdf_document:\n    includes:\n      in_header: own.tex",
        "header-includes: |\n  \\addbibresource{../refs/a.bib}",
        "title: X\n---\n\nWords.\n\n---\nbibliography: ../refs/a.bib",
    ],
)
def test_a_header_names_the_bibliography_elsewhere(tmp_path, header):
    template = "\\documentclass{article}\n% \\addbibresource{no.bib}\n\\addbibresource{../refs/a.bib}\n\\bibliography{$bibliography$}\n"
    draft = draft_of(
        tmp_path,
        f"%! posts/one.qmd\n---\n{header}\n---\n\nSo [@a].\n%! posts/own.tex\n{template}"
        f"%! _quarto.yml\nproject: {{type: website}}\n%! refs/a.bib\n{BIB}",
    )
    assert sources(draft) == ["a.bib"]
    assert not draft.problems


def test_what_is_named_again_and_again_in_settings_is_read_once(tmp_path):
    levels = "".join(
        f"l{n}: &l{n} {{a: *l{n - 1}, b: *l{n - 1}, c: *l{n - 1}}}\n" for n in range(1, 40)
    )
    loop = f"l0: &l0 {{bibliography: more.bib}}\n{levels}metadata-files: [_quarto.yml]\n"
    draft = draft_of(tmp_path, f"%! a.qmd\nSo [@a].\n%! _quarto.yml\n{loop}%! more.bib\n{BIB}")
    assert sources(draft) == ["more.bib"]


@pytest.mark.parametrize(
    ("chunk", "names"),
    [
        ("{r, child=c('_one.Rmd', \"parts/_two.Rmd\"), results='asis'}", ["_one.Rmd", "_two.Rmd"]),
        ("{r, child=here::here('text', 'parts', '_two.Rmd')}", ["_two.Rmd"]),
        ("{r, child=file.path(\"parts\", \"_two.Rmd\"), eval=knitr::is_html_output()}", ["_two.Rmd"]),
        ("{r, child=if (kind == 'html') '_one.Rmd' else 'parts/_two.Rmd'}", ["_one.Rmd", "_two.Rmd"]),
        ("{r}\n#| echo: false\n#| child:\n#|   - _one.Rmd\n#|   - 'parts/_two.Rmd'", ["_one.Rmd", "_two.Rmd"]),
        ("{r}\nres = knitr::knit_child('_one.Rmd', quiet = TRUE)\n# knit_child('_no.Rmd')", ["_one.Rmd"]),
        ("{r}\n1\n```\n\nSo `r knitr::knit_child(\"_one.Rmd\")`.\n\n```{r}", ["_one.Rmd"]),
        ("{r, child='sub/_three.Rmd'}", ["_three.Rmd"]),
        ("{r, child='_one.Rmd', eval=FALSE}", []),
        ("{r, child=paste0(name, '.Rmd')}", []),
    ],
)  # fmt: skip
def test_children_of_a_chunk(tmp_path, chunk, names):
    chunk = chunk.replace("|", "||")
    draft = draft_of(
        tmp_path,
        f"%! text/main.Rmd\n---\nbibliography: refs.bib\n---\n\nSo [@a].\n\n```{chunk}\n```\n"
        f"%! text/_one.Rmd\nOne [@b].\n%! text/parts/_two.Rmd\nTwo [@c].\n"
        f"%! text/sub/_three.Rmd\nThree [@c].\n%! text/refs.bib\n{BIB}",
    )
    assert [file.path.name for file in draft.files] == ["main.Rmd", *names]
    assert not draft.problems


@pytest.mark.parametrize(
    "setting",
    ["knit: (function(f, ...) rmarkdown::render(f, knit_root_dir = '../common'))\n---\n",
     "---\n\n```{r}\nknitr::opts_knit$set(root.dir = \"../common\")\n```\n"],
)  # fmt: skip
def test_children_are_searched_where_knitr_runs(tmp_path, setting):
    draft = draft_of(
        tmp_path,
        f"%! text/main.Rmd\n---\nbibliography: refs.bib\n{setting}\n```{{r, child='_one.Rmd'}}\n```\n"
        f"%! common/_one.Rmd\nOne [@b].\n%! text/_one.Rmd\nOther [@c].\n%! text/refs.bib\n{BIB}",
    )
    assert [file.path.parent.name for file in draft.files] == ["text", "common"]


@pytest.mark.parametrize(
    ("header", "more", "cites"),
    [
        ("output:\n  pdf_document:\n    citation_package: natbib", "", True),
        ("output: rticles::elsevier_article", "", True),
        ("format:\n  html: default\n  pdf: default", "", True),
        ("biblatex: true", "", True),
        ("title: X", "%! _output.yml\nbookdown::pdf_book: default\n", True),
        ("title: X", "%! defaults.yaml\nto: latex\ncite-method: natbib\n", True),
    ],
)  # fmt: skip
def test_latex_cites_where_tex_typesets_a_draft(tmp_path, header, more, cites):
    raw = "`\\cite{a}`{=latex}, but not `\\cite{no}` and `\\cite{no}`{=html}"
    fixture = f"%! main.Rmd\n---\n{header}\n---\n\nSo {raw}.\n\n```{{r, child='_one.Rmd'}}\n```\n"
    draft = draft_of(tmp_path, f"{fixture}%! _one.Rmd\nOne \\citet{{b}}.\n{more}%! refs.bib\n{BIB}")
    found = [key.key for file in draft.files for c in file.citations for key in c.keys]
    assert found == (["a", "b"] if cites else [])
    assert bool(draft.fallback_bibliographies) is cites


@pytest.mark.parametrize("own", ["bibliography", "format:\n  pdf:\n    bibliography"])
def test_the_bibliography_of_a_header_is_preferred_to_that_of_its_project(tmp_path, own):
    path = write_project(
        tmp_path,
        f"%! post/index.qmd\n---\n{own}: own.bib\n---\nSo [@a].\n%! _quarto.yml\nbibliography: refs.bib\n"
        "%! post/_metadata.yml\nbibliography: post.bib\n%! refs.bib\n@book{a, title = {Of all}}\n"
        "%! post/post.bib\n@book{a, title = {Of posts}}\n%! post/own.bib\n@book{a, title = {Own}}\n",
    )
    workspace = Workspace(tmp_path)
    found = workspace.bibliography(workspace.draft(path)).find("a")
    assert found is not None
    assert found.title == "Own"


def test_an_appendix_of_papaja_belongs_to_its_paper(tmp_path):
    header = "---\nbibliography: refs.bib\nappendix:\n  - 'more.Rmd'\n  - Words.\n---\n\nSo [@a].\n"
    draft = draft_of(tmp_path, f"%! paper.Rmd\n{header}%! more.Rmd\nMore [@b].\n%! refs.bib\n{BIB}")
    assert [file.path.name for file in draft.files] == ["paper.Rmd", "more.Rmd"]
    assert not draft.problems


def test_included_files_are_read_where_they_are_included(tmp_path):
    draft = draft_of(
        tmp_path,
        "%! paper.qmd\n---\nbibliography: refs.bib\n---\n\nA [@a].\n\n{{< include parts/_one.qmd >}}\n\n"
        "```{r child='_two.Rmd'}\n```\n\n{{< include _gone.qmd >}}\n\n{{< include '_three.qmd' >}}\n"
        "%! parts/_one.qmd\nB [@b].\n%! _three.qmd\nD [@d].\n%! _two.Rmd\nC [@c].\n%! refs.bib\n",
    )
    names = ["paper.qmd", "_one.qmd", "_two.Rmd", "_three.qmd"]
    assert [file.path.name for file in draft.files] == names
    assert [(p.line, p.message) for p in draft.problems] == [
        (12, "the file “_gone.qmd”, which is read here, does not exist")
    ]
    part = Workspace(tmp_path).draft(tmp_path / "parts" / "_one.qmd")
    assert (part.root.name, sources(part)) == ("paper.qmd", ["refs.bib"])


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("# Tool\n\nThanks to @alice and bob@x.org.\n", True),
        ("Thanks [@alice]!\n\n[@alice]: https://x.org/alice\n", True),
        ("---\nbibliography: refs.bib\n---\n", False),
    ],
)
def test_a_readme_is_no_draft(tmp_path, text, other):
    draft = draft_of(tmp_path, f"%! README.md\n{text}%! refs.bib\n{BIB}")
    assert draft.is_other_text is other
    assert bool(draft.bibliographies or draft.fallback_bibliographies) is not other
    assert DraftReader(disk=Disk()).read(tmp_path / "README.md").is_other_text is other


def test_drafts_in_latex_and_markdown_coexist(tmp_path):
    write_project(
        tmp_path,
        "%! main.tex\n\\documentclass{article}\\begin{document}\\input{part}\\bibliography{refs}\n"
        "%! part.tex\nSo \\cite{a}.\n%! paper.md\n---\nbibliography: refs.bib\n---\nSo [@a].\n%! refs.bib\n",
    )
    roots = [draft.root.name for draft in Workspace(tmp_path).drafts()]
    assert roots == ["main.tex", "paper.md"]
    assert Workspace(tmp_path).draft(tmp_path / "part.tex").root.name == "main.tex"

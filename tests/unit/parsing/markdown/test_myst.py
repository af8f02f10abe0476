"""MyST: its directives, comments and roles, and its labels, which are those of all pages."""

import json

import pytest
from test_markdown_citations import keys as cited
from test_markdown_citations import parse

from markup import write_project
from pincite.checking.citations import undefined_keys
from pincite.edits.citations import conventions, pin, with_key
from pincite.model.drafts import CITATION_MARK
from pincite.parsing.markdown.dialect import is_myst
from pincite.parsing.markdown.markup import SYNTAX
from pincite.project.workspace import Workspace


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("{cite}`moss;kelp,fern ; oak`", ["moss", "kelp", "fern", "oak"]),
        ("{cite:t}`{see, e.g.}moss{p. 3; 4}; {cf.} kelp`", ["moss", "kelp"]),
        ("{cite:p}`moss,\n\nSo says {cite}`oak`", ["moss", "oak"]),
        ("{cite}`a`,\n% said @no and {cite}`no`\nas @b\n  % and [@no]\n\n50 % of @c", ["a", "b", "c"]),
        # A per cent sign begins no comment for Pandoc.
        ("{cite:cauthor}`moss`, {cite:alps}`kelp` and {footcite:t}`fern`", ["moss", "kelp", "fern"]),
    ],
)  # fmt: skip
def test_a_role_has_several_keys(text, keys):
    assert cited(f"So {text} it is.") == keys


@pytest.mark.parametrize(
    ("directive", "keys"),
    [
        (":::{figure} a@no.png\n:alt: see @no\n:name: walls\nBy @moss.\n:::", ["moss"]),
        ("```{table} Walls of @moss\n:label: t\n| a |\n|---|\n| @kelp |\n```", ["moss", "kelp"]),
        (":::{note} As @moss says\n:class: x\nAnd @kelp.\n:::", ["moss", "kelp"]),
        ("```{figure #walls .wide} a@no.png\nBy @moss, see @walls.\n```", ["moss"]),
        ("```{csv-table} By @moss\n:header: a\n@kelp, 3\n```", ["moss", "kelp"]),
        ("````{note}\n```{tip}\n@moss\n```\n@kelp\n````", ["moss", "kelp"]),
        (
            "::::{grid} 2\n:::{card} By @moss\n:footer: See @kelp\nWords\n:::\n::::",
            ["moss", "kelp"],
        ),
        (":::{code} python\n@no\n\n@no\n:::", []),
        ("```{code-block} python\n:caption: As @moss does\n:name: c\n\n@no\n```", ["moss"]),
        ("```{code-cell}\n:tags: [x]\n@no\n```", []),
        (":::{math}\n:label: m\nx_@no\n:::", []),
        # Not closed yet.
        (":::{figure} a.png\n:alt: see @no\nSo @moss.", ["moss"]),
    ],
)
def test_what_a_directive_shows_is_text(directive, keys):
    text = f"{{cite}}`a`\n\n{directive}\n\nLast, @z.\n"
    assert cited(text) == ["a", *keys, "z"]
    prose = parse(text).prose.text
    assert prose.count(CITATION_MARK) == 2 + len(keys)
    assert "alt:" not in prose  # options are no prose


@pytest.mark.parametrize(
    ("given", "label"),
    [
        ("(sec-walls)=\n# Walls", "@sec-walls"),
        ("(a label)=\n# Walls\n\n(Walls)=", "[@walls]"),
        ("```{figure} w.png\n---\nname: walls\n---\n```", "@walls"),
        ("```{code-cell} python\n#| label: walls\n1\n```", "@walls"),
        ('+++ {"tags": [], "label": "walls"}', "[@walls]"),
        ("$$\nx\n$$ (eq:walls)", "@eq:walls"),
        ("\\begin{equation}\\label{walls}x\\end{equation}", "@walls"),
        ("# Walls, and *Gates*!\n\n## 2 Towers", "@walls-and-gates, @id-2-towers"),
        ("{math #walls}`x`", "@walls"),
        (":::{figure}\n:label: walls\n![](a.png)\n![](b.png)\n:::", "[@walls-a; @walls-b]"),
    ],
)
def test_a_label_is_no_key(given, label):
    text = f"{{cite}}`a`\n\n{given}\n\nSee {label}; so says @b.\n"
    assert cited(text) == cited(text.replace("\n", "\r\n")) == ["a", "b"]


def test_the_label_of_a_page_is_in_its_header_and_a_name_in_code_is_none():
    assert cited("---\nlabel: walls\n---\n\nSee @walls and {cite}`a`.\n") == ["a"]
    code = "```{code-block} yaml\nname: numpy\n```\n\n---\n\nname: scipy\n"
    assert cited(f"{{cite}}`a`\n\n{code}\nSee [@numpy; @scipy].\n") == ["a", "numpy", "scipy"]


def test_what_only_myst_has_distinguishes_it():
    other = ("So [@a] and ```{r}\n1\n```\n", "::: {.note}\nWords\n:::\n", "+++\ntitle = 'x'\n+++\n")
    assert not any(map(is_myst, other))
    assert all(map(is_myst, ("So {cite:p}`a`.\n", ":::{note}\nWords\n:::\n")))


BIB = "@book{a, title = {A}}\n@book{b, title = {B}, doi = {10.1000/Walls}}\n"
OTHER = "(anchor)=\n# Other\n\n:::{figure}\n:label: wide\n![](a.png)\n:::\n"
PROJECTS = {
    "toc": "%! myst.yml\nproject:\n  bibliography: [refs.bib]\n  toc:\n  - file: index.md\n  - file: other.md\n",
    "pattern": "%! myst.yml\nproject:\n  bibliography: [refs.bib]\n  toc:\n  - file: index.md\n  - pattern: 'ot*.md'\n",
    "folder": "%! myst.yml\nproject:\n  bibliography: [refs.bib]\n",
    "book": "%! _config.yml\nbibtex_bibfiles: [refs.bib]\n%! _toc.yml\nroot: index\nchapters:\n- file: other\n",
    "list": "%! _toc.yml\n- file: index\n- part: X\n  chapters:\n  - file: other\n",
    "levels": "%! _toc.yml\nroot: index\nsubtrees:\n- entries:\n  - file: other\n",
}


def undefined(folder, text, project, more=""):
    path = write_project(folder, f"%! index.md\n{text}\n{project}%! refs.bib\n{BIB}{more}")
    workspace = Workspace(path.parent)
    draft = workspace.draft(path)
    entries = workspace.bibliography(draft)
    found = undefined_keys(draft.file(path), draft, lambda key: entries.find(key) is not None)
    return [finding.key for finding in found]


@pytest.mark.parametrize("project", PROJECTS)
def test_labels_of_all_pages_are_known(tmp_path, project):
    text = "See @anchor, [@wide-a], @wide and @nowhere, as [@a] does."
    found = undefined(tmp_path, text, PROJECTS[project], f"%! other.md\n{OTHER}")
    assert found == ["nowhere"]


def test_labels_of_a_notebook_are_known(tmp_path):
    cells = [
        {"cell_type": "code", "source": ["#|| label: plot\n", "1"]},
        {"source": "(text)=\n# T"},
    ]
    write_project(tmp_path, f"%! lab.ipynb\n{json.dumps({'cells': cells})}\n%! broken.ipynb\n{{\n")
    toc = "%! myst.yml\nproject:\n  toc:\n  - file: index.md\n  - file: lab.ipynb\n  - file: broken.ipynb\n"
    assert undefined(tmp_path, "See @plot, @text and [@gone].", toc) == ["gone"]
    assert undefined(tmp_path, "See @plot and [@gone].", PROJECTS["folder"]) == ["gone"]


def test_labels_follow_an_edit_of_another_page(tmp_path):
    other = f"%! other.md\n{OTHER}"
    assert undefined(tmp_path, "See [@anchor], [@new].", PROJECTS["folder"], other) == ["new"]
    (tmp_path / "other.md").write_text("(new)=\n# Other\n", "utf-8")
    workspace = Workspace(tmp_path)
    (file,) = workspace.draft(tmp_path / "index.md").files
    assert [key.key for citation in file.citations for key in citation.keys] == ["anchor"]
    (tmp_path / "other.md").write_text("(anchor)=\n(new)=\n# Other\n", "utf-8")
    assert not workspace.draft(tmp_path / "index.md").files[0].citations


@pytest.mark.parametrize("project", ["toc", "folder", None])
def test_a_name_that_is_a_key_and_a_label_cites(tmp_path, project):
    header = "" if project else "---\nbibliography: refs.bib\n---\n"
    text = f"{header}(a)=\n# B\n\n{{cite}}`c` is [@a], @b and [@anchor].\n\n(anchor)=\nWords"
    write_project(tmp_path, "%! other.md\n(b)=\n# Other\n")
    assert undefined(tmp_path, text, PROJECTS[project] if project else "") == ["c"]
    file = Workspace(tmp_path).draft(tmp_path / "index.md").files[0]
    assert [key.key for citation in file.citations for key in citation.keys] == ["c", "a", "b"]


@pytest.mark.parametrize("project", ["folder", None])
@pytest.mark.parametrize(
    "doi",
    [
        "[@doi:10.5281/zenodo.647]",
        "[see @10.25080/ab-cd, p. 3; @https://doi.org/cr3qwn]",
        "@https://www.biorxiv.org/content/10.1101/2020.11.02.364968v2",
    ],
)
def test_a_doi_needs_no_entry(tmp_path, doi, project):
    text = f"So {doi} and {{cite}}`a; gone`."
    assert undefined(tmp_path, text, PROJECTS[project] if project else "") == ["gone"]


@pytest.mark.parametrize("name", ["../one.bib", "/one.bib"])
@pytest.mark.parametrize(
    "settings", ["", "%! _config.yml\ntitle: A\n%! _toc.yml\n- file: in/page\n"]
)
def test_a_directive_names_bibliographies(tmp_path, name, settings):
    text = f"---\nbibliography: three.bib\n---\n\nSo {{cite}}`a`.\n\n```{{bibliography}} {name} two.bib\n:all:\n```\n"
    files = "".join(
        f"%! {each}\n@misc{{a}}\n" for each in ("one.bib", "in/two.bib", "in/three.bib")
    )
    main = write_project(tmp_path, f"%! in/page.md\n{text}{settings}{files}")
    draft = Workspace(tmp_path).draft(main)
    found = [source.path.name for source in draft.bibliographies]
    assert found == ["three.bib", "one.bib", "two.bib"]
    assert [each.span.of(text) for each in draft.files[0].bibliographies][1:] == [name, "two.bib"]


@pytest.mark.parametrize(
    "link",
    ["[](doi:10.1000/walls)", "[Moss *et al.*](https://doi.org/10.1000%2FWalls)", "<doi:10.1000/WALLS>"],
)  # fmt: skip
def test_a_link_to_a_doi_cites(tmp_path, link):
    text = f"So {link} and {{cite}}`a`. See [a page](https://example.org/10.1000/a)."
    assert undefined(tmp_path, text, PROJECTS["folder"]) == []
    file = Workspace(tmp_path).draft(tmp_path / "index.md").files[0]
    first, second = file.citations
    assert (first.span.of(text), second.span.of(text)) == (link, "{cite}`a`")
    assert f"So {CITATION_MARK} and {CITATION_MARK}. See a page." in file.prose.text
    ways = conventions(Workspace(tmp_path).draft(tmp_path / "index.md"))
    assert SYNTAX.key_slot(file, first.keys[0].span.end, lambda _: False) is None
    assert with_key(file, first, "a", ways) == pin(file, first, first.keys[0], "3", ways) == ()


def test_pages_of_pandoc_know_only_their_own_labels_and_need_entries_for_dois(tmp_path):
    text = "See [@anchor], so [@doi:10.1016/y]."
    found = undefined(tmp_path, text, "", f"%! other.md\n{OTHER}")
    assert found == ["anchor", "doi:10.1016/y"]


@pytest.mark.parametrize(
    "doi", ["doi:10.1000/walls", "10.1000/WALLS", "https://doi.org/10.1000%2FWalls"]
)
def test_a_doi_cites_the_entry_that_has_it(tmp_path, doi):
    undefined(tmp_path, "Words", PROJECTS["folder"])
    workspace = Workspace(tmp_path)
    found = workspace.bibliography(workspace.draft(tmp_path / "index.md")).find(doi)
    assert found is not None
    assert found.key == "b"

"""Drafts in Typst: their files, labels and bibliographies."""

import pytest

from markup import write_project
from pincite.parsing.drafts import DraftReader
from pincite.project.workspace import Workspace

BIB = "@book{a, title = {A}}\n"


def draft_of(folder, fixture, name=None):
    main = write_project(folder, fixture)
    return Workspace(folder).draft(folder / name if name else main)


def sources(draft):
    return [source.path.name for source in draft.bibliographies]


def keys(draft):
    return [k.key for file in draft.files for c in file.citations for k in c.keys]


def test_a_chapter_belongs_to_the_main_file_that_includes_it(tmp_path):
    text = (
        '%! text/main.typ\n#include "parts/one.typ"\n#bibliography("../refs.bib")\n@here <here>\n'
        f"%! text/parts/one.typ\nOne @a, as in @here.\n%! refs.bib\n{BIB}"
    )
    draft = draft_of(tmp_path, text, "text/parts/one.typ")
    assert draft.root == tmp_path / "text" / "main.typ"
    assert sources(draft) == ["refs.bib"]
    assert keys(draft) == ["a"]
    assert not draft.problems


@pytest.mark.parametrize(
    ("text", "named"),
    [
        # A slash is the root of the project.
        ('%! text/main.typ\n#include "/one.typ"\n#bibliography("/refs.bib")\n%! one.typ\n@a\n', True),
        # A file that is imported has the bibliography, a package has none.
        ('%! main.typ\n#import "@preview/x:1.0.0": y\n#import "refs.typ": refs\n@a\n#refs\n'
         '%! refs.typ\n#let refs = bibliography("refs.bib")\n', True),
        # Files that include each other; references in code define nothing.
        ('%! main.typ\n#include "one.typ"\n%! one.typ\n#include "main.typ"\n#link(<a>)[x] `<a>` @a // <a>\n', False),
    ],
)  # fmt: skip
def test_files_of_a_draft(tmp_path, text, named):
    draft = draft_of(tmp_path, f"{text}%! refs.bib\n{BIB}")
    assert sources(draft) == (["refs.bib"] if named else [])
    assert keys(draft) == ["a"]
    assert not draft.problems
    assert not draft.lacks_bibliography


@pytest.mark.parametrize(
    ("main", "beside", "fallback_bibliographies"),
    [
        ("main.typ", ["works.yml", "refs.json"], ["works.yml"]),
        ("main.typ", ["refs.bib"], ["refs.bib"]),
        ("main.qmd", ["works.yml", "refs.json"], ["refs.json", "works.yml"]),
        ("main.tex", ["works.yml", "refs.json"], []),
        ("main.qmd", ["refs.bib", "refs.json"], ["refs.bib"]),
        ("main.qmd", ["data.json", "settings.yml"], []),
    ],
)
def test_a_bibliography_that_the_markup_can_read_stands_in(
    tmp_path, main, beside, fallback_bibliographies
):
    texts = {
        "refs.bib": BIB,
        "refs.json": '[{"id": "a", "type": "book", "title": "A"}]',
        "works.yml": "a:\n  type: book\n  title: A\n",
        "data.json": '{"id": "a", "type": "module"}',
        "settings.yml": "title: A\ntype: book\n",
        "main.typ": "So @a.",
        "main.qmd": "So [@a].",
        "main.tex": "\\documentclass{article}\\begin{document}\\cite{a}\\end{document}",
    }
    for name in (main, *beside):
        (tmp_path / name).write_text(texts[name], "utf-8")
    draft = Workspace(tmp_path).draft(tmp_path / main)
    assert [source.path.name for source in draft.fallback_bibliographies] == fallback_bibliographies


def test_a_bibliography_in_another_folder_is_found_by_its_name(tmp_path):
    draft = draft_of(
        tmp_path,
        '%! text/main.typ\nSo @a.\n#bibliography("works.yml")\n%! lib/works.yml\na:\n  title: A\n'
        "%! lib/works.bib\n",
    )
    draft = Workspace(tmp_path).draft(draft.path)
    assert sources(draft) == ["works.yml"]
    assert not draft.problems


@pytest.mark.parametrize("written", ["See @x and @a.\n", "See $y #ref(<x>)$ and #ref(<a>).\n"])
@pytest.mark.parametrize(
    "defined", ["$ x $ <x>", "#figure([A], caption: [B]) <x>", "= X <x>", "#f(label: <x>)"]
)
def test_a_label_that_another_file_gets_or_loses_changes_what_is_cited(tmp_path, defined, written):
    main, one = tmp_path / "main.typ", tmp_path / "one.typ"
    for each in (main, one):
        each.touch()
    texts = {main: '#include "one.typ"\n', one: written}
    reader = DraftReader(texts.__getitem__)
    assert keys(reader.read(main)) == ["x", "a"]
    before, texts[main] = texts[main], texts[main] + defined
    assert keys(reader.read(main)) == ["a"]
    texts[main] = before
    assert keys(reader.read(main)) == ["x", "a"]


def test_the_language_is_the_one_that_the_text_is_set_in(tmp_path):
    main = tmp_path / "main.typ"
    main.write_text(
        '#set text(size: 11pt, lang: "de")\nWörter @a.\n#bibliography("refs.bib")\n', "utf-8"
    )
    assert DraftReader().read(main).languages == ("de",)

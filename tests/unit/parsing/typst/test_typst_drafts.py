"""Drafts in Typst: their files, labels and bibliographies, and what ``@name`` means in them.

Terms of a glossary and labels that code makes are no citations.
"""

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
        ("main.qmd", ["works.yml", "refs.json"], ["refs.json", "works.yml"]),
        ("main.qmd", ["data.json", "settings.yml"], []),
    ],
)
def test_a_bibliography_that_the_markup_can_read_serves_instead(
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


REFS = '#bibliography("refs.bib")\n%! refs.bib\n@misc{moss, title={Moss}}\n@misc{wall, title={W}}\n'


def cited(folder, fixture):
    return keys(draft_of(folder, fixture))


GLOSSARIUM = (
    '#import "@preview/glossarium:0.5.8": make-glossary, register-glossary\n#show: make-glossary\n'
)
TERMS = {
    "glossarium": f'{GLOSSARIUM}#register-glossary(((key: "api", short: "A"), (key: "rna")))\n@api:short, @Api:pl and @rna.',
    "glossy": '#import "@preview/glossy:0.9.1": *\n#let terms = (api: (short: "A"), "RNA": "Acid")\n#show: init-glossary.with(terms)\n@api:both:cap, @an:api and @a:RNA.',
    "acrostiche": '#import "@preview/acrostiche:0.7.0": *\n#init-acronyms(("API": ("A", "As"), RNA: (short: "R")))\n#show ref: it => acr(str(it.target))\n@API, @RNA',
    "abbr": '#import "@preview/abbr:0.2.3"\n#abbr.make(("API", "A"), ("RNA", "R"))\n@API:pla, @RNA',
    "one by one": '#let terms = (:)\n#terms.insert("api", (short: "A"))\n@api',
    "own": '#let term(key, long) = [#figure(long) #label("term:" + key)]\n#term("api", [A])\n@term:api',
    "file": '#import "terms.typ": terms\n@api, @rna:pl\n%! terms.typ\n#let terms = ((key: "api"), (key: "rna"))',
    "YAML beside a file": '#import "lib/terms.typ": terms\n@api, @rna:pl\n%! lib/terms.typ\n#let terms = yaml("terms.yml")\n%! lib/terms.yml\n- key: api\n  short: A\n- key: "rna"',
    "TOML": '#let terms = toml("terms.toml")\n@api, @rna, @dna\n%! terms.toml\n[api]\nshort = "A"\n[terms.rna]\nshort = "R"\n[[term]]\nkey = "dna"',
    "CSV": '#abbr.load("terms.csv")\n@api, @rna\n%! terms.csv\napi,A\nrna,Acid',
}  # fmt: skip


@pytest.mark.parametrize("text", TERMS.values(), ids=list(TERMS))
def test_terms_of_a_glossary_are_no_keys(tmp_path, text):
    head, sign, files = text.partition("\n%! ")
    fixture = f"%! main.typ\n{head}\n\nSo @moss, @nowhere and #cite(<gone>).\n{REFS}{sign}{files}\n"
    assert cited(tmp_path, fixture) == ["moss", "nowhere", "gone"]


LABELS = {
    "a figure and its label": "#subpar.grid(\n  figure([A]), <x>,\n  caption: [B],\n  label: <y>,\n)\n@x, @y",
    "constant": '#let start = "x-"\n#let fig(name) = [#figure([A]) #label(start + name)]\n#fig("a")\n@x-a',
    "in a formula": '$ a #<x> \\ b #label("y") $\n@x, @y',
    "field": '#let all = ((name: "x"),)\n#for each in all [#figure([A]) #label(each.name)]\n@x',
}


@pytest.mark.parametrize("text", LABELS.values(), ids=list(LABELS))
def test_labels_that_code_makes_are_no_keys(tmp_path, text):
    fixture = f"%! main.typ\n{text}\n\nSo @moss and @nowhere.\n{REFS}"
    assert cited(tmp_path, fixture) == ["moss", "nowhere"]


def test_where_labels_cannot_be_computed_only_what_the_bibliography_has_is_cited(tmp_path):
    text = "#show heading: it => [#it #label(lower(it.body.text))]\n= Stones\n@stones, @moss #cite(<gone>)\n"
    assert cited(tmp_path, f"%! main.typ\n{text}{REFS}") == ["moss", "gone"]


@pytest.mark.parametrize(
    "text", ['#for part in ("one",) { include "parts/" + part + ".typ" }', "#include part"]
)
def test_a_file_that_is_not_known_may_have_labels(tmp_path, text):
    assert cited(tmp_path, f"%! main.typ\n{text}\nSee @stones and @moss.\n{REFS}") == ["moss"]


def test_a_key_of_the_bibliography_is_cited_even_if_code_may_define_it(tmp_path):
    text = (
        '#let found = ((key: "moss", n: 3),)\n#let fig(name) = [#figure([A]) #label(name)]\n'
        '#fig("wall")\n#table([@moss], [@wall])\n'
    )
    assert cited(tmp_path, f"%! main.typ\n{text}{REFS}") == ["moss", "wall"]


def test_without_a_bibliography_names_in_code_do_not_count(tmp_path):
    assert cited(tmp_path, '%! main.typ\n#let names = ("moss",)\nSo @moss.\n') == ["moss"]


def test_a_bibliography_beside_the_draft_has_keys_too(tmp_path):
    text = '%! main.typ\n#let names = ("moss", "api")\nSo @moss and @api.\n%! refs.bib\n@misc{moss, title={M}}\n'
    assert cited(tmp_path, text) == ["moss"]


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        # The keys of alexandria have a prefix, in all files.
        ('#import "@preview/alexandria:0.2.2": *\n#show: alexandria(prefix: "x-", read: p => read(p))\n'
         '#citegroup[@x-a @x-b] #cite(<x-c>) @d\n#include "part.typ"\n#bibliographyx("a.yml", prefix: "x-")\n'
         '%! part.typ\n#cite(label("x-e/f"))\n', ["a", "b", "c", "d", "e/f"]),
        # Those of pergamon are strings.
        ('#import "@preview/pergamon:0.7.1": *\n#add-bib-resource(read("a.bib"))\n'
         '#citet("a", "b", prefix: "see") @c #cite("d")', ["a", "b", "c", "d"]),
        ('#import "@preview/pergamon:0.7.1": citep as also\n#also("a") #citet("b")\n#bibliography("a.bib")', ["a"]),
        ('#import "@preview/pergamon:0.7.1"\n#pergamon.cite("a")\n#bibliography("a.bib")', ["a"]),
        ('#import "@preview/other:0.7.1": *\n#citet("a")\n#bibliography("a.bib")', []),
    ],
)  # fmt: skip
def test_packages_for_bibliographies(tmp_path, text, cited):
    draft = draft_of(tmp_path, f"%! main.typ\n{text}\n%! a.yml\n%! a.bib\n{BIB}")
    assert keys(draft) == cited
    assert len(sources(draft)) == 1

"""What ``@name`` means: terms of a glossary and labels that code makes are no citations."""

import pytest

from markup import write_project
from pincite.parsing.drafts import DraftReader
from pincite.project.workspace import Workspace

REFS = '#bibliography("refs.bib")\n%! refs.bib\n@misc{moss, title={Moss}}\n@misc{wall, title={W}}\n'


def cited(folder, fixture):
    main = write_project(folder, fixture)
    reader = DraftReader()
    first, again = (
        [k.key for file in reader.read(main).files for c in file.citations for k in c.keys]
        for _ in range(2)
    )
    assert first == again
    return first


GLOSSARIUM = (
    '#import "@preview/glossarium:0.5.8": make-glossary, register-glossary\n#show: make-glossary\n'
)
TERMS = {
    "glossarium": f'{GLOSSARIUM}#register-glossary(((key: "api", short: "A"), (key: "rna")))\n@api:short, @Api:pl and @rna.',
    "a term with a colon": f'{GLOSSARIUM}#let terms = ((key: "abbr:api", short: "A"),)\n@abbr:api, @abbr:api:pl',
    "glossy": '#import "@preview/glossy:0.9.1": *\n#let terms = (api: (short: "A"), "RNA": "Acid")\n#show: init-glossary.with(terms)\n@api:both:cap, @an:api and @a:RNA.',
    "acrostiche": '#import "@preview/acrostiche:0.7.0": *\n#init-acronyms(("API": ("A", "As"), RNA: (short: "R")))\n#show ref: it => acr(str(it.target))\n@API, @RNA',
    "abbr": '#import "@preview/abbr:0.2.3"\n#abbr.make(("API", "A"), ("RNA", "R"))\n@API:pla, @RNA',
    "one by one": '#let terms = (:)\n#terms.insert("api", (short: "A"))\n@api',
    "own": '#let term(key, long) = [#figure(long) #label("term:" + key)]\n#term("api", [A])\n@term:api',
    "file": '#import "terms.typ": terms\n@api, @rna:pl\n%! terms.typ\n#let terms = ((key: "api"), (key: "rna"))',
    "YAML": '#show: init-glossary.with(yaml("terms.yaml"))\n@api, @RNA:pl\n%! terms.yaml\napi:\n  short: A\n\nRNA: Acid',
    "YAML beside a file": '#import "lib/terms.typ": terms\n@api, @rna:pl\n%! lib/terms.typ\n#let terms = yaml("terms.yml")\n%! lib/terms.yml\n- key: api\n  short: A\n- key: "rna"',
    "JSON": '#let terms = json("terms.json")\n@api, @Rna:pl\n%! terms.json\n[{"key": "api", "short": "A"}, {"key":"rna"}]',
    "JSON without keys": '#let terms = json("terms.json")\n@api, @rna\n%! terms.json\n{"api":{"short":"A"},"rna":"Acid"}',
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
    "a label of a function": "#panel(<x>)[A]\n#panels((<y>, <z>), [A])\n@x, @y, @z",
    "numbers": '#for i in range(3) [#figure([A]) #label("x-" + str(i))]\n@x-1',
    "constant": '#let start = "x-"\n#let fig(name) = [#figure([A]) #label(start + name)]\n#fig("a")\n@x-a',
    "end": '#let fig(name) = [#figure([A]) #label(name + "-x")]\n@a-x',
    "between": '#let fig(one, two) = [#figure([A]) #label(one + "--" + two)]\n@a--b',
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


def test_a_key_of_the_bibliography_is_cited_whatever_code_says(tmp_path):
    text = (
        '#let found = ((key: "moss", n: 3),)\n#let fig(name) = [#figure([A]) #label(name)]\n'
        '#fig("wall")\n#table([@moss], [@wall])\n'
    )
    assert cited(tmp_path, f"%! main.typ\n{text}{REFS}") == ["moss", "wall"]


def test_without_a_bibliography_names_in_code_say_nothing(tmp_path):
    assert cited(tmp_path, '%! main.typ\n#let names = ("moss",)\nSo @moss.\n') == ["moss"]


def test_a_bibliography_beside_the_draft_has_keys_too(tmp_path):
    text = '%! main.typ\n#let names = ("moss", "api")\nSo @moss and @api.\n%! refs.bib\n@misc{moss, title={M}}\n'
    main = write_project(tmp_path, text)
    (file,) = Workspace(tmp_path).draft(main).files
    assert [key.key for citation in file.citations for key in citation.keys] == ["moss"]

"""Typst's compiler decides what is a citation: each that it finds is found, and none more.

Its parser shows what is a reference in small texts of everything that may hide one; whole drafts
with labels and bibliographies are compiled, and the citations queried. Both come with the wheel
typst.
"""

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.model.programs import TYPST
from pincite.parsing.bibtex import parse_bibliography
from pincite.parsing.drafts import DraftReader
from where import EXAMPLES

typst = pytest.importorskip("typst")

KEYS = ("a", "b", "c", "odd:key.x", "DBLP:conf/x", "e-e", "f_f", "größe")
REFS = "\n".join(
    f"@misc{{{key}, title={{Stones {n}}}, author={{Moss, A.}}, year=2001}}"
    for n, key in enumerate(KEYS)
)


def found_by_typst(main: Path) -> Counter[str]:
    """Return the keys that the compiler cites."""
    found = json.loads(typst.query(str(main), "cite", field="key", root=str(main.parent)))
    return Counter(key.removeprefix('label("').removesuffix('")').strip("<>") for key in found)


def found_by_us(main: Path) -> Counter[str]:
    draft = DraftReader().read(main)
    return Counter(
        key.key for file in draft.files for citation in file.citations for key in citation.keys
    )


def written(folder: Path, **texts: str) -> Path:
    (folder / "refs.bib").write_text(REFS, "utf-8")
    for name, text in texts.items():
        (folder / f"{name}.typ").write_text(text, "utf-8")
    return folder / "main.typ"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("drafts")


WHOLE = {
    "references": "Moss @a, @b[p. 3] and @c; (@odd:key.x). @größe: @e-e. is @f_f.",
    "calls": '#cite(<a>) #cite(<b>, supplement: [p. 3, #emph[see]]) #cite(<c>, form: "prose") #cite(label("DBLP:conf/x")) #std.cite(<a>)',
    "attributions": '#quote(attribution: <a>, block: true)[Moss @b]\n#quote(attribution: [see @c], block: true)[x]\n#let said = quote.with(block: true)\n#said(attribution: <e-e>)[Stones]',
    "in code": "#{ let x = 1; cite(<a>) }\n#figure([x], caption: [See @b and #cite(<c>).]) <fig>\n#align(center, cite(<a>))\n#if 1 < 2 [@b] else [@c]\n#for x in (1, 2).slice(0, 1) [ so @a ]",
    "labels": "#set heading(numbering: \"1.\")\n= Intro <intro>\nAs in @intro, @a and @eq.\n#set math.equation(numbering: \"1\")\n$ x $ <eq>\n#figure(caption: [B])[C]<fig:x>\nSee @fig:x and #ref(<intro>), #link(<intro>)[there].",
    "raw": "`@no` @a ```typ @no ``` ```\n@no\n\n@no\n``` `` @b",
    "math": "$x_@a$ @a $ x &= y \\\n  y &= \"@no\" $ @b $ a\n\nb $ \\$ @c \\$",
    "escapes": "me\\@x.org \\@a \\[@b\\] \\u{40}a",
    "content": "- @a\n  + @b\n/ Term @c: words @a\n\n*strong @a* _emph #strong[@b]_ #footnote[Note @c.] #text(red)[@a]#[@b]",
    "brackets": "[@a] ([@b[p. 3]]) #[ [@c] [x] ] @a[see [x] @b]",
    "statements": '#set page(header: [A])\n#show heading: it => [#it.body]\n#show: body => { set text(red); body }\n#let f(x, y: (1, 2)) = [#x @a]\n#f[@b] @c',
    "methods": '#let d = (a: [@a])\n#d.a #"x".len() #(1, 2).map(x => [@b]).first() @c',
    "context": "#context [@a] #context counter(page).get().first() @b",
    "ref": '#ref(<a>) #ref(<b>, supplement: [p. 3, #emph[see]]) #ref(label("DBLP:conf/x")) #std.ref(<c>)',
    "ref of labels": '#set heading(numbering: "1.")\n#set page(numbering: "1")\n= Intro <intro>\n#ref(<intro>) #ref(<a>) #ref(<intro>, form: "page")',
    "code in math": "$ x #cite(<a>) $ $y #ref(<b>, supplement: [p. 3])$ $ f(#cite(<c>), #(cite(label(\"DBLP:conf/x\"))), #{ cite(<e-e>) }) $",
    "content in math": "$ x #[see @a] y #text(red)[see $z$ @b] #footnote[@c] w @n \\$ #[ $ #cite(<e-e>) $ ] $ @f_f",
    "hidden in math": '$ x "a $ #cite(<no>)" #cite(<a>) $ $ x /* $ #cite(<no>) */ #cite(<b>) $ $ x // $ #cite(<no>)\n #cite(<c>) $ @e-e',
    "blank lines": "#figure(\n\n  [x],\n\n  caption: [Words and words\n\n  more words @a],\n\n)\n\nMore words @b.",
    "else": "#if false [\n  x\n] else if true [\n  @a\n]\nelse [\n  x\n]\n\n@b",
}  # fmt: skip

#: Functions of a project that hand a key to `cite`, defined and called.
OWN = {
    "one key": '#let says(key, supplement: none) = {\n  cite(key, supplement: supplement, form: "prose")\n}\n#says(<a>) and #says(<b>, supplement: [p. 3])',
    "string": '#let so(key) = cite(label(key))\n#so("a") #so("DBLP:conf/x")',
    "string or label": '#let so(key) = cite(if type(key) == str { label(key) } else { key })\n#so("a") #so(<b>)',
    "named": "#let claim(body, key: none) = [#body #if key != none { cite(key) }]\n#claim([Moss], key: <a>) #claim([Stones])",
    "second": "#let claim(body, key) = [#body (#cite(key))]\n#claim([Moss @c], <a>)",
    "content behind": "#let claim(key, body) = [#body #cite(key)]\n#claim(<a>)[Moss @b]",
    "many": "#let all(..keys) = keys.pos().map(cite).join()\n#all(<a>, <b>, <c>)",
    "many in a function": '#let all(..keys) = keys.pos().map(k => cite(label(k), form: "prose")).join([, ])\n#all("a", "b")',
    "many in a loop": "#let all(..keys) = [#for key in keys.pos() [#cite(key), ]]\n#all(<a>, <b>)",
    "first and others": '#let span(first, ..middle, last) = {\n  cite(label(first))\n  for key in middle.pos() { cite(label(key)) }\n  cite(label(last))\n}\n#span("a", "b", "c")',
    "inner function": '#let all(..keys) = {\n  let one(key) = cite(label(key))\n  keys.pos().map(one).join()\n}\n#all("a", "b")',
    "passed on": "#let so(..rest) = cite(..rest, form: none)\n#so(<a>, supplement: [x])",
    "arguments set": '#let c = cite.with(form: "prose")\n#let first = cite.with(<b>)\n#c(<a>, supplement: [p. 2]) #first()',
    "no name": "#let c = (key, ..rest) => cite(key, ..rest)\n#let d = key => c(key)\n#c(<a>) #d(<b>)",
    "name of Typst": '#let cite(key) = std.cite(label(key), form: "prose")\n#cite("a")',
    "comments": "#let c(key) = {\n  // cite(other)\n  cite(key) /* cite(other) */\n}\n#c(<a> /* <b> */)",
    "label or key": '#set heading(numbering: "1.")\n#let go(key) = context { if query(key).len() > 0 { ref(key) } else { cite(key) } }\n= Moss <moss>\n#go(<moss>) #go(<a>)',
    "known label or key": '#let go(key) = context { if query(key).len() > 0 { link(key)[x] } else { cite(key) } }\n= Moss <moss>\n#go(<moss>) #go(<a>)',
    "rest of an array": "#let all(..keys) = {\n  let (first, ..others) = keys.pos()\n  cite(first)\n  for key in others { cite(key) }\n}\n#all(<a>, <b>)",
    "named passed on": '#let so(..rest) = cite(..rest.named(), rest.pos().first())\n#so(<a>, form: "prose")',
    "in a block": "#{\n  let so(key) = cite(\n    key\n  )\n  [Moss #so(<a>)]\n}",
    "comparison": '#let c(key, n) = if n > 1 { cite(key) }\n#c(<a>, if 1 < 2 { 3 } else { 0 })',
}  # fmt: skip


@pytest.mark.parametrize("text", [*WHOLE.values(), *OWN.values()], ids=[*WHOLE, *OWN])
def test_a_draft_cites_what_typst_does(tmp_path, text):
    main = written(tmp_path, main=f'{text}\n\n#bibliography("refs.bib")\n')
    theirs, ours = found_by_typst(main), found_by_us(main)
    # What is written once may be shown several times, or not at all.
    assert ours.keys() == theirs.keys()


def test_files_that_are_included_or_imported(tmp_path):
    main = written(
        tmp_path,
        main='#import "parts.typ": part, refs\n#include "one.typ"\n#part @intro @a\n#refs\n',
        one="= Intro <intro>\n#set heading(numbering: \"1\")\nOne @b, @later.\n",
        parts='#let part = [\n  #set heading(numbering: "1")\n  = Later <later>\n  @c\n]\n#let refs = bibliography("refs.bib", title: "Works")\n#set heading(numbering: "1")\n',
    )  # fmt: skip
    text = main.read_text("utf-8")
    main.write_text(f'#set heading(numbering: "1")\n{text}', "utf-8")
    assert found_by_us(main) == found_by_typst(main) == Counter("abc")


IMPORTS = {
    "name": '#import "own.typ": says\n#says(<a>)',
    "lines": '#import "own.typ": (\n  says,\n  all as every,\n)\n#says(<a>) #every(<b>)',
    "all names": '#import "own.typ": *\n#says(<a>) #all(<b>)',
    "file": '#import "own.typ"\n#own.says(<a>)',
    "defined again": '#import "own.typ": *\n#let says(body, key) = [#body #cite(key)]\n#says([Moss], <a>) #all(<b>)',
    "names of a file": '#import "own.typ" as o\n#import o: says\n#says(<a>)',
    "another of the same name": '#import "own.typ": says\n#let all(key) = link(key)[x]\n= Moss <moss>\n#says(<a>) #all(<moss>)',
}


@pytest.mark.parametrize("text", IMPORTS.values(), ids=list(IMPORTS))
def test_functions_of_another_file(tmp_path, text):
    own = (
        '#import "base.typ": *\n#let says = base\n#let all(..keys) = keys.pos().map(says).join()\n'
    )
    base = '#let base(key) = cite(key, form: "prose")\n'
    main = written(tmp_path, main=f'{text}\n\n#bibliography("refs.bib")\n', own=own, base=base)
    assert found_by_us(main) == found_by_typst(main)


LABELS = {
    "own figure": "#let fig(body, name) = [#figure(body, caption: [A]) #name]\n#fig([A], <x>)\n#fig([B], <y>)",
    "string": '#let fig(name) = [#figure([A], caption: [A]) #label(name)]\n#fig("x")\n#fig("y")',
    "variable": "#let name = <x>\n#[#figure([A], caption: [A]) #name]\n#figure([A], caption: [A]) <y>",
    "loop": '#for name in ("x", "y") [#figure([A], caption: [A]) #label(name)]',
    "computed": '#let fig(name) = [#figure([A], caption: [A]) #label(lower(name))]\n#fig("X")\n#fig("Y")',
    "dictionary": "#for (name, body) in (x: [A], y: [B]) [#figure(body, caption: [A]) #label(name)]",
}  # fmt: skip


@pytest.mark.parametrize("text", LABELS.values(), ids=list(LABELS))
def test_labels_that_code_makes(tmp_path, text):
    main = written(tmp_path, main=f'{text}\n\nSee @x, @y and @a.\n\n#bibliography("refs.bib")\n')
    assert found_by_us(main) == found_by_typst(main) == Counter("a")


PARTS = [
    *("Words", "x", ":", ",", "...", "--", "_x_", "*x*", "1.", "- x", "'s", '"x"', "a/b", "~"),
    *("@a", "@b:", "@a.", "x@a", "@a[p. 3]", "@a [x]", "@e-e", "@f_f,", "(@a)", "@a;", "\\@a", "@ a"),
    *("[@a]", "#[@a]", "#footnote[@a]", "#emph[x @a]", "#cite(<a>)", '#cite(<b>, form: "prose")'),
    *("`@a`", "$x @a$", "$ @a $", "#ref(<a>)", "$x #cite(<b>) y$", "$ #[@a $x$] \"$\" $", "$ #f(ref(<a>)) $", "/* @a */", "https://x.org/@a", "#let y = 1;", '#let z = "@a";'),
    *("#(1 + 2)", "#{ [@a] }", "#if true [@a]", "#box(width: 1em)[@a]", '#link("u")[@a]', "\\"),
]  # fmt: skip
BLOCKS = [
    *("= H @a", "- @a\n- @b", "+ @a", "/ T: @a", "  @a", "// @a", "```\n@a\n\n@b\n```", "#set text(red)"),
    *("$ @a\n\n @b $", "#let f(x) = {\n  x\n}", "#figure(\n  [@a],\n\n  caption: [@b],\n)", "#f[@a]"),
    *("#align(center)[\n  = H\n\n  @a\n]", "#show: it => it", "#quote(block: true)[@a\n\n@b]"),
]  # fmt: skip
paragraph = st.lists(st.sampled_from(PARTS), min_size=1, max_size=6).map(" ".join)
texts = st.lists(st.one_of(paragraph, st.sampled_from(BLOCKS)), min_size=1, max_size=5).map(
    "\n\n".join
)


@settings(max_examples=60)
@given(text=texts)
def test_small_texts_cite_what_typst_finds(folder, text):
    main = written(folder, main=f'#let f(x) = x\n{text}\n\n#bibliography("refs.bib")\n')
    assert found_by_us(main) == found_by_typst(main)


def test_the_example_compiles_and_cites_what_typst_finds():
    main = EXAMPLES / "notes.typ"
    assert typst.compile(str(main)).startswith(b"%PDF")
    assert found_by_us(main) == found_by_typst(main)


BIBLIOGRAPHIES = {
    "commented out": ("% @misc{a, title={Old}}\n@misc{a, title={Moss}}", ["a"]),
    "case": ("@misc{a, title={Moss}}\n@misc{A, title={Fern}}", ["a", "A"]),
    "equals sign": ("@misc{a=b, title={Moss}}", ["a=b"]),
}


@pytest.mark.parametrize(("bib", "keys"), BIBLIOGRAPHIES.values(), ids=BIBLIOGRAPHIES.keys())
def test_what_is_an_entry_of_bibtex(tmp_path, bib, keys):
    read = parse_bibliography(bib, tmp_path / "refs.bib", program=TYPST)
    assert list(read.entries) == keys
    (tmp_path / "refs.bib").write_text(bib)
    main = tmp_path / "main.typ"
    for key in [*keys, "b"]:
        main.write_text(f'#cite(label("{key}"))\n#bibliography("refs.bib")')
        if key in keys:
            typst.compile(str(main))
        else:
            with pytest.raises(RuntimeError, match="is not present"):
                typst.compile(str(main))


def test_typst_refuses_repeated_keys(tmp_path):
    (tmp_path / "refs.bib").write_text("@misc{a, title={One}}\n@misc{a, title={Two}}")
    (tmp_path / "main.typ").write_text('@a\n#bibliography("refs.bib")')
    with pytest.raises(RuntimeError, match="duplicate key"):
        typst.compile(str(tmp_path / "main.typ"))
    assert "rejects" in TYPST.of_repeated

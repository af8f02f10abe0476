r"""Places of a key, and its rename: all of them or none, and nothing else is touched."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markup import parse_fixture
from pincite.edits.keys import KeysOfDraft, key_in_bibliography, key_in_draft, renamed
from pincite.model.edits import applied
from pincite.model.problems import InputError
from pincite.parsing.bibliographies import parse_bibliography
from pincite.parsing.latex.commands import CommandTable
from pincite.parsing.latex.parse import parse_tex

TEX, BIB = Path("main.tex"), Path("refs.bib")


def keys_of(tex: str, bib: str, *, case_sensitive: bool = True) -> KeysOfDraft:
    fold = str if case_sensitive else str.lower
    file, entries = parse_tex(TEX, tex, CommandTable()), {}
    read = parse_bibliography(bib, BIB)
    for entry in read.all_entries.values():
        entries |= {fold(name): entry for name in (entry.key, *entry.aliases)}
    place = lambda entry: read.places.get(entry.key)  # noqa: E731
    return KeysOfDraft((file,), (read,), entries.get, case_sensitive, place)


def rename(tex: str, bib: str, old: str, new: str, *, case_sensitive: bool = True):
    edits = renamed([keys_of(tex, bib, case_sensitive=case_sensitive)], old, new)
    by_path = {path: [edit for edit in edits if edit.path == path] for path in (TEX, BIB)}
    assert len(edits) == sum(map(len, by_path.values()))
    return applied(tex, by_path[TEX]), applied(bib, by_path[BIB])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (r"\cite{a}", r"\cite{NEW}"),
        (r"\cite{b, a ,c}", r"\cite{b, NEW ,c}"),
        ("\\citep[see][p.~a]{b,%\n  a}", "\\citep[see][p.~a]{b,%\n  NEW}"),
        (r"\cites[1]{a}[2]{b}(x){a}", r"\cites[1]{NEW}[2]{b}(x){a}"),
        (r"\textcites(a)(a)[a]{a}[a][]{a,b}", r"\textcites(a)(a)[a]{NEW}[a][]{NEW,b}"),
        (r"\volcite{2}[a]{a}", r"\volcite{2}[a]{NEW}"),
        (r"\cite{b,*[{a, }][a]a} \shortcites{a}", r"\cite{b,*[{a, }][a]NEW} \shortcites{NEW}"),
        (r"\cite{aa,ba,a-a,a:a}", r"\cite{aa,ba,a-a,a:a}"),
        (r"\cite{A}", r"\cite{A}"),
        ("% \\cite{a}\n\\verb|\\cite{a}|", "% \\cite{a}\n\\verb|\\cite{a}|"),
        (r"\begin{thebibliography}{9}\bibitem[a]{ a } a", r"\begin{thebibliography}{9}\bibitem[a]{ NEW } a"),
    ],
)  # fmt: skip
def test_rename_in_latex(before, after):
    assert rename(before, "", "a", "NEW")[0] == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("@misc{a, title={a}}", "@misc{NEW, title={a}}"),
        ("@book{\n  a ,\n  title = a}", "@book{\n  NEW ,\n  title = a}"),
        ("@misc{b, crossref={a}}@misc{a,}", "@misc{b, crossref={NEW}}@misc{NEW,}"),
        ('@misc{b, xdata = "c, a,d", note={a}}', '@misc{b, xdata = "c, NEW,d", note={a}}'),
        ("@set{b, entryset={a,\n  c}}", "@set{b, entryset={NEW,\n  c}}"),
        ("@misc{b, xref = {a} # {}}", "@misc{b, xref = {NEW} # {}}"),
        # Both, so that the first goes on to count.
        ("@misc{a, x=1}\n@misc{a, x=2}", "@misc{NEW, x=1}\n@misc{NEW, x=2}"),
        ("@comment{a} a {a,\n@string{a = {a}}", "@comment{a} a {a,\n@string{a = {a}}"),
        # Broken before and behind.
        ("@misc{b, title={open\n@misc{a, x=1}\n@misc{a", "@misc{b, title={open\n@misc{NEW, x=1}\n@misc{NEW"),
    ],
)  # fmt: skip
def test_rename_in_a_bibliography(before, after):
    assert rename("", before, "a", "NEW")[1] == after


def test_case_counts_where_biber_reads_the_keys_only():
    tex, bib = r"\cite{KEY,key}", "@misc{Key,}@misc{b, crossref={kEY}}"
    assert rename(tex, bib, "key", "x", case_sensitive=False) == (
        r"\cite{x,x}",
        "@misc{x,}@misc{b, crossref={x}}",
    )
    # A parent is found in any case by both.
    assert rename(tex, bib, "Key", "x") == (tex, "@misc{x,}@misc{b, crossref={x}}")
    two = "@misc{Key,}@misc{key,}@misc{b, crossref={key}}"
    assert rename(tex, two, "Key", "x") == (tex, "@misc{x,}@misc{key,}@misc{b, crossref={key}}")
    assert rename(tex, two, "Key", "KEY", case_sensitive=False)[0] == r"\cite{KEY,KEY}"


def test_a_letter_that_is_two_in_lower_case():
    bib = "@misc{\u0130nan2001, title={x}}"
    after = rename(
        r"\cite{\u0130nan2001}".replace("\\u0130", "\u0130"),
        bib,
        "\u0130nan2001",
        "b",
        case_sensitive=False,
    )
    assert after == (r"\cite{b}", "@misc{b, title={x}}")


def test_an_alias_is_renamed_by_itself():
    bib = "@misc{a, ids={b}}"
    assert rename(r"\cite{a,b}", bib, "b", "c") == (r"\cite{a,c}", "@misc{a, ids={c}}")
    assert rename(r"\cite{a,b}", bib, "a", "c") == (r"\cite{c,b}", "@misc{c, ids={b}}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "letter"), ("a b", "a space"), ("a\tb", "a space"), ("a,b", ","), ("a{b", "{"), ("a}", "}"),
        ("50%", "%"), ("#1", "#"), ("a~b", "~"), ("\\a", "\\"), ("a=b", "="), ('"a', '"'), ("(a", "("),
        ("a\u200bb", "invisible"), ("?", "cannot be a key"), ("TODO", "cannot be a key"), ("*", "cannot be a key"),
    ],
)  # fmt: skip
def test_what_can_be_no_key(text, message):
    with pytest.raises(InputError, match=re.escape(message)):
        rename(r"\cite{a}", "@misc{a,}", "a", text)


@pytest.mark.parametrize("taken", ["b", "also-b", "data"])
def test_a_name_that_is_taken_is_refused(taken):
    bib = "@misc{a,}\n@misc{b, ids={also-b}}\n@xdata{data,}"
    with pytest.raises(InputError, match=r"already the key of an entry \(refs\.bib, line [23]\)"):
        rename("", bib, "a", taken)
    with pytest.raises(InputError, match="already"):
        rename("", bib, "a", taken.upper(), case_sensitive=False)
    assert rename("", bib, "a", taken.upper())[1].startswith(f"@misc{{{taken.upper()},")


def test_a_misspelt_citation_may_become_a_known_one():
    assert rename(r"\cite{mispelt}", "@misc{misspelt,}", "mispelt", "misspelt") == (
        r"\cite{misspelt}",
        "@misc{misspelt,}",
    )


@pytest.mark.parametrize(
    ("marked", "key"),
    [
        ("@misc{|key, title={x}}", "key"), ("@misc{key|, title={x}}", "key"),
        ("@misc{k, crossref={par|ent}}", "parent"), ("@misc{k, xdata={a, b|, c}}", "b"),
        ("@misc{k, title={par|ent}}", None), ("@mi|sc{k,}", None), ("|", None), ("@misc{|}", None),
        ("@misc{k,\n\n|\n}", None), ("x @misc{k, ids={o|ld}}", "old"),
    ],
)  # fmt: skip
def test_the_key_at_a_place_of_a_bibliography(marked, key):
    fixture = parse_fixture(f"%! refs.bib\n{marked}")
    found = key_in_bibliography(Path("refs.bib"), fixture.text, fixture.cursor[1])
    assert (found and found.key) == key
    assert found is None or found.span.of(fixture.text) == key


@pytest.mark.parametrize(
    ("marked", "key"),
    [
        (r"\cite{a,|b}", "b"), (r"\cite{a|,b}", "a"), (r"\cite{|?}", None), (r"\cite{TO|DO}", None),
        (r"\cite[|p]{a}", None), (r"\bibitem[x]{k|}", "k"), (r"\nocite{x|}", "x"), (r"wo|rds", None),
    ],
)  # fmt: skip
def test_the_key_at_a_place_of_a_draft(marked, key):
    before, after = marked.split("|")
    file = parse_tex(TEX, before + after, CommandTable())
    found = key_in_draft(file, (), len(before))
    assert (found and found.key) == key


# Every text, however it was put together.

PIECES = [
    "@misc{a, title={t}}", "@book{b, crossref={a}, ids={c,d}}", "@misc(c, xdata={d, a})", "@misc{a, note={again}}",
    "@xdata{d, title={a}}", "@string{a = {a}}", "@comment{a}", "@misc{e, title = {open", "@preamble{{a}}", "\n", "\n\n",
    "@set{f, entryset={a,b}}", '@misc{g, related = "a", title = "a"}', "@", "}", "a", "@misc{b a, x=1}", " @misc{h,year=1}",
]  # fmt: skip
TEXTS = [r"\cite{a}", r"\cites{a}{b,c}", r"\nocite{a,d}", "a ", "% ", "\n", r"\cite{", "}", r"\citep[a]{A,a}"]  # fmt: skip


def as_tex(text: str):
    file = parse_tex(TEX, text, CommandTable())
    return [[key.key for key in citation.keys] for citation in file.citations]


def as_bib(text: str):
    read = parse_bibliography(text, BIB)
    return [
        (e.key, e.entry_type, dict(e.fields), e.aliases, e.members)
        for e in read.all_entries.values()
    ], [key.key for key in read.repeated]


@given(
    st.lists(st.sampled_from(PIECES)).map("".join),
    st.lists(st.sampled_from(TEXTS)).map("".join),
    st.sampled_from("abcd"),
)
def test_after_a_rename_all_is_as_before_but_for_the_key(bib, tex, old):
    new = "quite-new"
    new_tex, new_bib = rename(tex, bib, old, new)
    as_new = re.compile(rf"(?<![\w-]){old}(?![\w-])")

    def changed(key):
        return new if key == old else key

    def changed_field(name, value):
        naming = name in ("crossref", "xdata", "related", "entryset", "ids")
        return as_new.sub(new, value) if naming else value

    assert as_tex(new_tex) == [[changed(key) for key in keys] for keys in as_tex(tex)]
    entries, repeated = as_bib(bib)
    expected = [
        (
            changed(key),
            kind,
            {name: changed_field(name, value) for name, value in fields.items()},
            tuple(map(changed, aliases)),
            tuple(map(changed, members)),
        )
        for key, kind, fields, aliases, members in entries
    ]
    assert as_bib(new_bib) == (expected, list(map(changed, repeated)))
    # And back again.
    assert rename(new_tex, new_bib, new, old) == (tex, bib)


@pytest.mark.parametrize(
    ("name", "before", "new", "after"),
    [
        ("refs.yaml", "- id: one\n  title: A\n", "@two", '- id: "@two"\n  title: A\n'),
        ("refs.yaml", "- id: one\n  title: A\n", "yes", '- id: "yes"\n  title: A\n'),
        ("refs.yaml", "- id: 'one'\n  title: A\n", "@two", "- id: '@two'\n  title: A\n"),
        ("refs.yml", "one:\n  type: book\n", "&two", '"&two":\n  type: book\n'),
        ("refs.json", '[{"id": "one", "title": "A"}]', "@two", '[{"id": "@two", "title": "A"}]'),
        ("refs.json", '[{"id": 12, "title": "A"}]', "two", '[{"id": "two", "title": "A"}]'),
        ("refs.yaml", "- id: 12\n  title: A\n", "two", "- id: two\n  title: A\n"),
        ("refs.yaml", "- id: &q one\n  title: *q\n", "two", "- id: &q two\n  title: *q\n"),
    ],
)
def test_a_key_that_would_be_read_otherwise_gets_quotes(name, before, new, after):
    path = Path(name)
    file = parse_bibliography(before, path)
    draft = KeysOfDraft((), [file], file.entries.get)
    (old,) = file.entries
    assert applied(before, renamed([draft], old, new)) == after
    assert list(parse_bibliography(after, path).entries) == [new]

import pickle
from pathlib import Path

import pytest

from pincite.model.problems import InputError
from pincite.model.programs import BIBTEX
from pincite.parsing.bibliographies import merged
from pincite.parsing.bibtex import parse_bibliography, read_bibliography
from pincite.project.workspace import Workspace

PATH = Path("refs.bib")


def read(text, **options):
    return parse_bibliography(text, PATH, **options)


def listed(bibliography):
    return list(bibliography.entries.values())


def only(text):
    bibliography = read(text)
    assert not bibliography.problems
    (entry,) = bibliography.entries.values()
    return entry


def reported(bibliography):
    return [(problem.line, problem.message) for problem in bibliography.problems]


# ---- well-formed input


def test_an_entry_with_every_form_of_value():
    entry = only(
        """
        @STRING{jml = "Journal of Made-up Letters"}
        @Article{ann:2001/a+b.c.,
          Author  = "Ann Archer and Bo Baker",
          TITLE   = {Of {Braces {in {Braces}}} and {"}quotes{"}},
          journal = jml,
          year    = 2001,
          month   = 3 # "~" # mar,
          note    = {First, } # "then, with {"}q{"}",
        }
        """
    )
    assert (entry.key, entry.entry_type) == ("ann:2001/a+b.c.", "article")
    assert dict(entry.fields) == {
        "author": "Ann Archer and Bo Baker",
        "title": 'Of Braces in Braces and "quotes"',
        "journal": "Journal of Made-up Letters",
        "year": "2001",
        "month": "3 March",
        "note": 'First, then, with "q"',
    }
    assert entry.author_year == "Archer and Baker 2001"


def test_text_between_entries_is_ignored():
    bibliography = read("ann@example.org wrote % this\n@misc{a, title={A}} 50% @ {x} \n@misc{b}")
    assert list(bibliography.entries) == ["a", "b"]
    assert not bibliography.problems


def test_comment_and_preamble_swallow_no_entries():
    bibliography = read(
        "@comment{jabref-meta: databaseType:bibtex;}\n"
        "@Comment{ @misc{inside, title={A}} }\n"
        '@preamble{ "\\newcommand{\\at}[1]{@#1} " # "x" }\n'
        "@misc{b}\n@comment unclosed {\n@misc{c}",
        program=BIBTEX,
    )
    assert list(bibliography.entries) == ["inside", "b", "c"]
    assert not bibliography.problems


def test_string_macros_nest_and_ignore_case():
    bibliography = read(
        '@string(Acm = "ACM") @string{proc = {Proc. } # ACM}\n@misc{a, booktitle = PROC # " X"}'
    )
    assert listed(bibliography)[0].fields["booktitle"] == "Proc. ACM X"
    assert bibliography.strings == {"acm": "ACM", "proc": "Proc. ACM"}
    later = read("@misc{a, journal = acm}", strings=bibliography.strings)
    assert listed(later)[0].fields["journal"] == "ACM"


def test_an_undefined_macro_is_reported_once_and_keeps_its_name():
    bibliography = read("@misc{a, journal = jfoo}\n@misc{b, journal = JFOO # { x}}")
    assert [entry.fields["journal"] for entry in bibliography.entries.values()] == [
        "jfoo",
        "JFOO x",
    ]
    assert reported(bibliography) == [(1, "@misc a: @string macro jfoo is not defined")]


def test_macros_of_bibtex_and_of_ieeeabrv_are_defined():
    text = "@misc{a, journal = TCS}\n@misc{b, journal = IEEE_J_AC}\n@string{tcs = {T.}}\n@misc{c, journal = tcs}"
    bibliography = read(text)
    journals = [entry.fields["journal"] for entry in bibliography.entries.values()]
    assert journals == ["Theoretical Computer Science", "IEEE_J_AC", "T."]
    assert reported(bibliography) == []


def test_verbatim_fields_stay_as_written():
    entry = only(
        r"""@misc{a, file = {Full Text:C\:\\docs\\a_b {1}.pdf:application/pdf},
        url = {http://example.org/\~{}ann/x{\_}y\_z{\%}20--1}, doi = "10.1000/a\_b--c",
        eprint = {hep-th/9901001}, howpublished = {\url{http://example.org/~b--c}}}"""
    )
    assert dict(entry.fields) == {
        "file": r"Full Text:C\:\\docs\\a_b {1}.pdf:application/pdf",
        "url": "http://example.org/~ann/x_y_z%20--1",
        "doi": "10.1000/a_b--c",
        "eprint": "hep-th/9901001",
        "howpublished": "http://example.org/~b--c",
    }


def test_a_journal_that_only_a_class_can_name_is_not_missing():
    assert dict(only(r"@article{a, journal = {\apjl}, volume = 9}").fields)["journal"] == "apjl"


def test_paired_escaped_braces_are_part_of_a_value():
    entry = only(r"@misc{a, title = {The set \{x\} of \textbackslash rm \{days\}}, year = 2000}")
    assert entry.title == r"The set {x} of \rm {days}"
    assert entry.year == "2000"


@pytest.mark.parametrize(
    ("field", "added"),
    [
        ("date-added = {2026-03-09 14:05:31 +0100}", "2026-03-09 14:05:31"),
        ("timestamp = {2026-03-10}, creationdate = {2026-03-09T14:05:31}", "2026-03-09 14:05:31"),
        ("dateadded = {2026-03-09T14:05}", "2026-03-09 14:05"),
        # DBLP's own, which has nothing to do with the author.
        ("timestamp = {Mon, 09 Mar 2026 14:05:31 +0100}", ""),
    ],
)
def test_when_an_entry_was_added_is_read_as_programs_note_it(field, added):
    assert only(f"@misc{{a, {field}}}").added == added


# ---- names


@pytest.mark.parametrize(
    ("written", "surnames"),
    [
        ("Ann Archer and {Barnes and Noble, Inc.}", ("Archer", "Barnes and Noble, Inc.")),
        ("Ludwig van Beethoven and de la Cruz, Ana", ("van Beethoven", "de la Cruz")),
        (r"Erd{\H o}s, P. AND\n S{\o}ren {\O}rsted".replace(r"\n", "\n"), ("Erdős", "Ørsted")),
        (r"{\'E}va {T{\'o}th} and others", ("Tóth",)),
        (
            r"{Verein der Freunde e.\,V.} and {The \TeX\ Team}",
            ("Verein der Freunde e. V.", "The TeX Team"),
        ),
        ("given=Ana, family=de Souza and Family={Li}, given=Bo", ("de Souza", "Li")),
        ("", ()),
    ],
)
def test_surnames(written, surnames):
    assert only(f"@misc{{a, author = {{{written}}}}}").surnames == surnames


@pytest.mark.parametrize(
    ("written", "label"),
    [
        ("Aad, G. and others", "Aad et al. 2012"),
        ("Aad, G. and Abat, E. and et al.", "Aad et al. 2012"),
        ("G. Aad et al.", "Aad et al. 2012"),
        (r"G.~Aad {\it et~al.}", "Aad et al. 2012"),
        ("Aad, G. and {et al.}", "Aad et al. 2012"),
        ("Aad, G. and Al, E.", "Aad and Al 2012"),
        ("others", "2012"),
    ],
)
def test_the_label_shows_that_others_are_not_named(written, label):
    assert only(f"@misc{{a, author = {{{written}}}, year = 2012}}").author_year == label


# ---- inheritance


def test_crossref_gives_what_the_child_lacks():
    bibliography = read(
        "@inproceedings{c, title={Paper}, crossref={P1}, pages={1--2}, xdata={pub, place}}\n"
        "@proceedings{p1, title={Proceedings}, subtitle={All of it}, year=1999, pages={1--99},"
        " doi={10.1/whole}, file={whole.pdf}, abstract={Whole}, editor={Ed Itor}}\n"
        "@xdata{pub, publisher={Pub}, title={no title of mine}} @xdata{place, location={Paris}}"
    )
    assert list(bibliography.entries) == ["c", "p1"]
    fields = dict(listed(bibliography)[0].fields)
    assert fields == {
        "title": "Paper",
        "crossref": "P1",
        "pages": "1–2",
        "xdata": "pub, place",
        "publisher": "Pub",
        "location": "Paris",
        "booktitle": "Proceedings",
        "booksubtitle": "All of it",
        "year": "1999",
        "editor": "Ed Itor",
    }


@pytest.mark.parametrize(
    ("child", "parent", "fields"),
    [
        ("article{c", "@periodical{p, title={Paper}}", {"journaltitle": "Paper"}),
        (
            "article{c, year=1",
            "@article{p, title={One}, subtitle={Two}}",
            {"title": "One", "subtitle": "Two", "year": "1"},
        ),
        (
            "softwareversion{c, version=2",
            "@software{p, title={One}, subtitle={Two}}",
            {"title": "One", "subtitle": "Two", "version": "2"},
        ),
    ],
)
def test_only_a_child_of_the_same_type_has_its_parents_title(child, parent, fields):
    found = listed(read(f"@{child}, crossref={{p}}}}\n{parent}"))[0]
    assert dict(found.fields) == {**fields, "crossref": "p"}


def test_the_date_of_a_child_replaces_the_year_of_its_parent():
    text = (
        "@review{a, date={2015-02}, crossref={p}} @book{p, year=2014, date={2013}}"
        "@book{b, year=1992, crossref={q}} @mvbook{q, date={1988/2009}} @misc{c, xdata={q}}"
    )
    years = {key: entry.year for key, entry in read(text).entries.items()}
    assert years == {"a": "2015", "p": "2014", "b": "1992", "q": "1988", "c": "1988"}


def test_inheritance_reaches_grandparents_and_survives_cycles():
    chain = "".join(f"@book{{k{i}, crossref={{k{i + 1}}}}}\n" for i in range(3000))
    bibliography = read(chain + "@book{k3000, publisher={Far}}")
    assert listed(bibliography)[0].fields["publisher"] == "Far"
    circle = read("@book{a, crossref={b}, year=1}\n@book{b, crossref={a}, note={n}, xdata={b}}")
    assert listed(circle)[0].fields["note"] == "n"
    assert listed(circle)[1].fields["year"] == "1"


def test_aliases_and_sets():
    bibliography = read(
        "@misc{a, ids = {old, older}}\n@set{s, entryset = {a, b}}\n@misc{b, crossref={old}}"
    )
    assert listed(bibliography)[0].aliases == ("old", "older")
    assert listed(bibliography)[1].members == ("a", "b")
    assert listed(bibliography)[2].members == ()


# ---- broken input


@pytest.mark.parametrize("start", ["@misc{, ", "@misc{ ", "@misc("])
def test_an_entry_without_a_key_is_reported_and_left_out(start):
    bibliography = read(f"{start}title = {{A}}}}\n@misc{{b}}")
    assert list(bibliography.entries) == ["b"]
    assert any("no citation key" in problem.message for problem in bibliography.problems)


@pytest.mark.parametrize(
    ("broken", "fields", "message"),
    [
        ("title = {A} year = 1999}", {"title": "A", "year": "1999"}, "no comma after the value"),
        ("title {A}, year = 1999}", {"title": "A", "year": "1999"}, "no = after title"),
        ('title = "A,\n year = {1999}\n}', {"title": "A", "year": "1999"}, "title is not closed"),
        ("title = {A}, year = 1999", {"title": "A", "year": "1999"}, "not closed"),
        ("title = {A}}, year = 1999}", {"title": "A", "year": "1999"}, "one closing brace too"),
        (r"title = {A \{ b}, year = 1}", {"title": "A { b", "year": "1"}, "escaped brace"),
        ('title = "A "b", c", year = 1}', {"title": 'A "b", c', "year": "1"}, "quotes inside"),
        ("title = A b c, year = 1}", {"title": "A b c", "year": "1"}, "neither braces nor quotes"),
        ("title = , year = 1}", {"title": "", "year": "1"}, "no value for title"),
        ("year = 1, year = 2}", {"year": "1"}, "field year is given twice"),
        (
            "title = {A, note = {b}}, year = 2}",
            {"title": "A, note = b", "year": "2"},
            "“note =” is inside the title, which has a brace that is closed too late",
        ),
        ("year = 1, 'odd {,} text', note={x}}", {"year": "1", "note": "x"}, "text that is no"),
    ],
)
def test_a_broken_entry_keeps_what_can_be_read(broken, fields, message):
    bibliography = read(f"@misc{{a, year = 1}}\n@misc{{x,\n {broken}\n\n@misc{{b, title={{B}}}}")
    entries = bibliography.entries
    assert list(entries) == ["a", "x", "b"]
    assert dict(entries["x"].fields) == fields
    assert entries["b"].title == "B"
    assert bibliography.problems[0].line == 2
    assert message in bibliography.problems[0].message
    assert {problem.line for problem in bibliography.problems} == {2}


@pytest.mark.parametrize(
    "written",
    [
        " title = {A},\n%  year = 2,\n  % more\r\n year = 1 % the last\n}",
        " title = {A} % the first\n , year = 1}",
    ],
)
def test_a_comment_in_an_entry_is_none_for_bibtex_alone(written):
    bibliography = read(f"@misc{{x,\n{written}\n@misc{{b, title={{B}}}}")
    assert dict(bibliography.entries["x"].fields) == {"title": "A", "year": "1"}
    assert {fault.kind for fault in bibliography.faults} == {"comment"}
    assert bibliography.problems == ()
    assert list(bibliography.entries) == ["x", "b"]


def test_a_line_of_a_value_that_only_looks_like_an_entry():
    entry = only("@misc{a, note = {as\n@ann (a reader) wrote,\n @bo, too}, year = 1}")
    assert entry.fields["note"] == "as @ann (a reader) wrote, @bo, too"


def test_macros_that_double_themselves_stay_small():
    text = '@string{a = "xxxxxxxx"}\n' + "@string{a = a # a}\n" * 200 + "@misc{k, note = a}"
    assert len(listed(read(text))[0].fields["note"]) <= 50_000


# ---- files and values


def test_an_entry_can_be_pickled():
    entry = only(r"@misc{a, title = {K{\"a}hler}, year = 1999}")
    again = pickle.loads(pickle.dumps(entry))
    assert again == entry
    assert again.title == "Kähler"
    assert again.fields == {"title": "Kähler", "year": "1999"}


def test_input_that_is_no_bibliography(tmp_path):
    (tmp_path / "binary.bib").write_bytes(b"@misc{a\0}")
    for path in (tmp_path / "missing.bib", tmp_path, tmp_path / "binary.bib"):
        with pytest.raises(InputError, match=path.name):
            read_bibliography(path)
    (tmp_path / "empty.bib").write_bytes(b"")
    assert not read_bibliography(tmp_path / "empty.bib").entries


def test_of_a_key_in_two_files_only_the_first_entry_inherits():
    first = read("@book{p, title={x}, note={n}}  @misc{k, title={1}}")
    second = read("@misc{k, crossref={p}, title={2}} @misc{j, crossref={p}} @misc{i, crossref={o}}")
    entries = merged([first, second])
    assert [entry.fields.get("title") for entry in entries.values()] == ["x", "1", None, None]
    assert [entry.fields.get("note") for entry in entries.values()] == ["n", None, "n", None]


def test_a_broken_entry_is_reported_once():
    found = read("@misc{a, title = {Never closed\n\n@misc{b, title={B}}")
    assert reported(found) == [(1, "@misc a: value of title is not closed")]


@pytest.mark.parametrize(
    ("text", "keys", "entries"),
    [
        ("x @misc{ a , t={A}} y\r\n@book(b,t=1)z", ["a", "b"], ["@misc{ a , t={A}}", "@book(b,t=1)"]),
        ("@xdata{d, t={1}}\n@misc{a b, t=1}", ["d", "a b"], ["@xdata{d, t={1}}", "@misc{a b, t=1}"]),
        # An entry that is not closed goes to where the next one starts its line.
        ("@misc{a, t={x\n@misc{b, t={y}}", ["a", "b"], ["@misc{a, t={x\n", "@misc{b, t={y}}"]),
        ('@book(k, t = {A (short) book}, n = "(sic)" )', ["k"], ['@book(k, t = {A (short) book}, n = "(sic)" )']),
    ],
)  # fmt: skip
def test_an_entry_knows_its_place(text, keys, entries):
    bibliography = read(text)
    found = bibliography.places
    assert [place.key_span.of(text) for place in found.values()] == keys == list(found)
    assert [place.span.of(text) for place in found.values()] == entries


def test_embedded_entries_are_in_the_text_around_them(tmp_path):
    tex = (
        "\\begin{filecontents}[overwrite]{own.bib}\n@misc{a, title={A}}\n@misc{a, title={Again}}\n"
        "\\end{filecontents}\n\\documentclass{article}\\begin{document}\\cite{a}"
        "\\bibliography{own}\\end{document}\n"
    )
    (tmp_path / "main.tex").write_text(tex, "utf-8")
    workspace = Workspace(tmp_path)
    bibliography = workspace.bibliography(workspace.draft(tmp_path / "main.tex"))
    entry = bibliography.find("a")
    place = bibliography.place(entry)
    assert (entry.path, place.line) == (tmp_path / "main.tex", 2)
    assert place.span.of(tex) == "@misc{a, title={A}}"
    assert place.key_span.of(tex) == "a"
    ((_, file),) = bibliography.files
    assert [tex[key.span.start :].split("}")[0] for key in file.repeated] == ["a, title={Again"]


def test_thousands_of_entries_in_one_line_are_read_one_by_one():
    # If each were read with all that follows, this would take minutes.
    text = "".join(f"@misc{{k{n}, title = {{Title {n}}}, year = 2001}} " for n in range(20_000))
    bibliography = read(text)
    assert [entry.title for entry in bibliography.entries.values()][::9_999] == [
        *("Title 0", "Title 9999", "Title 19998"),
    ]
    assert not bibliography.problems


def test_entries_that_an_edit_leaves_are_the_same_objects():
    text = "@string{p = {P}}\n@book{a, publisher = p}\n@misc{b, t={B}, crossref=a}\n@misc{c, t={C}}"
    before = read(text)
    now = read(text.replace("{B}", "{Other}"), earlier=before)
    assert now.entries["a"] is before.entries["a"]
    assert now.entries["c"] is before.entries["c"]
    assert now.entries["b"].fields["t"] == "Other"

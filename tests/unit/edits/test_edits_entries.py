"""Copying an entry into the author's bibliography."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.edits.bibtex_entries import bibtex_entry
from pincite.edits.entries import copy_entry, read_files
from pincite.model.edits import applied
from pincite.model.papers import BibEntry
from pincite.model.problems import InputError
from pincite.model.programs import BIBER, BIBTEX
from pincite.parsing.bibtex import parse_bibliography

KNUTH = "@book{knuth,\n  title = {The Art},\n}"
HERE = "@misc{here,\n  title = {Here},\n}"


def bib(text, name="refs.bib", strings=(), program=BIBER):
    return parse_bibliography(text, Path(name), dict(strings), program)


def copied(text, library=KNUTH, key="knuth"):
    target = bib(text)
    edit = copy_entry(key, [bib(library, "zotero.bib")], [target], target)
    assert edit is not None
    result = applied(text, [edit])
    assert result[: edit.span.start] == text[: edit.span.start]
    assert result.endswith(text[edit.span.start :])
    return result


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (HERE, f"{HERE}\n\n{KNUTH}"),
        ("", f"{KNUTH}\n"),
        ("% References\n", f"% References\n\n{KNUTH}\n"),
        # As far apart as the others are.
        ("@misc{a}\n@misc{b}\n", f"@misc{{a}}\n@misc{{b}}\n{KNUTH}\n"),
        ("@misc{a}\n\n\n@misc{b}\n", f"@misc{{a}}\n\n\n@misc{{b}}\n\n\n{KNUTH}\n"),
        # What follows the last entry stays after it.
        (f"{HERE} % mine\n", f"{HERE} % mine\n\n{KNUTH}\n"),
        (
            f"{HERE}\n\n@comment{{jabref-meta: grouping}}\n",
            f"{HERE}\n\n{KNUTH}\n\n@comment{{jabref-meta: grouping}}\n",
        ),
    ],
)
def test_the_copy_goes_after_the_last_entry_laid_out_like_the_others(before, after):
    assert copied(before) == after


@pytest.mark.parametrize(
    ("there", "new"),
    [
        ("\tyear = 1,\n\tnote = {N}\n}", "\tauthor = {Frog, F.},\n\tbooktitle = {Ponds}\n}"),
        ("    year    = 1,\n    note    = {N},\n}", "    author    = {Frog, F.},\n    booktitle = {Ponds},\n}"),
        ("    year   = 1,\n    author = {N},\n}", "    author    = {Frog, F.},\n    booktitle = {Ponds},\n}"),
        ("  Year={1},\n  Note={N}\n}", "  Author={Frog, F.},\n  Booktitle={Ponds}\n}"),
        ("  YEAR =  1,\n  NOTE = {x\n    y = z},\n}", "  AUTHOR = {Frog, F.},\n  BOOKTITLE = {Ponds},\n}"),
        # These have no form that it could have.
        ("  year = 1}", "  author = {Frog, F.},\n  booktitle = {Ponds},\n}"),
        ("  year = 1, note = {N}\n}", "  author = {Frog, F.},\n  booktitle = {Ponds},\n}"),
    ],
)  # fmt: skip
def test_a_converted_entry_has_the_form_of_the_last_one(there, new):
    csl = '[{"id": "frog", "type": "chapter", "author": [{"family": "Frog", "given": "F."}], "container-title": "Ponds"}]'  # fmt: skip
    target = bib(f"@misc{{first, title={{First}}}}\n\n@misc{{a,\n{there}\n")
    edit = copy_entry("frog", read_files([(Path("own.json"), csl)]), [target], target)
    assert edit.text == f"\n\n@incollection{{frog,\n{new}"
    # An entry in BibTeX is the author's own.
    assert copied(target.text).endswith(f"\n\n{KNUTH}\n")


@pytest.mark.parametrize(
    "unclosed",
    [
        "@misc{late,\n  title = {La\n\n",  # the author is typing it
        "@misc{late,\n  title = {Late}\n",
        "@misc{late\n",
        "@misc(late, title = {Late}\n",
        '@misc{late,\n  title = "Late}\n}\n',
        "@misc{late,\n  title = {Late {\\'e}},\n  note = {a \\{ b},\n}\n",
        "@string{late = {Late\n",
        "@misc{late, title = {Late\n\n@misc{behind,\n  title = {Behind},\n}\n",
    ],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_the_copy_goes_before_an_entry_that_is_not_closed(unclosed, line_end):
    """BibTeX and biber read all that follows as a part of it."""

    def ended(text):
        return text.replace("\n", line_end)

    assert copied(ended(unclosed)) == ended(f"{KNUTH}\n\n{unclosed}")
    assert copied(ended(f"{HERE}\n\n{unclosed}")) == ended(f"{HERE}\n\n{KNUTH}\n\n{unclosed}")
    parent = "@proceedings{acl, title = {ACL}}"
    library = f"@inproceedings{{knuth, crossref = {{acl}}}}\n{parent}"
    before = ended(f"{HERE}\n\n{unclosed}\n{parent}\n")
    assert copied(before, library).startswith(ended(f"{HERE}\n\n@inproceedings{{knuth,"))


@pytest.mark.parametrize(
    "comment",
    ["% @misc{old, title = {Old\n", "% write @string{ for a macro\n", "@comment{\n@misc{old}\n}\n"],
)
def test_comments_stay_as_they_are(comment):
    before = f"{comment}\n{HERE}\n"
    assert copied(before) == f"{before}\n{KNUTH}\n"
    assert comment in copied(f"{HERE}\n\n{comment}")


def test_no_line_is_split_before_an_entry_that_is_not_closed():
    """BibTeX reads entries behind %."""
    before = f"{HERE}\n\n  % @misc{{late, title = {{Late\n"
    library, target = bib(KNUTH, "zotero.bib"), bib(before, program=BIBTEX)
    edit = copy_entry("knuth", [library], [target], target)
    assert applied(before, [edit]) == before.replace("  %", f"{KNUTH}\n\n  %")


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_line_ends_are_those_of_the_file(line_end):
    def ended(text):
        return text.replace("\n", line_end)

    assert copied(ended(f"{HERE}\n"), KNUTH.replace("\n", "\r\n")) == ended(f"{HERE}\n\n{KNUTH}\n")


@pytest.mark.parametrize(
    ("month", "written"), [("March", "mar"), ("sep", "sep"), ("3", "{3}"), ("Spring", "{Spring}")]
)
def test_a_month_is_written_as_the_macro_that_styles_translate(month, written):
    entry = BibEntry("a", "misc", {"title": "A", "month": month}, Path())
    assert f"  month = {written},\n" in bibtex_entry(entry)


def test_an_entry_is_copied_as_it_is_written():
    odd = '@Book ( knuth ,TITLE="The {A}rt" # { of},\n\tyear=1968 , note = {a  b}% no\n)'
    assert copied(f"{HERE}\n", f"x\n{odd} @misc{{other}}\n") == f"{HERE}\n\n{odd}\n"


def test_macros_that_mean_nothing_there_are_replaced_by_what_they_stand_for():
    library = (
        '@string{cl = "Computational {L}inguistics"}\n'
        "@article{knuth, journal = cl, note = {cl} # cl, month = jan, series = nowhere}"
    )
    assert copied(f"{HERE}\n", library).endswith(
        "@article{knuth, journal = {Computational {L}inguistics}, "
        "note = {cl} # {Computational {L}inguistics}, month = jan, series = nowhere}\n"
    )


@pytest.mark.parametrize(
    ("macro", "journal"),
    [("cl = {Linguistics}", "cl"), ("CL = {Linguistics}", "cl"), ("cl = {Cloud}", "{Linguistics}")],
)
def test_a_macro_stays_where_it_means_the_same(macro, journal):
    library = '@string{cl = "Linguistics"}\n@article{knuth, journal = cl}'
    result = copied(f"@string{{{macro}}}\n{HERE}\n", library)
    assert result.endswith(f"@article{{knuth, journal = {journal}}}\n")


def test_macros_are_those_of_the_place_and_of_the_drafts_other_files():
    library = "@string{cl = {Linguistics}}\n@article{knuth, journal = cl}"
    result = copied(f"{HERE}\n@string{{cl = {{Linguistics}}}}\n", library)
    assert "journal = {Linguistics}" in result
    macros = bib("@string{cl = {Linguistics}}", "macros.bib")
    target = bib(HERE, strings=macros.strings)
    edit = copy_entry("knuth", [bib(library, "zotero.bib")], [macros, target], target)
    assert "journal = cl" in edit.text


def test_what_an_entry_inherits_from_is_copied_after_it():
    library = (
        "@proceedings{acl, title = {ACL}, xdata = {pub}}\n@xdata{pub, publisher = {P}}\n"
        "@inproceedings{knuth, title = {K}, crossref = {ACL}}\n@misc{other}"
    )
    result = copied(f"{HERE}\n", library)
    parsed = parse_bibliography(result, Path("refs.bib"))
    assert [entry.key for entry in parsed.entries.values()] == ["here", "knuth", "acl"]
    assert parsed.entries["knuth"].fields["booktitle"] == "ACL"
    assert parsed.entries["knuth"].fields["publisher"] == "P"
    assert not parsed.problems


def test_a_parent_that_is_there_stays_after_its_children():
    parent = "@proceedings{acl, title = {ACL}}"
    library = f"@inproceedings{{knuth, crossref = {{acl}}}}\n{parent}"
    expected = f"{HERE}\n\n@inproceedings{{knuth, crossref = {{acl}}}}\n\n{parent}\n"
    assert copied(f"{HERE}\n\n{parent}\n", library) == expected


@pytest.mark.parametrize("there", ["@misc{knuth}", f"{HERE}\n@misc{{knuth, title = {{Other}}}}"])
def test_nothing_is_copied_where_the_key_arrived_meanwhile(there):
    target = bib(there)
    assert copy_entry("knuth", [bib(KNUTH, "z.bib")], [target], target) is None
    other = bib(HERE, "other.bib")
    assert copy_entry("knuth", [bib(KNUTH, "z.bib")], [other, target], other) is None
    assert copy_entry("knuth", [bib("@misc{Knuth}", "z.bib")], [other], other) is None


@pytest.mark.parametrize(
    "broken", ["@misc{knuth, title = {A", "@misc{knuth, title = {A}\n@misc{x}", '@misc{knuth, title = "A}']
)  # fmt: skip
def test_a_broken_entry_does_not_spread(broken):
    target = bib(HERE)
    with pytest.raises(InputError, match="knuth is not closed"):
        copy_entry("knuth", [bib(broken, "z.bib")], [target], target)


KEYS = st.from_regex(r"[A-Za-z][A-Za-z0-9:._+/-]{0,8}", fullmatch=True)
VALUES = st.sampled_from(
    ["{A {B} c}", '"A {"}B{"} c"', "1999", "cl", 'cl # " and " # {more}', "jan", "{}", "{two\nlines}"]
)  # fmt: skip
FIELDS = st.dictionaries(st.from_regex(r"x[a-z]{0,4}", fullmatch=True), VALUES, max_size=4)
FORMS = st.sampled_from(["@misc{%s, %s}", "@Article(%s, %s)", "@book{ %s ,\n%s,\n}"])
STRINGS = st.sampled_from(["", '@string{cl = "Linguistics"}\n', "@STRING(CL = {Cloud})\n"])
GAPS = st.sampled_from(["\n", "\n\n", " ", "\n% @ note\n", "\n@comment{x}\n", "\n@preamble{{x}}\n"])
MACRO = "@string{cl = {Computational Linguistics}}\n"
BREAKS = st.sampled_from(
    ["", "@misc{broken, title = {never", '@misc{broken, title = "never', "@misc{broken", "@", "{", "}"]
)  # fmt: skip


@st.composite
def bibliographies(draw, breaks):
    entries = draw(st.dictionaries(KEYS.map(str.lower), FIELDS, min_size=1, max_size=4))
    parts = [draw(STRINGS)]
    for key, fields in entries.items():
        listed = ", ".join(f"{name} = {value}" for name, value in fields.items())
        parts += [draw(FORMS) % (key, listed), draw(GAPS)]
    return "".join([*parts, draw(breaks), draw(STRINGS)]).replace(
        "\n", draw(st.sampled_from(["\n", "\r\n"]))
    )


def values(file):
    """Return the fields by key, spaces and line ends being the same."""
    return {
        entry.key: {name: value.split() for name, value in entry.written.items()}
        for entry in file.entries.values()
    }


@given(bibliographies(st.just("")).map(MACRO.__add__), bibliographies(BREAKS))
def test_a_bibliography_keeps_its_entries_and_has_the_new_one(source, text):
    library, target = bib(source, "zotero.bib"), bib(text)
    for key in values(library):
        edit = copy_entry(key, [library], [target], target)
        if key in values(target):
            assert edit is None
            continue
        result = applied(text, [edit])
        assert result[: edit.span.start] == text[: edit.span.start]
        assert result[edit.span.start + len(edit.text) :] == text[edit.span.start :]
        assert values(bib(result)) == {**values(target), key: values(library)[key]}

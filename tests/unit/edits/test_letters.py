r"""Letters that an encoding lacks: as LaTeX that prints the same, or refused."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.api.writing import Changes
from pincite.edits.bibtex_entries import entries_in_letters_of, in_letters_of, lacking
from pincite.model.edits import TextEdit
from pincite.model.problems import InputError
from pincite.model.spans import TextSpan
from pincite.parsing.latex.symbols import plain_text


@pytest.mark.parametrize(
    ("letters", "written"),
    [
        ("Ŝmith", r"{\^{S}}mith"),
        ("Łódź", r"{\L}{\'{o}}d{\'{z}}"),
        ("Nguyễn", r"Nguy{\~{\^{e}}}n"),
        ("Dvořák", r"Dvo{\v{r}}{\'{a}}k"),
        ("Straße, Ærø", r"Stra{\ss}e, {\AE}r{\o}"),
        ("“Cold” – it’s…", r"``Cold'' -- it's{\ldots}"),
        ("u\u0308ber", r"{\"{u}}ber"),
    ],
)
def test_latex_of_letters(letters, written):
    assert in_letters_of("ascii", letters) == written
    assert in_letters_of("utf-8", letters) == letters


def test_letters_that_an_encoding_has_stay():
    assert in_letters_of("latin-1", "Jörg Ŝmith, Mu\u0308ller") == r"Jörg {\^{S}}mith, Müller"
    assert in_letters_of("iso8859_2", "Łódź, São") == r"Łódź, S{\~{a}}o"


@given(st.text(st.characters(min_codepoint=0xC0, max_codepoint=0x24F)))
def test_what_is_written_prints_the_same(text):
    try:
        written = in_letters_of("ascii", text)
    except InputError:
        return
    assert written.isascii()
    assert plain_text(written) == unicodedata.normalize("NFC", text)


@pytest.mark.parametrize(
    "entry",
    [
        "@misc{grün, title = {A}}",
        "@misc{a, url = {https://example.org/ü}}",
        "@misc{a, doi = {10.1/ü}}",
        "@misc{a, crossref = {grün}}",
        "@misc{a, title = {ω}}",
        "@misc{a, tïtle = {A}}",
    ],
)
def test_a_letter_that_latex_would_not_print_is_refused(entry):
    with pytest.raises(InputError, match=r"its encoding \(ascii\) has no “[üωï]”"):
        entries_in_letters_of("ascii", entry)


def test_only_values_are_written_again():
    entries = '@misc{a, title = "Ä {B}" # ö, note = {ü},}\n\n@misc(b, year = 2001, title={É})\n'
    entries = entries.replace("# ö", "# { ö}")
    assert entries_in_letters_of("ascii", entries) == (
        r'@misc{a, title = "{\"{A}} {B}" # { {\"{o}}}, note = {{\"{u}}},}'
        "\n\n@misc(b, year = 2001, title={{\\'{E}}})\n"
    )
    assert entries_in_letters_of("utf-8", entries) == entries


def test_utf_8_has_all_letters():
    assert lacking("ω\ud800", "utf-8") == lacking("ω", "utf-16") == ""
    assert lacking("aω", "latin-1") == "ω"


def test_what_no_encoding_has_is_one_line_and_nothing_is_written(tmp_path):
    path = tmp_path / "refs.bib"
    path.write_text("@misc{a}")
    edit = TextEdit(path, TextSpan(7, 7), "\ud800")
    with pytest.raises(InputError, match=r"refs.bib: its encoding .utf-8. lacks U\+D800"):
        Changes((edit,), {path: "@misc{a}"}).write()
    assert path.read_text() == "@misc{a}"

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from pincite.lsp.documents import Documents, Lines, path_of
from pincite.model.spans import TextSpan
from protocol_client import ENCODINGS, units

TEXTS = st.text(st.sampled_from("ab é😀\n\r\f\u2028\u0301\ud83d\ude00{}\\"), max_size=40)


def line_starts(text):
    """Return where lines start, by the protocol's words: they end with LF, CRLF or CR."""
    return [0, *(match.end() for match in re.finditer("\r\n|\n|\r", text))]


def plain_position(text, offset, encoding):
    starts = [start for start in line_starts(text) if start <= offset]
    before = text[starts[-1] : offset]
    return types.Position(len(starts) - 1, units(before, encoding))


@given(TEXTS, st.sampled_from(ENCODINGS))
def test_positions_are_those_of_a_plain_reading(text, encoding):
    lines = Lines(text, encoding)
    for offset in range(len(text) + 1):
        assert lines.position(offset) == plain_position(text, offset, encoding)


def plain_offset(text, position, encoding):
    """Return the offset of a position: of one in no place, that of the next place in its line."""
    starts = line_starts(text)
    if position.line >= len(starts):
        return len(text)
    start, end = starts[position.line], [*starts, len(text)][position.line + 1]
    places = range(start, len(text[:end].rstrip("\r\n")) + 1) or [start]
    columns = (plain_position(text, at, encoding).character for at in places)
    reached = (
        at for at, column in zip(places, columns, strict=True) if column >= position.character
    )
    return next(reached, places[-1])


POSITIONS = st.builds(types.Position, st.integers(0, 12), st.integers(0, 30) | st.just(2**31 - 1))


@given(TEXTS, st.sampled_from(ENCODINGS), POSITIONS)
def test_any_position_has_an_offset(text, encoding, position):
    assert Lines(text, encoding).offset(position) == plain_offset(text, position, encoding)


@pytest.mark.parametrize("together", [True, False])
@given(
    st.lists(st.tuples(POSITIONS, POSITIONS, TEXTS), max_size=8), TEXTS, st.sampled_from(ENCODINGS)
)
def test_edits_are_applied_one_after_the_other_wherever_they_are(together, edits, text, encoding):
    documents, changes = Documents(), []
    documents.set_encoding(encoding)
    documents.open("file:///a.tex", text)
    for first, last, new in edits:
        start, end = sorted(plain_offset(text, at, encoding) for at in (first, last))
        changes.append(types.TextDocumentContentChangePartial(types.Range(first, last), new))
        text = text[:start] + new + text[end:]
    for notified in [changes] if together else [[change] for change in changes]:
        documents.change("file:///a.tex", notified)
    lines = documents.now.lines("file:///a.tex")
    assert lines.text == documents.now.texts[path_of("file:///a.tex")] == text
    for offset in range(len(text) + 1):
        assert lines.position(offset) == plain_position(text, offset, encoding)


def type_into(documents, uri, start, length, new):
    lines = documents.now.lines(uri)
    where = lines.range(TextSpan(start, start + length))
    documents.change(uri, [types.TextDocumentContentChangePartial(where, new)])


def test_documents_stay_as_they_were_when_the_author_types_on():
    documents, path = Documents(), path_of("file:///refs.bib")
    documents.open("file:///refs.bib", "one\ntwo\nthree\n", 1)
    before = documents.now
    assert documents.now is before
    type_into(documents, "file:///refs.bib", 0, 3, "a")
    documents.open("file:///other.tex", "")
    after = documents.now
    documents.close("file:///refs.bib")
    assert before.texts == {path: "one\ntwo\nthree\n"}
    assert (before.version(path), after.version(path), documents.now.version(path)) == (1, 0, None)


def test_a_line_feed_typed_after_a_carriage_return_belongs_to_it():
    documents = Documents()
    documents.open("file:///a.tex", "a\rb")
    where = types.Range(types.Position(1, 0), types.Position(1, 0))
    after = types.Range(types.Position(1, 1), types.Position(1, 1))
    documents.change(
        "file:///a.tex",
        [
            types.TextDocumentContentChangePartial(where, "\n"),
            types.TextDocumentContentChangePartial(after, "c"),
        ],
    )
    assert documents.now.texts[path_of("file:///a.tex")] == "a\r\nbc"


def test_a_new_document_is_closed_after_its_file_was_opened():
    documents = Documents()
    documents.open("untitled:/home/new.tex", "typed")
    documents.open("file:///home/new.tex", "saved")
    documents.close("untitled:/home/new.tex")
    assert documents.now.texts == {path_of("file:///home/new.tex"): "saved"}


def test_an_unsaved_document_is_in_the_first_folder(tmp_path):
    documents = Documents()
    documents.set_home(tmp_path)
    assert documents.now.path("untitled:Untitled-1") == tmp_path / "Untitled-1"
    assert documents.now.path("untitled:/elsewhere/new.tex") == path_of("file:///elsewhere/new.tex")


def test_an_unsaved_document_keeps_its_path_while_it_is_open(tmp_path):
    documents = Documents()
    documents.set_home(tmp_path / "one")
    documents.open("untitled:Untitled-1", "Text")
    path = documents.now.path("untitled:Untitled-1")
    documents.set_home(tmp_path / "two")
    assert documents.now.path("untitled:Untitled-1") == path
    assert documents.now.lines("untitled:Untitled-1").text == "Text"
    documents.close("untitled:Untitled-1")
    assert not documents.now.documents
    assert documents.now.path("untitled:Untitled-1") == tmp_path / "two" / "Untitled-1"


def test_an_unsaved_document_without_a_suffix_has_that_of_its_language(tmp_path):
    documents = Documents()
    documents.set_home(tmp_path)
    for name, language in {"A": "markdown", "B.tex": "markdown", "C": "latex", "D": "rmd"}.items():
        documents.open(f"untitled:{name}", name, language=language)
    named = [documents.now.path(f"untitled:{name}").name for name in ("A", "B.tex", "C", "D")]
    assert named == ["A.md", "B.tex", "C", "D.Rmd"]
    assert documents.now.uri(tmp_path / "A.md") == "untitled:A"
    documents.close("untitled:A")
    assert documents.now.path("untitled:A") == tmp_path / "A"


def test_a_path_has_one_name():
    assert path_of("file:///a/../b%20c.tex") == path_of("file:///b%20c.tex")


def test_a_whole_text_replaces_the_old_one():
    documents = Documents()
    documents.open("file:///a.tex", "old")
    documents.change("file:///a.tex", [types.TextDocumentContentChangeWholeDocument("new")])
    assert list(documents.now.texts.values()) == ["new"]
    documents.close("file:///a.tex")
    assert documents.now.texts == {}


@pytest.mark.parametrize("uri", ["untitled:Untitled-1", "vsls:/draft.tex"])
def test_unsaved_documents_have_a_path_of_their_own(uri):
    assert not path_of(uri).is_absolute()


@pytest.mark.parametrize("uri", ["file://[", "file://[::1/a.tex", "untitled://["])
def test_an_address_that_is_none_has_a_path_that_no_file_has(uri):
    documents = Documents()
    documents.open(uri, "text")
    assert not documents.now.documents
    assert not path_of(uri).is_absolute()

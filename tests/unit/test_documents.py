import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from pincite.lsp.documents import Documents, Lines, path_of

ENCODINGS = [
    types.PositionEncodingKind.Utf8,
    types.PositionEncodingKind.Utf16,
    types.PositionEncodingKind.Utf32,
]
UNITS = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
WIDTH = {"utf-8": 1, "utf-16": 2, "utf-32": 4}

TEXTS = st.text(st.sampled_from("ab é😀\n\r\f\u2028\u0301{}\\"), max_size=40)


@given(TEXTS, st.sampled_from(ENCODINGS), st.data())
def test_offsets_and_positions_are_inverse(text, encoding, data):
    lines = Lines(text, encoding)
    offset = data.draw(st.integers(0, len(text)))
    inside_line_end = text[offset - 1 : offset + 1] == "\r\n"
    if not inside_line_end:
        position = lines.position(offset)
        assert lines.offset(position) == offset


@given(TEXTS, st.sampled_from(ENCODINGS))
def test_characters_are_counted_in_the_clients_units(text, encoding):
    lines = Lines(text, encoding)
    for offset in range(len(text) + 1):
        position = lines.position(offset)
        before = text[lines.offset(types.Position(position.line, 0)) : offset]
        assert (
            position.character == len(before.encode(UNITS[encoding.value])) // WIDTH[encoding.value]
        )


def test_form_feeds_and_line_separators_end_no_line():
    lines = Lines("a\fb\u2028c\nd", types.PositionEncodingKind.Utf16)
    assert lines.position(6) == types.Position(1, 0)


def test_positions_beyond_the_end_are_kept_inside():
    lines = Lines("ab\r\ncd", types.PositionEncodingKind.Utf16)
    assert lines.offset(types.Position(0, 99)) == 2
    assert lines.offset(types.Position(99, 0)) == 6


@given(TEXTS, TEXTS, st.sampled_from(ENCODINGS), st.data())
def test_edits_give_the_text_the_client_has(text, new, encoding, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    if "\r\n" in (text[start - 1 : start + 1], text[end - 1 : end + 1]):
        return
    documents = Documents()
    documents.encoding = encoding
    documents.open("file:///a.tex", text)
    change = types.TextDocumentContentChangePartial(Lines(text, encoding).range(start, end), new)
    documents.change("file:///a.tex", [change])
    assert documents.texts[path_of("file:///a.tex")] == text[:start] + new + text[end:]


@pytest.mark.parametrize("together", [True, False])
@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 8), TEXTS), max_size=8), TEXTS)
def test_edits_are_applied_one_after_the_other(together, edits, text):
    documents = Documents()
    documents.open("file:///a.tex", text)
    changes = []
    for start, length, new in edits:
        start = min(start, len(text))
        end = min(start + length, len(text))
        if "\r\n" in (text[start - 1 : start + 1], text[end - 1 : end + 1]):
            continue
        where = Lines(text, documents.encoding).range(start, end)
        changes.append(types.TextDocumentContentChangePartial(where, new))
        text = text[:start] + new + text[end:]
    for notified in [changes] if together else [[change] for change in changes]:
        documents.change("file:///a.tex", notified)
    assert documents.texts[path_of("file:///a.tex")] == text


def test_a_line_feed_typed_behind_a_carriage_return_belongs_to_it():
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
    assert documents.texts[path_of("file:///a.tex")] == "a\r\nbc"


def test_a_thousand_edits_at_once_take_no_thousand_passes_over_the_text():
    text = ("x" * 49 + "\n") * 20_000
    edits = [
        types.TextDocumentContentChangePartial(
            types.Range(types.Position(line, 3), types.Position(line, 5)), "yy"
        )
        for line in range(19_990, 0, -20)
    ]
    documents = Documents()
    documents.open("file:///a.tex", text)
    start = time.perf_counter()
    documents.change("file:///a.tex", edits)
    assert time.perf_counter() - start < 3.0
    assert documents.texts[path_of("file:///a.tex")].count("yy") == len(edits)


def test_a_new_document_is_closed_after_its_file_was_opened():
    documents = Documents()
    documents.open("untitled:/home/new.tex", "typed")
    documents.open("file:///home/new.tex", "saved")
    documents.close("untitled:/home/new.tex")
    assert documents.texts == {path_of("file:///home/new.tex"): "saved"}


def test_an_unsaved_document_stands_in_the_first_folder(tmp_path):
    documents = Documents()
    documents.home = tmp_path
    assert documents.path("untitled:Untitled-1") == tmp_path / "Untitled-1"
    assert documents.path("untitled:/elsewhere/new.tex") == path_of("file:///elsewhere/new.tex")


def test_a_path_has_one_name():
    assert path_of("file:///a/../b%20c.tex") == path_of("file:///b%20c.tex")


def test_a_whole_text_replaces_the_old_one():
    documents = Documents()
    documents.open("file:///a.tex", "old")
    documents.change("file:///a.tex", [types.TextDocumentContentChangeWholeDocument("new")])
    assert list(documents.texts.values()) == ["new"]
    documents.close("file:///a.tex")
    assert documents.texts == {}


def test_edits_of_documents_never_opened_are_ignored():
    documents = Documents()
    documents.change("file:///a.tex", [types.TextDocumentContentChangeWholeDocument("new")])
    assert documents.texts == {}


@pytest.mark.parametrize("uri", ["untitled:Untitled-1", "vsls:/draft.tex"])
def test_unsaved_documents_have_a_path_of_their_own(uri):
    assert not path_of(uri).is_absolute()

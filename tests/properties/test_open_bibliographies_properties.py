"""Bibliographies that are edited where they are open are as if they were read anew."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lsprotocol import types
from pincite.project.inputs import ShownTexts

from pincite.library.index import PaperIndex
from pincite.lsp import blocks
from pincite.lsp.documents import Documents
from pincite.model.drafts import BibliographySource, Draft
from pincite.project.bibliographies import Bibliographies

FIRST, SECOND = Path("/first.bib"), Path("/second.bib")
SOURCES = (BibliographySource(FIRST), BibliographySource(SECOND))
DRAFT = Draft(Path("/main.tex"), Path("/main.tex"), (), case_sensitive_keys=False)
PIECES = (
    *("@misc{a,\n t={1}}\n", "@misc{b, t=x}", "@misc{d,\n t={1}}\n", "@misc{A, ids={f}}\n"),
    *("@misc{c, crossref={a}}", "@misc{b, crossref={d}, note={é}}\n", "@xdata{e, u={é}}"),
    *("@string{x={y}}\n", "}", "\r\n", "\n", "@misc{k, xdata={e}, t = x}\r\n"),
)
TEXTS = st.lists(st.sampled_from(PIECES), max_size=8).map("".join)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["edit", "edit", "edit", "edit, seen later", "whole text", "open again"]),
        st.integers(0, 80),
        st.integers(0, 20),
        TEXTS | st.sampled_from(["t", "{", "aa", ""]),
    ),
    max_size=8,
)


@pytest.fixture(autouse=True, scope="module")
def short_blocks():
    """Let texts that can be read have many blocks, too."""
    before, blocks._BLOCK = blocks._BLOCK, 20
    yield
    blocks._BLOCK = before


def said(bibliography):
    """All that is known of the bibliographies of a draft."""
    files = [
        (source, list(file.places.items()), file.repeated, file.faults, file.strings)
        for source, file in bibliography.files
    ]
    names = [key + more for key in "abcdefkABF" for more in ("", "x")]
    found = [bibliography.find(name) for name in names]
    return list(bibliography.entries.items()), found, bibliography.problems, files


@settings(deadline=None)
@given(TEXTS, TEXTS, STEPS)
def test_after_edits_bibliographies_are_as_if_read_anew(first, second, steps):
    documents, uri = Documents(), FIRST.as_uri()
    documents.open(uri, first)
    documents.open(SECOND.as_uri(), second)
    texts = ShownTexts(documents.now)
    kept = Bibliographies(PaperIndex.in_memory(), texts)

    def is_as_if_read_anew(now):
        texts.show(now)
        anew = Bibliographies(PaperIndex.in_memory(), dict(now.texts))
        assert said(kept.of_draft(DRAFT, SOURCES)) == said(anew.of_draft(DRAFT, SOURCES))

    is_as_if_read_anew(documents.now)
    for what, start, length, new in steps:
        before = documents.now
        lines = before.lines(uri)
        if what == "whole text":
            documents.change(uri, [types.TextDocumentContentChangeWholeDocument(new)])
        elif what == "open again":
            documents.close(uri)
            documents.open(uri, f"{lines.text}")
        else:
            end = min(start + length, lines.length)
            where = lines.range(min(start, end), end)
            documents.change(uri, [types.TextDocumentContentChangePartial(where, new)])
        if what == "edit, seen later":
            # Who asked before the edit sees the text as it was.
            is_as_if_read_anew(before)
        is_as_if_read_anew(documents.now)

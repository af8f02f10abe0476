"""Whatever files a draft is made of, each of its citations is once in its text."""

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.contexts.citing_text import text_of_draft
from pincite.contexts.surroundings import SurroundedText
from pincite.model.citing_text import CitingText, PartCache, TextHeading
from pincite.model.drafts import CITATION_MARK
from pincite.parsing.drafts import DraftReader
from pincite.parsing.latex import regions
from pincite.ranking.draft_citations import DraftCitations, DraftTerms, PartCitations, PartTerms
from pincite.representations.entry_terms import TermIds

NAMES = ("main", "one", "two", "three")
PIECE = st.sampled_from(
    [
        *("Some words here. ", "\n\n", "Ünlike sentence! ", "\\section{Part of it}\n"),
        *("moss and stones (MAS) ", "mosses of all stones (MAS). "),
        *("\\textit{very} ", "% a comment \\cite{no}\n", "\\nocite{listed}", "\\cite{}"),
        *(f"\\input{{{name}}} " for name in NAMES),
        *("\\include{two}\n", "\\cite{X}", "\\cite{X}", "\\citep[p.~3]{X,X}", "\\citet{X}. "),
    ]
)
SMALL_REGIONS = mock.patch.multiple(regions, _MIN_REGION=20, _MAX_REGION=40)
FILES = st.fixed_dictionaries(dict.fromkeys(NAMES, st.lists(PIECE, max_size=9).map("".join)))


def numbered(text: str, name: str) -> str:
    """Give each cited key a name of its own."""
    parts = text.split("X")
    return "".join(
        part + (f"{name}{number}" if number < len(parts) - 1 else "")
        for number, part in enumerate(parts)
    )


def write(folder, files):
    sources = {name: numbered(text, name) for name, text in files.items()}
    begin, end = "\\documentclass{article}\\begin{document}", "\\end{document}"
    sources["main"] = f"{begin}{sources['main']}{end}"
    for name, text in sources.items():
        Path(folder, f"{name}.tex").write_text(text, encoding="utf-8")
    return Path(folder, "main.tex")


def assert_same_citations(found, expected):
    for name in ("starts", "paragraphs", "sections", "pair_entry", "pair_start", "behind"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    for name in ("terms", "last"):
        one, other = getattr(found, name), getattr(expected, name)
        np.testing.assert_array_equal(one.starts, other.starts)
        np.testing.assert_array_equal(one.values, other.values)


def draft_of(files):
    with TemporaryDirectory() as folder:
        return DraftReader().read(write(folder, files))


@settings(max_examples=150)
@given(FILES)
def test_every_citation_is_once_at_a_mark_in_reading_order(files):
    draft = draft_of(files)
    read = text_of_draft(draft)
    citing, place_of = read.text, read.place_of
    starts = [place.start for place in citing.places]
    assert starts == sorted(set(starts))
    assert all(citing.text[start] == CITATION_MARK for start in starts)
    expected = Counter(
        tuple(key.key for key in citation.keys)
        for file in draft.files
        for citation in file.citations
        if citation.keys and not citation.listed_only
    )
    assert Counter(place.keys for place in citing.places) == expected
    by_keys = {place.keys: place.start for place in citing.places}
    for file in draft.files:
        for citation in file.citations:
            keys = tuple(key.key for key in citation.keys)
            if keys in by_keys and not citation.listed_only:
                assert place_of(file.path, citation.span.start) == by_keys[keys]
    for name in NAMES:
        for offset in range(0, 400, 50):
            assert 0 <= place_of(draft.root.with_name(f"{name}.tex"), offset) <= len(citing.text)
    headings = [heading.start for heading in citing.headings]
    assert headings == sorted(headings)
    assert len(headings) == sum(
        len(region.headings) for file in draft.files for region in file.regions
    )


# What stands around a place

TOKENS = st.lists(
    st.sampled_from(
        [
            *("entity", "Grid", "of", "don't", "e.g.", "Größe", "漢字", "שלום", "3.14", "x"),
            *(".", ",", "!", "\n\n", "\n", CITATION_MARK),
        ]
    ),
    max_size=60,
)


@st.composite
def places(draw):
    """Return a text with headings and an offset between two of its words."""
    tokens = draw(TOKENS)
    text, starts = "", [0]
    for token in tokens:
        text += token + ("" if token == "\n\n" else " ")
        starts.append(len(text))
    headings = []
    start = 0
    for paragraph in text.split("\n\n"):
        if paragraph and draw(st.booleans()):
            level = draw(st.integers(0, 4))
            headings.append(TextHeading(start, start + len(paragraph), level))
        start += len(paragraph) + 2
    return text, tuple(headings), draw(st.sampled_from(starts))


@settings(max_examples=300)
@given(places(), TOKENS)
def test_nothing_right_of_a_place_is_seen_where_it_is_not_to_be(place, others):
    text, headings, offset = place
    found = SurroundedText(CitingText.of(text, (), headings)).around(offset, right=False)
    left = tuple(heading for heading in headings if heading.start < offset)
    changed = text[:offset] + " ".join(others)
    clipped = tuple(TextHeading(h.start, min(h.end, offset), h.level) for h in left)
    assert found == SurroundedText(CitingText.of(changed, (), clipped)).around(offset, right=False)
    assert found.right == found.after == ()
    assert found.sentence_right == 0


@settings(max_examples=300)
@given(places())
def test_the_words_round_earlier_citations_are_those_in_front_of_the_place(place):
    text, _, offset = place
    starts = [at for at, sign in enumerate(text) if sign == CITATION_MARK]
    ids = TermIds(str)

    def seen(whole):
        surrounded = SurroundedText(CitingText.of(whole))
        own = [start for start in starts if start < len(whole)]
        citations = DraftCitations.of(surrounded, own, [[0]] * len(own), ids)
        terms, owner = citations.seen_terms(offset)
        return terms.tolist(), owner.tolist()

    assert seen(text) == seen(text[:offset])


@settings(max_examples=100)
@given(FILES)
def test_the_citations_of_parts_are_those_of_the_whole(files):
    with SMALL_REGIONS:
        parts = text_of_draft(draft_of(files)).text
    whole = CitingText.of(parts.text, parts.places, parts.headings)
    ids = TermIds(str)
    starts, cited = [each.start for each in whole.places], [[0]] * len(whole.places)
    found, expected = (
        DraftCitations.of(SurroundedText(text), starts, cited, ids) for text in (parts, whole)
    )
    assert found.text.number == expected.text.number
    assert_same_citations(found, expected)
    for start in (*starts, 0, len(whole.text)):
        one, other = (own.text.around(start) for own in (found, expected))
        assert (one.left, one.headings, one.before) == (other.left, other.headings, other.before)


@settings(max_examples=100)
@given(FILES, st.lists(st.tuples(st.sampled_from(NAMES), st.lists(PIECE, max_size=9).map("".join)), max_size=3))  # fmt: skip
def test_what_is_known_of_a_draft_after_edits_is_that_of_the_draft_as_it_is(files, edits):
    ids = TermIds(str)

    def read(text, cache):
        def citations_in(part):
            starts = [start for start, _ in part.places]
            cited = [[each % 2] for each in range(len(starts))]
            return PartCitations.of(part, starts, cited, ids)

        return DraftCitations(SurroundedText(text), cache.of(text, citations_in))

    def terms_of(text, cache):
        return DraftTerms(text, cache.of(text.citing, lambda part: PartTerms.of(part, ids)))

    citations, terms_by_part = PartCache(), PartCache()
    with SMALL_REGIONS, TemporaryDirectory() as folder:
        reader = DraftReader()
        for name, content in [("", ""), *edits]:
            files = {**files, **({name: content} if name else {})}
            text = text_of_draft(reader.read(write(folder, files))).text
            found = read(text, citations)
            terms = terms_of(found.text, terms_by_part)
    expected = read(text, PartCache())
    assert_same_citations(found, expected)
    every = np.arange(ids.width, dtype=np.int32)
    whole = terms_of(found.text, PartCache())
    assert terms.spelled_out == whole.spelled_out
    for number in (0, found.text.number // 2, found.text.number):
        np.testing.assert_array_equal(terms.rarity(every, number), whole.rarity(every, number))

"""The counts of entries by field, against other implementations of what is made of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from rank_bm25 import BM25Okapi
from sklearn.feature_extraction.text import TfidfVectorizer

from pincite.model.papers import BibEntry, Candidate, Candidates, InlinkContext, ReferencePaper
from pincite.model.papers import Sentence as Said
from pincite.representations import counting
from pincite.representations.columns import Lists
from pincite.representations.entry_terms import EntryReader, TermIds, key_words_of
from pincite.representations.fields import K1, B
from pincite.text.stemming import stemmer
from pincite.text.tokens import composed, stop_words, words
from small_places import evidence_of, features_at

TITLES = (
    "Entity grids for local coherence",
    "Coherence of texts, texts of coherence",
    "Dependency parsing of many languages",
    "Parsers and grids",
    "",
)
ABSTRACTS = ("Entities move through grids.", "", "Parsing parses what parsers parse.", "Grids.", "")
QUERY = "Entity grids and parsers of coherent texts"


def candidates():
    found = []
    for number, (title, abstract) in enumerate(zip(TITLES, ABSTRACTS, strict=True)):
        paper = ReferencePaper(
            title,
            "abstract",
            tuple(map(Said, filter(None, [abstract]))),
            abstract=abstract,
        )
        contexts = (
            InlinkContext("one", ("grids", "of", "text"), ("parse",)),
            InlinkContext("two", ("coherence",), ("models",)),
        )
        found.append(Candidate(f"k{number}", paper, inlink_contexts=contexts[: number % 3]))
    return found


def read(title):
    """Return an entry of which only the title is known in numbers, and the numbers of names."""
    names = {}
    paper = ReferencePaper(title, "title", ())
    return EntryReader(TermIds(stemmer("en")), names).read(Candidate("k", paper)), names


def acronyms_of(title):
    entry, names = read(title)
    return {name for name, number in names.items() if number in entry.acronyms}


def stems(text):
    stem = stemmer("en")
    lowered = (composed(word).lower() for word in words(text))
    return [stem(word) for word in lowered if len(word) > 1 and word not in stop_words()]


def idf_by_stem(evidence):
    return {stem: float(evidence.fields.idf[at]) for stem, at in evidence.fields.terms.items()}


def text_of(candidate):
    joined = " ".join(" ".join((*c.left, *c.right)) for c in candidate.inlink_contexts)
    return f"{candidate.title} {candidate.paper.abstract} {joined}"


def test_idf_and_cosines_are_those_of_scikit_learn():
    found = candidates()
    vectorizer = TfidfVectorizer(analyzer=stems).fit(map(text_of, found))
    expected = dict(zip(vectorizer.get_feature_names_out(), vectorizer.idf_, strict=True))
    assert idf_by_stem(evidence_of(Candidates.of(found))) == pytest.approx(expected)
    cosines = vectorizer.transform(map(text_of, found)) @ vectorizer.transform([QUERY]).T
    own = features_at(f"{QUERY} |", found).of("mixed.both.cos")
    assert list(own.values()) == pytest.approx(cosines.toarray()[:, 0].tolist(), abs=1e-6)
    assert max(own.values()) > 0.3


def test_bm25_is_that_of_rank_bm25():
    found = candidates()
    texts = [stems(text) for text in TITLES]
    peer = BM25Okapi([text for text in texts if text], k1=K1, b=B)
    peer.idf = idf_by_stem(evidence_of(Candidates.of(found)))
    scores = iter(peer.get_scores(stems(QUERY)))
    expected = [float(next(scores)) if text else 0.0 for text in texts]
    own = features_at(f"{QUERY} |", found).of("title.both.bm25")
    assert list(own.values()) == pytest.approx(expected, rel=1e-5)
    assert max(expected) > 1.0


def fields_of(found, language="en"):
    return evidence_of(Candidates.of(found), language).fields


def test_passages_and_inlink_contexts_count_alone_and_joined():
    long = Candidate(
        "long",
        ReferencePaper("A long one", "full text", (Said("grids parse coherent texts " * 300),)),
        inlink_contexts=(
            InlinkContext("one", ("grids",), ("texts", "models")),
            InlinkContext("two", ("coherent",), ("grids", "texts")),
        ),
    )
    found = [*candidates(), long]
    fields = fields_of(found)

    def counts(texts, row):
        columns, bag = texts.columns, np.zeros(len(fields.idf))
        own = columns.rows == row
        bag[columns.terms[own]] = columns.counts[own]
        return bag

    def norm(bag):
        return float(np.sqrt(((bag * fields.idf) ** 2).sum())) or 1.0

    assert len(fields.norms) > len(found), "the long one has several passages"
    for entry in range(len(found)):
        rows, _ = fields.passages.rows_of(np.asarray([entry]))
        contexts, _ = fields.inlinks.rows_of(np.asarray([entry]))
        cited = [counts(fields.inlinks, row) for row in contexts]
        assert fields.inlinks.norms[contexts] == pytest.approx(list(map(norm, cited)), rel=1e-5)
        for row in rows:
            bag = counts(fields.passages, row)
            assert fields.passages.norms[row] == pytest.approx(norm(bag), rel=1e-5)
            assert fields.norms[row] == pytest.approx(norm(bag + np.sum(cited, axis=0)), rel=1e-5)


def test_the_best_of_passages_and_of_contexts_count():
    own, cited = (
        Candidate("own", ReferencePaper("Grids", "full text", (Said("coherent " * 200),))),
        Candidate(
            "cited",
            ReferencePaper("Models", "title", ()),
            inlink_contexts=(
                InlinkContext("one", ("coherent",), ()),
                InlinkContext("two", ("a",), ()),
            ),
        ),
    )
    features = features_at("Something coherent |", [own, cited])
    assert features.of("inlink.sentence.cos")["own"] == 0.0
    assert features.of("inlink.sentence.rel") == {"own": 0.0, "cited": 1.0}
    assert features.of("passages.sentence.rel") == {"own": 1.0, "cited": 0.0}


def test_counting_some_at_a_time_gives_the_same(monkeypatch):
    whole = fields_of(candidates())
    monkeypatch.setattr(counting, "_COUNTED_AT_ONCE", 3)
    parts = fields_of(candidates())
    assert np.array_equal(whole.idf, parts.idf)
    assert np.allclose(whole.norms, parts.norms)
    pairs = ((whole.passages, parts.passages), (whole.inlinks, parts.inlinks))
    for one, other in ((one.columns, other.columns) for one, other in pairs):
        assert np.array_equal(one.starts, other.starts)
        assert np.array_equal(one.rows, other.rows)
        assert np.array_equal(one.counts, other.counts)


def test_no_entries_are_no_rows():
    fields = fields_of([])
    assert len(fields) == 0


# Lists


def test_lists_are_those_given():
    given = [[3, 1], [], [1], [2, 2]]
    lists = Lists.of(given)
    assert len(lists) == 4
    assert [lists[number].tolist() for number in range(4)] == given
    assert [lists.inverted(5)[value].tolist() for value in range(5)] == [
        *([], [0, 2], [3, 3], [0], [])
    ]
    values, owners = lists.of_several(np.asarray([3, 1, 0], np.intp))
    assert values.tolist() == [2, 2, 3, 1]
    assert owners.tolist() == [0, 0, 2, 2]
    assert len(Lists.of([])) == 0


# Names and acronyms


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("BERT: Pre-training of Deep Transformers", {"BERT"}),
        ("fastText: compressing models", {"fastText"}),
        ("Using Generalized Advantage Estimation", {"ugae"}),
        ("GloVe and ImageNet", {"GloVe", "ImageNet"}),
    ],
)
def test_a_title_has_its_acronyms(title, expected):
    assert {acronym.lower() for acronym in expected} <= acronyms_of(title)


def test_a_title_of_plain_words_has_no_acronym_but_its_initials():
    assert acronyms_of("Entity grids for local coherence") == {"eglc"}
    assert acronyms_of("") == set()
    assert read("Grids of the text")[0].initials == "gt gott"


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("devlinBert2018", {"devlin", "bert", "devlinbert"}),
        ("ref018", {"ref"}),
        ("müller_2001a", {"muller"}),
        ("10.1/x", set()),
    ],
)
def test_a_key_has_its_words(key, expected):
    assert key_words_of(key) == expected


def test_an_entry_without_anything_is_empty():
    entry = BibEntry("k", "misc", {}, Path("refs.bib"))
    found = EntryReader(TermIds(str), {}).read(Candidate("k", ReferencePaper("", "title"), entry))
    assert len(found.title) == len(found.everything) == 0
    assert (found.year, found.first_author) == (0, -1)

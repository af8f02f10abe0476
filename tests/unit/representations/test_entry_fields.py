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
from pincite.representations.entry_terms import TermIds, key_words_of, read_entry
from pincite.representations.fields import K1, TEXT_FIELDS, B
from pincite.representations.lists import Lists
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
    return read_entry(Candidate("k", paper), TermIds(stemmer("en")), names), names


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
    query = vectorizer.transform([QUERY])
    features = features_at(f"{QUERY} |", found)
    for field, texts in (("title", TITLES), ("abstract", ABSTRACTS)):
        cosines = (vectorizer.transform(texts) @ query.T).toarray()[:, 0]
        own = features.of(f"{field}.left.cos")
        assert list(own.values()) == pytest.approx(cosines.tolist(), abs=1e-6)
        assert max(cosines) > 0.3


@pytest.mark.parametrize("field", ["title", "abstract"])
def test_bm25_is_that_of_rank_bm25(field):
    found = candidates()
    texts = [stems(text) for text in {"title": TITLES, "abstract": ABSTRACTS}[field]]
    known = [text for text in texts if text]
    peer = BM25Okapi(known, k1=K1, b=B)
    peer.idf = idf_by_stem(evidence_of(Candidates.of(found)))
    scores = iter(peer.get_scores(stems(QUERY)))
    expected = [float(next(scores)) if text else 0.0 for text in texts]
    own = features_at(f"{QUERY} |", found).of(f"{field}.left.bm25")
    assert list(own.values()) == pytest.approx(expected, rel=1e-5)
    assert max(expected) > 1.0


def test_inlink_contexts_count_one_by_one_and_joined():
    found = candidates()
    vectorizer = TfidfVectorizer(analyzer=stems).fit(map(text_of, found))
    query = vectorizer.transform([QUERY])
    features = features_at(f"{QUERY} |", found)
    for candidate in found:
        each = [" ".join((*c.left, *c.right)) for c in candidate.inlink_contexts]
        cosines = (vectorizer.transform([*each, ""]) @ query.T).toarray()[:, 0]
        joined = (vectorizer.transform([" ".join(each)]) @ query.T).toarray()[0, 0]
        assert features[candidate.key, "inlink.left.cos"] == pytest.approx(max(cosines), abs=1e-6)
        assert features[candidate.key, "inlinks.left.cos"] == pytest.approx(joined, abs=1e-6)


def fields_of(found, language="en"):
    return evidence_of(Candidates.of(found), language).fields


def test_norms_of_mixed_are_those_of_joined_bags():
    long = Candidate(
        "long",
        ReferencePaper("A long one", "full text", (Said("grids parse coherent texts " * 300),)),
        inlink_contexts=(InlinkContext("one", ("grids",), ("texts", "models")),),
    )
    found = [*candidates(), long]
    fields = fields_of(found)
    passages, inlinks = fields.text["passages"], fields.text["inlinks"]

    def counts(field, row):
        terms = np.repeat(np.arange(len(fields.idf)), np.diff(field.columns.starts))
        bag = np.zeros(len(fields.idf))
        own = field.columns.rows == row
        bag[terms[own]] = field.columns.counts[own]
        return bag

    assert len(passages.owner) > len(found)
    for row, entry in enumerate(passages.owner.tolist()):
        joined = counts(passages, row) + counts(inlinks, entry)
        norm = float(np.sqrt(((joined * fields.idf) ** 2).sum())) or 1.0
        assert fields.mixed_norms[row] == pytest.approx(norm, rel=1e-5)


def test_counting_some_at_a_time_gives_the_same(monkeypatch):
    whole = fields_of(candidates())
    monkeypatch.setattr(counting, "_COUNTED_AT_ONCE", 3)
    parts = fields_of(candidates())
    assert np.array_equal(whole.idf, parts.idf)
    assert np.allclose(whole.mixed_norms, parts.mixed_norms)
    for name in TEXT_FIELDS:
        one, other = whole.text[name], parts.text[name]
        for own, second in (
            (one.columns.starts, other.columns.starts),
            (one.columns.rows, other.columns.rows),
            (one.columns.counts, other.columns.counts),
            (one.first, other.first),
            (one.owner, other.owner),
            (one.norms, other.norms),
            (one.saturation, other.saturation),
        ):
            assert np.array_equal(own, second), name


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
    found = read_entry(Candidate("k", ReferencePaper("", "title"), entry), TermIds(str), {})
    assert len(found.title) == len(found.abstract) == len(found.everything) == 0
    assert (found.year, found.first_author) == (0, -1)

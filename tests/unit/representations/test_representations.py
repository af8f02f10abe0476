import pytest

from pincite.model.papers import Candidate, InlinkContext, ReferencePaper, Sentence
from pincite.representations import bags
from pincite.settings import Window


def candidate(body: str = "", **known) -> Candidate:
    sentences = tuple(Sentence(s) for s in body.split(". ") if s)
    paper = ReferencePaper(
        known.pop("title", ""), "full text", sentences, known.pop("abstract", "")
    )
    return Candidate("key", paper, **known)


def tokens(body: str = "", **known):
    return bags.words_of(candidate(body, **known))


def test_full_text_is_title_names_and_all_sentences():
    found = bags.full_text(tokens("One two. Three", title="Zero", names=("Otto Null",)))
    assert found == [["Zero", "Otto", "Null", "One", "two", "Three"]]


def test_title_and_abstract_leave_the_body_out():
    found = bags.title_abstract(tokens("Body text", title="Title", abstract="An abstract"))
    assert found == [["Title", "An", "abstract"]]


@pytest.mark.parametrize(
    ("words", "length", "expected"),
    [
        (range(10), 4, ["0123", "2345", "4567", "6789"]),
        # The last may be shorter, but no word is lost.
        (range(9), 4, ["0123", "2345", "4567", "678"]),
        (range(7), 350, ["0123456"]),
    ],
)
def test_passages_half_overlap_and_reach_the_end(words, length, expected):
    found = bags.passages(length)(tokens(" ".join(map(str, words))))
    assert ["".join(bag) for bag in found] == expected


def test_an_entry_with_only_a_title_still_has_a_bag():
    assert bags.passages(350)(tokens(title="Only a title")) == [["Only", "a", "title"]]


@pytest.mark.parametrize(
    ("window", "expected"),
    [(Window(1, 1), ["near", "close"]), (Window(0, 1), ["close"]), (Window(1, 0), ["near"])],
)
def test_inlink_contexts_are_cut_to_the_window_nearest_the_citation(window, expected):
    context = InlinkContext("draft", ("far", "near"), ("close", "away"))
    assert bags.inlink_contexts(window)(candidate(inlink_contexts=(context,))) == expected

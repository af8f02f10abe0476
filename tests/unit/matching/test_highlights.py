"""Which sentences an author's highlights are in."""

import pytest

from pincite.matching.highlights import highlighted
from pincite.model.zotero import Highlight

SENTENCES = [
    "Gnawed sticks lay in the peat.",
    "They were found in 1998 by Natalia Rybczynski and her students.",
    "It is old.",
    "Gnawed sticks lay in the peat.",
]


@pytest.mark.parametrize(
    ("highlight", "found"),
    [
        ("Gnawed sticks lay in the peat.", {0}),
        ("gnawed  sticks\nlay in the pe-\nat", {0}),
        ("found in 1998 by Natalia", {1}),  # a part of a sentence
        ("the peat. They were found in 1998 by Natalia Rybczynski and her students. It", {1}),
        ("in the peat. They were found in 1998 by Natalia Rybczynski and her students. It is o", {1, 2}),
        ("It is old.", set()),  # too short to be sure
        ("ﬁsh are not in the text at all", set()),
        ("", set()),
    ],
)  # fmt: skip
def test_sentences_of_a_highlight(highlight, found):
    assert highlighted(SENTENCES, [Highlight(highlight)]).keys() == found


def test_ligatures_are_letters():
    highlight = Highlight("first floods were confined")
    assert highlighted(["The ﬁrst ﬂoods were conﬁned."], [highlight]) == {0: ("", "")}


def test_comments_and_the_first_key_go_with_their_sentences():
    highlights = [
        Highlight("Gnawed sticks lay in the peat. They were found in 1998", "where?"),
        Highlight("gnawed sticks lay in the peat", "cite in chapter 2", key="A"),
        Highlight("gnawed sticks lay in the peat", "where?", key="B"),
    ]
    found = highlighted(SENTENCES, highlights)
    assert found == {0: ("where?; cite in chapter 2", "A")}


def test_a_paper_without_sentences():
    assert highlighted([], [Highlight("Gnawed sticks lay")]) == {}

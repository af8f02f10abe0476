"""Citing sentences that were fetched, as inlink contexts."""

from pathlib import Path

import pytest

from pincite.library.inlinks import fetched_sources
from pincite.model.fetched import CITING, FILE_NAME, written_citing
from pincite.model.papers import BibEntry

SENTENCE = "Dams are old (Bog, 1990) and, as Rybczynski et al. (2007) found, large [3]."


def sources(*said, author="Rybczynski, Natalia and Bog, Ann", heard=()):
    fields = {"title": "Dams", "author": author, CITING: written_citing(said)}
    entry = BibEntry("w1", "misc", fields, Path("fetched", FILE_NAME))
    return list(fetched_sources({"beaver": (entry,)}, heard))


def contexts(*said, **options):
    return [
        context
        for source in sources(*said, **options)
        for _, context in source.contexts([number for number, _ in source.cited])
    ]


@pytest.mark.parametrize(
    ("author", "left", "right"),
    [
        ("Rybczynski, Natalia", ("Dams", "are", "old", "and", "as"), ("found", "large")),
        ("Bog, Ann", ("Dams", "are", "old"), ("and", "as", "found", "large")),
        # An author that no marker names: one of them is that of the work.
        ("Otter, Ann", ("Dams", "are", "old"), ("and", "as", "found", "large")),
        ("", ("Dams", "are", "old"), ("and", "as", "found", "large")),
    ],
)
def test_the_place_is_the_marker_with_the_first_author(author, left, right):
    (context,) = contexts(("On dams", [SENTENCE]), author=author)
    assert (context.left, context.right) == (left, right)
    assert (context.citing_paper, context.citance) == ("On dams", SENTENCE)


def test_without_a_marker_it_is_the_middle():
    (context,) = contexts(("On dams", ["Beavers build large dams."]))
    assert (context.left, context.right) == (("Beavers", "build"), ("large", "dams"))


def test_a_paper_that_is_read_is_not_heard_twice():
    said = ("On Dams: a history", ["Beavers build [1]."]), ("Others", ["Beavers swim [2]."])
    assert [source.name for source in sources(*said, heard=["On dams - a history"])] == ["Others"]

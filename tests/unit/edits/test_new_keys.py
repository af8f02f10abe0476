"""The key of a new entry is written as those are that the bibliography has."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite.edits.new_keys import key_in_manner
from pincite.model.papers import BibEntry


def entry(people, year, title, key=""):
    fields = {"author": people, "year": str(year), "title": title}
    return BibEntry(key, "article", {n: v for n, v in fields.items() if v}, Path("refs.bib"))


CHAMBERS = entry("Chambers, N. and Jurafsky, D.", 2008, "The Unsupervised Learning of Chains")
MULLER = entry("Müller, J. and Och, F. J. and Ney, H.", 2003, "A Systematic Comparison")


def keys(*written):
    known = [
        ("Knuth, D.", 1984, "Literate Programming"),
        ("Salton, G. and Wong, A.", 1975, "A Vector Space Model"),
        ("Och, F. J. and Ney, H. and Ng, A.", 1999, "On the Alignment"),
    ]
    entries = [entry(*each, key) for each, key in zip(known, written, strict=False)]
    return {each.key: each for each in entries}


@pytest.mark.parametrize(
    ("there", "two", "three"),
    [
        ([], "chambers2008unsupervised", "muller2003systematic"),
        (["knuth1984"], "chambers2008", "muller2003"),
        (["Knuth1984", "Salton1975a", "och1999alignment"], "Chambers2008", "Muller2003"),
        (["knuth-1984-literate", "salton-wong-1975-vector", "och-etal-1999-alignment"],
         "chambers-jurafsky-2008-unsupervised", "muller-etal-2003-systematic"),
        (["Knu84", "SW75", "ONN99"], "CJ08", "MON03"),
        (["Knuth:84", "Salton:75"], "Chambers:08", "Muller:03"),
        (["knuth_literate_1984", "salton_vector_1975"], "chambers_unsupervised_2008", "muller_systematic_2003"),
        (["KnuthLiterateProgramming1984", "SaltonVectorSpaceModel1975"],
         "ChambersUnsupervisedLearningChains2008", "MullerSystematicComparison2003"),
        (["DBLP:journals/cj/Knuth84", "DBLP:x/y"], "chambers2008unsupervised", "muller2003systematic"),
    ],
)  # fmt: skip
def test_the_manner_of_most_keys(there, two, three):
    known = keys(*there)
    assert key_in_manner(CHAMBERS, known, ()) == two
    assert key_in_manner(MULLER, known, ()) == three


def test_a_key_that_is_taken_gets_a_letter():
    taken = ["Chambers2008Unsupervised", "chambers2008unsuperviseda"]
    assert key_in_manner(CHAMBERS, {}, taken) == "chambers2008unsupervisedb"


@pytest.mark.parametrize(
    ("work", "key"),
    [
        (entry("", 2008, "The Chains"), "chains2008"),
        (entry("Chambers, N.", "", "The Chains"), "chamberschains"),
        (entry("王, 力", 2008, "汉语"), "work2008"),
        (entry("王, 力", 2008, "1984"), "work19842008"),
        (entry("", "", "汉语"), "work"),
    ],
)
def test_what_is_missing_is_left_out(work, key):
    assert key_in_manner(work, {}, ()) == key


@pytest.mark.parametrize(
    ("people", "title", "usual", "initials"),
    [
        ("王小明", "汉语 in Brief", "brief2021", "brief21"),
        ("王, 小明 and Smith, J.", "Trees", "smith2021trees", "Smi21"),
        ("Иванов, И. and Щёкина, А.", "Обзор β-распада", "ivanov2021obzor", "IS21"),
        ("Παπαδόπουλος, Γ.", "Η γλώσσα", "papadopoulos2021glossa", "Pap21"),
        ("김철수", "한국어", "work2021", "work21"),
        ("ابن سينا", "القانون", "work2021", "work21"),
    ],
)
def test_names_in_other_scripts(people, title, usual, initials):
    work = entry(people, 2021, title)
    assert key_in_manner(work, {}, ()) == usual
    assert key_in_manner(work, keys("Knu84", "SW75"), ()) == initials


def test_names_in_other_scripts_show_the_manner_too():
    known = [entry("Иванов, И.", 2001, "Обзор"), entry("Петров, П.", 2002, "Атлас")]
    there = dict(zip(["Ivanov_2001", "Petrov_2002"], known, strict=True))
    assert key_in_manner(CHAMBERS, there, ()) == "Chambers_2008"

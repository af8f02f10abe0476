"""Entries of one bibliography that are the same work."""

from pathlib import Path

import pytest

from pincite.library.same_work import same_works
from pincite.parsing.bibtex import parse_bibliography

GRID = "title={Modelling Local Coherence by Entity Grids}, author={Barzi, Rita and Lapa, M.}"


def pairs(bibliography):
    entries = parse_bibliography(bibliography, Path("/refs.bib")).entries.values()
    return [(entry.key, first.key) for entry, first in same_works(entries)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (f"@article{{one, {GRID}, year=2008}}", f"@article{{two, {GRID.lower()}, year={{2008}}}}"),
        # Reference managers write pages in several forms.
        (f"@article{{one, {GRID}, year=2008, pages={{1--34}}}}", f"@article{{two, {GRID}, year=2008, pages={{1-34}}}}"),
        ("@article{one, title={Grids}, doi={10.1/ab}}", "@article{two, title={GRIDS!}, doi={10.1/AB}}"),
        # A preprint and its publication.
        (f"@misc{{one, {GRID}, year=2007, eprint={{0701.00001}}}}", f"@article{{two, {GRID}, year=2008, doi={{10.1/ab}}}}"),
        (f"@article{{one, {GRID}, year=2008}}", f"@misc{{two, {GRID}, year=2008}}"),
        (f"@article{{one, {GRID}, year=2007, journal={{arXiv e-prints}}}}", f"@inproceedings{{two, {GRID}, year=2008, doi={{10.1/ab}}}}"),
        # Two programs gave it two types.
        (f"@article{{one, {GRID}, year=2008, pages={{315--323}}}}", f"@inproceedings{{two, {GRID}, year=2008, volume=15, pages={{315-323}}}}"),
    ],
)  # fmt: skip
def test_the_same_work(one, other):
    assert pairs(f"{one}\n{other}") == [("two", "one")]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (f"@article{{one, {GRID}, year=2008}}", "@article{two, title={Trees}, year=2008}"),
        # What has a title of its own, and what is published twice.
        (f"@article{{one, {GRID}, year=2008}}", f"@inproceedings{{two, {GRID}, year=2008}}"),
        (f"@article{{one, {GRID}, year=2008, volume=3, pages=17}}", f"@inproceedings{{two, {GRID}, year=2008, volume=4, pages=17}}"),
        (f"@phdthesis{{one, {GRID}, year=2008}}", f"@misc{{two, {GRID}, year=2008}}"),
        (f"@article{{one, {GRID}, doi={{10.1/ab}}}}", f"@article{{two, {GRID}, doi={{10.1/cd}}}}"),
        # Parts and editions.
        (f"@book{{one, {GRID}, volume=1, year=1968}}", f"@book{{two, {GRID}, volume=2, year=1968}}"),
        (f"@book{{one, {GRID}, year=1968}}", f"@book{{two, {GRID}, year=1997}}"),
        ("@book{one, title={Grids}, doi={10.1/ab}}", "@incollection{two, title={The First}, doi={10.1/ab}}"),
        # Others of that title.
        ("@article{one, title={Introduction}, author={A, B}, year=2008}", "@article{two, title={Introduction}, author={C, D}, year=2008}"),
        ("@misc{one, year=2008}", "@misc{two, year=2008}"),
    ],
)  # fmt: skip
def test_other_works(one, other):
    assert pairs(f"{one}\n{other}") == []


def test_several_are_told_of_the_first():
    entries = "\n".join(f"@article{{{key}, {GRID}, year=2008}}" for key in ("a", "b", "c"))
    assert pairs(entries) == [("b", "a"), ("c", "a")]

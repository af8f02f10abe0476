"""Which entry a reference or a file is: what is recognised, and what must not be."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.library.same_work import WorkMatcher, as_reference, same_works
from pincite.model.papers import Reference, ReferencePaper
from pincite.parsing.bibtex import parse_bibliography

BIBLIOGRAPHY = r"""
@article{frost03, author = {Frost, Ada and Tóth, Béla}, year = 2003, volume = 12, pages = {19--51},
  title = {A careful comparison of orchard pruning models}, doi = {10.1162/089120103321337421}}
@inproceedings{birch00, author = {Birch, Cleo and Frost, Ada}, year = 2000,
  title = {Improved orchard pruning models}}
@misc{vine17, author = {Vine, Dora and others}, year = 2017, eprint = {1706.03762},
  archiveprefix = {arXiv}, title = {Pruning is all an orchard needs}}
@misc{moss01, author = {Moß, Ewa and Żak, Łucja}, year = 2001, eprint = {cs/0112017},
  archiveprefix = {arXiv}, title = {Grafting without tears: a field guide for beginners}}
@book{kim99, author = {Kim, Hana}, year = 1999, title = {Introduction}}
@inproceedings{task10, author = {Noord, Jan van and El-Sayed, Rana}, year = 2010,
  title = {Overview of the 2010 shared task on apple grading}, doi = {10.18653/v1/W10-1201}}
@inproceedings{DBLP:conf/orchard/Pear05, author = {Pear, Ivo}, year = 2005,
  title = {Supervised models of blossom dates}}
@proceedings{orch10, editor = {Noord, Jan van}, year = 2010,
  title = {Proceedings of the Third Workshop on Orchards}}
@article{muller98, author = {Müller, Åsa and Øst, Per}, year = 1998,
  title = {The chemistry of \"Apfelwein\" in 42 cellars}}
@article{untitled, author = {Quince, Ola and Rowan, Pat}, year = 1991}
"""


@pytest.fixture(scope="module", name="works")
def works_of_a_bibliography():
    return WorkMatcher(parse_bibliography(BIBLIOGRAPHY, Path("refs.bib")).entries.values())


def reference(title="", names="", year="", text="", **more):
    return Reference(title, tuple(names.split()), year, text=text, **more)


FROST = "A careful comparison of orchard pruning models"


@pytest.mark.parametrize(
    ("sought", "key"),
    [
        (reference(FROST, "Frost Tóth", "2003"), "frost03"),
        (reference(FROST, "Frost Tóth", "2003b"), "frost03"),
        (reference(FROST, "Frost", "1997"), "frost03"),
        (reference(FROST, "", "2003"), "frost03"),
        (reference(FROST, "Frost"), "frost03"),
        (reference("A careful compa- rison of orchardpruning models", "Frost", "2003"), "frost03"),
        (reference("A carefull comparison of orchard prunning models", "Frost", "2003"), "frost03"),
        (reference(f"{FROST}. Journal of Trees", "Frost Tóth", "2003"), "frost03"),
        (reference("A careful comparison of orchard", "Frost Tóth", "2003"), "frost03"),
        (reference("Grafting without tears", "Moss Zak", "2001"), "moss01"),
        (reference("The chemistry of Apfelwein in 42 cellars", "Mueller Ost", "1998"), "muller98"),
        (
            reference("Overview of the 2010 shared task on apple grading", "van_Noord", "2010"),
            "task10",
        ),
        # DOI and arXiv decide, whatever else was badly read.
        (reference(text="[3] doi", doi="10.1162/089120103321337421"), "frost03"),
        (reference("Journal of Trees", "Frost", doi="10.1162/089120103321337421"), "frost03"),
        (reference(arxiv="1706.03762"), "vine17"),
        # No title, but the printed place.
        (
            reference("", "Frost Tóth", "2003", "A. Frost and B. Tóth, J. Trees 12, 19 (2003)"),
            "frost03",
        ),
    ],
)
def test_a_reference_finds_its_entry(works, sought, key):
    assert works.find(sought) == key


@pytest.mark.parametrize(
    "sought",
    [
        Reference(),
        reference(FROST, "Walnut", "2003"),
        reference("A careful comparison of plum pruning models", "Frost Tóth", "2003"),
        reference("Improved orchard pruning models", "Elder", "2000"),
        reference("Unsupervised models of blossom dates", "Pear", "2005"),
        reference("Overview of the 2011 shared task on apple grading", "Noord", "2010"),
        reference("Introduction", "Moss", "1999"),
        reference("Introduction", "", "1999"),
        reference("", "Frost Tóth", "2003", "A. Frost and B. Tóth, J. Trees 11, 19 (2003)"),
        reference("", "Quince Rowan", "1991"),
        # The DOI of a volume, or of the next reference.
        reference(
            "Wasps in late summer and how to keep them out",
            "Walnut",
            "2003",
            doi="10.1162/089120103321337421",
        ),
        reference("Improved", "Birch", "2000"),
    ],
)
def test_what_is_something_else_finds_nothing(works, sought):
    assert works.find(sought) is None


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (f"[7] A. Frost and B. Tóth. {FROST}. Journal of Trees, 2003.", "frost03"),
        (f"FROST, A. (2003) “{FROST},” J. Trees", "frost03"),
        (
            "C. Birch and A. Frost. 2000. Improved orchard pruning models. In Proc. Trees.",
            "birch00",
        ),
        ("Birch. 2000. Improved orchard pruning models for citrus fruit. In Proc. Trees.", None),
        ("Birch. 2000. Improved orchard pruning models 2.0. In Proc. Trees.", None),
        # A part of a volume is not the volume.
        (
            "Jan van Noord. 2010. Hail. In Proceedings of the Third Workshop on Orchards, pages 1-9.",
            None,
        ),
        (
            "Jan van Noord, editor. Proceedings of the Third Workshop on Orchards. 2010.",
            None,
        ),
    ],
)
def test_a_title_is_found_in_the_text_of_a_reference(works, text, key):
    assert works.find(reference(text=text)) == key
    assert works.find(reference("Journal of Trees", text=text)) == key


def test_the_key_helps_where_the_rest_agrees(works):
    loose = reference("Improved pruning models of orchards", "Birch", "2000")
    assert works.find(loose) is None
    assert works.find(loose, "birch00") == "birch00"
    assert works.find(reference("", "Quince", "1991"), "untitled") == "untitled"
    assert works.find(reference("", "Quince", "1995"), "untitled") is None
    assert works.find(reference("Hail and its causes", "Birch", "2000"), "birch00") is None
    assert works.find(reference("Improved orchard pruning models", "Elder"), "birch00") is None


def test_every_entry_with_a_title_finds_itself(works):
    for key in ("frost03", "birch00", "vine17", "moss01", "task10", "DBLP:conf/orchard/Pear05"):
        assert works.find(as_reference(works.entry(key)), key) == key


def test_twins_are_distinguished_by_key_then_year_and_never_by_order():
    twin = "@misc{%s, author = {Frost, Ada}, year = %d, title = {Hail in May and in June}}"
    texts = [twin % ("b", 2003), twin % ("a", 2003), twin % ("c", 2004)]
    for ordered in (texts, texts[::-1]):
        works = WorkMatcher(
            parse_bibliography("\n".join(ordered), Path("refs.bib")).entries.values()
        )
        sought = reference("Hail in May and in June", "Frost", "2003")
        assert works.find(sought) == "a"
        assert works.find(sought, "b") == "b"
        assert works.find(reference("Hail in May and in June", "Frost", "2005")) == "c"


def paper(title="", front="", page_count=8, **more):
    return ReferencePaper(title, "full text", front=front, page_count=page_count, **more)


@pytest.mark.parametrize(
    ("stem", "found"),
    [
        ("frost03", "frost03"),
        ("DBLP_conf_orchard_Pear05", "DBLP:conf/orchard/Pear05"),
        ("DBLPconforchardPear05", "DBLP:conf/orchard/Pear05"),
        ("10.1162_089120103321337421", "frost03"),
        ("10.1162%2F089120103321337421", "frost03"),
        ("089120103321337421", "frost03"),
        ("W10-1201", "task10"),
        ("1706.03762v5", "vine17"),
        ("cs_0112017v2", "moss01"),
        (
            "Frost and Tóth - 2003 - A careful comparison of orchard pruning models",
            "frost03",
        ),
        (
            "Frost and To\u0301th - 2003 - A careful comparison of orchard pru...",
            "frost03",
        ),
        ("frost2003careful", "frost03"),
        ("noord2010overview", "task10"),
        ("Frost - 2003 - A careful comparison of plum tree models", None),
        ("Elder and Ash - 2003 - A careful comparison of orchard pruning models", None),
        ("frost2003", None),
        ("frost2003introduction", None),
        ("1706.03763", None),
        ("Introduction", None),
        ("", None),
        ("%00%ff" * 50, None),
    ],
)
def test_a_file_that_cannot_be_read_is_known_by_its_name(works, stem, found):
    assert works.find_paper(paper(), stem) == found


BODY = "Abstract\nWe look at trees that were cut in winter and count what they bear. " * 4
LINE = BODY.replace("\n", " ")
LISTED = f"{FROST}. Ada Frost and Béla Tóth. Read again!"


@pytest.mark.parametrize(
    ("read", "found"),
    [
        (paper(FROST, f"{FROST}\nAda Frost and Béla Tóth\n{BODY}"), "frost03"),
        # The largest type is the journal's name.
        (paper("Journal of Trees", f"Vol. 12\n{FROST}\nAda Frost, Béla Tóth\n{BODY}"), "frost03"),
        (
            paper("", f"A careful comparison\nof orchard pruning models∗\nA. Frost\n{BODY}"),
            "frost03",
        ),
        # Lines may have been joined, accents torn off.
        (paper("", f"{FROST} Ada Frost and B´ela T´oth University {LINE}"), "frost03"),
        (paper("", f"Improved orchard pruning models Cleo Birch Ada Frost {LINE}"), "birch00"),
        (paper(FROST, surnames=("Frost",)), "frost03"),
        (paper(FROST), "frost03"),
        (paper("Introduction"), None),
        (paper("Introduction", f"Introduction\nRana Elder\n{BODY}"), None),
        (paper(FROST, f"{FROST}\nWim Walnut and Rana Elder\n{BODY}"), None),
        # A work that only mentions the title, by one of its authors.
        (paper("", f"Ten years later\nAda Frost\n{BODY * 3} {FROST}\n"), None),
        (paper("", f"Against “Introduction”\nHana Kim\n{BODY}"), None),
        (paper("", f"Improved orchard pruning models for citrus fruit\nCleo Birch\n{BODY}"), None),
        (paper("", f"Improved orchard pruning models for citrus fruit Cleo Birch {LINE}"), None),
        (paper("Unsupervised models of blossom dates", f"Ivo Pear\n{BODY}"), None),
        # A list of works is none of them.
        (paper("", LISTED), "frost03"),
        (paper("", LISTED, page_count=None), None),
    ],
)
def test_a_file_is_known_by_its_title(works, read, found):
    assert works.find_paper(read, "download (3)") == found


def test_an_identifier_that_the_paper_names_is_checked_against_its_first_page(works):
    doi = "10.1162/089120103321337421"
    own = paper("Journal of Trees", f"Journal of Trees\nAda Frost\n{BODY}", doi=doi)
    assert works.find_paper(own, "x") == "frost03"
    cited = paper("Hail and its causes", f"Hail and its causes\nRana Elder\n{BODY}", doi=doi)
    assert works.find_paper(cited, "x") is None
    assert works.find_paper(paper(arxiv="1706.03762"), "x") == "vine17"


def test_nothing_is_found_in_nothing():
    for entries in (
        (),
        parse_bibliography("@misc{a, note={x}}", Path("refs.bib")).entries.values(),
    ):
        works = WorkMatcher(entries)
        assert works.find(reference(FROST, "Frost", "2003")) is None
        assert works.find_paper(paper(FROST, BODY), "x") is None


def test_titles_of_other_scripts(works):
    text = "@misc{wang, author = {王, 伟}, year = 2015, title = {果园修剪模型的比较研究与应用}}"
    other = WorkMatcher(parse_bibliography(text, Path("refs.bib")).entries.values())
    assert other.find(Reference("果园修剪模型的比较研究与应用", ("王",), "2015")) == "wang"
    assert other.find(Reference("果园修剪模型的比较研究与应用", ("李",), "2015")) is None


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_text_can_be_asked_for(title, text):
    written = f"@misc{{a, author = {{Frost, Ada}}, year = 2003, title = {{{FROST}}}}}"
    works = WorkMatcher(parse_bibliography(written, Path("refs.bib")).entries.values())
    works.find(Reference(title, (title,), text, text=text))
    works.find_paper(paper(title, f"{text} {FROST} {title} Frost"), text)
    found = works.find(reference(text=f"Frost ({text}). {FROST}. {title}"))
    assert found in ("a", None)


# Entries of one bibliography

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
        (f"@misc{{one, {GRID}, doi={{10.48550/arXiv.0701.00001}}, eprint={{0701.00001}}}}", f"@article{{two, {GRID}, doi={{10.1/ab}}, eprint={{0701.00001}}}}"),
        (f"@article{{one, {GRID}, year=2008}}", f"@misc{{two, {GRID}, year=2008}}"),
        (f"@article{{one, {GRID}, year=2007, journal={{arXiv e-prints}}}}", f"@inproceedings{{two, {GRID}, year=2008, doi={{10.1/ab}}}}"),
        # A page has several addresses, and a file on the same site has one, too.
        (f"@online{{one, {GRID}, url={{http://www.a.org/b/#top}}}}", f"@misc{{two, {GRID}, howpublished={{\\url{{https://a.org/b}}}}}}"),
        (f"@misc{{one, {GRID}, url={{https://a.org/b}}}}", f"@misc{{two, {GRID}, url={{https://a.org/files/b.pdf}}}}"),
        (f"@misc{{one, {GRID}, url={{https://a.org/b}}}}", f"@misc{{two, {GRID}, url={{https://b.org/c}}}}"),
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
        ("@online{one, title={README}, author={GitHub}, url={https://github.com/a/a}}", "@online{two, title={README}, author={GitHub}, url={https://github.com/b/b}}"),
        # A reference manager wrote one id into many entries; the authors are partly the same.
        (f"@article{{one, {GRID}, doi={{10.1/ab}}, arxivid={{1011.1669}}}}", "@article{two, title={Frogs at night}, author={Frog, F. and Lapa, M.}, doi={10.1/cd}, arxivid={1011.1669}}"),
    ],
)  # fmt: skip
def test_other_works(one, other):
    assert pairs(f"{one}\n{other}") == []


def test_several_are_duplicates_of_the_first():
    entries = "\n".join(f"@article{{{key}, {GRID}, year=2008}}" for key in ("a", "b", "c"))
    assert pairs(entries) == [("b", "a"), ("c", "a")]

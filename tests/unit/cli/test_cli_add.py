"""pincite add: a work by what names it, from libraries at hand or services, into a bibliography."""

import io
import json
import os
import time

import pytest

from metadata_services import Work
from pdf_pages import Page
from pincite.parsing.bibliographies import parse_bibliography
from zotero_library import ZoteroLibrary

pytest.importorskip("httpx", reason="httpx is not installed")

CHAMBERS = Work(
    "10.1162/coli.2008.34.1.1",
    "Unsupervised Learning of Narrative &amp; Event Chains: The <i>Case</i> of BERT",
    [("Chambers", "Nathanael"), ("Jurafsky", "Dan")],
    2008,
    "We induce chains.",
    journal="Computational Linguistics",
    volume="34",
    page="1-34",
    pmid="18271234",
    pmcid="2556867",
)
BOOK = Work(
    "10.1000/book",
    "Beavers of the north",
    [("Naiman", "Robert")],
    1986,
    type="monograph",
    isbn=["9780306406157"],
    publisher="Plenum",
)
CHAPTER = Work(
    "10.1000/book.ch1", "Dams", [("Naiman", "Robert")], 1986, type="book-chapter",
    isbn=["9780306406157"],
)  # fmt: skip
ATTENTION = Work(
    "10.48550/arxiv.1706.03762", "Attention is all you need", [("Vaswani", "Ashish")], 2017
)
DATA = [
    Work(doi, "Data of frogs", [("Frog", "Anna")], 2019)
    for doi in (
        *("10.5281/zenodo.1234", "10.6084/m9.figshare.7654321", "10.5061/dryad.abc12"),
        *("10.17605/osf.io/ab3de", "10.31219/osf.io/ab3de", "10.31234/osf.io/ab3de"),
    )
]
WORKS = [CHAMBERS, CHAPTER, BOOK, ATTENTION, *DATA]
BIB = """@article{Knuth1984,
  author = {Knuth, Donald E.},
  title = {Literate Programming},
  journal = {The Computer Journal},
  year = 1984,
}

@article{Salton1975,
  author = {Salton, Gerard and Wong, A.},
  title = {A vector space model},
  year = {1975},
}
"""
RIS = """TY  - JOUR
AU  - Müller, Jörg
AU  - World Health Organization
TI  - Frogs of the night,
 and their ponds
T2  - Frogs & Toads
PY  - 1994/05/01
VL  - 2
SP  - 17
EP  - 29
DO  - 10.1000/frogs
ER  -
"""
CSL = (
    '[{"id": "x", "type": "book", "title": "Ponds", "author": [{"family": "Ryan", "given": "M."}],'
    ' "issued": {"date-parts": [[1985]]}}]'
)


OTTERS = {"type": "book", "title": "Otters", "author": [{"family": "Ryan"}], "issued": "1985"}


@pytest.fixture(name="refs")
def bibliography_in_hand(tmp_path, monkeypatch):
    monkeypatch.setenv("PINCITE_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "paper"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (folder / "refs.bib").write_text(BIB)
    return folder / "refs.bib"


@pytest.fixture(name="add")
def add_to_bibliography(run, refs):
    """Add works; services are asked."""
    return lambda *works: run("add", *works, "--bib", refs, "--yes")


def added(refs):
    text = refs.read_text("utf-8")
    assert text.startswith(BIB)
    return text.removeprefix(BIB)


def test_a_doi_becomes_an_entry_whose_key_is_like_the_others(add, services, refs):
    status, out, err = add("https://doi.org/10.1162/COLI.2008.34.1.1")
    assert (status, err) == (0, "")
    assert (
        added(refs)
        == """
@article{Chambers2008,
  author = {Chambers, Nathanael and Jurafsky, Dan},
  title = {Unsupervised Learning of Narrative \\& Event Chains: The Case of {BERT}},
  journal = {Computational Linguistics},
  year = {2008},
  volume = {34},
  pages = {1--34},
  doi = {10.1162/coli.2008.34.1.1},
}
"""
    )
    assert "to doi.org: at most" in out
    assert "  DOI 10.1162/coli.2008.34.1.1" in out
    assert "added Chambers2008 to refs.bib: Chambers and Jurafsky 2008" in out
    assert [path for path, *_ in services.requests] == [
        "/10.1162/coli.2008.34.1.1",
        "/v1/works/10.1162/coli.2008.34.1.1/transform",
    ]
    accepted = {headers["Accept"] for *_, headers in services.requests}
    assert accepted == {"application/vnd.citationstyles.csl+json"}


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("arXiv:1706.03762v5", "Vaswani2017"),
        ("https://arxiv.org/abs/1706.03762", "Vaswani2017"),
        ("PMID: 18271234", "Chambers2008"),
        ("https://pubmed.ncbi.nlm.nih.gov/18271234/", "Chambers2008"),
        ("PMC2556867", "Chambers2008"),
        ("PMCID: PMC2556867", "Chambers2008"),
        ("https://www.ncbi.nlm.nih.gov/pmc/articles/PMC2556867/", "Chambers2008"),
        ("https://pmc.ncbi.nlm.nih.gov/articles/PMC2556867/#S2", "Chambers2008"),
        ("https://europepmc.org/article/PMC/PMC2556867", "Chambers2008"),
        ("https://europepmc.org/article/MED/18271234", "Chambers2008"),
        ("978-0-306-40615-7", "Naiman1986"),
        ("ISBN 0-306-40615-2", "Naiman1986"),
        ("Unsupervised learning of narrative & event chains", "Chambers2008"),
        ("Chambers, N. (2008). Chains. CL, 34. (https://doi.org/10.1162/coli.2008.34.1.1).", "Chambers2008"),
        ("Chambers N. Chains. CL. 2008;34:1-34. doi: 10.1162/COLI.2008.34.1.1. PMID: 1.", "Chambers2008"),
        ("Chambers N. Chains. Comput Linguist. 2008;34(1):1-34. PMID: 18271234; 2", "Chambers2008"),
        ("Vaswani, A. Attention. arXiv preprint arXiv:1706.03762v5 [cs.CL], 2017.", "Vaswani2017"),
        ("A. Vaswani. 2017. Attention. arXiv: 1706.03762, doi:10.48550/arXiv.1706.03762", "Vaswani2017"),
        ("10.48550/arXiv.1706.03762v5", "Vaswani2017"),
        ("10.1162%2Fcoli.2008.34.1.1", "Chambers2008"),
        ("https://direct.mit.edu/coli/article/doi/10.1162/coli.2008.34.1.1/98520/A", "Chambers2008"),
        ("PMID- 18271234\nOWN - NLM\nTI  - Unsupervised\n      learning\n", "Chambers2008"),
        ("PMID- 1\nTI  - X\nCIN - CL. doi: 10.1000/book\nAID - 10.1162/coli.2008.34.1.1 [doi]\n", "Chambers2008"),
    ],
)  # fmt: skip
def test_other_names_of_a_work(add, run, services, refs, name, key):
    status, out, err = add(name)
    assert (status, err) == (0, "")
    assert f"added {key} to refs.bib" in out
    assert f"{{{key},\n" in added(refs)
    # What was answered is not sent again.
    asked = len(services.requests)
    refs.write_text(BIB)
    assert run("add", name, "--bib", refs)[0] == 0
    assert len(services.requests) == asked
    assert f"{{{key},\n" in added(refs)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_file_of_pubmed_may_have_several_works(add, refs, end):
    (refs.parent / "two.nbib").write_text(
        """
PMID- 1
IS  - 0028-0836 (Print)
VI  - 2
IP  - 5
DP  - 1994 May 1
TI  - Frogs of the night,
      and their ponds.
PG  - 17-29
LID - 10.1000/frogs [doi]
FAU - Müller, Jörg
AU  - Müller J
FAU - Other, Bert
AU  - Other B
JT  - Frogs and toads
TA  - Frogs

PMID- 2
DP  - 1995
TI  - Toads.
AU  - van der Other B
AU  - Other CD Jr
CN  - Toad Group
TA  - Nature
""".replace("\n", end),
        newline="",
    )
    status, out, err = add("two.nbib")
    assert (status, err) == (0, "")
    assert "added Muller1994 to refs.bib" in out
    assert (
        added(refs)
        == """
@article{Muller1994,
  author = {Müller, Jörg and Other, Bert},
  title = {Frogs of the night, and their ponds},
  journal = {Frogs and toads},
  year = {1994},
  volume = {2},
  number = {5},
  doi = {10.1000/frogs},
  pages = {17--29},
}

@article{Vanderother1995,
  author = {van der Other, B and Other, CD Jr and {Toad Group}},
  title = {Toads},
  journal = {Nature},
  year = {1995},
}
"""
    )


@pytest.mark.parametrize(
    ("address", "doi"),
    [
        ("https://zenodo.org/records/1234", "10.5281/zenodo.1234"),
        ("https://zenodo.org/record/1234#.YJ", "10.5281/zenodo.1234"),
        ("Frog, A. (2019). Data. https://zenodo.org/records/1234.", "10.5281/zenodo.1234"),
        ("https://figshare.com/articles/dataset/Data_of_2019/7654321/2", "10.6084/m9.figshare.7654321"),
        ("https://figshare.com/articles/7654321", "10.6084/m9.figshare.7654321"),
        ("https://osf.io/ab3de/", "10.17605/osf.io/ab3de"),
        ("https://osf.io/preprints/osf/ab3de_v2", "10.31219/osf.io/ab3de"),
        ("https://osf.io/preprints/psyarxiv/ab3de", "10.31234/osf.io/ab3de"),
        ("https://psyarxiv.com/ab3de/", "10.31234/osf.io/ab3de"),
        ("https://datadryad.org/stash/dataset/doi:10.5061/dryad.abc12", "10.5061/dryad.abc12"),
        ("https://datadryad.org/dataset/doi%3A10.5061%2Fdryad.abc12", "10.5061/dryad.abc12"),
    ],
)  # fmt: skip
def test_the_page_of_a_repository_names_a_doi(add, services, refs, address, doi):
    status, _, err = add(address)
    assert (status, err) == (0, "")
    assert f"doi = {{{doi}}}" in added(refs)


def test_a_preprint_has_the_identifier_of_arxiv_and_a_book_its_publisher(add, services, refs):
    add("1706.03762", "9780306406157")
    entries = added(refs)
    assert "@misc{Vaswani2017," in entries
    assert "  eprint = {1706.03762},\n  archiveprefix = {arXiv},\n" in entries
    assert "@book{Naiman1986," in entries
    assert "publisher = {Plenum}" in entries


def test_nothing_is_sent_without_consent_and_all_that_would_be_is_shown(run, services, refs):
    status, _, err = run("add", "10.1000/book", "--bib", refs)
    assert (status, services.requests) == (2, [])
    assert "confirm with --yes" in err
    status, out, _ = run(
        "add", "10.1000/book", "A title", "--bib", refs, "--show", "--email", "a@b.org"
    )
    assert (status, services.requests, added(refs)) == (0, [], "")
    for line in ("to doi.org: at most", "DOI 10.1000/book", "“A title”", "your address a@b.org"):
        assert line in out
    assert "doi.org forwards a DOI to its registrar" in out
    _, out, _ = run("add", "A title", "978-0-306-40615-7", "--bib", refs, "--show")
    assert "doi.org" not in out


@pytest.mark.parametrize(
    "name", ["10.1162/coli.2008.34.1.1", "https://doi.org/10.1162/coli.2008.34.1.1"]
)
def test_a_work_that_is_there_is_not_added_again(add, services, refs, name):
    add(name)
    before = refs.read_bytes()
    asked = len(services.requests)
    status, out, _ = add(name)
    assert (status, refs.read_bytes(), len(services.requests)) == (0, before, asked)
    assert "is there already: Chambers2008" in out


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        # As Zotero and biblatex write them.
        ("0-306-40615-2", "isbn = {978-3-16-148410-0 9780306406157}"),
        ("978-0-306-40615-7", "isbn = {9783161484100 (print), 0306406152 (online)}"),
        ("PMID: 18271234", "eprint = {18271234}, eprinttype = {pubmed}"),
        ("PMC2556867", "pmcid = {PMC2556867}"),
    ],
)
def test_a_work_is_there_by_any_of_its_numbers(run, services, refs, name, fields):
    refs.write_text(f"@book{{mine, title = {{Otters}}, {fields}}}\n")
    status, out, _ = run("add", name, "--bib", refs)
    assert (status, services.requests) == (0, [])
    assert "is there already: mine" in out


def test_the_same_work_under_another_name_is_there_already(add, services, refs):
    own = CHAMBERS.title.replace("&amp;", "\\&").replace("<i>", "").replace("</i>", "")
    entry = f"@article{{chains, title = {{{own}}}, author = {{Chambers, N.}}, year = 2008}}\n"
    refs.write_text(BIB + entry)
    status, out, _ = add("10.1162/coli.2008.34.1.1")
    assert (status, refs.read_text()) == (0, BIB + entry)
    assert "is there already: chains" in out


PAGE = r"""@misc{docs, title = {Docker documentation},
  howpublished = {\url{https://docs.docker.com/get\_it/}}, note = {Accessed 2020}}
"""


@pytest.mark.parametrize(
    ("fields", "is_there"),
    [
        ("url={https://docs.docker.com/get_it/}, urldate={2021-01-01}", True),
        ("note={Visited at http://www.docs.docker.com/get_it.}, year=2021", True),
        ("url={https://docs.docker.com/run/}", False),
        ("url={https://docs.docker.com/get_it/}, author={Ryan, M.}", False),
        ("note={A documentation}", False),
    ],
)
def test_a_web_page_without_authors_is_known_by_title_and_address(run, refs, fields, is_there):
    refs.write_text(PAGE)
    (refs.parent / "a.bib").write_text(f"@online{{a, title={{Docker Documentation}}, {fields}}}")
    status, out, _ = run("add", "a.bib", "--bib", refs)
    assert (status, "is there already: docs" in out) == (0, is_there)
    assert (refs.read_text() == PAGE) == is_there


def test_another_year_of_a_web_page_is_another_work(run, refs):
    refs.write_text(PAGE.replace("note", "year = 2020, note"))
    (refs.parent / "a.bib").write_text(PAGE.replace("note", "year = 2021, note"))
    assert "added docker2021 to" in run("add", "a.bib", "--bib", refs)[1]


def test_works_of_the_authors_own_libraries_come_first_with_their_keys(
    run, services, refs, tmp_path, monkeypatch
):
    (refs.parent / "old.bib").write_text(
        "@string{cj = {Computer Journal}}\n"
        "@article{my-key, title = {Chains}, journal = cj, doi = {10.1162/coli.2008.34.1.1}}\n"
    )
    zotero = ZoteroLibrary(tmp_path / "Zotero")
    zotero.work(by=[("Gerhardt", "H. C.")], title="How frogs sing", date="1994-00-00 1994",
                DOI="10.1000/FROGS", abstractNote="They sing.")  # fmt: skip
    zotero.close()
    monkeypatch.setenv("PINCITE_ZOTERO", str(tmp_path / "Zotero"))
    status, out, err = run("add", "10.1162/coli.2008.34.1.1", "How frogs sing", "--bib", refs)
    assert (status, err, services.requests) == (0, "", [])
    assert "added my-key to refs.bib" in out
    assert "(old.bib)" in out
    assert "(Zotero)" in out
    entries = added(refs)
    assert "@article{my-key, title = {Chains}, journal = {Computer Journal}" in entries
    assert "How frogs sing" in entries
    assert "They sing" not in entries


def test_entries_are_copied_from_text(run, services, refs, monkeypatch, tmp_path):
    ris, csl, bib = tmp_path / "a.ris", tmp_path / "b.json", tmp_path / "c.bib"
    ris.write_text(RIS)
    csl.write_text(CSL)
    bib.write_text(
        "@inproceedings{och:2003, title={Minimum {BLEU} Training},\n author={Och, F.},year=2003}"
    )
    status, _, err = run("add", ris, csl, bib, "--bib", refs)
    assert (status, err, services.requests) == (0, "", [])
    entries = added(refs)
    assert (
        "@article{Muller1994,\n  author = {Müller, Jörg and {World Health Organization}},"
        in entries
    )
    assert "title = {Frogs of the night, and their ponds}" in entries
    assert "journal = {Frogs \\& Toads}" in entries
    assert "pages = {17--29}" in entries
    assert "@book{Ryan1985," in entries
    assert (
        "@inproceedings{Och2003, title={Minimum {BLEU} Training},\n author={Och, F.},year=2003}"
        in entries
    )


@pytest.mark.parametrize(
    ("tags", "journal"),
    [
        ("T2  - Frogs and Toads\nJO  - Frogs Toad.", "Frogs and Toads"),
        ("JO  - Frogs Toad.\nJF  - Frogs and Toads", "Frogs and Toads"),
        ("T2  - Special issue on frogs\nJO  - Frogs and Toads", "Frogs and Toads"),
        ("JA  - Frogs Toad.", "Frogs Toad."),
    ],
)
def test_a_journal_in_ris_has_its_whole_name(run, refs, tags, journal):
    (refs.parent / "a.ris").write_text(RIS.replace("T2  - Frogs & Toads", tags))
    assert run("add", "a.ris", "--bib", str(refs))[0] == 0
    assert f"journal = {{{journal}}}" in added(refs)


def test_names_in_ris_may_begin_with_initials(run, refs):
    names = ("J.-P. van der Berg", "A. B. Ryan", "U.S. Army")
    written = "\n".join(f"AU  - {name}" for name in names)
    (refs.parent / "a.ris").write_text(f"TY  - JOUR\n{written}\nTI  - Frogs\nPY  - 1994\nER  -\n")
    assert run("add", "a.ris", "--bib", refs)[0] == 0
    assert "author = {van der Berg, J.-P. and Ryan, A. B. and {U.S. Army}}" in added(refs)


ENDNOTE = """%0 Journal Article
%T Frogs of the night
%A Müller, Jörg
%A Ryan, M.
%J Frogs & Toads
%V 2
%P 17-29
%D 1994
%@ 0001-0002
%[ 2015-10-28
"""


def test_entries_in_the_format_of_endnote_are_copied(run, services, refs):
    (refs.parent / "scholar.enw").write_text(ENDNOTE)
    assert run("add", "scholar.enw", "--bib", refs)[0] == 0
    assert services.requests == []
    entry = parse_bibliography(added(refs), refs).entries["Muller1994"]
    assert (entry.entry_type, entry.title) == ("article", "Frogs of the night")
    assert entry.surnames == ("Müller", "Ryan")
    names = ("journal", "volume", "year")
    assert [entry.fields[name] for name in names] == ["Frogs & Toads", "2", "1994"]
    assert "2015" not in added(refs)


@pytest.mark.parametrize(
    ("tags", "kind", "fields"),
    [
        ("TY  - THES\nM3  - Master's thesis\nPB  - Bonn", "mastersthesis", {"school": "Bonn"}),
        ("TY  - RPRT\nSN  - TR-7\nPB  - Bonn", "techreport", {"number": "TR-7"}),
        ("TY  - BOOK\nSN  - 978-0-306-40615-7", "book", {"isbn": "978-0-306-40615-7"}),
    ],
)
def test_what_a_number_or_publisher_in_ris_is_depends_on_the_type(run, refs, tags, kind, fields):
    (refs.parent / "a.ris").write_text(f"{tags}\nTI  - Frogs at night\nPY  - 1994\nER  -\n")
    assert run("add", "a.ris", "--bib", "new.bib")[0] == 0
    text = refs.with_name("new.bib").read_text()
    (entry,) = parse_bibliography(text, refs).entries.values()
    assert entry.entry_type == kind
    assert fields.items() <= entry.fields.items()
    assert len({"isbn", "number"} & entry.fields.keys()) <= 1


def test_a_work_without_authors_and_year_is_named_by_its_title(run, refs):
    (refs.parent / "a.bib").write_text("@misc{a, title = {The rivers of the north}}")
    named = "“The rivers of the north”"
    _, out, _ = run("add", "a.bib", "--bib", refs)
    assert out.startswith(f"added rivers to refs.bib: {named} (")
    assert run("add", "a.bib", "--bib", refs)[1] == f"{named} is there already: rivers\n"


ABSTRACT = "<jats:title>Abstract</jats:title><jats:p>Frogs call &amp; <i>listen</i>.</jats:p>"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.ris", RIS.replace("VL  ", f"AB  - {ABSTRACT}\nN2  - Notes\nKW  - frogs\nKW  - night\nVL  ")),
        ("a.ris", RIS.replace("VL  ", f"N2  - {ABSTRACT}\nKW  -\nfrogs\nnight\nVL  ")),
        ("a.json", [{**OTTERS, "id": "x", "abstract": ABSTRACT, "keyword": "frogs, night"}]),
    ],
)  # fmt: skip
def test_abstracts_and_keywords_are_copied_without_tags(run, refs, name, text):
    (refs.parent / name).write_text(text if isinstance(text, str) else json.dumps(text))
    assert run("add", name, "--bib", refs)[0] == 0
    entry = [*parse_bibliography(refs.read_text(), refs).entries.values()][-1]
    assert entry.written["abstract"] == "Frogs call \\& listen."
    assert entry.fields["keywords"] == "frogs, night"


def test_titles_in_ris_are_copied_without_tags(run, refs):
    title = "<i>Rana</i> &amp; H<sub>2</sub>O of the night"
    (refs.parent / "a.ris").write_text(RIS.replace("Frogs of the night", title))
    assert run("add", "a.ris", "--bib", refs)[0] == 0
    assert "title = {Rana \\& H₂O of the night, and their ponds}" in added(refs)


def test_a_bibliography_that_may_only_be_read_is_called_so(run, refs, monkeypatch):
    refs.with_name("main.md").write_text("---\nbibliography: refs.bib\n---\nWords [@Knuth1984].\n")
    refs.with_name("a.ris").write_text(RIS)
    monkeypatch.setattr("os.access", lambda _path, mode: mode != os.W_OK)
    status, _, err = run("add", "a.ris")
    assert (status, added(refs)) == (1, "")
    assert "refs.bib is read-only, so nothing is added." in err


def test_each_work_is_added_to_those_before_it(run, refs):
    for name in ("0", "1"):
        text = f"@book{{a, title = {{Ponds {name}}}, author = {{Müller, J.}}, year = 1985}}\n"
        (refs.parent / f"{name}.bib").write_text(text)
    status, out, err = run("add", "0.bib", "1.bib", "0.bib", "--bib", "refs.bib")
    assert (status, err) == (0, "")
    assert [line.split()[:2] for line in out.splitlines()] == [
        ["added", "Muller1985"], ["added", "Muller1985a"], ["Müller", "1985,"],
    ]  # fmt: skip


def test_what_an_entry_inherits_from_is_added_once(run, refs):
    (refs.parent / "a.bib").write_text(
        "@inproceedings{och, title={Training}, author={Och, F.}, year=2003, crossref={ACL}}\n\n"
        "@proceedings{ACL, title={Proceedings of ACL}, year=2003}\n"
    )
    assert run("add", "a.bib", "--bib", refs)[0] == 0
    entries = added(refs)
    assert (entries.count("@inproceedings{Och2003"), entries.count("@proceedings{ACL")) == (1, 1)
    assert entries.count("Proceedings of ACL") == 1


@pytest.mark.parametrize(
    "written",
    ["https://doi.org/10.1000/Frogs", "doi: 10.1000/Frogs", "http://dx.doi.org/10.1000/Frogs"],
)
def test_a_doi_is_added_without_its_resolver(run, refs, written):
    (refs.parent / "a.ris").write_text(RIS.replace("10.1000/frogs", written))
    assert run("add", "a.ris", "--bib", refs)[0] == 0
    assert "  doi = {10.1000/Frogs}," in added(refs)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "iso-8859-1", "utf-16"])
def test_entries_from_the_standard_input_are_in_any_encoding(run, refs, monkeypatch, encoding):
    entry = "@book{a, title = {Fünf Teiche}, author = {Ryan, M.}, year = 1985}\n"
    piped = io.TextIOWrapper(io.BytesIO(entry.encode(encoding)), "utf-8")
    monkeypatch.setattr("sys.stdin", piped)
    assert run("add", "-", "--bib", refs)[0] == 0
    assert "title = {Fünf Teiche}" in added(refs)


def test_the_file_keeps_its_encoding_line_ends_and_form(run, services, refs):
    latin = ("% Encoding: iso-8859-1\n" + BIB.replace("Wong", "Wöng")).replace("\n", "\r\n")
    refs.write_bytes(latin.encode("iso-8859-1"))
    (refs.parent / "a.ris").write_text(RIS.replace("Jörg", "Jǫrg"))
    assert run("add", "a.ris", "--bib", refs)[0] == 0
    data = refs.read_bytes()
    assert data.startswith(latin.encode("iso-8859-1"))
    assert "author = {Müller, J{\\k{o}}rg and".encode("iso-8859-1") in data
    assert b"\n" not in data.replace(b"\r\n", b"")
    items = refs.with_name("refs.json")
    items.write_text(CSL)
    assert run("add", "1706.03762", "--bib", items, "--yes")[0] == 0
    assert '"DOI":"10.48550/arxiv.1706.03762"' in items.read_text().replace(": ", ":")


def test_a_new_bibliography_is_made_and_named_in_the_draft(run, services, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "no draft in this folder" in (err := run("add", "10.1000/book", "--yes")[2])
    assert err.rstrip().endswith("or give a bibliography, which may be new")
    draft = tmp_path / "main.tex"
    draft.write_text(
        "\\documentclass{article}\n\\begin{document}\nWords \\cite{a}.\n\\end{document}\n"
    )
    status, out, _ = run("add", "10.1000/book", "--yes")
    assert status == 0
    assert "references.bib is new, and named in main.tex" in out
    assert (tmp_path / "references.bib").read_text().startswith("@book{naiman1986beavers,\n")
    assert "\\bibliography{references}\n\\end{document}" in draft.read_text()
    assert run("add", "10.1000/book.ch1", "--bib", "new.bib", "--yes")[0] == 0
    assert (tmp_path / "new.bib").read_text().startswith("@incollection{naiman1986dams,\n")


@pytest.mark.parametrize(
    ("name", "text", "key"),
    [
        ("a.ris", RIS, "muller1994frogs"),
        ("a.ris", RIS.replace("VL  ", "ID  - 4711\nVL  "), "muller1994frogs"),
        ("a.ris", RIS.replace("VL  ", "ID  - Müller, 1994\nVL  "), "muller1994frogs"),
        ("a.ris", RIS.replace("VL  ", "ID  - frogs94\nVL  "), "frogs94"),
        ("a.json", [{"id": "http://zotero.org/users/1/items/X", **OTTERS}], "ryan1985otters"),
        ("a.json", [{"id": 1, **OTTERS}], "ryan1985otters"),
        ("a.json", [{"id": "https://doi.org/10.1/x", **OTTERS}], "ryan1985otters"),
        ("a.json", [{"id": "ryanOtters1985", **OTTERS}], "ryanOtters1985"),
        ("a.json", [{"id": "http://zotero.org/x/1", "citation-key": "ryanOtters", **OTTERS}], "ryanOtters"),
        ("a.bib", "@book{DBLP:books/Ryan85, title={Otters}, author={Ryan, M.}}", "DBLP:books/Ryan85"),
        ("a.bib", "@book{10.1093/oso/85, title={Otters}, author={Ryan, M.}, year=1985}", "ryan1985otters"),
    ],
)  # fmt: skip
def test_of_what_is_copied_into_a_new_bibliography_keys_that_an_author_would_type_stay(
    run, refs, name, text, key
):
    (refs.parent / name).write_text(text if isinstance(text, str) else json.dumps(text))
    assert run("add", name, "--bib", "new.bib")[0] == 0
    read = parse_bibliography(refs.with_name("new.bib").read_text(), refs)
    assert list(read.entries) == [key]


def test_a_file_of_pubmed_names_a_work(add, services, refs):
    (refs.parent / "a.nbib").write_text("PMID- 18271234\nTI  - Chains\n")
    assert add("a.nbib")[0] == 0
    assert "@article{Chambers2008," in added(refs)


def test_several_items_have_a_key_each_in_a_new_bibliography(run, refs):
    (refs.parent / "a.ris").write_text(RIS + RIS.replace("Frogs of", "Toads of"))
    assert run("add", "a.ris", "--bib", "new.bib")[0] == 0
    read = parse_bibliography(refs.with_name("new.bib").read_text(), refs)
    assert list(read.entries) == ["muller1994frogs", "muller1994toads"]


def test_a_paper_is_added_by_what_is_in_it(add, run, services, refs):
    path = paper(refs, "Beavers of the north", "doi:10.1000/book")
    status, out, err = add(path)
    assert (status, err) == (0, "")
    assert "added Naiman1986 to refs.bib" in out
    assert "is there already: Naiman1986" in run("add", path, "--bib", refs)[1]


def paper(refs, title, subject, people="Robert Naiman; Ann Baker"):
    path = refs.parent / "papers" / "x.pdf"
    path.parent.mkdir()
    page = Page(path)
    page.pdf.set_author(people)
    page.pdf.set_subject(subject)
    page.text(100, 80, [title], size=18)
    page.text(200, 120, ["Robert Naiman and Ann Baker"])
    page.text(72, 160, ["Abstract"], style="B")
    page.text(
        72, 180, ["Beavers build dams in the rivers and the water stays behind these dams."] * 30
    )
    return page.save()


def test_a_paper_that_no_service_knows_is_added_from_its_own_text(add, services, refs):
    path = paper(refs, "Rivers in winter and their beavers", "")
    services.works = []
    status, _, err = add(path)
    assert status == 0
    assert "Crossref and OpenAlex have no work with a title like" in err
    assert added(refs).startswith(
        "\n@misc{Naiman,\n  author = {Robert Naiman and Ann Baker},\n"
        "  title = {Rivers in winter and their beavers},\n"
    )


@pytest.mark.parametrize(
    "people", ["Association for Computational Linguistics", "Microsoft Office User", "a@b.org Al B"]
)
def test_publishers_and_accounts_in_the_metadata_of_a_paper_are_no_authors(
    add, services, refs, people
):
    services.works = []
    add(paper(refs, "Rivers in winter and their beavers", "", people))
    assert added(refs).startswith("\n@misc{rivers,\n  title = {Rivers in winter")


def test_an_identifier_in_a_paper_that_is_another_works_is_not_trusted(add, services, refs):
    path = paper(refs, "Rivers in winter and their beavers", "doi:10.1162/coli.2008.34.1.1")
    status, _, err = add(path)
    assert status == 0
    assert "the DOI 10.1162/coli.2008.34.1.1 in x.pdf belongs to “Unsupervised" in err
    assert "title = {Rivers in winter and their beavers}" in added(refs)


FAULTS = {
    "html": (200, {}, b"<html>Not here</html>"),
    "error": (400, {}, b"no"),
    "no title": (200, {}, b'{"DOI": "10.1000/book"}'),
    "list": (200, {}, b"[1, 2]"),
    "cut off": (0, {}, b""),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_services_do_wrong_is_reported_and_changes_nothing(add, services, refs, fault):
    services.works = []
    services.faults = [FAULTS[fault]]
    status, _, err = add("10.1000/book")
    assert (status, added(refs)) == (1, "")
    assert "doi.org" in err


def test_another_services_record_serves_where_doi_org_has_none_that_can_be_read(
    add, services, refs
):
    services.faults = [FAULTS["html"]]
    status, out, _ = add("10.1162/coli.2008.34.1.1")
    assert status == 0
    assert "(OpenAlex)" in out
    assert "author = {Chambers, Nathanael and Jurafsky, Dan}" in added(refs)
    assert "pages = {1--34}" in added(refs)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("10.1000/nothing", "doi.org and OpenAlex have no work with the DOI 10.1000/nothing"),
        ("ISBN 978-0-306-40615-8", "is not an ISBN: its check digit is wrong"),
        ("https://example.org/paper", "this address has no DOI"),
        ("??", "give a DOI, arXiv id, PMID, ISBN"),
        ("Two works: 10.1000/book, 10.1000/twin", "have no work with a title like"),
        ("missing.pdf", "missing.pdf: there is no such file"),
        ("@article{broken, title = ", "this looks like BibTeX, but no entry"),
    ],
)  # fmt: skip
def test_names_that_lead_nowhere(add, services, refs, name, message):
    status, _, err = add(name)
    assert (status, added(refs)) == (1, "")
    assert message in err


def test_a_work_that_is_registered_since_is_found(add, services, refs, monkeypatch):
    new = Work("10.48550/arxiv.2611.00001", "Otters of tomorrow", [("Ryan", "M.")], 2026)
    assert add("arXiv:2611.00001")[0] == 1
    services.works.append(new)
    asked = len(services.requests)
    assert add("arXiv:2611.00001")[0] == 1
    assert len(services.requests) == asked
    tomorrow = time.time() + 24 * 3600.0
    monkeypatch.setattr("pincite.enrichment.service.time.time", lambda: tomorrow)
    assert add("arXiv:2611.00001")[0] == 0
    assert "title = {Otters of tomorrow}" in added(refs)


def test_another_work_in_the_answer_is_refused(add, services, refs):
    services.faults = [(200, {}, b'{"DOI": "10.1000/other", "title": "Bread"}')]
    status, _, err = add("10.1000/book")
    assert (status, added(refs)) == (1, "")
    assert "doi.org answered for 10.1000/book with a different work: “Bread”" in err


def test_where_several_works_have_such_a_title_the_author_chooses(add, services, refs):
    services.works.append(Work("10.1000/twin", BOOK.title, [("Ryan", "M.")], 1999))
    status, out, err = add("Beavers of the north")
    assert (status, added(refs)) == (1, "")
    assert "several works match" in err
    assert "Naiman 1986  Beavers of the north  (10.1000/book, Crossref)" in out
    assert "Ryan 1999" in out

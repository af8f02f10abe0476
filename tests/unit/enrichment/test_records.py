"""Records of works, as services send them, become entries as an author would write them."""

from pathlib import Path

import pytest

from pincite.edits.bibtex_entries import bibtex_entry
from pincite.enrichment.records import DOI_ORG, entry_of
from pincite.enrichment.sources import SOURCES
from pincite.enrichment.verification import verify_match
from pincite.parsing.bibtex import parse_bibliography

ARXIV = {"source": {"display_name": "arXiv (Cornell University)", "type": "repository"}}
MEETING = {"display_name": "Neural Information Processing Systems", "type": "conference"}
PUBLISHED = {"source": MEETING, "version": "publishedVersion"}


def written(record, service=DOI_ORG):
    return bibtex_entry(entry_of({"title": "T", **record}, service), protects_capitals=True)


@pytest.mark.parametrize(
    ("record", "kind", "fields"),
    [
        # The publisher of a preprint, and of software, which DataCite calls an article, is where it is.
        ({"type": "posted-content", "institution": [{"name": "bioRxiv"}], "publisher": "openRxiv"},
         "misc", ["publisher = {bioRxiv}"]),
        ({"type": "article", "publisher": "Zenodo"}, "misc", ["publisher = {Zenodo}"]),
        ({"type": "article-journal", "publisher": "arXiv", "DOI": "10.48550/ARXIV.1706.03762"},
         "misc", ["doi = {10.48550/arxiv.1706.03762}", "eprint = {1706.03762}",
                  "archiveprefix = {arXiv}"]),
        # Types that BibTeX has not.
        ({"type": "editorial", "container-title": "J"}, "article", ["journal = {J}"]),
        ({"type": "review", "container-title": "J"}, "article", ["journal = {J}"]),
        ({"type": "other"}, "misc", []),
        ({"type": "peer-review"}, "misc", []),
        ({"type": "proceedings"}, "proceedings", []),
        # What Crossref has in place of pages.
        ({"type": "journal-article", "container-title": ["J"], "article-number": "12345"},
         "article", ["journal = {J}", "pages = {12345}"]),
        ({"type": "journal-article", "container-title": ["J"], "page": "n/a-n/a"},
         "article", ["journal = {J}"]),
        # A chapter is in a book in a series.
        ({"type": "book-chapter", "container-title": ["Lecture Notes in Computer Science", "MICCAI"]},
         "incollection", ["booktitle = {MICCAI}", "series = {Lecture Notes in Computer Science}"]),
        ({"type": "dissertation", "institution": [{"name": "ETH"}]}, "phdthesis", ["school = {ETH}"]),
        ({"type": "book", "author": [{"given": "Plato"}]}, "book", ["author = {Plato}"]),
    ],
)  # fmt: skip
def test_a_record_of_crossref_or_datacite(record, kind, fields):
    lines = written(record).splitlines()
    assert lines[0] == f"@{kind}{{,"
    assert sorted(lines[1:-1]) == sorted(f"  {each}," for each in ["title = {T}", *fields])


@pytest.mark.parametrize(
    ("record", "kind", "fields"),
    [
        ({"type": "preprint", "primary_location": ARXIV}, "misc", []),
        ({"type": "article", "primary_location": ARXIV}, "misc", []),
        ({"type": "article", "primary_location": ARXIV, "locations": [ARXIV, PUBLISHED]},
         "inproceedings", ["booktitle = {Neural Information Processing Systems}"]),
        ({"type": "article", "primary_location": {"landing_page_url": "https://x.org/a"}},
         "misc", ["url = {https://x.org/a}"]),
        ({"type": "article", "authorships": [
            {"author": {"display_name": "Ashish Vaswani"}}, {"author": {"display_name": "Roe, Jane"}},
            {"author": {"display_name": None}, "raw_author_name": "Jo van Dijk"}]},
         "misc", ["author = {Vaswani, Ashish and Roe, Jane and van Dijk, Jo}"]),
    ],
)  # fmt: skip
def test_a_record_of_openalex(record, kind, fields):
    lines = written(record, SOURCES["openalex"]).splitlines()
    assert lines[0] == f"@{kind}{{,"
    assert sorted(lines[1:-1]) == sorted(f"  {each}," for each in ["title = {T}", *fields])


def test_mathematics_in_a_title_stays_in_tex_and_a_price_does_not_become_some():
    title = r"Decays at $$ \sqrt{s}=13 $$ TeV in $O(n)$ and $x_1$, or US$5–$10 in CA$"
    assert written({"title": title}).splitlines()[1] == (
        r"  title = {Decays at {$\sqrt{s}=13$} {TeV} in {$O(n)$} and {$x_1$}, or {US}\$5–\$10 in {CA}\$},"
    )


def test_mathematics_is_read_as_a_bibliographys():
    title = r"Search for $B_s^0 \to \mu^+\mu^-$ decays at $\sqrt{s}=13$ TeV"
    own = f"@article{{a, title = {{{title}}}, author = {{Aad, G.}}, year = 2016}}"
    entry = parse_bibliography(own, Path("a.bib")).entries["a"]
    for theirs in (
        title,
        title.replace("$", "$$"),
        r"Search for $${B}_{s}^0\to {\mu}^{+}{\mu}^{-}$$ decays at $$ \sqrt{s}=13 $$ TeV",
    ):
        record = {
            "title": [theirs],
            "author": [{"family": "Aad", "given": "G."}],
            "issued": {"date-parts": [[2016]]},
        }
        work = SOURCES["crossref"].read(record)
        assert verify_match(entry, work, by_doi=False) == "same"


def test_a_repository_is_no_journal():
    record = {"title": "T", "type": "article", "primary_location": ARXIV}
    assert "journal" not in SOURCES["openalex"].read(record).fields

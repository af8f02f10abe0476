"""S2ORC's JSON in its forms, and whatever else a JSON file may hold."""

import json

import pytest

from papers_as_read import marked, texts
from pincite.model.papers import Reference
from pincite.model.problems import InputError, NotAPaperError, NoTextError
from pincite.parsing.papers.s2orc import linked_papers, read_s2orc, s2orc_paper


def span(text, printed, name):
    start = text.index(printed)
    return {"start": start, "end": start + len(printed), "text": printed, "ref_id": name}


BODY = "Kites fly (Wind, 1990). They rise, e.g. as Gust et al. (2004) show, and fall."
AUTHORS = [{"first": "Ada", "middle": ["B."], "last": "Breeze", "suffix": ""}]
PARSE = {
    "abstract": [{"section": "Abstract", "text": "We fly kites.", "cite_spans": []}],
    "body_text": [
        {
            "section": "Kites",
            "sec_num": "1",
            "text": BODY,
            "cite_spans": [
                span(BODY, "(Wind, 1990)", "BIBREF0"),
                span(BODY, "Gust et al. (2004)", "BIBREF1"),
            ],
        },
        {"section": "Kites::Strings", "text": "Strings are long.", "cite_spans": []},
    ],
    "back_matter": [{"section": "Thanks", "text": "We thank the wind.", "cite_spans": []}],
    "bib_entries": {
        "BIBREF0": {
            "title": "On wind",
            "authors": [{"first": "W", "middle": [], "last": "Wind", "suffix": ""}],
            "year": 1990,
            "link": "77",
            "other_ids": {"DOI": ["10.1234/Wind.1"]},
        },
        "BIBREF1": {
            "title": "",
            "authors": [],
            "year": None,
            "link": None,
            "raw_text": "Gust, G., Calm, C.: Gusts of air. arXiv:2004.01234 (2004)",
        },
    },
}
#: The same paper in every form.
RELEASE = {
    "paper_id": "5",
    "title": "Flying kites",
    "authors": AUTHORS,
    "year": 2011,
    "doi": "10.1234/KITE",
    "arxiv_id": "1101.01234",
    "abstract": "A summary of the record.",
    "pdf_parse": PARSE,
}
DOC2JSON = {
    "paper_id": "5",
    "title": "Flying kites",
    "authors": AUTHORS,
    "year": "2011-05",
    "identifiers": {"doi": "10.1234/KITE", "arxiv_id": "1101.01234"},
    "abstract": "We fly kites.",
    "pdf_parse": None,
    "latex_parse": {**PARSE, "abstract": []},
}
CORD19 = {
    "paper_id": "5",
    "arxiv_id": "1101.01234",
    "doi": "10.1234/KITE",
    "metadata": {
        "title": "Flying kites",
        "authors": AUTHORS,
        "year": "2011",
        "identifiers": {"doi": "10.1234/KITE", "arxiv_id": "1101.01234"},
    },
    **PARSE,
}


def bulk_release():
    text = ""
    annotations = {}

    def add(kind, words, **attributes):
        nonlocal text
        annotation = {"start": len(text), "end": len(text) + len(words), "attributes": attributes}
        annotations.setdefault(kind, []).append(annotation)
        text += words + "\n"
        return annotation

    def mark(kind, within, words, **attributes):
        start = text.index(words, within["start"])
        found = {"start": start, "end": start + len(words), "attributes": attributes}
        annotations.setdefault(kind, []).append(found)

    add("title", "Flying kites")
    mark("authorlastname", add("author", "Ada B. Breeze"), "Breeze")
    abstract = add("abstract", "We fly kites.")
    annotations["paragraph"] = [{key: abstract[key] for key in ("start", "end")}]
    add("sectionheader", "Kites", n="1")
    body = add("paragraph", BODY)
    mark("bibref", body, "(Wind, 1990)", ref_id="b0")
    mark("bibref", body, "Gust et al. (2004)", ref_id="b1")
    add("sectionheader", "Strings")
    add("paragraph", "Strings are long.")
    entry = add(
        "bibentry", "W. Wind. On wind. 1990.", id="b0", matched_paper_id=77, doi="10.1234/Wind.1"
    )
    mark("bibtitle", entry, "On wind")
    mark("bibauthorlastname", entry, "Wind")
    add("bibentry", PARSE["bib_entries"]["BIBREF1"]["raw_text"], id="b1")
    written = {kind: json.dumps(found) for kind, found in annotations.items()}
    return {
        "corpusid": 5,
        "externalids": {"DOI": "10.1234/KITE", "ArXiv": "1101.01234", "PubMed": None},
        "year": 2011,
        "content": {"source": {}, "text": text, "annotations": {**written, "figure": None}},
    }


def with_body(text, *spans, entries=3):
    names = [f"b{number}" for number in range(entries)]
    return {
        "body_text": [{"text": text, "section": "", "cite_spans": list(spans)}],
        "bib_entries": {name: {"title": name, "authors": [], "year": 2000} for name in names},
    }


class TestForms:
    @pytest.mark.parametrize(
        "form",
        [RELEASE, DOC2JSON, CORD19, bulk_release()],
        ids=["release of 2020", "doc2json", "CORD-19", "bulk"],
    )
    def test_every_form_gives_the_same_paper(self, form):
        paper = s2orc_paper(form)
        assert paper.title == "Flying kites"
        assert paper.surnames == ("Breeze",)
        assert paper.year == "2011"
        assert (paper.doi, paper.arxiv) == ("10.1234/kite", "1101.01234")
        assert paper.basis == "full text"
        assert paper.abstract == "We fly kites."
        assert [(s.text, s.section, s.page) for s in paper.sentences] == [
            ("We fly kites.", "Abstract", None),
            ("Kites fly (Wind, 1990).", "1 Kites", None),
            ("They rise, e.g. as Gust et al. (2004) show, and fall.", "1 Kites", None),
            ("Strings are long.", "Strings", None),
        ]
        assert marked(paper) == [("(Wind, 1990)", (0,)), ("Gust et al. (2004)", (1,))]
        first, second = paper.references
        assert (first.title, first.surnames, first.year) == ("On wind", ("Wind",), "1990")
        assert first.doi == "10.1234/wind.1"
        assert (second.title, second.surnames) == ("Gusts of air", ("Gust", "Calm"))
        assert (second.year, second.arxiv) == ("2004", "2004.01234")
        assert linked_papers(form) == ("77", "")

    def test_the_abstract_of_the_record_where_the_parse_has_none(self):
        assert s2orc_paper(RELEASE | {"pdf_parse": PARSE | {"abstract": []}}).abstract == (
            "A summary of the record."
        )

    def test_only_an_abstract(self):
        data = {"paper_id": "5", "title": "T", "abstract": "One. Two.", "pdf_parse": None}
        paper = s2orc_paper(data)
        assert (paper.basis, paper.abstract) == ("abstract", "One. Two.")
        with pytest.raises(NoTextError):
            s2orc_paper({**data, "abstract": None})

    def test_sections_of_the_first_release_are_lists(self):
        data = {"body_text": [{"text": "Text.", "section": [["1", "Outer"], ["1.2", "Inner"]]}]}
        assert s2orc_paper(data).sentences[0].section == "Inner"


class TestMarkers:
    @pytest.mark.parametrize(
        ("text", "spans", "found"),
        [
            # Of one marker, several; overlapping ones are parted; an unknown work leaves the marker.
            ("Shown [1, 2] before.", [("[1, 2]", "b0"), ("[1, 2]", "b1")], [("[1, 2]", (0, 1))]),
            ("Shown [1] and [2].", [("[1]", None), ("[2]", "b7")], [("[1]", ()), ("[2]", ())]),
            (
                "A multi\u00ad lingual par\u00adser (Ab\u00ad ney,\n 1990) parses\u00ad .",
                [("(Ab\u00ad ney,\n 1990)", "b1")],
                [("(Abney, 1990)", (1,))],
            ),
        ],
        ids=["one marker", "unknown", "soft hyphens"],
    )
    def test_spans(self, text, spans, found):
        paper = s2orc_paper(with_body(text, *(span(text, *each) for each in spans)))
        assert marked(paper) == found
        assert "\u00ad" not in texts(paper)[0]

    def test_wrong_offsets(self):
        text = "In 𝒜 and 𝒟, shown [1] before, but [2] too. " + "Word " * 30 + "[3]."
        spans = [
            {"start": 20, "end": 23, "text": "[1]", "ref_id": "b0"},  # counted in UTF-16
            {"start": "34", "end": "37", "text": "[2]", "ref_id": "b1"},
            {"start": 0, "end": 3, "text": "[3]", "ref_id": "b2"},  # too far
            {"start": 5, "end": 2, "ref_id": "b2"},
            {"start": 1, "end": 10_000, "ref_id": "b2"},
            {"start": None, "end": 3, "text": "[1]", "ref_id": "b2"},
            {"start": True, "end": 3.5, "text": "[1]", "ref_id": "b2"},
        ]
        assert marked(s2orc_paper(with_body(text, *spans))) == [("[1]", (0,)), ("[2]", (1,))]

    def test_a_marker_across_sentences_is_clipped(self):
        text = "A long one: " + "Word word. " * 40
        wrong = {"start": 3, "end": len(text) - 2, "ref_id": "b0"}
        paper = s2orc_paper(with_body(text, wrong))
        assert len(paper.sentences) == 40
        assert marked(paper) == [("ong one: Word word.", (0,))]


class TestFiles:
    def test_read(self, tmp_path):
        path = tmp_path / "kites.json"
        for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-32"):
            path.write_bytes(
                json.dumps(RELEASE | {"title": "Über Öl"}, ensure_ascii=False).encode(encoding)
            )
            paper = read_s2orc(path)
            assert (paper.title, paper.source) == ("Über Öl", path)

    @pytest.mark.parametrize(
        "content",
        [
            "",
            "{",
            "[" * 100_000,
            '{"a":' * 100_000,
            '{"a": 1} x',
        ],
    )
    def test_damaged(self, tmp_path, content):
        path = tmp_path / "kites.json"
        path.write_text(content)
        with pytest.raises(InputError, match="damaged"):
            read_s2orc(path)

    @pytest.mark.parametrize(
        "data",
        [
            [],
            {},
            "text",
            None,
            1,
            [RELEASE],
            {"title": "A note", "abstract": "Of something else."},
            {"name": "package", "version": "1.0.0", "content": {"text": "x"}, "body": "y"},
        ],
    )
    def test_other_json(self, tmp_path, data):
        path = tmp_path / "kites.json"
        path.write_text(json.dumps(data))
        with pytest.raises(NotAPaperError):
            read_s2orc(path)

    def test_values_of_other_types_are_passed_over(self):
        data = {
            "paper_id": 5,
            "title": ["T"],
            "year": float("nan"),
            "authors": {"last": "x"},
            "metadata": [1],
            "body_text": [
                None,
                3,
                "A string.",
                {"text": 4},
                {"text": "Text.", "cite_spans": {"a": 1}},
            ],
            "bib_entries": {
                "b0": None,
                "b1": {"authors": [None, {"last": 3}], "year": [1], "other_ids": []},
            },
        }
        paper = s2orc_paper(data)
        assert texts(paper) == ["A string.", "Text."]
        assert (paper.title, paper.year, paper.surnames) == ("", "", ())
        assert paper.references == (Reference(),)

"""Collections of papers in all their forms, and whatever is wrong with them."""

import gzip
import json

import pytest

from pincite.model.problems import InputError
from pincite_evaluation import collection as reading
from pincite_evaluation.collection import read_collection, read_test_papers
from pincite_evaluation.processes import showing

TITLES = {
    "K1": "Kites that fly without any wind",
    "K2": "A short history of string",
    "K3": "Measuring the gusts of autumn",
}
SURNAMES = {"K1": "Breeze", "K2": "Twine", "K3": "van der Gust"}
TEXT = "Kites need strings (Twine, 1990) and wind (Gust, 1991). They rise."


def entry(name, link):
    authors = [{"first": "A", "middle": [], "last": SURNAMES[name], "suffix": ""}]
    return {"title": TITLES[name], "authors": authors, "year": 1990, "link": link}


def parse(name, links):
    """The text of a paper that cites the works in `links`: each with the id that it is given."""
    printed = ("(Twine, 1990)", "(Gust, 1991)")
    spans = [
        {
            "start": TEXT.index(marker),
            "end": TEXT.index(marker) + len(marker),
            "ref_id": f"BIBREF{number}",
        }
        for number, (marker, _) in enumerate(zip(printed, links, strict=False))
    ]
    return {
        "paper_id": name,
        "abstract": [{"text": "We fly kites.", "cite_spans": []}],
        "body_text": [{"section": "Kites", "text": TEXT, "cite_spans": spans}],
        "bib_entries": {
            f"BIBREF{number}": entry(cited, link)
            for number, (cited, link) in enumerate(links.items())
        },
    }


def described(name):
    author = {"first": "A", "middle": [], "last": SURNAMES[name], "suffix": ""}
    return {"paper_id": name, "title": TITLES[name], "authors": [author], "year": 2000}


def merged(name, links):
    return {**described(name), "pdf_parse": parse(name, links)}


#: The first cites the others, the second the third and one that is not there, the third nothing.
LINKS = {"K1": {"K2": "K2", "K3": "K3"}, "K2": {"K3": "K3", "K1": "X9"}, "K3": {}}
PAPERS = [merged(name, links) for name, links in LINKS.items()]


def lines(*records):
    return "".join(json.dumps(record) + "\n" for record in records)


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    data = text.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def links_of(collection):
    return {name: found.links for name, found in collection.papers.items()}


def wrong(collection):
    return [(p.path.name, p.line, p.message) for p in collection.problems]


ALL_LINKS = {"K1": ("K2", "K3"), "K2": ("K3", "X9"), "K3": ()}


# Forms -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["papers.jsonl", "papers.jsonl.gz", "papers.gz", "PAPERS.JSONL"])
def test_a_file_with_a_paper_in_each_line(tmp_path, name):
    path = write(tmp_path / name, lines(*PAPERS))
    collection = read_collection(path)
    assert links_of(collection) == ALL_LINKS
    assert list(collection.papers) == ["K1", "K2", "K3"]
    assert collection.problems == ()
    first = collection.papers["K1"]
    assert first.id == "K1"
    assert first.paper.title == TITLES["K1"]
    assert first.paper.basis == "full text"
    assert [marker.references for marker in first.paper.markers] == [(0,), (1,)]
    assert [reference.title for reference in first.paper.references] == [TITLES["K2"], TITLES["K3"]]
    assert links_of(read_collection(tmp_path)) == ALL_LINKS


def test_a_folder_with_a_file_for_each_paper(tmp_path):
    write(tmp_path / "b.json", json.dumps(PAPERS[0], indent=1))
    write(tmp_path / "a.json.gz", json.dumps(PAPERS[1]))
    write(tmp_path / "later" / "c.json", json.dumps(PAPERS[2]))
    collection = read_collection(tmp_path)
    assert list(collection.papers) == ["K2", "K1", "K3"]  # by file name
    assert links_of(collection) == ALL_LINKS
    assert collection.problems == ()


@pytest.mark.parametrize(
    ("metadata", "parses"),
    [
        ("metadata_0.jsonl.gz", "pdf_parses_0.jsonl.gz"),
        ("pdf_parses/metadata_0.jsonl", "a/pdf_parses_0.jsonl"),
        ("metadata/sample.jsonl", "a_parses/sample.jsonl"),
    ],
)
def test_the_release_of_2020_keeps_metadata_apart(tmp_path, metadata, parses):
    alone = {**described("K3"), "abstract": "Gusts are measured. We tell how."}
    silent = {**described("K3"), "paper_id": "K4", "abstract": None}
    write(tmp_path / metadata, lines(alone, silent, described("K2"), described("K1")))
    write(tmp_path / parses, lines(parse("K1", LINKS["K1"]), parse("K2", LINKS["K2"])))
    collection = read_collection(tmp_path)
    assert links_of(collection) == ALL_LINKS
    assert list(collection.papers) == ["K1", "K2", "K3"]
    papers = [found.paper for found in collection.papers.values()]
    assert [paper.title for paper in papers] == list(TITLES.values())
    assert [paper.basis for paper in papers] == ["full text", "full text", "abstract"]
    assert len(papers[0].markers) == 2
    assert wrong(collection) == [(metadata.rpartition("/")[2], 2, "K4: there is no text in it")]


def test_metadata_that_cannot_be_joined_is_reported(tmp_path):
    nameless = {"title": "Kites", "abstract": "They fly."}
    write(tmp_path / "metadata_0.jsonl", lines(described("K1"), nameless, [1], described("K1")))
    write(tmp_path / "pdf_parses_0.jsonl", lines(parse("K1", LINKS["K1"])))
    collection = read_collection(tmp_path)
    assert list(collection.papers) == ["K1"]
    assert wrong(collection) == [
        ("metadata_0.jsonl", 2, "the metadata has no paper_id"),
        ("metadata_0.jsonl", 3, "this is JSON, but not an object with a paper"),
        ("metadata_0.jsonl", 4, "repeats the metadata of K1; left out"),
    ]


def test_what_s2orc_doc2json_writes_is_linked_by_title(tmp_path):
    for name, links in LINKS.items():
        text = parse(name, dict.fromkeys(links))
        paper = {**described(name), "abstract": "", "pdf_parse": None, "latex_parse": text}
        write(tmp_path / f"{name}.json", json.dumps(paper))
    # Nothing shows that the second cites another first paper than this one.
    assert links_of(read_collection(tmp_path)) == {**ALL_LINKS, "K2": ("K3", "K1")}


def test_the_bulk_release_names_papers_by_numbers(tmp_path):
    def annotated(number, cited):
        text = f"{TEXT}\nTwine: {TITLES['K2']}."
        start = text.index("Twine:")
        reference = {
            "start": start,
            "end": len(text),
            "attributes": {"id": "b0", "matched_paper_id": cited},
        }
        annotations = {
            "paragraph": json.dumps([{"start": 0, "end": len(TEXT)}]),
            "bibentry": json.dumps([reference]),
        }
        return {"corpusid": number, "content": {"text": text, "annotations": annotations}}

    path = write(tmp_path / "20230101_s2orc.gz", lines(annotated(11, 12), annotated(12, 99)))
    assert links_of(read_collection(path)) == {"11": ("12",), "12": ("99",)}


def test_one_link_is_enough_to_believe_that_others_are_unknown(tmp_path):
    papers = [merged("K1", {"K2": "K2", "K3": None}), *PAPERS[2:], merged("K2", {"K3": None})]
    collection = read_collection(write(tmp_path / "papers.jsonl", lines(*papers)))
    assert links_of(collection) == {"K1": ("K2", ""), "K3": (), "K2": ("",)}


def test_what_is_beside_the_papers_is_no_paper(tmp_path):
    write(tmp_path / "papers.jsonl.gz", lines(*PAPERS))
    write(tmp_path / "test-papers.txt", "K1\n")
    write(tmp_path / "test-papers.json", '["K1"]')
    write(tmp_path / "README.md", "Kites.")
    write(tmp_path / "more.tar.gz", "Kites.")
    write(tmp_path / "._papers.jsonl", "\0")
    write(tmp_path / ".cache" / "old.jsonl", lines(PAPERS[0]))
    collection = read_collection(tmp_path)
    assert links_of(collection) == ALL_LINKS
    assert collection.problems == ()


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_progress_is_reported_in_bytes_on_disk(tmp_path, suffix):
    files = [write(tmp_path / f"{n}.jsonl{suffix}", lines(p)) for n, p in enumerate(PAPERS)]
    total = sum(file.stat().st_size for file in files)
    calls = []
    with showing(lambda _step: lambda *done: calls.append(done)):
        read_collection(tmp_path)
    assert calls == sorted(calls)
    assert len(calls) == 3
    assert calls[-1] == (total, total)


# Problems ----------------------------------------------------------------------------------------


def test_what_cannot_be_used_is_reported_with_its_line(tmp_path):
    good, bad = [lines(paper) for paper in PAPERS], lines(PAPERS[0])[:40]
    empty = {"paper_id": "K5", "body_text": []}
    nameless = {"body_text": [{"text": "Kites fly."}]}
    text = [good[0], bad + "\n", "\n", good[1], '{"kite": 1}\n', '"kite"\n', good[0]]
    text += [lines(empty), lines(nameless), "[" * 100_000 + "\n", good[2].rstrip()]
    path = write(tmp_path / "papers.jsonl", "".join(text))
    collection = read_collection(path)
    assert links_of(collection) == ALL_LINKS
    assert {problem.path for problem in collection.problems} == {path}
    place, n = "papers.jsonl", "this is JSON, but not "
    assert [each[:2] for each in wrong(collection)] == [(place, n) for n in (2, 5, 6, 7, 8, 9, 10)]
    messages = [problem.message for problem in collection.problems]
    assert messages[0].startswith("the JSON is broken (")
    assert messages[1:-1] == [
        f"{n}a paper in one of S2ORC's forms",
        f"{n}an object with a paper",
        "there already is a paper K1 (papers.jsonl:1); this one is left out",
        "K5: there is no text in it",
        "the paper has no paper_id",
    ]
    assert messages[-1] == "the JSON is broken (too deep, or with too long a number)"


def test_the_same_paper_in_two_files_counts_once(tmp_path):
    write(tmp_path / "a.json", json.dumps(PAPERS[0]))
    write(tmp_path / "b.jsonl", lines(PAPERS[2], {**PAPERS[0], "title": "Other kites"}))
    collection = read_collection(tmp_path)
    assert collection.papers["K1"].paper.title == TITLES["K1"]
    assert wrong(collection) == [
        ("b.jsonl", 2, "there already is a paper K1 (a.json:1); this one is left out")
    ]


def test_a_paper_that_cites_itself_loses_that_link(tmp_path):
    selfish = merged("K2", {"K3": "K3", "K2": "K2", "K1": "K1"})
    collection = read_collection(write(tmp_path / "papers.jsonl", lines(PAPERS[0], selfish)))
    assert links_of(collection)["K2"] == ("K3", "", "K1")
    assert len(collection.papers["K2"].paper.references) == 3
    assert wrong(collection) == [
        ("papers.jsonl", 2, "paper K2 cites itself (reference 2); the link is dropped")
    ]


def test_damaged_files_give_what_is_before_the_damage(tmp_path):
    write(tmp_path / "a.jsonl.gz", lines(*PAPERS))
    # Stored as it is, so that the second line is in the part that is cut off.
    packed = gzip.compress((lines(PAPERS[0]) * 2).encode(), 0)
    (tmp_path / "b.jsonl.gz").write_bytes(packed[: len(packed) * 3 // 4])
    write(tmp_path / "c.jsonl", "")
    write(tmp_path / "d.json", " \n")
    (tmp_path / "e.json.gz").write_bytes(b"kites")
    (tmp_path / "f.jsonl").write_bytes(b'{"paper_id": "\xff"}\n')
    collection = read_collection(tmp_path)
    assert links_of(collection) == ALL_LINKS
    duplicate, *others = wrong(collection)
    assert duplicate[:2] == ("b.jsonl.gz", 1)
    assert [each[:2] for each in others] == [
        ("b.jsonl.gz", 2),
        ("c.jsonl", None),
        ("d.json", None),
        ("e.json.gz", 1),
        ("f.jsonl", 1),
    ]
    assert others[1][2] == "the file is empty"
    assert others[-1][2] == "the JSON is broken (it is not in UTF-8)"


def test_no_line_is_read_that_is_too_long_for_a_paper(tmp_path, monkeypatch):
    longest = max(len(line) for line in lines(*PAPERS).split("\n"))
    monkeypatch.setattr(reading, "_MAX_BYTES", longest + 1)
    text = lines(PAPERS[0], {"paper_id": "K7", "kites": "k" * longest}, PAPERS[1])
    write(tmp_path / "a.jsonl.gz", text)
    write(tmp_path / "b.jsonl", lines(*PAPERS[1:]))
    collection = read_collection(tmp_path)
    assert list(collection.papers) == ["K1", "K2", "K3"]
    message = "too long for a paper; the rest of the file is not read"
    assert wrong(collection) == [("a.jsonl.gz", 2, message)]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("papers.jsonl", "", "no paper that can be read .*papers.jsonl: the file is empty"),
        ("papers.json", "[]", "no paper that can be read .*papers.json:1: this is JSON"),
        ("papers.csv", "K1", "expected papers in S2ORC's form"),
    ],
)
def test_nothing_to_read_is_an_error(tmp_path, name, text, message):
    path = write(tmp_path / name, text)
    for given_path in (path, tmp_path):
        with pytest.raises(InputError, match=message) as error:
            read_collection(given_path)
        assert str(error.value).startswith(f"{given_path}: ")


# LaTeX -------------------------------------------------------------------------------------------


def project(folder, title, body, bibliography, date=""):
    folder.mkdir(parents=True)
    names = r"\author{Ada Breeze}"
    front = rf"\documentclass{{article}}\title{{{title}}}{names}\date{{{date}}}"
    end = r"\bibliography{refs}\end{document}"
    (folder / "main.tex").write_text(f"{front}\n\\begin{{document}}\n\\maketitle\n{body}\n{end}")
    (folder / "refs.bib").write_text(bibliography)


def bib(**entries):
    return "\n".join(
        f"@article{{{key},\n title = {{{title}}},\n author = {{Breeze, Ada}},\n year = 2001}}"
        for key, title in entries.items()
    )


def test_latex_projects_cite_each_other_by_title(tmp_path):
    cited = bib(old="Nothing that is here", string=TITLES["K2"], me=TITLES["K1"])
    project(
        tmp_path / "flying",
        TITLES["K1"],
        r"Kites hang on strings \cite{string} or not \cite{old}, as we said \cite{me}.",
        cited,
    )
    project(tmp_path / "string", TITLES["K2"].upper(), "Strings are old.", "", "May 2001")
    (tmp_path / "flying" / "00README.json").write_text("{}")
    (tmp_path / "pictures").mkdir()
    (tmp_path / ".git").mkdir()
    (tmp_path / "truth.json").write_text('{"kites": 2}')
    calls = []
    with showing(lambda _step: lambda *done: calls.append(done)):
        collection = read_collection(tmp_path)
    assert list(collection.papers) == ["flying", "string"]
    assert calls[-3:] == [(1, 3), (2, 3), (3, 3)]
    flying = collection.papers["flying"]
    assert [reference.label for reference in flying.paper.references] == ["string", "old", "me"]
    assert flying.links == ("string", "", "")
    assert [marker.references for marker in flying.paper.markers] == [(0,), (1,), (2,)]
    no_document, self_citation = collection.problems
    assert no_document.path == tmp_path / "pictures"
    assert no_document.message == "there is no LaTeX document in this folder"
    line = cited.split("\n").index("@article{me,") + 1
    assert (self_citation.path, self_citation.line) == (tmp_path / "flying" / "refs.bib", line)
    assert self_citation.message == "paper flying cites itself (reference 3); the link is dropped"


def test_a_project_without_a_title_is_read_but_cannot_be_cited(tmp_path):
    project(tmp_path / "flying", "", r"We cite \cite{string}.", bib(string=TITLES["K2"]))
    project(tmp_path / "string", TITLES["K2"], "Strings are old.", "")
    collection = read_collection(tmp_path)
    assert links_of(collection) == {"flying": ("string",), "string": ()}
    assert wrong(collection) == [("flying", None, "it has no title by which others could cite it")]


# Test papers -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("K1\nK2\n", [(1, "K1"), (2, "K2")]),
        ("\ufeff# kites\r\n\r\n  K1\t# the first\r\nK#2\r\n", [(3, "K1"), (4, "K#2")]),
        ("K1\nK1", [(1, "K1"), (2, "K1")]),
        ('["K1",\n "K\\"2",\n\n 33, "[4]"]', [(1, "K1"), (2, 'K"2'), (4, "33"), (4, "[4]")]),
    ],
)
def test_lists_of_test_papers(tmp_path, text, expected):
    path = tmp_path / "test-papers.txt"
    path.write_bytes(text.encode())
    assert read_test_papers(path) == expected


@pytest.mark.parametrize("text", ["", "# kites\n\n", "[]", '["K1"', "[true]", "[null]", "[[1]]"])
def test_lists_without_test_papers(tmp_path, text):
    with pytest.raises(InputError, match=r"there is no id in it|expected a JSON list of ids"):
        read_test_papers(write(tmp_path / "test-papers.txt", text))


@pytest.mark.slow
def test_the_shared_collection_is_read_whole(shared):
    folder = shared / "data" / "acl-resolution"
    with gzip.open(folder / "papers.jsonl.gz") as file:
        raw = {record["paper_id"]: record for record in map(json.loads, file)}
    collection = read_collection(folder)
    assert collection.problems == ()
    assert list(collection.papers) == list(raw)
    assert len(raw) == 1520
    tests = read_test_papers(folder / "test-papers.txt")
    assert len({name for _, name in tests}) == 340
    for _, name in tests:
        entries = raw[name]["pdf_parse"]["bib_entries"]
        links = tuple(each["link"] or "" for each in entries.values())
        assert collection.papers[name].links == links


# Articles


def in_jats(name, cited):
    listed = "".join(
        f'<ref id="r{number}"><element-citation><person-group><name><surname>{SURNAMES[each]}</surname>'
        f"</name></person-group><article-title>{TITLES[each]}</article-title><year>1990</year>"
        "</element-citation></ref>"
        for number, each in enumerate(cited)
    )
    return (
        f"<article><front><article-meta><title-group><article-title>{TITLES[name]}</article-title>"
        f'</title-group><contrib-group><contrib contrib-type="author"><name><surname>{SURNAMES[name]}'
        "</surname></name></contrib></contrib-group><pub-date><year>1990</year></pub-date>"
        "</article-meta></front><body><p>Kites need strings "
        '<xref ref-type="bibr" rid="r0">1</xref>.</p></body>'
        f"<back><ref-list>{listed}</ref-list></back></article>"
    )


@pytest.mark.parametrize("form", ["{}.xml", "{}/article.xml"])
def test_articles_are_linked_by_what_they_are_called(tmp_path, form):
    for name, cited in (("K1", ["K2", "K3"]), ("K2", ["K3"]), ("K3", [])):
        file = tmp_path / form.format(name)
        file.parent.mkdir(exist_ok=True)
        file.write_text(in_jats(name, cited))
    (tmp_path / "page.xml").write_text("<html/>")
    found = read_collection(tmp_path)
    assert {name: paper.links for name, paper in found.papers.items()} == {
        "K1": ("K2", "K3"),
        "K2": ("K3",),
        "K3": (),
    }
    assert [mark.references for mark in found.papers["K1"].paper.markers] == [(0,)]
    assert [problem.path.name for problem in found.problems] == ["page.xml"]

"""Reading CL-SciSumm: what is used, and which defects are reported."""

import csv
import json
from pathlib import Path

import pytest

from pincite_evaluation.cited_text.overlap import Scorer
from pincite_evaluation.corpora.scisumm import marked_sentences, numbers, read_scisumm
from pincite_evaluation.processes import showing
from pincite_evaluation.results import total

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "cl-scisumm" / "data"
TRAIN = "Training-Set-2019/Task1/From-Training-Set-2018"
SCISUMMNET = "Training-Set-2019/Task1/From-ScisummNet-2019"
TEST = "Test-Set-2018"
XML = """<PAPER>
<S sid="0">On Gaps</S>
\t<ABSTRACT>
\t\t<S sid ="1" ssid = "1">We fill gaps.</S>
\t</ABSTRACT>
\t<SECTION title="Introduction" number = "1">
\t\t<S sid ="2" ssid = "1">Gaps are wide.</S>
\t\t<S sid ="3" ssid = "2">Gaps are deep.</S>
\t</SECTION>
</PAPER>
"""


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, str):
        content = content.encode()
    path.write_bytes(content)
    return path


def write_row(number=1, citing="C1.xml", text="They fill gaps.", offset="['2']", **fields):
    copied = fields.pop("copied", '<S sid ="2" ssid = "1">Gaps are wide.</S>')
    return (
        f"Citance Number: {number} | Reference Article:  X00-0001.xml | Citing Article:  {citing} |"
        f" Citation Marker Offset:  ['7'] | Citation Marker:  2000 | Citation Offset:  ['7'] |"
        f' Citation Text:  <S sid ="7" ssid = "7">{text}</S> | Reference Offset:  {offset} |'
        f" Reference Text:  {copied} | Discourse Facet:  Method_Citation |"
        f" Annotator:  A. Person, X |\n\n\n"
    )


def write_training(corpus, rows, xml=XML, split=TRAIN):
    folder = corpus / split / "X00-0001"
    write(folder / "Reference_XML" / "X00-0001.xml", xml)
    return write(folder / "annotation" / "X00-0001.ann.txt", rows)


HEADER = (
    "Citance Number,Reference Article,Citing Article,Citation Text,Reference Offset,Reference Text"
)


def write_test(corpus, citances, **files):
    """Each citance is a number, a citing paper and a text; rows of files have two fields more."""
    folder = corpus / TEST / "X00-0001"
    write(folder / "Reference_XML" / "X00-0001.xml", XML)
    tables = {folder / "annotation" / "X00-0001.csv": [(*c, "", "") for c in citances]}
    tables |= {gold_file(corpus, name): rows for name, rows in files.items()}
    for path, rows in tables.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(HEADER.split(","))
            writer.writerows([n, "X00-0001.xml", *fields] for n, *fields in rows)


def gold_file(corpus, name):
    return corpus / "Test-Set-2018-Gold" / "Task1" / f"X00-0001_{name}.csv"


def wrong(read):
    """Problems without their folders."""
    return [(p.path.name, p.line, p.message) for p in read.problems]


def messages(read, path):
    return [(p.line, p.message) for p in read.problems if p.path == path]


# Markup -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("markup", "sentences"),
    [
        ('<S sid ="4" ssid = "2">One.</S><S sid="5">Two.</S>', [("4", "One."), ("5", "Two.")]),
        ("<S sid =  ssid = >One.</S>", [("", "One.")]),
        ("<S sid = 36 ssid = >One.</S>", [("36", "One.")]),
        ("<S ssid='2' sid='36'>One.</S>", [("36", "One.")]),
        ('<S sid="">One.</S><S>Two.', [("", "One."), ("", "Two.")]),
        ('<S sid="1">Not closed <S sid="2">so ends here.', [("1", "Not closed"), ("2", "so ends here.")]),
        ('<S sid="1">p < 0.05 and <b>bold</b></S>', [("1", "p < 0.05 and <b>bold</b>")]),
        ('<S sid="1">  One\n\tline. </S> between <S sid="2"/>', [("1", "One line.")]),
        ("text without tags", []),
    ],
)  # fmt: skip
def test_sentences_in_malformed_markup(markup, sentences):
    assert [(each.sid, each.text) for each in marked_sentences(markup)] == sentences


def test_sections_are_those_that_are_open():
    xml = (
        '<S sid="0">T</S><ABSTRACT><S sid="1">A</S></ABSTRACT><S sid="2">B</S>'
        '<SECTION title="1 Q &amp; A" number="1"><S sid="3">C</S>'
        '<SUBSECTION>1.1 Q</SUBSECTION><S sid="4">D</S></SECTION>'
        '<SECTION title=""><S sid="5">E</S><SECTION number="9"><S sid="6">F</S>'
        '<ABSTRACT/><S sid="7">G</S>'
    )
    sections = [None, "Abstract", None, "1 Q & A", "1 Q & A", None, None, None]
    assert [each.section for each in marked_sentences(xml)] == sections


def test_markup_is_read_in_linear_time():
    hostile = ("<S sid" + " " * 3000 + "=") * 300 + "<S sid='" * 100_000 + "| " * 100_000
    assert list(marked_sentences(hostile)) == []


# Training papers ----------------------------------------------------------------------------------


def test_a_training_paper(tmp_path):
    write_training(
        tmp_path,
        write_row(text="Gaps &amp;lt; all | of them.")
        + write_row(2, "C2.txt", offset="['2','3']", copied="<S sid = 2>a</S><S sid = 3>b</S>"),
    )
    seen = []
    with showing(lambda _step: lambda *done: seen.append(done)):
        read = read_scisumm(tmp_path, "train")
    (paper,) = read.papers
    assert (paper.id, paper.sids, read.citances) == ("X00-0001", ("0", "1", "2", "3"), 2)
    assert paper.paper.title == "On Gaps"
    assert paper.paper.abstract == "We fill gaps."
    assert [(s.text, s.section) for s in paper.paper.sentences] == [
        ("On Gaps", None),
        ("We fill gaps.", "Abstract"),
        ("Gaps are wide.", "Introduction"),
        ("Gaps are deep.", "Introduction"),
    ]
    first, second = paper.citances
    assert (first.number, first.citing, first.text) == ("1", "C1", "Gaps < all | of them.")
    assert first.written == '<S sid ="7" ssid = "7">Gaps &amp;lt; all | of them.</S>'
    assert second.citing == "C2"
    (gold,) = paper.gold
    assert [(r.reference, r.citing, r.reference_offset) for r in gold.rows] == [
        ("X00-0001", "C1", "['2']"),
        ("X00-0001", "C2", "['2','3']"),
    ]
    assert {r.facet for r in gold.rows} == {"Method_Citation"}
    assert read.problems == ()
    assert seen == [(0, 1), (1, 1)]
    assert Scorer(paper).official([["2"], ["2"]]).measure.recall == pytest.approx(2 / 3)


def test_sentences_that_are_no_candidates(tmp_path):
    xml = (
        b'<PAPER>\n<S sid="">No id.</S>\n<S sid="1">na\xefve</S>\n<S sid="1">Again.</S>\n'
        b'<S sid="2"></S>\n<S sid="3">Two</S>\n<S sid="4">\xc2\xa0</S>\n</PAPER>'
    )
    file = write_training(tmp_path, write_row(offset="['2','3']"), xml)
    read = read_scisumm(tmp_path, "train")
    (paper,) = read.papers
    assert paper.sids == ("1", "3")
    assert [s.text for s in paper.paper.sentences] == ["naïve", "Two"]
    assert paper.paper.title == ""
    assert sorted(wrong(read)) == [
        (file.name, 1, "sentences that the paper lacks, or without text: 2"),
        (file.name, 1, "the reference offset names 2, 3, the text is that of 2"),
        ("X00-0001.xml", 2, "sentences without id, left out: 1 (the first is here)"),
        ("X00-0001.xml", 3, "byte 0xEF is not UTF-8; read as Windows-1252"),
        ("X00-0001.xml", 4, "sentences with the id of an earlier one, left out: 1 (the first is here)"),
        ("X00-0001.xml", 5, "sentences without text, left out: 2 (the first is here)"),
    ]  # fmt: skip


def test_defects_of_rows(tmp_path):
    rows = [
        "An introduction.\n",
        write_row(1),
        "Citance Number: 2 | Citing Article: C1.xml |\n",
        write_row(3, text="They fill\ngaps."),
        write_row(4, text="Other.").rstrip() + " Discourse Facet: Aim_Citation |\n",
    ]
    file = write_training(tmp_path, "".join(rows))
    read = read_scisumm(tmp_path, "train")
    assert [each.number for each in read.papers[0].citances] == ["1", "3", "4"]
    assert [row.facet for row in read.papers[0].gold[0].rows] == ["Method_Citation"] * 3
    no = "the row has no Reference Article and no Citation Text and no Reference Offset and no"
    assert messages(read, file) == [
        (1, "this is not a row; left out"),
        (5, f"{no} Reference Text; left out"),
        (6, "the row goes on in the next lines"),
        (10, "Discourse Facet is given twice; the first counts"),
        (6, "citance 3 begins as citance 1 of the same citing paper; only the later one counts"),
    ]


def test_citances_without_text_have_that_of_the_citing_sentences(tmp_path):
    rows = [write_row(n, citing, text="") for n, citing in ((1, "C1.txt"), (2, "C1.txt"), (3, "C1.txt"))]  # fmt: skip
    file = write_training(tmp_path, "".join(rows), split=SCISUMMNET)
    listed = [
        {"citance_No": 1, "citing_paper_id": "C1", "clean_text": "", "raw_text": "Gap &amp; gap"},
        {"citance_No": 2, "citing_paper_id": "C2", "clean_text": "Of another paper."},
        {"citance_No": 3, "citing_paper_id": "C1", "clean_text": "Clean."},
        "not an object",
    ]
    write(file.parents[1] / "citing_sentences.json", json.dumps(listed))
    read = read_scisumm(tmp_path, "scisummnet")
    (paper,) = read.papers
    assert [each.text for each in paper.citances] == ["Gap & gap", "", "Clean."]
    assert messages(read, file) == [
        (4, "citance 2 has no text"),
        (1, "citances without text, taken from citing_sentences.json: 2 (the first is here)"),
    ]
    # They can be distinguished: all three rows count.
    assert Scorer(paper).citance([["2"], ["2"], ["3"]]).tp == 2


# Test papers --------------------------------------------------------------------------------------

WIDE = '<S sid="2" ssid="1">Gaps are wide.</S>'


def test_a_test_paper(tmp_path):
    write_test(
        tmp_path,
        [(1, "C1.xml", "They fill &amp;quot;gaps&amp;quot;, wide."), (2, "C2.xml", "Deep.")],
        ann=[(1, "C1.xml", "They fill gaps", "'2'", WIDE), (2, "C2.xml", "Deep.", "NA", "NA")],
        bob=[(2, "C2.xml", "Deep.", "['3']", '<S sid="3">Gaps are deep.</S>')],
    )
    gold_file(tmp_path, "ann").with_name(".DS_Store").touch()
    read = read_scisumm(tmp_path, "test")
    (paper,) = read.papers
    assert [(c.number, c.citing, c.text) for c in paper.citances] == [
        ("1", "C1", 'They fill "gaps", wide.'),
        ("2", "C2", "Deep."),
    ]
    assert [(file.name, len(file.rows)) for file in paper.gold] == [
        ("X00-0001_ann", 2),
        ("X00-0001_bob", 1),
    ]
    assert paper.gold[0].rows[1].reference_text == "NA"
    assert paper.gold[0].rows[1].facet is None
    assert wrong(read) == [("X00-0001_ann.csv", 2, "no citance of the task has this citing paper and text")]  # fmt: skip


def test_defects_of_annotators_files(tmp_path):
    citances = [(1, "C1.xml", "One."), (2, "C2.xml", "Two."), (3, "C3.xml", "Three.")]
    write_test(
        tmp_path,
        citances,
        ann=[
            (1, "C1.xml", "One.", "???", WIDE),
            (3, "C2.xml", "Two.", "'2'", "Gaps are wide."),
            (2, "C3.xml", "Three,", "'3'", WIDE),
            (4, "C3.xml", "three?", "'9'", '<S sid="9">Text</S>'),
        ],
        bob=[],
    )
    lines = [
        HEADER + "," * 1000,
        f',,C1.xml,"One,\n""or"" more",2,<S>a</S>{"," * 1000}',
        "too,few",
        "",
        f"too,many{',' * 1004},",
        f"2,X00-0001,C2,Two.,2,{WIDE.replace(chr(34), '')}{',' * 1000}",
    ]
    write(gold_file(tmp_path, "bob"), "\r\n".join(lines))
    write(gold_file(tmp_path, "cyd"), "Citance Number,Citing Article\n1,C1.xml\n")
    write(gold_file(tmp_path, "x").with_name("X00-0009_ann.csv"), HEADER)
    read = read_scisumm(tmp_path, "test")
    assert [len(file.rows) for file in read.papers[0].gold] == [4, 2]
    unmatched = "no citance of the task has this citing paper and text"
    assert messages(read, gold_file(tmp_path, "ann")) == [
        (2, "the reference offset '???' names no sentence"),
        (3, "the reference text has no sentence in <S>, so the official score skips this row"),
        (4, "the reference offset names 3, the text is that of 2"),
        (5, "sentences that the paper lacks, or without text: 9"),
        (3, "rows whose number is not that of their citance: 3 (the first is here); numbers are not used"),
    ]  # fmt: skip
    assert messages(read, gold_file(tmp_path, "bob")) == [
        (4, "2 fields for 1006 columns; the row is left out"),
        (6, "1007 fields for 1006 columns; the row is left out"),
        (2, "the reference article is '', so the official score never matches this row"),
        (2, "the reference offset names 2, the text is that of unknown"),
        (2, unmatched),
    ]
    (problem,) = (p for p in read.problems if p.broken)
    assert problem.path == gold_file(tmp_path, "cyd")
    assert "there is no column Reference Article and no Citation Text" in problem.message
    assert ("X00-0009_ann.csv", None, "there is no paper X00-0009; the file is not used") in wrong(
        read
    )


# Nothing to read ----------------------------------------------------------------------------------


def test_papers_that_cannot_be_read_are_reported(tmp_path):
    write_training(tmp_path, write_row())
    folder = tmp_path / TRAIN
    write(folder / "X00-0002" / "annotation" / "X00-0002.ann.txt", write_row())
    write(folder / "X00-0003" / "Reference_XML" / "X00-0003.xml", "<PAPER>Text</PAPER>")
    write(folder / "X00-0004" / "Reference_XML" / "X00-0004.xml", XML)
    write(folder / "X00-0005" / "Reference_XML" / "X00-0005.xml", XML)
    write(folder / "X00-0005" / "annotation" / "X00-0005.ann.txt", "no row")
    write(folder / "X00-0001" / "annotation" / "Y.txt", "")
    write(folder / "README.md", "")
    read = read_scisumm(tmp_path, "train")
    assert [paper.id for paper in read.papers] == ["X00-0001"]
    assert wrong(read) == [
        ("Y.txt", None, "X00-0001.ann.txt is read, and this file is not used"),
        ("X00-0002", None, "there is no .xml file in Reference_XML"),
        ("X00-0003", None, "X00-0003.xml: there is no sentence in it"),
        ("X00-0004", None, "there is no .txt file in annotation"),
        ("X00-0005.ann.txt", 1, "this is not a row; left out"),
        ("X00-0005", None, "X00-0005.ann.txt: there is no citance in it"),
    ]
    assert [p.path.name for p in read.problems if p.broken] == [f"X00-000{n}" for n in (2, 3, 4, 5)]


# The corpus ---------------------------------------------------------------------------------------


@pytest.mark.skipif(not DATA.is_dir(), reason="the shared CL-SciSumm data are absent")
def test_the_training_papers():
    read = read_scisumm(DATA, "train")
    assert (len(read.papers), read.citances) == (40, 753)
    scorers = [Scorer(paper) for paper in read.papers]
    gold = [[sorted(numbers(row.reference_offset)) for row in p.gold[0].rows] for p in read.papers]
    # All gold sentences are in the papers, and one citance is there twice.
    for paper, answers in zip(read.papers, gold, strict=True):
        assert {sid for sids in answers for sid in sids} <= set(paper.sids), paper.id
    counts = total(s.citance(a) for s, a in zip(scorers, gold, strict=True))
    assert (counts.fp, counts.fn) == (0, 0)
    twice = [p for p in read.problems if "only the later one counts" in p.message]
    assert [(p.path.parents[1].name, p.line) for p in twice] == [("N09-1001", 3)]
    assert all(citance.text for paper in read.papers for citance in paper.citances)

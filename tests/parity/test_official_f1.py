"""Sentence overlap equals the reference implementation of the organisers' script, quirks and all."""

import csv
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parity.organisers import (
    COLUMNS,
    GOLD,
    TEST,
    marked,
    reference_implementation,
    write,
    write_paper,
)
from pincite_evaluation.cited_text.overlap import Scorer, human
from pincite_evaluation.corpora.scisumm import read_scisumm
from pincite_evaluation.results import total

SCHEMES = ("official", "citance", "union")


@pytest.fixture(scope="module", name="reference")
def reference_of_the_script():
    return reference_implementation()


def gold(corpus, name=""):
    return corpus / GOLD / name


def assert_equal_scores(reference, corpus, answers):
    """`answers` are sids by paper id and citance number; all papers are read, some are answered."""
    read = read_scisumm(corpus, "test")
    given = {
        (paper.id, each.number): answers[paper.id].get(each.number, [])
        for paper in read.papers
        if paper.id in answers
        for each in paper.citances
    }
    scored = [paper for paper in read.papers if paper.id in answers]
    for scheme in SCHEMES:
        theirs = reference.score(given, gold(corpus), corpus / TEST, protocol=scheme)
        counts = total(
            getattr(Scorer(paper), scheme)([given[paper.id, c.number] for c in paper.citances])
            for paper in scored
        )
        assert (counts.tp, counts.fp, counts.fn) == theirs["task1a_counts"], scheme
        ours = counts.measure
        assert (ours.precision, ours.recall, ours.f1) == pytest.approx(
            theirs["task1a_micro"], abs=1e-9
        ), scheme


CITING = ["C0.xml", "C1.xml", "C1", "C1.xml.xml", " C2.xml", "C2.txt", ""]
LONG = "The same sixty letters, digits and no more stand at the beginning of two citances "
TEXTS = [
    "",
    "They follow (Smith, 1999), a “known” method.",
    "they  FOLLOW Smith 1999 a known method",
    "Café crème naïve ﬁne İstanbul",
    "Cafe creme naive fine Istanbul",
    "東京 日本",
    '<S sid ="4" ssid = "2">In tags &amp;quot;here&amp;quot;, twice escaped.</S>',
    "Text | with\na line, a bar\rand a \"quote\" and 'another'.",
    LONG + "one",
    LONG + "two",
]
OFFSETS = [
    *("'9'", "9", "'90'", "90'", " '9'", "'9", "''9''", '"9"', "'9\"", "['9']", " ['9', '10']"),
    *("['9', '10']", "'9','10'", "'3','3'", "['3','3', '4']", "3 , 4", "'3-5'", "03", "٣"),
    *("???", "", "NA", "[]", "[", "'", "','", "' 9 '", "sid 9 and 11", "9;10", "0"),
]
REFERENCE_TEXTS = [
    *(marked(9), marked(9, 10), marked(3, 3, 4), marked(0), marked(9, 10), marked(3)),
    *("NA", "NA ", "na", "", "no tag", '<S sid="9"></S>', '<S sid="9">', '<S sid="9"> </S>'),
    *("<S sid = 9 ssid = >text", "<S>text</S>", "<s sid='9'>text</s>", "<SECTION>text</SECTION>"),
    *('<S sid="9"><S sid="10">text', '<S a < b="9">text', "<S <S <S x", "<S <S <S x>>", "<S-1>x"),
    '<S sid="9">p &lt; 0.5 &amp;amp; q</S>',
]


@st.composite
def answers_of(draw, numbers):
    sid = st.sampled_from([str(n) for n in range(12)] + ["90", "", "???", "03", "9'", "٣"])
    return {number: draw(st.lists(sid, max_size=4)) for number in numbers}


@st.composite
def tables(draw, rows):
    """Return a header and rows as some spreadsheet would have left them."""
    header = list(COLUMNS)
    order = draw(st.permutations(range(len(COLUMNS)))) if draw(st.booleans()) else range(7)
    header = [header[n] for n in order]
    rows = [[row[n] for n in order] for row in rows]
    match draw(st.integers(0, 7)):
        case 0:
            header += [""] * 1000
            rows = [row + [""] * 1000 for row in rows]
        case 1:
            header.append("Citing Article")
            rows = [[*row, draw(st.sampled_from(CITING))] for row in rows]
        case 2:
            for row in rows:
                if draw(st.booleans()):
                    row.append("left over")
                elif draw(st.booleans()):
                    row.pop()
        case 3 if rows:
            rows.insert(draw(st.integers(0, len(rows))), [])
    style = {
        "encoding": draw(st.sampled_from(["utf-8", "cp1252"])),
        "line_end": draw(st.sampled_from(["\n", "\r\n"])),
        "quoting": draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])),
    }
    return header, rows, style


@st.composite
def papers(draw, name, offsets=OFFSETS, references=None, texts=TEXTS, reference_texts=None):
    """Return the citances, gold tables and answers of a paper."""
    citances = draw(
        st.lists(st.tuples(st.sampled_from(CITING), st.sampled_from(texts)), min_size=1, max_size=6)
    )
    numbers = [draw(st.sampled_from([str(n), str(n), "1"])) for n in range(1, len(citances) + 1)]
    other = st.tuples(st.sampled_from(CITING), st.sampled_from(texts))
    row = st.tuples(
        st.sampled_from(["1", "7", "x"]),
        st.sampled_from(references or [f"{name}.xml", name, name, "", " " + name, "C1.xml"]),
        st.one_of(st.sampled_from(citances), st.sampled_from(citances), other),
        st.sampled_from(offsets),
        st.sampled_from(reference_texts or REFERENCE_TEXTS),
        st.sampled_from(["Method_Citation", "", "['Aim_Citation']"]),
    ).map(lambda r: [r[0], r[1], *r[2], *r[3:]])
    files = [draw(tables(draw(st.lists(row, max_size=8)))) for _ in range(draw(st.integers(1, 3)))]
    task = [[n, name, *each, "", "", ""] for n, each in zip(numbers, citances, strict=True)]
    return task, files, draw(answers_of(sorted(set(numbers))))


def write_corpus(corpus, written):
    for name, (task, files, _) in written.items():
        write_paper(corpus, name, task)
        for number, (header, rows, style) in enumerate(files):
            write(gold(corpus, f"{name}_person{number}.csv"), header, rows, **style)


@given(
    st.fixed_dictionaries({name: papers(name) for name in ("X00-0001", "X00-0002")}),
    st.sampled_from([("X00-0001", "X00-0002"), ("X00-0001", "X00-0002"), ("X00-0002",)]),
)
@settings(max_examples=60)
def test_any_corpus_and_submission(reference, written, submitted):
    with TemporaryDirectory() as folder:
        corpus = Path(folder)
        write_corpus(corpus, written)
        assert_equal_scores(reference, corpus, {name: written[name][2] for name in submitted})


DEFECT_FREE = papers(
    "X00-0001",
    offsets=["'9'", "['9', '10']", "'3','4'", "10"],
    references=["X00-0001.xml"],
    reference_texts=[marked(9), marked(9), "NA"],
)


@pytest.mark.parametrize(
    ("scheme", "made"), [("official", papers("X00-0001")), ("citance", DEFECT_FREE)]
)
def test_agreement_is_a_file_submitted_against_another(reference, scheme, made):
    @given(made)
    @settings(max_examples=25)
    def check(written):
        with TemporaryDirectory() as folder:
            corpus = Path(folder)
            write_corpus(corpus, {"X00-0001": written})
            found = human(read_scisumm(corpus, "test").papers)
            assert (found is None) == (len(written[1]) == 1)
            if found is not None:
                theirs = pairwise(reference, corpus, scheme)
                assert found["agreement"][scheme]["f1"] == pytest.approx(theirs, abs=1e-9)

    check()


def pairwise(reference, corpus, scheme):
    """Micro F1 over all ordered pairs of annotators, by the reference implementation."""
    tp = fp = fn = 0
    files = sorted(gold(corpus).iterdir())
    for mine in files:
        for theirs in files:
            if mine == theirs:
                continue
            with TemporaryDirectory() as folder:
                submission, one_gold = Path(folder, "sub"), Path(folder, "gold")
                submission.mkdir()
                one_gold.mkdir()
                (submission / "X00-0001.csv").write_bytes(mine.read_bytes())
                (one_gold / theirs.name).write_bytes(theirs.read_bytes())
                test_set = corpus / TEST
                counts = reference.score_dir(submission, one_gold, test_set, scheme)[
                    "task1a_counts"
                ]
            tp, fp, fn = tp + counts[0], fp + counts[1], fn + counts[2]
    return reference.prf(tp, fp, fn)[2]

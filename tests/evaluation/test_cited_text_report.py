"""The report of cited text identification, read back as its readers' programs read it."""

import re
from dataclasses import replace

import pytest
from lxml import html

from pincite.model.problems import InputError
from pincite_evaluation.cited_text import report
from pincite_evaluation.cited_text.run import FINE_TUNING, CitedTextResult, PaperCounts, findings
from pincite_evaluation.results import LENGTHS, PUBLISHED, Counts, Curve, Finding, Row, published
from report_pages import cells as records
from report_pages import table, texts


def measure(f1):
    return {"precision": f1 - 0.02, "recall": f1 + 0.03, "f1": f1}


def row(system, f1, k=2, **changed):
    """Return a row whose figures all differ: by scheme, and by kind."""
    written = ", ".join(f"{name}={value}" for name, value in changed.items())
    figures = {
        "system": system,
        "params": {"k": k, **changed},
        "k": k,
        "official": measure(f1 + 0.1),
        "citance": {**measure(f1), "ci95": [f1 - 0.01, f1 + 0.015]},
        "union": measure(f1 + 0.2),
        "rouge_s": f1 + 0.3,
        "rouge_s_repaired": f1 + 0.31,
        "sentences_per_citance": k - 0.25,
        "mean_length": 100 * f1 + 30,
        "seconds": 1.25,
    }
    return Row(f"{system} ({written})" if written else system, figures, changed)


def paper(name, citances, right, wanted=20, title=""):
    counts = (Counts(tp, 20 - tp, wanted - tp) for tp in (right, *(0 for _ in ROWS[1:])))
    return PaperCounts(name, title or f"On {name}", citances, 200, tuple(counts))


ROWS = (
    row("asymmetric", 0.151),
    row("asymmetric-d1", 0.142),
    row("asymmetric-reverse", 0.1),
    row("bm25-2field", 0.144, k=4),
    row("asymmetric", 0.149, truncation=None),
    row("symmetric", 0.129),
    row("neal", 0.08),
    row("tfidf", 0.121),
)
HUMAN = {
    "annotators": 3,
    "agreement": {"official": measure(0.143), "citance": measure(0.171)},
    "oracle": {"official": measure(0.53), "citance": measure(0.612)},
}
FACTS = {"corpus": "a corpus", "split": "train", "papers": 40, "citances": 1753}
FINDINGS = (
    Finding(
        "d = 4 is at least d = 1",
        "asymmetric",
        "asymmetric-d1",
        0.009,
        (-0.004, 0.021),
        "holds, not significantly",
    ),
    Finding(
        "d = 1 beats reversal", "asymmetric-d1", "asymmetric-reverse", 0.042, (0.03, 0.06), "holds"
    ),
)
WHOLE = CitedTextResult(
    facts=FACTS,
    rows=ROWS,
    findings=FINDINGS,
    per_paper=(
        paper("P1", 30, 10),
        paper("P2", 9, 2),
        paper("P3", 20, 5),
        paper("P4", 8, 2),
        paper("P5", 4, 20),
        paper("P6", 9, 0, wanted=0),
    ),
    more={
        "f1_by_d": (
            Curve("asymmetric", ((1.0, 0.142), (2.0, 0.148), (4.0, 0.151)))._asdict(),
            Curve("asymmetric-reverse", ((1.0, 0.05), (2.0, 0.07), (4.0, 0.1)))._asdict(),
        ),
        "recall_by_k": (
            Curve("symmetric", ((1.0, 0.06), (2.0, 0.11)))._asdict(),
            Curve("asymmetric", ((1.0, 0.08), (2.0, 0.15)))._asdict(),
        ),
    },
)


def of(result, **facts):
    """Return a result of another corpus or split."""
    return replace(result, facts={**result.facts, **facts})


TEST = of(replace(WHOLE, more={**WHOLE.more, "human": HUMAN}), split="test")


def page(result):
    return html.document_fromstring(report.html(result))


@pytest.fixture(scope="module", name="whole")
def whole_page():
    return page(WHOLE)


@pytest.fixture(scope="module", name="test_page")
def page_of_the_test_split():
    return page(TEST)


def headings(root):
    return texts(root.xpath("//h2"))


def scores(root):
    """Return the table of scores as what each column is of, and a line for each system."""
    found = table(root, "Scores")
    spans = [int(head.get("colspan", 1)) for head in found.xpath("./thead/tr[1]/th[position()>1]")]
    subjects = texts(found.xpath("./thead/tr[1]/th[position()>1]"))
    over = [subject for subject, span in zip(subjects, spans, strict=True) for _ in range(span)]
    heads = list(zip(over, texts(found.xpath("./thead/tr[2]/th")), strict=True))
    lines = found.xpath("./tbody/tr[not(@class)]")
    return {
        texts(line.xpath("./th"))[0]: dict(zip(heads, texts(line.xpath("./td")), strict=True))
        for line in lines
    }


def markdown_records(result):
    lines = [line for line in report.markdown(result).splitlines() if line.startswith("|")]
    heads, _, *rows = ([cell.strip() for cell in line.split("|")[1:-1]] for line in lines)
    return [dict(zip(heads, cells, strict=True)) for cells in rows]


def percent(value):
    return f"{100 * value:.1f}"


@pytest.mark.parametrize("result", [WHOLE, TEST], ids=["train", "test"])
def test_figures_in_the_page_are_the_results(result):
    shown = scores(page(result))
    assert len(shown) == len(result.rows)
    for one in result.rows:
        cells = shown[one.name]
        for subject, of_scheme in (
            ("Official script", one["official"]),
            ("Citances", one["citance"]),
        ):
            assert cells[subject, "P"] == percent(of_scheme["precision"])
            assert cells[subject, "R"] == percent(of_scheme["recall"])
        assert cells["Official script", "F1"] == percent(one["official"]["f1"])
        interval = "–".join(map(percent, one["citance"]["ci95"]))
        assert cells["Citances", "F1"] == percent(one["citance"]["f1"]) + interval
        assert cells["Union", "F1"] == percent(one["union"]["f1"])
        assert cells["ROUGE-S*", "here"] == percent(one["rouge_s"])
        assert cells["Chosen", "K"] == str(one["k"])
        assert cells["Chosen", "sentences"] == f"{one['k'] - 0.25:.2f}"
        assert cells["Chosen", "words"] == f"{one['mean_length']:.1f}"
        assert cells["Time", "seconds"] == f"{one['seconds']:.1f}"


def test_published_figures_are_beside_those_of_their_split_and_scheme(whole, test_page):
    official, rouge = ("Official script", "published"), ("ROUGE-S*", "published")
    train, test = (
        {name: (cells[official], cells[rouge]) for name, cells in scores(root).items()}
        for root in (whole, test_page)
    )
    assert train["asymmetric"] == ("16.4", "11.2")
    assert train["asymmetric (truncation=None)"] == ("16.3", "10.9")
    # What Aumiller et al. give for training papers is of eight of them.
    assert train["bm25-2field"] == train["asymmetric-reverse"] == train["neal"] == ("–", "–")
    assert (test["asymmetric"], test["bm25-2field"]) == (("17.4", "12.9"), ("16.1", "11.3"))
    of_markdown = markdown_records(WHOLE)
    assert [each["Published official F1"] for each in (of_markdown[0], of_markdown[-1])] == [
        "16.4",
        "–",
    ]
    assert of_markdown[0]["Official F1"] == "**25.1**"


def test_the_best_figures_and_papers_and_those_of_the_default_system_stand_out(whole):
    assert texts(table(whole, "Scores").xpath(".//strong")) == ["25.1", "15.1", "35.1", "45.1"]
    tiles = texts(whole.xpath("//dl[@class='tiles']//dd"))
    assert tiles == ["15.1", "14.1–16.6", "25.1", "16.4", "40", "1,753"]
    worst, best = whole.xpath("//h2[.='Worst and best reference papers']/following::table")[:2]
    # P5 has too few citances, P6 no sentence to be found.
    assert texts(worst.xpath("./tbody/tr[1]/*")) == "P2|On P2|9|200|2|20|20|10.0".split("|")
    assert [texts(each.xpath("./tbody/tr/th")) for each in (worst, best)] == [
        ["P2", "P4"],
        ["P1", "P3"],
    ]


def test_another_k_or_parameter_is_not_what_was_published():
    assert published(row("asymmetric", 0.1), "train", "official").f1 == 0.164
    assert published(row("asymmetric", 0.1), "train", "union") is None
    assert published(row("asymmetric", 0.1), "scisummnet", "official") is None
    assert published(row("asymmetric", 0.1, k=3), "train", "official") is None
    assert published(row("asymmetric", 0.1, d=2.0), "train", "official") is None
    assert published(row("asymmetric", 0.1, d=1.0), "train", "official").f1 == 0.156
    assert published(row("asymmetric-dot", 0.1, truncation=None), "train", "official") is None
    # K set by hand to what the paper has is what was published.
    by_hand = replace(row("asymmetric-unk", 0.1), changed={"k": 2})
    assert published(by_hand, "test", "official").f1 == 0.174


def test_published_figures_are_those_of_the_papers(shared):
    ricci, pandey, aumiller = (
        next(shared.glob(f"seeds/{number}_*.txt")).read_text("utf-8")
        for number in ("000", "001", "003")
    )
    lines = {}
    for line in ricci.splitlines():
        name, *cells = re.sub("</?b>", "", line).split("\t")
        lines[name, len(cells)] = cells
    of_ricci = [one for one in PUBLISHED if one.source.startswith("Ricci")]
    for train, test in zip(of_ricci[::2], of_ricci[1::2], strict=True):
        assert (train.name, train.split, test.split) == (test.name, "train", "test")
        figures = [
            percent(value)
            for one in (train, test)
            for value in (one.recall, one.f1, one.rouge_s)
            if value is not None
        ]
        assert lines[train.name, len(figures)] == figures
    for length in LENGTHS:
        assert lines[length.name, 1] == [f"{length.tokens}"]
    rows = {tuple(re.findall(r"\b0\.\d{3,4}\b", line)) for line in (aumiller + pandey).splitlines()}
    begun = {row[:end] for row in rows for end in range(len(row) + 1)}
    for one in PUBLISHED:
        if one.source.startswith("Aumiller"):
            values = (one.precision, one.recall, one.f1, one.rouge_s)
            assert tuple(f"{value:.3f}" for value in values if value is not None) in begun
        elif one.source.startswith(("Pandey", "Chai")):
            assert tuple(f"{v:.4f}" for v in (one.recall, one.precision, one.f1)) in rows


def test_orderings_are_shown_with_interval_verdict_and_the_published_difference(whole):
    assert records(whole, "Orderings of the papers") == [
        "d = 4 is at least d = 1|asymmetric|asymmetric-d1|holds, not significantly|+0.9"
        "|−0.4 to +2.1|+0.8".split("|"),
        "d = 1 beats reversal|asymmetric-d1|asymmetric-reverse|holds|+4.2|+3.0 to +6.0|–".split(
            "|"
        ),
    ]
    of_scisummnet = records(page(of(WHOLE, split="scisummnet")), "Orderings of the papers")
    assert {len(cells) for cells in of_scisummnet} == {6}


def test_steps_and_models_are_compared_with_their_like():
    def like(system, f1, **changed):
        return row(system, f1, k=3, **changed)

    rows = (
        row("bm25-2field", 0.16),
        like("bm25-rerank", 0.12, model="re"),
        like("sbert", 0.10),
        like("sbert-wce", 0.12),
        like("sbert", 0.14, model="m"),
        like("sbert-wce", 0.13, model="m"),
        like("sbert-wce", 0.5, model="m", m=1),
    )
    papers = tuple(
        replace(one, counts=(Counts(1, 8, one.counts[0].tp + one.counts[0].fn - 1),) * len(rows))
        for one in WHOLE.per_paper
    )
    found = tuple(findings(rows, papers))
    result = replace(WHOLE, rows=rows, per_paper=papers, findings=found)
    step = "bigrams of both appended help"
    assert [(one.claim, one.first, one.second) for one in found] == [
        (step, "sbert-wce", "sbert"),
        (step, "sbert-wce (model=m)", "sbert (model=m)"),
        (FINE_TUNING, "sbert (model=m)", "sbert"),
        (FINE_TUNING, "sbert-wce (model=m)", "sbert-wce"),
        ("BM25 alone beats re-ranking", "bm25-2field", "bm25-rerank (model=re)"),
    ]
    assert [round(one.difference, 2) for one in found] == [0.02, -0.01, 0.04, 0.01, 0.04]
    shown = records(page(result), "Orderings of the papers")
    # CitRet's are published for fine-tuned weights, by the union.
    assert [each[-1] for each in shown] == ["+4.0", "+4.0", "–", "–", "–"]


def test_curves_have_a_table_with_the_same_numbers(whole):
    heads = texts(table(whole, "F1 by the power d").xpath("./thead//th"))
    assert heads == ["d", "asymmetric", "asymmetric-reverse", "bm25-2field", "symmetric"]
    assert records(whole, "F1 by the power d") == [
        ["1", "14.2", "5.0", "14.4", "12.9"],
        ["2", "14.8", "7.0", "14.4", "12.9"],
        ["4", "15.1", "10.0", "14.4", "12.9"],
    ]
    assert records(whole, "Recall by the number of sentences") == [
        ["1", "6.0", "8.0"],
        ["2", "11.0", "15.0"],
    ]


def test_annotators_are_listed_beside_systems_where_there_are_several(whole, test_page):
    assert records(test_page, "Annotators and oracle") == [
        ["One annotator against another", "12.3", "17.3", "14.3", "15.1", "20.1", "17.1"],
        ["The best of all answers (oracle)", "51.0", "56.0", "53.0", "59.2", "64.2", "61.2"],
        ["asymmetric", "23.1", "28.1", "25.1", "13.1", "18.1", "15.1"],
    ]
    assert "Annotators and oracle" not in headings(whole)
    assert "- One annotator against another: official F1 14.3, citance F1 17.1" in report.markdown(
        TEST
    )
    assert "annotator against" not in report.markdown(WHOLE)


HOSTILE = '<script>alert(1)</script> & "quotes" $x_y$ | \x00\ud800'


@pytest.mark.filterwarnings("error::RuntimeWarning", "error::UserWarning")
def test_what_others_wrote_is_text_in_the_page():
    rows = (row("asymmetric", 0.151, d=HOSTILE), row("symmetric", 0.1), row(HOSTILE, 0.2))
    hostile = replace(
        of(TEST, corpus="</title><script>x()"),
        rows=rows,
        findings=(Finding("<i>claim</i>", HOSTILE, "symmetric", 0.1, (0.0, 0.2), "holds"),),
        settings={"<u>": "<s>"},
        per_paper=tuple(replace(one, id="<b>P1</b>", title=HOSTILE) for one in WHOLE.per_paper),
        more={**TEST.more, "f1_by_d": (Curve(HOSTILE, ((1.0, 0.1),))._asdict(),)},
    )
    written = report.html(hostile)
    root = html.document_fromstring(written)
    assert not root.xpath("//script | //b | //i | //u | //s")
    assert root.xpath("//title")[0].text == "Cited text identification on </title><script>x()"
    shown = HOSTILE.replace("\x00", "\ufffd").replace("\ud800", "\ufffd")
    assert shown in scores(root)
    assert records(root, "Orderings of the papers")[0][:2] == ["<i>claim</i>", shown]
    written.encode("utf-8")


def test_result_without_rows_is_an_input_error():
    empty = replace(WHOLE, rows=(), per_paper=())
    with pytest.raises(InputError, match="no system"):
        report.html(empty)
    with pytest.raises(InputError, match="no system"):
        report.markdown(empty)

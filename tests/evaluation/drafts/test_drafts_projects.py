"""What is read of drafts and articles: candidates, places in reading order, what may be seen."""

import json

import pytest

from pincite.model.problems import InputError
from pincite_evaluation.drafts.projects import ProjectSource, project_sources, read_project
from pincite_evaluation.drafts.rankers import chosen
from small_drafts import MAIN, WORKS, article, listed, two_files


def read(main):
    return read_project(ProjectSource("draft", "here", main))


def cited(project):
    return [tuple(project.keys[at] for at in place.cited) for place in project.places]


def test_places_are_in_reading_order_and_only_those_of_known_keys(tmp_path):
    project = read(two_files(tmp_path))
    # The bibliography is BibTeX's: "Reed" is "reed". "nowhere" is undefined, oak is \nocite'd.
    assert cited(project) == [
        ("moss",),
        ("lichen",),
        ("reed", "kelp"),
        ("fern",),
        ("moss",),
        ("reed",),
        ("moss",),
    ]
    assert [place.is_first for place in project.places] == [True] * 4 + [False] * 3
    assert [(place.file.name, place.line) for place in project.places] == [
        ("main.tex", 5),
        ("main.tex", 5),
        ("part.tex", 1),
        ("part.tex", 2),
        ("part.tex", 2),
        ("main.tex", 7),
        ("main.tex", 8),
    ]


def test_a_project_knows_its_bibliography(tmp_path):
    project = read(two_files(tmp_path))
    assert project.keys == tuple(WORKS) == tuple(project.candidates)
    assert project.cited_share == pytest.approx(5 / 6)
    assert project.with_abstract == pytest.approx(3 / 6)
    assert project.language == "en"
    assert len(set(project.tie_order)) == 6


def test_the_language_is_declared_or_identified(tmp_path):
    main = two_files(tmp_path)
    main.write_text(MAIN.replace("english", "ngerman"))
    assert read(main).language == "de"
    prose = "La mousse pousse sur les murs humides du nord, et les lichens couvrent le granit. "
    main.write_text(MAIN.replace(r"\usepackage[english]{babel}", "").replace("Again", prose * 5))
    assert read(main).language == "fr"


def test_an_article_has_its_reference_list_for_candidates(tmp_path):
    body = "Moss grows on damp walls [1]. Reeds hold the marsh [5], kelp the shore [4][1]."
    project = read(article(tmp_path / "walls.xml", body))
    titles = [candidate.title for candidate in project.candidates.values()]
    assert titles == [title for title, *_ in WORKS.values()]
    assert [each.entry.author_year for each in project.candidates.values()][:2] == [
        "Aalto 1998",
        "Berg 2003",
    ]
    assert [place.cited for place in project.places] == [(0,), (4,), (3,), (0,)]
    assert [place.is_first for place in project.places] == [True, True, True, False]
    assert project.seen(1, "writing").before.endswith("walls \ufffc. Reeds hold the marsh ")


CITERAG = {
    "title": "Walls",
    "abstract": "On walls.",
    "sections": {
        "Introduction": "Moss grows on walls [ref]7. Reeds hold [ref]2[ref]9 the marsh.",
        "Related work": "Nobody knows [ref]40, but kelp [ref] 7.",
    },
    "reference_labels": [
        {"index": 7, "title": "Moss on Northern Walls"},
        {"index": 2, "title": "Reeds and Marshes"},
        {"index": 9, "title": "Kelp Forests"},
    ],
}


def test_papers_of_citerag_cite_titles(tmp_path):
    (tmp_path / "12.json").write_text(json.dumps(CITERAG))
    for path in (tmp_path, tmp_path / "12.json"):
        (source,), problems = project_sources([path])
        assert (source.name, problems) == ("12", [])
    project = read_project(source)
    titles = [each.title for each in project.candidates.values()]
    assert titles == [each["title"] for each in CITERAG["reference_labels"]]
    assert [place.cited for place in project.places] == [(0,), (1,), (2,), (0,)]
    assert project.seen(0, "writing").before.endswith("Moss grows on walls ")


def test_each_line_of_unarxive_is_a_paper(tmp_path):
    text = "Fields {{formula:0-1}} decay {{cite:ab}}. Waves {{cite:cd}}."
    spans = [
        {"start": text.index(mark), "end": text.index(mark) + 11, "text": mark, "ref_id": mark[7:9]}
        for mark in ("{{cite:ab}}", "{{cite:cd}}")
    ]
    raw = "R. Epstein, The generation of waves, Astrophys. J. 223 (1978) 1037."
    paper = {
        "paper_id": "2105.05862",
        "abstract": {"section": "Abstract", "text": "Of waves."},
        "body_text": [{"section": "Waves", "text": text, "cite_spans": spans}],
        "bib_entries": {
            "ab": {"bib_entry_raw": "A. Doe, Decay (2001)."},
            "cd": {"bib_entry_raw": raw},
        },
        "ref_entries": {"0-1": {"type": "formula", "latex": "S"}},
    }
    file = tmp_path / "arXiv_src_2105_034.jsonl"
    file.write_text(json.dumps(paper) + "\n{\n" + json.dumps({**paper, "paper_id": "2105.1"}))
    sources, (problem,) = project_sources([file])
    assert [(source.name, source.line) for source in sources] == [("2105.05862", 1), ("2105.1", 3)]
    assert problem.line == 2
    file_before, project = file.read_text(), read_project(sources[1])
    assert [place.cited for place in project.places] == [(0,), (1,)]
    assert project.seen(1, "writing").before.split()[-3:] == ["decay", "\ufffc.", "Waves"]
    assert "waves" in project.candidates["2"].title.lower()
    file.write_text(file_before.splitlines()[0])
    with pytest.raises(InputError, match="no longer in the file"):
        read_project(sources[1])


def test_what_cannot_be_read_is_an_input_error(tmp_path):
    for name, content in (("no.xml", b"<article>"), ("other.xml", b"<html/>"), ("no.tex", b"\0")):
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(InputError, match=name):
            read(path)
    with pytest.raises(InputError, match="gone"):
        read(tmp_path / "gone.xml")


def test_what_may_be_seen_depends_on_the_situation(tmp_path):
    project = read(two_files(tmp_path))
    writing, revising, text_only = (
        project.seen(2, situation) for situation in ("writing", "revising", "text only")
    )
    assert writing.before == revising.before == text_only.before
    assert writing.before.rstrip().endswith("Reeds hold the marsh")
    assert writing.after == ""
    assert revising.after == text_only.after
    assert revising.after.startswith(".")
    assert "Walls once more" in " ".join(revising.after.split())
    assert writing.places == revising.places == project.places[:2]
    assert text_only.places == ()


# Texts of the candidates


def test_a_full_text_counts_but_no_copy_of_the_draft(tmp_path):
    main = two_files(tmp_path)
    papers = tmp_path / "papers"
    papers.mkdir()
    (papers / "kelp.txt").write_text("Zostera meadows shelter the coast and its young fish.\n" * 9)
    (papers / "oak.tex").write_text(MAIN)
    project = read(main)
    assert project.candidates["kelp"].paper.basis == "full text"
    assert project.candidates["oak"].paper.basis == "title"


def test_other_drafts_do_not_cite_the_candidates(tmp_path):
    main = two_files(tmp_path)
    (mixed,) = chosen(["mixed"])
    before = read(main)
    scores = [mixed.prepare(before, None)(n, "revising") for n in range(7)]
    other = MAIN.replace(r"\input{part}", r"Damp walls of granite \cite{oak}.")
    (tmp_path / "other.tex").write_text(other)
    after = read(main)
    assert all(not each.inlink_contexts for each in after.candidates.values())
    found = [mixed.prepare(after, None)(n, "revising") for n in range(7)]
    assert [each.tolist() for each in found] == [each.tolist() for each in scores]


# Which projects there are


def test_paths_name_projects(tmp_path):
    main = two_files(tmp_path / "one")
    walls = article(tmp_path / "walls.xml", "Moss [1].")
    path = listed(tmp_path / "drafts.json", {"first": "one/main.tex", "second": "gone/main.tex"})
    sources, problems = project_sources([path, walls, main, path])
    assert [(each.name, each.group, each.main) for each in sources] == [
        ("first", str(path), main),
        ("walls", str(walls), walls),
        ("main", str(main), main),
    ]
    (problem,) = problems
    assert problem.broken
    assert problem.path == tmp_path / "gone" / "main.tex"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "not JSON"),
        ("[1]", "expected an object"),
        ('{"one": 1}', "expected an object"),
        ("{}", "no draft to evaluate"),
        ('{"one": "gone.tex"}', r"no draft to evaluate .*gone\.tex"),
    ],
)
def test_a_list_of_nothing_is_an_input_error(tmp_path, content, message):
    path = tmp_path / "drafts.json"
    path.write_text(content)
    with pytest.raises(InputError, match=message):
        project_sources([path])


def test_a_folder_names_its_drafts_and_articles(tmp_path):
    main = two_files(tmp_path / "one")
    other = two_files(tmp_path / "two" / "deep")
    walls = article(tmp_path / "walls.xml", "Moss [1].")
    sources, problems = project_sources([tmp_path, tmp_path / "two"])
    assert [(each.name, each.main) for each in sources] == [
        ("one/main", main),
        ("two/deep/main", other),
        ("walls", walls),
        ("deep/main", other),
    ]
    assert problems == []

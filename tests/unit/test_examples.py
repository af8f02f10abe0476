"""The shipped example does what its README describes."""

import json

import pytest

from pincite.project.workspace import Workspace
from where import EXAMPLES


@pytest.fixture(scope="module", name="survey")
def opened_survey():
    workspace = Workspace(EXAMPLES)
    draft = workspace.draft(EXAMPLES / "survey.tex")
    assert workspace.read_library(draft)
    return workspace, draft, workspace.recommender(draft)


def expected():
    return json.loads((EXAMPLES / "expected.json").read_text("utf-8"))


@pytest.mark.parametrize("place", expected(), ids=lambda place: place["keys"][0])
def test_the_work_the_author_has_in_mind_is_among_the_first_three(survey, place):
    _, draft, recommender = survey
    file = draft.file(EXAMPLES / place["file"])
    offset = file.text.index(place["before"]) + len(place["before"])
    assert offset in {gap.span.start for gap in file.placeholders}
    ranked = recommender.rank(recommender.context(draft, file, offset))
    assert set(place["keys"]) & {entry.key for entry in ranked[:3]}


def test_all_placeholders_are_expected_ones(survey):
    _, draft, _ = survey
    assert sum(len(file.placeholders) for file in draft.files) == len(expected())


def test_every_key_is_defined_and_nothing_is_wrong(survey):
    workspace, draft, _ = survey
    bibliography = workspace.bibliography(draft)
    keys = [key.key for file in draft.files for c in file.citations for key in c.keys]
    assert [key for key in keys if key not in "?TODO" and bibliography.find(key) is None] == []
    assert draft.problems == ()
    assert bibliography.problems == ()
    assert workspace.library(draft).problems == []


def test_evidence_has_pages_where_the_paper_is_a_pdf(survey):
    _, draft, recommender = survey
    pages = []
    for file in draft.files:
        for citation in file.citations:
            context = recommender.context(draft, file, citation.span.start)
            for key in citation.keys:
                candidate = recommender.candidates.get(key.key)
                source = candidate.paper.source if candidate else None
                for sentence in recommender.supporting(context, key.key):
                    assert (sentence.page is not None) == (
                        source.suffix == ".pdf" if source else False
                    )
                    pages.append(sentence.page)
    assert {1, 2} <= set(pages)


def test_the_earlier_draft_gives_inlink_contexts(survey):
    _, _, recommender = survey
    cited = [c for c in recommender.candidates.values() if c.inlink_contexts]
    assert len(cited) >= 5
    assert {i.citing_paper for c in cited for i in c.inlink_contexts} >= {"earlier-draft.tex"}

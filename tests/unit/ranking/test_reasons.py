r"""The reasons for an entry: what added most to its score, and only what is true."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest

import markup
from pincite.model.papers import Candidates
from pincite.parsing.latex import regions
from pincite.project.workspace import Workspace
from pincite.ranking.reasons import kinds_of, reasons
from small_places import LEARNED, MIXED_SETTINGS, Opened, Project, evidence_of, place_in, work

DRAFT = (
    "\\section{One}\nOnce \\cite{parsing}.\n\n\\section{Two}\nGrids and parses \\cite{grids, vectors}."
    "\n\nGrids \\cite{grids}, and as Collins has shown, entity grids cohere \\cite{|}"
)
WORKS = {
    "grids": ("Entity grids cohere", "Barzilay, Regina", "2008"),
    "parsing": ("Head-driven parsing", "Collins, Michael", "2003"),
    "vectors": ("Word vectors", "Mikolov, Tomas", "2013"),
    "other": ("Ponds", "Frosch, F.", "1990"),
    "more": ("Lakes", "Kröte, K.", "1991"),
}
MATCHED = {"grids": ["entity", "grids", "cohere", "shown", "collins"]}


CANDIDATES = Candidates.of([work(key, *known) for key, known in WORKS.items()])
EVIDENCE = evidence_of(CANDIDATES)
WORKS_BY_POSITION = tuple(CANDIDATES.values())
PLACE = place_in(Opened(DRAFT), CANDIDATES, EVIDENCE)
FOUND = EVIDENCE.at(PLACE)


def reasons_for(key, **shares):
    """Return the reasons for an entry to whose score features (`__` is a dot) add so much."""
    own = {name.replace("__", "."): share for name, share in shares.items()}
    assert own.keys() <= set(FOUND.names)
    slot = tuple(CANDIDATES).index(key)
    row = np.asarray([[own.get(name, 0.0) for name in FOUND.names]])
    kinds, groups = kinds_of(FOUND.names)
    return reasons(
        *(EVIDENCE, PLACE, FOUND, [slot], kinds, row @ groups),
        *(WORKS_BY_POSITION.__getitem__, [MATCHED.get(key, [])]),
    )[0]


@pytest.mark.parametrize(
    ("key", "feature", "expected"),
    [
        ("grids", "title__sentence__bm25", ("shares: entity, grids, cohere, shown",)),
        ("grids", "cited__count", ("cited nearby",)),
        ("parsing", "cited__count", ("cited before",)),
        ("parsing", "name__any", ("you name Collins",)),
        ("parsing", "cocited__follow", ()),
        ("vectors", "cocited__follow", ("cited with Barzilay 2008",)),
        ("grids", "own__both__best", ("cited in a similar sentence (in “Two”)",)),
        # What an author cannot see is not given as a reason.
        ("vectors", "mixed__recent__cos", ()),
        # What is not there is no reason, whatever the trees make of it.
        ("other", "title__sentence__bm25", ()),
        ("other", "name__any", ()),
        ("other", "own__both__best", ()),
        ("grids", "entry__age", ()),
    ],
)
def test_each_kind_of_evidence_has_its_own_words(key, feature, expected):
    assert reasons_for(key, **{feature: 1.0}) == expected


def test_the_strongest_come_first_and_three_are_enough():
    found = reasons_for(
        "grids", title__far__bm25=1.0, cited__count=3.0, cocited__follow=2.0, name__any=0.9
    )
    assert found == (
        "cited nearby",
        "cited with Mikolov 2013",
        "shares: entity, grids, cohere, shown",
    )


def test_features_of_a_kind_add_up():
    found = reasons_for("grids", title__far__bm25=0.6, mixed__both__cos=0.6, cited__count=1.0)
    assert found[0].startswith("shares: ")


def test_what_speaks_against_an_entry_is_no_reason():
    assert reasons_for("grids", title__far__bm25=-1.0, cited__count=-2.0) == ()


def test_what_adds_little_beside_the_strongest_is_left_out():
    assert reasons_for("grids", title__far__bm25=1.0, cited__count=0.1) == (
        "shares: entity, grids, cohere, shown",
    )


def test_nobody_is_named_by_a_function_word_a_roman_numeral_or_a_word_of_a_title():
    works = {
        "An-2020": ("Trees", "An, Li", "2020"),
        "The-1991": ("Rivers III", "Vie, III", "1991"),
        "Good": ("Ponds", "Goodman, N.", "1968"),
        "hrw:2016": ("World report", "Human Rights Watch,", "2016"),
        # The author did not name the work, but a word of its title.
        "doe2019actLearning": ("Acts of learning", "Doe, J.", "2019"),
    }
    candidates = Candidates.of([work(key, *known) for key, known in works.items()])
    evidence = evidence_of(candidates)
    text = "An effect. The Act of Part III says so, as Goodman and Human Rights Watch do \\cite{|}"
    place = place_in(Opened(text), candidates, evidence)
    found = evidence.at(place)
    kinds, groups = kinds_of(found.names)
    totals = np.asarray([[float(kind == "named") for kind in kinds]] * len(works))
    assert groups.any()
    assert reasons(
        *(evidence, place, found, range(len(works)), kinds, totals),
        *(tuple(candidates.values()).__getitem__, [[]] * len(works)),
    ) == [(), (), ("you name Goodman",), ("you name Human Rights Watch",), ()]


# With the packaged model

PROJECT = r"""
\documentclass{article}
\begin{document}
Kopfgetriebene Grammatiken zerlegen Sätze, wie Collins zeigt \cite{|}.
\bibliography{refs}
\end{document}
%! refs.bib
@article{nivre, author={Nivre, Joakim}, title={Dependency parsing}, year=2006}
@article{satz, author={Collins, Michael}, title={Sätze und ihre Grammatiken}, year=2003}
@article{und, author={Und, Wie}, title={Die und der und das, wie}, year=2003}
"""


def test_a_draft_in_german_is_ranked_by_its_words_and_names(tmp_path):
    project = Project(tmp_path, PROJECT)
    assert project.ranked()[0] == "satz"
    why = project.reasons()["satz"]
    assert {"you name Collins", "shares: sätze, grammatiken"} & set(why)
    assert project.matched()["und"] == ()


def test_scores_are_probabilities(tmp_path):
    scores = Project(tmp_path, PROJECT).scores().values()
    assert all(0.0 <= score < 1.0 for score in scores)
    assert sum(scores) < 2.0


PARAGRAPHS = r"""
\documentclass{article}
\begin{document}
Ponds freeze from above in winter.

Stones lie there. Frogs sing at night \cite{|}.

Clouds are white.
\bibliography{refs}
\end{document}
%! refs.bib
@article{clouds, title={White clouds}}
@article{frogs, title={Singing frogs of the night beneath stones}}
@article{ponds, title={How ponds freeze in winter}}
@article{stones, title={Stones}}
"""


@pytest.mark.parametrize("settings", [LEARNED, MIXED_SETTINGS])
def test_shared_words_are_of_the_sentence_or_else_of_the_paragraph_before_the_place(
    tmp_path, settings
):
    why = Project(tmp_path, PARAGRAPHS, settings).reasons()
    assert not any("shares" in reason for reason in (*why["ponds"], *why["clouds"]))
    assert "shares: stones" in why["stones"]
    (shared,) = (reason for reason in why["frogs"] if "shares" in reason)
    assert "frogs" in shared


CHAPTERS = r"""
%! main.tex
\documentclass{book}
\begin{document}
\input{one}
\input{two}
\bibliography{refs}
\end{document}
%! one.tex
\chapter{One}
Ponds freeze from above \cite{ice}. Frogs sleep in mud \cite{frogs}.
%! two.tex
\chapter{Two}
In winter the frogs sleep in mud, too \cite{|}.
%! refs.bib
@article{frogs, author={Kröte, Karl}, title={Another study}, year=2003}
@article{ice, author={Eis, Emil}, title={A study}, year=2006}
@inproceedings{moss, author={Moos, Max}, title={Moss on walls}, year=2004}
@book{prices, author={Preis, Paul}, title={A theory of prices}, year=1985}
@article{rest, author={Rest, Rita}, title={Clouds}, year=2003}
@article{stars, author={Stern, Stella}, title={Old stars}, year=1999}
@article{stones, author={Stein, Sara}, title={Stones and walls}, year=2001}
"""


def test_what_other_files_of_the_draft_cite_is_evidence_in_each(tmp_path):
    fixture = markup.parse_fixture(CHAPTERS.lstrip())
    markup.write_project(tmp_path, fixture)
    name, offset = fixture.cursor
    workspace = Workspace(tmp_path, LEARNED)
    chapter = workspace.draft(tmp_path / name)
    assert [file.path.name for file in chapter.files] == ["two.tex"]
    recommender = workspace.recommender(chapter)
    context = recommender.context(chapter, chapter.files[0], offset)
    best = next(iter(recommender.rank(context)))
    assert best.key == "frogs"
    (why,) = recommender.explain(context, [best])
    assert {"cited before", "cited in a similar sentence (in “One”)"} & set(why.reasons)


def test_where_only_a_key_is_typed_the_ranking_is_that_of_before(tmp_path):
    project = Project(tmp_path, PROJECT)
    main = tmp_path / "main.tex"
    start = main.read_text("utf-8").index("\\cite{")

    def now(text):
        main.write_text(text, "utf-8")
        draft = project.workspace.draft(main)
        context = project.recommender.context(draft, draft.files[0], start)
        return [(entry.key, entry.score) for entry in project.recommender.rank(context)]

    text = main.read_text("utf-8")
    ranked = now(text)
    typed = text.replace("\\cite{", "\\cite{ni")
    assert now(typed) == now(typed.replace("{ni", "{niv")) == ranked


def test_a_draft_of_equal_parts_ranks(tmp_path):
    same = "Moss grows upon the stones of all northern woods.\n\n"
    source = f"%! main.tex\n\\section{{One}}\n{same * 3}Grids \\cite{{grids}} and {{|}}\n\\bibliography{{refs}}\n"
    entries = "".join(
        f"@article{{{key}, title={{{title}}}, author={{{author}}}, year={year}}}\n"
        for key, (title, author, year) in WORKS.items()
    )
    fixture = markup.parse_fixture(f"{source}%! refs.bib\n{entries}")
    markup.write_project(tmp_path, fixture)
    workspace, main = Workspace(tmp_path, LEARNED), tmp_path / "main.tex"
    with mock.patch.multiple(regions, _MIN_REGION=20, _MAX_REGION=40):
        draft = workspace.draft(main)
        recommender = workspace.recommender(draft)
        recommender.context(draft, draft.files[0], fixture.cursor[1])
        # Both ends change, and what is between them is repeated once more.
        edited = main.read_text("utf-8").replace(same * 3, same * 4)
        edited = edited.replace("{One}", "{Two}").replace(" and ", " for ")
        main.write_text(edited, "utf-8")
        draft = workspace.draft(main)
    context = recommender.context(draft, draft.files[0], fixture.cursor[1])
    parts = context.place.text.parts
    assert len(set(parts)) < len(parts)
    assert next(iter(recommender.rank(context))).key == "grids"

"""The main job's last step: which supporting sentences an author is shown."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from pincite.matching.asymmetric import AsymmetricMatcher
from pincite.matching.fused import FusedMatcher
from pincite.matching.sentence_model import Expert, SentenceModel
from pincite.matching.vectors import WordVectors
from pincite.model.contexts import CitationContext
from pincite.model.drafts import Draft, DraftFile, DraftRegion, Prose
from pincite.model.papers import Candidate, Candidates, InlinkContext, ReferencePaper, Sentence
from pincite.project.workspace import Workspace
from pincite.recommend import (
    _MAX_FITTED,
    RankedFor,
    Recommender,
    draft_language,
    function_words_of,
)
from pincite.settings import MIXED_RANKER, RankingSettings, Settings
from pincite.text.stop_words import function_words
from pincite_evaluation.baselines import ricci as variants

SENTENCES = (
    "The history of the problem is as long as that of the field.",
    "An entity grid records how entities move through a text.",
    "It is the one that most of us would use.",
    "The grid predicts coherence.",
)


def paper(*sentences: str) -> ReferencePaper:
    return ReferencePaper("Entities", "full text", tuple(map(Sentence, sentences)))


def recommender_of(matcher, *sentences: str) -> Recommender:
    return Recommender(
        Candidates.of([Candidate("grid", paper(*sentences))]), Settings(), lambda: matcher
    )


@pytest.fixture(scope="module", name="recommender")
def made_recommender():
    return recommender_of(AsymmetricMatcher(WordVectors.packaged()), *SENTENCES)


def context(citance: str, around: str = "") -> CitationContext:
    return CitationContext(tuple(around.split()), (), citance, citance)


def positions(found):
    return [sentence.position for sentence in found]


def test_shows_as_many_sentences_as_the_paper_of_the_matcher_does(recommender):
    found = recommender.supporting(context("The entity grid predicts coherence."), "grid")
    assert sorted(positions(found)) == [1, 3]


def test_shows_no_sentence_in_which_nothing_can_be_marked(recommender):
    found = recommender.supporting(context("The entity grid of that one field"), "grid", 4)
    assert 2 not in positions(found)
    assert all(sentence.matched for sentence in found)


def test_goes_on_until_a_sentence_has_something_to_be_marked():
    longer = "Every node, cell, edge, table, matrix, lattice, chart and graph differs."
    sentences = (*[longer] * 20, "The grid.")
    matcher = variants.AsymmetricMatcher(WordVectors.packaged(), d=1.0, direction="reverse")
    assert positions(matcher.match("An entity grid", matcher.fit(paper(*sentences)), 21))[-1] == 20
    recommender = recommender_of(matcher, *sentences)
    anything = SentenceModel(("bm25",), Expert(np.array([9.0])))
    recommender._assessor = FusedMatcher(WordVectors.packaged(), sentence_model=anything)
    assert positions(recommender.supporting(context("An entity grid"), "grid")) == [20]
    for number in (0, -1):
        assert recommender.supporting(context("An entity grid"), "grid", number) == []


def test_a_sentence_that_a_paper_contains_twice_is_shown_once():
    twice = recommender_of(
        AsymmetricMatcher(WordVectors.packaged()), *SENTENCES, "the grid  predicts Coherence."
    )
    found = twice.supporting(context("The entity grid predicts coherence."), "grid")
    assert sorted(positions(found)) == [1, 3]


def test_a_citance_of_common_words_is_matched_by_the_text_around_it(recommender):
    assert recommender.supporting(context("of the"), "grid") == []
    found = recommender.supporting(context("of the", "the grid predicts the coherence"), "grid")
    assert positions(found)[:1] == [3]


def test_an_entry_that_there_is_not_has_no_support(recommender):
    assert recommender.supporting(context("The entity grid"), "gone") == []


def test_citances_of_others_are_given_to_the_matcher():
    matcher = FusedMatcher(WordVectors.packaged())
    other = "The entity grid was compared with trees."
    inlinks = (InlinkContext("other", (), (), other), InlinkContext("third", ("no",), ("citance",)))
    candidate = Candidate("grid", paper(*SENTENCES), inlink_contexts=inlinks)
    recommender = Recommender(Candidates.of([candidate]), Settings(), lambda: matcher)
    citance = "The entity grid predicts coherence."
    fitted = matcher.cited_by(matcher.fit(candidate.paper), [other])
    found = recommender.supporting(context(citance), "grid")
    assert found
    known = matcher.probabilities(citance, fitted)
    assert [one.probability for one in found] == [round(known[one.position], 4) for one in found]


def test_threads_get_what_one_alone_gets():
    # More papers than are cached, so that threads also fit them while others match.
    candidates = [
        Candidate(f"grid{n}", paper(*SENTENCES, f"The grid has {n} entities."))
        for n in range(_MAX_FITTED + 8)
    ]
    matcher = AsymmetricMatcher(WordVectors.packaged())
    recommender = Recommender(Candidates.of(candidates), Settings(), lambda: matcher)
    asked = [candidate.key for candidate in candidates] * 4
    citance = context("The entity grid predicts coherence.")
    alone = [recommender.supporting(citance, key) for key in asked]
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(lambda key: recommender.supporting(citance, key), asked)) == alone
    assert len(recommender._fitted) <= _MAX_FITTED


def test_nothing_is_ranked_by_function_words():
    candidates = Candidates.of(
        [
            Candidate("netz", ReferencePaper("Die Kohärenz eines Netzes", "title")),
            Candidate("und", ReferencePaper("Zwischen und durch und für und wegen", "title")),
        ]
    )
    place = CitationContext(tuple("und durch die Kohärenz Fu\u0308r".split()), ("UND",))
    settings = Settings(ranking=RankingSettings(ranker=MIXED_RANKER))
    plain = Recommender(candidates, settings, pytest.fail)
    assert plain.rank(place).rank_of("und") == 1
    ranked_for = RankedFor(function_words=function_words("de"))
    recommender = Recommender(candidates, settings, pytest.fail, ranked_for=ranked_for)
    ranking = recommender.rank(place)
    assert ranking.rank_of("netz") == 1
    first, second = recommender.explain(place, [ranking.at(at) for at in ranking.order])
    assert (first.matched, second.matched) == (("kohärenz",), ())
    assert second.score == 0


@pytest.mark.parametrize(
    ("text", "language", "word"),
    [
        ("\\usepackage[english,ngerman]{babel}\\begin{document}The text of it", "de", "nicht"),
        ("\\usepackage{babel}\\begin{document}The text of it and of others", "en", "the"),
        ("\\begin{document}Dieses Kapitel behandelt Bilder und ihre Merkmale.", "de", "nicht"),
        ("\\begin{document}Klein", None, None),
        (
            "\\usepackage[greek]{babel}\\begin{document}" + "το κείμενο Το σύστημα " * 30,
            "el",
            "το",
        ),
    ],
)
def test_the_function_words_of_a_draft_are_those_of_its_language(tmp_path, text, language, word):
    path = tmp_path / "draft.tex"
    path.write_text(f"\\documentclass{{article}}{text}\\end{{document}}", encoding="utf-8")
    draft = Workspace(tmp_path).draft(path)
    assert draft_language(draft) == language
    found = function_words_of(draft)
    assert word in found if word else not found


GERMAN = "Die Moose der Wälder sind in den letzten Jahren nicht mehr so häufig wie früher. "
ENGLISH = "The mosses of these woods are not as frequent as they were in the years before. "
FINNISH = "Sammalet ovat metsissä harvinaisempia kuin ennen, ja niitä tutkitaan nyt enemmän. "
FRENCH = "Les mousses de ces bois ne sont plus aussi fréquentes que dans les années passées. "


def tex(text, preamble):
    return f"\\documentclass{{article}}{preamble}\\begin{{document}}{text}\\end{{document}}"


@pytest.mark.parametrize(
    ("name", "source", "language"),
    [
        ("a.tex", tex(GERMAN * 3, "\\usepackage[ngerman,english]{babel}"), "de"),
        ("a.tex", tex(ENGLISH * 3, "\\usepackage[english,french]{babel}"), "en"),
        ("a.tex", tex(FINNISH * 3, "\\usepackage[english]{babel}"), "fi"),
        ("a.tex", tex(ENGLISH * 3, "\\usepackage[finnish]{babel}"), "en"),
        ("a.tex", tex(FRENCH * 9 + ENGLISH * 20, "\\usepackage[english,french]{babel}"), "en"),
        ("a.tex", tex("Moos.", "\\usepackage[ngerman,english]{babel}"), "en"),
        (
            "a.tex",
            tex("Moos.", "\\usepackage[ngerman,english]{babel}\\selectlanguage{ngerman}"),
            "de",
        ),
        ("a.md", f"---\nlang: en-GB\n---\n{GERMAN * 3}", "de"),
        ("a.typ", f'#set text(lang: "de")\n{ENGLISH * 3}', "en"),
    ],
)
def test_what_the_text_is_in_beats_what_is_declared(tmp_path, name, source, language):
    (tmp_path / name).write_text(source, encoding="utf-8")
    assert draft_language(Workspace(tmp_path).draft(tmp_path / name)) == language


def test_the_language_is_that_of_the_whole_draft_from_each_of_its_files(tmp_path):
    inputs = "".join(f"\\input{{{name}}}" for name in ("summary", "one", "two"))
    (tmp_path / "main.tex").write_text(tex(inputs, ""))
    (tmp_path / "summary.tex").write_text(FRENCH * 20)
    for name in ("one", "two"):
        (tmp_path / f"{name}.tex").write_text(ENGLISH * 40)
    workspace = Workspace(tmp_path)
    for name in ("main", "summary", "one"):
        assert draft_language(workspace.draft(tmp_path / f"{name}.tex")) == "en"


def test_of_a_language_without_a_list_few_words_count_as_function_words(tmp_path):
    numbered = " ".join(f"λ{chr(945 + n % 24)}{chr(945 + n // 24)}" for n in range(500))
    path = tmp_path / "draft.tex"
    path.write_text(
        f"\\usepackage[greek]{{babel}}\\begin{{document}}{numbered * 12} {'και ' * 99}",
        encoding="utf-8",
    )
    found = function_words_of(Workspace(tmp_path).draft(path))
    assert "και" in found
    assert len(found) == 50


def test_the_words_of_a_short_draft_are_not_taken_for_function_words(tmp_path):
    path = tmp_path / "draft.md"
    path.write_text("---\nlang: ar\n---\nالنحو العربي عند سيبويه، والنحو عند ابن خلدون.", "utf-8")
    assert function_words_of(Workspace(tmp_path).draft(path)) == frozenset()


def test_english_is_recognised_without_what_identifies_languages(monkeypatch):
    monkeypatch.setattr("pincite.text.languages._identifier", pytest.fail)
    prose = Prose("This chapter is about the lines of an image, and how to find them. " * 40)
    draft = Draft(
        Path("a.tex"),
        Path("a.tex"),
        (DraftFile(Path("a.tex"), "", (DraftRegion("", prose=prose),)),),
    )
    assert draft_language(draft) == "en"

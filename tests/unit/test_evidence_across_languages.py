"""What a draft in one language is shown of a work in another."""

import pytest

from markup import write_project
from pincite.checking.claims import verdict_on
from pincite.model.contexts import CitationContext
from pincite.project.workspace import Workspace

DRAFTS = {
    "de": "Die Grammatik beschreibt, was in einem Satz möglich ist, und nicht, wie er gesprochen "
    "wird. Das ist auch für die Übersetzung von Texten wichtig, wenn sie gut sein soll.",
    "fr": "La grammaire décrit ce qui est possible dans une phrase, et non pas comment elle est "
    "prononcée. Cela est aussi important pour la traduction des textes dans cette langue.",
    "es": "La gramática describe lo que es posible en una frase, y no cómo se pronuncia. Esto es "
    "también importante para la traducción de los textos cuando tiene que ser buena.",
}
WORK = """
The current best bound on the minimum distance of quantum LDPC codes is logarithmic in their length.
We propose online versions of bagging and boosting that require only one pass through the data.
The iSOUP-Tree method learns regression and model trees from a stream of the data that was seen.
People die in the war also if it was not fast, and that is a gift which no man has had.
Statistical translation with the BLEU metric reached 27.3 points on the sentences of the test.
"""


def judged(folder, language, claim):
    text = f"\\documentclass{{article}}\\begin{{document}}{DRAFTS[language]}\\cite{{work}}"
    write_project(
        folder,
        f"%! main.tex\n{text}\\bibliography{{refs}}\\end{{document}}\n%! refs.bib\n"
        f"@article{{work, title={{On Codes}}, author={{Shore, A.}}, year=2001}}\n"
        f"%! papers/work.txt\nOn Codes\n{WORK}",
    )
    workspace = Workspace(folder)
    draft = workspace.draft(folder / "main.tex")
    workspace.read_library(draft)
    recommender = workspace.recommender(draft, extent="keys")
    assert recommender.languages("work") == (language, "en")
    context = CitationContext((), (), claim, claim, claim)
    found = recommender.supporting(context, "work")
    return found, verdict_on(recommender, context, recommender.candidates.get("work"), found)


@pytest.mark.parametrize(
    ("language", "claim", "begins"),
    [
        ("de", "Der Abstand von LDPC-Codes wächst logarithmisch mit der Länge.", "The current"),
        ("fr", "La distance minimale des codes quantiques LDPC est logarithmique.", "The current"),
        ("es", "El método iSOUP-Tree aprende árboles de regresión.", "The iSOUP"),
        ("de", "Eine statistische Übersetzung erreichte 27,3 BLEU.", "Statistical"),
    ],
)
def test_names_numbers_and_cognates_are_evidence(language, claim, begins, tmp_path):
    found, verdict = judged(tmp_path, language, claim)
    assert [one.text for one in found if one.text.startswith(begins)]
    assert verdict.kind == "supported"


@pytest.mark.parametrize(
    ("language", "claim"),
    [
        ("de", "Die Regeln, die man so nie hat, war also ein Gift in der Schule."),
        ("de", "Die Codes der Höflichkeit sind im Alltag der Menschen sehr verschieden."),
        ("fr", "Les codes de la politesse changent beaucoup dans la vie quotidienne."),
        ("es", "La regresión a la infancia es un tema de los sueños de muchas personas."),
    ],
)
def test_one_word_that_happens_to_be_the_same_is_none(language, claim, tmp_path):
    found, verdict = judged(tmp_path, language, claim)
    assert found == []
    assert (verdict.kind, verdict.reason) == ("not checked", "other language")


def test_a_number_is_found_in_any_language(tmp_path):
    _, verdict = judged(tmp_path, "de", "Die Übersetzung ins Deutsche kam nur auf 27.3 Punkte.")
    assert [one.status for one in verdict.numbers] in (["shown"], ["elsewhere"])

"""The numbers that a draft attributes to a work."""

from pathlib import Path

import pytest

import pincite
from markup import write_project
from pincite.checking.numbers import attributed_numbers
from pincite.checking.verdicts import Verdict
from pincite.model.contexts import CitationContext
from pincite.model.papers import BibEntry, Candidate, ReferencePaper, Sentence
from pincite.model.results import SupportingSentence

SENTENCES = (
    Sentence("The parser has an accuracy of 85.9 % on the treebank.", 3, "103", "Results"),
    Sentence("In 91 % of ponds there are frogs.", 4, "104", "Discussion"),
    Sentence("In 91 % of sentences of the treebank the parser finds a verb.", 5, "105", "Verbs"),
    Sentence("Fifty-four percent are short, and the share of long ones is .37.", 5, "105"),
    Sentence("We have 77 trees, and the tagger is threefold faster.", 5, "105"),
    Sentence("Of these, 24/96 are oaks, nine in ten are old, and two fifths are tall.", 5, "105"),
    Sentence("The parser is twice as fast for one hundred and twelve of them (10⁻⁵).", 5, "105"),
    Sentence("It was trained on 1,200,000 words, an order of magnitude more.", 5, "105"),
)
SHOWN = SupportingSentence(SENTENCES[0].text, 1.0)


def found(asked, *, shown=(SHOWN,), alone=True, clause=None, **known):
    known = {"basis": "full text", "numbers": ((6, "97.1 12"),), **known}
    paper = ReferencePaper("Parsing", sentences=SENTENCES, **known)
    candidate = Candidate("smith", paper, BibEntry("smith", "article", {}, Path()))
    context = CitationContext((), (), asked, asked, clause or asked, is_alone=alone)
    return [
        (each.written, each.status, each.place)
        for each in attributed_numbers(context, candidate, shown)
    ]


def test_a_number_in_a_supporting_sentence_is_shown():
    assert found("Parsers reach 86 %.") == [("86 %", "shown", "")]


def test_a_number_elsewhere_is_where_the_sentence_resembles_the_claim_most():
    claim = "The parser finds a verb in 91 percent of sentences."
    assert found(claim) == [("91 percent", "elsewhere", "p. 105, Verbs")]


def test_a_number_may_be_in_a_table():
    assert found("The tagger has 97.1 %.") == [
        ("97.1 %", "elsewhere", "a table or formula on p. 6")
    ]
    assert found("The tagger has 12 %.") == [], "a small number in a table may be any"


def test_a_number_that_the_full_text_lacks_is_missing():
    assert found("The tagger has 63 % (n = 815).") == [
        ("63 %", "missing", ""),
        ("n = 815", "missing", ""),
    ]


@pytest.mark.parametrize(
    "claim",
    [
        "The tagger has 77 %.", "Short are 54 %.", "Long are 37 %.", "It is 3-fold faster.",
        "About 63 % are nouns.", "The tagger has more than 63 %.", "It differs (p < .001).",
        "Oaks are 25 %.", "In 90 % they are old.", "It is 2-fold faster.", "It has n = 112.",
        "It differs (p = 1e-5).", "It has n = 1.2 million.", "It is 10 times larger.",
        "In 40 % it is tall.", "All of 100 % count.", "It has 0 % errors.",
        "We found 63 % nouns.", "In Table 3 there are 63 %.", "It weighs 6.3 kg.",
    ],
)  # fmt: skip
def test_a_number_that_may_be_there_or_be_anothers_is_not_missing(claim):
    assert "missing" not in [status for _, status, _ in found(claim)]


def test_nothing_is_missing_where_that_is_not_certain():
    claim = "The tagger has 63 %."
    assert found(claim, alone=False) == []
    assert found(claim, numbers=None) == []
    assert found(claim, page_count=3_000) == []
    assert found(claim, basis="abstract") == []


def test_only_the_clause_of_the_citation_attributes_numbers():
    assert found("Nouns are 63 %. These are long.", clause="These are long.") == []


def test_numbers_next_to_each_other_in_a_table_are_two():
    assert found("The tagger has 63 %.", numbers=((6, "63 100"),)) == []


def test_a_verdict_states_what_is_not_shown():
    def verdict(claim):
        paper = ReferencePaper("Parsing", "full text", SENTENCES, numbers=())
        numbers = attributed_numbers(
            CitationContext((), (), claim, claim, claim), Candidate("smith", paper), (SHOWN,)
        )
        return Verdict("supported", "strong", 5, None, numbers)

    both = verdict("The parser finds a verb in 91 %.")
    assert both.about_numbers() == "91 %: p. 105, Verbs."
    lacking = verdict("The parser finds a verb in 91 %, tags are right in 63 %.")
    assert lacking.about_numbers() == "No 63 % in the full text. 91 %: p. 105, Verbs."
    assert lacking.about_missing("Smith 2010") == "No 63 % in the full text of Smith 2010."
    assert lacking.is_weak
    assert not both.is_weak
    assert verdict("Parsers reach 86 %.").about_numbers() == ""


def test_a_project_has_numbers_among_its_remarks(tmp_path):
    main = write_project(
        tmp_path,
        r"""
%! main.tex
\documentclass{article}\begin{document}
In 63\,\% of the ponds frogs quak loudly, and 97.1\,\% of them are green \cite{frogs}.
\bibliography{refs}\end{document}
%! refs.bib
@article{frogs, title={Frogs in Ponds}, author={Frog, A.}, year=1954}
%! papers/frogs.md
# Frogs in Ponds

Frogs quak loudly in ponds at night because they want to be heard.

|| green || 97.1 ||
||-------||------||
""",
    )
    project = pincite.open(main)
    found = project.support(project.citations[0].place, "frogs")
    assert found.remarks == ("No 63 % in the full text. 97.1 %: a table or formula.",)
    (finding,) = project.check(["weak-support"])
    assert finding.message == "No 63 % in the full text of Frog 1954."


def test_each_citation_of_a_sentence_has_the_numbers_of_its_own_clause(tmp_path):
    main = write_project(
        tmp_path,
        r"""
%! main.md
Green frogs are 18 % [@frogs] and brown toads 19 % of all amphibians in ponds [@toads].
%! refs.bib
@article{frogs, title={Frogs in Ponds}, author={Frog, A.}, year=1954}
@article{toads, title={Toads in Ponds}, author={Toad, A.}, year=1955}
%! papers/frogs.md
# Frogs in Ponds

Green frogs are 18 % of all amphibians in ponds.
%! papers/toads.md
# Toads in Ponds

Brown toads are 19 % of all amphibians in ponds.
""",
    )
    assert pincite.open(main).check(["weak-support"]) == []

"""What is around a place: its paragraph, its sentence, the headings above it."""

import pytest

from pincite.contexts.surroundings import SurroundedText
from pincite.model.citing_text import CitedPlace, CitingText, TextPart
from pincite.model.drafts import CITATION_MARK
from pincite.ranking.draft_citations import DraftCitations
from pincite.representations.entry_terms import TermIds
from small_places import Opened

M = CITATION_MARK

THESIS = r"""
\documentclass{book}
\begin{document}
\chapter{Gardens of stone}
\section{Wet walls}
Moss needs rain. Lichen lives on \emph{granite}, so they say | everywhere. Dry it is.

Another paragraph.
\subsection{Damp corners}
\section{Dry walls}
\end{document}
"""


def around(marked, **options):
    opened = Opened(marked)
    return SurroundedText(opened.citing).around(opened.cursor, **options)


def test_words_are_those_of_the_paragraph_and_some_of_them_of_the_sentence():
    found = around(THESIS)
    assert found.left == tuple("Moss needs rain Lichen lives on granite so they say".split())
    assert found.right == ("everywhere", "Dry", "it", "is")
    assert (found.sentence_left, found.sentence_right) == (7, 1)
    # A window of both sides runs over paragraphs.
    assert found.before[:2] == ("Gardens", "of")
    assert found.after[:6] == ("everywhere", "Dry", "it", "is", "Another", "paragraph")


def test_headings_are_those_above_the_nearest_first():
    assert around(THESIS).headings == ("Wet", "walls", "Gardens", "of", "stone")
    later = THESIS.replace("|", "").replace("\\end{document}", "It | ends.\n\\end{document}")
    assert around(later).headings == ("Dry", "walls", "Gardens", "of", "stone")
    damp = THESIS.replace("|", "").replace("corners}\n", "corners}\nIt | ends.\n")
    assert around(damp).headings == (
        *("Damp", "corners", "Wet", "walls"),
        *("Gardens", "of", "stone"),
    )


def test_in_a_heading_only_what_is_left_of_the_place_is_known():
    marked = r"\section{Walls of | granite}Text."
    assert around(marked, right=False).headings == ("Walls", "of")
    assert around(marked).headings == ("Walls", "of", "granite")


def test_an_empty_text_has_nothing_around():
    found = SurroundedText(CitingText.of("")).around(0)
    assert found.left == found.right == found.headings == found.before == found.after == ()


@pytest.mark.parametrize("where", [9, 500, 1_500, 4_900])
def test_of_a_very_long_paragraph_the_sentence_is_that_of_the_place(where):
    sentences = [f"Sentence number {n} has seven words {M}." for n in range(5_000)]
    text = " ".join(sentences)
    offset = text.index(sentences[where]) + sentences[where].index(M)
    found = SurroundedText(CitingText.of(text)).around(offset)
    assert found.left[-found.sentence_left :] == tuple(
        f"Sentence number {where} has seven words".split()
    )
    assert found.sentence_right == 0
    following = SurroundedText(CitingText.of(text)).around(offset - len("words "))
    assert following.right[: following.sentence_right] == ("words",)


# The citations of a draft


def words_seen(text, offset):
    ids = TermIds(str)
    starts = [at for at, sign in enumerate(text) if sign == M]
    surrounded = SurroundedText(CitingText.of(text))
    citations = DraftCitations.of(surrounded, starts, [[0]] * len(starts), ids)
    word_of = {number: word for word, number in ids.items()}
    terms, owner = citations.seen_terms(offset)
    found: dict[int, list[str]] = {}
    for term, number in zip(terms.tolist(), owner.tolist(), strict=True):
        found.setdefault(number, []).append(word_of[term])
    return found


def test_words_round_a_citation_end_with_its_paragraph():
    text = f"Alpha beta.\n\nMoss grows {M} here.\n\nGamma delta {M}."
    assert words_seen(text, text.rindex(M)) == {0: ["Moss", "grows"]}


def test_of_a_very_long_paragraph_no_words_after_a_place_are_seen():
    filler = " ".join(f"w{n}" for n in range(6_000))
    text = f"{filler} alpha {M} beta gamma delta {M} epsilon"
    found = words_seen(text, text.rindex(M))
    assert found[0][-4:] == ["alpha", "beta", "gamma", "delta"]
    assert words_seen(text, text.index("gamma"))[0][-2:] == ["alpha", "beta"]


def test_a_place_is_beside_what_its_paragraph_cites():
    first = "One ¤ and two ¤ here.\n\nThree ¤ there.\n\nNothing."
    places = [CitedPlace(first.index("¤"), ("a", "b")), CitedPlace(first.index("¤ here"), ("c",))]
    places.append(CitedPlace(first.index("¤ there"), ("d",)))
    second = TextPart("Four ¤.", (CitedPlace(5, ("e",)),))
    text = CitingText((TextPart(first, tuple(places)), second), (0, len(first) + 2))
    asked = [first.index(word) for word in ("One", "here.", "Three", "there.", "Nothing")]
    assert [text.cited_around(at) for at in asked] == [
        {"a", "b", "c"}, {"a", "b", "c"}, {"d"}, {"d"}, set(),
    ]  # fmt: skip
    assert text.cited_around(text.length) == text.cited_around(len(first) + 2) == {"e"}

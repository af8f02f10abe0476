"""What a citation stands for in its sentence: ⟦⟧ is the citation, ¤ are others."""

import pytest

from pincite.contexts.windows import asked_at, citance_at
from pincite.model.drafts import CITATION_MARK


def asked(prose):
    offset = prose.index("⟦⟧")
    return asked_at(prose.replace("⟦⟧", "¤").replace("¤", CITATION_MARK), offset)


@pytest.mark.parametrize(
    ("prose", "expected"),
    [
        # One citation, or several for one thing: the sentence.
        (
            "Rare terms weigh more in a match ⟦⟧.",
            "Rare terms weigh more in a match.",
        ),
        (
            "Rare terms weigh more in a match [¤, ⟦⟧ and ¤] than common ones.",
            "Rare terms weigh more in a match than common ones.",
        ),
        # Several for several things: each has what stands before it.
        (
            "Stack decoders extend partial hypotheses ⟦⟧, and beam search prunes the weak ones ¤.",
            "Stack decoders extend partial hypotheses",
        ),
        (
            "Stack decoders extend partial hypotheses ¤, and beam search prunes the weak ones ⟦⟧.",
            ", and beam search prunes the weak ones.",
        ),
        # A name that begins a clause has what stands behind it.
        (
            "⟦⟧ combined word recurrence with a thesaurus; ¤ relied on collocations in the text.",
            "combined word recurrence with a thesaurus;",
        ),
        (
            "¤ combined word recurrence with a thesaurus, while ⟦⟧ relied on collocations and linguistic cues.",
            "relied on collocations and linguistic cues.",
        ),
        # A part that says too little is no part.
        (
            "The tasks are parsing ⟦⟧, tagging ¤ and the resolution of pronouns ¤.",
            "The tasks are parsing, tagging and the resolution of pronouns.",
        ),
    ],
)
def test_a_citation_asks_for_its_own_part_of_the_sentence(prose, expected):
    assert asked(prose) == expected


def test_a_sentence_that_leans_on_the_one_before_is_read_with_it():
    before = "Discontinuous phrases are parsed with range concatenation grammars."
    assert asked(f"{before} This takes polynomial time for every fixed fan-out ⟦⟧.") == (
        f"{before} This takes polynomial time for every fixed fan-out."
    )
    assert asked(f"{before} See ⟦⟧.") == f"{before} See."


def test_what_was_described_elsewhere_is_what_is_done_around_it():
    assert asked(
        "Retinas were fixed in glutaraldehyde. Sections were cut as described previously ⟦⟧. "
        "They were stained with uranyl acetate."
    ) == (
        "Retinas were fixed in glutaraldehyde. Sections were cut as described previously. "
        "They were stained with uranyl acetate."
    )


@pytest.mark.parametrize("prose", ["⟦⟧", "¤⟦⟧¤", " \n⟦⟧", "a.⟦⟧\n\nb"])
def test_next_to_nothing_is_read_without_fault(prose):
    offset = prose.index("⟦⟧")
    marked = prose.replace("⟦⟧", "¤").replace("¤", CITATION_MARK)
    assert CITATION_MARK not in asked_at(marked, offset)
    assert CITATION_MARK not in citance_at(marked, offset)

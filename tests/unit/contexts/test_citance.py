"""What a citation stands for in its sentence: ⟦⟧ is the citation, ¤ are others."""

import pytest

from pincite.contexts.windows import asked_at, citance_at
from pincite.model.drafts import CITATION_MARK


def asked(prose):
    offset = prose.index("⟦⟧")
    return asked_at(prose.replace("⟦⟧", "¤").replace("¤", CITATION_MARK), offset)


LED = "Discontinuous phrases are parsed with range concatenation grammars. "


@pytest.mark.parametrize(
    ("prose", "expected"),
    [
        # One citation, or several for one thing: the sentence.
        ("Rare terms weigh more in a match ⟦⟧.", "Rare terms weigh more in a match."),
        ("Rare terms weigh more in a match [¤, ⟦⟧ and ¤] than others.", "Rare terms weigh more in a match than others."),
        # Several for several things: each has what stands before it.
        ("Stack decoders extend partial hypotheses ⟦⟧, and beam search prunes the weak ones ¤.", "Stack decoders extend partial hypotheses"),
        ("Stack decoders extend partial hypotheses ¤, and beam search prunes the weak ones ⟦⟧.", ", and beam search prunes the weak ones."),
        # A name that begins a clause has what stands behind it.
        ("⟦⟧ combined word recurrence with a thesaurus; ¤ relied on collocations in the text.", "combined word recurrence with a thesaurus;"),
        ("¤ combined word recurrence with a thesaurus, while ⟦⟧ relied on collocations and linguistic cues.", "relied on collocations and linguistic cues."),
        # A part that says too little is no part.
        ("The tasks are parsing ⟦⟧, tagging ¤ and the resolution of pronouns ¤.", "The tasks are parsing, tagging and the resolution of pronouns."),
        # A sentence that leans on the one before is read with it.
        (LED + "This takes polynomial time for every fixed fan-out ⟦⟧.", LED + "This takes polynomial time for every fixed fan-out."),
        (LED + "See ⟦⟧.", LED + "See."),
        # What was described elsewhere is what is done around it.
        (LED + "Sections were cut as described previously ⟦⟧. They were stained.", LED + "Sections were cut as described previously. They were stained."),
    ],
)  # fmt: skip
def test_a_citation_asks_for_its_own_part_of_the_text(prose, expected):
    assert asked(prose) == expected


@pytest.mark.parametrize("prose", ["⟦⟧", "¤⟦⟧¤", " \n⟦⟧", "a.⟦⟧\n\nb"])
def test_next_to_nothing_is_read_without_fault(prose):
    offset = prose.index("⟦⟧")
    marked = prose.replace("⟦⟧", "¤").replace("¤", CITATION_MARK)
    assert CITATION_MARK not in asked_at(marked, offset)
    assert CITATION_MARK not in citance_at(marked, offset)

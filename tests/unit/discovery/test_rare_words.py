"""The words that are proposed for a search of the literature."""

import pytest

from pincite.discovery.literature import rare_words


@pytest.mark.parametrize(
    ("sentence", "proposed"),
    [
        ("The beavers build dams in a wide river.", "beavers build dams wide river"),
        # Where each word would do, the commonest is left out: the sentence stays here.
        ("Beavers build river dams.", "Beavers build dams"),
        ("Beavers", "Beavers"),
        ("", ""),
    ],
)
def test_the_rarest_words_are_proposed_and_never_the_sentence(sentence, proposed):
    draft = "The river, a wide river, has dams. Each river does. Beavers build."
    assert rare_words(sentence, draft, {"the", "in", "a"}) == proposed

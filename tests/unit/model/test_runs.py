from hypothesis import given
from hypothesis import strategies as st

from pincite.model.runs import shared_ends

THINGS = [object() for _ in range(3)]
SOME = st.lists(st.sampled_from(THINGS), max_size=8)


@given(SOME, SOME)
def test_shared_ends_are_as_long_as_they_can_be_and_do_not_overlap(new, old):
    front, behind = shared_ends(new, old)
    assert front + behind <= min(len(new), len(old))
    assert new[:front] == old[:front]
    assert new[len(new) - behind :] == old[len(old) - behind :]
    new, old = new[front : len(new) - behind], old[front : len(old) - behind]
    assert not (new and old) or (new[0] is not old[0] and new[-1] is not old[-1])


def test_equal_things_are_not_the_same():
    assert shared_ends([[1]], [[1]]) == (0, 0)

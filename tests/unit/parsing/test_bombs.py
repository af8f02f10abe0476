"""Small files that want to be large, each with every reader of what a project or the network has."""

import pytest

pytest.importorskip("resource", reason="no limits of memory here")

from torture.hostile.bombs import exploded
from torture.hostile.readers import READERS

#: The torture suite tries larger ones.
BYTES = 20_000


@pytest.mark.parametrize("reader", [each.name for each in READERS])
def test_no_reader_takes_more_of_a_bomb_than_there_is(reader, tmp_path):
    assert exploded(reader, BYTES, tmp_path) == []

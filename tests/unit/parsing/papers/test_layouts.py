"""Papers in the layouts of publishers, typeset with known text (`benchmarks/layouts`)."""

import json

import pytest
from benchmarks.layouts.__main__ import PAPERS, Row, row_of
from benchmarks.layouts.make import LAYOUTS

TRUTH = json.loads((PAPERS / "truth.json").read_text("utf-8"))


def test_every_layout_has_its_paper() -> None:
    names = {layout.name for layout in LAYOUTS}
    assert len(names) == len(LAYOUTS) >= 20
    assert names == set(TRUTH) == {path.stem for path in PAPERS.glob("*.pdf")}


@pytest.mark.parametrize("name", sorted(TRUTH))
def test_a_layout_is_read_as_it_was_set(name: str) -> None:
    row: Row = row_of(PAPERS, name, TRUTH[name])
    assert row.title
    assert (row.order, row.labels) == (1.0, 1.0)
    assert row.sentences >= 0.98
    assert min(row.references, row.precision) >= 0.97
    assert min(row.markers, row.right) >= 0.95

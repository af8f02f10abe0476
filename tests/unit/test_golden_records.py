"""Records of what authors get: what counts as a difference."""

import pytest

from golden import records


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"a": [1, "x"]}, {"a": [1, "x"]}, []),
        ({"p": 0.25}, {"p": 0.25 + 1e-12}, []),
        ({"p": 0.25}, {"p": 0.26}, [".p: 0.25 before, 0.26 after"]),
        ({"n": 1}, {"n": True}, [".n: 1 before, true after"]),
        ({"a": 1}, {"b": 1}, [".a: only before", ".b: only after"]),
        ([1, 2], [1], [": 2 items before, 1 after"]),
        ([{"k": "x"}], [{"k": "y"}], ['[0].k: "x" before, "y" after']),
    ],
)
def test_differences(before, after, expected):
    assert list(records.differences(before, after)) == expected


def test_a_record_is_read_as_it_was_written(tmp_path):
    value = {"text": "naïve \ud800", "n": [1, 0.5, None]}
    records.write(tmp_path, "a/b", value)
    assert records.read(tmp_path, "a/b") == value
    assert records.read(tmp_path, "a/c") is None
    assert records.digest(records.read(tmp_path, "a/b")) == records.digest(value)

"""Vectors of texts in the index: encoded once, under the encoder's name."""

import numpy as np
import pytest

from pincite.library.index import PaperIndex
from pincite.library.text_vectors import StoredVectors


class Counting:
    """An encoder that counts what it encodes."""

    def __init__(self, name="counting", size=4):
        self.name, self.size, self.encoded = name, size, []

    def sentences(self, texts):
        self.encoded += texts
        lengths = [float(len(text)) for text in texts]
        return np.repeat(np.asarray(lengths, np.float32)[:, None], self.size, axis=1)


@pytest.fixture(name="index")
def opened_index(tmp_path):
    return PaperIndex(tmp_path / "index.sqlite")


TEXTS = [f"text {'x' * number}" for number in range(20)]


def test_each_text_is_encoded_once_by_any_process(index, tmp_path):
    encoder = Counting()
    vectors = StoredVectors(encoder, index)
    assert not vectors.known(TEXTS).any()
    assert vectors.encode([*TEXTS, *TEXTS])
    assert sorted(encoder.encoded) == sorted(TEXTS)
    again = StoredVectors(Counting(), PaperIndex(tmp_path / "index.sqlite"))
    assert again.encode(TEXTS)
    assert again.known(TEXTS)[:, 0].tolist() == [float(len(text)) for text in TEXTS]


def test_a_text_that_is_new_or_empty_has_no_vector(index):
    vectors = StoredVectors(Counting(), index)
    vectors.encode(["known", ""])
    assert vectors.known(["known", "new", ""]).any(axis=1).tolist() == [True, False, False]
    assert vectors.known([]).shape[0] == 0


def test_another_encoder_has_vectors_of_its_own(index):
    StoredVectors(Counting("one"), index).encode(TEXTS)
    assert not StoredVectors(Counting("other"), index).known(TEXTS).any()


def test_what_was_encoded_before_it_was_stopped_stays(index):
    vectors = StoredVectors(Counting(), index)
    answers = iter([False, True])
    assert not vectors.encode(TEXTS, cancelled=lambda: next(answers))
    number = int(vectors.known(TEXTS).any(axis=1).sum())
    assert 0 < number < len(TEXTS)
    assert vectors.encode(TEXTS)
    assert vectors.known(TEXTS).any(axis=1).all()


@pytest.mark.parametrize("damaged", ["x'00'", "zeroblob(4000)"])
def test_a_damaged_vector_is_none(index, damaged):
    vectors = StoredVectors(Counting(), index)
    vectors.encode(TEXTS)
    index._rows(
        f"UPDATE vectors SET vector = {damaged} WHERE digest = (SELECT min(digest) FROM vectors)"
    )
    assert vectors.known(TEXTS).any(axis=1).sum() == len(TEXTS) - 1


def test_emptying_the_index_removes_vectors(index):
    vectors = StoredVectors(Counting(), index)
    vectors.encode(TEXTS)
    index.clear()
    assert not vectors.known(TEXTS).any()

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest

from pincite.matching.vectors import UNKNOWN, WordVectors
from pincite.model.problems import InputError
from pincite.text.tokens import words
from pincite_evaluation.vector_training import save

WORDS = ["parser", "Treebank", "the", "naïve"]
COUNTS = [3, 1, 40, 2]
VECTORS = np.array(
    [[3.0, 4.0, 0.0], [0.0, 0.0, 0.02], [-1.0, 2.0, -2.0], [0.0, 0.0, 0.0]], np.float32
)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "toy.safetensors"
    save(path, WORDS, VECTORS, COUNTS, {"tokens": "50", "seed": "1"})
    return path


def test_round_trip_within_quantisation_error(model: Path) -> None:
    vectors = WordVectors.load(model)
    assert vectors.words == ("the", "parser", "naïve", "Treebank")
    assert (len(vectors), vectors.dimensions, vectors.tokens) == (4, 3, 50)
    # A signed byte of the largest number's scale is at most half a step away.
    step = np.abs(VECTORS).max(axis=1, keepdims=True) / 127
    error = np.abs(vectors.vectors(vectors.rows(WORDS)) - VECTORS)
    assert (error <= step / 2 + 1e-6).all()
    np.testing.assert_allclose(
        vectors.unit(vectors.rows(["parser", "Treebank"])), [[0.6, 0.8, 0], [0, 0, 1]], atol=0.01
    )


def test_unquantised_vectors_stay_exact(tmp_path: Path) -> None:
    path = tmp_path / "float.safetensors"
    save(path, WORDS, VECTORS, COUNTS, {}, quantise=False)
    vectors = WordVectors.load(path)
    np.testing.assert_array_equal(vectors.vectors(vectors.rows(WORDS)), VECTORS)


def test_unit_vectors_are_32_bit_and_a_zero_vector_stays_zero(model: Path) -> None:
    vectors = WordVectors.load(model)
    unit = vectors.unit(vectors.rows(["the", "naïve"]))
    assert unit.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(unit, axis=1), [1, 0], atol=1e-6)


def test_unknown_words(model: Path) -> None:
    vectors = WordVectors.load(model)
    rows = vectors.rows(["lattice", "parser"])
    assert rows.tolist() == [-1, 1]
    assert vectors.unit(rows)[0].tolist() == [0, 0, 0]
    assert vectors.probability(["lattice", "the"]).tolist() == [0, 0.8]
    assert "lattice" not in vectors
    assert "the" in vectors


def test_words_are_cased(model: Path) -> None:
    vectors = WordVectors.load(model)
    assert vectors.rows(["parser", "Parser", "Treebank", "treebank"]).tolist() == [1, -1, 3, -1]
    assert vectors.probability(["Parser"]).tolist() == [0]


def test_with_stems_a_form_without_a_vector_has_that_of_another_form(tmp_path: Path) -> None:
    path = tmp_path / "stems.safetensors"
    words, vectors = ["parser", "parsers", "Trees"], np.eye(3)
    save(path, words, vectors, [5, 9, 2], {"tokens": "20"}, stems=True)
    model = WordVectors.load(path)
    assert model.words == ("parsers", "parser", "Trees")
    forms = ["parser", "Parser", "Parsering", "tree", "lattice"]
    # The form in lower case, else the most frequent one with the same stem.
    assert model.rows(forms).tolist() == [1, 1, 0, 2, -1]
    # The same form, not the same stem, shows how often a word occurs.
    assert model.probability(forms).tolist() == [0.25, 0.25, 0, 0, 0]
    save(path, words, vectors, [5, 9, 2], {"tokens": "20"})
    assert WordVectors.load(path).rows(forms).tolist() == [1, -1, -1, -1, -1]


def test_a_stem_that_names_no_word_is_an_input_error(tmp_path: Path) -> None:
    path = tmp_path / "stems.safetensors"
    save(path, ["tree", "parser"], np.eye(2), [2, 1], {}, stems=True)
    content = path.read_bytes()
    stem_rows = np.array([0, 1], "<u4").tobytes()
    assert content.count(stem_rows) == 1
    path.write_bytes(content.replace(stem_rows, np.array([0, 2], "<u4").tobytes()))
    with pytest.raises(InputError, match="a stem has no word"):
        WordVectors.load(path)


def test_the_word_for_all_rare_words_is_taken_only_by_name(tmp_path: Path) -> None:
    path = tmp_path / "unknown.safetensors"
    save(path, [UNKNOWN, "tree"], [[0.0, 1.0], [1.0, 0.0]], [3, 2], {"tokens": "5"})
    vectors = WordVectors.load(path)
    assert vectors.rows(["lattice", "tree", UNKNOWN]).tolist() == [-1, 1, 0]
    assert vectors.probability(["lattice", UNKNOWN]).tolist() == [0, 0.6]
    # No word of a text is mistaken for it.
    assert UNKNOWN not in words(f"the token {UNKNOWN} of a paper")


def test_a_model_without_words_can_be_saved(tmp_path: Path) -> None:
    path = tmp_path / "none.safetensors"
    save(path, [], np.zeros((0, 3), np.float32), [], {})
    assert len(WordVectors.load(path)) == 0


def test_another_process_gets_the_same_model(model: Path) -> None:
    vectors = WordVectors.load(model)
    copied = pickle.loads(pickle.dumps(vectors))
    assert (copied.words, copied.metadata) == (vectors.words, vectors.metadata)
    np.testing.assert_array_equal(copied.unit([0, 1]), vectors.unit([0, 1]))


def _with_header(model: Path, change: str, value: object) -> bytes:
    data = model.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    header[change] = value
    encoded = json.dumps(header).encode()
    return len(encoded).to_bytes(8, "little") + encoded + data[8 + length :]


@pytest.mark.parametrize(
    "damage",
    [
        lambda model: b"",
        lambda model: b"only text, no model\n" * 50,
        lambda model: model.read_bytes()[:-3],
        lambda model: _with_header(model, "__metadata__", {"format": "pt"}),
        lambda model: _with_header(
            model, "counts", {"dtype": "U32", "shape": [1], "data_offsets": [16, 20]}
        ),
    ],
)
def test_a_damaged_or_foreign_file_is_an_input_error(model: Path, damage) -> None:
    model.write_bytes(damage(model))
    with pytest.raises(InputError, match=r"toy\.safetensors"):
        WordVectors.load(model)


def test_a_missing_file_and_a_folder_are_input_errors(tmp_path: Path) -> None:
    for path in (tmp_path / "absent", tmp_path):
        with pytest.raises(InputError, match="cannot read word vectors"):
            WordVectors.load(path)


def test_saving_replaces_and_leaves_nothing_beside_it(model: Path) -> None:
    save(model, ["new"], [[1.0]], [1], {})
    assert WordVectors.load(model).words == ("new",)
    assert [path.name for path in model.parent.iterdir()] == [model.name]


@pytest.mark.parametrize(
    ("word", "near", "far"),
    [
        ("parser", "parsing", "percent"),
        ("kinase", "phosphorylation", "stars"),
        ("galaxy", "stars", "kinase"),
        ("inflation", "prices", "topology"),
    ],
)
def test_packaged_model_knows_words_of_every_field(word: str, near: str, far: str) -> None:
    vectors = WordVectors.packaged()
    one, same, other = vectors.unit(vectors.rows([word, near, far]))
    assert one @ same > one @ other


def test_packaged_model_is_opened_once_and_is_small() -> None:
    vectors = WordVectors.packaged()
    assert vectors is WordVectors.packaged()
    assert vectors.dimensions == 128
    assert 10_000 < len(vectors) < 60_000
    the, parse = vectors.probability(["the", "parse"])
    assert 0.03 < the < 0.1 > 0.01 > parse > 0

"""The systems by name: what can be set, and how the rest is refused."""

import json
import pickle

import pytest

from pincite.matching.vectors import WordVectors
from pincite.model.problems import InputError
from pincite_evaluation.baselines.bm25 import Bm25Matcher, RerankerMatcher
from pincite_evaluation.baselines.fields import FIELD_1, FIELD_2, FIELD_3, PLAIN
from pincite_evaluation.baselines.systems import SYSTEMS, chosen
from pincite_evaluation.vector_training import VectorRecipe

RECIPES = {
    "asymmetric-trained": VectorRecipe(),
    "asymmetric-markers": VectorRecipe(markers="keep"),
    "asymmetric-unk": VectorRecipe(unknown=True, min_count=35),
}


def one(name, *given, top=None):
    (system,) = chosen([name], given, top)
    return system


def refused(name, *given, top=None):
    with pytest.raises(InputError) as error:
        chosen([name], given, top)
    return str(error.value)


@pytest.mark.parametrize("name", SYSTEMS)
def test_params_are_all_that_can_be_set(name):
    system = SYSTEMS[name]
    assert json.loads(json.dumps(system.params, allow_nan=False)) == system.params
    for parameter, value in system.params.items():
        written = str(value).lower() if value is None or isinstance(value, bool) else value
        again = one(name, f"{parameter}={written}")
        assert again.params == system.params
        assert again.recipe == system.recipe
        # It is what it was.
        assert again.changed == {}


@pytest.mark.parametrize("name", SYSTEMS)
def test_systems_go_to_other_processes(name):
    system = one(name, top=3)
    again = pickle.loads(pickle.dumps(system))
    assert (again, again.params, again.recipe) == (system, system.params, system.recipe)
    assert again.params["k"] == 3


def test_only_what_needs_another_text_has_vectors_of_its_own():
    assert {n: s.recipe for n, s in SYSTEMS.items() if s.recipe is not None} == RECIPES
    assert "epochs" not in SYSTEMS["asymmetric"].params
    assert SYSTEMS["asymmetric-trained"].params["epochs"] == VectorRecipe().epochs
    assert not SYSTEMS["bm25"].uses_vectors


@pytest.mark.parametrize(
    ("name", "given", "recipe"),
    [
        ("asymmetric", "cased=false", VectorRecipe(cased=False)),
        ("asymmetric", "cased=true", None),
        ("asymmetric", "markers=keep", VectorRecipe(markers="keep")),
        ("asymmetric", "unk=true", VectorRecipe(unknown=True)),
        ("asymmetric", "min_count=50", VectorRecipe(min_count=50)),
        ("asymmetric-markers", "epochs=2", VectorRecipe(markers="keep", epochs=2)),
        ("asymmetric-unk", "cased=false", VectorRecipe(cased=False, unknown=True, min_count=35)),
        ("tfidf", "k=9", None),
    ],
)
def test_what_is_set_determines_what_vectors_are_needed(name, given, recipe):
    assert one(name, given).recipe == recipe


@pytest.mark.parametrize(
    ("given", "value"),
    [
        ("d=2", 2.0),
        (" d = 2.5 ", 2.5),
        ("truncation=50", 50),
        ("truncation=None", None),
        ("unk=true", True),
        ("weights=uniform-nostop", "uniform-nostop"),
        ("seed=7", 7),
    ],
)
def test_values_of_each_kind(given, value):
    system = one("asymmetric", given)
    name = given.partition("=")[0].strip()
    assert system.params[name] == value
    assert type(system.params[name]) is type(value)
    assert system.changed == {name: value}
    assert SYSTEMS["asymmetric"].changed == {}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("d=four", "d=four: expected a number"),
        ("k=2.5", "k=2.5: expected a whole number"),
        ("truncation=some", "truncation=some: expected a whole number or none"),
        ("cased=maybe", "cased=maybe: expected true or false"),
        ("similarity=sine", "similarity=sine: expected cosine or dot"),
        ("k", "k: expected PARAM=VALUE"),
        # Refused by the matcher, before a corpus is read.
        ("d=0", "d=0.0: expected a number above 0"),
        ("k=0", "k=0: expected 1 or more"),
        ("truncation=0", "truncation=0: expected 1 word or more, or none"),
        ("min_count=0", "min_count=0: expected 1 or more"),
        ("epochs=-1", "epochs=-1: expected 1 or more"),
    ],
)
@pytest.mark.parametrize("name", ["asymmetric", "asymmetric-unk"])
def test_wrong_values(name, given, message):
    assert message in refused(name, given)


def test_an_infinite_power_is_json_too():
    system = one("asymmetric", "d=inf")
    assert json.loads(json.dumps(system.params, allow_nan=False))["d"] == "inf"
    assert system.changed == {"d": float("inf")}
    assert system.matcher(WordVectors.empty()).d == float("inf")


def test_a_parameter_goes_to_all_that_have_it():
    asymmetric, bm25 = chosen(["asymmetric", "bm25"], ["d=2", "b=0.5"])
    assert asymmetric.changed == {"d": 2.0}
    assert bm25.changed == {"b": 0.5}
    assert bm25.matcher() == Bm25Matcher(**(dict(SYSTEMS["bm25"].parameters) | {"b": 0.5}))


def test_top_is_the_number_of_sentences_of_all():
    assert [system.params["k"] for system in chosen(SYSTEMS, (), 5)] == [5] * len(SYSTEMS)
    # The paper's own number is no change.
    assert [system.changed for system in chosen(["asymmetric", "bm25-2field"], (), 4)] == [
        {"k": 4},
        {},
    ]
    assert one("asymmetric", "k=3", top=3).params["k"] == 3
    assert refused("asymmetric", "k=3", top=5) == "k=3 and k=5 cannot be combined"
    assert refused("asymmetric", "d=2", "d=3") == "d=2 and d=3 cannot be combined"


def test_each_has_the_fields_and_takes_the_sentences_of_its_paper():
    two, three = (FIELD_1, FIELD_2), (FIELD_1, FIELD_2, FIELD_3)
    for name, fields in {"2field": two, "3field": three}.items():
        for system in (SYSTEMS[f"bm25-{name}"], SYSTEMS[f"bm25-{name}-sum"]):
            assert system.matcher().fields == fields
    assert SYSTEMS["bm25"].matcher().fields == (PLAIN,)
    assert RerankerMatcher(None).bm25 == Bm25Matcher(two, "sum", k=4, candidates=10)
    ks = dict.fromkeys(("sbert", "sbert-wce", "sbert-wce-d", "citret"), 3)
    for name, system in SYSTEMS.items():
        assert system.params["k"] == (4 if name.startswith("bm25-") else ks.get(name, 2))

"""The sentence matchers by the names that ``--system`` and the setting `system` use."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from math import inf
from types import NoneType
from typing import Any, get_args, get_type_hints

import msgspec

from pincite.matching.base import SentenceMatcher
from pincite.matching.fused import FusedMatcher
from pincite.matching.sentence_model import SentenceModel
from pincite.matching.vectors import WordVectors
from pincite.model.problems import InputError

from ..training import ModelFolder
from ..vector_training import VectorRecipe
from .bm25 import Bm25Matcher, CrossEncoder, RerankerMatcher
from .encoders import open_encoder
from .fields import FIELD_1, FIELD_2, FIELD_3, PLAIN
from .neal import NealMatcher, NealModel, TfIdfMatcher
from .ricci import AsymmetricMatcher, ContextualMatcher, SymmetricMatcher
from .sbert import CitRetMatcher, SbertMatcher

#: Parameters of a matcher that also apply to training its vectors, by their names in the recipe.
_SHARED = {"cased": "cased", "markers": "markers", "unk": "unknown"}
#: Fields of matchers that are not set by hand.
_PROVIDED = frozenset({"vectors", "encoder", "model", "sentence_model", "fields"})
#: The kind of models whose folder has no transformer.
_FUSED_ENCODER = "fused-encoder"
#: The file of a model of `fused`, in the folder of a part.
SENTENCE_MODEL = "sentence-model.json"
_EXPECTED = {int: "a whole number", float: "a number", bool: "true or false", NoneType: "none"}
_COUNTS = ("k", "candidates", "n", "m", "epochs", "dimensions", "min_count")
#: The least and the greatest value of numbers, and what is expected.
_RANGES: Mapping[str, tuple[float, float, str]] = {
    **dict.fromkeys(_COUNTS, (1, inf, "1 or more")),
    "truncation": (1, inf, "1 word or more, or none"),
    **dict.fromkeys(("seed", "k1"), (0, inf, "0 or more")),
    **dict.fromkeys(("d", "alpha", "boost"), (sys.float_info.min, inf, "a number above 0")),
    **dict.fromkeys(("b", "boosted", "mix", "gamma"), (0, 1, "a number from 0 to 1")),
}
#: The parameters of training word vectors, and their types.
_TRAINING = {n: h for n, h in get_type_hints(VectorRecipe).items() if n not in _SHARED.values()}


@dataclass(frozen=True, slots=True)
class System:
    """A matcher by name: its class, and where it differs from the class's defaults.

    `training` is the recipe of its word vectors, None if any will do; `kind` that of the trained
    models it takes, "" for none; `changed` are the parameters that were set by hand to a different
    value.
    """

    name: str
    matcher_class: type[Any]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    kind: str = ""
    training: Mapping[str, Any] | None = None
    changed: Mapping[str, Any] = field(default_factory=dict)
    model: ModelFolder | None = None

    @property
    def _defaults(self) -> dict[str, Any]:
        return {one.name: one.default for one in fields(self.matcher_class)}

    @property
    def uses_vectors(self) -> bool:
        """Whether the matcher needs word vectors."""
        return "vectors" in self._defaults

    @property
    def uses_encoder(self) -> bool:
        """Whether the matcher needs a transformer."""
        return self._defaults.get("encoder") is MISSING or self.kind == _FUSED_ENCODER

    @property
    def base(self) -> str:
        """The name of the transformer, "" for systems without; `InputError` if it is missing."""
        if self.model is not None:
            return self.model.base
        return open_encoder().name if self.uses_encoder else ""

    @property
    def recipe(self) -> VectorRecipe | None:
        """The recipe for training its word vectors, None if it uses existing ones."""
        if not self.uses_vectors:
            return None
        shared = {_SHARED[name]: self.parameters[name] for name in _SHARED & self.parameters.keys()}
        recipe = VectorRecipe(**shared, **(self.training or {}))
        return None if self.training is None and recipe == VectorRecipe() else recipe

    @property
    def _settable(self) -> dict[str, Any]:
        hints = get_type_hints(self.matcher_class)
        own = {name: hints[name] for name in self._defaults if name not in _PROVIDED}
        # A model, such as that of `fused`, goes with the vectors that it was trained with.
        return {**own, **_TRAINING} if self.uses_vectors and not self.kind else own

    @property
    def params(self) -> dict[str, Any]:
        """All parameters that can be set, with JSON values."""
        recipe = self.recipe
        training = {name: getattr(recipe, name) for name in _TRAINING} if recipe else {}
        values = {**self._defaults, **training, **self.parameters}
        # JSON has no infinite numbers.
        finite = {name: "inf" if value == inf else value for name, value in values.items()}
        return {name: finite[name] for name in self._settable if name in finite}

    def having(self, given: Mapping[str, str]) -> System:
        """Return the system with those of the `given` parameters that it has."""
        before, known = self.params, self._settable.items()
        values = {name: _value(name, given[name], hint) for name, hint in known if name in given}
        new = {n: value for n, value in values.items() if n not in before or before[n] != value}
        parameters = {**self.parameters, **{n: new[n] for n in new if n not in _TRAINING}}
        training = {**(self.training or {}), **{n: new[n] for n in new if n in _TRAINING}}
        return replace(
            self,
            parameters=parameters,
            training=training or self.training,
            changed={**self.changed, **new},
        )

    def with_model(self, model: ModelFolder) -> System:
        """Return the system with a trained model; raises `InputError` for one of another kind."""
        if model.kind != self.kind:
            takes = f"takes models of kind {self.kind!r}" if self.kind else "takes no model"
            raise InputError(f"{self.name} {takes}; {model.folder} is of kind {model.kind!r}")
        return replace(self, model=model, changed={**self.changed, "model": model.folder.name})

    def matcher(
        self, vectors: WordVectors | None = None, paper: str | None = None
    ) -> SentenceMatcher[Any]:
        """Make the matcher, with the part of its model that was not trained on a given paper."""
        part = None if self.model is None else self.model.part(paper)
        given: dict[str, Any] = {"vectors": vectors} if self.uses_vectors else {}
        if self.uses_encoder:
            given["encoder"] = open_encoder(None if self.kind == _FUSED_ENCODER else part)
        if "sentence_model" in self._defaults and part is not None:
            given["sentence_model"] = SentenceModel.load(part / SENTENCE_MODEL)
        if "model" in self._defaults:
            if part is None:
                make = f"pincite train {self.kind} CORPUS -o FOLDER, and --model FOLDER"
                raise InputError(f"{self.name} needs a trained model: {make}")
            given["model"] = (NealModel if self.kind == "neal" else CrossEncoder).load(part)
        matcher: SentenceMatcher[Any] = self.matcher_class(**given, **self.parameters)
        return matcher


def _value(name: str, written: str, hint: Any) -> Any:  # noqa: ANN401
    choices = get_args(hint) or (hint,)
    is_none = written.lower() == "none" and NoneType in choices
    try:
        value = None if is_none else msgspec.convert(written, hint, strict=False)
    except msgspec.ValidationError:
        expected = " or ".join(_EXPECTED.get(choice, choice) for choice in choices)
        raise InputError(f"{name}={written}: expected {expected}") from None
    if value is not None and name in _RANGES:
        least, most, expected = _RANGES[name]
        if not least <= value <= most:
            raise InputError(f"{name}={value}: expected {expected}")
    return value


_TWO, _THREE = {"fields": (FIELD_1, FIELD_2)}, {"fields": (FIELD_1, FIELD_2, FIELD_3)}
_PLAIN = {"fields": (PLAIN,), "combination": "sum", "k": 2, "boost": 1.0, "mask_math": False}

#: `asymmetric-trained` differs from `asymmetric` in the text of its vectors only, which it shares
#: with the two rows after it.
_ROWS: tuple[tuple[Any, ...], ...] = (
    ("fused", FusedMatcher, {}, "fused"),
    ("fused-alone", FusedMatcher, {"others": False}, "fused"),
    ("fused-encoder", FusedMatcher, {}, _FUSED_ENCODER),
    ("asymmetric", AsymmetricMatcher),
    ("asymmetric-d1", AsymmetricMatcher, {"d": 1.0}),
    ("asymmetric-reverse", AsymmetricMatcher, {"direction": "reverse"}),
    ("asymmetric-reverse-d1", AsymmetricMatcher, {"direction": "reverse", "d": 1.0}),
    ("asymmetric-dot", AsymmetricMatcher, {"similarity": "dot"}),
    ("asymmetric-greedy", AsymmetricMatcher, {"optimisation": "greedy"}),
    ("asymmetric-uniform", AsymmetricMatcher, {"weights": "uniform"}),
    ("asymmetric-uniform-nostop", AsymmetricMatcher, {"weights": "uniform-nostop"}),
    ("asymmetric-trained", AsymmetricMatcher, {}, "", {}),
    ("asymmetric-markers", AsymmetricMatcher, {"markers": "keep"}, "", {}),
    ("asymmetric-unk", AsymmetricMatcher, {"unk": True}, "", {"min_count": 35}),
    ("symmetric", SymmetricMatcher),
    ("bm25-2field", Bm25Matcher, _TWO),
    ("bm25-3field", Bm25Matcher, _THREE),
    ("bm25-2field-boosted", Bm25Matcher, {**_TWO, "clauses": "terms", "boost_first": True}),
    ("bm25-2field-sum", Bm25Matcher, {**_TWO, "combination": "sum"}),
    ("bm25-3field-sum", Bm25Matcher, {**_THREE, "combination": "sum"}),
    ("bm25", Bm25Matcher, _PLAIN),
    ("tfidf", TfIdfMatcher),
    ("neal", NealMatcher, {}, "neal"),
    ("bm25-rerank", RerankerMatcher, {}, "reranker"),
    ("sbert", SbertMatcher, {}, "citret"),
    ("sbert-wce", SbertMatcher, {"wce": True}, "citret"),
    ("sbert-wce-d", SbertMatcher, {"wce": True, "denoise": True}, "citret"),
    ("citret", CitRetMatcher, {}, "citret"),
    ("asymmetric-contextual", ContextualMatcher),
    ("asymmetric-contextual-d1", ContextualMatcher, {"d": 1.0}),
    ("asymmetric-contextual-uniform", ContextualMatcher, {"weights": "uniform"}),
)
SYSTEMS: Mapping[str, System] = {row[0]: System(*row) for row in _ROWS}


def with_models(systems: Sequence[System], models: Sequence[ModelFolder]) -> tuple[System, ...]:
    """Return the systems and, for each trained model, copies of the systems that take it."""
    for model in models:
        if model.kind not in {system.kind for system in systems}:
            of = f"a model of kind {model.kind!r}"
            raise InputError(f"{model.folder}: no chosen system takes {of}")
    found: list[System] = []
    for system in systems:
        own = [system.with_model(model) for model in models if model.kind == system.kind]
        found += (*(() if own and not system.uses_encoder else (system,)), *own)
    return tuple(found)


def named(name: str) -> System:
    """Return the system with a name; raises `InputError`, with all names, if there is none."""
    if name not in SYSTEMS:
        raise InputError(f"unknown system {name!r}; choose from {', '.join(SYSTEMS)}")
    return SYSTEMS[name]


def chosen(
    names: Iterable[str], given: Sequence[str] = (), top: int | None = None
) -> tuple[System, ...]:
    """Return the systems with these names, each once, with parameters written ``NAME=VALUE``."""
    systems = tuple(named(name) for name in dict.fromkeys(names))
    parameters: dict[str, str] = {}
    for one in (*given, *(() if top is None else (f"k={top}",))):
        name, separator, value = (part.strip() for part in one.partition("="))
        if not separator:
            raise InputError(f"{one or repr(one)}: expected PARAM=VALUE")
        if parameters.setdefault(name, value) != value:
            raise InputError(f"{name}={parameters[name]} and {name}={value} cannot be combined")
    known = sorted({name for system in systems for name in system._settable})
    for name in parameters:
        if name not in known:
            raise InputError(f"no system has a parameter {name!r}; choose from {', '.join(known)}")
    return tuple(system.having(parameters) for system in systems)

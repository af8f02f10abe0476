"""The discourse facet of a citation: which aspect of the cited paper a citance refers to.

One-vs-rest perceptrons on TF-IDF of the uni- and bigrams in the citance and in the supporting
sentences (Aumiller et al. 2020, section 3.2), trained by `evaluation.facets`. Differences: the
stop list is ours, not NLTK's, and citation markers are removed first. To lemmatise without a
dictionary of the whole language, a model keeps the inflected forms of its own vocabulary.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, Literal, get_args

import numpy as np
import numpy.typing as npt

from pincite.model.problems import InputError
from pincite.text.markers import without_markers
from pincite.text.tokens import composed, terms, words
from pincite.whole_files import write_model

Facet = Literal["Aim", "Hypothesis", "Implication", "Method", "Results"]
FACETS: Final[tuple[Facet, ...]] = get_args(Facet)

Floats = npt.NDArray[np.float64] | npt.NDArray[np.float32]

#: Name of a model in its folder.
FILE: Final = "facets.npz"
FORMAT: Final = "pincite-facets-1"
_ARRAYS: Final = ("idf", "weights", "biases", "thresholds")
#: With a larger share of unknown words, the text is from another field or language.
_MIN_KNOWN: Final = 0.5


def lemmas_of(text: str, lemmas: Mapping[str, str]) -> list[str]:
    """Return the lemmas of a text in order; `lemmas` are given by lower-case form."""
    forms = (composed(word).lower() for word in words(without_markers(text)))
    return terms(lemmas.get(form, form) for form in forms)


def features(texts: Iterable[str], lemmas: Mapping[str, str]) -> list[str]:
    """Return the lemmas and the bigrams of lemmas in some texts; no bigram spans two texts."""
    found: list[str] = []
    for text in texts:
        unigrams = lemmas_of(text, lemmas)
        found += unigrams
        found += map(" ".join, pairwise(unigrams))
    return found


@dataclass(frozen=True, slots=True, eq=False)
class FacetClassifier:
    """A perceptron for each of the F facets of `FACETS`, on V features; immutable.

    `columns` maps the features to their indices, `idf` (V) weighs them; a citation's decisions are
    `weights` (F×V) times its normalised TF-IDF vector, plus `biases` (F). A decision is confident
    from `thresholds` (F) on, which are infinite for facets that are never confident. `lemmas` has
    the inflected forms of the vocabulary and of stop words.
    """

    columns: Mapping[str, int]
    lemmas: Mapping[str, str]
    idf: Floats
    weights: Floats
    biases: Floats
    thresholds: Floats
    metadata: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> FacetClassifier:
        """Read a classifier; raise `InputError` if it cannot be read or is damaged."""
        try:
            with np.load(path, allow_pickle=False) as stored:
                metadata = json.loads(stored["metadata"].tobytes())
                if metadata.get("format") != FORMAT:
                    raise ValueError(f"format is {metadata.get('format')!r}")
                names, forms, lemmas = (
                    stored[name].tobytes().decode().split("\n") if len(stored[name]) else []
                    for name in ("features", "forms", "lemmas")
                )
                read = cls(
                    {name: column for column, name in enumerate(names)},
                    dict(zip(forms, lemmas, strict=True)),
                    **{name: stored[name] for name in _ARRAYS},
                    metadata=metadata,
                )
        except OSError as error:
            raise InputError(f"cannot read facets {path}: {error.strerror or error}") from error
        except (
            *(ValueError, LookupError, TypeError, AttributeError, EOFError),
            *(RuntimeError, zipfile.BadZipFile, zlib.error),
        ) as error:
            raise InputError(f"{path} is not a facet classifier, or is damaged: {error}") from error
        read._check(path)
        return read

    def save(self, path: Path) -> None:
        """Write the classifier deterministically; raise `InputError` if that fails."""
        texts = {
            "metadata": json.dumps({**self.metadata, "format": FORMAT}, sort_keys=True),
            "features": "\n".join(self.columns),
            "forms": "\n".join(self.lemmas),
            "lemmas": "\n".join(self.lemmas.values()),
        }
        stored: dict[str, Any] = {
            name: np.frombuffer(text.encode(), np.uint8) for name, text in texts.items()
        }
        stored |= {name: getattr(self, name) for name in _ARRAYS}
        written = BytesIO()
        np.savez_compressed(written, **stored)
        write_model(path, [written.getvalue()])

    def decisions(self, citance: str, sentences: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return each perceptron's decision (F): positive if the citance has the facet."""
        counts = Counter(features((citance, *sentences), self.lemmas))
        known = {self.columns[name]: n for name, n in counts.items() if name in self.columns}
        index = np.fromiter(known, np.intp, len(known))
        tfidf = np.fromiter(known.values(), np.float64, len(known)) * self.idf[index]
        length = np.linalg.norm(tfidf)
        decided: npt.NDArray[np.float64] = self.weights[:, index] @ tfidf / (length or 1.0)
        return decided + self.biases

    def facets(self, citance: str, sentences: Sequence[str]) -> tuple[Facet, ...]:
        """Return the facets with a positive decision, else the one with the highest."""
        return decided(self.decisions(citance, sentences))

    def confident(self, citance: str, sentences: Sequence[str]) -> tuple[Facet, ...]:
        """Return the confident facets, often none, the highest decision first."""
        if self._known(citance, sentences) < _MIN_KNOWN:
            return ()
        decisions = self.decisions(citance, sentences)
        order = np.argsort(-decisions, kind="stable").tolist()
        return tuple(FACETS[row] for row in order if decisions[row] >= self.thresholds[row])

    def _known(self, citance: str, sentences: Sequence[str]) -> float:
        """Return the share of the words that occurred in training."""
        found = [name for text in (citance, *sentences) for name in lemmas_of(text, self.lemmas)]
        return sum(name in self.columns for name in found) / max(1, len(found))

    def _check(self, path: Path) -> None:
        """Raise `InputError` unless the arrays match the facets and features."""
        of_facets, of_features = (len(FACETS),), (len(self.columns),)
        shapes = (of_features, of_facets + of_features, of_facets, of_facets)
        for name, shape in zip(_ARRAYS, shapes, strict=True):
            array = getattr(self, name)
            if array.shape != shape or array.dtype.kind != "f" or np.isnan(array).any():
                raise InputError(f"{path} is not a facet classifier, or is damaged: {name}")


def decided(decisions: Floats) -> tuple[Facet, ...]:
    """Return the facets with decisions (F) above 0, else the one with the highest."""
    chosen = np.flatnonzero(decisions > 0.0).tolist() or [int(np.argmax(decisions))]
    return tuple(FACETS[row] for row in chosen)

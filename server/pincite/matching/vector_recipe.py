"""The recipe for training word vectors; `training` applies it."""

from __future__ import annotations

from dataclasses import dataclass, fields

from ..model.problems import InputError
from ..text.markers import Markers

#: gensim's defaults, as the paper does not say.
WINDOW = 5
NEGATIVE = 5
#: The ranges that gensim accepts.
_LARGEST_NUMBER = 2**31 - 1
_LARGEST_SEED = 2**32 - 1


@dataclass(frozen=True, slots=True)
class VectorRecipe:
    """How vectors are trained: the choices of Ricci et al. (2022), and the variants of Table 3.

    Words are `cased`, or else lower-cased; `markers` says how citation markers in the text were
    treated. A word that occurs less than `min_count` times has no vector; with `unknown`, as in the
    paper (appendix C.1), all such words are one word, `UNKNOWN`, with a vector and the sum of their
    counts. `min_count` (theirs: 35) and `epochs` suit a text of some millions of words, less than a
    tenth of the paper's. Raises `InputError` for a number out of range.
    """

    min_count: int = 10
    cased: bool = True
    markers: Markers = "remove"
    unknown: bool = False
    epochs: int = 10
    dimensions: int = 300
    seed: int = 1

    def __post_init__(self) -> None:
        numbers = ("min_count", "epochs", "dimensions")
        bounds = dict.fromkeys(numbers, (1, _LARGEST_NUMBER)) | {"seed": (0, _LARGEST_SEED)}
        for name, (least, most) in bounds.items():
            value = getattr(self, name)
            if not least <= value <= most:
                raise InputError(f"{name}={value}: expected a number from {least} to {most}")

    def metadata(self) -> dict[str, str]:
        """Return the recipe as metadata of a model file.

        Preprocessing (`cased`, `markers`, `unknown`) is recorded only if it is not the default, so
        that files of the default recipe stay identical to those made before these options existed.
        """
        said = {
            "dimensions": str(self.dimensions),
            "window": str(WINDOW),
            "negative": str(NEGATIVE),
            "min_count": str(self.min_count),
            "epochs": str(self.epochs),
            "seed": str(self.seed),
        }
        for of_text in fields(self):
            value = getattr(self, of_text.name)
            if of_text.name not in said and value != of_text.default:
                said[of_text.name] = str(value).lower()
        return said

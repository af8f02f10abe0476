"""A folder with a model trained on annotated papers, and its cross-validation folds.

``model.json`` describes it; each part is a folder beside it: one for each fold, trained on the
papers that the fold does not hold out, and ``all``, trained on all. ``model.json`` is written
last, so a folder without it is an unfinished training, which can be resumed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from msgspec import MsgspecError, convert

from pincite.model.problems import InputError
from pincite.whole_files import write_model

_DESCRIPTION = "model.json"
_ALL = "all"


@dataclass(frozen=True, slots=True)
class Fold:
    """The annotated papers, by id, that one model was not trained on."""

    name: str
    held_out: frozenset[str]


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """The contents of ``model.json``; `base` names the base model, "" for none."""

    folder: Path
    kind: str
    base: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    folds: tuple[Fold, ...] = ()

    @classmethod
    def read(cls, folder: Path) -> ModelFolder:
        """Read the description of a trained model; raises `InputError` if there is none."""
        path = folder / _DESCRIPTION
        try:
            described = json.loads(path.read_text("utf-8"))
            folds = convert(described.pop("folds"), tuple[Fold, ...])
            return cls(folder, folds=folds, **described)
        except OSError as error:
            raise InputError(f"{folder}: no trained model ({error.strerror})") from error
        except (ValueError, LookupError, TypeError, AttributeError, MsgspecError) as error:
            raise InputError(f"{path}: not a description of a model ({error})") from error

    def write(self) -> None:
        described = asdict(self)
        del described["folder"]
        # Sets are written as sorted lists.
        written = json.dumps(described, indent=2, default=sorted) + "\n"
        write_model(self.folder / _DESCRIPTION, [written.encode()])

    def unfinish(self) -> None:
        """Remove the description before models are replaced, marking the folder as unfinished."""
        try:
            (self.folder / _DESCRIPTION).unlink(missing_ok=True)
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot write {self.folder}: {error.strerror}") from error

    def part(self, paper: str | None = None) -> Path:
        """Return the folder of the model not trained on `paper`; ``all`` for unknown papers."""
        for fold in self.folds:
            if paper in fold.held_out:
                return self.folder / fold.name
        return self.folder / _ALL

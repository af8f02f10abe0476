"""Commands, matchers and encoders that the research package adds, by entry points.

`pincite` never imports `pincite_evaluation`: it looks up what that package registers in the groups
``pincite.commands``, ``pincite.matchers`` and ``pincite.encoders`` (pyproject.toml). The wheel
inside the VS Code extension leaves the package out.
"""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import Any, Literal

from .model.problems import InputError

#: The command groups of the research package.
COMMANDS = ("evaluate", "train", "vectors")
#: The entry point that makes every matcher but the default, and the one that makes the encoder.
MATCHERS = ENCODERS = "research"


def load(group: Literal["commands", "matchers", "encoders"], name: str, asked: str) -> Any:  # noqa: ANN401 - any object
    """Return the object that an entry point names; raise `InputError` where it is missing."""
    for point in entry_points(group=f"pincite.{group}", name=name):
        try:
            return point.load()
        except ModuleNotFoundError as error:
            # Its own package is missing; any other missing module is a defect or a missing extra.
            if error.name != point.module.partition(".")[0]:
                raise
    raise InputError(
        f"{asked} needs the package pincite_evaluation, which the server inside the VS Code "
        "extension leaves out: install all of Pincite with pip install pincite"
    )

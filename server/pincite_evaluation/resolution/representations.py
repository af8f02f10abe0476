"""The representations of Duma and Klein (2014), Table 1, by the names that commands use.

``full-text``, ``title-abstract``, ``passage-350``; ``inlink-20``, or ``inlink-10-5`` for unequal
sides; ``mixed-inlink-20-passage-350`` for one of the latter joined with one of the former.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pincite.model.problems import InputError
from pincite.representations import external
from pincite.representations import internal as internals
from pincite.representations.mixed import Representation
from pincite.settings import Window

_INSIDE = r"full-text|title-abstract|passage-[1-9]\d{0,5}"
_OUTSIDE = r"inlink-\d{1,4}(?:-\d{1,4})?"
_NAME = re.compile(
    rf"(?P<inside>{_INSIDE})|(?P<outside>{_OUTSIDE})|mixed-(?P<both>{_OUTSIDE})-(?P<with>{_INSIDE})"
)
_WINDOW = re.compile(r"\(?(?P<left>\d{1,4}),\s*(?P<right>\d{1,4})\)?")

TABLE_1 = (
    *("full-text", "title-abstract"),
    *(f"passage-{length}" for length in (250, 300, 350, 400)),
    *("inlink-5", "inlink-10", "inlink-10-5", "inlink-20", "inlink-30"),
    *(
        f"mixed-inlink-{window}-{inside}"
        for window in (10, 20, 30)
        for inside in ("full-text", "title-abstract", "passage-250", "passage-350")
    ),
)
WINDOWS = (Window(5, 5), Window(10, 10), Window(10, 5), Window(20, 20), Window(30, 30))


_INTERNAL: dict[str, internals.Internal] = {
    "full-text": internals.full_text,
    "title-abstract": internals.title_abstract,
}


@dataclass(frozen=True, slots=True)
class NamedRepresentation:
    """A representation: the name of its internal part, the window of its external one."""

    name: str
    internal: str | None
    window: Window | None

    @property
    def representation(self) -> Representation:
        """The functions for internal and external bags."""
        inside: internals.Internal = internals.nothing
        if self.internal is not None:
            length = self.internal.removeprefix("passage-")
            inside = _INTERNAL.get(length) or internals.passages(int(length))
        outside = external.nothing if self.window is None else external.inlink_contexts(self.window)
        return Representation(inside, outside)


def named(name: str) -> NamedRepresentation:
    """Return the representation with a name; raise `InputError` for an unknown name."""
    match = _NAME.fullmatch(name)
    if match is None:
        raise InputError(
            f"{name or 'an empty name'} is not a representation; examples are {TABLE_1[0]}, "
            f"{TABLE_1[1]}, {TABLE_1[2]}, inlink-20, inlink-10-5, {TABLE_1[-1]}"
        )
    inside, outside = match["inside"] or match["with"], match["outside"] or match["both"]
    if outside is None:
        return NamedRepresentation(name, inside, None)
    sides = [int(side) for side in outside.split("-")[1:]]
    return NamedRepresentation(name, inside, Window(sides[0], sides[-1]))


def window(written: str) -> Window:
    """Parse a window such as ``20,20``; raise `InputError` if it is not one."""
    match = _WINDOW.fullmatch(written.strip())
    if match is None or (match["left"], match["right"]) == ("0", "0"):
        raise InputError(f"{written} is not a window; write the words left and right as in 20,20")
    return Window(int(match["left"]), int(match["right"]))

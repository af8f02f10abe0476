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

_NAME = re.compile(
    r"(?:(?P<mixed>mixed-)?inlink-(?P<left>\d{1,4})(?:-(?P<right>\d{1,4}))?)?"
    r"(?:(?(mixed)-)(?P<internal>full-text|title-abstract|passage-(?P<length>[1-9]\d{0,5})))?"
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


@dataclass(frozen=True, slots=True)
class NamedRepresentation:
    """A representation in its parts: the name of its internal one, the window of its external one.

    Either may be None.
    """

    name: str
    internal: str | None
    window: Window | None

    @property
    def inside(self) -> internals.Internal:
        """The function for internal bags."""
        if self.internal is None:
            return internals.nothing
        if self.internal.startswith("passage-"):
            return internals.passages(int(self.internal.removeprefix("passage-")))
        return internals.full_text if self.internal == "full-text" else internals.title_abstract

    @property
    def outside(self) -> external.External:
        """The function for the external bag."""
        return external.nothing if self.window is None else external.inlink_contexts(self.window)

    @property
    def representation(self) -> Representation:
        """The representation to pass to a ranker."""
        return Representation(self.inside, self.outside)


def named(name: str) -> NamedRepresentation:
    """Return the representation with a name; raise `InputError` for an unknown name."""
    match = _NAME.fullmatch(name)
    is_mixed = match is not None and match["mixed"] is not None
    both = match is not None and match["left"] is not None and match["internal"] is not None
    if not name or match is None or is_mixed != both:
        raise InputError(
            f"{name or 'an empty name'} is not a representation; examples are {TABLE_1[0]}, "
            f"{TABLE_1[1]}, {TABLE_1[2]}, inlink-20, inlink-10-5, {TABLE_1[-1]}"
        )
    window = None
    if match["left"] is not None:
        window = Window(int(match["left"]), int(match["right"] or match["left"]))
    return NamedRepresentation(name, match["internal"], window)


def window(written: str) -> Window:
    """Parse a window such as ``20,20``; raise `InputError` if it is not one."""
    match = _WINDOW.fullmatch(written.strip())
    if match is None or (match["left"], match["right"]) == ("0", "0"):
        raise InputError(f"{written} is not a window; write the words left and right as in 20,20")
    return Window(int(match["left"]), int(match["right"]))

"""Commands that only biblatex has."""

from __future__ import annotations

from ...parsing.latex.commands import KNOWN_COMMANDS

#: Commands with one key list that only biblatex has.
_BIBLATEX_SINGLE = frozenset(
    """
    parencite Parencite footcite Footcite footcitetext Footcitetext textcite Textcite smartcite
    Smartcite autocite Autocite footfullcite notecite Notecite pnotecite Pnotecite fnotecite
    """.split()
)
_BIBLATEX_LAYOUTS = ("multiple", "volume", "volumes")
BIBLATEX_COMMANDS = _BIBLATEX_SINGLE | {
    name for name, shape in KNOWN_COMMANDS.items() if shape.layout in _BIBLATEX_LAYOUTS
}

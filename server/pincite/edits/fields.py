"""Fields that are added to entries of a BibTeX file; everything else stays as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from ..model.edits import TextEdit
from ..model.problems import InputError
from ..model.spans import TextSpan
from ..parsing.bibtex import Bibliography
from .bibtex_entries import values_of
from .letters import in_letters_of

#: Behind the key: its comma, and the indentation of the first field.
_BEHIND_KEY: Final = re.compile(r"\s*,(?P<space>[ \t]*(?P<line>\r\n|\r|\n)?[ \t]*)")


def fields_added(
    text: str,
    bibliography: Bibliography,
    path: Path,
    added: Mapping[str, Mapping[str, str]],
    encoding: str = "utf-8",
) -> Iterator[TextEdit]:
    """Yield the edits that add fields to the entries with these keys, before their first field.

    A field that an entry has, even an empty one, is left to the author, as is an entry without a
    comma behind its key. A field with letters for which the encoding has nothing is left out.
    """
    for key in bibliography.all_entries:
        if key not in added:
            continue
        place = bibliography.place(key)
        behind = _BEHIND_KEY.match(text, place.key_span.end, place.span.end)
        if behind is None:
            continue
        own = {name.lower() for name in bibliography.entries[key].fields}
        new = {name: value for name, value in added[key].items() if name not in own}
        space = behind["space"] if behind["line"] else " "
        written = ""
        for name, value in values_of(new):
            with suppress(InputError):
                written += f"{space}{name} = {{{in_letters_of(encoding, value)}}},"
        if written:
            end = behind.start("space")
            yield TextEdit(path, TextSpan(end, end), written)

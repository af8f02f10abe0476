"""The edit that names a bibliography in a draft that names none: a call at the end."""

from __future__ import annotations

from collections.abc import Iterable

from ...model.drafts import Draft
from ...model.edits import TextEdit
from ...model.spans import TextSpan, line_end_of


def naming_edits(draft: Draft, name: str, _texts: Iterable[str]) -> tuple[TextEdit, ...]:
    """Return the edit of the main file; see `parsing.markups.Syntax.naming_edits`."""
    main, names_any = draft.main, any(file.bibliographies for file in draft.all_files)
    # Typst refuses a second bibliography.
    if main is None or names_any or '"' in name or "\\" in name:
        return ()
    text, end, line_end = main.text, len(main.text), line_end_of(main.text)
    is_open = bool(text) and not text.endswith(("\n", "\r"))
    gap = line_end * (is_open + bool(text.strip()))
    new = f'{gap}#bibliography("{name}"){line_end}'
    return (TextEdit(draft.root, TextSpan(end, end), new),)

r"""Find entries that no draft cites.

A hint, off by default: a bibliography may hold works for future drafts. Nothing is reported where a
citation may be invisible to us: if a file of a draft is missing, or if drafts do not name the
bibliography themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..cancellation import checked
from ..model.bibliographies import BibliographyFile
from ..model.drafts import Draft
from ..model.papers import doi_in_key
from ..parsing.bibtex.inherit import keys_named_by, listed_keys
from .bibliographies import Files
from .findings import Finding

#: biblatex's sets are cited as one; all works in them are printed.
_SET_MEMBERS = re.compile(r"\\defbibentryset\s*\{[^{}\\]*\}\s*\{([^{}\\]*)\}")


def unused_entries(path: Path, drafts: Sequence[tuple[Draft, Files]]) -> Iterator[Finding]:
    """Find the entries of the bibliography at `path` that none of `drafts` cites.

    `drafts` are all drafts that read it, with their bibliographies. Entries that used entries
    inherit from, or are printed with, count as used. Keys are compared without case.
    """
    is_named = any(path == source.path for draft, _ in drafts for source in draft.bibliographies)
    if not is_named or not all(draft.has_all_text for draft, _ in drafts):
        return
    cited = {name for draft, _ in checked(drafts) for name in cited_names(draft)}
    both = [read for _, files in drafts for read in files]
    own = next((each for source, each in both if source.path == path and source.text is None), None)
    if own is None or "*" in cited:
        return
    used = _with_named(cited, tuple(dict.fromkeys(bibliography for _, bibliography in both)))
    by_alias = {key for alias, key in own.folded_aliases.items() if alias in used}
    if dois := {doi_in_key(name) for name in cited if "10." in name}:
        by_alias |= {key for key, entry in own.entries.items() if entry.doi in dois - {""}}
    for key in checked(own.all_entries, 1000):
        if key.lower() not in used and key not in by_alias:
            place = own.place(key)
            message = f"No draft that reads this bibliography cites “{key}”."
            yield Finding("unused-entry", place.key_span, message, place.span, key)


def cited_names(draft: Draft) -> set[str]:
    r"""Return the names that a draft cites, in lower case; ``*`` comes from ``\nocite{*}``."""
    cited: set[str] = set()
    for file in (*draft.files, *draft.others):
        for citation in file.citations:
            # mciteplus and revtex write "\cite{one,*two}".
            cited.update(key.key.lstrip("*") for key in citation.keys)
            # The star is no key.
            lists = (keys.span.of(file.text) for keys in citation.key_lists if citation.listed_only)
            cited.update("*" for listed in lists if "*" in map(str.strip, listed.split(",")))
        for members in _SET_MEMBERS.findall(file.text):
            cited.update(listed_keys(members))
    return {name.lower() for name in cited}


def _with_named(names: set[str], files: Sequence[BibliographyFile]) -> set[str]:
    """Return the transitive closure of `names` under references between entries of the files."""
    known, waiting = set(names), list(names)
    while waiting:
        name = waiting.pop()
        found = (entry for file in files if (entry := file.find(name)) is not None)
        named = {other.lower() for entry in found for other in keys_named_by(entry)}
        waiting += named - known
        known |= named
    return known

"""Find keys without an entry, with those that they may stand for, and placeholders."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain, count
from string import ascii_lowercase

from ..model.drafts import Citation, Draft, DraftFile, is_gap
from ..parsing.markups import markup_of
from .bibliographies import missing_in
from .findings import Finding

#: biblatex's sets are cited by a name that is not the key of an entry.
_ENTRY_SET = re.compile(r"\\defbibentryset\s*\{([^{}\\]*)\}")
#: The least Jaro–Winkler similarity at which two keys look alike to a reader.
_ALIKE_FROM = 0.85
_CONSIDERED = 20


def undefined_keys(
    file: DraftFile,
    draft: Draft,
    is_entry: Callable[[str], bool],
    citations: Iterable[Citation] | None = None,
) -> Iterator[Finding]:
    """Find undefined keys in a file, or in some of its citations.

    Keys of an unclosed list are left out: the text after its brace may not be keys at all.
    """
    sets: frozenset[str] | None = None
    for citation in file.citations if citations is None else citations:
        for key in (key for keys in citation.key_lists if keys.closed for key in keys.keys):
            # mciteplus and revtex: "\cite{one,*two}" prints two references under one number.
            name = key.key.lstrip("*")
            if not name or is_gap(name) or is_entry(name) or draft.resolves(name):
                continue
            if sets is None:
                sets = _entry_sets(draft.files)
            if name not in sets:
                message = f"No entry of the bibliography has the key “{name}”."
                yield Finding("undefined-key", key.span, message, key.span, name)


def keys_without_bibliography(file: DraftFile, draft: Draft) -> Iterator[Finding]:
    r"""Find the keys of a draft without any bibliography, each at its first citation in the file.

    What may be something else than a citation is left out. Each message explains what to do.
    """
    message = f"No bibliography: {_why_none(draft)}."
    seen: set[str] = set()
    certain = markup_of(file.path).syntax.certain_citations(file)
    for finding in undefined_keys(file, draft, lambda _key: False, certain):
        if finding.key not in seen:
            seen.add(finding.key)
            yield replace(finding, message=message)


def _why_none(draft: Draft) -> str:
    markup = markup_of(draft.root)
    kind = "bibliography" if markup.bibliography_suffixes else ".bib file"
    beside = f"no {kind} lies beside {draft.root.name}"
    missing = list(dict.fromkeys(each.name for each in missing_in(draft)))
    if not missing:
        name_one = f"Name one with {' or '.join(markup.bibliography_commands)}"
        return f"the draft names none and {beside}. {name_one}"
    named = " and ".join(f"“{name}”" for name in missing)
    are = "does" if len(missing) == 1 else "do"
    return f"{named} {are} not exist and {beside}. Name one that can be read"


def _entry_sets(files: Iterable[DraftFile]) -> frozenset[str]:
    return frozenset(found[1].strip() for file in files for found in _ENTRY_SET.finditer(file.text))


def placeholders(file: DraftFile) -> Iterator[Finding]:
    """Find the placeholders: places where a citation is missing."""
    for gap in file.placeholders:
        message = "A citation is missing here."
        yield Finding("placeholder", gap.span, message, gap.span)


def nearest_keys(key: str, keys: Iterable[str], number: int = 3) -> list[str]:
    """Return the keys spelled most like `key`, best first, ignoring case.

    Beginnings count most, as authors remember them best: keys that start with `key` come first.
    """
    from rapidfuzz import process
    from rapidfuzz.distance import JaroWinkler

    found = process.extract(
        key,
        sorted(keys),
        scorer=JaroWinkler.similarity,
        processor=str.casefold,
        score_cutoff=_ALIKE_FROM,
        limit=_CONSIDERED,
    )
    begun = key.casefold()
    found.sort(key=lambda match: not match[0].casefold().startswith(begun))
    return [name for name, *_ in found[:number]]


def free_key(key: str, is_used: Callable[[str], bool]) -> str:
    """Return an unused key: `key` with the first suffix, a letter or number, that makes it new."""
    endings = chain(ascii_lowercase, map("-{}".format, count(2)))
    return next(name for ending in endings if not is_used(name := key + ending))

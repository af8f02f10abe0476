"""What has changed in a draft since a revision of git."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Final

from ..checking.references import REFERENCE_KINDS
from ..edits.naming import missing_in
from ..model.bibliographies import BibliographyFile
from ..model.problems import InputError
from ..parsing.bibliographies import parse_bibliography
from ..parsing.encoding import decoded
from ..project.git import git
from .nouns import CheckedCitation, Finding
from .project import Project

#: Where a sentence may end in a source.
_END: Final = re.compile(
    r"(?<![ ~(]al)(?<![ ~(]cf)(?<!\.[eg])[.!?][)}\]'”\"]*\s+(?![a-z])|\n[ \t\r]*\n"
)


class ChangedSince:
    """What has changed in a draft since its branch left a revision of git.

    A file that git does not have at the revision is new as a whole; one that git knows as renamed
    is compared under its old name. Line breaks and places are no changes.
    """

    def __init__(self, project: Project, revision: str) -> None:
        """Compare a project; raises `PinciteError` if git does not know the revision."""
        if revision.startswith("-"):
            raise InputError(f"--since: {revision!r} is not a revision")
        self._project, self._folder = project, project._draft.root.parent
        try:
            wanted = f"{revision}^{{commit}}"
            self._commit = self._git("rev-parse", "--verify", "--quiet", wanted).strip()
        except InputError as error:
            raise InputError(f"--since {revision}: {error}") from None
        with suppress(InputError):  # without any commit in common
            self._commit = self._git("merge-base", self._commit, "HEAD").strip()
        self._compared = lru_cache(None)(self._compare)

    def has(self, found: Finding | CheckedCitation) -> bool:
        """Return whether the sentence of a finding or a citation has changed, or its entry."""
        key = self._project._bibliography.key_of(found.key) or found.key
        if key in self.keys:
            return True
        if isinstance(found, Finding) and found.kind in REFERENCE_KINDS:
            return False
        ends, now, before = self._compared(found.place.file)
        first = min(bisect_right(ends, found.start), len(now) - 1)
        last = bisect_left(ends, found.end)
        return any(sentence not in before for sentence in now[first : last + 1])

    @cached_property
    def keys(self) -> frozenset[str]:
        """The keys of entries that are new, have changed, or are gone."""
        keys: set[str] = set()
        strings: dict[str, str] = {}
        for source, file in self._project._bibliography.files:
            text = self._text_of(source.path)
            if text is None:
                keys |= file.all_entries.keys()
            elif text == file.text:
                strings |= file.strings
            elif source.text is None:
                before = parse_bibliography(
                    text, source.path, dict(strings), file.program, earlier=file
                )
                strings |= before.strings
                keys.update(_changed_entries(file, before))
            else:
                now, known = self._project._workspace.read(source.path), _words(text)
                places = file.places.items()
                keys |= {key for key, at in places if _words(at.span.of(now)) not in known}
        for missing in missing_in(self._project._draft):
            for name in (f"{missing.name}.bib", missing.name):
                path = self._folder / name
                if (text := self._text_of(path)) is not None:
                    keys |= parse_bibliography(text, path).all_entries.keys()
        return frozenset(keys)

    def _compare(self, path: Path) -> tuple[Sequence[int], Sequence[str], frozenset[str]]:
        """Return the ends of the sentences of a file, these, and those that it had before."""
        before = self._text_of(path) or ""
        ends, now = zip(*_sentences(self._project._workspace.read(path)), strict=True)
        return ends, now, frozenset(sentence for _, sentence in _sentences(before))

    def _text_of(self, path: Path) -> str | None:
        """Return the text that a file had; None if it is new or of another repository."""
        for name in (f"./{path.name}", self._old_name(path)):
            with suppress(InputError):
                command = ("cat-file", "blob", f"{self._commit}:{name}")
                return decoded(git(path.parent, *command)).text
        return None

    def _old_name(self, path: Path) -> str:
        """Return the path, from the top, that a renamed file had; "" if git knows of none."""
        named = ("ls-files", "--full-name", "-z", "--", path.name)
        with suppress(InputError):
            return self._renamed.get(self._git(*named, folder=path.parent), "")
        return ""

    @cached_property
    def _renamed(self) -> dict[str, str]:
        command = ("diff-index", "--cached", "--find-renames", "--diff-filter=R", "--name-status")
        parts = self._git(*command, "-z", self._commit).split("\0")
        return dict(zip(parts[2::3], parts[1::3], strict=False))

    def _git(self, *arguments: str, folder: Path | None = None) -> str:
        printed = git(folder or self._folder, *arguments)
        return printed.decode("utf-8", "surrogateescape").rstrip("\0\n")


def _changed_entries(now: BibliographyFile, before: BibliographyFile) -> Iterator[str]:
    """Yield the keys of entries of which a reader would see that they differ."""
    for key in {**now.all_entries, **before.all_entries}:
        found = [file.all_entries.get(key) for file in (now, before)]
        # Reading all fields of a large bibliography takes long.
        if found[0] is not found[1]:
            seen = [each and (each.entry_type, dict(each.fields)) for each in found]
            if seen[0] != seen[1]:
                yield key


def _sentences(text: str) -> Iterator[tuple[int, str]]:
    """Yield the sentences of a source, each with its end; line breaks are spaces."""
    start = 0
    for end in (*(each.end() for each in _END.finditer(text)), len(text)):
        yield end, _words(text[start:end])
        start = end


def _words(text: str) -> str:
    return " ".join(text.split())

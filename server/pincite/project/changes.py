"""Changes of files that are shown as a diff before they are written, such as merged duplicates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ..model.edits import TextEdit, applied, hunks
from ..model.problems import InputError
from ..parsing.encoding import decoded, encoded_as, read_bytes
from ..whole_files import require_writable, rewrite


@dataclass(frozen=True)
class Changes:
    """What would be changed, in which `files`: `edits` in order; `texts` are those of the files."""

    edits: tuple[TextEdit, ...]
    texts: Mapping[Path, str]

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that would be changed."""
        return tuple(self.by_path)

    @property
    def by_path(self) -> dict[Path, list[TextEdit]]:
        """The edits of each file, in order."""
        found: dict[Path, list[TextEdit]] = {}
        for edit in self.edits:
            found.setdefault(edit.path, []).append(edit)
        return found

    def diff(self, name_of: Callable[[Path], str] = str) -> str:
        """Return what would be changed, as a unified diff without context."""
        lines: list[str] = []
        for path, edits in self.by_path.items():
            lines += [f"--- {name_of(path)}", f"+++ {name_of(path)}"]
            lines += hunks(self.texts[path], edits)
        return "".join(f"{line}\n" for line in lines)

    def write(self) -> None:
        """Change the files, each in its encoding.

        Raises `PinciteError` if one has changed since or cannot be written; then none is changed,
        but for those before one that another program changes at this moment.
        """
        for path in self.files:
            require_writable(path)
            self._changed(path, read_bytes(path))
        for path in self.files:
            rewrite(path, partial(self._changed, path))

    def _changed(self, path: Path, data: bytes) -> bytes:
        now = decoded(data)
        if now.text != self.texts[path]:
            raise InputError(f"{path}: changed in the meantime; try again")
        new = applied(now.text, self.by_path[path])
        try:
            return encoded_as(data, new, now.encoding)
        except UnicodeEncodeError as error:
            lacks = f"its encoding ({now.encoding}) lacks U+{ord(new[error.start]):04X}"
            raise InputError(f"{path}: {lacks}: save it as UTF-8, or leave it out") from None


def encoding_of(path: Path) -> str:
    """Return the encoding of a file; raise `PinciteError` if it cannot be written."""
    require_writable(path)
    return decoded(read_bytes(path)).encoding

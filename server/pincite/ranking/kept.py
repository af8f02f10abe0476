"""On-disk cache of fitted rankers: the next process need not fit them again.

Each is a folder of NumPy arrays. Its name is a digest of what the ranker was fitted on. Nothing
about these files is an error: what is damaged or unreadable counts as missing, and what cannot be
written is not kept. They are read into memory, not mapped: whoever truncates a mapped file ends the
process, and whoever overwrites it changes what is ranked.
"""

from __future__ import annotations

import errno
import json
import logging
import os
import shutil
import tempfile
import time
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import lru_cache
from hashlib import blake2b
from io import BytesIO
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeVar
from zlib import crc32

from .. import __version__
from ..model.problems import Problem
from ..whole_files import make_private_folder

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ..representations.columns import Columns
    from ..representations.fields import EntryFields
    from ..representations.segments import Facts, NamedEntries
    from ..representations.tfidf import TfIdfSpace
    from .base import Fitted

_Parts = TypeVar("_Parts", "Facts", "NamedEntries")

logger = logging.getLogger(__name__)

#: Raised when the files change, or what is counted as a term does.
_FORMAT: Final = 3
#: More than these, or more bytes, are not kept; those used longest ago go first.
_MOST_KEPT: Final = 8
_MOST_BYTES: Final = 1 << 30
#: A folder that another process has not finished writing after this long is abandoned.
_ABANDONED_SECONDS: Final = 60 * 60.0
#: Rankers of an owner are written at most this often, however often a bibliography is saved.
_SELDOM_SECONDS: Final = 5 * 60.0

_MANIFEST: Final = "manifest.json"
_KEYS: Final = "keys.txt"
_INITIALS: Final = "initials.txt"
#: Size of the cache of terms that were looked up.
_LOOKED_UP: Final = 4_096
#: The vocabularies of `EntryFields`.
_VOCABULARIES: Final = ("terms", "names", "papers")
_UNFINISHED: Final = "unfinished-"
_PASSING: Final = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN))


class _DamagedError(Exception):
    """The files of a ranker are not as they were written."""


@dataclass(frozen=True, slots=True)
class Name:
    """What a ranker was fitted on: a digest of the bibliography, one of all that adds to it."""

    bibliography: str
    additions: str

    def __str__(self) -> str:
        return f"{self.bibliography}-{self.additions}"


def digest(parts: Iterable[str]) -> str:
    """Return a short name for some texts, and for how rankers are fitted and kept."""
    content = blake2b(f"{_FORMAT} {__version__}".encode(), digest_size=12)
    for part in parts:
        content.update(b"\0" + _encoded(part))
    return content.hexdigest()


class KeptRankers:
    """The rankers that are kept in a folder, which other processes may use as well.

    `problems` says once why nothing can be written there.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.problems: list[Problem] = []
        self._written: dict[object, float] = {}

    def is_empty(self) -> bool:
        """Return whether nothing is kept."""
        return next(iter(self._folders()), None) is None

    def newest(self, bibliography: str, keys: Sequence[str]) -> Fitted[Any] | None:
        """Return what was last used of a bibliography's, whatever else it was fitted on.

        `keys` are those of the bibliography, in order.
        """
        found = [path for path in self._folders() if path.name.startswith(f"{bibliography}-")]
        found.sort(key=_used, reverse=True)
        loaded = (self._loaded(path, keys) for path in found)
        return next((fitted for fitted in loaded if fitted is not None), None)

    def get(self, name: Name, keys: Sequence[str]) -> Fitted[Any] | None:
        """Return what was fitted on just this."""
        return self._loaded(self.folder / str(name), keys)

    def put(self, name: Name, fitted: Fitted[Any], owner: object = None) -> bool:
        """Keep a fitted ranker, each `owner`'s seldom; return whether it was written."""
        now, last = time.monotonic(), self._written.get(owner)
        if last is not None and now - last < _SELDOM_SECONDS:
            return False
        try:
            make_private_folder(self.folder)
            unfinished = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=self.folder))
            try:
                write(unfinished, fitted)
                # Another process may have kept the same in the meantime.
                with suppress(FileExistsError):
                    _rename(unfinished, self.folder / str(name))
            finally:
                shutil.rmtree(unfinished, ignore_errors=True)
        except OSError as error:
            if not self.problems:
                reason = error.strerror or str(error)
                message = f"rankings cannot be kept for the next start: {reason}"
                self.problems.append(Problem(self.folder, None, message))
            return False
        self._written[owner] = now
        self.prune()
        return True

    def prune(self) -> None:
        """Remove the rankers that were used longest ago, where there are too many."""
        size = 0
        for number, folder in enumerate(sorted(self._folders(), key=_used, reverse=True)):
            size += _size(folder)
            if number >= _MOST_KEPT or (number and size > _MOST_BYTES):
                shutil.rmtree(folder, ignore_errors=True)
        for folder in self._unfinished():
            if time.time() - _used(folder) > _ABANDONED_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)

    def clear(self) -> None:
        """Remove all rankers."""
        for folder in (*self._folders(), *self._unfinished()):
            shutil.rmtree(folder, ignore_errors=True)

    def number(self) -> int:
        """Return how many rankers are kept."""
        return len(self._folders())

    def size(self) -> int:
        """Return the bytes on disk."""
        return sum(map(_size, (*self._folders(), *self._unfinished())))

    def _loaded(self, folder: Path, keys: Sequence[str]) -> Fitted[Any] | None:
        if not folder.is_dir():
            return None
        try:
            fitted = read(folder, keys)
        except Exception as error:
            logger.info("a kept ranker cannot be used: %r", error)
            if not _may_pass(error):
                shutil.rmtree(folder, ignore_errors=True)
            return None
        with suppress(OSError):
            os.utime(folder / _MANIFEST)
        return fitted

    def _folders(self) -> list[Path]:
        return [path for path in self._all() if not path.name.startswith(_UNFINISHED)]

    def _unfinished(self) -> list[Path]:
        return [path for path in self._all() if path.name.startswith(_UNFINISHED)]

    def _all(self) -> list[Path]:
        try:
            return [path for path in self.folder.iterdir() if path.is_dir()]
        except OSError:
            return []


def _may_pass(error: Exception) -> bool:
    """Return whether an error has nothing to do with the file: open files or memory ran out."""
    return isinstance(error, MemoryError) or getattr(error, "errno", None) in _PASSING


def write(folder: Path, fitted: Fitted[Any]) -> None:
    """Write a fitted ranker into an empty folder."""
    import numpy as np

    from ..representations.tfidf import TfIdfSpace

    kinds = list(dict.fromkeys(fitted.bases))
    number_of = {kind: number for number, kind in enumerate(kinds)}
    files = _Files(folder)
    files.put("by_key", fitted.keys.by_key)
    files.put("bases", np.fromiter(map(number_of.__getitem__, fitted.bases), np.uint8))
    if isinstance(fitted.index, TfIdfSpace):
        files.put_space(fitted.index)
    else:
        files.put_fields(fitted.index)
    (folder / _KEYS).write_bytes(_encoded("\n".join(fitted.keys.listed)))
    manifest = {
        "bases": kinds,
        "checksums": {path.name: crc32(path.read_bytes()) for path in sorted(folder.iterdir())},
    }
    for path in folder.iterdir():
        _on_disk(path)
    (folder / _MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
    _on_disk(folder / _MANIFEST)


def read(folder: Path, keys: Sequence[str]) -> Fitted[Any]:
    """Return the fitted ranker in a folder, of candidates with these keys.

    Raises whatever the files give reason for.
    """
    from .base import Fitted, Keys

    manifest = json.loads((folder / _MANIFEST).read_text("utf-8"))
    files = _Files(folder, manifest["checksums"])
    if files.read(_KEYS) != _encoded("\n".join(keys)):
        raise _DamagedError(_KEYS)
    kinds = [tuple(kind) for kind in manifest["bases"]]
    bases = tuple(map(kinds.__getitem__, files.get("bases").tolist()))
    known = Keys(tuple(keys), files.get("by_key"))
    return Fitted(files.fields() if files.has_fields else files.space(), known, bases)


class _Files:
    """The arrays and vocabularies in a folder, by name, with the checksums of those to read."""

    def __init__(self, folder: Path, checksums: Mapping[str, int] = MappingProxyType({})) -> None:
        self._folder = folder
        self._checksums = checksums

    @property
    def has_fields(self) -> bool:
        """Whether these are what a learned ranker was fitted to."""
        return _INITIALS in self._checksums

    def read(self, name: str) -> bytes:
        """Return the content of a file, as it was written."""
        content = (self._folder / name).read_bytes()
        if crc32(content) != self._checksums[name]:
            raise _DamagedError(name)
        return content

    def put(self, name: str, array: npt.NDArray[Any]) -> None:
        import numpy as np

        np.save(self._folder / f"{name}.npy", array, allow_pickle=False)

    def get(self, name: str) -> npt.NDArray[Any]:
        import numpy as np

        return np.asarray(np.load(BytesIO(self.read(f"{name}.npy")), allow_pickle=False))

    def put_space(self, space: TfIdfSpace) -> None:
        (counted,) = space.segments
        self.put_vocabulary("terms", space.vocabulary)
        self.put("norms", space.norms)
        self.put("sizes", counted.sizes)
        self.put("present", counted.present)
        self.put_columns("inside", counted.inside)
        self.put_columns("outside", counted.outside)

    def space(self) -> TfIdfSpace:
        from ..representations.tfidf import BagSegment, TfIdfSpace

        inside, outside = self.columns("inside"), self.columns("outside")
        counted = BagSegment(inside, outside, self.get("sizes"), self.get("present"))
        return TfIdfSpace.of(counted, self.vocabulary("terms"), self.get("norms"))

    def put_fields(self, fields: EntryFields) -> None:
        (segment,) = fields.segments
        for name in _VOCABULARIES:
            self.put_vocabulary(name, getattr(fields, name))
        self.put("present", segment.present)
        self.put("mixed_norms", fields.mixed_norms)
        self.put_parts(segment.named)
        self.put_parts(segment.facts)
        for name, counted in segment.text.items():
            self.put_columns(name, counted.columns)
            self.put(f"{name}_first", counted.first)
            self.put(f"{name}_lengths", counted.lengths)
            self.put(f"{name}_norms", fields.text[name].norms)

    def fields(self) -> EntryFields:
        from ..representations.fields import EntryFields
        from ..representations.segments import (
            TEXT_FIELDS,
            CountedField,
            Facts,
            NamedEntries,
            Segment,
        )

        text = {
            name: CountedField(
                self.columns(name), self.get(f"{name}_first"), self.get(f"{name}_lengths")
            )
            for name in TEXT_FIELDS
        }
        return EntryFields.of_segment(
            Segment(text, self.parts(Facts), self.parts(NamedEntries), self.get("present")),
            {name: self.get(f"{name}_norms") for name in TEXT_FIELDS},
            self.get("mixed_norms"),
            **{name: self.vocabulary(name) for name in _VOCABULARIES},
        )

    def put_parts(self, parts: Facts | NamedEntries) -> None:
        """Write lists and arrays under their names there."""
        import numpy as np

        from ..representations.lists import Lists

        for part in fields(parts):
            values = getattr(parts, part.name)
            if isinstance(values, Lists):
                self.put(f"{part.name}_starts", values.starts)
                self.put(f"{part.name}_values", values.values)
            elif values.dtype == np.object_:
                (self._folder / f"{part.name}.txt").write_bytes(_encoded("\n".join(values)))
            else:
                self.put(part.name, values)

    def parts(self, kind: type[_Parts]) -> _Parts:
        """Return lists and arrays by their names there."""
        import numpy as np

        from ..representations.lists import Lists

        found: dict[str, Any] = {}
        for part in fields(kind):
            name = part.name
            if f"{name}.txt" in self._checksums:
                text = self.read(f"{name}.txt").decode("utf-8", "surrogatepass")
                found[name] = np.asarray(text.split("\n"), np.object_)
            elif f"{name}.npy" in self._checksums:
                found[name] = self.get(name)
            else:
                found[name] = Lists(self.get(f"{name}_starts"), self.get(f"{name}_values"))
        return kind(**found)

    def put_vocabulary(self, name: str, vocabulary: Mapping[str, int]) -> None:
        import numpy as np

        terms = sorted(vocabulary)
        encoded = [_encoded(term) for term in terms]
        self.put(f"{name}_text_starts", np.cumsum([0, *map(len, encoded)], dtype=np.int64))
        self.put(f"{name}_numbers", np.fromiter(map(vocabulary.__getitem__, terms), np.int32))
        (self._folder / f"{name}.txt").write_bytes(b"".join(encoded))

    def vocabulary(self, name: str) -> KeptVocabulary:
        return KeptVocabulary(
            self.read(f"{name}.txt"),
            self.get(f"{name}_text_starts"),
            self.get(f"{name}_numbers"),
        )

    def put_columns(self, name: str, columns: Columns) -> None:
        self.put(f"{name}_starts", columns.starts)
        self.put(f"{name}_rows", columns.rows)
        self.put(f"{name}_counts", columns.counts)

    def columns(self, name: str) -> Columns:
        from ..representations.columns import Columns

        return Columns(*(self.get(f"{name}_{part}") for part in ("starts", "rows", "counts")))


class KeptVocabulary(Mapping[str, int]):
    """The columns of terms, without an object for each of them.

    The terms stand in order in a `text` in UTF-8, term i from ``starts[i]`` to ``starts[i + 1]``.
    """

    def __init__(
        self, text: bytes, starts: npt.NDArray[np.int64], columns: npt.NDArray[np.int32]
    ) -> None:
        self._terms = _Terms(text, starts.data)
        # Not as an array: reading one element of a NumPy array at a time is slow.
        self._columns = columns.data
        #: The place of each term, None for those that are not there; the words of a draft recur.
        self._place = lru_cache(_LOOKED_UP)(self._terms.place)

    def __getitem__(self, term: str) -> int:
        place = self._place(term)
        if place is None:
            raise KeyError(term)
        return self._columns[place]

    def __iter__(self) -> Iterator[str]:
        terms = map(self._terms.__getitem__, range(len(self)))
        return (term.decode("utf-8", "surrogatepass") for term in terms)

    def __len__(self) -> int:
        return len(self._columns)


class _Terms:
    """Terms in order in one text."""

    def __init__(self, text: bytes, starts: memoryview[int]) -> None:
        self._text, self._starts = text, starts

    def __getitem__(self, place: int) -> bytes:
        return self._text[self._starts[place] : self._starts[place + 1]]

    def place(self, term: str) -> int | None:
        """Return the place of a term, None if it is not there."""
        wanted, number = _encoded(term), len(self._starts) - 1
        place = bisect_left(range(number), wanted, key=self.__getitem__)
        return place if place < number and self[place] == wanted else None


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _on_disk(path: Path) -> None:
    """Flush a file to disk before its folder gets its name: a power failure cannot empty it."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _rename(folder: Path, name: Path) -> None:
    """Give a folder its name; raise `FileExistsError` where another one has it."""
    try:
        folder.rename(name)
    except OSError:
        if name.is_dir():
            raise FileExistsError(name) from None
        raise


def _used(folder: Path) -> float:
    """Return when a ranker was last used; 0 if unknown."""
    for path in (folder / _MANIFEST, folder):
        with suppress(OSError):
            return path.stat().st_mtime
    return 0.0


def _size(folder: Path) -> int:
    size = 0
    with suppress(OSError):
        for path in folder.iterdir():
            with suppress(OSError):
                size += path.stat().st_size
    return size

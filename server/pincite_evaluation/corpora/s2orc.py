"""Collections in S2ORC's JSON: one paper per `.json` file, or per line of `.jsonl`.

Both may be compressed (`.gz`; without another suffix, as in the bulk release, it contains lines).
The release of 2020 stores metadata separately, in files or a folder named `metadata`; metadata and
text are joined by `paper_id`.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from io import BufferedIOBase
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from pincite.model.problems import InputError, Problem
from pincite.parsing.papers.paragraphs import plain
from pincite.parsing.papers.s2orc import linked_papers, s2orc_paper

from ..progress import Progress
from .papers import CollectionPaper, files_below

#: A longer line or file is not a paper.
_MAX_BYTES = 64 << 20
_METADATA = "metadata"
#: Lists of ids that may be beside the papers.
_TEST_PAPERS = "test-papers"


class _Record(NamedTuple):
    """An object and the line in which it begins."""

    path: Path
    line: int
    data: Mapping[str, Any]


def s2orc_files(path: Path) -> list[Path]:
    """Return the files of a collection: `path`, or those below it, metadata first, then by name."""
    if not path.is_dir():
        return [path] if path.is_file() and _holds_json(path) else []
    files = files_below(
        path, lambda file: _holds_json(file) and not file.name.startswith(_TEST_PAPERS)
    )
    return sorted(files, key=lambda file: (not _is_metadata(file), file))


def read_s2orc_papers(files: list[Path], progress: Progress) -> Iterator[CollectionPaper | Problem]:
    """Yield the papers in some files, and the problems."""
    sizes = [file.stat().st_size for file in files]
    starts = accumulate(sizes, initial=0)

    def report(start: int, read: int) -> None:
        progress(start + read, sum(sizes))

    described: dict[str, _Record] = {}
    joined: set[str] = set()
    for file, start in zip(files, starts, strict=False):
        for record in _records(file, partial(report, start)):
            if isinstance(record, Problem):
                yield record
                continue
            name = _id(record)
            if not _is_metadata(file):
                metadata = described.get(name)
                joined.add(name)
                yield _found(record if metadata is None else _joined(metadata, record))
            elif not name:
                yield Problem(file, record.line, "the metadata has no paper_id")
            elif name in described:
                yield Problem(file, record.line, f"repeats the metadata of {name}; left out")
            else:
                described[name] = record
    for name, record in described.items():
        if name not in joined:
            yield _found(record)


def _suffix(file: Path) -> str:
    """Return the suffix in lower case, without that of its compression."""
    name = file.name.lower()
    return Path(name.removesuffix(".gz")).suffix or Path(name).suffix


def _holds_json(file: Path) -> bool:
    return _suffix(file) in (".json", ".jsonl", ".gz")


def _is_metadata(file: Path) -> bool:
    return file.name.lower().startswith(_METADATA) or file.parent.name.lower() == _METADATA


def _records(file: Path, progress: Callable[[int], None]) -> Iterator[_Record | Problem]:
    """Yield the objects of a file, one a line unless it is a `.json` file."""
    number = 0
    is_empty = True
    try:
        with file.open("rb") as raw:
            is_compressed = file.suffix.lower() == ".gz"
            stream: BufferedIOBase = gzip.GzipFile(fileobj=raw) if is_compressed else raw
            read = stream.read if _suffix(file) == ".json" else stream.readline
            while line := read(_MAX_BYTES + 1):
                number += 1
                if len(line) > _MAX_BYTES:
                    message = "too long for a paper; the rest of the file is not read"
                    yield Problem(file, number, message)
                    return
                if not line.isspace():
                    is_empty = False
                    yield _decoded(file, number, line)
                progress(raw.tell())
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        yield Problem(file, number + 1, f"the file cannot be read from here on ({reason})")
        return
    if is_empty:
        yield Problem(file, None, "the file is empty")


def _decoded(file: Path, number: int, line: bytes) -> _Record | Problem:
    try:
        # An error after the end of a line would be reported in the next one.
        data = json.loads(line.rstrip())
    except json.JSONDecodeError as error:
        message = f"the JSON is broken ({error.msg}, column {error.colno})"
        return Problem(file, number + error.lineno - 1, message)
    except UnicodeDecodeError:
        return Problem(file, number, "the JSON is broken (it is not in UTF-8)")
    except (ValueError, RecursionError):
        return Problem(file, number, "the JSON is broken (too deep, or with too long a number)")
    if not isinstance(data, dict):
        return Problem(file, number, "this is JSON, but not an object with a paper")
    return _Record(file, number, data)


def _joined(metadata: _Record, record: _Record) -> _Record:
    """Add the metadata of a paper to the record with its text."""
    is_parse = "body_text" in record.data
    text = {"pdf_parse": record.data} if is_parse else record.data
    return record._replace(data={**metadata.data, **text})


def _id(record: _Record) -> str:
    """Return the id of a paper, or its file's name, or an empty string."""
    for name in ("paper_id", "corpusid"):
        value = record.data.get(name)
        if isinstance(value, (str, int)) and not isinstance(value, bool):
            # As `linked_papers` reads the ids of others.
            return plain(str(value).encode("utf-8", "replace").decode())
    return (
        Path(record.path.name.removesuffix(".gz")).stem if _suffix(record.path) == ".json" else ""
    )


def _found(record: _Record) -> CollectionPaper | Problem:
    path, line, data = record
    try:
        paper = s2orc_paper(data, path)
    except InputError as error:
        name = _id(record)
        return Problem(path, line, f"{name}: {error}" if name else str(error))
    if not (name := _id(record)):
        return Problem(path, line, "the paper has no paper_id")
    return CollectionPaper(name, paper, linked_papers(data), path, line)

"""Retractions from the CSV file of the Retraction Watch Database, as Crossref publishes it.

Its columns are described at https://gitlab.com/crossref/retraction-watch-data. The author names the
file; nothing is fetched.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import lru_cache
from io import StringIO
from pathlib import Path
from typing import Final

from ..enrichment.known_works import Update
from ..model.problems import InputError
from ..parsing.encoding import decoded

_COLUMNS: Final = (
    *("RetractionNature", "RetractionDate", "Reason", "RetractionDOI"),
    *("OriginalPaperDOI", "OriginalPaperPubMedID"),
)
_MAX_FIELD: Final = 1 << 20
_DAY: Final = re.compile(r"\d{1,4}[/-]\d{1,2}[/-]\d{1,4}")
_FORMS: Final = ("%m/%d/%Y", "%Y-%m-%d")


def read_retractions(path: Path) -> Callable[[str, str], Sequence[Update]]:
    """Return a look-up by DOI (in lower case) and PMID; the file is read again once it has changed.

    Raises `InputError` if it cannot be read, is no CSV in UTF-8, or lacks a column.
    """
    try:
        status = path.stat()
        known = _read(path, status.st_mtime_ns, status.st_size)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    return lambda *names: [_written_out(each) for name in names for each in known.get(name, ())]


@lru_cache(maxsize=1)
def _read(path: Path, _changed: int, _size: int) -> Mapping[str, list[Update]]:
    data = path.read_bytes()
    text, encoding = decoded(data)
    if encoding not in ("utf-8", "ascii"):
        raise InputError(f"{path}: is in {encoding}; the database is published in UTF-8")
    rows = csv.reader(StringIO(text.replace("\0", ""), newline=""))
    csv.field_size_limit(_MAX_FIELD)
    known: dict[str, list[Update]] = {}
    try:
        heads = [name.strip() for name in next(rows, [])]
        if missing := [name for name in _COLUMNS if name not in heads]:
            raise InputError(
                f"{path}: has no column {missing[0]}; is it the CSV file of the Retraction Watch"
                " Database?"
            )
        places = [heads.index(name) for name in _COLUMNS]
        last, row = max(places), heads
        for row in rows:
            if len(row) <= last:
                continue
            nature, date, reason, notice, doi, pmid = [row[at] for at in places]
            update = Update(nature, date, notice, reason)
            # Where there is none, it has "unavailable", "Unavailable" and 0.
            for name in (doi.strip().lower(), pmid.strip()):
                if name.startswith("10.") or (name.isdecimal() and name != "0"):
                    known.setdefault(name, []).append(update)
    except csv.Error as error:
        raise InputError(f"{path}:{rows.line_num}: is not valid CSV: {error}") from None
    if len(row) <= last and not text.endswith("\n"):
        # What is missing would look like works that were not retracted.
        raise InputError(f"{path}:{rows.line_num}: ends within a row; download it again")
    return known


def _written_out(update: Update) -> Update:
    """Return an update with its date in ISO 8601, and its reasons as a list that is read."""
    date, day = "", _DAY.match(update.date)
    for form in _FORMS:
        with suppress(ValueError):
            date = datetime.strptime(day[0] if day else "", form).date().isoformat()
    reasons = ", ".join(each.strip(" +") for each in update.reason.split(";") if each.strip(" +"))
    notice = update.notice.strip().lower()
    kind = update.kind.strip().lower().replace(" ", "-")
    return Update(kind, date, notice if notice.startswith("10.") else "", reasons)

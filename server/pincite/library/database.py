"""A SQLite file used as a cache: all of its content can be computed again.

So no state of the file is an error for callers: a damaged or foreign file is set aside and replaced
by a new one; if it cannot be written, an in-memory database is used instead. `problems` reports
what happened. A file made by a newer Pincite is left unchanged, and this version uses another file
beside it.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Final, TypeVar

from ..model.problems import Problem
from ..whole_files import make_private_folder

#: "Pcit": distinguishes our files from those of other programs.
_APPLICATION_ID: Final = 0x50636974
#: How long to wait for another process that holds the file before we go on without it; shorter
#: when opening it, as the author waits for that.
_BUSY_SECONDS: Final = 10.0
_OPEN_SECONDS: Final = 1.0
#: How long SQLite itself waits, during which our other threads cannot read.
_ONE_WAIT_SECONDS: Final = 0.05
#: Free space is returned to the disk from this share on: that is slow and blocks other writers.
_UNUSED: Final = 0.25
#: Endings of the files of a database: those that SQLite keeps beside it are moved before it, or
#: SQLite would use them with the new one.
_ENDINGS: Final = ("-wal", "-shm", "")
#: SQLite's messages for a damaged file, beside `sqlite3.DatabaseError`, which has no subclass.
_DAMAGE: Final = ("no such", "unsupported file format", "Could not decode")

_T = TypeVar("_T")


class _UnusableError(Exception):
    """The file is not one that we may use; the message explains why, unless a newer version may."""


#: Exceptions that opening a file may raise.
_FAILURES: Final = (OSError, sqlite3.Error, _UnusableError)


class Database:
    """One connection to a file that other processes and any thread may share, with these tables."""

    def __init__(self, path: Path | None, schema: Sequence[str], version: int) -> None:
        self.path = path
        self.problems: list[Problem] = []
        self._schema = schema
        self._version = version
        self._lock = threading.Lock()
        self._connection = self._in_memory() if path is None else self._opened(path)

    def run(self, work: Callable[[sqlite3.Connection], _T]) -> _T:
        """Return the result of `work`, in one transaction; it may be called again after an error.

        While another process holds the file, other threads may read between two attempts.
        """
        end, is_new = time.monotonic() + _BUSY_SECONDS, False
        while True:
            with self._lock:
                try:
                    with self._connection:
                        return work(self._connection)
                except sqlite3.Error as error:
                    # A refusal is for lack of space or permission, or the file is locked.
                    refused = isinstance(error, sqlite3.OperationalError)
                    if self.path is None or not (refused or _is_damage(error)):
                        raise
                    waits = _is_locked(error) and time.monotonic() < end
                    if not waits:
                        self._recover(self.path, error, is_new=is_new)
                        is_new = True
            if waits:
                time.sleep(_ONE_WAIT_SECONDS)

    def close(self) -> None:
        """Close the file; the database cannot be used afterwards."""
        with self._lock:
            self._connection.close()

    def size(self) -> int:
        """Return the bytes on disk."""
        files = () if self.path is None else _files_of(self.path)
        return sum(file.stat().st_size for file in files if file.exists())

    def shrink(self, *, fully: bool = False) -> None:
        """Return unused space to the disk; `fully`, remove the file that was set aside, too."""
        if self.path is None:
            return
        # With a separate connection, so that readers of ours do not wait.
        with suppress(sqlite3.Error), closing(sqlite3.connect(self.path)) as own:
            own.isolation_level = None
            unused, pages = (_pragma(own, name) for name in ("freelist_count", "page_count"))
            if fully or unused >= _UNUSED * pages:
                own.execute("VACUUM")
                own.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for file in _files_of(_aside(self.path)) if fully else ():
            with suppress(OSError):
                file.unlink(missing_ok=True)

    def _recover(self, path: Path, error: sqlite3.Error, *, is_new: bool) -> None:
        """Replace the connection after an error by a working one: into memory if it `is_new`."""
        failed = self._connection
        if not is_new and _is_damage(error):
            failed.close()
            self._connection = self._opened(path, "was damaged")
            return
        self._connection = self._instead_of(path, str(error))
        try:
            failed.backup(self._connection)
        except sqlite3.Error:
            self._connection = self._in_memory()
        failed.close()

    def _opened(self, path: Path, fault: str = "") -> sqlite3.Connection:
        """Return a connection to the file at `path`, or to what replaces one with a `fault`."""
        aside = _aside(path)
        try:
            for file, file_aside in zip(_files_of(path), _files_of(aside), strict=True):
                if fault:
                    file_aside.unlink(missing_ok=True)
                    with suppress(FileNotFoundError):
                        file.replace(file_aside)
            connection = self._connected(path)
        except _FAILURES as error:
            if fault:
                return self._instead_of(path, f"it {fault}, and it cannot be replaced ({error})")
            if isinstance(error, _UnusableError) and not str(error):
                # In a file with another name, so that the versions do not replace each other's.
                return self._opened(path.with_name(f"{path.stem}-{self._version}{path.suffix}"))
            if isinstance(error, _UnusableError) or _is_damage(error):
                is_foreign = isinstance(error, _UnusableError)
                return self._opened(path, str(error) if is_foreign else "was damaged")
            if os.access(path, os.R_OK) and not os.access(path, os.W_OK):
                with suppress(*_FAILURES):
                    connection = self._connected(path, is_read_only=True)
                    self._report(path, "is read-only, so nothing new is stored")
                    return connection
            reason = (isinstance(error, OSError) and error.strerror) or str(error)
            return self._instead_of(path, reason)
        if fault:
            self._report(
                path, f"{fault}; it was renamed to {aside.name}, and a new one is being built"
            )
        return connection

    def _instead_of(self, path: Path, reason: str) -> sqlite3.Connection:
        self._report(path, f"cannot be used, so nothing new is stored: {reason}")
        self.path = None
        return self._in_memory()

    def _report(self, path: Path, message: str) -> None:
        self.problems.append(Problem(path, None, f"the index {message}"))

    def _in_memory(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            ":memory:", isolation_level="IMMEDIATE", check_same_thread=False
        )
        self._set_up(connection)
        return connection

    def _connected(self, path: Path, *, is_read_only: bool = False) -> sqlite3.Connection:
        """Return a connection to our file; wait a moment for a process that holds it."""
        # Without its log, which cannot be opened: the last changes may be missing.
        address = f"{path.absolute().as_uri()}?immutable=1" if is_read_only else path
        make_private_folder(path.parent)
        connection = sqlite3.connect(
            address, _ONE_WAIT_SECONDS, 0, "IMMEDIATE", check_same_thread=False, uri=is_read_only
        )
        end = time.monotonic() + _OPEN_SECONDS
        try:
            while True:
                try:
                    self._check(connection)
                    if not is_read_only:
                        with suppress(OSError):
                            path.chmod(0o600)
                        connection.execute("PRAGMA journal_mode = WAL").fetchone()
                        # A killed process loses no transactions; only a power failure can.
                        connection.execute("PRAGMA synchronous = NORMAL")
                        self._set_up(connection)
                    self.path = path
                    return connection
                except sqlite3.OperationalError as error:
                    # SQLite refuses at once while another process opens the file.
                    if not _is_locked(error) or time.monotonic() > end:
                        raise
                    time.sleep(0.02)
        except BaseException:
            connection.close()
            raise

    def _check(self, connection: sqlite3.Connection) -> None:
        """Raise if a file is not ours, before anything in it is changed."""
        connection.execute("BEGIN")  # another process may be about to set the file up
        with connection:
            owner = _pragma(connection, "application_id")
            version = _pragma(connection, "user_version")
            (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if owner == version == tables == 0:
            return
        if owner != _APPLICATION_ID:
            raise _UnusableError("was not created by Pincite, or by its first release")
        if version > self._version:
            raise _UnusableError
        if version < self._version:
            raise _UnusableError("was created by an earlier version")

    def _set_up(self, connection: sqlite3.Connection) -> None:
        """Create the missing tables in one transaction."""
        if _pragma(connection, "user_version") == self._version:
            return
        connection.execute("BEGIN IMMEDIATE")
        with connection:
            for statement in self._schema:
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {self._version}")


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def _is_damage(error: Exception) -> bool:
    return type(error) is sqlite3.DatabaseError or (
        isinstance(error, sqlite3.OperationalError) and str(error).startswith(_DAMAGE)
    )


def _is_locked(error: sqlite3.Error) -> bool:
    return isinstance(error, sqlite3.OperationalError) and "locked" in str(error)


def _files_of(path: Path) -> list[Path]:
    """Return the files of the database at a path, itself last."""
    return [Path(f"{path}{ending}") for ending in _ENDINGS]


def _aside(path: Path) -> Path:
    return path.with_name(f"{path.name}.set-aside")

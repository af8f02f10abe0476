"""Reads files and prints what is opened on the way: ``python -m torture.hostile.audit FOLDER``.

Python's audit hooks see files, sockets and processes, whichever library opens them; a hook cannot
be taken away again, hence a process of its own. PDFium opens the file that it is given by itself.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from torture import apart

#: What no reader of papers has to do with.
_NEVER = (
    "socket.", "subprocess.", "os.exec", "os.posix_spawn", "os.system", "os.fork", "webbrowser.",
    "urllib.", "ftplib.", "http.", "smtplib.", "os.remove", "os.rename", "os.link", "os.symlink",
)  # fmt: skip
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def others_opened(folder: Path) -> list[str]:
    """Return what reading each file of a folder opens or does besides, one line for each."""
    done = apart("hostile.audit", folder)
    return [*done.stdout.splitlines(), *([done.stderr[-300:]] if done.returncode else [])]


class _Audit:
    """Notes what is opened while it is on."""

    def __init__(self, folder: Path, own: Sequence[str]) -> None:
        self._allowed = (str(folder), *own)
        self.seen: list[str] = []
        self.is_on = False

    def __call__(self, event: str, arguments: tuple[object, ...]) -> None:
        if not self.is_on:
            return
        if event == "open":
            path, _mode, flags = arguments
            if isinstance(path, int):
                return
            name = os.path.abspath(os.fsdecode(path))  # noqa: PTH100 - links are not followed
            if not name.startswith(self._allowed):
                self.seen.append(f"{name} is opened")
            elif isinstance(flags, int) and flags & _WRITES:
                self.seen.append(f"{name} is opened to write")
        elif event.startswith(_NEVER):
            self.seen.append(f"{event} {arguments}"[:200])


def main() -> None:
    """Read every file of the folder that is named, as papers, drafts and bibliographies."""
    from pincite.model.problems import InputError
    from torture.hostile.readers import BY_NAME, READERS

    folder = Path(sys.argv[1]).resolve()
    seeds = folder.with_name("seeds")
    seeds.mkdir()
    for reader in READERS:  # everything is imported by then, and all data read
        for content in reader.seeds:
            with suppress(InputError):
                reader.read_bytes(content, seeds)
    own = [
        str(Path(path).resolve()) for path in (*sysconfig.get_paths().values(), *sys.path) if path
    ]
    audit = _Audit(folder, own)
    sys.addaudithook(audit)
    for path in sorted(folder.iterdir()):
        for reader in (BY_NAME["JATS"], BY_NAME["LaTeX draft"], BY_NAME["BibTeX"]):
            audit.is_on = True
            try:
                reader.read(path)
            except (InputError, OSError):
                pass
            finally:
                audit.is_on = False
            for each in audit.seen:
                print(f"{path.name[:60]}: {each}")
            audit.seen.clear()


if __name__ == "__main__":
    main()

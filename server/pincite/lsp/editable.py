"""Whether a file may be edited: only where the editor saves it with all letters that it has.

An edit of a file that is not open is made by the editor, which reads it as UTF-8 whatever it is:
letters in another encoding would be lost as soon as it is saved.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..model.problems import InputError
from ..parsing.encoding import GUESSED, UNICODE

if TYPE_CHECKING:
    from .session import Project

_LINE_END: Final = re.compile(r"\r\n?|\n")
_LETTERS: Final = re.compile(r"[^\x00-\x7f]+")
#: What an editor shows for bytes that it cannot decode.
_LOST: Final = "\ufffd"


def editable_in(project: Project, path: Path) -> str:
    """Return the encoding of the letters that may be written into a file.

    Raises `InputError` if the file must not be edited: if it is not open and not in UTF-8, or open
    and read in another encoding than its own.
    """
    on_disk, held = project.on_disk(path), project.documents.documents.get(path)
    if on_disk is None:
        return "utf-8"
    encoding = on_disk.encoding
    is_known = encoding not in GUESSED
    name = f"{path.name} is in {encoding}" if is_known else f"{path.name} is not in UTF-8"
    if held is None:
        if encoding in UNICODE:
            return encoding
        raise InputError(
            f"{name}, and an editor that opens it as UTF-8 would destroy its letters. It was not "
            "changed: open it in its encoding or save it as UTF-8, then try again."
        )
    text = held.lines.text
    if text == on_disk.text or on_disk.text.isascii():
        return encoding
    ours, theirs = _beyond_ascii(on_disk.text), _beyond_ascii(text)
    is_read_otherwise = _are_bytes_of(ours - theirs, theirs - ours, encoding)
    if text.count(_LOST) > on_disk.text.count(_LOST) or (is_known and is_read_otherwise):
        raise InputError(
            f"{name}, and the editor has read it in another encoding. It was not changed: reopen "
            "it in its encoding or save it as UTF-8, then try again."
        )
    # Where our reading is a guess, theirs is as good; nobody knows in which it will be saved.
    is_read_alike = not is_read_otherwise and not ours.isdisjoint(theirs)
    return encoding if is_read_alike or encoding == "utf-8" else "ascii"


def _beyond_ascii(text: str) -> set[str]:
    """Return the lines of a text that have other letters than those of ASCII."""
    return {line for line in _LINE_END.split(text) if not line.isascii()}


def _are_bytes_of(ours: set[str], theirs: set[str], encoding: str) -> bool:
    """Return whether lines of an editor have a letter for each byte of ours."""

    def in_bytes(letters: re.Match[str]) -> str:
        return _LOST * len(letters[0].encode(encoding, "replace"))

    def in_letters(letters: re.Match[str]) -> str:
        return _LOST * len(letters[0])

    shown = {_LETTERS.sub(in_letters, line) for line in theirs}
    return any(_LETTERS.sub(in_bytes, line) in shown for line in ours)

"""Write prose piece by piece, with the places in the source that the pieces come from."""

from __future__ import annotations

from typing import NamedTuple

from ..model.citing_text import PARAGRAPH_BREAK
from ..model.drafts import Prose


class ProseMark(NamedTuple):
    """A place in prose that is being written, as numbers of pieces and of their places."""

    pieces: int
    places: int


class ProseWriter:
    """Writes the prose of a text; what was written since a mark can be taken back."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._pieces: list[str] = []
        self._length = 0
        self._starts: list[int] = []
        self._sources: list[int] = []

    def prose(self) -> Prose:
        starts, sources = tuple(self._starts) or (0,), tuple(self._sources) or (0,)
        return Prose("".join(self._pieces), starts, sources)

    def put(self, said: str, source: int) -> None:
        """Write something that stands for the source from an offset on."""
        if said:
            if not self._sources and source:
                # Places before the first word.
                self._starts.append(0)
                self._sources.append(0)
            self._pieces.append(said)
            self._starts.append(self._length)
            self._sources.append(source)
            self._length += len(said)

    def say(self, start: int, end: int) -> None:
        if start < end:
            self.put(self._text[start:end], start)

    def space(self, source: int) -> None:
        if self._pieces and not self._pieces[-1].endswith((" ", PARAGRAPH_BREAK)):
            self.put(" ", source)

    def break_at(self, source: int) -> None:
        if self._pieces and self._pieces[-1] != PARAGRAPH_BREAK:
            self.put(PARAGRAPH_BREAK, source)

    def mark(self) -> ProseMark:
        return ProseMark(len(self._pieces), len(self._starts))

    def take_back(self, mark: ProseMark) -> None:
        self._length -= sum(map(len, self._pieces[mark.pieces :]))
        del self._pieces[mark.pieces :]
        del self._starts[mark.places :], self._sources[mark.places :]

    def take_back_sign(self, sign: str) -> None:
        """Take back a sign that was written last."""
        if self._pieces and self._pieces[-1].endswith(sign):
            if self._pieces[-1] == sign:
                self.take_back(ProseMark(len(self._pieces) - 1, len(self._starts) - 1))
            else:
                self._pieces[-1] = self._pieces[-1].removesuffix(sign)
                self._length -= len(sign)

    def leave_out(self, mark: ProseMark, sign: str) -> None:
        """Leave out the sign that was written at a mark."""
        if mark.pieces < len(self._pieces) and self._pieces[mark.pieces] == sign:
            del self._pieces[mark.pieces], self._starts[mark.places], self._sources[mark.places]
            later = self._starts[mark.places :]
            self._starts[mark.places :] = [start - len(sign) for start in later]
            self._length -= len(sign)

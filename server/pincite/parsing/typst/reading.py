"""What has been read of a text in Typst so far: what it says and cites, and what is open."""

from __future__ import annotations

from typing import Final

from ...model.drafts import CITATION_MARK, Citation, KeyList
from ...model.spans import TextSpan
from ..scanning import Scanning
from . import tokens
from .frames import Frame

CITE: Final = "cite"
#: Of this function ``@`` is short.
REFER: Final = "ref"


class Reading(Scanning):
    """The state of a scanner of Typst."""

    _blank_line = tokens.BLANK_LINES

    def __init__(self, text: str, labels: frozenset[str]) -> None:
        """Begin with nothing open."""
        super().__init__(text)
        #: Labels that the text defines.
        self.labels: set[str] = set()
        #: Names that it refers to, which cite if they are no labels.
        self.references: set[str] = set()
        self._known = labels
        self._frames: list[Frame] = [Frame("content")]
        #: The last name in code, and where it ends.
        self._named = ("", 0, 0)
        self._in_heading = False

    def _put(self, said: str, source: int) -> None:
        if not self._frames[-1].silent:
            self._prose.put(said, source)

    def _say(self, start: int, end: int) -> None:
        if not self._frames[-1].silent:
            self._prose.say(start, end)

    def _break(self, source: int) -> None:
        self._in_heading = False
        self._paragraph_end = 0
        if not self._frames[-1].silent:
            self._prose.take_back_sign(" ")
            self._prose.break_at(source)

    def _call_ends(self, frame: Frame, end: int, *, closed: bool) -> None:
        """Add the citation of a call of ``cite``, or of ``ref`` if its name is no label."""
        if frame.name == REFER:
            names = {key.key for listed in frame.keys for key in listed.keys}
            self.references |= names
            if not names or names & self._known:
                return
        self._put(CITATION_MARK, frame.start)
        if not frame.keys:
            end = end if closed else frame.inside
            span = TextSpan(frame.inside, end - closed)
            if span.of(self.text).strip():
                return  # a key that is computed
            frame.keys.append(KeyList(span, (), closed))
        elif not closed:
            last = frame.keys[-1].span.end
            frame.keys[-1] = KeyList(frame.keys[-1].span, frame.keys[-1].keys, closed=False)
            end = last + self.text.startswith(">", last)
        span = TextSpan(frame.start, end)
        self._citations.append(Citation(frame.name, span, tuple(frame.keys), frame.listed_only))

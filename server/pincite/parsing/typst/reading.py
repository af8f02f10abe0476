"""What has been read of a text in Typst so far: what it says and cites, and what is open."""

from __future__ import annotations

from collections.abc import Mapping

from ...model.drafts import CITATION_MARK, Citation, KeyList
from ...model.spans import TextSpan
from ..scanning import Scanning
from . import tokens
from .frames import Frame
from .functions import BUILT_IN, CITE, REFER, Shape, definition_in, import_in
from .names import Names


class Reading(Scanning):
    """The state of a scanner of Typst."""

    _blank_line = tokens.BLANK_LINES

    def __init__(
        self,
        text: str,
        labels: frozenset[str] = frozenset(),
        functions: Mapping[str, Shape] = BUILT_IN,
    ) -> None:
        """Begin with nothing open; references to `labels` cite nothing, `functions` cite."""
        super().__init__(text)
        #: The names in the text; references cite if they are no labels.
        self.names = Names()
        self._known, self._functions = labels, functions
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

    def _statement_ends(self, frame: Frame, end: int) -> None:
        """Note what a statement defines or imports."""
        if frame.name not in ("let", "import"):
            return
        statement = self.text[frame.start + 1 : end]
        if frame.name == "import":
            if (imported := import_in(statement)) is not None:
                self.names.imports.append(imported)
        elif (definition := definition_in(statement)) is not None:
            self.names.definitions.append(definition)

    def _are_labels(self, listed: KeyList) -> bool:
        return bool(listed.keys) and all(key.key in self._known for key in listed.keys)

    def _call_ends(self, frame: Frame, shape: Shape, end: int, *, closed: bool) -> None:
        """Add the citation of a call that has keys; others than ``cite`` refer to labels, too."""
        if frame.name != CITE:
            names = {key.key for listed in frame.keys for key in listed.keys}
            into = self.names.references if shape.refers else self.names.handed
            into |= names
            frame.keys = [each for each in frame.keys if not self._are_labels(each)]
            if (names and not frame.keys) or (frame.name == REFER and not names):
                return
        if frame.keys or frame.name == CITE:
            self._put(CITATION_MARK, frame.start if frame.silent else end - closed)
        if not frame.keys:
            end = end if closed else frame.inside
            span = TextSpan(frame.inside, end - closed)
            is_whole = shape.takes(0, "") and not frame.name.endswith(".with")
            if span.of(self.text).strip() or not is_whole:
                return  # a key that is computed
            frame.keys.append(KeyList(span, (), closed))
        elif not closed:
            last = frame.keys[-1].span.end
            frame.keys[-1] = KeyList(frame.keys[-1].span, frame.keys[-1].keys, closed=False)
            end = last + self.text.startswith(">", last)
        span = TextSpan(frame.start, end)
        self._citations.append(Citation(frame.name, span, tuple(frame.keys), frame.listed_only))

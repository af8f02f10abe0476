"""A text in blocks of whole lines: an edit costs one block, however long the text is."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate

_LINE_END = re.compile(r"\r\n?|\n")
#: The fewest characters in a block, and about the most blocks: an edit finds the lines of one block
#: again, and counts all blocks.
_BLOCK = 1 << 12
_MOST_BLOCKS = 512


class _Block:
    """Some lines of a text; all blocks but the last end with a line feed, so no CRLF is split."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.ends = text.count("\n")
        if "\r" in text:
            self.ends += text.count("\r") - text.count("\r\n")

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The offsets of the lines, and last the offset at which the next block begins."""
        if "\r" in self.text:
            return (0, *(match.end() for match in _LINE_END.finditer(self.text)))
        # Faster than the expression; each letter typed makes a new block.
        lengths = (len(line) + 1 for line in self.text.split("\n"))
        return tuple(accumulate(lengths, initial=0))[:-1]


class Blocks:
    """An immutable text in blocks; an edited text shares the blocks that did not change."""

    def __init__(self, blocks: Sequence[_Block], size: int) -> None:
        self._blocks = blocks
        #: Characters in a block; longer only where a single line is longer.
        self._size = size
        #: First line number and offset of each block, and those of the end of the text.
        self._lines = [0, *accumulate(block.ends for block in blocks)]
        self._offsets = [0, *accumulate(len(block.text) for block in blocks)]

    @classmethod
    def of(cls, text: str) -> Blocks:
        """Divide a text into blocks."""
        size = max(_BLOCK, len(text) // _MOST_BLOCKS)
        return cls(tuple(_divided(text, size)), size)

    @property
    def length(self) -> int:
        """The length of the text."""
        return self._offsets[-1]

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """The text in parts; unedited parts remain the same objects."""
        return tuple([block.text for block in self._blocks])

    def text(self) -> str:
        """Return the whole text."""
        return "".join(self.parts)

    def line(self, number: int) -> tuple[int, str] | None:
        """Return offset and text of a line, without its line end; None after the last line."""
        if number > self._lines[-1]:
            return None
        # The last line is in the last block, even if it is empty.
        at = min(bisect_right(self._lines, number), len(self._blocks)) - 1
        block = self._blocks[at]
        inside = number - self._lines[at]
        start = block.starts[inside]
        end = block.starts[inside + 1] if inside < block.ends else len(block.text)
        return self._offsets[at] + start, block.text[start:end].rstrip("\r\n")

    def line_at(self, offset: int) -> tuple[int, str]:
        """Return the number of the line at an offset, and its text up to there."""
        at = self._block_at(offset)
        block, inside = self._blocks[at], offset - self._offsets[at]
        line = bisect_right(block.starts, inside) - 1
        return self._lines[at] + line, block.text[block.starts[line] : inside]

    def replaced(self, start: int, end: int, text: str) -> Blocks:
        """Return the blocks of the text with `text` in place of what is between the offsets."""
        first, last = self._block_at(start), self._block_at(end)
        before = self._blocks[first].text[: start - self._offsets[first]]
        after = self._blocks[last].text[end - self._offsets[last] :]
        new = f"{before}{text}{after}"
        if not new.endswith("\n") and last + 1 < len(self._blocks):
            last += 1
            new += self._blocks[last].text
        edited = _divided(new, self._size)
        return Blocks((*self._blocks[:first], *edited, *self._blocks[last + 1 :]), self._size)

    def _block_at(self, offset: int) -> int:
        return min(bisect_right(self._offsets, offset), len(self._blocks)) - 1


def _divided(text: str, size: int) -> Iterator[_Block]:
    """Yield the blocks of a text, at least one."""
    start = 0
    while len(text) - start > 2 * size and (end := text.find("\n", start + size) + 1):
        yield _Block(text[start:end])
        start = end
    yield _Block(text[start:])

"""Parse XML files safely, whatever is in the file, and read the text in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from html.entities import html5
from io import BytesIO
from pathlib import Path
from typing import ClassVar

from lxml import etree

from ...model.problems import NotAPaperError
from .paragraphs import PaperBuilder, plain

_ENTITY = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos);)([A-Za-z][A-Za-z0-9]{1,31};)")


def parse_xml(path: Path) -> etree._Element:
    """Return the root of an XML file, as far as it could be parsed.

    Namespaces, comments, processing instructions and entities are removed. No other file is read,
    and entities that the file defines are not expanded. Raises `NotAPaperError` for another file.
    """
    parser = etree.XMLParser(
        recover=True,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        collect_ids=False,
    )
    # The names of HTML's characters are declared in DTDs, which are not read.
    data = _ENTITY.sub(_character, path.read_bytes())
    root = None
    with suppress(etree.LxmlError):
        root = etree.parse(BytesIO(data), parser).getroot()
    if root is None:
        raise NotAPaperError("this is not an XML file, although its name says so")
    etree.strip_elements(root, etree.Entity, with_tail=False)
    for element in root.iter("{*}*"):
        with suppress(ValueError):  # an invalid name, in a damaged file
            element.tag = str(element.tag).rpartition("}")[2]
    return root


def _character(entity: re.Match[bytes]) -> bytes:
    characters = html5.get(entity[1].decode(), "")
    return "".join(f"&#{ord(character)};" for character in characters).encode() or entity[0]


def raw_text(element: etree._Element, separator: str = "") -> str:
    """Return all text in an element as written; `separator` goes between its pieces."""
    return separator.join(map(str, element.itertext()))


def text_of(element: etree._Element | None) -> str:
    """Return all text in an element with single spaces, empty if there is no element."""
    return "" if element is None else plain(raw_text(element))


class TextReader:
    """Passes the running text of elements to its `builder`, in reading order.

    A format names the elements that are `paragraphs`, and handles others in `start`. `floats` are
    read after the paragraph that contains them, so that they do not split its sentence. `numbers`
    has the indices of the references by the names that markers use.
    """

    paragraphs: ClassVar[frozenset[str]]
    floats: ClassVar[frozenset[str]]

    def __init__(self, numbers: Mapping[str, tuple[int, ...]]) -> None:
        self.builder = PaperBuilder()
        self.open_paragraphs = 0
        self._numbers = numbers
        self._floating: list[etree._Element] = []
        #: The open sections, with the section around each.
        self._sections: list[tuple[etree._Element, str | None]] = []

    def start(self, element: etree._Element) -> bool:
        """Handle the start of an element; return whether to read its content."""
        raise NotImplementedError

    def add_marker(self, text: str, names: Iterable[str]) -> None:
        """Add a citation marker with the names of its references."""
        cited = (index for name in names for index in self._numbers.get(name, ()))
        self.builder.add_marker(text, tuple(dict.fromkeys(cited)))

    def start_section(self, element: etree._Element, heading: str | None) -> None:
        """Start a section that ends with an element."""
        self._sections.append((element, self.builder.section))
        self.builder.start_section(heading)

    def read_abstract(self, abstract: etree._Element | None) -> None:
        """Read the abstract, which comes first."""
        self.builder.start_abstract()
        self.read(abstract)
        self.builder.start_section(None)

    def read(self, root: etree._Element | None) -> None:
        """Read an element with all that is in it."""
        if root is None:
            return
        unread: etree._Element | None = None
        walk = etree.iterwalk(root, events=("start", "end"))
        for event, element in walk:
            is_paragraph = element.tag in self.paragraphs
            if event == "end":
                if element is not unread:
                    self._end(element, is_paragraph)
                if element is not root:
                    self.builder.add_text(element.tail or "")
                continue
            is_floating = self.open_paragraphs > 0 and element.tag in self.floats
            if is_floating:
                self._floating.append(element)
            if is_floating or not self.start(element):
                walk.skip_subtree()
                unread = element
                continue
            if is_paragraph:
                self.builder.end_paragraph()
                self.open_paragraphs += 1
            self.builder.add_text(element.text or "")
        self.builder.end_paragraph()

    def _end(self, element: etree._Element, is_paragraph: bool) -> None:
        if self._sections and self._sections[-1][0] is element:
            self.builder.start_section(self._sections.pop()[1])
        elif is_paragraph:
            self.builder.end_paragraph(is_sentence=element.tag == "s")
            self.open_paragraphs -= 1
            if not self.open_paragraphs:
                floating, self._floating = self._floating, []
                for each in floating:
                    self.read(each)

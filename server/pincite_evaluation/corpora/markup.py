"""The markup of CL-SciSumm: ``<S sid="4" ssid="2">...</S>`` in papers and in annotators' fields.

It is often malformed (``<S sid =  ssid = >``, unclosed tags, bare ``<`` in a text), escaped twice
and in mixed encodings, so only known tags are recognised and everything else is text.
"""

from __future__ import annotations

import html
from collections.abc import Iterator
from itertools import zip_longest
from typing import Final, NamedTuple

import regex

_TAG: Final = regex.compile(
    r"<(?P<closes>/?)(?P<name>S|ABSTRACT|SECTION|SUBSECTION|PAPER)\b(?P<rest>[^<>]{0,2000}+)>"
)
_SID: Final = regex.compile(r"""\bsid\s{0,9}+=\s{0,9}+["']?+([^\s"'=<>/]*+)(?!\s*+=)""")
_TITLE: Final = regex.compile(r'\btitle\s{0,9}+=\s{0,9}+"([^"]*+)')
#: A line break inside a word.
SOFT_HYPHEN: Final = regex.compile("\u00ad\\s*+")


def _letter(byte: int) -> str:
    """Return the character of a byte that is not UTF-8: nearly always Windows-1252."""
    written = bytes([byte])
    return written.decode("cp1252", "ignore") or written.decode("latin-1")


#: Bytes that ``surrogateescape`` let through.
_STRAY_BYTES: Final = {0xDC00 + byte: _letter(byte) for byte in range(0x80, 0x100)}


class MarkedSentence(NamedTuple):
    """A sentence with its id (empty if none is given), its section, and the offset of its tag.

    `text` is for readers; `written` is as in the file, except for spaces.
    """

    sid: str
    text: str
    written: str
    section: str | None
    start: int


def marked_sentences(markup: str) -> Iterator[MarkedSentence]:
    """Yield the ``<S>`` elements of a paper or field, their text as `plain` gives it."""
    section = None
    tags = list(_TAG.finditer(markup))
    for tag, following in zip_longest(tags, tags[1:]):
        opens = not tag["closes"] and not tag["rest"].endswith("/")
        if tag["name"] == "S" and opens:
            end = following.start() if following else len(markup)
            sid = _SID.search(tag["rest"])
            written = markup[tag.end() : end]
            yield MarkedSentence(
                sid[1] if sid else "",
                plain(written),
                " ".join(written.translate(_STRAY_BYTES).split()),
                section,
                tag.start(),
            )
        elif tag["name"] == "ABSTRACT":
            section = "Abstract" if opens else None
        elif tag["name"] == "SECTION":
            title = _TITLE.search(tag["rest"]) if opens else None
            section = (plain(title[1]) or None) if title else None


def without_tags(markup: str) -> str:
    """Return a text as `plain` gives it, without the tags of the corpus."""
    return plain(_TAG.sub(" ", markup))


def plain(written: str) -> str:
    """Return a text for readers: entities and stray bytes decoded, one space between words."""
    # Some fields are escaped twice: "&amp;quot;".
    text = html.unescape(html.unescape(written.translate(_STRAY_BYTES)))
    return " ".join(SOFT_HYPHEN.sub("", text).split())

"""The syntax of citations: keys as Pandoc reads them, the roles of MyST, and raw LaTeX.

Keys are as in Pandoc's manual, “Citation syntax”: letters, digits and underscores, with single
signs of punctuation between them, or anything in braces.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from ...model.drafts import Citation, CitationKey, KeyList
from ...model.papers import doi_in_key
from ...model.spans import TextSpan
from ..latex.arguments import read_citation
from ..latex.commands import HIDDEN_ENVIRONMENTS, KNOWN_COMMANDS

#: A key without braces; its first group is the key itself.
BARE_KEY: Final = re.compile(r"[*\w](?:\w|[:.#$%&\-+?<>~/](?=\w)|[:/](?=/))*")
#: A key in braces, which may nest once.
BRACED_KEY: Final = re.compile(r"\{((?:[^{}\s]|\{[^{}\s]*\})+)\}")
#: A sign for a citation whose key is missing or a placeholder.
GAP: Final = re.compile(r"(\?*)(?=[ \t]*[;,\]])")
#: What may be a key without its sign: a whole item, or behind a comma a word that is none of prose.
_UNMARKED: Final = re.compile(
    r"(?:;|,(?=\s*[^\W\d][^\s;,\]]*\d))\s*(?=[\d_]*[^\W\d_])"
    rf"({BARE_KEY.pattern})(?=\s*[;,\]])"
)
#: Roles of sphinxcontrib-bibtex and MyST: ``{cite}`` and ``{cite:p}``, ``{citet}``, ..., perhaps
#: with options: ``{cite:p .wide}``.
ROLE: Final = re.compile(
    r"\{((?:foot)?cite(?::[a-z]+|p|t|ps|ts|ct|cts|alp|alps|author|authors|authorpar|authorpars"
    r"|year|years|yearpar|yearpars|label|labels|labelpar|labelpars|title|titlepar|cited|empty)?"
    r"|nocite)(?:[ ][^{}`\r\n]*)?\}`(?P<empty>`(?!`)|(?!`))"
)
#: A key of a role, between commas or semicolons, with notes in braces before and behind it.
_OF_ROLE: Final = re.compile(r"(?:\{[^{}`]*\}|[^,;`])+")
_NOTED: Final = re.compile(r"\s*(?:\{[^{}]*\})?\s*(?P<key>.*?)\s*(?:\{[^{}]*\})?\s*", re.DOTALL)
#: What MyST makes a citation of: a link to a DOI.
DOI_LINK: Final = "<doi:>"
_TARGET: Final = re.compile(r"[<(]((?:doi:|https?://(?:dx\.|www\.)?doi\.org/)[^\s<>()]+)")
#: Quarto's prefixes of cross-references, which look like citations.
PREFIX: Final = (
    "(?:fig|tbl|lst|tip|nte|wrn|imp|cau|thm|lem|cor|prp|cnj|def|exm|exr|sol|rem|alg|prf|eq|sec|apx)"
)
#: What cites nowhere: the prefixes of pandoc-crossref and pandoc-xnos.
NO_KEY: Final = re.compile(rf"(?:{PREFIX}|tab):", re.IGNORECASE)
#: Text before an ``@`` that is in an address: ``https://medium.com/@name``, ``{a,b}@uni.edu``.
_ADDRESS: Final = re.compile(
    r"(?:[A-Za-z][A-Za-z0-9+.-]{1,30}://|(?<![\w@])(?:mailto|xmpp|sips?|acct|tel|urn|skype):"
    r"|(?<![\w@./-])(?:[\w-]{1,63}\.){1,8}[A-Za-z]{2,24}(?::\d{1,5})?/)"
    r"(?:[^\s()\[\]<>{}\"`|\\^]|\([^\s()<>]{0,200}\))*\Z"
)
_MAILBOX: Final = re.compile(r"(?:\{[\w.+ ,|-]+\}|\w[_+%]+)\Z")
_DOMAIN: Final = re.compile(r"@(?:[\w-]{1,63}\.){1,8}[A-Za-z]{2,24}\b")
_HANDLE: Final = re.compile(rf"@[\w.-]{{1,100}}{_DOMAIN.pattern}")
_MAX_ADDRESS: Final = 300
_COMMAND: Final = re.compile(r"\\(?:([A-Za-z]+)(\*?)|.)|%[^\r\n]*", re.DOTALL)
_ENVIRONMENT: Final = re.compile(r"\\begin[ \t]*\{([^{}\r\n]+)\}")


def key_at(text: str, position: int) -> tuple[int, int] | None:
    """Return the span of the key after the ``@`` before `position`, None if there is none."""
    if (bare := BARE_KEY.match(text, position)) is not None:
        return bare.span()
    braced = BRACED_KEY.match(text, position)
    return braced.span(1) if braced else None


def listed_key(text: str, place: tuple[int, int]) -> KeyList:
    """Return the key at a place as a list of its own; empty where nothing is written yet."""
    span = TextSpan(*place)
    return KeyList(span, (CitationKey(span.of(text), span),) if span.start < span.end else ())


def is_address(text: str, sign: int) -> bool:
    """Return whether the ``@`` at an offset is in the address of a page or a person."""
    before = text[max(0, sign - _MAX_ADDRESS) : sign]
    if _HANDLE.match(text, sign) or (_DOMAIN.match(text, sign) and _MAILBOX.search(before)):
        return True
    return ("/" in before or ":" in before) and _ADDRESS.search(before) is not None


def keys_of_role(text: str, inside: TextSpan) -> Iterator[CitationKey]:
    """Yield the keys of a role of MyST: ``{see}key{p. 3}; other``."""
    for item in _OF_ROLE.finditer(text, inside.start, inside.end):
        noted = _NOTED.fullmatch(text, *item.span())
        if noted is not None and noted["key"]:
            yield CitationKey(noted["key"], TextSpan(*noted.span("key")))


def unmarked_keys(text: str, start: int, end: int) -> Iterator[CitationKey]:
    """Yield what may be keys without their sign in a citation in brackets."""
    for item in _UNMARKED.finditer(text, start, end):
        yield CitationKey(item[1], TextSpan(*item.span(1)))


def linked_doi(text: str, first: int, start: int, end: int) -> Citation | None:
    """Return the citation that is a link to a DOI, whose target is from `start` to `end`."""
    target = _TARGET.match(text, start, end)
    if target is None or not doi_in_key(target[1]):
        return None
    return Citation(DOI_LINK, TextSpan(first, end), (listed_key(text, target.span(1)),))


def written(key: str) -> str:
    """Return a key as it is written after ``@``: in braces unless Pandoc reads it without."""
    return key if BARE_KEY.fullmatch(key) else f"{{{key}}}"


def citation_in_tex(text: str, start: int) -> Citation | None:
    """Return the citation of raw LaTeX whose backslash is at an offset, if there is one."""
    command = _COMMAND.match(text, start)
    shape = KNOWN_COMMANDS.get(command[1]) if command and command[1] else None
    if command is None or shape is None:
        return None
    cited = read_citation(text, command, shape)
    listed = (each.span.of(text).strip() for each in cited.key_lists) if cited else ()
    if cited is not None and not cited.keys and any(listed):
        return None  # the body of a definition
    return cited


def citations_in_tex(text: str, start: int, end: int) -> Iterator[Citation]:
    """Yield the citations in raw LaTeX between two offsets; they have no place in the prose."""
    environment = _ENVIRONMENT.match(text, start, end)
    if environment is not None and environment[1] in HIDDEN_ENVIRONMENTS:
        return
    for command in _COMMAND.finditer(text, start, end):
        if (cited := citation_in_tex(text, command.start())) is not None:
            yield replace(cited, listed_only=True)

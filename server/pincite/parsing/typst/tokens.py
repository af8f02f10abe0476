"""The tokens of Typst in markup, code and formulas, and the keys."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal

import regex

#: Content in brackets, code in parentheses and braces, a statement up to the end of its line, and a
#: formula.
Kind = Literal["content", "parentheses", "braces", "statement", "formula"]
#: What a sign opens, and what one closes.
OPENED: Final[Mapping[str, Kind]] = {"[": "content", "(": "parentheses", "{": "braces"}
CLOSED: Final[Mapping[str, Kind]] = {"]": "content", ")": "parentheses", "}": "braces"}

#: A character of a name: unlike Python's letters, the signs of Hindi, Thai and decomposed umlauts
#: are some, and digits that are raised or parts of fractions are none.
_OF_LABEL: Final = r"[\p{XID_Continue}:.-]"
#: A name after ``@`` or in ``<>``; full stops and colons at the end of a reference are no part.
NAME: Final = regex.compile(rf"{_OF_LABEL}+")
LABEL: Final = regex.compile(rf"<({_OF_LABEL}+)>")
#: A placeholder in place of a name after ``@``.
GAP: Final = re.compile(r"\?+")
#: What may stand in ``<>`` while it is typed.
TYPED_LABEL: Final = regex.compile(rf"<((?:{_OF_LABEL}|\?)*)(>?)")

#: Punctuation at the end of a link is not part of it.
LINK: Final = re.compile(
    r"https?://(?:(?:[\w!#$%&*+,./:;=?@~'-]|\([^\s()\[\]]*\)|\[[^\s\[\]()]*\])*(?<![!,.:;?']))?"
)
COMMENT_MARK: Final = re.compile(r"/\*|\*/")
LINE: Final = re.compile(r"[^\r\n]*")
LINE_END: Final = re.compile(r"\r\n|\n|\r")
#: At least one empty line.
BLANK_LINES: Final = re.compile(r"(?:\r\n|\n|\r(?!\n))(?:[ \t]*(?:\r\n|\n|\r(?!\n)))+")
#: What begins at a line: a heading, or an item of a list.
HEADING: Final = re.compile(r"(=+)(?:[ \t]+|(?=[\r\n]|\Z))")
ITEM: Final = re.compile(r"(?:[-+/]|\d{1,9}\.)(?:[ \t]+|(?=[\r\n]|\Z))")
ESCAPE: Final = re.compile(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|(\S))")
TICKS: Final = re.compile(r"`+")
SUPPLEMENT: Final = re.compile(
    r"\[(?:[^\[\]\\]|\\.|\[(?:[^\[\]\\]|\\.|\[(?:[^\[\]\\]|\\.)*\])*\])*\]", re.DOTALL
)

_IDENTIFIER: Final = r"[^\W\d][\w-]*"
IDENTIFIER: Final = re.compile(rf"{_IDENTIFIER}(?:\.{_IDENTIFIER})*")
METHOD: Final = re.compile(rf"\.({_IDENTIFIER})")
#: The signs of markup; in a formula those that go on with code, or hide some; those of code, where
#: numbers hide the letters of their units.
SIGNS: Final = {
    "content": re.compile(r"https?://|//|/\*|---?|-\?|\.\.\.|[\\`$<\[\]@*_#~\r\n]"),
    "formula": re.compile(r"""\\.|//[^\r\n]*|/\*|"(?:[^"\\]|\\.)*"|#""", re.DOTALL),
    "code": re.compile(rf"//|/\*|[\"`$()\[\]{{}},:;<\r\n]|\d[\w.]*|{IDENTIFIER.pattern}"),
}
STRING: Final = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
#: Keywords that begin a statement, which ends with its line.
STATEMENTS: Final = frozenset(
    "let set show import include if for while return break continue".split()
)
#: Those after which a block ends the statement.
BLOCKS: Final = frozenset(("if", "for", "while"))
#: The text before a name that is being defined.
LET: Final = re.compile(r"\blet\s+\Z")
#: What continues a statement in the next line.
CONTINUED: Final = re.compile(r"\s*(?:else\b|\.[^\W\d])")
ELSE: Final = re.compile(r"\s*else\b")
#: What is not code, if it begins a line: a heading, or, after an empty line, two words.
PROSE_IN_CODE: Final = re.compile(
    rf"(?:\r\n|\n|\r)=+[ ]|{BLANK_LINES.pattern}"
    r"(?!(?:let|set|show|if|else|for|while|return|import|include|context|not)\b)"
    r"[^\W\d_]\w*[,;]?[ ]+(?!(?:and|or|in|not|as|else)\b)[^\W\d_]"
)
#: Functions whose content belongs to the sentence around them.
INLINE: Final = frozenset(
    """
    emph strong text link highlight underline overline strike smallcaps sub super box footnote
    lower upper raw h smartquote
    """.split()
)

#: A formula, if nothing in it hides a sign.
_PLAIN: Final = re.compile(r"\$((?:[^$\\]|\\.)*)\$", re.DOTALL)

_SKIPPED: Final = r"\\.|//[^\r\n]*"
_CODE: Final = rf"#(?:{IDENTIFIER.pattern})?"
_IN_CODE: Final = re.compile(rf"{_SKIPPED}|/\*|{STRING.pattern}|[$()\[\]{{}}]", re.DOTALL)
#: Opening and closing signs, by the sign of the construct that they are in.
_SIGNS: Final = {
    "$": re.compile(rf"{_SKIPPED}|/\*|{STRING.pattern}|{_CODE}[\[({{]|\$", re.DOTALL),
    "[": re.compile(rf"{_SKIPPED}|/\*|{_CODE}[({{]|[$\[\]]", re.DOTALL),
    "(": _IN_CODE,
    "{": _IN_CODE,
}
_CLOSING: Final = {"$": "$", "[": "]", "(": ")", "{": "}"}
_DIVIDING: Final = re.compile(rf"{STRING.pattern}|[()\[\]{{}},;+\r\n]", re.DOTALL)
_MAX_SIGNS: Final = 400
_MAX_DEPTH: Final = 20


def writable(key: str) -> bool:
    """Return whether a key can be written after ``@`` and in ``<>``."""
    return NAME.fullmatch(key) is not None and key[-1] not in ".:"


def divided(text: str, start: int, separators: str) -> tuple[list[str], int]:
    """Return what separators outside of brackets divide, up to the end of a bracket around it."""
    parts, begin, depth = list[str](), start, 0
    for found in _DIVIDING.finditer(text, start):
        sign = found.group()
        depth += (sign in "([{") - (sign in ")]}")
        if depth < 0 or (not depth and sign in separators):
            parts.append(text[begin : found.start()])
            begin = found.end()
        if depth < 0:
            return parts, begin
    return [*parts, text[begin:]], len(text)


def formula_end(text: str, start: int, most: int) -> int:
    """Return the end of the formula that begins at `start`, up to `most`; `start` if none is there.

    Strings, comments and embedded content may hide its sign. If what would hide one is not closed
    itself, the next sign ends the formula.
    """
    plain = _PLAIN.match(text, start, most)
    if plain is None:
        return start
    opened, position = ["$"], start + 1
    for _ in range(_MAX_SIGNS):
        found = _SIGNS[opened[-1]].search(text, position, most)
        if found is None or len(opened) > _MAX_DEPTH:
            break
        position, sign = found.end(), found.group()
        if sign == "/*":
            position = text.find("*/", position, most) + 2
            if position == 1:
                break
        elif sign == _CLOSING[opened[-1]]:
            opened.pop()
            if not opened:
                return position
            if opened[-1] in "$[" and text[position : position + 1] in ("(", "["):
                # Arguments of the same call.
                opened.append(text[position])
                position += 1
        elif sign[-1] in _CLOSING and sign[0] not in '\\/"':
            opened.append(sign[-1])
    return plain.end()

"""The chunks of R Markdown and Quarto: captions and strings, which cite, and child documents.

Options are in the first line, ``{r, fig.cap="So @a says"}``, and in comments below it, as YAML
(``#| fig-cap: So @a says``) or in R. Offsets are those of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from ...model.drafts import Include
from ...model.spans import TextSpan
from ..markups import MARKDOWN, markup_of
from ..yaml import strings_in

#: Comments with options, in any language.
_COMMENT: Final = re.compile(
    r"([ \t>]*(?:#|//|--|%%?|;|!|\*|/\*|<!--)\|)([^\r\n]*)(\r\n|\n|\r|\Z)|[ \t]*(?:\r\n|\n|\r)"
)
#: The options in braces may span several lines.
_OPTIONS: Final = re.compile(
    r"(?P<header>(?:\{(?:[^\r\n]*|[\s\S]*?)\}(?=[ \t]*(?:[\r\n]|\Z)))?)"
    rf"(?:[ \t]*(?:\r\n|\n|\r))?(?:{_COMMENT.pattern})*"
)
_ENTRY: Final = re.compile(r"^([ ]*)[\"']?([\w.-]+)[\"']?[ \t]*:(?=\s|\Z)", re.MULTILINE)
_STRING: Final = r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'"
_TOKEN: Final = re.compile(
    rf"{_STRING}|(?P<name>[\w.-]+)(?P<is>\s*=(?!=))?|[(\[{{]|[)\]}}]|,|\\.", re.DOTALL
)
#: The name of a theorem and the title of a callout are printed like a caption.
_CAPTION: Final = re.compile(r"[\w.-]*cap|apa-note|name|title")
_ESCAPED_KEY: Final = re.compile(r"@(?=[^\s@;\]\\]{0,100}\\[uUx])")
_CHILD: Final = re.compile("child")
#: A file in R: its name, or the parts of its path.
_FILE: Final = re.compile(rf"\b(?:here|file\.path)\([^()]*\)|{_STRING}|\\.", re.DOTALL)
_COMPUTED: Final = re.compile(
    r"\b(?:paste0?|sprintf|glue|str_\w+|gsub|sub|dir|list\.files|dir_ls|Sys\.glob)\s*\("
)
_MAX_PARTS: Final = 20
#: A document that code in R reads, unless it is in a comment.
_KNITTED: Final = re.compile(rf"#[^\r\n]*|\bknit_child\(\s*(?:input\s*=\s*)?({_STRING})", re.DOTALL)
#: A string or a comment in code, and a key in one: ``[@a-z]`` is a class of characters.
_STRING_IN_CODE: Final = re.compile(rf"#[^\r\n]*|{_STRING}", re.DOTALL)
_KEY: Final = re.compile(r"@\{?(?!\w-\w(?!\w{3}))\w[\w-]{2}")
_NEVER: Final = re.compile(r"\beval\s*[=:]\s*(?:F|FALSE|false|no)\b")


def options_span(text: str, start: int, end: int) -> TextSpan:
    """Return the place of the options of a chunk that begins with a brace at `start`."""
    found = _OPTIONS.match(text, start, end)
    return TextSpan(start, found.end() if found else start)


def captions(text: str, options: TextSpan) -> Iterator[tuple[str, int]]:
    r"""Yield the captions in the options of a chunk, each with its offset."""
    for value, offset, is_yaml in _values(text, options, _CAPTION):
        for span in _strings(value, is_yaml) if "@" in value or "\\" in value else ():
            caption = _ESCAPED_KEY.sub(" ", span.of(value))
            yield caption.replace("\\\\", " \\"), offset + span.start


def printed(text: str, code: TextSpan) -> Iterator[tuple[str, int]]:
    """Yield the strings in code that may cite once they are printed, each with its offset."""
    if text.find("@", code.start, code.end) < 0:
        return
    for string in _STRING_IN_CODE.finditer(text, code.start, code.end):
        if string.group()[0] != "#" and _KEY.search(string.group()):
            yield string.group()[1:-1], string.start() + 1


def children(text: str, options: TextSpan, end: int) -> Iterator[Include]:
    """Yield the documents that a chunk, which ends at `end`, includes by its options or code."""
    if text.find("child", options.start, end) < 0 or _NEVER.search(options.of(text)):
        return
    yield from knitted(text, options.end, end)
    for value, offset, is_yaml in _values(text, options, _CHILD):
        if is_yaml and not value.lstrip().startswith("!"):
            names = [(span.of(value), span) for span in _strings(value, is_yaml)]
        else:
            names = _files_in_r(value)
        for name, span in names:
            # Of several, some may be conditions.
            if name.strip() and (len(names) == 1 or markup_of(Path(name)) is MARKDOWN):
                yield Include(name.strip(), span.moved(offset), "text")


def knitted(text: str, start: int, end: int) -> Iterator[Include]:
    """Yield the documents that the code between two offsets reads."""
    for call in _KNITTED.finditer(text, start, end):
        if call[1]:
            place = TextSpan(call.start(1) + 1, call.end(1) - 1)
            yield Include(place.of(text), place, "text")


def bibliographies_in_code(value: str) -> Iterator[list[str]]:
    """Yield the paths, best first, that each file in code, ``here("refs", "a.bib")``, may have."""
    parts = [span.of(value) for span in _strings(value, False)][:_MAX_PARTS]
    for end, name in enumerate(parts, 1):
        if "." in name:
            paths = ["/".join(parts[start:end]) for start in range(end)]
            yield [*paths, *(path.lstrip("/") for path in paths)]


def _files_in_r(value: str) -> list[tuple[str, TextSpan]]:
    """Return the files that an expression names, with their places, unless R computes them."""
    found = []
    for file in () if _COMPUTED.search(value) else _FILE.finditer(value):
        if parts := [*_strings(file[0], False)]:
            place = TextSpan(parts[0].start, parts[-1].end).moved(file.start())
            found.append(("/".join(part.of(file[0]) for part in parts), place))
    return found


def _values(text: str, place: TextSpan, wanted: re.Pattern[str]) -> Iterator[tuple[str, int, bool]]:
    """Yield the values of the options with `wanted` names, their offsets, and if they are YAML."""
    found = _OPTIONS.match(text, place.start, place.end)
    position = found.end("header") if found else place.start
    # Without the signs of comments, every character in its place.
    comments = "".join(
        " " * len(each[1]) + each[2] + each[3] if each[1] else each.group()
        for each in _COMMENT.finditer(text, position, place.end)
    )
    in_header = text[place.start + 1 : position].removesuffix("}")
    in_yaml = _ENTRY.search(comments) is not None
    parts = ((in_header, place.start + 1, False), (comments, position, in_yaml))
    for options, offset, is_yaml in parts:
        for name, span in (_yaml_options if is_yaml else _r_options)(options):
            if wanted.fullmatch(name):
                yield span.of(options), offset + span.start, is_yaml


def _yaml_options(text: str) -> Iterator[tuple[str, TextSpan]]:
    entries = [*_ENTRY.finditer(text)]
    outer = min(len(each[1]) for each in entries)
    own = [each for each in entries if len(each[1]) == outer]
    ends = [*(each.start() for each in own[1:]), len(text)]
    return ((each[2], TextSpan(each.end(), end)) for each, end in zip(own, ends, strict=True))


def _r_options(text: str) -> Iterator[tuple[str, TextSpan]]:
    name, start, depth = "", 0, 0
    for token in _TOKEN.finditer(text):
        sign = token.group()
        depth += (sign in "([{") - (sign in ")]}")
        if depth == 0 and (token["is"] or sign == ","):
            if name:
                yield name, TextSpan(start, token.start())
            name, start = token["name"] or "", token.end()
    if name:
        yield name, TextSpan(start, len(text))


def _strings(value: str, is_yaml: bool) -> Iterator[TextSpan]:
    if is_yaml:
        # Text that is not valid YAML is one string.
        yield from [span for _, span in strings_in(value)] or [TextSpan(0, len(value))]
        return
    for token in _TOKEN.finditer(value):
        if token.group()[0] in "\"'":
            yield TextSpan(token.start() + 1, token.end() - 1)

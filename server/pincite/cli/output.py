"""Results as JSON and as text for a terminal."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Sequence
from typing import Any

import typer
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from ..model.papers import Candidate
from ..model.results import Languages, SupportingSentence
from ..model.spans import TextSpan
from ..text.controls import with_controls_escaped, with_controls_shown

#: Columns of a terminal in which text is readable.
WIDTH = 80


def print_json(value: Any) -> None:  # noqa: ANN401 - whatever JSON can say
    """Print one JSON value on stdout as UTF-8, and nothing else."""
    if sys.stdout is None:  # closed by the calling process
        return
    text = with_controls_escaped(json.dumps(value, ensure_ascii=False, indent=2))
    sys.stdout.buffer.write(text.encode("utf-8", "replace") + b"\n")
    sys.stdout.flush()


def echo(text: str, *, err: bool = False) -> None:
    """Print a line with control characters made visible; they must not reach the terminal."""
    typer.echo(with_controls_shown(text), err=err)


def console() -> Console:
    """Return a console for results; it wraps lines only on a terminal."""
    return Console(highlight=False, soft_wrap=not sys.stdout.isatty(), emoji=False)


def label(candidate: Candidate) -> str:
    """Return author, year and title of a work; for a set, those of its members."""
    entry = candidate.entry
    who = (entry.author_year if entry else "") or ", ".join(candidate.names)
    return " · ".join(filter(None, (who, candidate.title)))


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun, as in ``1 citation``."""
    return f"{number} {noun}" if number == 1 else f"{number} {plural or noun + 's'}"


def languages_line(differ: Languages) -> str:
    """Say that draft and work are in different languages."""
    return f"languages differ: draft {differ[0]}, work {differ[1]}"


def show(screen: Console, text: str | Text, indent: int, style: str = "") -> None:
    """Print a line of results; on a terminal, wrapped lines keep the indent and `style`."""
    text = Text(text) if isinstance(text, str) else text.copy()
    # The replacement has the same length, so the spans of styles stay valid.
    text.plain = with_controls_shown(text.plain)
    if not screen.is_terminal:
        screen.print(Text(" " * indent).append_text(Text.assemble(text)))
        return
    text.style = text.style or style
    screen.print(Padding(text, (0, 0, 0, indent), expand=False))


def wrapped(screen: Console, text: str, indent: int) -> None:
    """Print a text in lines that are readable on a terminal, also where stdout is none.

    Keys, options and paths are not broken.
    """
    width = WIDTH - indent
    for line in textwrap.wrap(text, width, break_on_hyphens=False, break_long_words=False):
        show(screen, line, indent)


def first_of(items: Sequence[str], most: int) -> Sequence[str]:
    """Return the first items, and how many more there are."""
    if len(items) <= most + 1:
        return items
    return (*items[:most], f"and {len(items) - most:,} more (--format json lists all)")


def support_json(
    supporting: Sequence[SupportingSentence], differ: Languages | None
) -> dict[str, Any]:
    """Return the supporting sentences of a work in the JSON form of docs/json.md.

    The languages of draft and work are added where they differ.
    """
    found: dict[str, Any] = {"supporting": [_sentence_json(each) for each in supporting]}
    if differ is not None:
        found["languages"] = {"draft": differ[0], "entry": differ[1]}
    return found


def _sentence_json(sentence: SupportingSentence) -> dict[str, Any]:
    return {
        "text": sentence.text,
        "page": sentence.page,
        "page_label": sentence.page_label,
        "section": sentence.section,
        "score": round(sentence.score, 6),
        "strength": sentence.strength,
        "probability": sentence.probability,
        "matched": [[span.start, span.end] for span in sentence.matched],
        "highlighted": sentence.highlighted,
        "comment": sentence.comment,
    }


def marked(text: str, spans: Sequence[TextSpan], *, styled: bool) -> Text:
    """Return `text` with the spans in bold, or between asterisks if not `styled`."""
    result, last = Text(), 0
    for span in spans:
        result.append(text[last : span.start])
        word = span.of(text)
        result.append(word if styled else f"*{word}*", style="bold" if styled else "")
        last = span.end
    result.append(text[last:])
    return result


def place(sentence: SupportingSentence) -> str:
    """Return the location of a supporting sentence: printed page, PDF page and section."""
    parts = []
    if sentence.page is not None:
        pdf_page = f" (PDF page {sentence.page})" if sentence.is_printed_otherwise else ""
        parts.append(f"p. {sentence.printed_page}{pdf_page}")
    if sentence.section:
        parts.append(sentence.section)
    if sentence.highlighted:
        parts.append(sentence.marking)
    return ", ".join(parts)


def support_line(sentence: SupportingSentence, *, styled: bool) -> Text:
    """Return a line for a supporting sentence: strength, marked sentence, location."""
    line = Text.assemble((f"{sentence.strength or '':7}  ", "dim" if styled else ""))
    line.append_text(Text("“"))
    line.append_text(marked(sentence.text, sentence.matched, styled=styled))
    line.append_text(Text("”"))
    where = place(sentence)
    if where:
        line.append(f"  ({where})", style="cyan" if styled else "")
    return line

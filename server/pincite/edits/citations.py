"""Insert citations, and pin pages: in placeholders, in citations, at the end of sentences.

Where a sentence has no such end in the source, it is cited at the cursor.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from ..model.drafts import (
    CITATION_MARK,
    Citation,
    CitationKey,
    CitationPlaceholder,
    Draft,
    DraftFile,
    is_gap,
)
from ..model.edits import TextEdit
from ..model.spans import TextSpan
from ..parsing.conventions import is_page
from ..parsing.markups import LATEX, Conventions, markup_of
from ..text.sentences import sentence_spans

#: What ends a sentence in prose, and what may close after it.
_STOPS = ".!?…:;,。！？"
_CLOSERS = "\"'”’»›“)]"
_QUOTE = re.compile(r"[\"'”’»›“]")
_CLOSING = re.compile(r"''|``|[\"'”’»›“)\]]")
#: What closes a formula, code or emphasis; it does not begin a footnote. A formula may be left out.
_CLOSING_SIGNS = re.compile(r"(?: ?\$(?=[^$ ])[^$\r\n]*\$|[$`*_~]|\^(?!\[))*")
#: What may follow a full stop in Markdown: the end of emphasis, and marks of footnotes.
_BEHIND_STOP = re.compile(r"[*_]*(?:\[\^[^\s\[\]^]+\])*")
#: Words whose full stop is their own.
_ABBREVIATED = re.compile(r"(?:\b(?:etc|al|ca|seq|Inc|Ltd|Co|Corp|Jr|usw)|\b[^\W\d_]\.[^\W\d_])\Z")
#: Before a stop, as before a French colon; a tilde may be a tie, or mark a subscript.
_SPACES_WITHOUT_TIES = re.compile(r"[ \t\u00a0\u202f]+\Z")
_SPACES = re.compile(r"(?:(?<!\\)[ \t\u00a0\u202f~]|(?<!\\)\\[ ,;:])+\Z")
#: A tie that waits for a citation; a French one parts a word from its stop.
_WAITING_TIE = re.compile(r"~(?![ \t]*[:;!?»])")
_MAX_SPACES = 40
_LETTERS = re.compile(r"[^\W\d_]{2,}")
#: Words of a sentence for which works are suggested unasked.
_MIN_WORDS = 3
#: What the prose has a space for between the cells of a table.
_CELL_END = re.compile(r"[&|]")
#: At a cursor: the rest of a word, and a command that is begun.
_REST_OF_WORD = re.compile(r"\w*")
_COMMAND = re.compile(r"\\[A-Za-z@]*\*?\Z")
#: What may stand before a text, if anything does.
_OPENERS = ("", *"\r\n{[(&|")
_SPACE = re.compile(r"\s+")
#: A sign that no text has, behind a citation on trial.
_TRIAL = "\ue000"
#: What prose has around a footnote, and what the source may have there instead.
_PARENTHESIS = re.compile(r" \(|\)")
_ASIDE_SIGNS = {" (": ("\\", "^", "["), ")": ("}", "]")}


class SentencePlace(NamedTuple):
    """A sentence of a file, and where a citation at its end goes.

    `inside` is the offset before its full stop, `behind` the one after it; they are equal where
    there is no full stop. `abbreviated`: the full stop belongs to the last word. `cited`: the
    sentence or a footnote to it already has a citation.
    """

    span: TextSpan
    inside: int
    behind: int
    abbreviated: bool
    cited: bool


def conventions(*drafts: Draft) -> Conventions:
    """Return how drafts cite; pass a part of a draft together with the whole."""
    return (markup_of(drafts[0].path) if drafts else LATEX).conventions(*drafts)


def filled(
    file: DraftFile,
    gap: CitationPlaceholder,
    key: str,
    ways: Conventions,
    offset: int | None = None,
) -> tuple[TextEdit, ...]:
    """Return the edits that put a key into a placeholder; of several gaps, the one at `offset`."""
    if gap.citation is not None:
        place = _gap_in(file, gap.citation, gap.span.start if offset is None else offset)
        if place is None or any(each.key == key for each in gap.citation.keys):
            return ()
        return (key_replaced(file.path, file.text, place, key),)
    if (special := ways.filled(file, gap, key)) is not None:
        return (special,)
    # Words such as ``[citation needed]``.
    start, end = _without_spaces(file, gap.span.start), gap.span.end
    before = ways.before
    if file.text[start - 1 : start] in ("", "\n", "\r"):
        start, before = gap.span.start, ""
    end += 2 * file.text.startswith("{}", end)
    citation = ways.citation(key, file.text[:start])
    return (TextEdit(file.path, TextSpan(start, end), f"{before}{citation}"),)


def with_key(
    file: DraftFile, citation: Citation, key: str, ways: Conventions, offset: int | None = None
) -> tuple[TextEdit, ...]:
    """Return the edits that add a key to a citation, in a gap of it, at `offset` or at its end."""
    closed = all(keys.closed for keys in citation.key_lists)
    if citation.listed_only or not closed or any(each.key == key for each in citation.keys):
        return ()
    at = citation.span.start if offset is None else offset
    if (gap := _gap_in(file, citation, at)) is not None:
        return (key_replaced(file.path, file.text, gap, key),)
    return ways.extended(file, citation, key, at)


def pin(
    file: DraftFile, citation: Citation, key: CitationKey, page: str, ways: Conventions
) -> tuple[TextEdit, ...]:
    """Return the edits that put a page or a range (``361--362``) into the note after a key."""
    page = page.strip()
    if citation.listed_only or is_gap(key.key) or not is_page(page):
        return ()
    return ways.pinned(file, citation, key, page)


def key_replaced(path: Path, text: str, span: TextSpan, key: str) -> TextEdit:
    """Return the edit of the draft's file at `path` that puts a key in place of another."""
    return TextEdit(path, *markup_of(path).syntax.key_edit(text, span, key))


def sentence_at(file: DraftFile, offset: int, min_words: int = _MIN_WORDS) -> SentencePlace | None:
    """Return the sentence at `offset`, if it can take a citation: its end must be plain text.

    A footnote is no part of the sentence that has its mark: it has sentences of its own. So has
    each cell of a table. The spaces behind the last sentence of a paragraph belong to it: there,
    the author writes on.
    """
    found = _sentence_at(file, offset, min_words)
    if found is not None or (end := _without_spaces(file, offset)) == offset:
        return found
    found = _sentence_at(file, end, min_words)
    return found and found._replace(span=TextSpan(found.span.start, offset))


def _sentence_at(file: DraftFile, offset: int, min_words: int) -> SentencePlace | None:
    prose = file.prose
    place = prose.offset_at(offset)
    start = prose.text.rfind("\n\n", 0, place) + 1
    end = prose.text.find("\n\n", place)
    paragraph = TextSpan(start, end if end >= 0 else len(prose.text))
    asides = _asides(file, paragraph)
    around = [each for each in asides if each.start < place < each.end]
    inner = max(around, default=None)
    text = paragraph if inner is None else TextSpan(inner.start + 2, inner.end - 1)
    inside = [each for each in asides if each not in around]
    # The mark of a footnote belongs to the sentence before it, as a citation does.
    sentences = sentence_spans(_masked(prose.text, text, inside, CITATION_MARK))
    spans = (TextSpan(*span).moved(text.start) for span in sentences)
    span = next((span for span in spans if span.covers(place)), None)
    if span is None:
        return None
    words = _masked(prose.text, span, inside, " ")
    if len(_LETTERS.findall(words)) < min_words:
        return None
    cell = _cell(file, span, place)
    sentence = cell.moved(-span.start).of(words).rstrip()
    found = _placed(file, cell, sentence) if sentence else None
    return found if found is not None and found.span.covers(offset) else None


def cited_at_end(
    file: DraftFile, sentence: SentencePlace, key: str, ways: Conventions
) -> tuple[TextEdit, ...]:
    """Return the edits that cite a key at the end of a sentence, or in a citation there."""
    for there in file.citations:
        if there.span.end == sentence.inside and not there.listed_only:
            return with_key(file, there, key, ways)
    place, text = sentence.inside, ways.citation(key, file.text[: sentence.inside])
    if sentence.abbreviated or ways.behind_stop:
        place = sentence.behind
    if sentence.abbreviated or not ways.behind_stop:
        text = f"{ways.before}{text}"
    if markup_of(file.path).tie == "~" and _WAITING_TIE.match(file.text, place):
        place, text = place + 1, text.removeprefix(ways.before)
    text += "." if sentence.abbreviated else ""
    return (TextEdit(file.path, TextSpan(place, place), text),)


def cited_at(
    file: DraftFile,
    offset: int,
    key: str,
    ways: Conventions,
    read: Callable[[str], DraftFile | None],
) -> tuple[TextEdit, ...]:
    """Return the edit that cites a key at an offset, or behind the word there, if it is in text.

    It is where a citation and a sign would be in the prose, and the rest stay as it is; `read`
    returns the file with another text.
    """
    rest = _REST_OF_WORD.match(file.text, offset)
    at = rest.end() if rest else offset
    place, before, behind = _without_spaces(file, at), file.text[:at], file.text[at:]
    if not markup_of(file.path).syntax.can_cite_at(file.text, at):
        return ()
    citation = ways.citation(key, before)
    space = " " if before[-1:].strip() else ""
    tried = read(f"{before}{space}{citation}{_TRIAL}{behind}")
    words, mark, others = (tried or file).prose.text.partition(CITATION_MARK + _TRIAL)
    if not mark or _SPACE.sub("", words + others) != _SPACE.sub("", file.prose.text):
        return ()
    words = words.removesuffix(space)
    if not words[-1:].strip() and _COMMAND.search(before, max(0, at - _MAX_SPACES)):
        return ()  # it waits for its argument
    # At the start of a line, an item, a footnote or a cell, there is nothing to tie it to.
    is_first = place < at and words.rstrip(" ")[-1:] in ("", "\n")
    if is_first or file.text[max(0, place - 1) : place] in _OPENERS:
        return (TextEdit(file.path, TextSpan(at, at), citation),)
    here = SentencePlace(TextSpan(place, at), place, place, abbreviated=False, cited=False)
    return cited_at_end(file, here, key, ways)


def _gap_in(file: DraftFile, citation: Citation, offset: int) -> TextSpan | None:
    """Return the gap that a key replaces in a citation: the one at `offset`, else the first."""
    gaps: list[TextSpan] = []
    for keys in citation.key_lists:
        if keys.closed and not keys.span.of(file.text).strip(" \t\r\n,"):
            gaps.append(keys.span)
        gaps += (each.span for each in keys.keys if keys.closed and is_gap(each.key))
    return next((gap for gap in gaps if gap.covers(offset)), gaps[0] if gaps else None)


def _asides(file: DraftFile, paragraph: TextSpan) -> list[TextSpan]:
    """Return the footnotes in a paragraph of the prose, with the parentheses around them.

    A footnote that goes on in other paragraphs reaches beyond this one.
    """
    prose, found, begun = file.prose, list[TextSpan](), list[int]()
    for sign in _PARENTHESIS.finditer(prose.text, paragraph.start, paragraph.end):
        start, end = sign.span()
        source = prose.source_offset(start)
        is_mark = file.text[source : source + 1] in _ASIDE_SIGNS[sign[0]]
        if not is_mark or prose.piece_at(start) != TextSpan(start, end):
            continue
        if sign[0] == ")":
            found.append(TextSpan(begun.pop() if begun else paragraph.start - 2, end))
        else:
            begun.append(start)
    return [*found, *(TextSpan(start, paragraph.end + 1) for start in begun)]


def _cell(file: DraftFile, row: TextSpan, place: int) -> TextSpan:
    """Return the part of a span of the prose in the same cell of a table as a place in it."""
    prose, ends_cell = file.prose, markup_of(file.path).syntax.ends_cell
    source = TextSpan(prose.source_offset(row.start), prose.source_offset(row.end))
    found = (sign.start() for sign in _CELL_END.finditer(file.text, source.start, source.end))
    places = ((prose.offset_at(at), at) for at in found)
    signs = [
        (at, of)
        for at, of in places
        if prose.text.startswith(" ", at) and prose.source_offset(at) == of
    ]
    # Only the nearest are looked at closely: a formula may have many.
    before = max((each for each in signs if each[0] < place), default=None)
    behind = min((each for each in signs if each[0] >= place), default=None)
    return TextSpan(
        before[0] + 1 if before and ends_cell(file.text, before[1]) else row.start,
        behind[0] if behind and ends_cell(file.text, behind[1]) else row.end,
    )


def _masked(prose: str, span: TextSpan, hidden: list[TextSpan], sign: str) -> str:
    """Return the text of a span of the prose with a sign for each character that is hidden."""
    text = [*span.of(prose)]
    for each in hidden:
        start, end = (min(max(at - span.start, 0), len(span)) for at in (each.start, each.end))
        text[start:end] = sign * (end - start)
    return "".join(text)


def _placed(file: DraftFile, span: TextSpan, sentence: str) -> SentencePlace | None:
    """Locate a sentence of the prose in the source; None if its end is not plain text there.

    `sentence` is its text without footnotes.
    """
    prose, text = file.prose, file.text
    stopped = sentence.rstrip(_CLOSERS + " \n")
    words = stopped.rstrip(_STOPS)
    stop, closing = stopped[len(words) :], sentence[len(stopped) :].replace(" ", "")
    last = span.start + len(sentence) - 1
    behind = _behind(file, span.start + len(words), stop) if stop else _end_of_last(file, last)
    if behind is None:
        return None
    inside = _without_spaces(file, prose.source_offset(span.start + len(words)) if stop else behind)
    if stop:
        for _ in closing:
            if quote := _CLOSING.match(text, behind):
                behind = quote.end()
        if _QUOTE.search(closing):
            inside = behind
    syntax = markup_of(file.path).syntax
    if not (syntax.can_cite_at(text, inside) and syntax.can_cite_at(text, behind)):
        return None
    abbreviated = stop == "." and _ABBREVIATED.search(words) is not None
    # A footnote may follow the full stop.
    end = max(behind, prose.source_offset(span.end - 1) + 1)
    if (signs := _BEHIND_STOP.match(text, end)) is not None:
        end = signs.end()
    whole, cited = TextSpan(prose.source_offset(span.start), end), span.of(prose.text)
    return SentencePlace(whole, inside, behind, abbreviated, CITATION_MARK in cited)


def _end_of_last(file: DraftFile, last: int) -> int | None:
    """Return the offset after the last character of a sentence without a full stop."""
    source = file.prose.source_offset(last)
    if file.prose.text[last] == CITATION_MARK:
        return next((c.span.end for c in file.citations if c.span.start == source), None)
    if _QUOTE.match(file.prose.text, last) and (quote := _CLOSING.match(file.text, source)):
        return quote.end()
    end = _behind(file, last, file.prose.text[last])
    signs = None if end is None else _CLOSING_SIGNS.match(file.text, end)
    return signs and signs.end()


def _behind(file: DraftFile, offset: int, written: str) -> int | None:
    """Return the offset after `written` if the source has these characters verbatim, else None."""
    source = file.prose.source_offset(offset)
    dots = written.replace("…", "...")
    found = (each for each in (written, dots) if file.text.startswith(each, source))
    return next((source + len(each) for each in found), None)


def _without_spaces(file: DraftFile, end: int) -> int:
    """Return where the spaces before an offset begin, such as those before a French colon."""
    spaces = _SPACES if markup_of(file.path).tie == "~" else _SPACES_WITHOUT_TIES
    found = spaces.search(file.text, max(0, end - _MAX_SPACES), end)
    return end if found is None else found.start()

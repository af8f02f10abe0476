"""Places in a draft: what is cited there, and where a text would stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from os.path import realpath
from pathlib import Path

import regex

from ..checking.whole_draft import CheckedDraft, has_no_bibliography, place_of, undefined_in
from ..model import drafts as model
from ..model.problems import InputError
from ..parsing.markups import markup_of
from .nouns import Citation, Place

#: In scripts with spaces.
_REST_OF_WORD = regex.compile(
    r"(?V1)(?<=[\w--\p{Han}--\p{Hiragana}--\p{Katakana}])"
    r"[\w--\p{Han}--\p{Hiragana}--\p{Katakana}]+"
)
_FINAL_PUNCTUATION = regex.compile(r"[\s.!?。！？]+$")


def cited_keys(citation: model.Citation) -> tuple[str, ...]:
    """Return the keys of a citation without placeholders such as ``?``."""
    return tuple(key.key for key in citation.keys if not model.is_gap(key.key))


def citations_at(file: model.DraftFile, offset: int) -> Sequence[model.Citation]:
    """Return the citations that a place is in: the one that starts there, else all around it."""
    around = [each for each in file.citations if each.span.start <= offset < each.span.end]
    return [each for each in around if each.span.start == offset][:1] or around


def citing_offset(file: model.DraftFile, offset: int) -> int:
    """Return where a citation for an offset stands, or would stand: at the end of a word."""
    if found := citations_at(file, offset):
        return found[0].span.start
    rest = _REST_OF_WORD.match(file.text, offset)
    return rest.end() if rest else offset


def citations_of(draft: model.Draft, checked: CheckedDraft) -> Iterator[Citation]:
    """Yield the citations of a draft, file by file."""
    files = draft.files
    found_in = [(file.path, each) for file in files for each in undefined_in(checked, file)]
    spans = {(path, each.span) for path, each in found_in}
    # Without any bibliography, each is found once.
    names = {each.key for _, each in found_in} if has_no_bibliography(checked) else set()
    shown = markup_of(draft.path).syntax.shown
    for file in files:
        for each in file.citations:
            undefined = (
                key.key
                for key in each.keys
                if (file.path, key.span) in spans or key.key.lstrip("*") in names
            )
            yield Citation(
                place=place_of(file, each.span.start),
                keys=tuple(key.key for key in each.keys),
                key_places=tuple(place_of(file, key.span.start) for key in each.keys),
                cited=cited_keys(each),
                undefined=tuple(dict.fromkeys(undefined)),
                command=each.command,
                written=shown(each.command),
                listed_only=each.listed_only,
            )


def last_place(draft: model.Draft) -> tuple[model.DraftFile, int]:
    """Return the last citation of a draft, else the end of its text."""
    if cited := [file for file in draft.files if file.citations]:
        return cited[-1], cited[-1].citations[-1].span.end
    with_text = [file for file in draft.files if file.prose.text.strip()]
    file = (with_text or draft.files)[-1]
    return file, file.prose.source_offset(max(len(file.prose.text.rstrip()) - 1, 0))


def require_same_files(before: model.Draft, edited: model.Draft) -> None:
    """Raise `InputError` if an edited draft names other files or bibliographies."""
    if _named_in(before) != _named_in(edited):
        raise InputError("a text that changes which files a draft reads cannot be placed in it")


def _named_in(draft: model.Draft) -> Sequence[str]:
    included = [each.name for file in draft.files for each in file.includes]
    return included + [each.name for file in draft.files for each in file.bibliographies]


def file_named(draft: model.Draft, name: Path) -> model.DraftFile:
    """Return a file of a draft by its path; raise `InputError` if it has none of that name."""
    with suppress(ValueError):  # of names that no file can have
        wanted = (realpath(draft.path.parent / name), realpath(name))
        for file in draft.files:
            if realpath(file.path) in wanted:
                return file
    raise InputError(f"{name} is not a file of this draft")


def with_paragraph(source: str, offset: int, text: str) -> tuple[str, int]:
    """Return a source with a paragraph behind the line of an offset, and where that starts."""
    end = source.find("\n", offset)
    end = len(source) if end < 0 else end
    before = f"{source[:end]}\n\n"
    return f"{before}{text}\n\n{source[end:]}", len(before)


def gap_in(file: model.DraftFile, start: int, text: str) -> int:
    """Return the offset of the first placeholder in a text at `start`, else that of its end."""
    gaps = (each.span.start for each in file.placeholders)
    inside = (each for each in gaps if start <= each < start + len(text))
    return next(inside, start + len(_FINAL_PUNCTUATION.sub("", text)))


def place_in(file: model.DraftFile, line: int, column: int) -> Place:
    """Return the place at a line and column from 1; raise `InputError` if the file has none."""
    if line < 1 or column < 1:
        raise InputError("lines and columns are counted from 1")
    if line > (lines := len(file.line_starts)):
        raise InputError(f"{file.path.name} has {lines} line{'s' if lines > 1 else ''}")
    last = file.line_column(file.offset(line, column))[1]
    return Place(file.path, line, min(column, last))

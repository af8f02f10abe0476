"""How Typst cites: where keys are typed, how they are written, and the edits of citations.

A citation is ``@key`` or, in a draft that has more of these, ``#cite(<key>)``. After a word such as
“by”, the work is named in the sentence: ``#cite(<key>, form: "prose")``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Final

import regex

from ...model.drafts import Citation, CitationKey, Draft, DraftFile, DraftRegion, KeyList, is_gap
from ...model.edits import TextEdit
from ...model.spans import TextSpan, line_end_of, line_start
from ..conventions import Usage, inserted, is_named_after, page_added, usage_in, with_plain_page
from ..markups import KeySlot, KnowsKey
from .code import REFERENCE
from .names import CITE, REFER
from .reader import TypstDraftReader
from .scanner import Scanner
from .tokens import LABEL, NAME, SUPPLEMENT, writable

#: What cites any key in the same way; what other functions take is known from their calls only.
_ANY_KEY: Final = (REFERENCE, CITE, REFER)
_IN_CALL: Final = re.compile(r"supplement\s*:\s*\[((?:[^\[\]\\]|\\.|\[[^\[\]]*\])*)\]", re.DOTALL)
_ONLY_KEY: Final = re.compile(r'(#[\w.-]+\()(?:<[^<>\s]*>|(")[^"]*")\)')
#: A label, and not the key of a call.
_LABEL: Final = regex.compile(rf"(?<!\(){LABEL.pattern}")
_IN_HEADING: Final = re.compile(r"[ \t]*=+[ \t]")
#: The name of a label up to the cursor, which is not far behind its sign.
_TYPED: Final = regex.compile(rf"[@<]{NAME.pattern}\Z")
_LOOK_BACK: Final = 200
#: How far behind a key to search for its closing sign.
_LOOK_AHEAD: Final = 200


class _Syntax:
    """How Typst cites."""

    def may_cite(self, text: str) -> bool:
        return any(each in text for each in ("@", "cite", "ref", "bib", ".typ", "[citation"))

    def certain_citations(self, file: DraftFile) -> Iterator[Citation]:
        # Other names may be labels of a package, or an address.
        return file.citations_by(lambda command: command not in (REFERENCE, REFER))

    def key_slot(self, file: DraftFile, offset: int, known: KnowsKey) -> KeySlot | None:
        found = file.key_list_at(offset) or _half_typed(file, offset)
        if found is not None:
            return _slot(file, *found, offset, known)
        found = _label_at(file, offset)
        return found and replace(_slot(file, *found, offset, known), is_label=True)

    def can_cite_at(self, text: str, place: int) -> bool:
        start = line_start(text, place)
        # Not inside raw text of this line.
        return not _IN_HEADING.match(text, start, place) and text.count("`", start, place) % 2 == 0

    def ends_cell(self, text: str, place: int) -> bool:
        """Return False: each cell is a paragraph."""
        return False

    def key_edit(self, text: str, span: TextSpan, key: str) -> tuple[TextSpan, str]:
        """Return the edit that replaces a key, with the signs around it where it needs others."""
        start, end = span.start, span.end
        before = text[start - 1 : start] if start else ""
        if before == "(":
            return span, _in_call(key)
        if writable(key) or before not in (REFERENCE, "<"):
            return span, key
        if before == "<":
            return TextSpan(start - 1, end + text.startswith(">", end)), _in_call(key)
        note = SUPPLEMENT.match(text, end)
        if note is None:
            return TextSpan(start - 1, end), _written(key)
        new = f"#cite({_in_call(key)}, supplement: {note.group()})"
        return TextSpan(start - 1, note.end()), new

    def shown(self, command: str) -> str:
        return command if command == REFERENCE else f"#{command}"

    def wants_citation(self, file: DraftFile, slot: KeySlot) -> bool:
        """Return whether it is not a label that is being typed behind an ``@``."""
        if slot.is_label:
            return False
        if not slot.search or file.text[slot.place : slot.place + 1] != REFERENCE:
            return True
        return not any(label.startswith(slot.search) for label in _LABEL.findall(file.text))

    def naming_edits(self, draft: Draft, name: str, _texts: Iterable[str]) -> tuple[TextEdit, ...]:
        """Return the edit that adds a call at the end of the main file."""
        main, names_any = draft.main, any(file.bibliographies for file in draft.all_files)
        # Typst refuses a second bibliography.
        if main is None or names_any or '"' in name or "\\" in name:
            return ()
        text, line_end = main.text, line_end_of(main.text)
        is_open = bool(text) and not text.endswith(("\n", "\r"))
        gap = line_end * (is_open + bool(text.strip()))
        return inserted(main, len(text), f'{gap}#bibliography("{name}"){line_end}')


SYNTAX: Final = _Syntax()
reader = TypstDraftReader


def _written(key: str, command: str = REFERENCE) -> str:
    """Return a citation of a key; what Typst cannot read after ``@`` needs a function."""
    if command.startswith(REFERENCE):
        key = f"{command.removeprefix(REFERENCE)}{key}"
        return f"@{key}" if writable(key) else f"#cite({_in_call(key)})"
    return f"#{command}({_in_call(key)})"


def _prefix(text: str, citation: Citation) -> str:
    """Return what stands before the first key of a citation, as alexandria has it."""
    first = citation.key_lists[0]
    return text[first.span.start : first.keys[0].span.start] if first.keys else ""


def _takes_string(text: str, citation: Citation) -> bool:
    """Return whether the first key of a citation is a string, as pergamon has it."""
    start = citation.key_lists[0].span.start
    return text[start - 1 : start] == '"' and not text.endswith('label("', 0, start)


def _in_call(key: str) -> str:
    return f"<{key}>" if writable(key) else f'label("{key}")'


def _slot(
    file: DraftFile, citation: Citation, listed: KeyList, offset: int, known: KnowsKey
) -> KeySlot:
    text = file.text
    current = next((key for key in listed.keys if key.span.covers(offset)), None)
    others = frozenset(key.key for key in citation.keys if key is not current)
    place, start, end = citation.span.start, listed.span.start, listed.span.end
    prefix, before = text[start:offset], text[start - 1 : start]
    gap = current is not None and is_gap(current.key)
    prefixes = Counter(_prefix(text, each) for each in file.citations)
    usual = max(prefixes, key=lambda each: (prefixes[each], each), default="")
    is_sign, search = before == REFERENCE, "" if gap else prefix.removeprefix(usual)
    if current is not None and not prefix and not gap and is_sign:
        # Nothing is typed yet: the key after the cursor is another one and must stay.
        others, end = others | {current.key}, offset
    # A call has one key, so another one behind the cursor is replaced.
    if (is_sign and known(text[offset:end])) or (known(prefix) and not listed.closed):
        end = offset
    if is_sign:
        write_at: Callable[[str], str] = lambda key: _written(key, f"{REFERENCE}{usual}")  # noqa: E731
        return KeySlot(place, start - 1, end, text[start - 1 : offset], search, others, write_at)
    if before == '"':
        return KeySlot(place, start, end, prefix, search, others, lambda key: f"{usual}{key}")
    write: Callable[[str], str] = _in_call
    if before == "(":
        # Some functions of a project take strings.
        begins = f'{citation.command}("'
        keys = (each.keys for each in file.citations if each.command == citation.command)
        if any(found and text.endswith(begins, 0, found[0].span.start) for found in keys):
            write = '"{}"'.format
    # A call is closed where it is not.
    opened, closed = before == "<", text.startswith(">", end)
    end, depth = end + closed, 1 - closed
    for sign in text[end : end + _LOOK_AHEAD].partition("\n")[0] if depth else "":
        depth += (sign == "(") - (sign == ")")
        if not depth:
            break
    closing = ")" * bool(depth)
    prefix = "<" * opened + prefix
    write_all: Callable[[str], str] = lambda key: f"{write(usual + key)}{closing}"  # noqa: E731
    return KeySlot(place, start - opened, end, prefix, search, others, write_all)


def _half_typed(file: DraftFile, offset: int) -> tuple[Citation, KeyList] | None:
    """Return what an ``@`` or ``ref(<`` that cites nothing yet will be, without its key."""
    if offset == 0 or file.text[offset - 1] not in (REFERENCE, "<"):
        return None
    start, region = file.region_at(offset - 1)
    at = offset - start
    # Would a letter typed here be one of a key?
    for citation in Scanner(f"{region.text[:at]}x{region.text[at:]}").read().citations:
        others = tuple(key for key in citation.keys if not key.span.covers(at + 1))
        if len(others) < len(citation.keys):
            empty, moved = TextSpan(offset, offset), citation.moved(start)
            return replace(moved, key_lists=(KeyList(empty, others),)), KeyList(empty, ())
    return None


def _label_at(file: DraftFile, offset: int) -> tuple[Citation, KeyList] | None:
    """Return what the reference to a label at an offset would cite if there were no labels."""
    if not _TYPED.search(file.text, max(0, offset - _LOOK_BACK), offset):
        return None
    start, region = file.region_at(offset - 1)
    regions = DraftRegion(file.text[:start]), Scanner(region.text).read()
    return DraftFile(file.path, file.text, regions).key_list_at(offset)


class _Conventions(Usage):
    """How a draft in Typst cites."""

    def citation(self, key: str, before: str) -> str:
        """Return a new citation of a key, in the sentence or beside it."""
        if is_named_after(before):
            name = f"{self.command[1:]}{key}" if self.command.startswith(REFERENCE) else key
            return f'#cite({_in_call(name)}, form: "prose")'
        return _written(key, self.command)

    def extended(
        self, file: DraftFile, citation: Citation, key: str, offset: int
    ) -> tuple[TextEdit, ...]:
        """Return the edit that adds a key beside a citation, behind the key at `offset`."""
        text, start, end = file.text, citation.span.start, citation.span.end
        is_reference = citation.command == REFERENCE
        in_code = text[start : start + 1] != "#" or text[end : end + 1] == "["
        if not is_reference and in_code:
            return ()  # nothing can stand beside it there, or before its content
        for listed in citation.key_lists[:-1] if is_reference else ():
            if listed.span.covers(offset):
                end = _end_of_item(text, listed.span.end)
        only_key = _ONLY_KEY.fullmatch(citation.span.of(text))
        key = f"{_prefix(text, citation)}{key}"
        if citation.command in _ANY_KEY and not _takes_string(text, citation):
            new = _written(key, citation.command)
        elif only_key is None:
            new = _written(key)
        else:  # like the call that is there
            new = f'{only_key[1]}"{key}")' if only_key[2] else f"{only_key[1]}{_in_call(key)})"
        return inserted(file, end, f" {new}")

    def pinned(
        self, file: DraftFile, citation: Citation, key: CitationKey, page: str
    ) -> tuple[TextEdit, ...]:
        """Put a page behind a key: ``@key[p. 3]``, or as a supplement."""
        text, end, new = file.text, key.span.end, f"[{with_plain_page('', page)}]"
        if citation.command == REFERENCE:
            if text[end : end + 1] != "[":
                return inserted(file, end, new)
            return page_added(file, TextSpan(end + 1, _end_of_item(text, end) - 1), page)
        closing = citation.span.end - 1
        found = _IN_CALL.search(text, citation.span.start, closing)
        if found is not None:
            return page_added(file, TextSpan(*found.span(1)), page)
        is_computed = "supplement" in citation.span.of(text) or _takes_string(text, citation)
        if is_computed or len(citation.keys) != 1 or citation.command not in _ANY_KEY:
            return ()
        end = citation.key_lists[-1].span.end
        end += len(text[end:closing]) - len(text[end:closing].lstrip('>")'))
        return inserted(file, end, f", supplement: {new}")


def conventions(*drafts: Draft) -> _Conventions:
    """Return how drafts cite."""
    return _Conventions(*usage_in(drafts, _command, REFERENCE, "~"))


def _command(text: str, citation: Citation) -> str | None:
    is_prose = '"prose"' in citation.span.of(text)
    if is_prose or citation.command not in _ANY_KEY or _takes_string(text, citation):
        return None
    prefix = _prefix(text, citation)
    return f"{REFERENCE}{prefix}" if prefix else citation.command


def _end_of_item(text: str, end: int) -> int:
    """Return the end of a reference with its supplement, if its name ends at `end`."""
    found = SUPPLEMENT.match(text, end)
    return end if found is None else found.end()

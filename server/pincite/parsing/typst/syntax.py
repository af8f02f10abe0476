"""Where a key is typed and how it is written in Typst, in text that may be half typed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ...model.drafts import Citation, DraftFile, KeyList, is_gap
from ...model.spans import TextSpan, line_start
from ..markup import KeySlot, KnowsKey
from .functions import REFER
from .scanner import Scanner
from .tokens import SUPPLEMENT, writable

_SIGN = "@"
#: How far behind a key to search for its closing sign.
_LOOK_AHEAD = 200


class TypstSyntax:
    """How Typst cites."""

    def may_cite(self, text: str) -> bool:
        """Return whether a text may have a citation, a bibliography or text of others."""
        return any(each in text for each in ("@", "cite", "ref", "bib", ".typ", "[citation"))

    def certain_citations(self, file: DraftFile) -> Iterator[Citation]:
        """Yield the calls that cite: other names may be labels of a package, or an address."""
        return file.citations_by(lambda command: command not in (_SIGN, REFER))

    def key_slot(self, file: DraftFile, offset: int, known: KnowsKey) -> KeySlot | None:
        """Return the place for a key at `offset`, or None where a key is not possible."""
        found = file.key_list_at(offset)
        return _half_typed(file, offset) if found is None else _slot(file, *found, offset, known)

    def can_cite_at(self, text: str, place: int) -> bool:
        """Return whether a citation can be inserted at a place of a file's prose."""
        start = line_start(text, place)
        line = text[start:place].lstrip(" \t")
        if line.startswith("=") and line.lstrip("=")[:1] in (" ", "\t"):
            return False
        # Inside raw text of this line.
        return text.count("`", start, place) % 2 == 0

    def key_edit(self, text: str, span: TextSpan, key: str) -> tuple[TextSpan, str]:
        """Return the edit that replaces a key, with the signs around it where it needs others."""
        start, end = span.start, span.end
        before = text[start - 1 : start] if start else ""
        if before == "(":
            return span, in_call(key)
        if writable(key) or before not in (_SIGN, "<"):
            return span, key
        if before == "<":
            return TextSpan(start - 1, end + text.startswith(">", end)), in_call(key)
        note = SUPPLEMENT.match(text, end)
        if note is None:
            return TextSpan(start - 1, end), written(key)
        new = f"#cite({in_call(key)}, supplement: {note.group()})"
        return TextSpan(start - 1, note.end()), new

    def shown(self, command: str) -> str:
        """Return a citation command as an author knows it."""
        return command if command == _SIGN else f"#{command}"


def written(key: str) -> str:
    """Return a citation of a key; what Typst cannot read after ``@`` needs a function."""
    return f"{_SIGN}{key}" if writable(key) else f"#cite({in_call(key)})"


def in_call(key: str) -> str:
    """Return a key as the argument of ``cite``."""
    return f"<{key}>" if writable(key) else f'label("{key}")'


def _slot(
    file: DraftFile, citation: Citation, listed: KeyList, offset: int, known: KnowsKey
) -> KeySlot:
    """Return the place for a key in a citation."""
    text = file.text
    current = next((key for key in listed.keys if key.span.covers(offset)), None)
    others = frozenset(key.key for key in citation.keys if key is not current)
    place, start, end = citation.span.start, listed.span.start, listed.span.end
    prefix = text[start:offset]
    gap = current is not None and is_gap(current.key)
    is_sign = text[start - 1 : start] == _SIGN
    if current is not None and not prefix and not gap and is_sign:
        # Nothing is typed yet: the key after the cursor is another one and must stay.
        others, end = others | {current.key}, offset
    # A call has one key, so another one behind the cursor is replaced.
    if (is_sign and known(text[offset:end])) or (known(prefix) and not listed.closed):
        end = offset
    search = "" if gap else prefix
    if is_sign:
        return KeySlot(place, start - 1, end, text[start - 1 : offset], search, others, written)
    if text[start - 1 : start] == '"':
        return KeySlot(place, start, end, prefix, search, others)
    write = _written_in(file, citation.command) if text[start - 1 : start] == "(" else in_call
    return _in_call_slot(text, place, (start, offset, end), others, search, write)


def _written_in(file: DraftFile, command: str) -> Callable[[str], str]:
    """Return how a key is written in calls of a function: some of a project take strings."""
    begins = f'{command}("'
    keys = (each.keys for each in file.citations if each.command == command)
    strings = any(found and file.text.endswith(begins, 0, found[0].span.start) for found in keys)
    return (lambda key: f'"{key}"') if strings else in_call


def _in_call_slot(
    text: str,
    place: int,
    at: tuple[int, int, int],
    others: frozenset[str],
    search: str,
    write_key: Callable[[str], str] = in_call,
) -> KeySlot:
    """Return the place for a key in ``cite(…)``, which is closed where it is not."""
    start, offset, end = at
    if text[start - 1 : start] == "<":
        start -= 1
    closed = text.startswith(">", end)
    end += closed
    behind = text[end : end + _LOOK_AHEAD].partition("\n")[0]
    closing = "" if closed or _closes(behind) else ")"
    write: Callable[[str], str] = lambda key: f"{write_key(key)}{closing}"  # noqa: E731
    return KeySlot(place, start, end, text[start:offset], search, others, write)


def _closes(text: str) -> bool:
    """Return whether a parenthesis is closed in the rest of a line."""
    depth = 1
    for sign in text:
        depth += (sign == "(") - (sign == ")")
        if not depth:
            return True
    return False


def _half_typed(file: DraftFile, offset: int) -> KeySlot | None:
    """Return the place for the key after an ``@`` or in ``ref(<`` that cites nothing yet."""
    text = file.text
    if offset == 0 or text[offset - 1] not in (_SIGN, "<"):
        return None
    number = file.region_at(offset - 1)
    region, at = file.regions[number].text, offset - file.region_starts[number]
    # Would a letter typed here be one of a key?
    read = Scanner(f"{region[:at]}x{region[at:]}").read()
    for citation in read.citations:
        others = frozenset(key.key for key in citation.keys if not key.span.covers(at + 1))
        if len(others) < len({key.key for key in citation.keys}):
            place = file.region_starts[number] + citation.span.start
            if text[offset - 1] == _SIGN:
                return KeySlot(place, offset - 1, offset, _SIGN, "", others, written)
            return _in_call_slot(text, place, (offset, offset, offset), others, "")
    return None

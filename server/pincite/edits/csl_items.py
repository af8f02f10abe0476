"""An entry as an item of CSL data: the reverse of `parsing.bibliographies.csl`.

It is inserted into a file in the file's own form, CSL JSON or CSL YAML: every other byte stays as
it is. Indentation, the order of names, the space between items, line ends and the form of dates are
those of the last item.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import regex

from ..model.edits import TextEdit, applied
from ..model.papers import NO_BREAK_SPACE, OTHERS, BibEntry
from ..model.problems import InputError
from ..model.spans import LINE_END, TextSpan, line_end_of, line_start, without
from ..parsing.bibliographies import ItemFile, csl, parse_bibliography
from ..parsing.yaml import allowed, mapping_in

_NAMES: Final[Mapping[str, str]] = {
    csl.NAMES[variable]: variable
    for variable in ("author", "editor", "translator", "container-author", "director")
}
_MARKED_UP: Final = frozenset(
    ("title", "container-title", "collection-title", "abstract", "note", "annote", "publisher")
)
_DASHES: Final = re.compile(r"\s*(?:-{2,3}|[–—])\s*")
_PARTICLES: Final = regex.compile(r"((?:\p{Ll}\S*\s+)+)(?=\S)")
_MONTHS: Final = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_ISO: Final = re.compile(r"\d{4}(?:-\d\d){0,2}")
_FIRST_NAME: Final = re.compile(r'\{(\s*)"(?:[^"\\]|\\.)*"(\s*:\s*)')
_EMPTY_LIST: Final = re.compile(
    r"""^["']?references["']?[ \t]*:[ \t]*(?P<list>\[[ \t]*\]|~|null)?[ \t]*\r?$""", re.MULTILINE
)
_EXPONENT: Final = re.compile(r"[-+]?\d+[eE][-+]?\d+")
_LIST_IN_YAML: Final = re.compile(r"^( *(?:- +)?)[\w-]+:[ \t]*\r?\n( *)- ", re.MULTILINE)
_DASH: Final = re.compile(r"""-( +)(?=[\w"'<])""")
_COMMENT: Final = re.compile(r"(?:^|[ \t])#", re.MULTILINE)
_REST: Final = re.compile(r"[ \t]*(?P<end>\r\n|\n|\r|\Z)?")
_COLON: Final = re.compile(r"\s*:\s*")
_COMMA: Final = re.compile(r"\s*,?\s*")
_NO_LIST: Final = "it has no list of entries to add to"


def csl_item(entry: BibEntry, markup: Callable[[str], str] = str) -> dict[str, Any]:
    """Return an entry as CSL data; `markup` escapes what would be markup in a text."""
    fields = entry.fields
    in_journal = "journal" in fields or "journaltitle" in fields
    has_journal = fields.get("journal") or fields.get("journaltitle")
    kind = csl.WRITTEN_TYPES.get(entry.entry_type, "document")
    is_preprint = entry.entry_type == "article" and not has_journal
    item: dict[str, Any] = {"id": entry.key, "type": "article" if is_preprint else kind}
    if title := entry.title:
        item["title"] = markup(title)
    for role, variable in _NAMES.items():
        if names := list(_names(fields.get(role, ""))):
            item[variable] = names
    for field, variable in csl.VARIABLES.items():
        if (value := " ".join(fields.get(field, "").split())) and variable not in item:
            value = _DASHES.sub("-", value) if variable == "page" else value
            item[variable] = markup(value) if variable in _MARKED_UP else value
    if number := fields.get("number", ""):
        kind = "issue" if in_journal else "number"
        item.setdefault("collection-number" if "series" in fields else kind, number)
    if entry.entry_type == "mastersthesis":
        item.setdefault("genre", "Master’s thesis")
    if (arxiv := entry.arxiv) and fields.get("eprint"):
        item.setdefault("number", f"arXiv:{arxiv}")
    if dates := _dates(entry):
        item["issued"] = {"date-parts": dates}
    return item


def markdown(text: str) -> str:
    """Return a text in Markdown, as the variables of CSL YAML are."""
    return re.sub(r"([\\*_\[\]$<>^~`@])", r"\\\1", text)


def _names(text: str) -> Iterator[dict[str, str]]:
    for name in map(str.strip, text.split(" and ")):
        split = re.split(rf",(?!{NO_BREAK_SPACE})\s*", name)
        parts = [part.replace(NO_BREAK_SPACE, " ").strip() for part in split]
        if OTHERS.fullmatch(name) or not any(parts):
            continue
        if len(parts) == 1:
            words = [word for word in name.split(" ") if word]
            if len(words) < 2:
                yield {"literal": parts[0]}
                continue
            # The family name comes last, and begins with its particles.
            lower = (at for at, word in enumerate(words[1:-1], 1) if word[:1].islower())
            start = next(lower, len(words) - 1)
            yield from _names(f"{' '.join(words[start:])}, {' '.join(words[:start])}")
            continue
        particles = _PARTICLES.match(parts[0])
        found = {"family": parts[0][particles.end() if particles else 0 :]}
        found["given"] = parts[-1]
        found["non-dropping-particle"] = particles[0].strip() if particles else ""
        found["suffix"] = parts[1] if len(parts) > 2 else ""
        yield {part: value for part, value in found.items() if value or part == "family"}


def _dates(entry: BibEntry) -> list[list[int]]:
    """Return when a work appeared, or the first and last day: year, month and day as known."""
    dates = [each for each in entry.fields.get("date", "").split("/")[:2] if _ISO.fullmatch(each)]
    if dates:
        return [[int(part) for part in each.split("-")] for each in dates]
    month = entry.fields.get("month", "").strip().lower()
    if month[:3] in _MONTHS:
        month = str(_MONTHS.index(month[:3]) + 1)
    is_number = month.isdigit() and int(month) < 13
    return [[int(entry.year), *([int(month)] if is_number else [])]] if entry.year else []


def inserted(entry: BibEntry, path: Path, text: str, read: ItemFile) -> TextEdit:
    """Return the edit that adds an entry to a bibliography; raise `InputError` if none can."""
    if read.format == "Hayagriva":
        raise InputError("Pincite cannot write Hayagriva entries; add the entry by hand")
    in_json = read.format == "CSL JSON"
    span, new = _in_json(entry, text, read) if in_json else _in_yaml(entry, text, read)
    edit = TextEdit(path, span, LINE_END.sub(line_end_of(text), new))
    changed = applied(text, [edit])
    after = parse_bibliography(changed, path)
    fault = _fault(changed, in_json=in_json)
    fault = fault and (_fault(text, in_json=in_json) or "the entry could not be read back")
    if fault or list(after.entries) != [*read.entries, entry.key]:
        first = next(iter(read.problems), None)
        where = f"line {first.line}: {first.message}" if first is not None else fault
        raise InputError(f"it is broken ({where})" if where else "it is broken")
    return edit


def _fault(text: str, *, in_json: bool) -> str:
    """Return why a parser of valid JSON or YAML could read nothing in a text."""
    import yaml

    try:
        if in_json:
            json.loads(text.removeprefix("\ufeff"))
            return ""
        for _ in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            pass
    except json.JSONDecodeError as error:
        return f"line {error.lineno}: {error.msg}"
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        return f"line {mark.line + 1}: {error.problem}" if mark else str(error.problem)
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        return str(error).split("\n", 1)[0]
    return ""


def _in_json(entry: BibEntry, text: str, read: ItemFile) -> tuple[TextSpan, str]:
    item = csl_item(entry)
    first = f"\n  {_json(item, '', '  ', text, '  ')}"
    if not text.strip("\ufeff \t\r\n"):
        return TextSpan(len(text), len(text)), f"[{first}\n]\n"
    if read.closing is None:
        raise InputError(_NO_LIST)
    if read.spans:
        return _behind_item(item, text, read)
    at = text.rindex("[", 0, read.closing) + 1
    return TextSpan(at, at), first + ("" if "\n" in text[at : read.closing] else "\n")


def _behind_item(item: dict[str, Any], text: str, read: ItemFile) -> tuple[TextSpan, str]:
    """Return where and how an item is added behind the last one in JSON, or a flow list of YAML."""
    span = read.spans[-1]
    before = text[: span.start]
    gap = before[len(before.rstrip()) :]
    return TextSpan(span.end, span.end), f",{gap}{_json_like(item, text, span)}"


def _json_like(item: dict[str, Any], text: str, span: TextSpan) -> str:
    """Return an item in JSON in the form of the one at `span`."""
    sample, before = span.of(text), text[line_start(text, span.start) : span.start]
    indent = before[: len(before) - len(before.lstrip())]
    first = _FIRST_NAME.match(sample)
    unit: str | None = None
    if first is not None and "\n" in first[1]:
        inner = first[1].rpartition("\n")[2]
        unit = inner.removeprefix(indent) if inner.startswith(indent) else "  "
    return _json(item, sample, unit, text, indent if unit is not None else "")


def _json(item: dict[str, Any], sample: str, unit: str | None, text: str, indent: str = "") -> str:
    """Return an item in JSON as a sample is written; on one line without a unit of indentation."""
    first = _FIRST_NAME.match(sample)
    colon = first[2] if first is not None and "\n" not in first[2] else ": "
    has_spaces = unit is None and (sample == "" or re.search(r'[\d"\]}], "', sample))
    written = json.dumps(
        item,
        indent=unit,
        ensure_ascii="\\u" in text and text.isascii(),
        separators=(", " if has_spaces else ",", colon),
        sort_keys=_is_sorted(sample),
    )
    return written.replace("\n", f"\n{indent}")


def _is_sorted(item: str) -> bool:
    """Return whether the names of an item are in alphabetical order, as Pandoc writes them."""
    item = item.replace("-", " ", 1) if item.lstrip().startswith("-") else item
    names = list(mapping_in(item))
    return len(names) > 2 and names == sorted(names)


def _in_yaml(entry: BibEntry, text: str, read: ItemFile) -> tuple[TextSpan, str]:
    item = csl_item(entry, markdown)
    if re.search(r"^\s*doi:", text, re.MULTILINE) and not re.search(r"\bDOI:", text):
        lower = {"DOI": "doi", "URL": "url"}
        item = {lower.get(name, name): value for name, value in item.items()}
    if re.search(r"""^ *(?:- +)?issued: *["']?\d""", text, re.MULTILINE) and "issued" in item:
        dates = item["issued"]["date-parts"]
        item["issued"] = "/".join("-".join(f"{part:02}" for part in date) for date in dates)
    if not read.spans:
        head = _EMPTY_LIST.search(text)
        if head is None:
            raise InputError(_NO_LIST)
        start, end = head.span("list")
        if head["list"] and head["list"].startswith("["):
            return TextSpan(start + 1, start + 1), _json(item, "", None, text)
        if not head["list"]:
            start = end = head.start() + len(head[0].rstrip())
        return TextSpan(start, end), "\n" + _yaml(item, "", " ", is_nested=False, is_sorted=False)
    last = read.spans[-1]
    sample, before = last.of(text), text[: last.start]
    if sample.startswith("{"):
        return _behind_item(item, text, read)
    indent = before[line_start(before, len(before)) :]
    dash = re.match(r"-( +)", sample)
    lists = (found for found in _LIST_IN_YAML.finditer(text) if len(found[1]) > len(indent))
    nested = next(lists, None)
    is_nested = nested is not None and len(nested[2]) > len(nested[1])
    new = _yaml(item, indent, dash[1] if dash else " ", is_nested, _is_sorted(indent + sample))
    # As far apart as the last two are.
    between = text[read.spans[-2].end : last.start] if len(read.spans) > 1 else "\n"
    gap = "\n" * (1 if between.strip() else len(LINE_END.findall(between)))
    return TextSpan(last.end, last.end), gap + new


class Written(str):
    """The value of a member as it is written in an item."""

    __slots__ = ()


class _Member(NamedTuple):
    """Where a member of an item is, its value, and the part of it that may have comments."""

    span: TextSpan
    value: TextSpan
    commented: TextSpan = TextSpan(0, 0)


def by_hand(names: Collection[str]) -> InputError:
    """Return the error for members that cannot be changed here."""
    return InputError(
        f"Pincite cannot change an entry written like this: change {', '.join(names)} by hand"
    )


def written_value(text: str, span: TextSpan, name: str) -> Written:
    """Return the value of a member of the item at `span`; raise `InputError` if none is found."""
    member = _members(text, span).get(name)
    if member is None:
        raise by_hand([name])
    return Written(member.value.of(text))


def members_changed(
    path: Path, text: str, span: TextSpan, new: Mapping[str, Any], gone: Collection[str] = ()
) -> list[TextEdit]:
    """Return the edits of the item at `span` that gets other members, in its form.

    All that is not of these members stays, comments included. Raises `InputError` if none can be.
    """
    members = _members(text, span)
    left = [name for name in members if name not in gone]
    touched = [name for name in members if name in {*new, *gone}]
    has_comments = (_COMMENT.search(members[name].commented.of(text)) for name in touched)
    if not left or any(has_comments):
        raise by_hand([*new, *gone])
    in_json = text.startswith("{", span.start)
    old = {at for at, name in enumerate(members) if name in gone}
    spans = [each.span for each in members.values()]
    deleted = without(spans, old) if in_json else _deleted_lines(text, members, gone)
    edits = [TextEdit(path, each, "") for each in deleted]
    for name, value in new.items():
        written = (_json_member if in_json else _yaml_member)(text, span, name, value)
        if name in members and isinstance(value, Written):
            place, written = members[name].value, value
        elif name in members:
            place = members[name].span
        else:
            place = _place_behind(text, members, left, name, in_json=in_json)
            written = _gap(text, span, members) + written
        edits.append(TextEdit(path, place, LINE_END.sub(line_end_of(text), written)))
    return edits


def _place_behind(
    text: str, members: Mapping[str, _Member], left: Sequence[str], name: str, *, in_json: bool
) -> TextSpan:
    """Return where a new member goes: last, or in the item's alphabetical order."""
    before = [each for each in left if each < name] if [*left] == sorted(left) else []
    end = members[max(before, default=left[-1])].span.end
    if not in_json:
        line = LINE_END.search(text, end)
        end = len(text[: line.start() if line else len(text)].rstrip())
    return TextSpan(end, end)


def _members(text: str, span: TextSpan) -> dict[str, _Member]:
    """Return the members of an item by their names; empty if they cannot be found."""
    import yaml

    try:
        in_json = text.startswith("{", span.start)
        return dict((_members_in_json if in_json else _members_in_block)(text, span))
    except (ValueError, RecursionError, yaml.YAMLError):
        return {}


def _members_in_json(text: str, span: TextSpan) -> Iterator[tuple[str, _Member]]:
    item, decode = span.of(text), json.JSONDecoder().raw_decode
    json.loads(item)
    at = _COMMA.match(item, 1).end()  # type: ignore[union-attr]
    while item[at] != "}":
        name, end = decode(item, at)
        start = _COLON.match(item, end).end()  # type: ignore[union-attr]
        end = decode(item, start)[1]
        whole, value = TextSpan(at, end), TextSpan(start, end)
        yield name, _Member(whole.moved(span.start), value.moved(span.start))
        at = _COMMA.match(item, end).end()  # type: ignore[union-attr]


def _members_in_block(text: str, span: TextSpan) -> Iterator[tuple[str, _Member]]:
    begin = line_start(text, span.start)
    if text[begin : span.start].strip() or _DASH.match(text, span.start) is None:
        raise ValueError
    nodes = [*_nodes(allowed(text[begin : span.end]))]
    for (key, own), (value, place) in zip(nodes[::2], nodes[1::2], strict=True):
        whole = TextSpan(own.start, place.end).moved(begin)
        # A “#” in a string does not begin a comment.
        is_text = hasattr(value, "value")
        commented = TextSpan(whole.start, place.start + begin) if is_text else whole
        yield getattr(key, "value", ""), _Member(whole, place.moved(begin), commented)


def _nodes(item: str) -> Iterator[tuple[Any, TextSpan]]:
    """Yield the names and values of the only item of a list in YAML: events, and where they are."""
    import yaml

    depth, end = 0, 0
    first: Any = None
    events: Any = yaml.parse(item, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader))
    for event in events:
        if depth == 2 and isinstance(event, yaml.NodeEvent):
            first = event
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            continue
        is_end = isinstance(event, yaml.CollectionEndEvent)
        depth -= is_end
        # A list in block style ends where the next thing begins, behind comments.
        if not is_end or event.end_mark.index > event.start_mark.index:
            end = event.end_mark.index
        if depth == 2 and first is not None:
            start = first.start_mark.index
            yield first, TextSpan(start, start + len(item[start:end].rstrip()))


def _deleted_lines(
    text: str, members: Mapping[str, _Member], gone: Collection[str]
) -> Iterator[TextSpan]:
    """Yield what to delete so that members in block style go, but no comment."""
    first = next(each for name, each in members.items() if name not in gone)
    at_start = next(iter(members.values())).span.start
    if at_start < first.span.start:
        # The first one follows the dash.
        if _COMMENT.search(text, at_start, first.span.start):
            raise by_hand(gone)
        yield TextSpan(at_start, first.span.start)
    for name, each in members.items():
        if name in gone and each.span.start > first.span.start:
            rest = _REST.match(text, each.span.end)
            assert rest is not None
            is_whole = rest["end"] is not None
            start = line_start(text, each.span.start) if is_whole else each.span.start
            yield TextSpan(start, rest.end())


def _gap(text: str, span: TextSpan, members: Mapping[str, _Member]) -> str:
    """Return the text between two members of an item."""
    spans = [each.span for each in members.values()]
    if not text.startswith("{", span.start):
        return "\n" + " " * (spans[0].start - line_start(text, span.start))
    if len(spans) > 1:
        return text[spans[-2].end : spans[-1].start]
    return "," + text[span.start + 1 : spans[0].start]


def _json_member(text: str, span: TextSpan, name: str, value: Any) -> str:  # noqa: ANN401 - of CSL
    is_written = isinstance(value, Written)
    member = _json_like({name: None if is_written else value}, text, span)[1:-1].strip()
    return member.removesuffix("null") + value if is_written else member


def _yaml_member(text: str, span: TextSpan, name: str, value: Any) -> str:  # noqa: ANN401 - of CSL
    before = text[line_start(text, span.start) : span.start]
    if isinstance(value, Written):
        return f"{name}: {value}"
    space = _DASH.match(text, span.start)[1]  # type: ignore[index]
    return _yaml({name: value}, before, space, is_nested=False, is_sorted=False)[
        len(before) + 1 + len(space) :
    ]


def _yaml(item: dict[str, Any], indent: str, space: str, is_nested: bool, is_sorted: bool) -> str:
    """Return an item of a list in block style, without the line end after it."""
    import yaml

    class Dumper(yaml.SafeDumper):
        def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
            super().increase_indent(flow, indentless and not is_nested)

    def text_of(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
        # PyYAML knows only the numbers of YAML 1.1, which has no 12e3.
        style = '"' if _EXPONENT.fullmatch(value) else None
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style)

    Dumper.add_representer(str, text_of)
    text: str = yaml.dump(
        item,
        Dumper=Dumper,
        allow_unicode=True,
        default_flow_style=False,
        sort_keys=is_sorted,
        width=1 << 30,
    )
    return f"{indent}-{space}" + text.rstrip("\n").replace("\n", f"\n{indent} {' ' * len(space)}")

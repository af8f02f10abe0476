"""Insert an entry into a bibliography of items in the file's own form: CSL JSON and CSL YAML.

Every other byte stays as it is. Indentation, the order of names, the space between items, line ends
and the form of dates are those of the last item.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Final

from ..model.edits import TextEdit, applied
from ..model.papers import BibEntry
from ..model.problems import InputError
from ..model.spans import TextSpan, line_start
from ..parsing.bibliographies import ItemFile, parse_bibliography
from ..parsing.yaml import mapping_in
from .csl_items import Data, csl_item, edtf, markdown

LINE_END: Final = re.compile(r"\r\n|\r|\n")
_FIRST_NAME: Final = re.compile(r'\{(\s*)"(?:[^"\\]|\\.)*"(\s*:\s*)')
_EMPTY_LIST: Final = re.compile(
    r"""^["']?references["']?[ \t]*:[ \t]*(?P<list>\[[ \t]*\]|~|null)?[ \t]*\r?$""", re.MULTILINE
)
_EXPONENT: Final = re.compile(r"[-+]?\d+[eE][-+]?\d+")
_LIST_IN_YAML: Final = re.compile(r"^( *(?:- +)?)[\w-]+:[ \t]*\r?\n( *)- ", re.MULTILINE)
_ONE_LINE: Final = 1 << 30


def inserted(entry: BibEntry, path: Path, text: str, read: ItemFile) -> TextEdit:
    """Return the edit that adds an entry after the last item of the bibliography at `path`.

    Raises `InputError` if the file is read only, has no list, or is so broken that what is added
    would not be read.
    """
    if read.format == "Hayagriva":
        raise InputError("Hayagriva is read only here, add the entry by hand")
    insert = _in_json if read.format == "CSL JSON" else _in_yaml
    edit = insert(entry, path, text, read)
    changed = applied(text, [edit])
    after = parse_bibliography(changed, path)
    fault_of = _fault_of_json if insert is _in_json else _fault_of_yaml
    fault = fault_of(changed) and (fault_of(text) or "the entry could not be read there")
    if fault or list(after.entries) != [*read.entries, entry.key]:
        first = next(iter(read.problems), None)
        where = f"line {first.line}: {first.message}" if first is not None else fault
        raise InputError(f"it is broken ({where})" if where else "it is broken")
    return edit


def _fault_of_json(text: str) -> str:
    """Return why nothing in a text can be read by those who accept valid JSON only."""
    try:
        json.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        return f"line {error.lineno}: {error.msg}"
    except (ValueError, RecursionError) as error:
        return str(error)
    return ""


def _fault_of_yaml(text: str) -> str:
    """Return why nothing in a text can be read by those who accept valid YAML only."""
    import yaml

    try:
        for _ in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            pass
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        return f"line {mark.line + 1}: {error.problem}" if mark else str(error.problem)
    except (yaml.YAMLError, UnicodeError, RecursionError) as error:
        return str(error).split("\n", 1)[0]
    return ""


def _in_json(entry: BibEntry, path: Path, text: str, read: ItemFile) -> TextEdit:
    item = csl_item(entry)
    if not text.strip("\ufeff \t\r\n"):
        new = _json(item, "", "  ", text)
        return TextEdit(path, TextSpan(len(text), len(text)), f"[\n  {_moved(new, '  ')}\n]\n")
    closing = read.closing
    if closing is None:
        raise InputError("it has no list of entries to add to")
    if read.spans():
        return _behind_item(item, path, text, read)
    opening = text.rindex("[", 0, closing)
    between = text[opening + 1 : closing]
    line_end = line_end_of(text)
    new = f"\n  {_moved(_json(item, '', '  ', text), '  ')}" + ("" if "\n" in between else "\n")
    return TextEdit(path, TextSpan(opening + 1, opening + 1), LINE_END.sub(line_end, new))


def _behind_item(item: dict[str, Data], path: Path, text: str, read: ItemFile) -> TextEdit:
    """Return the edit that adds an item behind the last one in JSON, or a flow list of YAML."""
    span = read.spans()[-1]
    sample = span.of(text)
    before = text[: span.start]
    gap = before[len(before.rstrip()) :]
    line = before[line_start(before, len(before)) :]
    indent = line[: len(line) - len(line.lstrip())]
    first = _FIRST_NAME.match(sample)
    unit: str | None = None
    if first is not None and "\n" in first[1]:
        inner = first[1].rpartition("\n")[2]
        unit = inner.removeprefix(indent) if inner.startswith(indent) else "  "
    new = _moved(_json(item, sample, unit, text), indent if unit is not None else "")
    new = "," + gap + LINE_END.sub(line_end_of(text), new)
    return TextEdit(path, TextSpan(span.end, span.end), new)


def _json(item: dict[str, Data], sample: str, unit: str | None, text: str) -> str:
    """Return an item in JSON as a sample is written; on one line without a unit of indentation."""
    first = _FIRST_NAME.match(sample)
    colon = first[2] if first is not None else ": "
    comma = ","
    if unit is None and (sample == "" or re.search(r'[\d"\]}], "', sample)):
        comma = ", "
    return json.dumps(
        item,
        indent=unit,
        ensure_ascii="\\u" in text and text.isascii(),
        separators=(comma, colon if "\n" not in colon else ": "),
        sort_keys=_is_sorted(_names_in(sample)),
    )


def _is_sorted(names: list[str]) -> bool:
    """Return whether names are in alphabetical order, as Pandoc writes them."""
    return len(names) > 2 and names == sorted(names)


def _in_yaml(entry: BibEntry, path: Path, text: str, read: ItemFile) -> TextEdit:
    item = csl_item(entry, markdown)
    if re.search(r"^\s*doi:", text, re.MULTILINE) and not re.search(r"\bDOI:", text):
        item = {"doi" if name == "DOI" else name: value for name, value in item.items()}
        item = {"url" if name == "URL" else name: value for name, value in item.items()}
    if re.search(r"""^ *(?:- +)?issued: *["']?\d""", text, re.MULTILINE) and "issued" in item:
        item["issued"] = edtf(item["issued"])
    line_end = line_end_of(text)
    if not read.spans():
        return _first_in_yaml(item, path, text, line_end)
    span = read.spans()[-1]
    sample = span.of(text)
    if sample.startswith("{"):
        return _behind_item(item, path, text, read)
    before = text[: span.start]
    indent = before[line_start(before, len(before)) :]
    dash = re.match(r"-( +)", sample)
    lists = (found for found in _LIST_IN_YAML.finditer(text) if len(found[1]) > len(indent))
    nested = next(lists, None)
    new = _yaml(
        item,
        indent,
        dash[1] if dash else " ",
        is_nested=nested is not None and len(nested[2]) > len(nested[1]),
        is_sorted=_is_sorted(_names_in(indent + sample)),
    )
    gap = "\n" * _line_ends_before(text, read)
    return TextEdit(path, TextSpan(span.end, span.end), LINE_END.sub(line_end, gap + new))


def _first_in_yaml(item: dict[str, Data], path: Path, text: str, line_end: str) -> TextEdit:
    """Return the edit that adds an item to an empty list."""
    head = _EMPTY_LIST.search(text)
    if head is None:
        raise InputError("it has no list of entries to add to")
    if head["list"] and head["list"].startswith("["):
        at = head.start("list") + 1
        return TextEdit(path, TextSpan(at, at), _json(item, "", None, text))
    start = head.start("list") if head["list"] else len(head[0].rstrip()) + head.start()
    span = TextSpan(start, head.end("list") if head["list"] else start)
    new = "\n" + _yaml(item, "", " ", is_nested=False, is_sorted=False)
    return TextEdit(path, span, LINE_END.sub(line_end, new))


def _yaml(
    item: dict[str, Data], indent: str, space: str, *, is_nested: bool, is_sorted: bool
) -> str:
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
        width=_ONE_LINE,
    )
    return f"{indent}-{space}" + _moved(text.rstrip("\n"), f"{indent} {' ' * len(space)}")


def _names_in(item: str) -> list[str]:
    """Return the names of an item in YAML."""
    read = mapping_in(item.replace("-", " ", 1) if item.lstrip().startswith("-") else item)
    return list(read)


def _moved(text: str, indent: str) -> str:
    """Return a text whose lines after the first one are indented."""
    return text.replace("\n", f"\n{indent}")


def line_end_of(text: str) -> str:
    """Return the line end that a text has first, by default LF."""
    found = LINE_END.search(text)
    return found.group() if found else "\n"


def _line_ends_before(text: str, read: ItemFile) -> int:
    """Return the number of line ends between the last two items, by default one."""
    if len(spans := read.spans()) < 2:
        return 1
    between = text[spans[-2].end : spans[-1].start]
    return len(LINE_END.findall(between)) if not between.strip() else 1

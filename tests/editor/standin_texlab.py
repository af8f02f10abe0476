r"""A second LaTeX server: answers what texlab answers about citations, in texlab's manner.

texlab itself is in no package registry. Its manner is that of version 5.26: keys filtered by
fuzzy match on the key alone and cut to fifty, `sortText` 00 to 49, `filterText` all fields,
no `,` among the trigger characters, hover with the formatted reference, UTF-16 positions.
It reads the .bib files beside the document and knows no command but ``\cite...{}``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

MAX_ITEMS = 50
CITATION = re.compile(r"\\[A-Za-z]*cite[A-Za-z]*\*?(?:\[[^\]]*\]){0,2}\{([^}\n]*)\}?")
KEY = re.compile(r"[^,\s]+")
ENTRY = re.compile(r"^@(\w+)\s*\{\s*([^,\s]+)\s*,(.*?)(?=^@|\Z)", re.MULTILINE | re.DOTALL)
FIELD = re.compile(r'(\w+)\s*=\s*[{"]?(.*?)[}"]?,?\s*$', re.MULTILINE)


class Standin(LanguageServer):
    #: By the client's name, as texlab does: VSCodium and Cursor go unrecognised.
    in_vs_code = False


server = Standin("texlab", "5.26.0")


@server.feature(types.INITIALIZE)
def initialize(ls: Standin, params: types.InitializeParams) -> None:
    ls.in_vs_code = (
        params.client_info is not None and params.client_info.name == "Visual Studio Code"
    )


@dataclass(frozen=True)
class Entry:
    uri: str
    text: str
    kind: str
    key: str
    key_start: int
    fields: dict[str, str]

    @property
    def filter_text(self) -> str:
        return " ".join((self.key, self.kind, *self.fields.values()))

    @property
    def formatted(self) -> str:
        """The reference as a style would print it."""
        parts = (
            self.fields.get(name) for name in ("author", "title", "journal", "booktitle", "year")
        )
        return ". ".join(filter(None, parts)) + "."


def text_of(uri: str) -> str:
    open_documents = server.workspace.text_documents
    return (
        open_documents[uri].source
        if uri in open_documents
        else Path(to_fs_path(uri)).read_text("utf-8")
    )


def uris(beside: str, pattern: str) -> list[str]:
    return [
        from_fs_path(str(path)) for path in sorted(Path(to_fs_path(beside)).parent.glob(pattern))
    ]


def entries(uri: str) -> list[Entry]:
    found = []
    for bibliography in uris(uri, "*.bib"):
        text = text_of(bibliography)
        for match in ENTRY.finditer(text):
            kind, key, body = match.groups()
            fields = {name: re.sub(r"[{}]", "", value) for name, value in FIELD.findall(body)}
            found.append(Entry(bibliography, text, kind, key, match.start(2), fields))
    return found


def position(text: str, offset: int) -> types.Position:
    before = text[:offset]
    last = before.rsplit("\n", 1)[-1]
    return types.Position(before.count("\n"), len(last.encode("utf-16-le")) // 2)


def span(text: str, start: int, end: int) -> types.Range:
    return types.Range(position(text, start), position(text, end))


def offset(text: str, at: types.Position) -> int:
    lines = text.split("\n")
    units = lines[at.line].encode("utf-16-le")[: 2 * at.character]
    return sum(len(line) + 1 for line in lines[: at.line]) + len(
        units.decode("utf-16-le", "ignore")
    )


def keys(text: str) -> list[re.Match[str]]:
    lists = (match.span(1) for match in CITATION.finditer(text))
    return [key for start, end in lists for key in KEY.finditer(text, start, end)]


def key_at(uri: str, at: types.Position) -> re.Match[str] | None:
    text = text_of(uri)
    here = offset(text, at)
    return next((key for key in keys(text) if key.start() <= here <= key.end()), None)


def is_subsequence(pattern: str, word: str) -> bool:
    letters = iter(word.lower())
    return all(letter in letters for letter in pattern.lower())


TRIGGERS = types.CompletionOptions(list("\\{}@/ "), resolve_provider=True)


@server.feature(types.TEXT_DOCUMENT_COMPLETION, TRIGGERS)
def complete(ls: Standin, params: types.CompletionParams) -> types.CompletionList | None:
    uri = params.text_document.uri
    text = text_of(uri)
    here = offset(text, params.position)
    if not any(match.start(1) <= here <= match.end(1) for match in CITATION.finditer(text)):
        return None
    key = key_at(uri, params.position)
    replaced = key.span() if key else (here, here)
    typed = text[replaced[0] : here]
    matching = [entry for entry in entries(uri) if is_subsequence(typed, entry.key)]
    items = [
        types.CompletionItem(
            label=entry.key,
            kind=types.CompletionItemKind.Interface,
            preselect=False,
            sort_text=f"{rank:02d}",
            filter_text=entry.filter_text,
            text_edit=types.TextEdit(span(text, *replaced), entry.key),
            data={"hover": entry.formatted},
        )
        for rank, entry in enumerate(matching[:MAX_ITEMS])
    ]
    return types.CompletionList(ls.in_vs_code, items)


@server.feature(types.COMPLETION_ITEM_RESOLVE)
def resolve(item: types.CompletionItem) -> types.CompletionItem:
    item.documentation = types.MarkupContent(types.MarkupKind.Markdown, item.data["hover"])
    return item


@server.feature(types.TEXT_DOCUMENT_HOVER)
def hover(params: types.HoverParams) -> types.Hover | None:
    uri = params.text_document.uri
    key = key_at(uri, params.position)
    entry = next((e for e in entries(uri) if key and e.key == key.group()), None)
    if key is None or entry is None:
        return None
    contents = types.MarkupContent(types.MarkupKind.Markdown, entry.formatted)
    return types.Hover(contents, span(text_of(uri), *key.span()))


@server.feature(types.TEXT_DOCUMENT_DEFINITION)
def definition(params: types.DefinitionParams) -> list[types.Location]:
    key = key_at(params.text_document.uri, params.position)
    return [
        types.Location(e.uri, span(e.text, e.key_start, e.key_start + len(e.key)))
        for e in entries(params.text_document.uri)
        if key and e.key == key.group()
    ]


if __name__ == "__main__":
    server.start_io()

"""Small files that want to be large: ``python -m torture.hostile.bombs READER SIZE FOLDER``.

Each is tried with every reader of what a project or the network has. The readers run in a process
of their own, with limits of memory and of processor time for each bomb.
"""

from __future__ import annotations

import gzip
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from torture import apart

_MAX_BYTES = 2 << 30
_MAX_SECONDS = 30
#: What the settings of projects may name by an alias.
_NAMED = (
    "a: *z\nbibliography: *z\nbook: {bibliography: *z, chapters: *z}\nproject: {bibliography: *z, toc: *z}\n"
    "rmd_files: *z\nbibtex_bibfiles: *z\nparts: *z\nmetadata: {bibliography: *z}\ninput-files: *z\n"
    "toc: *z\nreferences: *z\n"
)


def _laughs(lines: Iterator[str], last: int) -> str:
    return "\n".join(lines) + "\n" + _NAMED.replace("*z", f"*l{last}")


def _lists(_size: int) -> str:
    return _laughs(
        (f"l{at}: &l{at} [{','.join([f'*l{at - 1}'] * 9) if at else 'x.md'}]" for at in range(12)),
        11,
    )


def _chapters(_size: int) -> str:
    inner = (
        f"{{file: x, sections: [{','.join([f'*l{at - 1}'] * 9) if at else ''}]}}"
        for at in range(12)
    )
    return _laughs((f"l{at}: &l{at} {each}" for at, each in enumerate(inner)), 11)


def _merged(_size: int) -> str:
    return _laughs(
        (
            f"l{at}: &l{at} {{k{at}: v, <<: [{','.join([f'*l{at - 1}'] * 9) if at else ''}]}}"
            for at in range(12)
        ),
        11,
    )


def _items(size: int) -> str:
    """Return many items with all that one of them has."""
    return (
        f"references:\n- &a {{id: a, type: book, note: [{'x,' * (size // 4)}]}}\n"
        + "- {id: b, x: *a}\n" * (size // 32)
    )


_ENTITIES = (
    '<!DOCTYPE a [<!ENTITY l0 "ha">'
    + "".join(f'<!ENTITY l{at} "{f"&l{at - 1};" * 9}">' for at in range(1, 12))
    + "]>"
)
#: Of about so many bytes.
BOMBS: dict[str, Callable[[int], str]] = {
    "aliases of lists": _lists,
    "aliases of chapters": _chapters,
    "merged aliases": _merged,
    "items with aliases": _items,
    "a list in itself": lambda _: _NAMED.replace("*z", "&z [*z, *z]", 1),
    "a mapping in itself": lambda _: _NAMED.replace("*z", "&z {file: x, sections: [*z, *z], <<: *z}", 1),
    "anchors": lambda n: "".join(f"- &a{at} [*a{at - 1 if at else ''}]\n" for at in range(n // 14)),
    "many merged": lambda n: f"references:\n- id: a\n  <<: [{'{a: b},' * (n // 7)}]\n",
    "[": lambda n: "[" * n,
    "{": lambda n: "{" * n,
    "- - -": lambda n: "- " * (n // 2),
    "? ? ?": lambda n: "? " * (n // 2),
    "flow mappings": lambda n: "{a: " * (n // 4),
    "deep blocks": lambda n: "".join(f"{' ' * at}a:\n" for at in range(int((2 * n) ** 0.5))),
    "objects": lambda n: '{"a":' * (n // 5),
    "lists in lines": lambda n: '[\n' + '{"a":[\n' * (n // 7),
    "lists with numbers": lambda n: "[1," * (n // 3),
    "lists in an item": lambda n: f'[{{"id": "a", "type": "book", "title": {"[" * (n // 2)}{"]" * (n // 2)}}}]',
    "deep, but not too deep": lambda _: f'[{{"id": "a", "type": "book", "title": {"[" * 900}{"]" * 900}}}]',
    "empty lists": lambda n: f"[{'[],' * (n // 3)}[]]",
    "digits": lambda n: f"a: {'9' * n}",
    "sixties": lambda n: f"a: 1{':1' * (n // 2)}",
    "numbers with one hash": lambda n: "".join(f"{at * (2**61 - 1)}: a\n" for at in range(n // 24)),
    "quotes": lambda n: '"' * n,
    "tags": lambda n: f"a: {'!a ' * (n // 3)}",
    "objects of Python": lambda n: "- !!python/object/apply:time.sleep [999]\n" * (n // 41),
    "entities": lambda _: f"{_ENTITIES}<TEI><text><body><p>&l11;</p></body></text></TEI>",
    "entities in an attribute": lambda _: f"{_ENTITIES}<TEI><text><body><p id='&l11;'>x</p></body></text></TEI>",
    "a long entity": lambda n: f"<!DOCTYPE a [<!ENTITY l '{'x' * n}'>]><article><body><p id='{'&l;' * n}'>{'&l;' * n}</p></body></article>",
    "elements": lambda n: "<a>" * (n // 3),
}  # fmt: skip


def _files(size: int) -> Iterator[tuple[str, bytes]]:
    for name, make in BOMBS.items():
        text = make(size)
        yield name, text.encode()
        # As the header of a Markdown file.
        yield f"{name}, header", f"---\n{text}\nbibliography: {text}\n---\nx\n".encode()
    zeros = gzip.compress(bytes(64 << 20))
    yield "zeros", zeros
    yield "zeros, compressed twice", gzip.compress(zeros)
    yield "lists, compressed", gzip.compress(b"[" + b"[]," * (4 << 20) + b"[]]")


def exploded(reader: str, size: int, folder: Path) -> list[str]:
    """Return the bomb at which a process with a reader ends or fails; none if it survives all."""
    done = apart("hostile.bombs", reader, size, folder)
    if done.returncode == 0:
        return []
    last = ["", *done.stdout.splitlines()][-1]
    why = [f"ended with {done.returncode}", *done.stderr.splitlines()][-1]
    return [f"{reader}, {last}: {why}"[:300]]


def main() -> None:
    """Read each bomb with the reader that is named; print its name before."""
    import resource
    import signal

    from pincite.model.problems import InputError
    from torture.hostile.readers import BY_NAME

    reader, size, folder = BY_NAME[sys.argv[1]], int(sys.argv[2]), Path(sys.argv[3])
    resource.setrlimit(resource.RLIMIT_AS, (_MAX_BYTES, _MAX_BYTES))
    for name, data in _files(size):
        print(name, flush=True)
        # Its signal ends the process, whatever that does.
        signal.setitimer(signal.ITIMER_PROF, _MAX_SECONDS)
        with suppress(InputError):
            reader.read_bytes(data, folder)


if __name__ == "__main__":
    main()

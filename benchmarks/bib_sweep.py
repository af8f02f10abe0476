"""Read every .bib file below some folders, and compare with two other readers.

    python -m benchmarks.bib_sweep FOLDER... [--examples N] [--seconds S]

Keys are compared with an independent scan: a line that starts with ``@word{key,`` (of no comment,
string or preamble) has one. Values are compared with those of bibtexparser 2 by their letters: it
leaves LaTeX as written, we decode it; inherited fields are not compared. Letters that differ do so
by a macro that bibtexparser does not expand, by a command for a symbol, or in another way, which
needs inspection. Files of more than S seconds, or with errors but `InputError`, are counted.
"""

import re
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator

import bibtexparser

from pincite.model.problems import InputError
from pincite.parsing.bibtex import Bibliography, parse_bibliography
from pincite.parsing.encoding import read_text

from .shared import Given, measurement

#: ``\r`` alone ends lines in files of old Macs.
_HEAD = re.compile(
    r"(?:^|(?<=[\r\n]))[ \t]*@[ \t]*([A-Za-z][\w-]*)[ \t]*[{(]\s*([^\s,{}()\"=#%]+)\s*,",
    re.MULTILINE,
)
_NO_ENTRIES = ("comment", "string", "preamble")
#: Fields whose value is text.
_COMPARED = ("title", "author", "year", "journal", "booktitle", "abstract", "publisher", "volume")
_COMMAND = re.compile(r"\\(?:[A-Za-z]+|.)", re.DOTALL)
_MACRO = re.compile(r"\s*[A-Za-z][\w:.+-]*\s*(?:#.*|\Z)", re.DOTALL)


def keys_by_lines(text: str) -> list[str]:
    """Return the keys of a file, found line by line."""
    return [key for kind, key in _HEAD.findall(text) if kind.lower() not in _NO_ENTRIES]


def letters(value: str) -> str:
    """Return the letters and digits of a value in lower case, without accents."""
    plain = unicodedata.normalize("NFKD", _COMMAND.sub("", value)).casefold()
    return "".join(char for char in plain if char.isalnum())


def compared(bibliography: Bibliography, text: str) -> Iterator[tuple[str, str, str, str, str]]:
    """Yield class, key, field, our value and the other one, for each value that both have."""
    other = bibtexparser.parse_string(text)
    for theirs in other.entries:
        ours = bibliography.entries.get(theirs.key)
        if ours is None:
            continue
        for name in _COMPARED:
            field = theirs.fields_dict.get(name)
            if field is None or name not in ours.fields:
                continue
            written, value = str(field.value), ours.fields[name]
            kind = "other"
            if letters(written) == letters(value):
                kind = "equal"
            elif _MACRO.fullmatch(written):
                kind = "macro"
            elif "\\" in written or "$" in written:
                kind = "command"
            yield kind, theirs.key, name, value, written


@measurement("folders+", examples=2, seconds=10.0)
def main(given: Given) -> None:
    """Read all files and print what was found."""
    files = sorted(
        {file for each in given.folders for file in each.rglob("*.bib") if file.is_file()}
    )
    counts: Counter[str] = Counter()
    for file in files:
        started = time.monotonic()
        try:
            text = read_text(file)
            bibliography = parse_bibliography(text, file)
            repeated = (place.key for place in bibliography.repeated)
            ours = Counter([*bibliography.entries, *bibliography.data_entries, *repeated])
            scanned = Counter(keys_by_lines(text))
            list(bibliography.problems)
        except Exception as error:  # what the sweep is for
            is_refused = isinstance(error, InputError)
            counts["files that are refused" if is_refused else "files with an error of ours"] += 1
            print(f"refused: {error}" if is_refused else f"{file}: {type(error).__name__}: {error}")
            continue
        counts["files"] += 1
        counts["entries"] += sum(ours.values())
        if time.monotonic() - started > given.seconds:
            counts[f"files of more than {given.seconds:g} s"] += 1
            print(f"{file}: {time.monotonic() - started:.1f} s")
        missing, more = scanned - ours, ours - scanned
        counts["keys missing"] += missing.total()
        counts["keys more"] += more.total()
        counts["files with the same keys"] += not (missing or more)
        for what, keys in (("missing", missing), ("more", more)):
            for key in list(keys)[: given.examples]:
                print(f"{what}: {file}: {key}")
        try:
            found = list(compared(bibliography, text))
        except Exception as error:  # the other reader's
            counts["files that bibtexparser does not read"] += 1
            print(f"bibtexparser: {file}: {type(error).__name__}")
            continue
        counts.update(f"values: {kind}" for kind, *_ in found)
        for _, key, name, value, written in [f for f in found if f[0] == "other"][: given.examples]:
            print(f"other: {file}: {key}.{name}: {value[:70]!r} for {written[:70]!r}")
    print()
    for what, number in sorted(counts.items()):
        print(f"{what:<40} {number:>9,}")
    total = sum(number for what, number in counts.items() if what.startswith("values: "))
    if total:
        print(f"{'values that are equal':<40} {counts['values: equal'] / total:>9.4f}")

"""Read the unmodified CL-SciSumm corpus: reference papers, citances, annotators' rows.

Training rows are lines of ``<RP>.ann.txt``; the automatically generated ones of ScisummNet have the
same format. The test papers have citances in ``annotation/<RP>.csv`` and each annotator's rows in a
CSV file beside the papers' folder. All of it was edited by hand: `problems` reports each defect
once, and rows are returned unchanged, since scores depend on their defects. Markup is often
malformed (``<S sid =  ssid = >``, unclosed tags, bare ``<`` in a text), escaped twice and in mixed
encodings, so only known tags are recognised.
"""

from __future__ import annotations

import csv
import html
import io
import json
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Final, Literal, NamedTuple

import regex

from pincite.model.papers import ReferencePaper, Sentence
from pincite.model.problems import InputError, Problem

from ..processes import tracked
from ..results import grouped

_TAG: Final = regex.compile(
    r"<(?P<closes>/?)(?P<name>S|ABSTRACT|SECTION|SUBSECTION|PAPER)\b(?P<rest>[^<>]{0,2000}+)>"
)
_SID: Final = regex.compile(r"""\bsid\s{0,9}+=\s{0,9}+["']?+([^\s"'=<>/]*+)(?!\s*+=)""")
_TITLE: Final = regex.compile(r'\btitle\s{0,9}+=\s{0,9}+"([^"]*+)')
#: A line break inside a word.
SOFT_HYPHEN: Final = regex.compile("\u00ad\\s*+")

#: Bytes that ``surrogateescape`` let through, nearly always Windows-1252.
_STRAY_BYTES: Final = {
    0xDC00 + byte: bytes([byte]).decode("cp1252", "ignore") or chr(byte)
    for byte in range(0x80, 0x100)
}


class MarkedSentence(NamedTuple):
    """A sentence with its id (empty if none is given), its section, and the offset of its tag."""

    sid: str
    text: str
    written: str
    section: str | None
    start: int


def marked_sentences(markup: str) -> Iterator[MarkedSentence]:
    """Yield the ``<S>`` elements of a paper or field, their text as `plain` gives it."""
    section = None
    tags = list(_TAG.finditer(markup))
    for tag, following in zip_longest(tags, tags[1:]):
        opens = not tag["closes"] and not tag["rest"].endswith("/")
        if tag["name"] == "S" and opens:
            end = following.start() if following else len(markup)
            sid = _SID.search(tag["rest"])
            written = markup[tag.end() : end]
            yield MarkedSentence(
                sid[1] if sid else "",
                plain(written),
                " ".join(written.translate(_STRAY_BYTES).split()),
                section,
                tag.start(),
            )
        elif tag["name"] == "ABSTRACT":
            section = "Abstract" if opens else None
        elif tag["name"] == "SECTION":
            title = _TITLE.search(tag["rest"]) if opens else None
            section = (plain(title[1]) or None) if title else None


def without_tags(markup: str) -> str:
    """Return marked-up text as `plain` gives it."""
    return plain(_TAG.sub(" ", markup))


def plain(written: str) -> str:
    """Return a text for readers: entities and stray bytes decoded, one space between words."""
    # Some fields are escaped twice: "&amp;quot;".
    text = html.unescape(html.unescape(written.translate(_STRAY_BYTES)))
    return " ".join(SOFT_HYPHEN.sub("", text).split())


Split = Literal["train", "scisummnet", "test"]


class Row(NamedTuple):
    """One row of an annotator, its fields as written in the file."""

    number: str
    reference: str
    citing: str
    citation_text: str
    reference_offset: str
    reference_text: str
    facet: str | None = None


class GoldFile(NamedTuple):
    """The rows of one annotator for one reference paper, in file order."""

    name: str
    rows: tuple[Row, ...]


class Citance(NamedTuple):
    """A citance's number in the task, its paper's id, and its text as in the file and plain."""

    number: str
    citing: str
    written: str
    text: str


@dataclass(frozen=True, slots=True)
class AnnotatedPaper:
    """A reference paper with its citances and gold."""

    id: str
    paper: ReferencePaper
    sids: tuple[str, ...]
    citances: tuple[Citance, ...]
    gold: tuple[GoldFile, ...]
    written: tuple[str, ...] = ()

    def citances_of_others(self, citance: Citance) -> list[str]:
        """Return the texts of the citances that are by other papers than this one."""
        return [each.text for each in self.citances if each.citing != citance.citing]


@dataclass(frozen=True, slots=True)
class AnnotatedCorpus:
    """The papers of one split, in the order of their ids."""

    split: Split
    papers: tuple[AnnotatedPaper, ...]
    problems: tuple[Problem, ...] = ()

    @property
    def citances(self) -> int:
        """The number of citances of all papers."""
        return sum(len(paper.citances) for paper in self.papers)


#: For each citance of a paper, in its order, the ids of the sentences that a system chose.
Answers = Sequence[Sequence[str]]

#: The key of a row: reference and citing paper, or citing paper and citation text.
Key = tuple[str, str]
#: What annotators write if they found no sentence.
NOT_JUDGED: Final = "NA"
#: At either end of an id.
_QUOTE: Final = re.compile(r"^['\"]|['\"]\Z")
#: A tag may contain any character but ``>``; matching the last ``<S`` before it keeps this linear.
_WITH_TEXT: Final = regex.compile(r"<S\b(?:[^<>]++|<(?!S\b))*+>[^<]")
_ID: Final = re.compile(r"\d+")
_NO_LETTER: Final = re.compile(r"[^a-z0-9]+")
#: This much of a citation text identifies it; annotators' copies may differ towards the end.
_JOINED_LETTERS: Final = 60


def paper_id(written: str) -> str:
    """Return the id of a paper that annotators name by id or by file."""
    return written.replace(".xml", "")


def citance_key(citing: str, citation_text: str) -> Key:
    """Return the key of a citance: citing paper, and the first letters of the text."""
    text = unicodedata.normalize("NFKD", citation_text).lower()
    return paper_id(citing), _NO_LETTER.sub("", text)[:_JOINED_LETTERS]


def is_usable(row: Row) -> bool:
    """Return whether the organisers' script finds a sentence in a row; in ``NA`` it does not."""
    return _WITH_TEXT.search(row.reference_text) is not None


def listed_ids(field: str) -> tuple[str, ...]:
    """Return the ids in a list as annotators write it: ``'9','10'``, ``['9', '10']``, ``9``."""
    items = field.removeprefix("[").removesuffix("]").split(",")
    return tuple(_QUOTE.sub("", item.strip()) for item in items)


def numbers(field: str) -> frozenset[str]:
    """Return the numbers in a list, ignoring everything around them."""
    return frozenset(_ID.findall(field))


_FOLDERS: Final[Mapping[Split, str]] = {
    "train": "Training-Set-2019/Task1/From-Training-Set-2018",
    "scisummnet": "Training-Set-2019/Task1/From-ScisummNet-2019",
    "test": "Test-Set-2018",
}
_GOLD: Final = "Test-Set-2018-Gold/Task1"
#: Where a row begins.
_ROW: Final = regex.compile(r"^(?=[^\S\n]{0,20}+Citance Number\s*+:)", regex.MULTILINE)
#: Texts may contain a bar too, but none followed by the name of a field.
_FIELD: Final = regex.compile(
    r"(?:^|\|)\s*+(?P<name>Citance Number|Reference Article|Citing Article|Citation Marker Offset"
    r"|Citation Marker|Citation Offset|Citation Text|Reference Offset|Reference Text"
    r"|Discourse Facet|Annotator)\s*+:"
)
_OF_GOLD: Final = (
    *("Reference Article", "Citing Article", "Citation Text"),
    *("Reference Offset", "Reference Text"),
)
#: Rows with the lines in which they begin.
_Rows = list[tuple[int, Row]]


def read_scisumm(corpus: Path, split: Split) -> AnnotatedCorpus:
    """Read a split from the ``data`` folder of the corpus; `InputError` if there is no paper."""
    if not corpus.is_dir():
        raise InputError(f"{corpus}: no such folder")
    places = corpus / _FOLDERS[split], corpus
    folder = next((each for each in places if any(each.glob("*/Reference_XML"))), None)
    if folder is None:
        expected = f"the data folder of scisumm-corpus, with papers in {_FOLDERS[split]}"
        raise InputError(f"{corpus}: expected {expected}")
    folders = [each for each in _listed(folder, "*") if each.is_dir()]
    reader = _Reader()
    gold = None
    if split == "test":
        gold = reader.gold_files(folder.parent / _GOLD, {each.name for each in folders})
    papers = []
    for each in tracked(folders, f"Reading papers ({split})", len(folders)):
        try:
            papers.append(reader.paper(each, gold))
        except InputError as error:
            reader.report(each, None, str(error), broken=True)
    if not papers:
        raise InputError(f"{folder}: there is no paper that can be read ({reader.problems[0]})")
    return AnnotatedCorpus(split, tuple(papers), tuple(reader.problems))


def _listed(folder: Path, pattern: str) -> list[Path]:
    return sorted(each for each in folder.glob(pattern) if not each.name.startswith("."))


class _Reader:
    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def report(self, path: Path, line: int | None, message: str, *, broken: bool = False) -> None:
        self.problems.append(Problem(path, line, message, broken=broken))

    def report_lines(self, path: Path, lines: Sequence[int], what: str, then: str = "") -> None:
        """Report several defects of a kind, if there are any, where the first of them is."""
        if lines:
            self.report(path, lines[0], f"{what}: {len(lines)} (the first is here){then}")

    def gold_files(self, folder: Path, names: set[str]) -> Mapping[str, Sequence[Path]]:
        files = grouped(_listed(folder, "*.csv"), lambda file: file.stem.split("_")[0])
        for name in [name for name in files if name not in names]:
            for file in files.pop(name):
                self.report(file, None, f"there is no paper {name}; the file is not used")
        if not files:
            raise InputError(f"{folder}: expected annotators' files, <paper>_<annotator>.csv")
        return files

    def paper(self, folder: Path, files_of: Mapping[str, Sequence[Path]] | None) -> AnnotatedPaper:
        """Read a paper; without separate annotators' files, its gold rows are its citances."""
        sentences, paper = self._sentences(self._file(folder / "Reference_XML", ".xml"))
        file = self._file(folder / "annotation", ".txt" if files_of is None else ".csv")
        annotated: dict[Path, _Rows] = {}
        if files_of is None:
            annotated[file] = rows = self._with_texts(file, self._rows(file))
        else:
            rows = self._table(file, ("Citance Number", "Citing Article", "Citation Text"))
        citances = self._citances(file, rows)
        for path in (files_of or {}).get(folder.name, ()):
            try:
                annotated[path] = self._table(path, _OF_GOLD)
            except InputError as error:
                self.report(path, None, str(error), broken=True)
        if not annotated:
            self.report(folder, None, "there is no annotator's file of this paper")
        for path, own in annotated.items():
            for line, row in own:
                for message in _defects(row, folder.name, sentences.keys()):
                    self.report(path, line, message)
            if files_of is not None:
                self._check_citances(path, own, citances)
        gold = (GoldFile(each.stem, tuple(row for _, row in annotated[each])) for each in annotated)
        written = tuple(each.written for each in sentences.values())
        return AnnotatedPaper(folder.name, paper, tuple(sentences), citances, tuple(gold), written)

    def _file(self, folder: Path, suffix: str) -> Path:
        name = folder.parent.name
        files = _listed(folder, f"*{suffix}")
        if not files:
            raise InputError(f"there is no {suffix} file in {folder.name}")
        files.sort(key=lambda file: (file.name != name + suffix, not file.name.startswith(name)))
        for other in files[1:]:
            self.report(other, None, f"{files[0].name} is read, and this file is not used")
        return files[0]

    def _text(self, path: Path) -> str:
        """Return the text of a file; bytes that are not UTF-8 become surrogates."""
        try:
            data = path.read_bytes()
        except OSError as error:
            raise InputError(f"{path.name}: cannot be read ({error.strerror})") from None
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            byte = f"0x{data[error.start]:02X}"
            self.report(path, line, f"byte {byte} is not UTF-8; read as Windows-1252")
            return data.decode("utf-8-sig", "surrogateescape")

    def _sentences(self, path: Path) -> tuple[dict[str, MarkedSentence], ReferencePaper]:
        written = self._text(path)
        found: dict[str, MarkedSentence] = {}

        def defect(sentence: MarkedSentence) -> str:
            if not sentence.text or not sentence.sid:
                return "without id" if sentence.text else "without text"
            is_new = found.setdefault(sentence.sid, sentence) is sentence
            return "" if is_new else "with the id of an earlier one"

        for what, own in grouped(marked_sentences(written), defect).items():
            lines = [written.count("\n", 0, each.start) + 1 for each in own] if what else []
            self.report_lines(path, lines, f"sentences {what}, left out")
        if not found:
            raise InputError(f"{path.name}: there is no sentence in it")
        title = found.get("0")
        return found, ReferencePaper(
            title=title.text if title and title.section is None else "",
            basis="full text",
            sentences=tuple(Sentence(each.text, section=each.section) for each in found.values()),
            abstract=" ".join(each.text for each in found.values() if each.section == "Abstract"),
            source=path,
        )

    def _rows(self, path: Path) -> _Rows:
        """Read rows as ``name: value | name: value``, one a line."""
        before, *texts = _ROW.split(self._text(path))
        if before.strip():
            line = before[: len(before) - len(before.lstrip())].count("\n") + 1
            self.report(path, line, "this is not a row; left out")
        rows = []
        line = before.count("\n") + 1
        for written in texts:
            values: dict[str, str] = {}
            _, *parts = _FIELD.split(written)
            for name, value in zip(parts[::2], parts[1::2], strict=True):
                if name in values:
                    self.report(path, line, f"{name} is given twice; the first counts")
                values.setdefault(name, value.strip())
            for name in {"Reference Article", "Citing Article"} & values.keys():
                values[name] = values[name].removesuffix(".xml").removesuffix(".txt")
            if "Discourse Facet" in values:
                values["Discourse Facet"] = values["Discourse Facet"].rstrip("| \t")
            if missing := [name for name in _OF_GOLD if name not in values]:
                self.report(path, line, f"the row has no {' and no '.join(missing)}; left out")
            else:
                rows.append((line, _row(values)))
            if "\n" in written.strip():
                self.report(path, line, "the row goes on in the next lines")
            line += written.count("\n")
        return rows

    def _table(self, path: Path, needed: Iterable[str]) -> _Rows:
        """Read the rows of a CSV file that are as long as its header, as the script does."""
        csv.field_size_limit(1 << 28)  # a stray quote can swallow a whole file
        reader = csv.reader(io.StringIO(self._text(path), newline=""))
        rows = []
        line = 1
        try:
            header = next(reader, [])
            if missing := [name for name in needed if name not in header]:
                raise InputError(f"{path.name}: there is no column {' and no '.join(missing)}")
            line = reader.line_num + 1
            for fields in reader:
                if len(fields) == len(header):
                    rows.append((line, _row(dict(zip(header, fields, strict=True)))))
                elif fields:
                    message = f"{len(fields)} fields for {len(header)} columns; the row is left out"
                    self.report(path, line, message)
                line = reader.line_num + 1
        except csv.Error as error:
            self.report(path, line, f"the file cannot be read from here on ({error})")
        return rows

    def _with_texts(self, path: Path, rows: _Rows) -> _Rows:
        if all(without_tags(row.citation_text) for _, row in rows):
            return rows
        source = path.parents[1] / "citing_sentences.json"
        listed: object = None
        try:
            listed = json.loads(self._text(source)) if source.is_file() else None
        except (InputError, ValueError, RecursionError) as error:
            self.report(source, None, f"cannot be read ({error})", broken=True)
        texts = {
            (str(each.get("citance_No")), str(each.get("citing_paper_id"))): text
            for each in (listed if isinstance(listed, list) else [])
            if isinstance(each, dict)
            and isinstance(text := each.get("clean_text") or each.get("raw_text"), str)
        }
        completed = dict(rows)
        filled = []
        for line, row in rows:
            if without_tags(row.citation_text):
                continue
            if text := texts.get((row.number, row.citing)):
                completed[line] = row._replace(citation_text=text)
                filled.append(line)
            else:
                self.report(path, line, f"citance {row.number} has no text")
        self.report_lines(path, filled, f"citances without text, taken from {source.name}")
        return list(completed.items())

    def _citances(self, path: Path, rows: _Rows) -> tuple[Citance, ...]:
        citances = []
        seen: dict[Key, str] = {}
        for line, row in rows:
            citing, text = paper_id(row.citing), without_tags(row.citation_text)
            citances.append(Citance(row.number, citing, row.citation_text, text))
            if text and (key := citance_key(citing, row.citation_text)) in seen:
                earlier = f"citance {seen[key]} of the same citing paper"
                message = f"citance {row.number} begins as {earlier}; only the later one counts"
                self.report(path, line, message)
            seen[citance_key(citing, row.citation_text)] = row.number
        if not citances:
            raise InputError(f"{path.name}: there is no citance in it")
        return tuple(citances)

    def _check_citances(self, path: Path, rows: _Rows, citances: Iterable[Citance]) -> None:
        """Report rows that match no citance of the task, or number it differently."""
        known = {citance_key(each.citing, each.written): each.number for each in citances}
        renumbered = []
        for line, row in rows:
            number = known.get(citance_key(row.citing, row.citation_text))
            if number is None:
                self.report(path, line, "no citance of the task has this citing paper and text")
            elif number != row.number:
                renumbered.append(line)
        what = "rows whose number is not that of their citance"
        self.report_lines(path, renumbered, what, "; numbers are not used")


def _row(values: Mapping[str, str]) -> Row:
    texts = (values.get(name, "") for name in ("Citance Number", *_OF_GOLD))
    return Row(*texts)._replace(facet=values.get("Discourse Facet"))


def _defects(row: Row, name: str, sids: Collection[str]) -> Iterator[str]:
    """Yield what is wrong with a row of an annotator of the paper `name` with sentences `sids`."""
    if (written := paper_id(row.reference)) != name:
        yield f"the reference article is {written!r}, so the official score never matches this row"
    if row.reference_text == NOT_JUDGED:
        return
    wanted = numbers(row.reference_offset)
    if not wanted:
        yield f"the reference offset {row.reference_offset!r} names no sentence"
    elif unknown := wanted.difference(sids):
        yield f"sentences that the paper lacks, or without text: {_in_order(unknown)}"
    if not is_usable(row):
        yield "the reference text has no sentence in <S>, so the official score skips this row"
        return
    copied = {sentence.sid for sentence in marked_sentences(row.reference_text)}
    if wanted and copied != wanted:
        of = _in_order(copied) or "unknown"
        yield f"the reference offset names {_in_order(wanted)}, the text is that of {of}"


def _in_order(sids: Iterable[str]) -> str:
    return ", ".join(sorted(sids, key=lambda sid: (len(sid), sid)))

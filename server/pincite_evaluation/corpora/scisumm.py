"""Read the unmodified CL-SciSumm corpus: reference papers, citances, annotators' rows.

Training rows are lines of ``<RP>.ann.txt``; the automatically generated ones of ScisummNet have the
same format. The test papers have citances in ``annotation/<RP>.csv`` and each annotator's rows in a
CSV file beside the papers' folder. All of it was edited by hand: `problems` reports each defect
once, and rows are returned unchanged, since scores depend on their defects.
"""

from __future__ import annotations

import csv
import io
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

import regex

from pincite.model.papers import ReferencePaper, Sentence
from pincite.model.problems import InputError, Problem

from ..progress import Progress, ignored
from .annotations import AnnotatedCorpus, AnnotatedPaper, Citance, GoldFile, Row, Split
from .annotators_fields import NOT_JUDGED, citance_key, is_usable, numbers, paper_id
from .markup import MarkedSentence, marked_sentences, without_tags

_FOLDERS: Final[Mapping[Split, str]] = {
    "train": "Training-Set-2019/Task1/From-Training-Set-2018",
    "scisummnet": "Training-Set-2019/Task1/From-ScisummNet-2019",
    "test": "Test-Set-2018",
}
_GOLD: Final = "Test-Set-2018-Gold/Task1"

_ROW: Final = regex.compile(r"^[^\S\n]{0,20}+Citance Number\s*+:", regex.MULTILINE)
#: Texts may contain a bar too, but none followed by the name of a field.
_FIELD: Final = regex.compile(
    r"(?:^|\|)\s*+(?P<name>Citance Number|Reference Article|Citing Article|Citation Marker Offset"
    r"|Citation Marker|Citation Offset|Citation Text|Reference Offset|Reference Text"
    r"|Discourse Facet|Annotator)\s*+:"
)
_OF_GOLD: Final = (
    "Reference Article",
    "Citing Article",
    "Citation Text",
    "Reference Offset",
    "Reference Text",
)
_OF_CITANCES: Final = ("Citance Number", "Citing Article", "Citation Text")
#: Said where only the first of several defects is located.
_FIRST: Final = "(the first is here)"
#: Longer fields than Python's csv reads by default; a stray quote can swallow a whole file.
_MAX_FIELD: Final = 1 << 28


class _Numbered(NamedTuple):
    """A row and the line in which it begins."""

    line: int
    row: Row


class _Annotated(NamedTuple):
    """A file of one annotator, with the lines of its rows."""

    path: Path
    rows: Sequence[_Numbered]


def read_scisumm(corpus: Path, split: Split, progress: Progress = ignored) -> AnnotatedCorpus:
    """Read the papers of a split from the ``data`` folder of the corpus, or from its own folder.

    Sentences without text or id are not candidates. Citances of ScisummNet without text, and their
    rows, which would otherwise be indistinguishable, get the text of ``citing_sentences.json`` with
    the same number and citing paper. In training rows, ids of papers have no suffix, because the
    organisers' script only knows ``.xml`` and every second file has ``.txt``.

    `progress` is called with the number of papers read and in all. A paper without sentences or
    citances is left out and reported in `problems`. Raises `InputError` if there is no paper.
    """
    folder = _split_folder(corpus, split)
    folders = [each for each in _listed(folder, "*") if each.is_dir()]
    reader = _Reader()
    papers = []
    gold: Mapping[str, Sequence[Path]] = {}
    if split == "test":
        names = {each.name for each in folders}
        gold = _gold_files(folder.parent / _GOLD, names, reader.problems)
    for number, each in enumerate(folders, start=1):
        try:
            if split == "test":
                papers.append(reader.test_paper(each, gold.get(each.name, ())))
            else:
                papers.append(reader.training_paper(each))
        except InputError as error:
            reader.tell(each, None, str(error), broken=True)
        progress(number, len(folders))
    if not papers:
        raise InputError(f"{folder}: there is no paper that can be read ({reader.problems[0]})")
    return AnnotatedCorpus(split, tuple(papers), tuple(reader.problems))


def _split_folder(corpus: Path, split: Split) -> Path:
    if not corpus.is_dir():
        raise InputError(f"{corpus}: no such folder")
    for folder in (corpus / _FOLDERS[split], corpus):
        if any(folder.glob("*/Reference_XML")):
            return folder
    raise InputError(
        f"{corpus}: expected the data folder of scisumm-corpus, with papers in {_FOLDERS[split]}"
    )


def _listed(folder: Path, pattern: str) -> list[Path]:
    """Return the non-hidden entries of a folder, sorted."""
    return sorted(each for each in folder.glob(pattern) if not each.name.startswith("."))


def _gold_files(
    folder: Path, names: set[str], problems: list[Problem]
) -> Mapping[str, Sequence[Path]]:
    """Return the annotators' files ``<RP>_<annotator>.csv`` of each paper."""
    files = defaultdict(list)
    for file in _listed(folder, "*.csv"):
        name = file.stem.split("_")[0]
        if name in names:
            files[name].append(file)
        else:
            problems.append(Problem(file, None, f"there is no paper {name}; the file is not used"))
    if not files:
        raise InputError(f"{folder}: expected annotators' files, <paper>_<annotator>.csv")
    return files


class _Reader:
    """Reads papers and collects problems."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def tell(self, path: Path, line: int | None, message: str, *, broken: bool = False) -> None:
        """Add a problem."""
        self.problems.append(Problem(path, line, message, broken=broken))

    def training_paper(self, folder: Path) -> AnnotatedPaper:
        """Read a paper whose citances are its gold rows."""
        paper, sids, written = self._paper(folder)
        file = self._file(folder / "annotation", ".txt")
        rows = self._with_texts(
            folder / "citing_sentences.json", _Annotated(file, self._rows(file))
        )
        citances = self._citances(file, rows)
        self._check(_Annotated(file, rows), folder.name, frozenset(sids))
        gold = GoldFile(file.stem, tuple(row for _, row in rows))
        return AnnotatedPaper(folder.name, paper, sids, citances, (gold,), written)

    def test_paper(self, folder: Path, files: Sequence[Path]) -> AnnotatedPaper:
        """Read a paper whose citances are separate from the rows of its annotators."""
        paper, sids, written = self._paper(folder)
        file = self._file(folder / "annotation", ".csv")
        citances = self._citances(file, self._table(file, _OF_CITANCES))
        annotated = list(self._annotated(files))
        if not annotated:
            self.tell(folder, None, "there is no annotator's file of this paper")
        named = {citance_key(each.citing, each.written): each.number for each in citances}
        for each in annotated:
            self._check(each, folder.name, frozenset(sids))
            self._check_citances(each, named)
        gold = (GoldFile(file.stem, tuple(row for _, row in rows)) for file, rows in annotated)
        return AnnotatedPaper(folder.name, paper, sids, citances, tuple(gold), written)

    def _annotated(self, files: Iterable[Path]) -> Iterator[_Annotated]:
        """Yield the files of annotators that can be read."""
        for file in files:
            try:
                yield _Annotated(file, self._table(file, _OF_GOLD))
            except InputError as error:
                self.tell(file, None, str(error), broken=True)

    # Files ----------------------------------------------------------------------------------------

    def _file(self, folder: Path, suffix: str) -> Path:
        """Return the file of a folder that is named after the paper, else the first one."""
        name = folder.parent.name
        files = _listed(folder, f"*{suffix}")
        if not files:
            raise InputError(f"there is no {suffix} file in {folder.name}")
        files.sort(key=lambda file: (file.name != name + suffix, not file.name.startswith(name)))
        for other in files[1:]:
            self.tell(other, None, f"{files[0].name} is read, and this file is not used")
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
            self.tell(path, line, f"byte {byte} is not UTF-8; read as Windows-1252")
            return data.decode("utf-8-sig", "surrogateescape")

    # The reference paper --------------------------------------------------------------------------

    def _paper(self, folder: Path) -> tuple[ReferencePaper, tuple[str, ...], tuple[str, ...]]:
        """Return the paper, the ids of its sentences, and their texts as written."""
        path = self._file(folder / "Reference_XML", ".xml")
        written = self._text(path)
        found: dict[str, MarkedSentence] = {}
        left_out: dict[str, list[MarkedSentence]] = defaultdict(list)
        for sentence in marked_sentences(written):
            if not sentence.text:
                left_out["without text"].append(sentence)
            elif not sentence.sid:
                left_out["without id"].append(sentence)
            elif found.setdefault(sentence.sid, sentence) is not sentence:
                left_out["with the id of an earlier one"].append(sentence)
        for what, sentences in left_out.items():
            line = written.count("\n", 0, sentences[0].start) + 1
            self.tell(path, line, f"sentences {what}, left out: {len(sentences)} {_FIRST}")
        if not found:
            raise InputError(f"{path.name}: there is no sentence in it")
        title = found.get("0")
        paper = ReferencePaper(
            title=title.text if title and title.section is None else "",
            basis="full text",
            sentences=tuple(Sentence(each.text, section=each.section) for each in found.values()),
            abstract=" ".join(each.text for each in found.values() if each.section == "Abstract"),
            source=path,
        )
        return paper, tuple(found), tuple(each.written for each in found.values())

    # Rows -----------------------------------------------------------------------------------------

    def _rows(self, path: Path) -> list[_Numbered]:
        """Read rows as ``name: value | name: value``, one a line."""
        text = self._text(path)
        bounds = [*(match.start() for match in _ROW.finditer(text)), len(text)]
        before = text[: bounds[0]]
        if before.strip():
            line = before[: len(before) - len(before.lstrip())].count("\n") + 1
            self.tell(path, line, "this is not a row; left out")
        rows = []
        line = before.count("\n") + 1
        for start, end in pairwise(bounds):
            written = text[start:end]
            values = self._values(path, line, written)
            if missing := [name for name in _OF_GOLD if name not in values]:
                self.tell(path, line, f"the row has no {' and no '.join(missing)}; left out")
            else:
                rows.append(_Numbered(line, _row(values)))
            if "\n" in written.strip():
                self.tell(path, line, "the row goes on in the next lines")
            line += written.count("\n")
        return rows

    def _values(self, path: Path, line: int, written: str) -> Mapping[str, str]:
        values: dict[str, str] = {}
        names = list(_FIELD.finditer(written))
        for name, following in zip(names, [*names[1:], None], strict=True):
            value = written[name.end() : following.start() if following else len(written)].strip()
            if name["name"].endswith("Article"):
                value = value.removesuffix(".xml").removesuffix(".txt")
            elif name["name"] == "Discourse Facet":
                value = value.rstrip("| \t")
            if values.setdefault(name["name"], value) is not value:
                self.tell(path, line, f"{name['name']} is given twice; the first counts")
        return values

    def _table(self, path: Path, needed: Iterable[str]) -> list[_Numbered]:
        """Read the rows of a CSV file that have as many fields as its header, as the script does.

        Of columns with the same name, the last counts.
        """
        csv.field_size_limit(_MAX_FIELD)
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
                    rows.append(_Numbered(line, _row(dict(zip(header, fields, strict=True)))))
                elif fields:
                    message = f"{len(fields)} fields for {len(header)} columns; the row is left out"
                    self.tell(path, line, message)
                line = reader.line_num + 1
        except csv.Error as error:
            self.tell(path, line, f"the file cannot be read from here on ({error})")
        return rows

    def _with_texts(self, path: Path, annotated: _Annotated) -> list[_Numbered]:
        """Return rows with missing citation texts filled in from ``citing_sentences.json``.

        They are matched by number and citing paper: if both agree, so do all texts that both files
        have.
        """
        rows = list(annotated.rows)
        empty = [
            index for index, (_, row) in enumerate(rows) if not without_tags(row.citation_text)
        ]
        if not empty:
            return rows
        texts = self._citing_sentences(path) if path.is_file() else {}
        filled = []
        for index in empty:
            line, row = rows[index]
            if text := texts.get((row.number, row.citing)):
                rows[index] = _Numbered(line, replace(row, citation_text=text))
                filled.append(line)
            else:
                self.tell(annotated.path, line, f"citance {row.number} has no text")
        if filled:
            message = f"citances without text, taken from {path.name}: {len(filled)} {_FIRST}"
            self.tell(annotated.path, filled[0], message)
        return rows

    def _citing_sentences(self, path: Path) -> Mapping[tuple[str, str], str]:
        """Return citing sentences by citance number and citing paper."""
        try:
            listed = json.loads(self._text(path))
        except (InputError, ValueError, RecursionError) as error:
            self.tell(path, None, f"cannot be read ({error})", broken=True)
            return {}
        return {
            (str(each.get("citance_No")), str(each.get("citing_paper_id"))): text
            for each in (listed if isinstance(listed, list) else [])
            if isinstance(each, dict)
            and isinstance(text := each.get("clean_text") or each.get("raw_text"), str)
        }

    def _citances(self, path: Path, rows: Iterable[_Numbered]) -> tuple[Citance, ...]:
        citances = []
        seen: dict[tuple[str, str], str] = {}
        for line, row in rows:
            citing = paper_id(row.citing)
            key = citance_key(citing, row.citation_text)
            text = without_tags(row.citation_text)
            citances.append(Citance(row.number, citing, row.citation_text, text))
            if text and key in seen:
                earlier = f"citance {seen[key]} of the same citing paper"
                message = f"citance {row.number} begins as {earlier}; only the later one counts"
                self.tell(path, line, message)
            seen[key] = row.number
        if not citances:
            raise InputError(f"{path.name}: there is no citance in it")
        return tuple(citances)

    # Defects --------------------------------------------------------------------------------------

    def _check(self, annotated: _Annotated, name: str, sids: frozenset[str]) -> None:
        """Report what is wrong with an annotator's rows."""
        for line, row in annotated.rows:
            for message in _defects(row, name, sids):
                self.tell(annotated.path, line, message)

    def _check_citances(self, annotated: _Annotated, known: Mapping[tuple[str, str], str]) -> None:
        """Report rows that match no citance of the task, or number it differently."""
        renumbered = []
        for line, row in annotated.rows:
            number = known.get(citance_key(row.citing, row.citation_text))
            if number is None:
                message = "no citance of the task has this citing paper and text"
                self.tell(annotated.path, line, message)
            elif row.number != number:
                renumbered.append(line)
        if renumbered:
            message = f"rows whose number is not that of their citance: {len(renumbered)} {_FIRST}"
            self.tell(annotated.path, renumbered[0], f"{message}; numbers are not used")


def _row(values: Mapping[str, str]) -> Row:
    return Row(
        number=values.get("Citance Number", ""),
        reference=values.get("Reference Article", ""),
        citing=values["Citing Article"],
        citation_text=values["Citation Text"],
        reference_offset=values.get("Reference Offset", ""),
        reference_text=values.get("Reference Text", ""),
        facet=values.get("Discourse Facet"),
    )


def _defects(row: Row, name: str, sids: frozenset[str]) -> Iterator[str]:
    """Yield what is wrong with a row of an annotator of the paper `name` with sentences `sids`."""
    if (written := paper_id(row.reference)) != name:
        yield f"the reference article is {written!r}, so the official score never matches this row"
    if row.reference_text == NOT_JUDGED:
        return
    wanted = numbers(row.reference_offset)
    if not wanted:
        yield f"the reference offset {row.reference_offset!r} names no sentence"
    elif unknown := wanted - sids:
        yield f"sentences that the paper lacks, or without text: {_in_order(unknown)}"
    if not is_usable(row):
        yield "the reference text has no sentence in <S>, so the official score skips this row"
        return
    copied = {sentence.sid for sentence in marked_sentences(row.reference_text)}
    if wanted and copied != wanted:
        told = _in_order(copied) or "unknown"
        yield f"the reference offset names {_in_order(wanted)}, the text is that of {told}"


def _in_order(sids: Iterable[str]) -> str:
    return ", ".join(sorted(sids, key=lambda sid: (len(sid), sid)))

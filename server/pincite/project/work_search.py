"""The search for a work that an author names: in text and libraries at hand, then by services."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from ..enrichment.named_works import NamedWork, named_work, records_in
from ..enrichment.plans import places
from ..enrichment.records import asked_for, is_titled, records
from ..enrichment.service import Answers, NotAskedError
from ..enrichment.sources import Sent, plan_name
from ..library.same_work import WorkMatcher
from ..model.papers import BibEntry, ReferencePaper
from ..model.problems import InputError
from .adding import NewWork, named_by_paper, own_works, there, work_of, works_in
from .open_draft import Place

_GIVEN: Final = "the text"


class WorkSearch:
    """What was found of a work so far, and what would be sent to whom to find more.

    `works` are those that may be meant, best first; `sent` is empty where nothing has to be sent.
    `remarks` are what was found to be wrong on the way, such as the DOI of another work in a PDF.
    """

    def __init__(self, place: Place, given: str | Path, email: str = "") -> None:
        """Search for what names a work (see `named_works`): an entry as text, or a paper.

        Raises `InputError` for anything else, or if earlier answers show that no service has it.
        """
        self.email = email
        self.works: tuple[NewWork, ...] = ()
        self.sent: tuple[Sent, ...] = ()
        self.remarks: tuple[str, ...] = ()
        self._place = place
        self._names: Sequence[NamedWork] = ()
        self._paper: tuple[Path, ReferencePaper, BibEntry] | None = None
        self._is_text = False
        if isinstance(given, Path):
            self._names, paper, entry = named_by_paper(given)
            self._paper = (given, paper, entry)
            self.works = self._known_paper(given, paper)
        elif (read := records_in(given)) is not None:
            self._is_text = True
            self.works = tuple(works_in(place, read, _GIVEN))
        else:
            self._names = (named_work(given),)
        self.works = self.works or tuple(own_works(place, self._names))
        if not self.works:
            try:
                self._look_up(places()[1], offline=True)
            except NotAskedError:
                self.sent = asked_for(self._names)
                self._take_paper()

    @property
    def plan(self) -> str:
        """A hash of what would be sent."""
        return plan_name(self.email, self.sent)

    @property
    def meant(self) -> tuple[NewWork, ...]:
        """Those of the `works` that are meant without doubt; none where you have to choose."""
        if self._is_text:
            return self.works
        titles = [name.value for name in self._names if name.kind == "title"]
        if len(titles) < len(self._names):
            return self.works[:1]
        exact = tuple(work for work in self.works if is_titled(work.title, *titles))
        return exact if len(exact) == 1 else ()

    def look_up(self) -> None:
        """Send the `requests`. Call this only once the author agrees.

        Raises `PinciteError` if no service has the work, none can be asked, or httpx is missing.
        """
        self.works = ()
        self._look_up(places()[1], offline=False)
        self.sent = ()

    def _look_up(self, answers: Answers, *, offline: bool) -> None:
        """Set the works to those of the first name that services know; or to what a paper says."""
        failure: InputError | None = None
        for name in self._names:
            try:
                found = records(name, answers, self.email, offline=offline)
            except NotAskedError:
                raise
            except InputError as error:
                failure = failure or error
                continue
            trusted = [each for each in found if self._is_of_paper(name, each[0])]
            if trusted:
                self.works = tuple(
                    work_of(self._place, entry, (), origin) for entry, origin in trusted
                )
                return
        if self._paper is None:
            raise failure or InputError("nothing was found")
        if failure is not None:
            self.remarks += (str(failure),)
        self._take_paper()

    def _take_paper(self) -> None:
        if self._paper is not None:
            path, _, entry = self._paper
            self.works = (work_of(self._place, entry, (), path.name),)

    def _known_paper(self, path: Path, paper: ReferencePaper) -> tuple[NewWork, ...]:
        """Return the entry of the bibliography whose text a paper is."""
        entries = self._place.bibliography.entries
        key = WorkMatcher(entries.values()).find_paper(paper, path.stem)
        return () if key is None else (there(entries[key]),)

    def _is_of_paper(self, name: NamedWork, entry: BibEntry) -> bool:
        """Return whether a record is that of the paper, if there is one; else note it."""
        if self._paper is None:
            return True
        path, paper, _ = self._paper
        if WorkMatcher((entry,)).find_paper(paper, path.stem) is not None:
            return True
        if name.kind != "title":
            what = f"“{entry.title}” ({entry.author_year})"
            self.remarks += (f"the {name} in {path.name} belongs to {what}, a different work",)
        return False

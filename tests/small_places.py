r"""Places in small drafts, for the tests of the learned ranker.

Drafts are those of `markup`, with the place at ``|``; text in front of the first ``%! name`` is
``main.tex``.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import markup
from pincite.contexts.citing_text import text_of_draft
from pincite.contexts.surroundings import SurroundedText
from pincite.model.contexts import CitationContext
from pincite.model.papers import BibEntry, Candidate, Candidates, ReferencePaper
from pincite.parsing.drafts import DraftReader
from pincite.project.workspace import Workspace
from pincite.ranking.base import Keys
from pincite.ranking.draft_citations import DraftCitations
from pincite.ranking.features import Evidence, Features, Place
from pincite.recommend import Recommender
from pincite.representations.entry_terms import EntryReader, TermIds
from pincite.representations.fields import EntryFields
from pincite.settings import MIXED_RANKER, RankingSettings, Settings
from pincite.text.stemming import stemmer

LEARNED = Settings(ranking=RankingSettings(ranker="learned"))
MIXED_SETTINGS = Settings(ranking=RankingSettings(ranker=MIXED_RANKER))


class Opened:
    """A draft that was read, with the place that its cursor marks."""

    def __init__(self, marked: str) -> None:
        if not marked.lstrip().startswith("%! "):
            marked = f"%! main.tex\n{marked.lstrip(chr(10))}"
        fixture = markup.parse_fixture(marked)
        with TemporaryDirectory() as name:
            self.folder = Path(name).resolve()
            self.draft = DraftReader().read(markup.write_project(self.folder, fixture))
        text = text_of_draft(self.draft)
        self.citing, self.place_of = text.text, text.place_of
        self.cursor = None
        if fixture.cursor is not None:
            name, offset = fixture.cursor
            self.cursor = self.place_of(self.folder / name, offset)


def evidence_of(candidates: Candidates, language: str | None = "en") -> Evidence:
    """Return the evidence that a ranker has of candidates."""
    ids, names = TermIds(stemmer(language)), {}
    fields = EntryFields.of(map(EntryReader(ids, names).read, candidates.values()), ids, names)
    return Evidence(fields, ids, has_order=not Keys.of(candidates).in_order)


def place_in(opened: Opened, candidates: Candidates, evidence: Evidence) -> Place:
    """Return the place of the cursor, with the draft's citations of candidates."""
    position = {key: at for at, key in enumerate(candidates)}
    cited = [
        (each.start, [position[key] for key in each.keys if key in position])
        for each in opened.citing.places
    ]
    cited = [(start, positions) for start, positions in cited if positions]
    text = SurroundedText(opened.citing)
    citations = DraftCitations.of(
        text,
        [start for start, _ in cited],
        [own for _, own in cited],
        evidence.ids,
    )
    return Place(citations, opened.cursor)


def features_at(marked: str, candidates: list[Candidate], language: str = "en") -> FeaturesByKey:
    """Return the features of candidates at the cursor of a draft."""
    by_key = Candidates.of(candidates)
    evidence = evidence_of(by_key, language)
    found = evidence.at(place_in(Opened(marked), by_key, evidence))
    return FeaturesByKey(found, tuple(by_key))


def work(key: str, title: str, author: str = "", year: str = "", **paper: str) -> Candidate:
    """Return a work of a bibliography of which little more than its title is known."""
    fields = {"title": title, "author": author, "year": year}
    entry = BibEntry(key, "article", fields, Path("refs.bib"))
    known = ReferencePaper(title, "abstract" if paper else "title", **paper)
    return Candidate(key, known, entry, names=entry.surnames)


class FeaturesByKey:
    """Features by the keys of the entries."""

    def __init__(self, found: Features, keys: tuple[str, ...]) -> None:
        self.found = found
        self._slots = {keys[at]: slot for slot, at in enumerate(found.positions.tolist())}

    def __getitem__(self, wanted: tuple[str, str]) -> float:
        key, name = wanted
        return float(self.found.column(name)[self._slots[key]])

    def of(self, name: str) -> dict[str, float]:
        """Return one feature of all entries that were looked at."""
        return {key: self[key, name] for key in self._slots}


class Project:
    """A draft in a folder with its cursor, and the recommender for it."""

    def __init__(self, folder: Path, marked: str, settings: Settings = LEARNED) -> None:
        if not marked.lstrip().startswith("%! "):
            marked = f"%! main.tex\n{marked.lstrip(chr(10))}"
        self.fixture = markup.parse_fixture(marked)
        main = markup.write_project(folder, self.fixture)
        self.workspace = Workspace(folder, settings)
        self.draft = self.workspace.draft(main)
        self.recommender: Recommender = self.workspace.recommender(self.draft)
        if self.fixture.cursor is None:
            return
        name, offset = self.fixture.cursor
        file = self.draft.file(folder / name)
        assert file is not None
        self.context: CitationContext = self.recommender.context(self.draft, file, offset)

    def ranked(self) -> list[str]:
        """Return the keys, best first."""
        return [entry.key for entry in self.recommender.rank(self.context)]

    def scores(self) -> dict[str, float]:
        """Return the scores by key."""
        return {entry.key: entry.score for entry in self.recommender.rank(self.context)}

    def reasons(self) -> dict[str, tuple[str, ...]]:
        """Return the reasons by key."""
        ranking = self.recommender.rank(self.context)
        explained = self.recommender.explain(self.context, list(ranking))
        return {entry.key: entry.reasons for entry in explained}

    def matched(self) -> dict[str, tuple[str, ...]]:
        """Return the matched words by key."""
        ranking = self.recommender.rank(self.context)
        explained = self.recommender.explain(self.context, list(ranking))
        return {entry.key: entry.matched for entry in explained}

"""What is missing of entries, and what would be sent to whom to find it: nothing is sent here.

Each entry is looked up as it will be, with the answers that are cached alone. So what is shown is
the most that can be sent: where one source knows a work, others are asked for less.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace

from ..cancellation import checked
from ..library.fallback_texts import FallbackTexts, prose_label
from ..library.library import Library
from ..model.fetched import is_fetched
from ..model.papers import BibEntry
from .enrich import Outcome, Question, Shown, Working, look_up, questions
from .service import Answers, CachedAnswers
from .sources import Source, Wanted


@dataclass(slots=True)
class Sent:
    """What would be sent to a source: each DOI and each title once."""

    source: Source
    dois: dict[str, None] = field(default_factory=dict)
    titles: dict[str, None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Plan:
    """What would be sent, and what for.

    `questions` are about all entries that lack something, `unanswered` counts those of which
    somebody would be asked. `entries` and `without_abstract` count entries; an abstract is only
    missing where there is no full text.
    """

    questions: tuple[Question, ...]
    sent: tuple[Sent, ...]
    unanswered: int
    entries: int
    without_abstract: int

    def shown(self) -> Shown:
        """Return what would be sent to each source, by its name."""
        return {
            each.source.name: {
                *(Wanted(doi, "") for doi in each.dois),
                *(Wanted("", title) for title in each.titles),
            }
            for each in self.sent
        }


def plan(
    entries: Collection[BibEntry],
    has_text: Callable[[BibEntry], bool],
    sources: Sequence[Source],
    answers: Answers,
) -> Plan:
    """Return what would be sent to sources, for what they have not answered yet.

    `has_text` indicates whether an entry needs no abstract.
    """
    know_citing = any(source.has_citing for source in sources)
    lacking: list[Question] = []
    without = unanswered = 0
    for entry in checked(entries, 100):
        needs = not has_text(entry)
        without += needs
        if needs or know_citing:
            lacking += (replace(each, wants_abstract=needs) for each in questions((entry,)))
    sent = {source.name: Sent(source) for source in sources}
    cached = [CachedAnswers(source, answers) for source in sources]
    for question in checked(lacking):
        working = Working(cached, Outcome())
        look_up(question, working)
        unanswered += bool(working.not_asked)
        for name, wanted in working.not_asked:
            if wanted.doi:
                sent[name].dois[wanted.doi] = None
            else:
                sent[name].titles[wanted.title] = None
    asked = tuple(each for each in sent.values() if each.dois or each.titles)
    return Plan(tuple(lacking), asked, unanswered, len(entries), without)


def text_is_known(library: Library, fallbacks: FallbackTexts) -> Callable[[BibEntry], bool]:
    """Return a test of whether an entry has a text that is the author's own.

    That is an abstract, a fallback abstract, or a file that is readable or not read yet.
    """
    next(library.files(), None)  # lists the folders, in which files are found by their names

    def has_text(entry: BibEntry) -> bool:
        others = (other for other in fallbacks.of(entry) if not is_fetched(other.path))
        if any(prose_label(each) for each in (entry, *others)):
            return True
        files = {*library.files_of((entry,), fallbacks)}
        if (found := library.locate(entry)) is not None:
            files.add(found)
        return bool(files - {path for path, _ in library.unusable(entry, fallbacks)})

    return has_text

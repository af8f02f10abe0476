"""The pipeline: draft → citation context → ranked entries → supporting sentences.

Only this module knows the order of the stages. It reads no files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate, islice, repeat
from typing import TYPE_CHECKING, Any, Literal

from .cancellation import check
from .contexts import windows
from .contexts.citing_text import TextOfDraft, text_of_draft
from .library.printed_pages import printed_page
from .matching.strength import MAX_ASSESSED, MAX_SENTENCES, shown
from .model.contexts import CitationContext, PlaceInText
from .model.drafts import Draft, DraftFile
from .model.encoders import TextVectors
from .model.papers import Basis, Candidate, Candidates, author_year
from .model.results import Languages, RankedEntry, SupportingSentence
from .ranking.base import PatchedRanker, Ranker, Ranking
from .ranking.tfidf import TfIdfRanker
from .representations.bags import mixed
from .settings import MIXED_RANKER, Settings
from .text.languages import declared, identified, language_of
from .text.stemming import stemmer
from .text.stop_words import function_words
from .text.tokens import composed, terms, words

# Imported late: the author waits for the first list, which needs no matcher.
if TYPE_CHECKING:
    from .matching.base import SentenceMatcher
    from .matching.fused import FusedMatcher

#: Size of the cache of fitted papers: more than have their sentences shown in one list. A paper of
#: seven thousand words takes three megabytes.
_MAX_FITTED = 10
#: The most inlink citances that are used for a work.
_MAX_CITANCES = 50
#: For a citance with fewer content words than this, the whole context is matched.
_MIN_TERMS = 2
#: The factor for the number of sentences requested when too few have a matched word.
_TIMES_MORE = 4
#: Among how many sentences that support a citance a highlighted one is looked for.
_LOOKED_THROUGH = 50
#: The sample of a draft's prose, and of a work, from which its language is identified.
_SAMPLE_CHARACTERS, _SAMPLE_SENTENCES = 1_000, 12
_MAX_SAMPLES = 64
_ENGLISH = "en"
#: How many of a draft's most frequent words are taken for function words, and in how much prose
#: they are counted. In a German and a French thesis, treated as if there were no list, 50 was best
#: of 25 to 500 by the first five ranks; from 75 on, they include words of the subject.
_COMMONEST = 50
#: Of fewer words, fewer are: the rest are of the subject.
_PER_COMMON = 100
_COUNTED_CHARACTERS = 100_000
#: A sentence in another language shares so many names, numbers and cognates with the draft: one
#: alone ("codes", "multi") is chance as often as not.
_MIN_SHARED = 2


#: What is read of candidates: their keys only, their titles too, or all their texts. The first two
#: are there soon even where there are tens of thousands of candidates.
Extent = Literal["keys", "titles", "texts"]


@dataclass(frozen=True, slots=True)
class RankedFor:
    """The draft that a ranker ranks for; `key_of` resolves its keys."""

    language: str | None = None
    function_words: frozenset[str] = frozenset()
    key_of: Callable[[str], str | None] = lambda _key: None

    @classmethod
    def draft(cls, draft: Draft, key_of: Callable[[str], str | None]) -> RankedFor:
        """Return what is known about a draft; `key_of` resolves keys of its bibliography."""
        return cls(draft_language(draft), function_words_of(draft), key_of)


NO_DRAFT = RankedFor()


class Recommender:
    """Ranks a fixed set of candidates and finds their supporting sentences; thread-safe."""

    def __init__(
        self,
        candidates: Candidates,
        settings: Settings,
        matcher: Callable[[], SentenceMatcher[Any]],
        ranked_for: RankedFor = NO_DRAFT,
        *,
        extent: Extent = "texts",
        patched: PatchedRanker | None = None,
        vectors: TextVectors | None = None,
    ) -> None:
        """Fit a ranker to what `extent` names of the candidates, or use one that is `patched`.

        With `vectors` of texts, it also ranks by meaning.
        """
        self.settings = settings
        self.candidates = candidates
        self.extent = extent
        #: The language of the draft, None if it is not known.
        self.language = ranked_for.language
        self._ranker: Ranker[Any] | PatchedRanker
        if patched is not None:
            self._ranker = patched
        else:
            self._ranker = ranker = _ranker(settings, ranked_for, vectors)
            if extent == "texts":
                ranker.fit(candidates)
            else:
                keys_only = repeat("", len(candidates))
                titles = candidates.titles() if extent == "titles" else keys_only
                ranker.fit_titles(candidates, titles)
        self._vectors = vectors
        self._matcher = matcher
        self._assessor: FusedMatcher | None = None
        #: Fitted papers, by the kind of matcher and the key.
        self._fitted: dict[tuple[type, str], Any] = {}
        self._latest: tuple[Draft, TextOfDraft] | None = None

    def context(self, draft: Draft, file: DraftFile, offset: int) -> CitationContext:
        """Return the citation context of a place in a file of a draft."""
        # A ranker caches the latest context, which must not refer back to it: an outdated ranker
        # would take up memory until the next garbage collection.
        name_of = partial(_name_of, self.candidates)
        context = windows.of_place(file, offset, self.settings.ranking.window, name_of)
        if self.settings.ranking.ranker == MIXED_RANKER:
            return context
        if self._latest is None or self._latest[0] is not draft:
            self._latest = draft, text_of_draft(draft)
        found = self._latest[1]
        return replace(context, place=PlaceInText(found.text, found.place_of(file.path, offset)))

    def patched(
        self, candidates: Candidates, changed: Collection[str], ranked_for: RankedFor
    ) -> Recommender:
        """Return a recommender over later candidates, until all are counted together again."""
        earlier = self._ranker
        assert isinstance(earlier, Ranker), "patches do not add up"
        added = _ranker(self.settings, ranked_for, self._vectors)
        patched = PatchedRanker(earlier, added, candidates, changed)
        given = candidates, self.settings, self._matcher, ranked_for
        return Recommender(*given, extent=self.extent, patched=patched, vectors=self._vectors)

    @property
    def to_encode(self) -> Sequence[str]:
        """The texts by whose vectors it ranks; none without vectors."""
        return self._ranker.described

    def bases(self) -> tuple[tuple[Basis, ...], ...]:
        """Return what is known about each candidate."""
        return self._ranker.bases

    def rank(self, context: CitationContext, beside: Recommender | None = None) -> Ranking:
        """Return all candidates, best first; scores are for one list with another `beside` it."""
        other = None if beside is None else beside._ranker
        other = other.earlier if isinstance(other, PatchedRanker) else other
        return self._ranker.rank(context, other)

    def of_library(
        self, context: CitationContext, entries: Iterable[RankedEntry]
    ) -> list[RankedEntry]:
        """Return entries of the author's library by the probability that the draft cites them."""
        return self._ranker.of_library(context, entries)

    def explain(
        self, context: CitationContext, entries: Sequence[RankedEntry]
    ) -> list[RankedEntry]:
        """Fill in the matched words of some ranked entries."""
        return self._ranker.explain(context, entries)

    def languages(self, key: str) -> Languages | None:
        """Return the languages of the draft and of a candidate if they certainly differ."""
        candidate = self.candidates.get(key)
        if candidate is None or self.language is None:
            return None
        theirs = _language_of(candidate)
        return None if theirs in (None, self.language) else (self.language, theirs)

    def supporting(
        self, context: CitationContext, key: str, number: int | None = None
    ) -> list[SupportingSentence]:
        """Return the sentences of a candidate that support a citation.

        Those that the author highlighted come first, then the most relevant; at most `number`, and
        none if nothing supports it.
        """
        from .matching.fused import FusedMatcher
        from .matching.highlights import highlighted
        from .matching.vectors import WordVectors

        candidate = self.candidates.get(key)
        if candidate is None or not candidate.paper.sentences:
            return []
        number = MAX_SENTENCES if number is None else max(0, number)
        asked = context.asked or context.citance
        # A citance of only names and years has no content; the text around it may have some.
        if len(terms(words(asked))) < _MIN_TERMS:
            asked = " ".join(context.words)
        matcher = self._matcher()
        texts, marks = [one.text for one in candidate.paper.sentences], candidate.paper.highlights
        marked = highlighted(texts, marks) if marks else {}
        # What the author highlighted is looked for further down.
        wanted = max(number, _LOOKED_THROUGH if marked else MAX_ASSESSED)
        found = self._matched(matcher, asked, candidate, wanted)
        if not isinstance(matcher, FusedMatcher):
            # The same measure of strength for all matchers.
            self._assessor = matcher = self._assessor or FusedMatcher(WordVectors.packaged())
            known = matcher.probabilities(asked, self._fit(matcher, candidate))
            found = [replace(one, probability=known.get(one.position, 0.0)) for one in found]
        telling = [one for one in found if self._is_telling(one, candidate)]
        best = shown(telling, wanted, marked)
        found = sorted(best, key=lambda one: one.position not in marked)[:number]
        return [_printed(one, candidate, marked.get(one.position)) for one in found]

    def _is_telling(self, sentence: SupportingSentence, candidate: Candidate) -> bool:
        """Return whether a sentence shares enough, if it is in another language than the draft."""
        # Most sentences share enough, so that no language has to be identified.
        function = function_words(self.language) | function_words(_ENGLISH)
        matched = {span.of(sentence.text).lower() for span in sentence.matched}
        shared = {stemmer(_ENGLISH)(word) for word in matched - function if len(word) > 1}
        return len(shared) >= _MIN_SHARED or self.languages(candidate.key) is None

    def _matched(
        self, matcher: SentenceMatcher[Any], text: str, candidate: Candidate, number: int
    ) -> list[SupportingSentence]:
        """Return the best sentences with a matched word; one that a paper repeats, once."""
        fitted, asked = self._fit(matcher, candidate), number
        while True:
            check()
            found = matcher.match(text, fitted, asked)
            # Sentences that were lost from the index and cannot be read again are empty.
            marked = (sentence for sentence in found if sentence.text and sentence.matched)
            once: dict[str, SupportingSentence] = {}
            for sentence in marked:
                once.setdefault(" ".join(sentence.text.casefold().split()), sentence)
            if len(once) >= number or len(found) < asked:
                return list(once.values())[:number]
            asked *= _TIMES_MORE

    def _fit(self, matcher: SentenceMatcher[Any], candidate: Candidate) -> Any:  # noqa: ANN401 - as the matcher made it
        from .matching.fused import FusedMatcher

        key = (type(matcher), candidate.key)
        fitted = self._fitted.get(key)
        if fitted is None:
            fitted = matcher.fit(candidate.paper)
            if isinstance(matcher, FusedMatcher):
                known = (context.citance for context in candidate.inlink_contexts)
                fitted = matcher.cited_by(fitted, list(islice(filter(None, known), _MAX_CITANCES)))
                if self.languages(candidate.key) is not None:
                    fitted = matcher.in_other_language(fitted)
            self._fitted[key] = fitted
            for oldest in tuple(self._fitted)[:-_MAX_FITTED]:
                self._fitted.pop(oldest, None)
        return fitted


def _name_of(candidates: Candidates, key: str) -> str:
    """Return the names of a work's authors, "" if unknown."""
    candidate = candidates.get(key)
    entry = candidate.entry if candidate is not None else None
    return author_year(entry.surnames, "") if entry is not None else ""


def _printed(
    sentence: SupportingSentence, candidate: Candidate, marked: tuple[str, str] | None
) -> SupportingSentence:
    """Return a sentence with its page as counted by the entry's page range, and its highlight."""
    if marked is not None:
        comment, annotation = marked
        sentence = replace(sentence, highlighted=True, comment=comment, annotation=annotation)
    if sentence.page is None or candidate.entry is None:
        return sentence
    label, count = sentence.page_label, candidate.paper.page_count
    pages = candidate.entry.fields.get("pages", "")
    return replace(sentence, page_label=printed_page(label, sentence.page, count, pages))


def _ranker(settings: Settings, ranked_for: RankedFor, vectors: TextVectors | None) -> Ranker[Any]:
    if settings.ranking.ranker == MIXED_RANKER:
        return TfIdfRanker(mixed(settings.ranking), ranked_for.function_words)
    from .ranking.learned import LearnedRanker, packaged

    # The encoder reads English; in other languages it costs more than it gives.
    vectors = vectors if ranked_for.language in (None, _ENGLISH) else None
    model = packaged(with_meaning=vectors is not None)
    known = ranked_for.language, ranked_for.function_words, ranked_for.key_of
    return LearnedRanker(model, *known, vectors)


def declared_language(draft: Draft) -> str | None:
    """Return the main language that a draft declares; None if it declares none that is known."""
    stated = [code for name in draft.languages if (code := declared(name))]
    return stated[-1] if stated else None


def draft_language(draft: Draft) -> str | None:
    """Return the language that most of a draft is in, else the declared one; None if uncertain."""
    return language_of(tuple(_samples(draft)), declared_language(draft))


def _samples(draft: Draft) -> Iterator[str]:
    """Yield samples of all of a draft, few of which an edit moves: parts are in other languages."""
    proses = [file.prose for file in draft.all_files]
    begins = list(accumulate((prose.length for prose in proses), initial=0))
    length = begins[-1]
    step = _SAMPLE_CHARACTERS
    while step * _MAX_SAMPLES < length:
        step *= 2
    # The first pages, such as title page and abstract, are not typical of a short draft.
    start = 0 if length > 2 * step else max(0, min(length // 2, length - step))
    for at in range(start, length, step):
        end = at + _SAMPLE_CHARACTERS
        pieces = (
            prose.text[max(at - begin, 0) : end - begin]
            for prose, begin in zip(proses, begins, strict=False)
            if begin < end and at < begin + prose.length
        )
        yield " ".join(" ".join(pieces).split())


def function_words_of(draft: Draft) -> frozenset[str]:
    """Return the function words of a draft's language; without a list, its most frequent words."""
    language = draft_language(draft)
    listed = function_words(language)
    if listed or language is None:
        return listed
    prose = "\n".join(file.prose.text for file in draft.files)[:_COUNTED_CHARACTERS]
    counts = Counter(composed(word).lower() for word in words(prose))
    number = min(_COMMONEST, counts.total() // _PER_COMMON)
    return frozenset(word for word, _ in counts.most_common(number))


def _language_of(candidate: Candidate) -> str | None:
    """Return the language of a work: declared by its entry, else identified from its text."""
    if candidate.entry is not None:
        for name in ("langid", "language", "hyphenation"):
            if code := declared(candidate.entry.fields.get(name, "")):
                return code
    paper = candidate.paper
    sample = " ".join(sentence.text for sentence in paper.sentences[:_SAMPLE_SENTENCES])
    return identified(sample or paper.abstract or paper.title)

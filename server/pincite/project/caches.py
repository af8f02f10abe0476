"""What was computed from the files, by their content; shared by all states of a project."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from .. import extensions
from ..cancellation import READING
from ..library.fallback_texts import FallbackTexts, TextSource
from ..library.index import PaperIndex
from ..library.library import Library, Linked
from ..model.fetched import fetched_path
from ..model.papers import BibEntry
from ..model.problems import InputError, Problem
from ..parsing.bibliographies import parse_bibliography
from ..parsing.disk import Disk
from ..parsing.encoding import read_text
from ..parsing.paths import file_stamp
from ..settings import ENCODING_RANKER, MatchingSettings
from ..zotero.libraries import ZoteroLibraries
from .bibliographies import Bibliographies
from .disk import WorkspaceDisk

if TYPE_CHECKING:
    from ..library.text_vectors import StoredVectors
    from ..matching.base import SentenceMatcher

_T = TypeVar("_T")
#: A workspace may be somebody's home.
_MAX_TEXT_SOURCES = 500


class Caches:
    """What was computed from the files, by their content; shared by all states of a project."""

    def __init__(self, index: PaperIndex | None = None, disk: Disk | None = None) -> None:
        """Read files on `disk`, and cache the papers in an `index`, in memory by default."""
        self.index = PaperIndex.in_memory() if index is None else index
        self.disk = WorkspaceDisk() if disk is None else disk
        self.zotero = ZoteroLibraries()
        self.bibliographies = Bibliographies(self.disk)
        #: The main file of each part, by workspace and part, None where none was found; and when it
        #: was searched for.
        self.roots: dict[tuple[Path, Path], tuple[Path | None, float]] = {}
        #: Those whose main files have not been searched for to the end.
        self.unsearched: set[tuple[Path, Path]] = set()
        #: By their folders.
        self.libraries: dict[tuple[object, ...], Library] = {}
        #: The papers of a draft's library when its inlinks were last found, by main file.
        self.linked: dict[Path, Linked] = {}
        #: By main file, with the state of all files that it was found in.
        self.fallbacks: dict[Path, tuple[object, FallbackTexts]] = {}
        #: The works around a draft (`around`), by main file, with the state that they are of.
        self.around: dict[Path, tuple[object, Any]] = {}
        self._matchers: dict[MatchingSettings, ChosenMatcher] = {}
        self._vectors: StoredVectors | None = None
        self.vector_problems: list[Problem] = []

    def matcher(self, settings: MatchingSettings) -> ChosenMatcher:
        """Return what makes the matcher that settings name."""
        return self._matchers.setdefault(settings, ChosenMatcher(settings))

    def vectors(self) -> StoredVectors | None:
        """Return the vectors of texts; None if no encoder is installed."""
        with READING:
            if self._vectors is None and not self.vector_problems:
                from ..library.text_vectors import StoredVectors

                asked = f"the ranker {ENCODING_RANKER}"
                try:
                    encoder = extensions.load("encoders", extensions.ENCODERS, asked)()
                    self._vectors = StoredVectors(encoder, self.index)
                except InputError as error:
                    self.vector_problems.append(Problem(None, None, str(error)))
        return self._vectors

    def forget(self, paths: Collection[Path]) -> None:
        """Read some files again, even where time and size do not show that they changed."""
        self.bibliographies.forget(paths)
        self.check_libraries(paths)
        # The main file of a part may exist now.
        for key, (root, _) in tuple(self.roots.items()):
            if root is None:
                self.roots.pop(key, None)
        # Last: from now on there are projects of the new state.
        self.disk.forget(paths)

    def forget_draft(self, root: Path) -> None:
        """Release what is known about a draft that is no longer needed."""
        self.bibliographies.forget_draft(root)
        self.linked.pop(root, None)
        self.fallbacks.pop(root, None)
        self.around.pop(root, None)

    def check_libraries(self, near: Collection[Path] | None = None) -> bool:
        """Drop libraries whose folders, `near` files, have changed; return whether any."""
        holding = None if near is None else {folder for path in near for folder in path.parents}
        changed = [
            key
            for key, library in tuple(self.libraries.items())
            if any(
                (holding is None or folder in holding) and file_stamp(folder) != stamp
                for folder, stamp in library.folders
            )
        ]
        for key in changed:
            self.libraries.pop(key, None)
        return bool(changed)

    def text_sources(
        self, others: Iterable[Path], open_texts: Mapping[Path, str], *, zotero: bool
    ) -> Iterator[TextSource]:
        """Yield bibliographies with fallback texts: `others`, those of Zotero, what was fetched."""
        of_zotero = self.zotero.bibliographies() if zotero else ()
        fetched = () if self.index.path is None else (fetched_path(self.index.path),)

        def digest(path: Path) -> str:
            if (text := open_texts.get(path)) is None:
                return self.index.digest(path)
            return blake2b(text.encode("utf-8", "replace"), digest_size=20).hexdigest()

        def read(path: Path) -> Sequence[BibEntry]:
            # Not cached, unlike the draft's own: most are never used.
            text = open_texts.get(path)
            found = parse_bibliography(read_text(path) if text is None else text, path)
            return tuple(found.entries.values())

        for path in (*islice(others, _MAX_TEXT_SOURCES), *of_zotero, *fetched):
            with suppress(OSError):
                yield TextSource(path, digest(path), partial(read, path))


class ChosenMatcher:
    """Makes the sentence matcher of the settings once: it may fill the memory."""

    def __init__(self, settings: MatchingSettings) -> None:
        self.problems: list[Problem] = []
        #: The setting that names something unavailable, its value, and the reason.
        self.wrong: list[tuple[str, str, str]] = []
        self._settings = settings
        self._matcher: SentenceMatcher[Any] | None = None

    def __call__(self) -> SentenceMatcher[Any]:
        """Return the matcher."""
        if self._matcher is None:
            with READING:
                self._matcher = self._matcher or self._made()
        return self._matcher

    def _made(self) -> SentenceMatcher[Any]:
        from ..matching.asymmetric import AsymmetricMatcher
        from ..matching.fused import FusedMatcher
        from ..matching.vectors import WordVectors

        settings, failed = self._settings, list[tuple[str, str, str]]()

        def loaded(load: Callable[[], _T], setting: str = "", value: str = "") -> _T | None:
            try:
                return load()
            except InputError as error:
                failed.append((setting, value, str(error)))
                return None

        def named() -> SentenceMatcher[Any]:
            make = extensions.load("matchers", extensions.MATCHERS, f"the system {settings.system}")
            matcher: SentenceMatcher[Any] = make(settings, vectors)
            return matcher

        path = settings.vectors
        own = loaded(lambda: WordVectors.load(path), "vectors", str(path)) if path else None
        vectors = own or loaded(WordVectors.packaged) or WordVectors.empty()
        chosen = loaded(named, "system", settings.system) if settings.needs_research else None
        # If the packaged model is damaged, use the matcher of its strongest evidence.
        matcher = chosen or loaded(lambda: FusedMatcher(vectors)) or AsymmetricMatcher(vectors)
        self.problems = [Problem(None, None, message) for _, _, message in failed]
        self.wrong = [each for each in failed if each[0]]
        return matcher

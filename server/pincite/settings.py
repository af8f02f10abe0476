"""All defaults of Pincite; the values of the papers unless a comment says otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal


@dataclass(frozen=True, slots=True)
class Window:
    """The number of words of context on each side of a citation."""

    left: int = 20
    right: int = 20


#: The window of inlink contexts stored in the index; rankings use a smaller one.
STORED_WINDOW = Window(40, 40)


#: The rankers, the default first.
RANKER_NAMES = ("learned", "learned-encoder", "mixed")
DEFAULT_RANKER, ENCODING_RANKER, MIXED_RANKER = RANKER_NAMES


@dataclass(frozen=True, slots=True)
class RankingSettings:
    """The ranker, and the values of Duma and Klein (2014), Table 1.

    They are 20 words of inlink context and passages of 350 words. Windows and passages are for
    `mixed`; the learned ranker uses several of each at once.
    """

    #: One of `RANKER_NAMES`.
    ranker: str = DEFAULT_RANKER
    window: Window = Window(20, 20)
    inlink_window: Window = Window(20, 20)
    passage_words: int = 350

    @property
    def encodes(self) -> bool:
        """Return whether entries are ranked by meaning, too."""
        return self.ranker == ENCODING_RANKER


#: The systems that find supporting sentences, the default first; the package `pincite_evaluation`
#: makes all others.
SYSTEM_NAMES = tuple(
    """
    fused fused-alone fused-encoder asymmetric asymmetric-d1 asymmetric-reverse
    asymmetric-reverse-d1 asymmetric-dot asymmetric-greedy asymmetric-uniform
    asymmetric-uniform-nostop asymmetric-trained asymmetric-markers asymmetric-unk symmetric
    bm25-2field bm25-3field bm25-2field-boosted bm25-2field-sum bm25-3field-sum bm25 tfidf
    neal bm25-rerank sbert sbert-wce sbert-wce-d citret asymmetric-contextual
    asymmetric-contextual-d1 asymmetric-contextual-uniform
    """.split()
)
DEFAULT_SYSTEM = SYSTEM_NAMES[0]


@dataclass(frozen=True, slots=True)
class MatchingSettings:
    """The system that finds supporting sentences."""

    #: One of `SYSTEM_NAMES`; those other than the default are loaded only if named here.
    system: str = DEFAULT_SYSTEM
    #: A model made by ``pincite vectors train``; None is the packaged one.
    vectors: Path | None = None
    #: A model made by ``pincite train``, for a system that needs one.
    model: Path | None = None

    @property
    def needs_research(self) -> bool:
        """Return whether the matcher comes from the package `pincite_evaluation`."""
        return self.system != DEFAULT_SYSTEM or self.model is not None


@dataclass(frozen=True, slots=True)
class LibrarySettings:
    """Where to search for full texts and inlink contexts, in addition to `file` fields."""

    folders: tuple[Path, ...] = ()
    #: Folders beside the draft or a bibliography that are used as libraries by default.
    folder_names: tuple[str, ...] = ("papers", "pdfs", "literature")
    #: Base folders for paths in `file` fields, in addition to the bibliography's folder.
    base_folders: tuple[Path, ...] = ()
    #: Folders of the author's earlier papers, whose citations provide inlink contexts.
    draft_folders: tuple[Path, ...] = ()
    #: The least recently used papers of a larger index are evicted.
    index_megabytes: int = 2048


#: Whether the author's Zotero on this computer is read, where there is one.
Zotero = Literal["auto", "off"]
#: Whether the author may be asked to have metadata fetched from the network; never by itself.
Enrich = Literal["ask", "off"]
#: An e-mail address that can stand in a header of a request.
EMAIL = re.compile(r"[!-'*-;=?A-~]+@[!-'*-;=?A-~]+")

#: "auto" means on unless an installed peer provides the same feature.
Switch = Literal["auto", "on", "off"]
#: What a row of the completion list begins with.
Label = Literal["key", "author-year"]


#: Other servers and extensions: the markup that each serves, and our features that it provides
#: besides completing keys and showing a reference where one is pointed at.
PEERS: Mapping[str, tuple[str, frozenset[str]]] = {
    "texlab": (
        "latex",
        frozenset(("definition", "references", "rename", "diagnostics", "workspace_symbols")),
    ),
    "latex-workshop": ("latex", frozenset(("definition",))),
    "digestif": ("latex", frozenset(("definition", "references", "workspace_symbols"))),
    "quarto": ("markdown", frozenset()),
    "pandoc-citer": ("markdown", frozenset(("definition",))),
    "tinymist": ("typst", frozenset(("definition",))),
}


@dataclass(frozen=True, slots=True)
class EditorSettings:
    """Features of the language server other than completion, hover and code actions."""

    definition: Switch = "auto"
    references: Switch = "auto"
    rename: Switch = "auto"
    workspace_symbols: Switch = "auto"
    document_highlight: Switch = "auto"
    document_links: Switch = "auto"
    inlay_hints: Switch = "off"
    #: Many editors also match typed letters against the label, for which keys are safe.
    label: Label = "key"
    #: Undefined and repeated keys, placeholders, broken entries.
    diagnostics: Switch = "auto"
    #: Heuristic diagnostics: citations with weak support, and sentences that probably need a
    #: citation.
    weak_support: bool = False
    missing_citations: bool = False
    #: Entries that no draft cites, as faint hints in their bibliography.
    unused_entries: bool = False
    #: What is wrong with entries, by answers of services that are cached.
    wrong_references: bool = False
    #: Which of `PEERS` serve the same documents; only the client knows.
    peers: frozenset[str] = frozenset()

    def has_peer(self, markup: str) -> bool:
        """Return whether a peer serves drafts in a markup."""
        return any(served == markup for served, _ in self._peers())

    def does(self, feature: str, markup: str) -> bool:
        """Return whether a feature, the name of a switch here, is on in drafts in a markup."""
        switch: Switch = getattr(self, feature)
        by_peers = any(
            served == markup and feature in provided for served, provided in self._peers()
        )
        return switch == "on" or (switch == "auto" and not by_peers)

    def _peers(self) -> Iterator[tuple[str, frozenset[str]]]:
        return (PEERS[name] for name in self.peers if name in PEERS)


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of one workspace."""

    ranking: RankingSettings = field(default_factory=RankingSettings)
    matching: MatchingSettings = field(default_factory=MatchingSettings)
    library: LibrarySettings = field(default_factory=LibrarySettings)
    editor: EditorSettings = field(default_factory=EditorSettings)
    #: Bibliographies of every draft, in addition to those it names.
    bibliographies: tuple[Path, ...] = ()
    #: Off unless asked for: an evaluation must not depend on whose computer it is.
    zotero: Zotero = "off"
    #: Only the server's requests look at it.
    enrich: Enrich = "ask"
    #: Whether a client may search services by words that the author has seen; as `enrich`, only
    #: the server's requests look at it.
    search_literature: bool = False
    #: The CSV file of the Retraction Watch Database.
    retractions: Path | None = None
    #: Contact e-mail for services that ask for one; empty to send none.
    email: str = ""
    #: The author's whole library: its entries are suggested after the draft's own.
    global_bibliographies: tuple[Path, ...] = ()

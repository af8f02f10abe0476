"""Every default of Pincite in one place; the papers' values unless a comment says otherwise."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal


@dataclass(frozen=True, slots=True)
class Window:
    """How many words of context are taken on each side of a citation."""

    left: int = 20
    right: int = 20


#: The inlink contexts that are kept in the index; rankings use the inner part of them.
KEPT_WINDOW = Window(40, 40)


#: What can rank entries, the default first.
RANKER_NAMES = ("learned", "mixed")
DEFAULT_RANKER = RANKER_NAMES[0]


@dataclass(frozen=True, slots=True)
class RankingSettings:
    """What ranks, and Duma and Klein (2014), Table 1: inlink context 20, passages of 350 words.

    The windows and passages are those of `mixed`; the learned ranker looks at several at once.
    """

    #: One of `RANKER_NAMES`.
    ranker: str = DEFAULT_RANKER
    window: Window = Window(20, 20)
    inlink_window: Window = Window(20, 20)
    passage_words: int = 350


#: What can find supporting sentences (`baselines.systems`), the default first.
SYSTEM_NAMES = (
    "fused",
    "fused-alone",
    "fused-encoder",
    "asymmetric",
    "asymmetric-d1",
    "asymmetric-reverse",
    "asymmetric-reverse-d1",
    "asymmetric-dot",
    "asymmetric-greedy",
    "asymmetric-uniform",
    "asymmetric-uniform-nostop",
    "asymmetric-trained",
    "asymmetric-markers",
    "asymmetric-unk",
    "symmetric",
    "bm25-2field",
    "bm25-3field",
    "bm25-2field-boosted",
    "bm25-2field-sum",
    "bm25-3field-sum",
    "bm25",
    "tfidf",
    "neal",
    "bm25-rerank",
    "sbert",
    "sbert-wce",
    "sbert-wce-d",
    "citret",
    "asymmetric-contextual",
    "asymmetric-contextual-d1",
    "asymmetric-contextual-uniform",
)
DEFAULT_SYSTEM = SYSTEM_NAMES[0]


@dataclass(frozen=True, slots=True)
class MatchingSettings:
    """The system that finds supporting sentences."""

    #: One of `SYSTEM_NAMES`; all but the default are loaded only when named here.
    system: str = DEFAULT_SYSTEM
    #: A model made by ``pincite vectors train``; None is the packaged one.
    vectors: Path | None = None
    #: A model made by ``pincite train``, for a system that needs one.
    model: Path | None = None


@dataclass(frozen=True, slots=True)
class LibrarySettings:
    """Where full texts and inlink contexts are looked for, besides what `file` fields name."""

    folders: tuple[Path, ...] = ()
    #: Folders beside the draft or a bibliography that are libraries without being named.
    folder_names: tuple[str, ...] = ("papers", "pdfs", "literature")
    #: Where the paths of `file` fields may start, besides the bibliography's folder.
    base_folders: tuple[Path, ...] = ()
    #: The author's earlier papers, whose citations lend their contexts.
    draft_folders: tuple[Path, ...] = ()
    #: Of a larger index, what was used longest ago is forgotten.
    index_megabytes: int = 2048


#: "auto" is on unless an installed peer does the same.
Switch = Literal["auto", "on", "off"]
#: What a row of the list begins with.
Label = Literal["key", "author-year"]
LABELS: tuple[Label, ...] = ("key", "author-year")
#: Other LaTeX servers and extensions, with what of ours they do themselves.
PEERS = {
    "texlab": frozenset(("definition", "references", "rename", "diagnostics", "workspace_symbols")),
    "latex-workshop": frozenset(("definition",)),
    "digestif": frozenset(("definition", "references", "workspace_symbols")),
}


@dataclass(frozen=True, slots=True)
class EditorSettings:
    """What the language server does beside completion, hover and code actions."""

    definition: Switch = "auto"
    references: Switch = "auto"
    rename: Switch = "auto"
    workspace_symbols: Switch = "auto"
    document_highlight: Switch = "auto"
    document_links: Switch = "auto"
    inlay_hints: Switch = "off"
    #: In many editors a label is also what typed letters are compared with; keys are safe there.
    label: Label = "key"
    #: Undefined and repeated keys, placeholders, broken entries.
    diagnostics: Switch = "auto"
    #: Diagnostics that are opinions: a citation whose sentences support it weakly, and a sentence
    #: that probably needs a citation.
    weak_support: bool = False
    missing_citations: bool = False
    #: Entries that no draft cites, as faint hints in their bibliography.
    unused_entries: bool = False
    #: Which of `PEERS` serve the same documents; only the client knows.
    peers: frozenset[str] = frozenset()

    def does(self, feature: str) -> bool:
        """Return whether a feature, the name of a switch here, is on."""
        switch: Switch = getattr(self, feature)
        by_peers = any(feature in PEERS.get(peer, ()) for peer in self.peers)
        return switch == "on" or (switch == "auto" and not by_peers)


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of one workspace."""

    ranking: RankingSettings = field(default_factory=RankingSettings)
    matching: MatchingSettings = field(default_factory=MatchingSettings)
    library: LibrarySettings = field(default_factory=LibrarySettings)
    editor: EditorSettings = field(default_factory=EditorSettings)
    #: Bibliographies of every draft, besides those it names.
    bibliographies: tuple[Path, ...] = ()
    #: The author's whole library: its entries are suggested after the draft's own.
    global_bibliographies: tuple[Path, ...] = ()

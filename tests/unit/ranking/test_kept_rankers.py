"""Rankers on the disk: found again as they were, or not at all."""

import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from pincite.library.index import PaperIndex
from pincite.library.library import Library
from pincite.model.contexts import CitationContext
from pincite.model.drafts import BibliographySource, Draft
from pincite.model.papers import Candidate, Candidates, InlinkContext, ReferencePaper
from pincite.project.rankings import kept_rankers
from pincite.project.workspace import Workspace
from pincite.ranking.kept import KeptRankers, Name
from pincite.recommend import MIXED, Recommender, fit
from pincite.representations.fields import TEXT_FIELDS, EntryFields
from pincite.representations.tfidf import TfIdfSpace
from pincite.settings import RankingSettings, Settings

KEYS = ("trees", "Größe", "nothing")
CANDIDATES = Candidates.of(
    [
        Candidate(
            "trees",
            ReferencePaper("Trees of grammar", "title"),
            inlink_contexts=(InlinkContext("other.tex", ("parsing",), ("grammar",)),),
        ),
        Candidate("Größe", ReferencePaper("Die Größe der Bäume", "abstract")),
        Candidate("nothing", ReferencePaper("", "title")),
    ]
)
NAME = Name("bibliography", "additions")
CONTEXT = CitationContext(("the", "grammar", "of"), ("Bäume", "and", "trees"))


@pytest.fixture(name="rankers")
def rankers_in_a_folder(tmp_path):
    return KeptRankers(tmp_path / "cache" / "rankings")


SETTINGS = {
    "mixed": Settings(ranking=RankingSettings(ranker=MIXED)),
    "learned": Settings(ranking=RankingSettings(ranker="learned")),
}
_FITTED = {kind: fit(CANDIDATES, settings) for kind, settings in SETTINGS.items()}


@pytest.fixture(name="kind", params=SETTINGS)
def kind_of_ranker(request):
    return request.param


@pytest.fixture(name="fitted")
def fitted_candidates(kind):
    return _FITTED[kind]


def ranked(fitted):
    settings = SETTINGS["mixed" if isinstance(fitted.index, TfIdfSpace) else "learned"]
    recommender = Recommender(CANDIDATES, settings, lambda: None, fitted)
    return recommender.explain(CONTEXT, recommender.rank(CONTEXT))


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def test_what_was_kept_ranks_as_what_was_fitted(rankers, fitted):
    assert rankers.get(NAME, KEYS) is None
    assert rankers.put(NAME, fitted)
    assert ranked(rankers.get(NAME, KEYS)) == ranked(fitted)
    assert [entry.key for entry in ranked(fitted)] == ["trees", "Größe", "nothing"]


def test_what_is_kept_is_of_the_kind_that_was_fitted(rankers, fitted, kind):
    rankers.put(NAME, fitted)
    expected = {"mixed": TfIdfSpace, "learned": EntryFields}[kind]
    assert type(fitted.index) is expected
    assert type(rankers.get(NAME, KEYS).index) is expected
    assert type(rankers.newest("bibliography", KEYS).index) is expected


def test_only_the_same_bibliography_finds_it(rankers, fitted):
    rankers.put(NAME, fitted)
    assert rankers.get(replace(NAME, additions="other"), KEYS) is None
    assert rankers.newest("other", KEYS) is None
    assert rankers.newest("biblio", KEYS) is None
    assert ranked(rankers.newest("bibliography", KEYS)) == ranked(fitted)


def test_other_keys_are_another_bibliography(rankers, fitted):
    for keys in (("Größe", "trees", "nothing"), KEYS[:2], (*KEYS, "more")):
        rankers.put(NAME, fitted, owner=keys)
        assert rankers.get(NAME, keys) is None


def arrays(*names):
    return tuple(f"{name}.npy" for name in names)


def parts(names, ends):
    return arrays(*(f"{name}_{end}" for name in names for end in ends))


VOCABULARY = ("text_starts", "numbers")
COLUMNS = ("starts", "rows", "counts")
COMMON = (
    *("manifest.json", "keys.txt", "terms.txt"),
    *arrays("by_key", "bases", "present"),
    *parts(["terms"], VOCABULARY),
)
FILES = {
    "mixed": (
        *COMMON,
        *arrays("norms", "sizes"),
        *parts(["inside", "outside"], COLUMNS),
    ),
    "learned": (
        *COMMON,
        *("names.txt", "papers.txt", "initials.txt"),
        *parts(["names", "papers"], VOCABULARY),
        *arrays("mixed_norms", "years", "kinds", "first_authors", "has_abstract", "has_full_text"),
        *parts(
            [
                *("titles", "authors", "citing", "acronyms", "key_words"),
                *("by_author", "by_first_author", "by_acronym", "by_key_word"),
            ],
            ("starts", "values"),
        ),
        *parts(TEXT_FIELDS, (*COLUMNS, "first", "lengths", "norms")),
    ),
}
ALL_FILES = [(kind, name) for kind, names in FILES.items() for name in names]


@pytest.fixture(name="_unsynced")
def files_that_need_not_outlast_a_failure_of_power(monkeypatch):
    monkeypatch.setattr("pincite.ranking.kept._on_disk", lambda _path: None)


@pytest.mark.usefixtures("_unsynced")
@pytest.mark.parametrize("damage", ["cut", "empty", "changed", "gone", "folder"])
@pytest.mark.parametrize(("kind", "name"), ALL_FILES)
def test_a_damaged_file_is_no_ranker_and_makes_room_for_one(rankers, fitted, name, damage):
    rankers.put(NAME, fitted)
    file = rankers.folder / str(NAME) / name
    content = file.read_bytes()
    file.unlink()
    if damage == "folder":
        file.mkdir()
    elif damage != "gone":
        middle = len(content) // 2
        changed = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
        file.write_bytes({"cut": content[:-1], "empty": b"", "changed": changed}[damage])
    assert rankers.get(NAME, KEYS) is None
    assert rankers.put(NAME, fitted, owner="again")
    assert ranked(rankers.get(NAME, KEYS)) == ranked(fitted)


_RANKS_WHAT_IS_DAMAGED = """
import sys
from test_kept_rankers import KEYS, NAME, KeptRankers, Path, fit, CANDIDATES, SETTINGS, ranked
rankers = KeptRankers(Path(sys.argv[1]))
fitted = fit(CANDIDATES, SETTINGS[sys.argv[2]])
rankers.put(NAME, fitted)
loaded = rankers.get(NAME, KEYS)
for path in (rankers.folder / str(NAME)).iterdir():
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.write(bytes(size)) if sys.argv[3] == "overwritten" else file.truncate(0)
assert ranked(loaded) == ranked(fitted)
"""


@pytest.mark.parametrize("damage", ["truncated", "overwritten"])
def test_a_loaded_ranker_does_not_change_with_its_files(kind, tmp_path, damage):
    # A mapped file that is truncated ends the process.
    arguments = [str(tmp_path / "rankings"), kind, damage]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, (Path(__file__).parent, *sys.path))),
    }
    code = [sys.executable, "-c", _RANKS_WHAT_IS_DAMAGED, *arguments]
    done = subprocess.run(code, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_what_cannot_be_opened_now_is_not_removed(rankers, fitted):
    resource = pytest.importorskip("resource", reason="no limit of open files here")
    rankers.put(NAME, fitted)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with open(os.devnull) as lowest:  # noqa: PTH123
        resource.setrlimit(resource.RLIMIT_NOFILE, (lowest.fileno() + 1, hard))
        try:
            assert rankers.get(NAME, KEYS) is None
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert ranked(rankers.get(NAME, KEYS)) == ranked(fitted)


def test_every_file_is_tried(rankers, fitted, kind):
    rankers.put(NAME, fitted)
    assert names_in(rankers.folder / str(NAME)) == sorted(FILES[kind])


@pytest.mark.parametrize("manifest", ["[]", "{}", "null", '{"checksums": {}, "bases": 1}'])
def test_a_manifest_of_another_kind_is_no_ranker(rankers, fitted, manifest):
    rankers.put(NAME, fitted)
    (rankers.folder / str(NAME) / "manifest.json").write_text(manifest)
    assert rankers.get(NAME, KEYS) is None


def test_those_used_longest_ago_go_first(rankers, fitted):
    names = [Name("bibliography", f"library{number}") for number in range(8)]
    for age, name in enumerate(names):
        rankers.put(name, fitted, owner=name)
        used = time.time() - 1000 + age
        os.utime(rankers.folder / str(name) / "manifest.json", (used, used))
    assert rankers.get(names[0], KEYS) is not None  # used just now
    rankers.put(NAME, fitted, owner=NAME)
    kept = [name for name in (*names, NAME) if (rankers.folder / str(name)).exists()]
    assert kept == [names[0], *names[2:], NAME]


def test_what_others_did_not_finish_goes_in_the_end(rankers, fitted):
    for name, age in (("unfinished-new", 60), ("unfinished-old", 24 * 60 * 60)):
        folder = rankers.folder / name
        folder.mkdir(parents=True)
        os.utime(folder, (time.time() - age,) * 2)
    rankers.put(NAME, fitted)
    assert names_in(rankers.folder) == [str(NAME), "unfinished-new"]
    assert rankers.number() == 1
    rankers.clear()
    assert names_in(rankers.folder) == []


def test_an_owner_has_its_rankers_written_seldom(rankers, fitted):
    assert rankers.put(NAME, fitted, owner="thesis")
    later = Name("edited", "additions")
    assert not rankers.put(later, fitted, owner="thesis")
    assert rankers.put(later, fitted, owner="paper")


def test_where_nothing_can_be_written_is_told_once(tmp_path, fitted):
    (tmp_path / "rankings").write_text("A file is in the way.")
    rankers = KeptRankers(tmp_path / "rankings")
    for _ in range(2):
        assert not rankers.put(NAME, fitted)
        assert rankers.get(NAME, KEYS) is None
    assert len(rankers.problems) == 1
    assert str(rankers.problems[0]).endswith(
        "rankings: rankings cannot be kept for the next start: File exists"
    )
    assert (rankers.number(), rankers.size()) == (0, 0)


# Of a whole workspace

ENTRIES = 2_001


@pytest.fixture(name="home")
def folder_of_a_large_bibliography(tmp_path, monkeypatch):
    monkeypatch.setenv("PINCITE_CACHE", str(tmp_path / "cache"))
    home = tmp_path / "thesis"
    home.mkdir()
    write_bibliography(home)
    return home


def write_bibliography(home, about="Grammars of trees"):
    entries = (f"@misc{{k{n:04}, title = {{Paper {n}}}}}\n" for n in range(1, ENTRIES))
    (home / "refs.bib").write_text(f"@misc{{k0000, title = {{{about}}}}}\n{''.join(entries)}")


def opened(home, settings=None, texts=None):
    index = PaperIndex()
    draft = Draft(home / "main.tex", home / "main.tex", ())
    draft = replace(draft, bibliographies=(BibliographySource(home / "refs.bib"),))
    return Workspace(home, settings, index, texts), draft, kept_rankers(index)


def kept_after(home, **options):
    """Return how many rankers are kept after one was asked for."""
    workspace, draft, rankers = opened(home, **options)
    workspace.read_library(draft)
    workspace.recommender(draft, keep=True)
    return rankers.number()


def test_the_next_workspace_finds_the_ranker(home):
    workspace, draft, _ = opened(home)
    assert workspace.kept_recommender(draft) is None
    fitted = workspace.recommender(draft, keep=True)
    workspace, draft, rankers = opened(home)
    found = workspace.kept_recommender(draft)
    context = CitationContext(("grammars",), ("of", "trees"))
    assert [entry.score for entry in found.rank(context)] == [
        entry.score for entry in fitted.rank(context)
    ]
    assert found.rank(context)[0].key == "k0000"
    assert found.candidates["k0000"].paper.title == "Grammars of trees"
    assert kept_after(home) == rankers.number() == 1


def test_another_bibliography_or_setting_is_not_ranked_with_it(home):
    assert kept_after(home) == 1
    others = (RankingSettings(ranker=MIXED), RankingSettings(ranker=MIXED, passage_words=100))
    for number, other in enumerate(others, 2):
        settings = Settings(ranking=other)
        workspace, draft, _ = opened(home, settings)
        assert workspace.kept_recommender(draft) is None
        assert kept_after(home, settings=settings) == number
    write_bibliography(home, "Something else")
    workspace, draft, _ = opened(home)
    assert workspace.kept_recommender(draft) is None
    assert kept_after(home) == 4


def test_another_library_is_ranked_with_it_at_first_only(home):
    assert kept_after(home) == 1
    (home / "papers").mkdir()
    (home / "papers" / "k0001.txt").write_text("Zygotes are here. They are many.")
    workspace, draft, _ = opened(home)
    zygotes = CitationContext(("zygotes",), ())
    assert workspace.kept_recommender(draft).rank(zygotes)[0].score == 0.0
    assert kept_after(home) == 2
    assert workspace.kept_recommender(draft).rank(zygotes)[0].key == "k0001"
    (home / "papers" / "k0001.txt").write_text("Nothing is here. It is much.")
    assert kept_after(home) == 3
    assert kept_after(home) == 3


def test_the_order_in_which_papers_are_known_does_not_matter(home, monkeypatch):
    (home / "papers").mkdir()
    for number in (9, 2, 5):
        text = f"Zygotes number {number} are here. They are many."
        (home / "papers" / f"k{number:04}.txt").write_text(text)
    assert kept_after(home) == 1
    linked = Library.linked
    monkeypatch.setattr(Library, "linked", lambda library: reversed(tuple(linked(library))))
    assert kept_after(home) == 1


def test_what_another_draft_says_is_part_of_it(home):
    assert kept_after(home) == 1
    other = (
        "\\documentclass{article}\\begin{document}Zygotes \\cite{k0001} are.\\bibliography{refs}"
        "\\end{document}"
    )
    (home / "other.tex").write_text(other)
    assert kept_after(home) == 2
    (home / "other.tex").write_text(other.replace("Zygotes", "Embryos"))
    assert kept_after(home) == 3
    assert kept_after(home) == 3


def test_a_bibliography_that_is_edited_is_not_kept(home):
    path = home / "refs.bib"
    text = path.read_text("utf-8")
    edited = text.replace("Grammars of trees", "Grammars of bees")
    assert kept_after(home, texts={path: edited}) == 0
    assert kept_after(home, texts={path: text}) == 1
    workspace, draft, _ = opened(home, texts={path: edited})
    assert workspace.kept_recommender(draft) is None
    workspace, draft, _ = opened(home, texts={path: text})
    assert workspace.kept_recommender(draft) is not None


def test_what_is_fitted_at_once_is_not_kept(home):
    (home / "refs.bib").write_text("@misc{one, title = {One}}")
    assert kept_after(home) == 0


def test_an_index_in_memory_keeps_nothing(home, tmp_path):
    draft = Draft(home / "main.tex", home / "main.tex", ())
    draft = replace(draft, bibliographies=(BibliographySource(home / "refs.bib"),))
    workspace = Workspace(home)
    assert len(workspace.recommender(draft, keep=True).candidates) == ENTRIES
    assert workspace.kept_recommender(draft) is None
    assert not (tmp_path / "cache").exists()


def test_a_folder_that_cannot_be_made_is_a_problem_of_the_workspace(home, tmp_path):
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "rankings").write_text("A file is in the way.")
    workspace, draft, _ = opened(home)
    assert len(workspace.recommender(draft, keep=True).candidates) == ENTRIES
    assert "rankings cannot be kept" in str(workspace.problems[-1])


RANKING = """
import sys
from pathlib import Path
from pincite.library.index import PaperIndex
from pincite.model.contexts import CitationContext
from pincite.project.workspace import Workspace

home = Path(sys.argv[1])
workspace = Workspace(home, index=PaperIndex())
draft = workspace.without_text(home / "main.tex", [home / "refs.bib"])
print("ready", flush=True)
sys.stdin.readline()
ranking = workspace.recommender(draft, keep=True).rank(CitationContext(("grammars",), ()))
print(ranking[0].key)
"""


def test_processes_that_keep_the_same_at_once_agree(home):
    command = [sys.executable, "-c", RANKING, str(home)]
    pipe = subprocess.PIPE
    others = [subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) for _ in range(3)]
    for other in others:
        assert other.stdout.readline() == "ready\n"
    for other in others:
        other.stdin.write("\n")
        other.stdin.flush()
    assert [other.communicate(timeout=60)[0] for other in others] == ["k0000\n"] * 3
    assert len(names_in(Path(os.environ["PINCITE_CACHE"], "rankings"))) == 1
    assert kept_after(home) == 1

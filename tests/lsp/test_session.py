"""The session that requests use: what it answers while texts change."""

import gc
import os
import shutil
import threading
import time
import weakref
from functools import partial
from itertools import count
from math import inf

import pytest

from editing import Editing, wait_until_built
from pincite.library.index import default_index_path
from pincite.lsp import session
from pincite.lsp.features import completion, requests
from pincite.lsp.features.evidence import hover
from pincite.lsp.features.library import health
from pincite.model.fetched import fetched_path
from pincite.model.spans import TextSpan
from pincite.project import builder, workspace
from pincite.settings import (
    EditorSettings,
    LibrarySettings,
    RankingSettings,
    Settings,
)
from pincite.zotero import libraries
from protocol_client import eventually
from zotero_library import ZoteroLibrary

HEAD = "\\documentclass{article}\n\\begin{document}\n"
TAIL = "\n\\bibliography{refs}\n\\end{document}\n"
BIB = """
@article{harris1954, author={Harris, Zellig}, title={Distributional structure}, year=1954}
@article{firth1957, author={Firth, J. R.}, title={A synopsis of linguistic theory}, year=1957}
"""
PAPER = "Words that stand in like contexts have like meanings. Frogs have nothing to do with it.\n"


LIKE = f"{HEAD}Like contexts have like meanings \\cite{{|}}{TAIL}"
FULL_TEXT = "By its full text"


class Writer(Editing):
    """An author who types, and whose files change on disk."""

    def __init__(self, folder):
        super().__init__(folder, f"%! main.tex\n{HEAD}A frog \\cite{{}}.{TAIL}%! refs.bib\n{BIB}")

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        later = time.time_ns() + 2_000_000_000
        os.utime(path, ns=(later, later))
        # As a client that watches files.
        self.session.changed_on_disk([path])

    def close(self, name):
        self.documents.close(self.uri(name))

    def type(self, marked, feature=completion.complete, name="main.tex"):
        """Type a text with a bar in it, and ask there."""
        before, after = marked.split("|")
        self.open(name, before + after)
        try:
            return feature(self.here(name), len(before))
        finally:
            self.session.look()

    def suggested(self, marked=f"{HEAD}Words \\cite{{|}}{TAIL}", name="main.tex"):
        found = self.type(marked, name=name)
        return None if found is None else {item.label for item in found.items}

    def rests_on(self, key, marked=LIKE):
        """Return the documentation of an entry in the list."""
        (item,) = (item for item in self.type(marked).items if item.label == key)
        return completion.resolve(self.project, item).documentation

    def hovered(self, marked):
        return self.type(marked, hover).contents.value

    def indexed(self, name="main.tex"):
        return wait_until_built(self.session, self.folder / name)

    def settled(self, *place):
        """Ask at a place, and wait until the papers are read."""
        self.suggested(*place)
        assert self.indexed()

    def builds(self):
        """Count the builds that were begun, by their progress reports."""
        begun = []

        def report(draft, reading):
            if reading.read == 0 and not reading.ended:
                begun.append(draft)

        self.session.report = report
        return begun

    def held(self):
        """Let no paper be read until the second event; the first one is set when that begins."""
        is_reading, may_read = threading.Event(), threading.Event()

        def report(_draft, _reading):
            is_reading.set()
            may_read.wait(20)

        self.session.report = report
        return is_reading, may_read

    def blocked(self):
        """Let nothing be done in the background until what is returned is set."""
        block = threading.Event()
        self.session.background.do("block", lambda: block.wait(20))
        return block


@pytest.fixture(name="writer")
def writer_in_a_folder(tmp_path):
    writer = Writer(tmp_path)
    yield writer
    writer.session.stop()


def test_an_entry_typed_into_the_bibliography_is_suggested_at_once(writer):
    writer.settled()
    writer.open("refs.bib", BIB + "@misc{typed, title={Words of mine}}\n")
    assert writer.suggested() == {"harris1954", "firth1957", "typed"}
    writer.open("refs.bib", BIB.replace("firth1957", "firth"))
    assert writer.suggested() == {"harris1954", "firth"}
    writer.close("refs.bib")
    assert writer.suggested() == {"harris1954", "firth1957"}


@pytest.fixture(name="large")
def writer_with_a_large_bibliography(writer, monkeypatch):
    monkeypatch.setenv("PINCITE_CACHE", str(writer.folder / "cache"))
    others = "".join(f"@misc{{a{n:04}, title={{Paper {n}}}}}\n" for n in range(2_001))
    writer.write("refs.bib", BIB + others)
    return writer


def test_a_large_bibliography_is_ranked_before_its_papers_are_read(large):
    large.write("papers/harris1954.txt", PAPER)
    is_reading, may_read = large.held()
    marked = f"{HEAD}A synopsis of linguistic theory \\cite{{|}}{TAIL}"
    assert large.type(marked).items[0].label == "firth1957"
    assert is_reading.wait(20)
    assert large.type(marked).items[0].label == "firth1957"
    known = requests.status(large.project, large.folder / "main.tex")
    assert (known["state"], known["reading"]) == ("reading", {"read": 0, "papers": 1})
    assert "\n\nShares: " in large.rests_on("firth1957", marked)
    may_read.set()
    assert large.indexed()
    assert large.type(LIKE).items[0].label == "harris1954"


def test_while_a_bibliography_is_edited_the_others_keep_their_full_text(writer):
    writer.write("papers/harris1954.txt", PAPER * 3)
    writer.settled()
    block = writer.blocked()
    writer.open("refs.bib", BIB + "@misc{typed, title={Contexts of frogs}}\n")
    found = writer.type(LIKE)
    assert [item.label for item in found.items][:2] in (["harris1954", "typed"], ["typed", "harris1954"])  # fmt: skip
    assert "By its full text; shares: like" in writer.rests_on("harris1954")
    assert "\n\nShares: contexts" in writer.rests_on("typed")
    block.set()


def test_a_set_has_what_its_members_contain_now(writer):
    both = "@set{both, entryset={harris1954, firth1957}}\n"
    writer.write("refs.bib", BIB + both)
    writer.settled()
    block = writer.blocked()
    writer.open("refs.bib", BIB.replace("Distributional structure", "Contexts of frogs") + both)
    marked = f"{HEAD}Frogs in contexts \\cite{{|}}{TAIL}"
    assert {item.label for item in writer.type(marked).items[:2]} == {"both", "harris1954"}
    assert "Shares: contexts, frogs" in writer.rests_on("both", marked)
    block.set()


def test_the_library_view_does_not_wait_for_papers(writer):
    writer.write("papers/harris1954.txt", PAPER)
    block = writer.blocked()
    writer.suggested()
    found = health(writer.here(), ())
    assert (found["complete"], len(found["entries"])) == (False, 2)
    assert not any(entry["problems"] for entry in found["entries"])
    block.set()
    assert writer.indexed()
    found = health(writer.here(), ())
    assert found["complete"]
    assert any(entry["problems"] for entry in found["entries"])


def test_an_unreadable_bibliography_leaves_the_list_empty(writer):
    (writer.folder / "refs.bib").write_bytes(b"\0\xff\xfe" * 9)
    assert writer.suggested() == set()


@pytest.mark.parametrize("bibliography", ["\\bibliography{refs}", "\\begin{thebibliography}{9}\\bibitem{one} A. One\n\\end{thebibliography}"])  # fmt: skip
def test_papers_are_read_once_while_nothing_changes(writer, bibliography):
    begun = writer.builds()
    text = f"{HEAD}Words \\cite{{|}}\n{bibliography}\n\\end{{document}}"
    for _ in range(3):
        writer.type(text)
        assert writer.indexed()
    assert len(begun) == 1
    # White space and the order of entries are no change, either.
    writer.open("refs.bib", "\n\n% a comment\n" + "\n".join(reversed(BIB.strip().split("\n"))))
    writer.type(text)
    assert writer.indexed()
    assert len(begun) == 1


def test_what_is_made_of_a_draft_is_no_reason_but_papers_drafts_and_bibliographies_are(writer):
    writer.write("papers/harris1954.txt", PAPER)
    writer.settled()
    begun, folder = writer.builds(), writer.folder

    def changed(*names):
        writer.session.changed_on_disk([folder / name for name in names])
        writer.settled()
        return len(begun)

    made = ("main.run.xml", "main-blx.bib", "mainNotes.bib", "build/main.pdf", "out/main.run.xml")
    assert changed("main.tex", "main.pdf", *made) == 0
    assert changed("papers/main.pdf") == 1
    assert changed("other/main.tex") == 2
    assert changed("main2.pdf") == 3
    assert changed("zotero.bib") == 4


STATED = "\\documentclass{article}\n\\usepackage[ngerman]{babel}\n\\begin{document}\n"
GERMAN = "Die Methode der finiten Elemente wird in dieser Arbeit für die Berechnung verwendet. " * 9


def test_a_language_that_is_half_typed_is_no_reason_to_read_papers_again(writer):
    begun = writer.builds()
    for typed in ("", "n", "ng", "ngerm"):
        babel = f"\\documentclass{{article}}\n\\usepackage[{typed}]{{babel}}\n\\begin{{document}}\n"
        writer.settled(f"{babel}\\cite{{|}}{TAIL}")
    assert len(begun) == 1


@pytest.mark.parametrize("later", [f"{HEAD}{GERMAN}", f"{STATED}Ein Satz."])
def test_a_draft_is_ranked_in_the_language_that_it_is_written_in_by_now(writer, later):
    writer.settled(f"{HEAD}\\cite{{|}}{TAIL}")

    def language():
        return writer.project.open_draft(writer.folder / "main.tex").recommender.language

    assert language() != "de"
    writer.settled(f"{later} \\cite{{|}}{TAIL}")
    assert language() == "de"


def test_drafts_of_which_no_document_is_open_are_forgotten_but_for_some(writer):
    writer.settled()
    recommenders = []
    for number in range(6):
        folder = f"draft-{number}"
        writer.write(f"{folder}/refs.bib", BIB)
        writer.write(f"{folder}/main.tex", HEAD + "A frog \\cite{}." + TAIL)
        writer.suggested(name=f"{folder}/main.tex")
        assert writer.indexed(f"{folder}/main.tex")
        opened = writer.project.open_draft(writer.folder / folder / "main.tex")
        recommenders.append(weakref.ref(opened.recommender))
        del opened
        writer.close(f"{folder}/main.tex")
    writer.suggested()
    gc.collect()
    alive = [number for number, recommender in enumerate(recommenders) if recommender() is not None]
    assert alive == [2, 3, 4, 5]
    assert "firth1957" in writer.suggested(name="draft-0/main.tex")
    assert writer.indexed("draft-0/main.tex")


def test_the_bibliographies_of_drafts_that_were_only_read_are_followed_for_some_time(writer):
    writer.settled()
    for number in range(110):
        writer.write(f"draft-{number}/refs.bib", BIB)
        writer.write(f"draft-{number}/main.tex", HEAD + "A frog \\cite{}." + TAIL)
        assert writer.project.read_draft(writer.folder / f"draft-{number}/main.tex") is not None
    followed = {path.parent.name for path in writer.session.draft_bibliographies()}
    # That of the open draft, and of those read last.
    assert followed == {writer.folder.name, *(f"draft-{number}" for number in range(10, 110))}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("main.tex", f"{HEAD}A frog \\cite{{harris1954}}.{TAIL}"),
        ("main.qmd", "---\nbibliography: refs.bib\n---\n\nA frog [@harris1954].\n"),
        ("main.typ", 'A frog @harris1954.\n#bibliography("refs.bib")\n'),
    ],
)
def test_an_earlier_state_of_a_draft_is_freed_without_a_collection(writer, name, text):
    gc.disable()  # It runs seldom in the server, and a long draft is large.
    try:
        workspaces = []
        for typed in ("A frog", "A toad", "A newt"):
            writer.open(name, text.replace("A frog", typed))
            opened = writer.project.open_draft(writer.folder / name)
            workspaces.append(weakref.ref(opened.workspace))
            del opened
        # A build that is under way has the state that it began with.
        assert writer.session.background.wait(60)
        assert [workspace() is None for workspace in workspaces] == [True, True, False]
    finally:
        gc.enable()


def test_a_new_paper_is_read_for_drafts_with_an_open_document(writer):
    writer.write("papers/firth1957.txt", PAPER)
    writer.settled()
    begun = writer.builds()
    writer.close("main.tex")
    (writer.folder / "papers" / "harris1954.txt").write_text(PAPER)
    writer.session.look_now()
    # What was queued by then is done.
    writer.session.background.wait(60)
    assert begun == []
    goes_on = writer.blocked()
    assert FULL_TEXT not in writer.rests_on("harris1954")
    goes_on.set()
    assert writer.indexed()
    assert begun == ["main.tex"]
    assert FULL_TEXT in writer.rests_on("harris1954")


def test_a_paper_that_is_reported_is_read_though_its_folder_is_new(writer):
    writer.session._look_after = inf
    writer.settled()
    writer.write("papers/harris1954.txt", PAPER)
    assert writer.indexed()
    assert FULL_TEXT in writer.rests_on("harris1954")


def test_what_was_fetched_is_used_and_papers_are_read_once_for_it(writer, monkeypatch):
    writer.session._look_after = inf
    monkeypatch.setenv("PINCITE_CACHE", str(writer.folder / "cache"))
    begun, look = writer.builds(), writer.session.look_now
    fetched = fetched_path(default_index_path())
    fetched.parent.mkdir(parents=True)
    text = BIB.replace("year", "abstract={A word is known by its company.}, year")

    def has_abstract():
        shown = "· abstract" in writer.rests_on("firth1957")
        assert writer.indexed()
        return shown

    look()
    assert not has_abstract()
    fetched.write_text(text)  # by another process
    look()
    has_abstract()
    assert has_abstract()
    assert len(begun) == 2
    fetched.write_text(text.replace("known", "said to be known"))
    writer.session.changed_on_disk([fetched])  # by this one
    has_abstract()
    look()
    assert has_abstract()
    assert len(begun) == 3


def test_a_library_that_never_rests_does_not_keep_the_papers_from_being_read(writer):
    writer.write("papers/harris1954.txt", PAPER)
    for number in range(6):
        writer.write(f"papers/new-{number}.txt", PAPER)
        writer.suggested()
    writer.session.background.wait(60)
    assert FULL_TEXT in writer.rests_on("harris1954")


def test_a_paper_that_no_client_reports_is_found_in_the_background(writer, monkeypatch):
    monkeypatch.setattr(session, "_LOOK_SECONDS", 0.01)
    monkeypatch.setattr(session, "_LOOK_SHARE", 1.0)
    writer.write("papers/firth1957.txt", PAPER)
    writer.settled()
    (writer.folder / "papers" / "harris1954.txt").write_text(PAPER)
    eventually(lambda: FULL_TEXT in writer.rests_on("harris1954"), "the paper is read")


def test_no_request_looks_at_the_disk(writer, monkeypatch):
    writer.session._look_after = inf
    writer.write("papers/harris1954.txt", PAPER)
    writer.write("part.tex", "Like words have like contexts.")
    text = f"{HEAD}\\input{{part}} Words %s \\cite{{|}}{TAIL}"
    writer.settled(text % "of")
    looked = []
    for name in ("stat", "scandir", "listdir", "open"):
        look = getattr(os, name)
        monkeypatch.setattr(
            os, name, lambda path, *a, _look=look, **o: looked.append(path) or _look(path, *a, **o)
        )
    for word in ("mine", "yours"):
        writer.suggested(text % word)
    assert not [path for path in looked if os.fspath(writer.folder) in str(path)]


@pytest.mark.parametrize("what", ["full texts", "first ranking"])
def test_a_draft_that_cannot_be_ranked_is_answered_otherwise(writer, monkeypatch, what):
    monkeypatch.setattr(builder, "MAX_AT_ONCE", 0)
    real = workspace.Workspace.recommender

    def fails(self, *given, full_texts=True, extent="texts"):
        if full_texts == (what == "full texts") and (full_texts or extent == "texts"):
            raise MemoryError
        return real(self, *given, full_texts=full_texts, extent=extent)

    monkeypatch.setattr(workspace.Workspace, "recommender", fails)
    assert writer.suggested() == {"harris1954", "firth1957"}
    assert writer.indexed()
    shown = writer.type(f"{HEAD}Words \\cite{{harris|1954}}{TAIL}", hover)
    assert "still being read" not in shown.contents.value


def test_a_late_request_with_an_older_state_does_not_end_the_reading_of_papers(writer):
    is_reading, may_read = writer.held()
    writer.write("papers/harris1954.txt", PAPER)
    path = writer.folder / "main.tex"
    writer.suggested()
    assert is_reading.wait(20)
    writer.open("refs.bib", BIB + "@misc{typed, title={Words of mine}}\n")
    older = writer.project
    writer.open("refs.bib", BIB + "@misc{typed, title={Words of others}}\n")
    assert not writer.project.open_draft(path).complete
    assert "typed" in older.open_draft(path).bibliography.entries
    may_read.set()
    eventually(
        lambda: requests.status(writer.project, path)["state"] == "ready", "all papers are read"
    )


def test_a_request_is_answered_for_the_text_it_was_made_for(writer):
    text = f"{HEAD}Words \\cite{{ha}} then{TAIL}"
    writer.open("main.tex", text)
    here, end = writer.here(), text.index("ha}") + 2
    # The author goes on typing before the request is worked at.
    writer.open("main.tex", "New line\n" + text.replace("ha}", "harris}"))
    (item,) = completion.complete(here, end).items
    assert item.label == "harris1954"
    assert here.lines.span(item.text_edit.range) == TextSpan(end - 2, end)


def test_a_document_outside_of_every_folder_is_a_draft_of_its_own(writer, tmp_path_factory):
    writer.session.folders = (tmp_path_factory.mktemp("workspace"),)
    assert writer.suggested() == {"harris1954", "firth1957"}


def test_of_several_folders_the_nearest_holds_a_document(writer):
    writer.session.folders = (writer.folder, writer.folder / "thesis")
    writer.write("thesis/refs.bib", "@misc{inner, title={Inner}}")
    assert writer.suggested(name="thesis/main.tex") == {"inner"}
    assert writer.suggested() == {"harris1954", "firth1957"}


def test_a_setting_of_the_editor_forgets_nothing(writer):
    writer.write("papers/harris1954.txt", PAPER)
    begun = writer.builds()
    writer.settled()
    writer.session.settings = Settings(editor=EditorSettings(inlay_hints="on"))
    assert FULL_TEXT in writer.rests_on("harris1954")
    assert writer.indexed()
    assert len(begun) == 1


def test_another_bibliography_in_the_settings_does_not_affect_the_others(writer):
    writer.write("papers/harris1954.txt", PAPER)
    writer.write("more.bib", "@misc{more, title={Frogs}}")
    writer.settled()
    block = writer.blocked()
    writer.session.settings = Settings(bibliographies=(writer.folder / "more.bib",))
    found = writer.type(LIKE)
    assert {item.label for item in found.items} == {"harris1954", "firth1957", "more"}
    assert FULL_TEXT in writer.rests_on("harris1954")
    block.set()


def test_another_library_in_the_settings_is_read(writer, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "harris1954.txt").write_text(PAPER)
    writer.settled()
    for folders in ((elsewhere,), ()):
        writer.session.settings = Settings(library=LibrarySettings(folders=folders))
        assert writer.indexed()
        assert (FULL_TEXT in writer.rests_on("harris1954")) == bool(folders)


def in_two_turns():
    """Return a reader of a draft's papers that reports the first time that some are left."""
    read_library, turns = workspace.Workspace.read_library, count()
    return lambda *args, **options: read_library(*args, **options) and next(turns) > 0


def test_settings_that_change_while_papers_wait_to_be_read_are_those_read_for(
    writer, tmp_path_factory, monkeypatch
):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "paper.txt").write_text(PAPER)
    writer.write("refs.bib", BIB.replace("title={Dist", "file={paper.txt}, title={Dist"))

    def searchable(_recommender):
        if writer.session.settings == Settings():
            library = LibrarySettings(base_folders=(elsewhere,))
            writer.session.settings = Settings(library=library)
            writer.suggested()

    monkeypatch.setattr(workspace.Workspace, "read_library", in_two_turns())
    monkeypatch.setattr(builder, "searchable", searchable)
    writer.settled()
    assert FULL_TEXT in writer.rests_on("harris1954")


def test_a_folder_that_is_removed_is_forgotten_and_the_others_are_not(writer, tmp_path_factory):
    other = Writer(tmp_path_factory.mktemp("other"))
    other.session.stop()
    session, main = writer.session, other.folder / "main.tex"
    session.folders = (writer.folder, other.folder)
    writer.settled()
    assert wait_until_built(session, main)
    begun = writer.builds()
    session.folders = (writer.folder,)
    writer.settled()
    assert begun == []
    assert session.bibliographies() == {writer.folder / "refs.bib"}
    # It is a draft of its own again when it is asked for.
    assert wait_until_built(session, main)
    assert len(begun) == 1


def test_an_author_who_stops_the_reading_of_papers_has_what_is_read_until_something_changes(writer):
    # The index on disk must not know it from another test.
    writer.write("papers/harris1954.txt", PAPER + "Nobody has read this before.\n")
    marked = f"{HEAD}Like contexts have like meanings \\cite{{harris|1954}}{TAIL}"
    block = writer.blocked()
    writer.suggested()
    writer.session.shared.builder.stop_reading()
    block.set()
    assert writer.indexed()
    shown = writer.type(marked, hover)
    assert "meanings" not in shown.contents.value
    assert "still being read" not in shown.contents.value
    writer.write("papers/firth1957.txt", PAPER)
    writer.session.changed_on_disk([writer.folder / "papers" / "firth1957.txt"])
    assert writer.indexed()
    assert "meanings" in writer.hovered(marked)


def test_reading_ends_for_a_draft_that_is_dropped_before_its_next_turn(
    writer, tmp_path_factory, monkeypatch
):
    reports, blocked, goes_on = [], threading.Event(), threading.Event()
    session = writer.session
    session.report = lambda draft, progress: reports.append(progress)
    writer.write("papers/harris1954.txt", PAPER)
    monkeypatch.setattr(workspace.Workspace, "read_library", in_two_turns())

    def block():
        blocked.set()
        goes_on.wait(20)

    monkeypatch.setattr(builder, "searchable", lambda _: session.background.do("block", block))
    writer.suggested()
    assert blocked.wait(60)
    assert not reports[-1].ended
    session.folders = (tmp_path_factory.mktemp("other"),)
    session.project()
    assert reports[-1].ended
    goes_on.set()


def test_requests_while_papers_are_read_and_texts_change(writer):
    """Many threads at once: no exception, and always the draft's own keys."""
    for number in range(40):
        writer.write(f"other-{number}.tex", f"{HEAD}Frogs {number} \\cite{{harris1954}}.{TAIL}")
    failures = []
    text = f"{HEAD}Words \\cite{{}}{TAIL}"
    writer.open("main.tex", text)

    def ask():
        try:
            for _ in range(15):
                found = completion.complete(writer.here(), text.index("{}") + 1)
                assert {"harris1954", "firth1957"} <= {item.label for item in found.items}
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for number in range(15):
        writer.open("refs.bib", BIB + f"@misc{{n{number}, title={{Frog}}}}\n" * (number % 3))
        writer.session.changed_on_disk([writer.folder / f"other-{number}.tex"])
    for thread in threads:
        thread.join()
    assert failures == []


def test_no_request_waits_for_a_walk_or_for_library_folders(tmp_path, monkeypatch):
    from pincite.library import library
    from pincite.project import project as projects

    project, papers = tmp_path / "project", tmp_path / "papers"
    (project / "deep").mkdir(parents=True)
    papers.mkdir()
    (papers / "harris1954.txt").write_text(PAPER)
    writer = Writer(project)
    writer.session.settings = Settings(library=LibrarySettings(folders=(papers,)))
    writer.write(
        "deep/thesis.tex", "\\documentclass{article}\\input{../part}\\bibliography{../refs}"
    )
    writer.write("part.tex", "Words \\cite{}.")
    goes_on = threading.Event()

    listed = library._listed
    monkeypatch.setattr(library, "_listed", lambda tops: goes_on.wait(60) and listed(tops))
    # The folder takes longer to walk than a request waits.
    monkeypatch.setattr(projects, "_PATIENCE_SECONDS", -1.0)
    writer.session.background.do("block", lambda: goes_on.wait(60))
    changed = threading.Event()
    writer.session.on_change = changed.set
    try:
        assert writer.suggested() == {"harris1954", "firth1957"}
        assert not writer.suggested("Words \\cite{|}.", "part.tex")
    finally:
        goes_on.set()
    eventually(
        lambda: writer.suggested("Words \\cite{|}.", "part.tex") == {"harris1954", "firth1957"},
        "its main file is found",
    )
    assert changed.is_set()
    assert writer.indexed()
    assert "Words that stand" in str(writer.rests_on("harris1954"))
    writer.session.stop()


@pytest.mark.parametrize("at_first", ["other works", "no library"])
def test_a_change_in_zotero_arrives_without_a_report(tmp_path, monkeypatch, at_first):
    monkeypatch.setenv("PINCITE_ZOTERO", str(tmp_path / "Zotero"))
    monkeypatch.setattr(libraries, "_LOOK_AGAIN_SECONDS", 0.0)
    monkeypatch.setattr(session, "_LOOK_SECONDS", 0.01)
    monkeypatch.setattr(session, "_LOOK_SHARE", 1.0)
    if at_first == "other works":
        zotero = ZoteroLibrary(tmp_path / "Zotero")
        zotero.work(title="Something else")
        zotero.opened.commit()
    writer = Writer(tmp_path / "draft")
    writer.session.settings = Settings(zotero="auto")
    writer.settled()
    assert "From the abstract" not in writer.rests_on("firth1957")
    if at_first == "no library":
        eventually(lambda: writer.session._of_zotero == {}, "it was looked for")
        zotero = ZoteroLibrary(tmp_path / "Zotero")
    zotero.work(
        title="A synopsis of linguistic theory",
        by=[("Firth", "J. R.")],
        date="1957",
        abstractNote="Like contexts have like meanings, as a word is known by its company.",
    )
    zotero.close()
    eventually(lambda: "From the abstract" in writer.rests_on("firth1957"), "Zotero is read again")
    shutil.rmtree(tmp_path / "Zotero")
    eventually(lambda: "From the abstract" not in writer.rests_on("firth1957"), "it is gone")
    writer.session.stop()


def test_an_answer_from_before_zotero_was_read_is_not_complete(writer, monkeypatch):
    library = writer.project.global_library
    is_read = threading.Event()
    monkeypatch.setattr(library, "is_read", is_read.is_set)
    # It is read right after it was asked for its works.
    monkeypatch.setattr(requests, "zotero_suggestions", lambda *_, **__: is_read.set() or [])
    of_zotero = partial(requests.recommendations, only="zotero")
    marked = f"{HEAD}Words \\cite{{|}}{TAIL}"
    assert not writer.type(marked, of_zotero)["complete"]
    assert writer.type(marked, of_zotero)["complete"]


RANKERS = [("learned", "mixed"), ("mixed", "learned")]


@pytest.mark.parametrize(("before", "after"), RANKERS)
@pytest.mark.parametrize("is_edited", [True, False])
def test_a_request_from_before_another_ranker_was_set_is_answered(writer, before, after, is_edited):
    path = writer.folder / "main.tex"
    writer.open("main.tex", HEAD + "Words \\cite{}." + TAIL)
    writer.session.settings = Settings(ranking=RankingSettings(before))
    older = writer.project
    assert older.read_draft(path) is not None
    writer.session.settings = Settings(ranking=RankingSettings(after))
    if is_edited:
        writer.open("refs.bib", BIB.replace("Distributional", "Linguistic"))
    assert writer.indexed()
    newer = writer.project.open_draft(path)
    for opened, ranker in ((older.open_draft(path), before), (newer, after)):
        assert opened.recommender.settings.ranking.ranker == ranker
        ranked = opened.recommender.rank(opened.context(len(HEAD)))
        assert {entry.key for entry in ranked} == {"harris1954", "firth1957"}

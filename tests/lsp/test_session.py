"""The session behind the requests: what it answers while texts change under it."""

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

from pincite.cancellation import cancelled_by
from pincite.library.index import default_index_path
from pincite.lsp.documents import Documents
from pincite.lsp.features import completion, hover, requests
from pincite.lsp.session import Session
from pincite.model.fetched import fetched_path
from pincite.project import builder, search, session, workspace
from pincite.settings import (
    EditorSettings,
    LibrarySettings,
    MatchingSettings,
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


class Writer:
    """An author with a project: files on disk, and documents in the editor."""

    def __init__(self, folder, in_workspace=True):
        self.folder = folder
        self.documents = Documents()
        self.session = Session(self.documents)
        if in_workspace:
            self.session.folders = (folder,)
        self.write("refs.bib", BIB)
        self.write("main.tex", HEAD + "A frog \\cite{}." + TAIL)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        later = time.time_ns() + 2_000_000_000
        os.utime(path, ns=(later, later))
        # As a client that watches files.
        self.session.changed_on_disk([path])

    def uri(self, name):
        return name if name.startswith("untitled:") else (self.folder / name).as_uri()

    def open(self, name, text):
        self.documents.open(self.uri(name), text)

    def close(self, name):
        self.documents.close(self.uri(name))

    def ask(self, name, marked, feature=completion.complete):
        before, after = marked.split("|")
        self.open(name, before + after)
        return self.request(name, len(before), feature)

    def request(self, name, offset, feature=completion.complete):
        lines = self.documents.now.lines(self.uri(name))
        path = self.documents.now.path(self.uri(name))
        try:
            return feature(self.session.project(), path, lines, lines.position(offset))
        finally:
            self.session.look()

    def suggested(self, marked=f"{HEAD}Words \\cite{{|}}{TAIL}", name="main.tex"):
        found = self.ask(name, marked)
        return None if found is None else {item.label for item in found.items}

    def rests_on(self, key, marked=f"{HEAD}Like contexts have like meanings \\cite{{|}}{TAIL}"):
        """Return what is said of the place of an entry in the list."""
        items = {item.label: item for item in self.ask("main.tex", marked).items}
        item = items[key]
        item.data = dict(item.data)
        return completion.resolve(self.session.project(), item).documentation

    def indexed(self, name="main.tex"):
        return self.session.wait_until_built(self.folder / name, 60)

    def builds(self):
        """Count the builds that were begun, by their progress reports."""
        begun = []

        def report(draft, reading):
            if reading.read == 0 and not reading.ended:
                begun.append(draft)

        self.session.report = report
        return begun


@pytest.fixture(name="writer")
def writer_in_a_folder(tmp_path):
    writer = Writer(tmp_path)
    yield writer
    writer.session.stop()


def test_an_entry_typed_into_the_bibliography_is_suggested_at_once(writer):
    writer.suggested()
    assert writer.indexed()
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
    is_reading, may_read = threading.Event(), threading.Event()

    def report(_draft, _reading):
        is_reading.set()
        may_read.wait(20)

    large.session.report = report
    marked = f"{HEAD}A synopsis of linguistic theory \\cite{{|}}{TAIL}"
    assert large.ask("main.tex", marked).items[0].label == "firth1957"
    assert is_reading.wait(20)
    assert large.ask("main.tex", marked).items[0].label == "firth1957"
    known = requests.status(large.session.project(), large.folder / "main.tex")
    assert (known["state"], known["reading"]) == ("reading", {"read": 0, "papers": 1})
    assert "Ranked by its title" in large.rests_on("firth1957", marked)
    may_read.set()
    assert large.indexed()
    contexts = f"{HEAD}Like contexts have like meanings \\cite{{|}}{TAIL}"
    assert large.ask("main.tex", contexts).items[0].label == "harris1954"


def test_what_ranked_first_is_released(large):
    large.ask("main.tex", f"{HEAD}Words \\cite{{|}}{TAIL}")
    first = weakref.ref(large.session.project().open_draft(large.folder / "main.tex").recommender)
    assert large.indexed()
    gc.collect()
    assert first() is None


def test_while_a_bibliography_is_edited_the_others_keep_their_full_text(writer):
    writer.write("papers/harris1954.txt", PAPER * 3)
    writer.suggested()
    assert writer.indexed()
    block = threading.Event()
    writer.session.background.do("block", lambda: block.wait(20))
    writer.open("refs.bib", BIB + "@misc{typed, title={Contexts of frogs}}\n")
    found = writer.ask("main.tex", f"{HEAD}Like contexts have like meanings \\cite{{|}}{TAIL}")
    assert [item.label for item in found.items][:2] in (["harris1954", "typed"], ["typed", "harris1954"])  # fmt: skip
    assert "Ranked by its full text: matches: like" in writer.rests_on("harris1954")
    assert "Ranked by its title" in writer.rests_on("typed")
    block.set()


def test_a_set_has_what_its_members_say_now(writer):
    both = "@set{both, entryset={harris1954, firth1957}}\n"
    writer.write("refs.bib", BIB + both)
    writer.suggested()
    assert writer.indexed()
    block = threading.Event()
    writer.session.background.do("block", lambda: block.wait(20))
    writer.open("refs.bib", BIB.replace("Distributional structure", "Contexts of frogs") + both)
    found = writer.ask("main.tex", f"{HEAD}Frogs in contexts \\cite{{|}}{TAIL}")
    assert {item.label for item in found.items[:2]} == {"both", "harris1954"}
    assert "matches: " in writer.rests_on("both", f"{HEAD}Frogs in contexts \\cite{{|}}{TAIL}")
    block.set()


@pytest.mark.parametrize(
    "half_typed",
    ["@article{new", "@article{new,\n  title = {Half", "@", '@misc{new, title = "x, year=', "@article{new,\n title={A {b},\n"],
)  # fmt: skip
@pytest.mark.parametrize("place", ["first", "middle", "last"])
def test_a_half_typed_entry_costs_the_others_nothing(writer, half_typed, place):
    first, second = BIB.strip().split("\n")
    lines = {"first": [half_typed, first, second], "middle": [first, half_typed, second], "last": [first, second, half_typed]}[place]  # fmt: skip
    writer.open("refs.bib", "\n".join(lines))
    assert {"harris1954", "firth1957"} <= writer.suggested()


def test_a_bibliography_changed_on_disk_is_read_again(writer):
    writer.suggested()
    writer.write("refs.bib", BIB + "@misc{saved, title={Saved}}\n")
    assert "saved" in writer.suggested()
    (writer.folder / "refs.bib").unlink()
    writer.session.changed_on_disk([writer.folder / "refs.bib"])
    assert writer.suggested() == set()
    writer.write("refs.bib", BIB)
    assert writer.suggested() == {"harris1954", "firth1957"}


def test_a_large_bibliography_is_ranked_by_titles_first(writer, monkeypatch):
    monkeypatch.setattr(builder, "MAX_AT_ONCE", 0)
    writer.write("refs.bib", "@xdata{no, title={x}}\n@comment{nor, this}\n" + BIB)
    found = writer.ask("main.tex", f"{HEAD}Distributional words \\cite{{|}}{TAIL}")
    assert [item.label for item in found.items] == ["harris1954", "firth1957"]
    assert "Distributional structure" in found.items[0].detail
    assert found.is_incomplete
    assert writer.suggested(f"{HEAD}Words \\cite{{HARR|}}{TAIL}") == {"harris1954"}
    # What stands in no key is looked for in what the entries say.
    assert writer.suggested(f"{HEAD}Words \\cite{{zellig|}}{TAIL}") == {"harris1954"}
    assert writer.indexed()
    found = writer.ask("main.tex", f"{HEAD}Distributional words \\cite{{|}}{TAIL}")
    assert [item.label for item in found.items] == ["harris1954", "firth1957"]


def test_the_bibliographies_of_new_settings_are_read(writer):
    writer.suggested()
    assert writer.indexed()
    writer.write("more.bib", "@misc{more, title={Frogs}}")
    writer.session.settings = Settings(bibliographies=(writer.folder / "more.bib",))
    assert writer.suggested() == {"firth1957", "harris1954", "more"}


def test_an_unreadable_bibliography_leaves_the_list_empty(writer):
    (writer.folder / "refs.bib").write_bytes(b"\0\xff\xfe" * 9)
    assert writer.suggested() == set()


@pytest.mark.parametrize("bibliography", ["\\bibliography{refs}", "\\begin{thebibliography}{9}\\bibitem{one} A. One\n\\end{thebibliography}"])  # fmt: skip
def test_papers_are_read_once_while_nothing_changes(writer, bibliography):
    begun = writer.builds()
    text = f"{HEAD}Words \\cite{{|}}\n{bibliography}\n\\end{{document}}"
    for _ in range(3):
        writer.ask("main.tex", text)
        assert writer.indexed()
    assert len(begun) == 1
    # White space and the order of entries are no change, either.
    writer.open("refs.bib", "\n\n% a comment\n" + "\n".join(reversed(BIB.strip().split("\n"))))
    writer.ask("main.tex", text)
    assert writer.indexed()
    assert len(begun) == 1


def test_what_the_author_saves_and_typesets_is_no_reason_to_read_papers_again(writer):
    begun = writer.builds()
    writer.suggested()
    assert writer.indexed()
    folder = writer.folder
    writer.session.changed_on_disk([folder / "main.tex", folder / "main.pdf"])
    writer.suggested()
    assert writer.indexed()
    assert len(begun) == 1
    writer.session.changed_on_disk([folder / "other.tex"])
    writer.suggested()
    assert writer.indexed()
    assert len(begun) == 2


def test_the_pdf_of_a_draft_in_another_markup_is_no_reason_either(writer):
    begun = writer.builds()
    marked = '#bibliography("refs.bib")\nWords @|'
    writer.suggested(marked, "notes.typ")
    assert writer.indexed("notes.typ")
    writer.session.changed_on_disk([writer.folder / "notes.pdf"])
    writer.suggested(marked, "notes.typ")
    assert writer.indexed("notes.typ")
    assert len(begun) == 1


def test_what_is_made_of_a_draft_is_no_reason_but_papers_and_other_drafts_are(writer):
    writer.write("papers/harris1954.txt", PAPER)
    writer.suggested()
    assert writer.indexed()
    begun, folder = writer.builds(), writer.folder

    def changed(*names):
        writer.session.changed_on_disk([folder / name for name in names])
        writer.suggested()
        assert writer.indexed()
        return len(begun)

    made = ("main.run.xml", "main-blx.bib", "mainNotes.bib", "build/main.pdf", "out/main.run.xml")
    assert changed(*made) == 0
    assert changed("papers/main.pdf") == 1
    assert changed("other/main.tex") == 2
    assert changed("main2.pdf") == 3


STATED = "\\documentclass{article}\n\\usepackage[ngerman]{babel}\n\\begin{document}\n"
GERMAN = "Die Methode der finiten Elemente wird in dieser Arbeit für die Berechnung verwendet. " * 9


def test_a_language_that_is_half_typed_is_no_reason_to_read_papers_again(writer):
    begun = writer.builds()
    for typed in ("", "n", "ng", "ngerm"):
        babel = f"\\documentclass{{article}}\n\\usepackage[{typed}]{{babel}}\n\\begin{{document}}\n"
        writer.suggested(f"{babel}\\cite{{|}}{TAIL}")
        assert writer.indexed()
    assert len(begun) == 1


@pytest.mark.parametrize("later", [f"{HEAD}{GERMAN}", f"{STATED}Ein Satz."])
def test_a_draft_is_ranked_in_the_language_that_it_is_written_in_by_now(writer, later):
    writer.suggested(f"{HEAD}\\cite{{|}}{TAIL}")
    assert writer.indexed()

    def language():
        return writer.session.project().open_draft(writer.folder / "main.tex").recommender.language

    assert language() != "de"
    writer.suggested(f"{later} \\cite{{|}}{TAIL}")
    assert writer.indexed()
    assert language() == "de"


def test_drafts_of_which_no_document_is_open_are_forgotten_but_for_some(writer):
    writer.suggested()
    assert writer.indexed()
    recommenders = []
    for number in range(6):
        folder = f"draft-{number}"
        writer.write(f"{folder}/refs.bib", BIB)
        writer.write(f"{folder}/main.tex", HEAD + "A frog \\cite{}." + TAIL)
        writer.suggested(name=f"{folder}/main.tex")
        assert writer.indexed(f"{folder}/main.tex")
        opened = writer.session.project().open_draft(writer.folder / folder / "main.tex")
        recommenders.append(weakref.ref(opened.recommender))
        del opened
        writer.close(f"{folder}/main.tex")
    writer.suggested()
    gc.collect()
    alive = [number for number, recommender in enumerate(recommenders) if recommender() is not None]
    assert alive == [2, 3, 4, 5]
    assert "firth1957" in writer.suggested(name="draft-0/main.tex")
    assert writer.indexed("draft-0/main.tex")


def test_a_new_paper_is_read_for_drafts_with_an_open_document(writer):
    writer.write("papers/firth1957.txt", PAPER)
    writer.suggested()
    assert writer.indexed()
    begun = writer.builds()
    writer.close("main.tex")
    (writer.folder / "papers" / "harris1954.txt").write_text(PAPER)
    writer.session.look_now()
    # What was queued by then is done.
    writer.session.background.wait(60)
    assert begun == []
    goes_on = threading.Event()
    writer.session.background.do("block", lambda: goes_on.wait(20))
    assert "Ranked by its full text" not in writer.rests_on("harris1954")
    goes_on.set()
    assert writer.indexed()
    assert begun == ["main.tex"]
    assert "Ranked by its full text" in writer.rests_on("harris1954")


def test_an_error_in_the_first_ranking_does_not_leave_a_draft_at_reading(writer, monkeypatch):
    from pincite.project.workspace import Workspace

    monkeypatch.setattr(builder, "MAX_AT_ONCE", 0)
    real = Workspace.recommender

    def fails(self, *given, full_texts=True, extent="texts"):
        if not full_texts and extent == "texts":
            raise MemoryError
        return real(self, *given, full_texts=full_texts, extent=extent)

    monkeypatch.setattr(Workspace, "recommender", fails)
    assert writer.suggested() == {"harris1954", "firth1957"}
    assert writer.indexed()


def test_what_typed_letters_are_searched_in_is_made_whatever_happens_to_the_request(writer):
    writer.suggested()
    assert writer.indexed()
    recommender = writer.session.project().open_draft(writer.folder / "main.tex").recommender
    search._SEARCHABLE.pop(recommender, None)
    asked = count()
    with cancelled_by(lambda: next(asked) > 0):
        assert search.searchable(recommender).containing("firth").sum() == 1


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
    assert "Ranked by its full text" in writer.rests_on("harris1954")


def test_a_paper_of_which_no_client_tells_is_found_behind_the_requests(writer, monkeypatch):
    monkeypatch.setattr(session, "_LOOK_SECONDS", 0.01)
    monkeypatch.setattr(session, "_LOOK_SHARE", 1.0)
    writer.write("papers/firth1957.txt", PAPER)
    writer.suggested()
    assert writer.indexed()
    (writer.folder / "papers" / "harris1954.txt").write_text(PAPER)
    eventually(
        lambda: "Ranked by its full text" in writer.rests_on("harris1954"), "the paper is read"
    )


def test_files_of_which_no_client_tells_are_found_behind_the_requests(writer, monkeypatch):
    monkeypatch.setattr(session, "_LOOK_SECONDS", 0.01)
    monkeypatch.setattr(session, "_LOOK_SHARE", 1.0)
    told = []
    writer.session.on_change = lambda: told.append(True)
    bib = writer.folder / "refs.bib"
    assert writer.suggested() == {"harris1954", "firth1957"}
    bib.write_text(BIB + "@misc{saved, title={Saved}}\n")
    eventually(lambda: "saved" in writer.suggested(), "the new entry is suggested")
    bib.unlink()
    eventually(lambda: writer.suggested() == set(), "nothing is left")
    # One that lies where only a look over the workspace finds it.
    (writer.folder / "texmf").mkdir()
    (writer.folder / "texmf" / "refs.bib").write_text(BIB)
    eventually(lambda: writer.suggested() == {"harris1954", "firth1957"}, "it is found")
    assert told


def test_no_request_looks_at_the_disk(writer, monkeypatch):
    writer.session._look_after = inf
    writer.write("papers/harris1954.txt", PAPER)
    writer.write("part.tex", "Like words have like contexts.")
    text = f"{HEAD}\\input{{part}} Words %s \\cite{{|}}{TAIL}"
    writer.suggested(text % "of")
    assert writer.indexed()
    looked = []
    for name in ("stat", "scandir", "listdir", "open"):
        look = getattr(os, name)
        monkeypatch.setattr(
            os, name, lambda path, *a, _look=look, **o: looked.append(path) or _look(path, *a, **o)
        )
    for word in ("mine", "yours"):
        writer.suggested(text % word)
    assert not [path for path in looked if os.fspath(writer.folder) in str(path)]


def test_a_draft_that_cannot_be_indexed_is_answered_from_titles(writer, monkeypatch):
    from pincite.project.workspace import Workspace

    real = Workspace.recommender

    def fails(self, *given, full_texts=True, **options):
        if full_texts:
            raise RecursionError
        return real(self, *given, full_texts=False, **options)

    monkeypatch.setattr(Workspace, "recommender", fails)
    assert writer.suggested() == {"harris1954", "firth1957"}
    assert writer.indexed()
    shown = writer.ask("main.tex", f"{HEAD}Words \\cite{{harris|1954}}{TAIL}", hover.hover)
    assert "still being read" not in shown.contents.value


def test_a_late_request_with_an_older_state_does_not_end_the_reading_of_papers(writer):
    is_reading, may_read = threading.Event(), threading.Event()

    def report(_draft, _reading):
        is_reading.set()
        may_read.wait(20)

    writer.session.report = report
    writer.write("papers/harris1954.txt", PAPER)
    path = writer.folder / "main.tex"
    writer.suggested()
    assert is_reading.wait(20)
    writer.open("refs.bib", BIB + "@misc{typed, title={Words of mine}}\n")
    older = writer.session.project()
    writer.open("refs.bib", BIB + "@misc{typed, title={Words of others}}\n")
    assert not writer.session.project().open_draft(path).complete
    assert "typed" in older.open_draft(path).bibliography.entries
    may_read.set()
    eventually(
        lambda: requests.status(writer.session.project(), path)["state"] == "ready",
        "all papers are read",
    )


def test_a_request_is_answered_for_the_text_it_was_made_for(writer):
    text = f"{HEAD}Words \\cite{{ha}} then{TAIL}"
    writer.open("main.tex", text)
    uri = writer.uri("main.tex")
    lines, snapshot = writer.documents.now.lines(uri), writer.session.project()
    end = text.index("ha}") + 2
    # The author goes on typing before the request is worked at.
    writer.open("main.tex", "New line\n" + text.replace("ha}", "harris}"))
    found = completion.complete(
        snapshot, writer.documents.now.path(uri), lines, lines.position(end)
    )
    assert [item.label for item in found.items] == ["harris1954"]
    assert found.items[0].text_edit.range == lines.range(end - 2, end)


@pytest.mark.parametrize("name", ["refs.bib", "style.sty", "notes.md", "class.cls", "empty.tex"])
def test_any_file_may_be_opened(writer, name):
    writer.ask(name, "@article{a, abstract={\\cite{|}}}")
    writer.ask(name, "|")
    writer.ask(name, "\\cite{har|ris1954}", hover.hover)


def test_line_ends_and_wide_characters(writer):
    for end in ("\r\n", "\r", "\n"):
        text = f"{HEAD}e\u0301 😀\f\u2028 naïve\nWords \\citep[see][p. 3]{{ha|}} 😀{TAIL}"
        text = text.replace("\n", end)
        found = writer.ask("main.tex", text)
        assert [item.label for item in found.items] == ["harris1954"]
        edit = found.items[0].text_edit.range
        assert (edit.start.line, edit.end.character - edit.start.character) == (3, 2)


def test_an_unsaved_document_cites_what_it_brings_along(writer):
    writer.documents.set_home(writer.folder)
    text = f"{HEAD}Words \\cite{{|}}{TAIL}"
    assert writer.suggested(text, "untitled:Untitled-1") == {"harris1954", "firth1957"}
    writer.documents.set_home(None)
    assert writer.suggested(text, "untitled:Untitled-2") is None


def test_a_document_outside_of_every_folder_is_a_draft_of_its_own(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    writer = Writer(tmp_path / "elsewhere", in_workspace=False)
    (tmp_path / "workspace").mkdir()
    writer.session.folders = (tmp_path / "workspace",)
    assert writer.suggested() == {"harris1954", "firth1957"}
    writer.session.stop()


def test_of_several_folders_the_nearest_holds_a_document(writer):
    writer.session.folders = (writer.folder, writer.folder / "thesis")
    writer.write("thesis/refs.bib", "@misc{inner, title={Inner}}")
    assert writer.suggested(name="thesis/main.tex") == {"inner"}
    assert writer.suggested() == {"harris1954", "firth1957"}


def test_another_system_finds_the_sentences_of_a_hover(writer):
    writer.session.settings = Settings(matching=MatchingSettings("bm25-2field"))
    writer.write("papers/harris1954.txt", PAPER)
    writer.suggested()
    assert writer.indexed()
    marked = f"{HEAD}Like words have like contexts \\cite{{har|ris1954}}{TAIL}"
    shown = writer.ask("main.tex", marked, hover.hover)
    assert "contexts" in shown.contents.value
    workspace = writer.session.project().read_draft(writer.folder / "main.tex").workspace
    assert type(workspace.matcher()).__name__ == "Bm25Matcher"


def test_a_setting_of_the_editor_forgets_nothing(writer):
    writer.write("papers/harris1954.txt", PAPER)
    begun = writer.builds()
    writer.suggested()
    assert writer.indexed()
    writer.session.settings = Settings(editor=EditorSettings(inlay_hints="on"))
    assert "Ranked by its full text" in writer.rests_on("harris1954")
    assert writer.indexed()
    assert len(begun) == 1


def test_another_bibliography_in_the_settings_costs_the_others_nothing(writer):
    writer.write("papers/harris1954.txt", PAPER)
    writer.write("more.bib", "@misc{more, title={Frogs}}")
    writer.suggested()
    assert writer.indexed()
    block = threading.Event()
    writer.session.background.do("block", lambda: block.wait(20))
    writer.session.settings = Settings(bibliographies=(writer.folder / "more.bib",))
    found = writer.ask("main.tex", f"{HEAD}Like contexts have like meanings \\cite{{|}}{TAIL}")
    assert {item.label for item in found.items} == {"harris1954", "firth1957", "more"}
    assert "Ranked by its full text" in writer.rests_on("harris1954")
    block.set()


def test_another_library_in_the_settings_is_read(writer, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "harris1954.txt").write_text(PAPER)
    writer.suggested()
    assert writer.indexed()
    for folders in ((elsewhere,), ()):
        writer.session.settings = Settings(library=LibrarySettings(folders=folders))
        assert writer.indexed()
        assert ("Ranked by its full text" in writer.rests_on("harris1954")) == bool(folders)


def in_two_turns():
    """Return what reads the papers of a draft, but says the first time that some are left."""
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
    writer.suggested()
    assert writer.indexed()
    assert "Ranked by its full text" in writer.rests_on("harris1954")


def test_a_folder_that_is_removed_is_forgotten_and_the_others_are_not(writer, tmp_path_factory):
    other = Writer(tmp_path_factory.mktemp("other"))
    other.session.stop()
    session, main = writer.session, other.folder / "main.tex"
    session.folders = (writer.folder, other.folder)
    writer.suggested()
    assert writer.indexed()
    assert session.wait_until_built(main, 60)
    begun = writer.builds()
    session.folders = (writer.folder,)
    writer.suggested()
    assert writer.indexed()
    assert begun == []
    assert session.bibliographies() == {writer.folder / "refs.bib"}
    # It is a draft of its own again when it is asked for.
    assert session.wait_until_built(main, 60)
    assert len(begun) == 1


def test_a_folder_that_is_added_holds_the_documents_in_it(writer):
    writer.session.folders = ()
    writer.write("thesis/part.tex", "Words \\cite{}")
    writer.write("thesis/latexmkrc", "")  # where looking for its main file ends
    writer.write("main.tex", HEAD + "\\input{thesis/part}" + TAIL)
    assert writer.suggested("Words \\cite{|}", "thesis/part.tex") == set()
    writer.session.folders = (writer.folder,)
    found = writer.suggested("Words \\cite{|}", "thesis/part.tex")
    assert found == {"harris1954", "firth1957"}


def test_an_author_who_stops_the_reading_of_papers_has_what_is_read_until_something_changes(writer):
    # The index on disk must not know it from another test.
    writer.write("papers/harris1954.txt", PAPER + "Nobody has read this before.\n")
    marked = f"{HEAD}Like contexts have like meanings \\cite{{harris|1954}}{TAIL}"
    block = threading.Event()
    writer.session.background.do("block", lambda: block.wait(20))
    writer.suggested()
    writer.session.shared.builder.stop_reading()
    block.set()
    assert writer.indexed()
    shown = writer.ask("main.tex", marked, hover.hover)
    assert "meanings" not in shown.contents.value
    assert "still being read" not in shown.contents.value
    writer.write("papers/firth1957.txt", PAPER)
    writer.session.changed_on_disk([writer.folder / "papers" / "firth1957.txt"])
    assert writer.indexed()
    assert "meanings" in writer.ask("main.tex", marked, hover.hover).contents.value


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


def test_drafts_that_come_and_go_meanwhile_do_not_disturb_the_event_loop(writer):
    writer.suggested()
    assert writer.indexed()
    builds = writer.session.shared.builder
    (key,) = builds._builds
    read = writer.session.project().read_draft(writer.folder / "main.tex")

    class Coming:
        """A build that makes another one come while it is looked at."""

        def is_open(self, _documents):
            builds._builds[writer.folder / f"{len(builds._builds)}.tex", ()] = self
            return False

        complete = property(lambda self: self.is_open(()))

    builds._builds[key] = Coming()
    writer.session.shared.builder.stop_reading()
    builds._drop_closed(read)
    # Another thread has dropped it.
    builds._drop(key)
    builds._drop(key)


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
                found = writer.request("main.tex", text.index("{}") + 1)
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


def test_what_another_bibliography_lends_is_shown_and_followed(writer):
    lender = "@article{Firth, author={Firth, J. R.}, title={A synopsis of linguistic theory}, year=1957, abstract={%s}}"
    writer.write("zotero.bib", lender % "A word keeps company.")
    marked = f"{HEAD}Words keep company \\cite{{fir|th1957}}.{TAIL}"

    def shown():
        return writer.ask("main.tex", marked, hover.hover).contents.value

    assert writer.indexed()
    assert ", Abstract in zotero.bib)" in shown()
    writer.write("zotero.bib", lender % "A word has meanings. Words stand in company.")
    writer.session.changed_on_disk([writer.folder / "zotero.bib"])
    assert writer.indexed()
    assert "stand in" in shown()
    # Nothing of it is the author's entry.
    assert "abstract" not in (writer.folder / "refs.bib").read_text()


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

    list_folders = library._list_folders
    monkeypatch.setattr(
        library, "_list_folders", lambda tops: goes_on.wait(60) and list_folders(tops)
    )
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
def test_a_change_in_zotero_arrives_without_being_told(tmp_path, monkeypatch, at_first):
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
    assert "firth1957" in writer.suggested()
    assert writer.indexed()
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
    library = writer.session.project().global_library
    is_read = threading.Event()
    monkeypatch.setattr(library, "is_read", is_read.is_set)
    # It is read right after it was asked for its works.
    monkeypatch.setattr(requests, "zotero_suggestions", lambda *_, **__: is_read.set() or [])
    of_zotero = partial(requests.recommendations, only="zotero")
    marked = f"{HEAD}Words \\cite{{|}}{TAIL}"
    assert not writer.ask("main.tex", marked, of_zotero)["complete"]
    assert writer.ask("main.tex", marked, of_zotero)["complete"]


RANKERS = [("learned", "mixed"), ("mixed", "learned")]


@pytest.mark.parametrize(("before", "after"), RANKERS)
@pytest.mark.parametrize("is_edited", [True, False])
def test_a_request_from_before_another_ranker_was_set_is_answered(writer, before, after, is_edited):
    path = writer.folder / "main.tex"
    writer.open("main.tex", HEAD + "Words \\cite{}." + TAIL)
    writer.session.settings = Settings(ranking=RankingSettings(before))
    older = writer.session.project()
    assert older.read_draft(path) is not None
    writer.session.settings = Settings(ranking=RankingSettings(after))
    if is_edited:
        writer.open("refs.bib", BIB.replace("Distributional", "Linguistic"))
    assert writer.indexed()
    newer = writer.session.project().open_draft(path)
    for opened, ranker in ((older.open_draft(path), before), (newer, after)):
        assert opened.recommender.settings.ranking.ranker == ranker
        ranked = opened.recommender.rank(opened.context(len(HEAD)))
        assert {entry.key for entry in ranked} == {"harris1954", "firth1957"}

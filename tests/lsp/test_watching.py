"""Files that change on disk outside the editor, over the real server.

Issues of other tools that authors complained about are named by the tests.
"""

import os

import pytest

from protocol_client import eventually

HEAD = "\\documentclass{article}\n\\begin{document}\n"
TAIL = "\n\\bibliography{refs}\n\\end{document}\n"
TEXT = f"{HEAD}Words \\cite{{}}.{TAIL}"
ENTRY = "@misc{%s, title={Words}}\n"

#: What clients can do: nothing, watch their folders, or watch any file.
NOTHING = {}
FOLDERS = {"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}}
ANYWHERE = {"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True, "relativePatternSupport": True}}}  # fmt: skip


@pytest.fixture(name="project")
def project_folder(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "refs.bib").write_text(ENTRY % "one")
    return folder


@pytest.fixture(name="outside")
def folder_outside_of_the_workspace(tmp_path):
    folder = tmp_path / "out[side]"
    folder.mkdir()
    (folder / "library.bib").write_text(ENTRY % "two")
    return folder


@pytest.fixture(name="start")
def clients(project, start_in):
    done = {name: lambda _params: None for name in ("client/registerCapability", "client/unregisterCapability")}  # fmt: skip
    return lambda capabilities=NOTHING: start_in(project, capabilities=capabilities, replies=done)


def export(path, *keys):
    """Write a bibliography as Better BibTeX does: into a new file, which is moved to its place."""
    new = path.with_suffix(".bib.tmp")
    new.write_text("".join(ENTRY % key for key in keys))
    new.replace(path)


def sees(client, draft, keys, reported):
    """Wait until what is suggested has followed the disk; at once where the client reports."""
    if reported:
        assert client.labels(draft) == keys
    else:
        eventually(lambda: client.labels(draft) == keys, f"{keys} are suggested")


def in_disguise(path, key):
    """Write another entry so that neither time nor size change."""
    status = path.stat()
    path.write_text(ENTRY % key)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert path.stat().st_size == status.st_size


class Watched:
    """What a client is asked to watch, as it registers and unregisters it."""

    def __init__(self, client):
        self.client = client
        self.patterns = {}
        self.read = 0

    def wait_for(self, *expected):
        """Wait until these are the files that are watched by name."""
        while True:
            for message in self.client.seen[self.read :]:
                self._follow(message.get("method"), message.get("params"))
            self.read = len(self.client.seen)
            if sorted(self.by_name()) == sorted(expected):
                return
            self.client.wait(lambda m: "Capability" in m.get("method", ""))

    def _follow(self, method, params):
        if method == "client/unregisterCapability":
            for gone in params["unregisterations"]:
                del self.patterns[gone["id"]]
        elif method == "client/registerCapability":
            for added in params["registrations"]:
                assert added["id"] not in self.patterns
                watchers = added["registerOptions"]["watchers"]
                self.patterns[added["id"]] = [watcher["globPattern"] for watcher in watchers]

    def by_name(self):
        found = [pattern for patterns in self.patterns.values() for pattern in patterns]
        return [(p["baseUri"], p["pattern"]) for p in found if isinstance(p, dict)]


@pytest.mark.parametrize(
    ("capabilities", "registered"), [(NOTHING, 0), (FOLDERS, 1), (ANYWHERE, 2)]
)
def test_a_client_is_asked_to_watch_what_it_can(start, project, outside, capabilities, registered):
    client, draft = start(capabilities), project / "main.tex"
    client.open(draft, TEXT.replace("{refs}", f"{{refs,{outside}/library}}"))
    assert client.labels(draft) == {"one", "two"}
    client.labels(draft)
    asked = [
        each for sent in client.sent("client/registerCapability") for each in sent["registrations"]
    ]
    assert len(asked) == registered
    for each in asked[:1]:
        assert each["method"] == "workspace/didChangeWatchedFiles"
        (watcher,) = each["registerOptions"]["watchers"]
        assert watcher["globPattern"].startswith("**/*.{bib,tex,")


def test_bibliographies_outside_of_the_workspace_are_watched_while_they_are_used(
    start, project, outside
):
    client, draft = start(ANYWHERE), project / "main.tex"
    watched = Watched(client)
    text = TEXT.replace("{refs}", f"{{refs,{outside}/library}}")
    client.open(draft, text)
    assert client.labels(draft) == {"one", "two"}
    watched.wait_for((outside.as_uri(), "library.bib"))
    (outside / "more[1].bib").write_text(ENTRY % "three")
    client.change(draft, 2, {"text": text.replace("/library", "/more[1]")})
    assert client.labels(draft) == {"one", "three"}
    # Patterns know no escaping: any character will do.
    watched.wait_for((outside.as_uri(), "more?1?.bib"))
    client.change(draft, 3, {"text": TEXT})
    assert client.labels(draft) == {"one"}
    watched.wait_for()


def test_a_symbolic_link_is_watched_at_both_ends_texlab_1278(start, project, outside):
    (project / "refs.bib").unlink()
    (project / "refs.bib").symlink_to(outside / "library.bib")
    client, draft = start(ANYWHERE), project / "main.tex"
    watched = Watched(client)
    client.open(draft, TEXT)
    assert client.labels(draft) == {"two"}
    watched.wait_for((outside.as_uri(), "library.bib"))
    in_disguise(outside / "library.bib", "six")
    client.report_changed(outside / "library.bib")
    assert client.labels(draft) == {"six"}
    # The link leads elsewhere: the client reports the link itself.
    (outside / "other.bib").write_text(ENTRY % "ten")
    (project / "refs.bib").unlink()
    (project / "refs.bib").symlink_to(outside / "other.bib")
    client.report_changed(project / "refs.bib")
    assert client.labels(draft) == {"ten"}
    watched.wait_for((outside.as_uri(), "other.bib"))
    # It is seen without a report, too.
    export(outside / "other.bib", "ten", "three")
    sees(client, draft, {"ten", "three"}, reported=False)


def test_bibliographies_of_the_settings_are_watched_and_links_to_themselves_harmless(
    start, project, outside
):
    (project / "loop.bib").symlink_to(project / "loop.bib")
    client, draft = start(ANYWHERE), project / "main.tex"
    client.configure(bibliographies=[str(project / "loop.bib"), str(outside / "library.bib")])
    Watched(client).wait_for((outside.as_uri(), "library.bib"))
    client.open(draft, TEXT)
    assert client.labels(draft) == {"one", "two"}


@pytest.mark.parametrize("reported", [True, False])
def test_every_export_by_create_and_move_is_seen_latex_workshop_2833(start, project, reported):
    client, draft, bib = start(ANYWHERE if reported else NOTHING), project / "main.tex", project / "refs.bib"  # fmt: skip
    client.open(draft, TEXT)
    assert client.labels(draft) == {"one"}
    for keys in ({"one", "two"}, {"one", "two", "three"}, {"three"}):
        export(bib, *keys)
        if reported:
            client.report_changed(bib, kind=3)
            client.report_changed(bib, kind=1)
        sees(client, draft, keys, reported)
    bib.unlink()
    sees(client, draft, set(), reported=False)
    export(bib, "again")
    sees(client, draft, {"again"}, reported=False)


@pytest.mark.parametrize("reported", [True, False])
def test_what_a_git_pull_brings_is_seen_latex_workshop_782(start, project, reported):
    """Part, preamble and bibliographies of a draft change at once; only a part of it is open."""
    (project / "main.tex").write_text(f"{HEAD}\\input{{preamble}}\\input{{part}}{TAIL}")
    (project / "preamble.tex").write_text("% nothing yet\n")
    (project / "part.tex").write_text("Words \\cite{}")
    client, part = start(ANYWHERE if reported else NOTHING), project / "part.tex"
    client.open(part, "% !TeX root = main.tex\nWords \\cite{}")
    assert client.labels(part, 1) == {"one"}
    pulled = {
        "refs.bib": ENTRY % "one" + ENTRY % "two",
        "preamble.tex": "\\newcommand{\\see}[1]{\\cite{#1}}\n",
        "main.tex": f"{HEAD}\\input{{preamble}}\\input{{part}}{TAIL}".replace("{refs}", "{refs,more}"),
        "more.bib": ENTRY % "three",
    }  # fmt: skip
    for name, text in pulled.items():
        (project / name).write_text(text)
    if reported:
        client.report_changed(*(project / name for name in pulled))
    eventually(lambda: client.labels(part, 1) == {"one", "two", "three"}, "all is seen")
    client.change(part, 2, {"text": "% !TeX root = main.tex\nWords \\see{}"})
    assert client.labels(part, 1, 11) == {"one", "two", "three"}


def test_a_bibliography_that_comes_later_is_found_when_it_is_reported(start, project):
    """It lies where only a look over the workspace finds it, and that was in vain a moment ago."""
    client, draft = start(FOLDERS), project / "main.tex"
    client.open(draft, TEXT.replace("{refs}", "{late}"))
    assert client.labels(draft) is not None
    (project / "texmf").mkdir()
    (project / "texmf" / "late.bib").write_text(ENTRY % "late")
    client.report_changed(project / "texmf" / "late.bib", kind=1)
    assert client.labels(draft) == {"late"}


def test_the_unsaved_text_counts_whatever_is_on_disk(start, project):
    client, draft, bib = start(ANYWHERE), project / "main.tex", project / "refs.bib"
    client.open(draft, TEXT)
    client.open(bib, ENTRY % "unsaved", language="bibtex")
    assert client.labels(draft) == {"unsaved"}
    export(bib, "exported")
    client.report_changed(bib)
    assert client.labels(draft) == {"unsaved"}
    client.did("Close", bib)
    assert client.labels(draft) == {"exported"}

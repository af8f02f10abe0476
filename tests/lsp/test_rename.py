r"""Rename of a key: in every file that names it, or with a reason in none."""

import os
import re
from pathlib import Path

import pytest

from editing import after
from markup import write_project
from pincite.lsp.features import navigation
from pincite.lsp.session import Client as Capabilities
from pincite.model.problems import InputError
from pincite.settings import EditorSettings, Settings

PROJECT = r"""
%! main.tex
\documentclass{article}
\begin{document}
𝔘 \citep[see][p.~old]{other, old} \nocite{old}. % \cite{old}
\include{parts/chapter}
\bibliography{refs,more}
\end{document}
%! parts/chapter.tex
\textcites{old}[old]{old-er}{Old} but not \cite{TODO} \label{old}.
%! talk.tex
\documentclass{beamer}
\begin{document}\footcite{old}\bibliography{refs}\end{document}
%! second.tex
\documentclass{article}
\begin{document}\cite{old}\bibliography{more}\end{document}
%! alone.tex
\documentclass{article}
\begin{document}\cite{old}\bibliography{elsewhere}\end{document}
%! refs.bib
@book{Old, title={old}}
@inbook{part, crossref={old}, related={other,old}, note={old}}
%! more.bib
@misc{old, title={The same key in another file}}
@misc{other, title={Other}}
%! elsewhere.bib
@misc{old, title={Another project}}
"""


def rename(author, name, at, new="new"):
    """Rename the key at the bar and take the edit over; return the files that it changed."""
    edit = author.ask(navigation.rename, at, name, new_name=new)
    if edit is None:
        return None
    changed = set()
    for document in edit.document_changes:
        name = Path(document.text_document.uri.removeprefix("file://"))
        name = name.relative_to(author.folder).as_posix()
        author.texts[name] = after(author.texts[name], document.edits)
        changed.add(name)
    return changed


@pytest.fixture(name="author")
def author_of_a_project(editing):
    return editing(PROJECT)


@pytest.mark.parametrize(
    ("name", "at"),
    [
        ("main.tex", r"other, o|ld}"),
        ("main.tex", r"\nocite{old|}"),
        ("parts/chapter.tex", r"\textcites{|old}"),
        ("talk.tex", r"\footcite{ol|d}"),
        ("refs.bib", r"@book{Ol|d"),
        ("refs.bib", r"crossref={ol|d}"),
    ],
)
def test_a_key_is_renamed_in_all_drafts_that_share_its_bibliography(author, name, at):
    before = dict(author.texts)
    changed = rename(author, name, at, "new2001")
    assert changed == {"main.tex", "parts/chapter.tex", "talk.tex", "second.tex", "refs.bib", "more.bib"}  # fmt: skip
    files = author.texts
    assert (
        r"𝔘 \citep[see][p.~old]{other, new2001} \nocite{new2001}. % \cite{old}" in files["main.tex"]
    )
    assert files["parts/chapter.tex"] == (
        "\\textcites{new2001}[old]{old-er}{new2001} but not \\cite{TODO} \\label{old}.\n"
    )
    assert files["refs.bib"] == (
        "@book{new2001, title={old}}\n"
        "@inbook{part, crossref={new2001}, related={other,new2001}, note={old}}\n"
    )
    assert files["more.bib"].startswith("@misc{new2001, title={The same")
    assert r"\cite{new2001}" in files["second.tex"]
    assert files["alone.tex"] == before["alone.tex"]
    assert files["elsewhere.bib"] == before["elsewhere.bib"]


def test_a_draft_that_was_not_saved_yet_is_renamed_too(author):
    author.texts["new.tex"] = "\\documentclass{article}\\cite{old}\\bibliography{refs}"
    author.open("new.tex")
    author.texts["refs.bib"] += "@misc{typed, crossref={old}}\n"
    author.open("refs.bib")
    rename(author, "main.tex", r"\nocite{o|ld}", "x")
    assert author.texts["new.tex"] == "\\documentclass{article}\\cite{x}\\bibliography{refs}"
    assert author.texts["refs.bib"].endswith("@misc{typed, crossref={x}}\n")


def test_a_key_in_the_draft_itself_is_renamed(editing):
    author = editing(
        r"""
        %! main.tex
        \begin{filecontents}{own.bib}
        @misc{one, title={One}}
        @misc{two, crossref={one}}
        \end{filecontents}
        \documentclass{article}\begin{document}
        \cite{one,item}\bibliography{own}
        \begin{thebibliography}{9}\bibitem[one]{item} one\end{thebibliography}
        \end{document}
        """
    )
    before = author.texts["main.tex"]
    assert rename(author, "main.tex", r"@misc{o|ne", "uno") == {"main.tex"}
    assert rename(author, "main.tex", r"[one]{it|em}", "piece") == {"main.tex"}
    expected = before.replace("{one,", "{uno,").replace("={one}", "={uno}")
    assert author.texts["main.tex"] == expected.replace("item}", "piece}")


def test_prepare_rename_shows_the_key_and_nothing_elsewhere(author):
    found = author.ask(navigation.prepare_rename, r"other, o|ld}", "main.tex")
    assert found.placeholder == "old"
    assert (found.range.start.character, found.range.end.character) == (30, 33)
    for name, at in [
        ("main.tex", r"\ci|tep"),
        ("main.tex", r"% \cite{o|ld}"),
        ("parts/chapter.tex", r"\cite{TO|DO}"),
        ("parts/chapter.tex", r"\label{o|ld}"),
        ("refs.bib", r"title={o|ld}"),
    ]:
        assert author.ask(navigation.prepare_rename, at, name) is None
        assert rename(author, name, at, "new") is None


def test_an_edit_is_for_the_versions_of_the_texts_it_was_made_for(author):
    author.open("refs.bib", version=7)
    edit = author.ask(navigation.rename, r"\nocite{o|ld}", "main.tex", new_name="x")
    versions = {
        Path(d.text_document.uri).name: d.text_document.version for d in edit.document_changes
    }
    assert versions["refs.bib"] == 7
    assert versions["talk.tex"] is None
    author.session.client = Capabilities(versioned_edits=False)
    author.open("main.tex")
    plain = author.ask(navigation.rename, r"\nocite{o|ld}", "main.tex", new_name="x")
    assert plain.document_changes is None
    assert {Path(uri).name for uri in plain.changes} == set(versions)


def test_text_that_was_typed_meanwhile_is_not_edited(author):
    here, offset = author.at(r"\nocite{o|ld}")
    author.texts["main.tex"] = "typed " + author.texts["main.tex"]
    author.open("main.tex", version=2)
    with pytest.raises(InputError, match=r"main\.tex has changed in the meantime"):
        navigation.rename(here, offset, new_name="x")


@pytest.mark.parametrize(
    ("new", "message"),
    [("two words", "a space"), ("other", "already the key of an entry (more.bib, line 2)")],
)
def test_a_new_name_that_would_do_harm_is_refused(author, new, message):
    with pytest.raises(InputError, match=re.escape(message)):
        rename(author, "main.tex", r"\nocite{o|ld}", new)


def test_an_entry_of_a_bibliography_outside_of_the_workspace_is_not_renamed(tmp_path, editing):
    library = write_project(tmp_path / "texmf", "%! lib.bib\n@misc{old, title={Shared}}\n")
    author = editing(
        folder=tmp_path / "work",
        project=rf"""
        %! main.tex
        \documentclass{{article}}\begin{{document}}\cite{{old,own}}
        \bibliography{{{library},own}}\end{{document}}
        %! own.bib
        @misc{{own, title={{Own}}}}
        """,
    )
    with pytest.raises(InputError, match=r"lib\.bib, outside the workspace"):
        rename(author, "main.tex", r"\cite{o|ld", "new")
    assert rename(author, "main.tex", r"old,o|wn}", "new") == {"main.tex", "own.bib"}


def a_link(folder):
    """Other drafts see the file that it leads to under other names."""
    (folder / "refs.bib").rename(folder / "shared.bib")
    (folder / "refs.bib").symlink_to(folder / "shared.bib")


def a_link_of_another_draft(folder):
    """The link's draft reads the same entries under another name."""
    (folder / "copy.bib").symlink_to(folder / "refs.bib")
    (folder / "linked.tex").write_text(r"\documentclass{article}\cite{old}\bibliography{copy}")


def generated(folder):
    items = r"\begin{thebibliography}{9}\bibitem{old} Old.\end{thebibliography}"
    (folder / "main.bbl").write_text(items)
    (folder / "main.tex").write_text(r"\documentclass{article}\nocite{old}\input{main.bbl}")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (a_link, r"shared\.bib, which refs\.bib links to"),
        (a_link_of_another_draft, r"refs\.bib, which copy\.bib links to"),
        (generated, "cannot be changed"),
    ],
)
def test_what_other_files_would_lack_is_not_renamed(editing, tmp_path, make, message):
    author = editing(PROJECT, tmp_path / "work")
    make(author.folder)
    author.texts["main.tex"] = (author.folder / "main.tex").read_text("utf-8")
    author.open("main.tex")
    with pytest.raises(InputError, match=message):
        rename(author, "main.tex", r"\nocite{o|ld}", "new")


def test_a_key_is_renamed_in_the_draft_that_a_chapter_with_a_preamble_of_its_own_is_part_of(
    editing,
):
    author = editing(
        r"""
        %! main.tex
        \documentclass{book}\usepackage{standalone}
        \addbibresource{first.bib}\addbibresource{second.bib}
        \begin{document}\input{chapter}\cite{inb}\end{document}
        %! chapter.tex
        \documentclass{article}\addbibresource{first.bib}
        \begin{document}\cite{ina,inb}\end{document}
        %! first.bib
        @misc{ina, title={One}}
        %! second.bib
        @misc{inb, title={Two}}
        """
    )
    assert rename(author, "chapter.tex", "ina,in|b", "new") == {
        "main.tex", "chapter.tex", "second.bib",
    }  # fmt: skip


def test_a_workspace_behind_a_link_is_renamed_in(author):
    author.session.folders = ()
    real = author.folder.with_name("real")
    author.folder.rename(real)
    author.folder.symlink_to(real, target_is_directory=True)
    author.session.folders = (author.folder,)
    assert "refs.bib" in rename(author, "main.tex", r"\nocite{o|ld}", "new")


def test_without_a_workspace_a_draft_is_renamed_from_any_of_its_files(author):
    author.session.folders = ()
    author.texts["parts/chapter.tex"] = "% !TeX root = ../main.tex\n\\cite{old}"
    changed = rename(author, "parts/chapter.tex", r"\cite{o|ld}", "new")
    assert {"main.tex", "parts/chapter.tex", "refs.bib"} <= changed


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write all")
def test_a_file_that_cannot_be_written_is_named(author):
    (author.folder / "refs.bib").chmod(0o444)
    with pytest.raises(InputError, match=r"refs\.bib, which cannot be written"):
        rename(author, "main.tex", r"\nocite{o|ld}", "new")


def test_rename_is_left_to_texlab_unless_the_author_wants_ours(author):
    author.session.settings = Settings(editor=EditorSettings(peers=frozenset(["texlab"])))
    assert author.ask(navigation.prepare_rename, r"\nocite{o|ld}", "main.tex") is None
    assert rename(author, "main.tex", r"\nocite{o|ld}", "new") is None
    # LaTeX Workshop renames no keys.
    author.session.settings = Settings(editor=EditorSettings(peers=frozenset(["latex-workshop"])))
    assert rename(author, "main.tex", r"\nocite{o|ld}", "new")


def test_over_the_protocol(tmp_path, start_in):
    write_project(tmp_path, PROJECT)
    main = tmp_path / "main.tex"
    capabilities = {
        "textDocument": {"rename": {"prepareSupport": True}},
        "workspace": {"workspaceEdit": {"documentChanges": True}},
    }
    client = start_in(tmp_path, capabilities=capabilities)
    client.open(main, main.read_text("utf-8"))
    assert client.answer["result"]["capabilities"]["renameProvider"] == {"prepareProvider": True}
    place = client.at(main, 2, 31)
    assert client.request("textDocument/prepareRename", place)["result"]["placeholder"] == "old"
    nowhere = client.request("textDocument/prepareRename", client.at(main, 2, 0))
    assert nowhere["result"] is None
    edit = client.request("textDocument/rename", {**place, "newName": "new"})["result"]
    changed = {each["textDocument"]["uri"]: each for each in edit["documentChanges"]}
    assert len(changed) == 6
    assert changed[main.as_uri()]["textDocument"]["version"] == 1
    assert {e["newText"] for each in changed.values() for e in each["edits"]} == {"new"}
    refused = client.request("textDocument/rename", {**place, "newName": "a b"})
    assert refused["error"] == {"code": -32803, "message": "A key cannot contain a space."}


SHARED = r"""
%! one.tex
\documentclass{article}\begin{document}\input{chapter}\bibliography{first}\end{document}
%! two.tex
\documentclass{article}\begin{document}\input{chapter}\cite{old}\bibliography{second}\end{document}
%! chapter.tex
Moss \cite{old}.
%! first.bib
@book{old, title={Old}}
%! second.bib
@book{old, title={Old}}
"""


@pytest.mark.parametrize(
    ("name", "at"),
    [
        ("chapter.tex", r"\cite{o|ld}"),
        ("two.tex", r"\cite{o|ld}"),
        ("first.bib", "{o|ld,"),
        ("second.bib", "{o|ld,"),
    ],
)
def test_of_a_chapter_that_two_drafts_share_both_are_changed(editing, name, at):
    author = editing(SHARED)
    assert rename(author, name, at, "new") == {"two.tex", "chapter.tex", "first.bib", "second.bib"}
    assert not any("old}" in text or "{old," in text for text in author.texts.values())


def test_a_bibliography_that_another_program_has_just_rewritten(tmp_path, start_in):
    text = "\\documentclass{article}\n\\begin{document}\n\\cite{moss}\n\\bibliography{refs}\n\\end{document}\n"
    main, refs = tmp_path / "main.tex", tmp_path / "refs.bib"
    main.write_text(text, encoding="utf-8")
    entries = "@book{kelp, title={Kelp}}\n@book{moss, title={Moss}}\n"
    refs.write_text(entries, encoding="utf-8")
    client = start_in(tmp_path, capabilities={})
    client.open(main, text)
    place = client.at(main, 2, 8)
    # What was read is not looked at again by other requests.
    assert client.request("textDocument/rename", {**place, "newName": "new"})["result"]
    written = "@book{dulse, title={Dulse}}\n" + entries
    refs.write_text(written, encoding="utf-8")
    edit = client.request("textDocument/rename", {**place, "newName": "new"})["result"]
    (change,) = edit["changes"][refs.as_uri()]
    start = change["range"]["start"]
    assert written.splitlines()[start["line"]][start["character"] :].startswith("moss,")


@pytest.mark.parametrize(
    ("asked", "first"),
    [
        ("main.tex", "% !TEX root = ../main.tex"),
        ("refs.bib", r"\documentclass[../main]{subfiles}"),
        ("sub/intro.tex", r"\documentclass[../main]{subfiles}"),
    ],
)
def test_a_part_that_the_main_file_does_not_read_just_now(editing, asked, first):
    author = editing(
        f"""
        %! main.tex
        \\documentclass{{article}}
        %\\input{{sub/intro}}
        \\begin{{document}}\\cite{{old}}\\bibliography{{refs}}\\end{{document}}
        %! sub/intro.tex
        {first}
        See \\cite{{old}}.
        %! refs.bib
        @misc{{old, title={{x}}}}
        """
    )
    changed = rename(author, asked, "{o|ld", "new")
    assert changed == {"main.tex", "refs.bib", "sub/intro.tex"}


def test_an_entry_is_renamed_where_a_draft_of_a_folder_inside_has_it_no_more(tmp_path, editing):
    author = editing(
        r"""
        %! refs.bib
        @misc{old, title={x}}
        %! sub/main.tex
        \documentclass{article}\begin{document}\cite{old}\bibliography{refs}\end{document}
        """
    )
    author.session.folders = (tmp_path, tmp_path / "sub")
    assert "refs.bib" in rename(author, "refs.bib", "{o|ld", "new")

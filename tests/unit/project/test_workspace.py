import gc
import os
import weakref
from itertools import permutations
from pathlib import Path

import pytest

from pincite.library.index import PaperIndex
from pincite.model.drafts import Draft
from pincite.project.workspace import Workspace
from pincite.settings import LibrarySettings, Settings


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def opened(
    folder: Path,
    name: str = "main.tex",
    settings: Settings | None = None,
    index: PaperIndex | None = None,
    **files: str,
) -> tuple[Workspace, Draft]:
    """Write files, and open a draft; names have two underscores for a slash, one for a dot."""
    write(folder, **files)
    workspace = Workspace(folder, settings, index)
    return workspace, workspace.draft(folder / name)


def entries(workspace: Workspace, name: str | Path) -> set[str]:
    return set(workspace.bibliography(workspace.draft(workspace.folder / name)).entries)


THESIS = {
    "main.tex": r"\documentclass{book}\newcites{B}{More}\newcommand{\lists}[1]{\bibliography{#1}}"
    r"\begin{document}\input{parts/one/intro}\lists{refs}\end{document}",
    "parts/one/intro.tex": r"Words \cite{a} and \citeB{b}. \bibliographyB{more}",
    "refs.bib": "@misc{a, title={A}}",
    "more.bib": "@misc{b, title={B}}",
}


def thesis(folder: Path) -> Path:
    for name, text in THESIS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder / "parts" / "one" / "intro.tex"


@pytest.mark.parametrize("opened", ["", "parts", "parts/one"])
def test_a_part_in_a_subfolder_finds_its_main_file_in_the_folders_above(tmp_path, opened):
    part = thesis(tmp_path)
    workspace = Workspace(tmp_path / opened)
    draft = workspace.draft(part)
    assert draft.root == tmp_path / "main.tex"
    # What one file defines holds for all: \newcites, and a command that names a bibliography.
    assert entries(workspace, part) == {"a", "b"}


@pytest.mark.parametrize(
    ("reads", "preamble"),
    [
        (r"\input{parts/one/intro}", r"\documentclass[crop=false]{standalone}"),
        (r"\input parts/one/intro ", r"\documentclass{report}\newcommand{\see}{Words}"),
        (r"\subimport{parts/one/}{intro}", r"\documentclass{report}"),
        (r"\input{parts/one/all}", r"\documentclass{report}"),
    ],
)
def test_a_part_with_a_preamble_of_its_own_is_read_with_the_draft_that_reads_it(
    tmp_path, reads, preamble
):
    write(
        tmp_path,
        another_tex=r"\documentclass{book}\bibliography{more} See the {intro.pdf}.",
        main_tex=rf"\documentclass{{book}}\newcites{{B}}{{More}}\addbibresource{{refs.bib}}{reads}",
        parts__one__all_tex=r"\documentclass{standalone}\input{intro}" * ("all" in reads),
        parts__one__intro_tex=rf"{preamble}\addbibresource{{../../own.bib}}\citeB{{a}} \cite{{own}}",
        refs_bib="@misc{a, title={A}}",
        own_bib="@misc{own, title={O}}",
    )
    part = tmp_path / "parts" / "one" / "intro.tex"
    for folder in (tmp_path, part.parent):
        draft = Workspace(folder).draft(part)
        assert (draft.path, draft.root) == (part, tmp_path / "main.tex")
        assert [file.path for file in draft.files] == [part]
        keys = [key.key for citation in draft.files[0].citations for key in citation.keys]
        assert keys == ["a", "own"]
        assert entries(Workspace(folder), part) == {"a", "own"}
    assert [each.root.name for each in Workspace(tmp_path).drafts()] == ["another.tex", "main.tex"]


@pytest.mark.parametrize("other", [r"\input{main}", r"The {main.pdf} is there", "main"])
def test_a_main_file_is_a_part_only_of_what_reads_it(tmp_path, other):
    """Not of one that it reads itself, and not of one that has only its name."""
    write(
        tmp_path,
        main_tex=r"\documentclass{book}\input{other}\bibliography{refs}",
        other_tex=rf"\documentclass{{book}}{other}",
        refs_bib="@misc{a, title={A}}",
    )
    assert Workspace(tmp_path).draft(tmp_path / "main.tex").root == tmp_path / "main.tex"


@pytest.mark.parametrize("marker", [".git/", "latexmkrc", ".latexmkrc", ".vscode/", "paper.tex"])
def test_no_main_file_is_looked_for_above_the_root_of_a_project(tmp_path, marker):
    part = thesis(tmp_path)
    root = tmp_path / "parts" / marker
    if marker.endswith("/"):
        root.mkdir()
    else:
        root.write_text("\\documentclass{article}" if marker.endswith(".tex") else "")
    assert Workspace(part.parent).draft(part).root == part


def test_a_main_file_is_looked_for_in_few_folders(tmp_path):
    part = thesis(tmp_path).rename(tmp_path / "intro.tex")
    folder = tmp_path.joinpath(*"abcdefg")
    folder.mkdir(parents=True)
    far = part.rename(folder / "intro.tex")
    (tmp_path / "main.tex").write_text("\\documentclass{book}\\input{a/b/c/d/e/f/g/intro}")
    assert Workspace(folder).draft(far).root == far


def test_a_bibliography_that_the_settings_name_too_is_there_once(tmp_path):
    write(tmp_path, main_tex="\\bibliography{refs}", refs_bib="@misc{a, title={A}}")
    workspace = Workspace(tmp_path, Settings(bibliographies=(tmp_path / "refs.bib",)))
    read = workspace.bibliography(workspace.draft(tmp_path / "main.tex"))
    assert len(read.files) == 1


@pytest.mark.parametrize(
    ("files", "values"),
    [
        # A later file may use the macros of an earlier one, but none before its definition.
        ({"main_tex": "\\bibliography{m,r}", "m_bib": "@string{acl = {ACL}}",
          "r_bib": "@article{a, title={A}, journal = acl}"}, {"a": ("journal", "ACL")}),
        ({"main_tex": "\\documentclass{book}\\bibliography{m,r}", "m_bib": "@string{other={O}}",
          "r_bib": "@misc{a, title=later}\n@string{later={L}}\n@misc{b, title=later}"},
         {"a": ("title", "later"), "b": ("title", "L")}),
        # The first of two entries with one key counts; one may inherit from another file.
        ({"main_tex": "\\bibliography{m,r}", "m_bib": "@misc{a, title={First}}",
          "r_bib": "@misc{a, title={Second}}"}, {"a": ("title", "First")}),
        ({"main_tex": "\\bibliography{m,r}", "m_bib": "@inproceedings{a, title={P}, crossref={w}}",
          "r_bib": "@proceedings{w, title={Whole}, year={2001}}"}, {"a": ("year", "2001")}),
        # An alias is a key; BibTeX ignores the case of keys, Biber does not.
        ({"main_tex": "\\addbibresource{r.bib}", "r_bib": "@misc{a, ids={old, older}, title={A}}"},
         {"older": ("title", "A"), "A": None}),
        ({"main_tex": "\\bibliography{r}", "r_bib": "@misc{Key, title={A}}"}, {"kEY": ("title", "A")}),
        ({"main_tex": "\\begin{thebibliography}{9}\\bibitem{a} Apples.\\end{thebibliography}"},
         {"a": ("title", "Apples.")}),
        # One of this name elsewhere in the workspace is found, of two neither.
        ({"main_tex": "\\bibliography{r}", "texmf__bibtex__r_bib": "@misc{a, title={A}}"},
         {"a": ("title", "A")}),
        ({"main_tex": "\\bibliography{r}", "one__r_bib": "@misc{a, title={A}}",
          "two__r_bib": "@misc{b, title={B}}"}, {"a": None, "b": None}),
    ],
)  # fmt: skip
def test_what_the_bibliographies_of_a_draft_contain_together(tmp_path, files, values):
    write(tmp_path, **files)
    workspace = Workspace(tmp_path)
    first, second = (workspace.bibliography(workspace.draft(tmp_path / "main.tex")) for _ in "12")
    assert first.entries is second.entries
    for key, value in values.items():
        entry = first.find(key)
        assert (entry is None) == (value is None)
        assert entry is None or entry.fields[value[0]] == value[1]


def test_an_embedded_bibliography_is_read(tmp_path):
    write(
        tmp_path,
        main_tex="\\begin{filecontents}{refs.bib}\n@misc{a, title={A}}\n@misc{broken\n"
        "\\end{filecontents}\n\\bibliography{refs}",
    )
    workspace = Workspace(tmp_path)
    bibliography = workspace.bibliography(workspace.draft(tmp_path / "main.tex"))
    assert bibliography.place(bibliography.entries["a"]).line == 2
    assert [problem.line for problem in bibliography.problems] == [3]


def test_an_embedded_bibliography_that_moves_is_cached_once(tmp_path):
    block = "\\begin{filecontents}{refs.bib}\n@misc{%s, title={A}}\n\\end{filecontents}\n"
    texts = {}
    workspace = Workspace(tmp_path, open_texts=texts)
    main = tmp_path / "main.tex"

    def read(text):
        texts[main] = text
        return workspace.bibliography(workspace.draft(main))

    before = read(block % "a" + "\\bibliography{refs}")
    earlier = weakref.ref(before.files[0][1])
    del before
    for text in ("% x\n", "% xy\n", "\n\n"):
        bibliography = read(text + block % "a" + "\\bibliography{refs}")
        key = bibliography.place(bibliography.entries["a"]).key_span
        assert key.of(texts[main]) == "a"
    # Another block in front of it, and then another text in its place.
    both = read(block % "b" + block.replace("refs", "more") % "c" + "\\bibliography{refs,more}")
    assert list(both.entries) == ["b", "c"]
    gc.collect()
    assert earlier() is None


OTHER = (
    "\\documentclass{article}\\begin{document}Apples grow on trees \\cite{%s}.\\bibliography{other}"
)


@pytest.mark.parametrize(
    ("key", "entry", "same"),
    [
        ("a", "@misc{a, title={Apples of {Europe}}}", True),
        ("b", "@misc{b, title={Other}, doi={10.1/X}}", True),
        ("b", "@misc{b, title={Apples of Europe}, author={Pippin, Cox}}", True),
        ("a", "@misc{a, title={Something else}}", False),
        ("b", "@misc{b, title={Apples of Europe}, author={Other, Ann}}", False),
    ],
)
def test_inlinks_need_the_same_work(tmp_path, key, entry, same):
    write(
        tmp_path,
        main_tex="\\documentclass{article}\\bibliography{refs}",
        refs_bib="@misc{a, title={Apples of Europe}, author={Pippin, Cox}, doi={https://doi.org/10.1/x}}",
        other__draft_tex=OTHER % key,
        other__other_bib=entry,
    )
    workspace = Workspace(tmp_path)
    candidate = workspace.recommender(workspace.draft(tmp_path / "main.tex")).candidates["a"]
    assert bool(candidate.inlink_contexts) == same
    if same:
        (context,) = candidate.inlink_contexts
        assert context.citing_paper == "other/draft.tex"
        assert context.left == ("Apples", "grow", "on", "trees")


@pytest.mark.parametrize("order", [*permutations(("main", "arxiv", "reply"))])
def test_drafts_that_share_a_part_have_the_same_contexts_whichever_is_read_first(tmp_path, order):
    whole = r"\documentclass{article}\begin{document}%s\bibliography{refs}\end{document}"
    write(
        tmp_path,
        body_tex="Grids cohere as the second has shown \\cite{k2}.",
        arxiv_tex=whole % r"Leaves fall down, says the first \cite{k1}. \input{body}",
        main_tex=whole % r"Trees grow as the first has shown \cite{k1}. \input{body}",
        reply_tex=whole % r"Ponds rest as the second has shown \cite{k2}.",
        refs_bib="@misc{k1, title={The first of them}}\n@misc{k2, title={The second of them}}\n",
    )
    # Links are stored in the index, which all share.
    index = PaperIndex.in_memory()
    workspace = Workspace(tmp_path, index=index)
    counts = {}
    for name in order:
        draft = workspace.draft(tmp_path / f"{name}.tex")
        candidates = workspace.recommender(draft).candidates
        counts[name] = {key: len(candidates[key].inlink_contexts) for key in ("k1", "k2")}
    assert counts == {
        "main": {"k1": 1, "k2": 1},
        "arxiv": {"k1": 1, "k2": 1},
        "reply": {"k1": 2, "k2": 1},
    }


def test_the_draft_itself_gives_no_inlinks(tmp_path):
    write(
        tmp_path,
        main_tex="\\documentclass{article}\\input{part}\\cite{a}\\bibliography{refs}",
        part_tex="Apples \\cite{a}",
        refs_bib="@misc{a, title={Apples}}",
    )
    workspace = Workspace(tmp_path)
    for name in ("main.tex", "part.tex"):
        draft = workspace.draft(tmp_path / name)
        assert workspace.recommender(draft).candidates["a"].inlink_contexts == ()


def test_libraries_beside_the_draft_and_those_set(tmp_path):
    settings = Settings(library=LibrarySettings(folders=(tmp_path / "shelf",)))
    workspace, draft = opened(
        tmp_path,
        settings=settings,
        main_tex="\\bibliography{refs}",
        refs_bib="@misc{a, title={A}} @misc{b, title={B}}",
        papers__a_md="# A\n\nWhat it says.\n",
        shelf__b_txt="B\n\nWhat this says.\n",
    )
    assert workspace.read_library(draft)
    recommender = workspace.recommender(draft)
    assert {key: c.paper.basis for key, c in recommender.candidates.items()} == {
        "a": "full text",
        "b": "full text",
    }


def test_hidden_folders_are_not_searched(tmp_path):
    write(tmp_path, main_tex="a", _git__x_tex="b", node_modules__y_tex="c")
    (tmp_path / "node.modules").rename(tmp_path / "node_modules")
    assert list(Workspace(tmp_path).draft_files()) == [tmp_path / "main.tex"]


def test_a_paper_put_into_a_library_folder_is_found(tmp_path):
    workspace, draft = opened(
        tmp_path,
        main_tex="\\bibliography{refs}",
        refs_bib="@misc{a, title={A}} @misc{b, title={B}}",
        papers__deep__x_md="# X\n\nOther.\n",
    )
    assert workspace.read_library(draft)
    before = workspace.library(draft)
    assert not workspace.caches.check_libraries()
    write(tmp_path, papers__deep__a_md="# A\n\nWhat it says.\n")
    assert workspace.library(draft) is before
    assert not workspace.caches.check_libraries(near=[tmp_path / "refs.bib"])
    assert workspace.caches.check_libraries(near=[tmp_path / "papers" / "deep" / "a.md"])
    assert workspace.library(draft) is not before
    assert workspace.read_library(draft)
    candidates = workspace.recommender(draft).candidates
    assert [candidates[key].paper.basis for key in "ab"] == ["full text", "title"]


def test_links_follow_the_bibliography(tmp_path):
    write(
        tmp_path,
        main_tex="\\documentclass{article}\\bibliography{refs}",
        refs_bib="@misc{a, title={Apples of Europe and Where They Grow}, author={Pippin, Cox}, year={2001}}",
        papers__download_md="# Apples of Europe and Where They Grow\n\nCox Pippin\n\nThey grow.\n",
    )
    index = PaperIndex(tmp_path / "index.sqlite")

    def bases():
        workspace = Workspace(tmp_path, index=index)
        draft = workspace.draft(tmp_path / "main.tex")
        assert workspace.read_library(draft)
        candidates = workspace.recommender(draft).candidates
        return {key: candidate.paper.basis for key, candidate in candidates.items()}

    assert bases() == {"a": "full text"}
    assert bases() == {"a": "full text"}
    write(
        tmp_path,
        refs_bib="@misc{b, title={Apples of Europe and Where They Grow}, author={Pippin, Cox}, year={2001}}"
        "@misc{a, title={Pears of Africa}, author={Williams, B.}, year={2003}}",
    )
    assert bases() == {"b": "full text", "a": "title"}


@pytest.mark.parametrize("copy", ["backup.tex", "papers/old.tex", "papers/mine/main.tex"])
def test_a_copy_of_the_draft_is_no_other_draft(tmp_path, copy):
    text = (
        "\\documentclass{article}\\begin{document}Apples grow on trees \\cite{a}, we say."
        "\\bibliography{refs}\\end{document}"
    )
    write(tmp_path, refs_bib="@misc{a, title={Apples of Europe}, author={Pippin, Cox}}")
    for name in ("main.tex", copy):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    for folder in ("papers", "papers/mine"):
        if (tmp_path / folder).is_dir():
            (tmp_path / folder / "refs.bib").write_bytes((tmp_path / "refs.bib").read_bytes())
    for name in ("main.tex", copy):
        workspace = Workspace(tmp_path)
        draft = workspace.draft(tmp_path / name)
        assert workspace.read_library(draft)
        assert not any(workspace.inlinks(draft).values())


def test_pipes_and_devices_are_not_read(tmp_path):
    if not hasattr(os, "mkfifo"):
        pytest.skip("this system has no named pipes")
    write(tmp_path, main_tex="\\documentclass{article}\\bibliography{refs,pipe}")
    write(tmp_path, refs_bib="@misc{a, title={A}}")
    os.mkfifo(tmp_path / "pipe.bib")
    os.mkfifo(tmp_path / "other.tex")
    (tmp_path / "zero.tex").symlink_to("/dev/zero")
    workspace = Workspace(tmp_path)
    draft = workspace.draft(tmp_path / "main.tex")
    assert workspace.inlinks(draft) == {}
    assert list(workspace.bibliography(draft).entries) == ["a"]


def test_names_that_are_no_utf8_are_no_obstacle(tmp_path):
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/b\xfcro"))
    try:
        folder.mkdir()
    except OSError:
        pytest.skip("this file system has UTF-8 names only")
    (folder / "refs.bib").write_text("@misc{a, title={Apples of Europe}, author={Pippin, Cox}}")
    (folder / "main.tex").write_text("\\documentclass{article}\\bibliography{refs}")
    (folder / "other.tex").write_text(OTHER % "a")
    (folder / "other.bib").write_bytes((folder / "refs.bib").read_bytes())
    workspace = Workspace(folder, index=PaperIndex(tmp_path / "index.sqlite"))
    draft = workspace.draft(folder / "main.tex")
    assert workspace.read_library(draft)
    assert workspace.inlinks(draft).keys() == {"a"}


MAIN = "\\documentclass{article}\\begin{document}Seen \\cite{a}."


BESIDE = "Until then %s beside main.tex serve for suggestions and evidence"
THREE = {
    "one_bib": "@misc{a, title={A}}",
    "two_bib": "@misc{b, title={B}}",
    "below__three_bib": "@misc{c, title={C}}",
    "main-blx_bib": "@Control{biblatex-control, options={3.8}}",
}
TWO = {"refs_bib": "@misc{a, title={A}}", "other_bib": "@misc{b, title={B}}"}
SIX = {f"b{n}_bib": f"@misc{{b{n}, title={{B}}}}" for n in range(6)}
NOTED = "\\relax\n\\bibstyle{plain}\n\\bibdata{mainNotes,refs,lib/b}\n"
ITEMS = "\\begin{thebibliography}{9}\\bibitem{a} A.\\end{thebibliography}"


@pytest.mark.parametrize(
    ("files", "beside", "found", "message"),
    [
        *(
            ({"main_tex": MAIN + named, **THREE}, "one.bib two.bib", "a b", BESIDE % "one.bib and two.bib")
            for named in ("", "\\bibliography{\\unknown}", "\\bibliography{IEEEabrv}")
        ),
        # The class has a command or an option of its own.
        *(
            ({"main_tex": MAIN + named, **TWO}, "", "a", "")
            for named in (r"\thesisbib{refs}", r"\biblio{plain}{refs}", r"\setup{references = {x, refs.bib}}")
        ),
        ({"main_tex": MAIN + r"\section{refs}\bibliographystyle{refs}", **TWO}, "other.bib refs.bib", "a b", None),
        # The class names them in a way that only TeX knows.
        ({"main_tex": MAIN, "main_aux": NOTED, "lib__b_bib": "@misc{c, title={C}}", **TWO}, "refs.bib b.bib", "a c", None),
        ({"main_tex": MAIN, "main_aux": "\0", **TWO}, "other.bib refs.bib", "a b", None),
        ({"main_tex": f"{MAIN}\\bibliography{{b0,gone,lost}}", **SIX}, "b1.bib b2.bib b3.bib b4.bib b5.bib",
         "b0 b1 b2 b3 b4 b5", "the bibliography “lost” does not exist"),
        ({"main_tex": f"{MAIN}\\bibliography{{b0,gone}}", **SIX}, "b1.bib b2.bib b3.bib b4.bib b5.bib", "b0 b1 b2 b3 b4 b5",
         "the bibliography “gone” does not exist; name one that can be read. " + BESIDE % "b1.bib, b2.bib, b3.bib and 2 more"),
        # Where all is there, or no main file is, nothing serves instead.
        ({"main_tex": f"{MAIN}\\bibliography{{refs}}", **TWO}, "", "a", ""),
        ({"main_tex": MAIN + ITEMS, **TWO}, "", "a", ""),
        ({"main_tex": MAIN + r"\bib{a}{book}{title={A}}", **TWO}, "", "a", ""),
        ({"main_tex": "A part \\cite{a} of something else.", **TWO}, "", "", None),
        # What can be typeset alone has the bibliography of the larger draft.
        ({"main_tex": MAIN, "whole_tex": "\\documentclass{book}\\input{main}\\bibliography{refs}", **TWO}, "", "a", ""),
        # A part has what serves its main file.
        ({"whole_tex": "\\documentclass{book}\\input{main}", "main_tex": "Seen \\cite{a}.", **TWO}, "other.bib refs.bib", "a b", None),
        ({"main_tex": "\\documentclass{article}Hello", **TWO}, "other.bib refs.bib", "a b", ""),
    ],
)  # fmt: skip
def test_bibliographies_beside_a_main_file_serve_until_one_is_named(
    tmp_path, files, beside, found, message
):
    (tmp_path / "folder.bib").mkdir()
    workspace, draft = opened(tmp_path, **files)
    assert [source.path.name for source in draft.fallback_bibliographies] == beside.split()
    assert set(workspace.recommender(draft, full_texts=False).candidates) == set(found.split())
    reported = [each.message for each in draft.problems if "bibliography" in each.message]
    assert message is None or "".join(reported[-1:]).endswith(message)
    assert message != "" or not reported


def test_a_bibliography_that_is_created_replaces_its_stand_ins(tmp_path):
    write(tmp_path, main_tex=f"{MAIN}\\bibliography{{refs}}", other_bib="@misc{b, title={B}}")
    workspace = Workspace(tmp_path)
    assert entries(workspace, "main.tex") == {"b"}
    write(tmp_path, refs_bib="@misc{a, title={A}}")
    assert entries(workspace, "main.tex") == {"a"}


def test_other_drafts_are_not_read_with_stand_ins(tmp_path):
    write(
        tmp_path,
        main_tex=f"{MAIN}\\bibliography{{refs}}",
        refs_bib="@misc{a, title={Apples of the north}, author={Tell, W.}, year=1990}",
        other__slides_tex=MAIN,
        other__other_bib="@misc{a, title={Apples of the north}, author={Tell, W.}, year=1990}",
    )
    workspace = Workspace(tmp_path)
    assert "a" not in workspace.inlinks(workspace.draft(tmp_path / "main.tex"))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("main.tex", "\\documentclass{book}\\input{part}\\bibliography{refs} Moss \\cite{}."),
        ("main.md", "---\nbibliography: refs.bib\n---\nMoss [@moss] and []."),
        ("main.typ", '#bibliography("refs.bib")\nMoss @moss and #cite().'),
    ],
)
def test_an_edited_text_is_freed_without_the_garbage_collector(tmp_path, name, text):
    main = tmp_path / name
    write(
        tmp_path, refs_bib="@misc{moss, title={Moss on stones}}", part_tex="Of stones \\cite{moss}."
    )
    held = {main: text}
    workspace = Workspace(tmp_path, open_texts=held)
    recommender = workspace.recommender(workspace.draft(main))

    def ranked(words: str) -> list[weakref.ref[object]]:
        held[main] = text.replace("Moss", words)
        draft = workspace.draft(main)
        context = recommender.context(draft, draft.files[0], held[main].index(words))
        recommender.explain(context, list(recommender.rank(context)))
        return [weakref.ref(each) for each in (draft.files[0], draft.files[0].prose)]

    # A long text in a reference cycle is in memory until the next collection, and so are those of
    # all edits up to then.
    gc.collect()
    gc.disable()
    try:
        earlier = ranked("Grass")
        ranked("Reeds and ferns")
        assert [each() for each in earlier] == [None, None]
    finally:
        gc.enable()

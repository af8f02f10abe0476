"""The commands as an author or a script runs them."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pincite_evaluation.baselines.neal import NealModel
from pincite_evaluation.training import ModelFolder
from pincite_evaluation.vector_training import save

BIB = """
@string{acl = "ACL"}
@article{grid2008, title = {Modelling local coherence by entity grids},
  author = {Barzi, Rita and Lapa, M.}, year = 2008,
  abstract = {An entity grid records in which role entities occur. It predicts coherence.}}
@article{parse2006, title = {Data-driven dependency parsing}, author = {Malt, Otto},
  journal = acl, year = {2006}}
@book{order1999, title = {Die Wortstellung im Deutschen und ihre Geschichte},
  author = {M\\"{u}ller, Eva}, langid = {ngerman}}
"""
FILLER = (
    "Much was said about this over the years and many pages were filled with remarks of the "
    "kind that nobody reads twice, least of all those who once wrote them."
)
DRAFT = """\\documentclass{article}
\\begin{document}
Coherent texts follow patterns that an entity grid can record \\cite{}. {FILLER}
Dependency parsing from data \\citep[see][]{parse2006, nowhere1990} is fast.
\\nocite{order1999}
\\bibliography{refs}
\\end{document}
""".replace("{FILLER}", FILLER)


@pytest.fixture(name="project")
def small_project(tmp_path, monkeypatch):
    (tmp_path / "draft.tex").write_text(DRAFT)
    (tmp_path / "refs.bib").write_text(BIB)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PINCITE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PINCITE_DEBUG", "1")
    return tmp_path


@pytest.fixture(name="ranked")
def entries_of_the_first_place(run_json):
    """Return the entries for the first placeholder, by their keys, the best first."""

    def ranked(*options, draft="draft.tex"):
        _, found, _ = run_json("recommend", draft, *options)
        return {entry["key"]: entry for entry in found["placeholders"][0]["entries"]}

    return ranked


def test_recommend_ranks_for_each_placeholder(project, run_json):
    status, found, _ = run_json("recommend", "draft.tex")
    assert status == 0
    assert found["draft"] == "draft.tex"
    (place,) = found["placeholders"]
    assert (place["file"], place["line"], place["column"]) == ("draft.tex", 3, 63)
    assert "entity grid can record [CITATION HERE]" in place["context"]
    assert place["entries"][0]["key"] == "grid2008"
    assert {entry["key"] for entry in place["entries"]} == {"grid2008", "parse2006", "order1999"}


def test_recommend_explains_each_entry(project, ranked):
    best, *_ = ranked().values()
    names = {"key", "score", "internal", "external", "basis", "matched", "reasons", "supporting"}
    assert set(best) == names
    assert 0.0 < best["score"] <= 1.0
    assert best["internal"] > 0.0 == best["external"]
    assert any(reason.startswith("shares: ") for reason in best["reasons"])
    assert best["basis"] == ["abstract"]
    assert {"entity", "grid"} <= set(best["matched"])
    support = best["supporting"][0]
    names = "text page page_label section score strength probability matched highlighted comment"
    assert list(support) == names.split()
    assert support["text"] == "An entity grid records in which role entities occur."
    assert (support["page"], support["section"]) == (None, "Abstract")
    assert {support["text"][start:end] for start, end in support["matched"]} >= {"entity", "grid"}


def test_the_context_is_printed_as_it_is_written_and_ends_with_the_paragraph(project, run):
    text = DRAFT.replace("Coherent", "A paragraph before.\n\nWell, (coherent)")
    (project / "draft.tex").write_text(
        text.replace("\\cite{}.", "\\cite{}, as \\citet{order1999} said.\n\n")
    )
    _, out, _ = run("recommend", "draft.tex")
    line = "  Well, (coherent) texts follow patterns that an entity grid can record [CITATION HERE], as said."
    assert out.splitlines()[1] == line


def test_a_folder_means_the_one_draft_in_it(project, run, run_json):
    (project / "notes.md").write_text("To do: write.\n")
    status, found, err = run_json("recommend", ".")
    assert (status, found["draft"]) == (0, ".")
    assert found["placeholders"][0]["file"] == "draft.tex"
    assert "the draft is draft.tex" in err
    (project / "second.tex").write_text(DRAFT)
    status, out, err = run("recommend", ".")
    assert (status, out) == (2, "")
    assert "2 drafts in this folder; give one: draft.tex, second.tex" in err
    # A thesis beside its slides is the draft to check.
    (project / "draft.tex").write_text(DRAFT.replace("\\cite{}.", "\\cite{}." * 20))
    assert "the draft is draft.tex" in run("recommend", ".")[2]
    # A draft in a folder of its own does not count beside one.
    (project / "draft.tex").write_text(DRAFT)
    (project / "letters").mkdir()
    (project / "second.tex").rename(project / "letters" / "letter.tex")
    assert "the draft is draft.tex" in run("recommend", ".")[2]
    (project / "empty").mkdir()
    assert "no draft in this folder" in run("recommend", "empty")[2]


def test_a_folder_with_parts_of_a_draft_means_this_draft(project, run):
    (project / "parts").mkdir()
    for name in ("one.tex", "two.tex"):
        (project / "parts" / name).write_text("Otters swim \\cite{swim}.\n")
    whole = DRAFT.replace("\\end{doc", "\\input{parts/one}\\input{parts/two}\\end{doc")
    (project / "draft.tex").write_text(whole)
    status, out, err = run("citations", "parts")
    assert (status, out) == run("citations", "draft.tex")[:2]
    assert "the draft is ../draft.tex" in err


@pytest.mark.parametrize(
    ("name", "text"),
    [("n.qmd", "Otters swim [@]."), ("n.typ", "Otters swim #cite(<>)."), ("n.md", "See [@a].")],
)
def test_a_document_that_begins_to_cite_is_a_draft(tmp_path, run, monkeypatch, name, text):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "README.md").write_text("Thanks to @bob, and see [there](https://example.org).\n")
    assert "no draft in this folder" in run("recommend", ".")[2]
    (tmp_path / name).write_text(f"{text}\n")
    assert f"the draft is {name}" in run("recommend", ".")[2]


@pytest.mark.parametrize("command", ["recommend", "evidence", "check", "citations", "library"])
def test_a_bibliography_is_no_draft(project, run, command):
    status, out, err = run(command, "refs.bib")
    assert (status, out) == (2, "")
    assert "refs.bib is a bibliography; give a draft that cites it (.tex, .md" in err


@pytest.mark.parametrize("name", ["thesis.ipynb", "thesis.docx", "thesis.rst"])
def test_a_document_in_another_format_is_not_checked(tmp_path, run, name):
    (tmp_path / name).write_text("Otters swim [@a].")
    status, out, err = run("check", str(tmp_path / name))
    assert (status, out) == (2, "")
    assert f"{name} is not a draft; give one (.tex, .md" in err


def test_help_lists_the_commands_in_groups_with_whole_sentences(run):
    _, out, _ = run("--help")
    titles = ["Write:", "Check:", "Library:", "Research:"]
    assert [line for line in out.splitlines() if line in titles] == titles
    assert "..." not in out.partition("Write:")[2]
    assert "exit with status 1 if anything is found." in " ".join(out.split())


@pytest.mark.parametrize(
    "command",
    ["recommend", "evidence", "citations", "check", "library", "index", "enrich", "serve", "evaluate",
     "train", "vectors"],
)  # fmt: skip
def test_help_has_an_example_and_no_list_of_systems(run, command):
    _, out, _ = run(command, "--help")
    assert f"Example: pincite {command} " in out
    assert "bm25" not in out.replace("bm25-rerank (", "")


def test_the_mixed_ranker_scores_by_the_two_parts_of_a_cosine(project, ranked):
    best, *_ = ranked("--ranker", "mixed").values()
    assert best["key"] == "grid2008"
    assert best["score"] == pytest.approx(best["internal"] + best["external"], abs=1e-5)
    (shared,) = best["reasons"]
    assert shared.startswith("shares: ")
    assert {"entity", "grid"} <= set(best["matched"])


def test_a_title_in_another_language_is_marked(project, ranked):
    entries = ranked()
    assert entries["order1999"]["languages"] == {"draft": "en", "entry": "de"}
    assert "languages" not in entries["grid2008"]


def test_recommend_at_a_position_inside_a_citation_leaves_its_keys_out_of_the_text(
    project, run_json
):
    _, found, _ = run_json("recommend", "draft.tex", "--at", "4:45")
    (place,) = found["placeholders"]
    assert (place["line"], place["column"]) == (4, 45)
    assert "parse2006" not in place["context"]
    assert "Dependency parsing from data [CITATION HERE] is fast" in place["context"]
    assert place["entries"][0]["key"] == "parse2006"
    assert place["cited"] == [{"key": "parse2006", "rank": 1}, {"key": "nowhere1990", "rank": None}]


def test_recommend_all_shows_the_rank_of_what_is_cited(project, run_json, run):
    _, found, _ = run_json("recommend", "draft.tex", "--all")
    cited = [place.get("cited") for place in found["placeholders"]]
    assert cited == [None, [{"key": "parse2006", "rank": 1}, {"key": "nowhere1990", "rank": None}]]
    _, out, _ = run("recommend", "draft.tex", "--all")
    assert "cited here: parse2006 (rank 1 of 3)" in out


def test_bib_adds_candidates(project, ranked):
    (project / "more.bib").write_text("@misc{extra, title = {Entity grid coherent texts patterns}}")
    assert next(iter(ranked("--bib", "more.bib", "--ranker", "mixed"))) == "extra"
    entries = ranked("--bib", "more.bib")
    assert len(entries) == 4
    assert {"entity", "grid", "coherent"} <= set(entries["extra"]["matched"])


def test_library_gives_full_text(project, ranked):
    (project / "shelf").mkdir()
    (project / "shelf" / "parse2006.txt").write_text("Parsing\n\nA grid of entity patterns.\n")
    assert ranked("--library", "shelf")["parse2006"]["basis"] == ["full text"]


def test_other_drafts_of_the_workspace_give_inlink_contexts(project, ranked):
    (project / "other").mkdir()
    (project / "other" / "paper.tex").write_text(
        "\\documentclass{article}\\begin{document}\n"
        "Coherent texts follow patterns, said \\citet{parse2006}.\n"
        "\\bibliography{../refs}\\end{document}\n"
    )
    entries = ranked()
    assert entries["parse2006"]["basis"] == ["title", "inlink contexts"]
    assert entries["parse2006"]["external"] > 0
    assert entries["grid2008"]["basis"] == ["abstract"]


def test_nothing_above_the_workspace_is_searched(project, ranked):
    inner = project / "inner"
    inner.mkdir()
    other = DRAFT.replace("{refs}", "{../refs}").replace("Dependency parsing", "A tree bank")
    (inner / "draft.tex").write_text(other)
    for options, is_searched in ((), False), (("--workspace", "."), True):
        entries = ranked(*options, draft="inner/draft.tex").values()
        assert any("inlink contexts" in each["basis"] for each in entries) == is_searched


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("recommend --ranker oracle", "oracle"),
        *((f"recommend --at {at}", "--at ") for at in ("99:1", "x", "0:1", "gone.tex:1:1", "3")),
        ("recommend --at 3:0", "counted from 1"),
        *((f"recommend --{name} gone", "gone") for name in ("bib", "library", "workspace", "vectors")),
        ("recommend --vectors refs.bib", "refs.bib"),
        ("evidence --system bm-25", "'bm-25'; did you mean bm25"),
        ("evidence --system=", "unknown system ''; docs/explanation/evaluation.md lists them"),
        ("recommend --system asymmetric-unk", "[UNK]"),
        ("recommend --system neal", "pincite train neal"),
        ("evidence --key grid2008", "does not cite grid2008"),
    ],
)  # fmt: skip
def test_options_that_cannot_be_used(project, run, arguments, message):
    command, *options = arguments.split()
    status, out, err = run(command, "draft.tex", *options)
    assert (status, out) == (2, "")
    assert err.startswith("pincite: ")
    assert message in err


@pytest.mark.parametrize("command", ["recommend", "evidence", "citations"])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "no such file"),
        (b"", "empty"),
        (b"  \n", "empty"),
        (b"\x7fELF\x00\x01", "binary"),
        (b"%PDF-1.7 x", "PDF"),
        ("folder", "folder"),
    ],
)
def test_bad_drafts_give_one_message(project, run, command, content, message):
    draft = project / "draft.tex"
    draft.unlink()
    if content == "folder":
        draft.mkdir()
    elif content is not None:
        draft.write_bytes(content)
    status, out, err = run(command, "draft.tex")
    assert (status, out) == (2, "")
    assert message in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize("command", ["recommend", "evidence"])
@pytest.mark.parametrize(
    ("bibliography", "content", "message"),
    [
        ("", None, "an editor offers “Create references.bib and name it” where you type a key"),
        ("sub/gone", None, "an editor offers “Create gone.bib” where you type a key"),
        ("gone", None, "--bib"),
        ("refs", None, "(draft.tex:6: the bibliography “refs” does not exist)"),
        ("refs", b"\0\1", "no usable entries (refs.bib: this is a binary file, not text)\n"),
    ],
)
def test_why_there_are_no_entries_is_shown(project, run, command, bibliography, content, message):
    named = f"\\bibliography{{{bibliography}}}" if bibliography else ""
    (project / "draft.tex").write_text(DRAFT.replace("\\bibliography{refs}", named))
    (project / "refs.bib").unlink()  # or it would serve
    if content is not None:
        (project / "refs.bib").write_bytes(content)
    status, out, err = run(command, "draft.tex")
    assert (status, out) == (2, "")
    assert message in err


ITEM = "\\begin{thebibliography}{9}\\bibitem{x} On noise.\\end{thebibliography}"


@pytest.mark.parametrize(
    ("command", "files", "status", "message"),
    [
        ("recommend", {"draft.tex": DRAFT.replace("\\cite{}", "")}, 0,
         "rank for any position with --at LINE:COL, or for every citation of the draft with --all"),
        ("recommend", {"draft.tex": "Xylophones \\cite{}.\n\\bibliography{refs}\n"}, 0,
         "3 entries with no word in common with this context"),
        ("evidence", {}, 0, "only the title is known: add a file or abstract field to the entry, or"
         " put parse2006.pdf into a papers folder"),
        ("evidence", {"draft.tex": f"Noise \\cite{{x}}.\n{ITEM}\n"}, 0,
         "only the title is known: put x.pdf into a papers folder"),
        ("evidence", {"refs.bib": BIB.replace("e{parse2006,", "e{parse2006, file={:shelf/gone.pdf:PDF},")}, 0,
         "the file it names does not exist (shelf/gone.pdf)"),
        ("evidence", {"papers/parse2006.pdf": ""}, 2, "because no text could be read from its file: parse2006.pdf"),
        ("evidence", {"papers/parse2006.pdf": ""}, 2, "parse2006.pdf: the file is empty"),
    ],
)  # fmt: skip
def test_the_reason_why_nothing_is_shown(project, run, command, files, status, message):
    (project / "papers").mkdir()
    for name, text in files.items():
        (project / name).write_text(text)
    done, out, err = run(command, "draft.tex")
    assert done == status
    assert message in out + err
    assert "0.000" not in out


def test_a_place_may_be_in_a_word_in_another_file_or_past_the_end_of_a_line(project, run_json):
    (project / "part.tex").write_text("Which role entities have in a grid tells coherence.\n")
    (project / "draft.tex").write_text(DRAFT.replace("\\nocite", "\\input{part}\\nocite"))
    for at, place, context in [
        ("part.tex:1:40", ("part.tex", 1, 40), "Which role entities have in a grid tells"),
        ("1:999", ("draft.tex", 1, 24), "[CITATION HERE] Coherent"),
        ("3:12", ("draft.tex", 3, 12), "Coherent texts [CITATION HERE] follow"),
    ]:
        _, found, _ = run_json("recommend", "draft.tex", "--at", at)
        (shown,) = found["placeholders"]
        assert (shown["file"], shown["line"], shown["column"]) == place
        assert context in shown["context"]


def test_evidence_lists_every_cited_key(project, run_json):
    (project / "draft.tex").write_text(DRAFT.replace("\\cite{}", "\\cite{grid2008}"))
    status, found, _ = run_json("evidence", "draft.tex")
    assert status == 0
    assert [c["key"] for c in found["citations"]] == ["grid2008", "parse2006", "nowhere1990"]
    first, title_only, undefined = found["citations"]
    names = {"file", "line", "column", "key", "citance", "basis", "verdict", "supporting"}
    assert set(first) == names
    assert first["verdict"] == {
        "kind": "supported", "strength": first["supporting"][0]["strength"], "sentences": 2, "reason": None, "numbers": [],
    }  # fmt: skip
    reasons = [each["verdict"]["reason"] for each in (title_only, undefined)]
    assert reasons == ["title only", "undefined key"]
    assert first["citance"] == "Coherent texts follow patterns that an entity grid can record."
    assert first["basis"] == ["abstract"]
    assert first["supporting"]
    assert (title_only["basis"], title_only["supporting"]) == (["title"], [])
    assert (undefined["basis"], undefined["supporting"]) == ([], [])


def test_evidence_as_text_has_the_verdict(project, run):
    (project / "draft.tex").write_text(DRAFT.replace("\\cite{}", "\\cite{grid2008}"))
    _, out, _ = run("evidence", "draft.tex")
    assert re.search(
        r"    supported \((strong|partial)\) by the abstract; the full text was not found\n", out
    )
    assert "    not checked, because only the title is known: add a file or abstract field" in out


def test_citations_lists_commands_and_fails_on_undefined_keys(project, run_json, run):
    status, found, err = run_json("citations", "draft.tex")
    assert status == 1
    assert found["citations"][1] == {
        "file": "draft.tex",
        "line": 4,
        "column": 30,
        "command": "citep",
        "keys": [
            {"key": "parse2006", "line": 4, "column": 44},
            {"key": "nowhere1990", "line": 4, "column": 55},
        ],
        "undefined": ["nowhere1990"],
    }
    assert [c["command"] for c in found["citations"]] == ["cite", "citep", "nocite"]
    assert "1 undefined key" in err
    (project / "draft.tex").write_text(DRAFT.replace(", nowhere1990", ""))
    status, out, _ = run("citations", "draft.tex")
    assert (status, out.splitlines()[1]) == (0, "draft.tex:4:30  \\citep  parse2006")


def test_a_broken_entry_is_reported_with_its_line_and_does_not_affect_others(project, run_json):
    (project / "refs.bib").write_text("@article{broken, title = {never closed,\n\n" + BIB)
    _, found, err = run_json("citations", "draft.tex")
    assert found["citations"][1]["undefined"] == ["nowhere1990"]
    assert "refs.bib:1:" in err


@pytest.mark.parametrize("command", ["citations", "check"])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("draft.tex", "\\documentclass{article}\\begin{document}\\cite{parse2006}\\end{document}"),
        ("draft.tex", "\\documentclass{article}\\bibliography{gone}\\cite{parse2006, order1999}"),
        ("draft.md", "Moss by @alice grows [@parse2006; see @order1999, p. 3].\n"),
        ("draft.qmd", "Moss by @alice grows [@parse2006].\n"),
        ("draft.typ", "Moss of @alice grows #cite(<parse2006>) @order1999.\n"),
    ],
)
def test_what_the_bibliography_beside_the_draft_has_is_not_undefined(
    project, run_json, command, name, text
):
    (project / "draft.tex").unlink()
    (project / name).write_text(text)
    _, found, err = run_json(command, name)
    entries = found.get("findings") or found.get("citations")
    assert not [
        each for each in entries if each.get("undefined") or each.get("kind") == "undefined-key"
    ]
    assert "no bibliography found" not in err
    if command == "citations":
        assert run_json(command, name)[0] == 0


def test_the_commands_agree_on_a_key_that_the_bibliography_beside_the_draft_lacks(
    project, run_json
):
    (project / "draft.tex").write_text(DRAFT.replace("\\bibliography{refs}", ""))
    status, found, _ = run_json("citations", "draft.tex")
    assert status == 1
    undefined = [key for each in found["citations"] for key in each["undefined"]]
    checked = run_json("check", "draft.tex", "--kind", "undefined-key")[1]["findings"]
    assert undefined == ["nowhere1990"] == [each["key"] for each in checked]


@pytest.mark.parametrize(
    ("named", "message"),
    [("", ""), ("\\bibliography{gone}", "pincite: draft.tex:6: the bibliography “gone” does not exist\n")],
)  # fmt: skip
def test_a_draft_without_any_bibliography_is_reported_once(project, run, named, message):
    (project / "refs.bib").unlink()
    (project / "draft.tex").write_text(DRAFT.replace("\\bibliography{refs}", named))
    status, _, err = run("citations", "draft.tex")
    assert status == 1
    summary = "pincite: draft.tex: 3 citations, 3 undefined keys; no bibliography found; name one "
    assert err.startswith(f"{message}{summary}")
    assert err.count("\n") == 1 + bool(message)


def test_an_author_who_cites_nothing_yet_is_shown_how_to_get_a_bibliography(project, run):
    (project / "refs.bib").unlink()
    (project / "draft.tex").write_text(
        "\\documentclass{article}\\begin{document}Words.\\end{document}"
    )
    _, _, err = run("recommend", "draft.tex")
    assert "“Create references.bib and name it” where you type a key" in err.splitlines()[-1]


def test_an_unreadable_pdf_is_reported_and_the_rest_is_printed(project, run_json):
    (project / "papers").mkdir()
    (project / "papers" / "grid2008.pdf").write_bytes(b"%PDF-1.7\nnothing of the kind")
    status, found, err = run_json("recommend", "draft.tex")
    assert status == 2
    assert found["placeholders"][0]["entries"][0]["basis"] == ["abstract"]
    assert err.count("grid2008.pdf") == 1


def test_output_into_a_closed_pipe_is_quiet(project):
    program = [sys.executable, "-m", "pincite", "recommend", "draft.tex", "--format", "json"]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert b"Traceback" not in process.stderr.read()


@pytest.mark.skipif(os.name == "nt", reason="a shell closes it")
@pytest.mark.parametrize("form", ["text", "json"])
def test_without_an_output_a_draft_is_checked_all_the_same(project, form):
    program = f'"{sys.executable}" -m pincite check draft.tex --format {form} >&-'
    done = subprocess.run(program, shell=True, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("pincite: draft.tex: 3 findings")


def test_version(run):
    status, out, _ = run("--version")
    assert status == 0
    assert out.startswith("pincite ")


def test_paths_outside_the_draft_folder_are_relative_to_it(project, run_json):
    (project / "book").mkdir()
    (project / "shared").mkdir()
    (project / "shared" / "part.tex").write_text("Parsing \\cite{parse2006}.")
    (project / "book" / "main.tex").write_text("\\input{../shared/part}\\bibliography{../refs}")
    _, found, _ = run_json("citations", str(Path("book", "main.tex")))
    assert found["citations"][0]["file"] == "../shared/part.tex"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_reported_in_one_line(project):
    environment = {name: value for name, value in os.environ.items() if name != "PINCITE_DEBUG"}
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "pincite", "citations", "draft.tex"],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            env=environment,
        )
    assert done.returncode == 74
    assert done.stderr == b"pincite: the output: No space left on device\n"


@pytest.mark.parametrize(
    ("error", "message", "status"),
    [
        (
            PermissionError(13, "Permission denied", "notes.json"),
            "notes.json: Permission denied",
            74,
        ),
        (OSError(12, "Cannot allocate memory"), "internal error: OSError", 70),
        (OSError("error of a library"), "internal error: OSError: error of a library", 70),
    ],
)
def test_errors_of_the_system_name_their_place(run, monkeypatch, error, message, status):
    def fail():
        raise error

    monkeypatch.delenv("PINCITE_DEBUG", raising=False)
    monkeypatch.setattr("pincite.cli.app.app", fail)
    done, _, printed = run("citations", "draft.tex")
    assert done == status
    assert printed.startswith(f"pincite: {message}")


def test_output_that_cannot_show_a_character_shows_another(project, process):
    for command, key in (("recommend", "grid2008"), ("evidence", "parse2006")):
        done = process(command, "draft.tex", PYTHONIOENCODING="ascii")
        assert (done.returncode, "error" in done.stderr) == (0, False)
        assert key in done.stdout


def test_a_context_without_spaces_reads_as_it_was_written(project, run_json):
    (project / "draft.tex").write_text(
        "风力涡轮机的噪声\\cite{}随着速度增长 (wind)。\n\\bibliography{refs}\n", encoding="utf-8"
    )
    _, found, _ = run_json("recommend", "draft.tex")
    context = found["placeholders"][0]["context"]
    assert context == "风力涡轮机的噪声 [CITATION HERE] 随着速度增长 wind"


@pytest.mark.parametrize(
    ("bibliography", "message"),
    [
        ("", "draft.tex:1: no bibliography is named; name one with \\bibliography or \\addbibresource. "),
        ("\\bibliography{gone}", "draft.tex:6: the bibliography “gone” does not exist; name one that can be read. "),
    ],
)  # fmt: skip
def test_the_bibliography_beside_the_draft_serves_and_that_is_reported_once(
    project, run, run_json, bibliography, message
):
    (project / "draft.tex").write_text(DRAFT.replace("\\bibliography{refs}", bibliography))
    status, found, err = run_json("recommend", "draft.tex")
    assert status == 0
    assert found["placeholders"][0]["entries"][0]["key"] == "grid2008"
    assert (
        err
        == f"pincite: {message}Until then refs.bib beside draft.tex serves for suggestions and evidence\n"
    )
    assert "parse2006" in run("evidence", "draft.tex")[1]
    counted = run_json("index", "draft.tex")[1]
    assert (counted["entries"], len(counted["problems"])) == (3, 1)


def test_a_bibliography_that_the_author_chooses_is_the_only_one(project, run_json):
    (project / "draft.tex").write_text(DRAFT.replace("\\bibliography{refs}", ""))
    (project / "mine.bib").write_text("@misc{mine, title={Entity grids}}")
    _, found, err = run_json("recommend", "draft.tex", "--bib", "mine.bib")
    assert [entry["key"] for entry in found["placeholders"][0]["entries"]] == ["mine"]
    assert err == ""


def test_for_a_part_without_its_main_file_the_workspace_option_is_named(project, run, run_json):
    (project / "parts").mkdir()
    (project / "parts" / "latexmkrc").touch()  # where looking for its main file ends
    part = project / "parts" / "one.tex"
    part.write_text("Entity grids record coherence \\cite{}.\n")
    (project / "draft.tex").write_text(DRAFT.replace("\\nocite", "\\input{parts/one}\n\\nocite"))
    status, _, err = run("recommend", "parts/one.tex")
    assert status == 2
    assert "--workspace DIR" in err
    status, found, _ = run_json("recommend", "parts/one.tex", "--workspace", ".")
    assert status == 0
    assert found["placeholders"][0]["entries"][0]["key"] == "grid2008"


def test_keywords_are_no_sentences(project, run_json, ranked):
    (project / "refs.bib").write_text(
        "@misc{parse2006, title = {On trees}, keywords = {parsing, data, dependency}}\n"
        "@misc{b, title = {Other}}\n"
    )
    _, found, _ = run_json("evidence", "draft.tex", "--key", "parse2006")
    assert (found["citations"][0]["basis"], found["citations"][0]["supporting"]) == (["title"], [])
    assert next(iter(ranked("--at", "4:10"))) == "parse2006"


def test_a_set_shows_what_its_members_contain(project, run, run_json):
    with (project / "refs.bib").open("a") as refs:
        refs.write("@set{both, entryset = {grid2008, parse2006}}\n")
    (project / "draft.tex").write_text("The entity grid \\cite{both}.\n\\bibliography{refs}\n")
    _, found, _ = run_json("evidence", "draft.tex")
    assert found["citations"][0]["basis"] == ["abstract"]
    assert found["citations"][0]["supporting"][0]["text"].startswith("An entity grid")
    _, out, _ = run("evidence", "draft.tex")
    assert "Modelling local coherence by entity grids; Data-driven dependency parsing" in out


def test_vectors_of_ones_own_are_used(project, ranked):
    words = ["patterns", "records"]
    matrix = np.ones((2, 4), dtype=np.float32)
    save(project / "own.safetensors", words, matrix, [1, 1], {"tokens": "2"})
    best, *_ = ranked("--vectors", "own.safetensors").values()
    support = best["supporting"][0]
    assert "records" in {support["text"][start:end] for start, end in support["matched"]}


@pytest.mark.parametrize("system", ["asymmetric-uniform", "symmetric", "bm25-2field", "tfidf"])
def test_another_system_finds_the_sentences(project, run_json, system):
    _, found, err = run_json("recommend", "draft.tex", "--system", system)
    supporting = found["placeholders"][0]["entries"][0]["supporting"]
    assert supporting[0]["text"].startswith("An entity grid records")
    assert supporting[0]["matched"]
    assert err == ""


def test_a_trained_model_is_taken_by_the_systems_of_its_kind_only(project, run):
    (project / "model" / "all").mkdir(parents=True)
    layers = np.ones((1, 2), np.float32)
    NealModel({"words": 0}, layers, layers).save(project / "model" / "all")
    ModelFolder(project / "model", "neal").write()
    status, out, err = run("recommend", "draft.tex", "--system", "neal", "--model", "model")
    assert (status, err) == (0, "")
    assert "in which role" in out
    for system in ("asymmetric", "sbert"):
        status, _, err = run("recommend", "draft.tex", "--system", system, "--model", "model")
        assert status == 2
        assert "of kind 'neal'" in err
    status, _, err = run("recommend", "draft.tex", "--system", "neal", "--model", "gone")
    assert status == 2
    assert "gone" in err

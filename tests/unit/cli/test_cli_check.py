"""``pincite check`` as an author or a continuous integration calls it."""

from pathlib import Path

import pytest
from rich.console import Console
from test_cli import small_project

from pincite.checking.draft_report import report
from pincite.checking.whole_draft import Finding, Place
from pincite.cli import output
from pincite.model.drafts import Draft

__all__ = ["small_project"]


def test_the_findings_as_json(project, run_json):
    status, found, err = run_json("check", "draft.tex")
    assert status == 1
    assert found["draft"] == "draft.tex"
    names = {"id", "file", "line", "column", "kind", "key", "message", "excerpt"}
    assert all(set(each) == names for each in found["findings"])
    assert [(each["line"], each["kind"], each["key"]) for each in found["findings"]] == [
        (3, "placeholder", ""),
        (4, "title-only", "parse2006"),
        (4, "undefined-key", "nowhere1990"),
    ]
    assert "pincite: draft.tex: 3 findings: 1 undefined-key, 1 placeholder, 1 title-only" in err


def test_every_citation_has_a_verdict(project, run_json):
    (project / "papers").mkdir()
    (project / "papers" / "order1999.txt").write_text("Words stand in an order.\n")
    text = (project / "draft.tex").read_text()
    (project / "draft.tex").write_text(text.replace("\\cite{}", "\\cite{grid2008}").replace(
        "\\nocite{order1999}", "Frogs quak \\cite{order1999}."))  # fmt: skip
    _, found, _ = run_json("check", "draft.tex")
    assert [(each["key"], each["verdict"]["kind"]) for each in found["citations"]] == [
        ("grid2008", "supported"),
        ("parse2006", "not checked"),
        ("nowhere1990", "not checked"),
        ("order1999", "not checked"),
    ]
    names = {"file", "line", "column", "key", "verdict"}
    assert all(set(each) == names for each in found["citations"])
    assert found["verdicts"] == {
        "citations": 4, "supported": 1, "without_support": 0, "not_checked": 3,
        "reasons": {"title only": 1, "undefined key": 1, "too short": 1},
    }  # fmt: skip


def test_verdicts_need_papers(project, run_json):
    _, found, _ = run_json("check", "draft.tex", "--kind", "placeholder")
    assert (found["citations"], found["verdicts"]["citations"]) == ([], 0)


def test_a_chapter_with_a_preamble_of_its_own_is_checked_with_its_thesis(project, run):
    (project / "chapter.tex").write_text(
        "\\documentclass{standalone}\\begin{document}\\cite{parse2006,nowhere1990}\\end{document}"
    )
    (project / "thesis.tex").write_text(
        "\\documentclass{book}\\begin{document}\\input{chapter}\\bibliography{refs}\\end{document}"
    )
    _, out, err = run("check", "chapter.tex", "--kind", "undefined-key")
    assert "chapter.tex: part of thesis.tex, whose bibliographies and commands apply" in err
    assert "parse2006" not in out
    assert "nowhere1990" in out
    _, _, err = run("check", "thesis.tex", "--kind", "undefined-key")
    assert "part of" not in err


def test_the_findings_as_text(project, run):
    status, out, _ = run("check", "draft.tex")
    lines = out.splitlines()
    assert status == 1
    assert lines[0].startswith("draft.tex:3:63  placeholder  [")
    assert any(line.startswith("draft.tex:4:55  undefined-key  [") for line in lines)
    assert "1 cited work is known by its title only" in lines
    assert "    parse2006" in lines
    assert max(map(len, lines)) <= 80
    summary = "2 citations: 0 supported, 0 without support, 2 not checked (1 title only, 1 undefined key)."
    assert " ".join(out.split()).endswith(summary)


def test_an_undefined_key_is_reported_once_in_text(project, run):
    draft = (project / "draft.tex").read_text()
    (project / "draft.tex").write_text(draft.replace("\\nocite", "\\cite{nowhere1990} \\nocite"))
    _, out, _ = run("check", "draft.tex", "--kind", "undefined-key")
    assert out.count("nowhere1990") == 1
    assert "It is cited in 1 more place." in " ".join(out.split())


def test_a_narrow_terminal_has_no_line_that_it_would_break_again(monkeypatch):
    screen = Console(force_terminal=True, width=40)
    monkeypatch.setattr(output, "console", lambda: screen)
    lines = output.lines_of("of many otters " * 6, 4)
    assert [*map(len, lines)] == [32, 34, 21]


def test_kinds_can_be_chosen_and_no_finding_is_success(project, run_json):
    status, found, _ = run_json("check", "draft.tex", "--kind", "weak-support")
    assert (status, found["findings"]) == (0, [])
    status, found, _ = run_json("check", "draft.tex", "--kind=placeholder", "--kind=undefined-key")
    assert status == 1
    assert [each["kind"] for each in found["findings"]] == ["placeholder", "undefined-key"]


def test_an_unknown_kind_is_an_error(project, run):
    status, out, err = run("check", "draft.tex", "--kind", "typo")
    assert (status, out) == (2, "")
    assert "typo" in err
    assert "weak-support" in err
    assert "retracted" in err


@pytest.mark.parametrize(
    ("name", "text", "keys"),
    [
        ("notes.md", "Words by @alice and @bob.\n", []),
        ("notes.qmd", "Words by @alice and @bob.\n", []),
        ("notes.typ", "Words by @alice and me@bob.org.\n", []),
        ("notes.md", "Words [@alice; @carol] by @bob [see @carol].\n", ["alice", "carol"]),
        ("notes.typ", "Words #cite(<alice>) #cite(<carol>) by @bob.\n", ["alice", "carol"]),
        ("notes.tex", "\\documentclass{article}\\cite{alice} \\cite{carol} \\cite{alice}", ["alice", "carol"]),
    ],
)  # fmt: skip
def test_without_any_bibliography_that_is_reported_once_and_names_are_not_keys(
    tmp_path, monkeypatch, run, name, text, keys
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(text)
    status, out, err = run("check", name, "--kind", "undefined-key")
    assert status == 1
    assert out.count("No bibliography:") + err.count("no bibliography found") == 1
    assert "bibliography" in out.partition("Name one with")[2] or "--bib FILE" in err
    assert (out.splitlines()[-1].split() if out else []) == [
        *map("{},".format, keys[:-1]),
        *keys[-1:],
    ]
    assert "bob" not in out + err


def test_a_text_without_names_needs_no_bibliography(tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.md").write_text("Words.\n")
    assert run("check", "notes.md") == (0, "", "pincite: notes.md: 0 findings\n")


@pytest.mark.parametrize(
    ("name", "text", "options", "keys"),
    [
        ("notes.md", "Words by @alice.\n", ["--bib", "refs.bib"], ["alice"]),
        # Beside a bibliography that is not named, names are no keys.
        ("notes.qmd", "Words by @alice [@carol].\n\nMore [@moss; @dora].\n", [], ["dora"]),
    ],
)
def test_names_are_keys_once_a_bibliography_is_named(
    tmp_path, monkeypatch, run_json, name, text, options, keys
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(text)
    (tmp_path / "refs.bib").write_text("@book{moss, title={Moss}}")
    _, found, _ = run_json("check", name, *options, "--kind", "undefined-key")
    assert [each["key"] for each in found["findings"]] == keys


@pytest.mark.parametrize("name", ["report.html", "report.md"])
def test_a_report_has_all_findings_and_is_written_again(project, run, name):
    for _ in range(2):
        status, _, err = run("check", "draft.tex", "--report", name)
        assert status == 1
        assert "is not a report" not in err
    text = (project / name).read_text()
    assert "Claim check of draft.tex" in text
    for shown in ("draft.tex:3:63", "nowhere1990", "A citation is missing here.", "parse2006"):
        assert shown in text
    assert "title-only" not in text


def test_a_page_has_no_empty_column_breaks_no_name_and_folds_what_was_not_checked(project, run):
    run("check", "draft.tex", "--report", "report.html")
    page = (project / "report.html").read_text()
    placeholders = page.partition("<h2>Placeholders (1)</h2>")[2].partition("</table>")[0]
    assert "<th>Place</th><th>Finding</th>" in placeholders
    assert '<td class="code"><span>draft.tex:3:63</span></td>' in placeholders
    assert "<details>\n<summary><h2>Known by title only (1)</h2></summary>" in page
    assert "2 citations: 0 supported, 0 without support, 2 not checked" in page


@pytest.mark.parametrize("name", ["report.pdf", "report", "gone/report.md", "."])
def test_a_report_that_cannot_be_written_is_an_error_before_the_check(project, run, name):
    status, out, err = run("check", "draft.tex", "--report", name)
    assert (status, out) == (2, "")
    assert name in err


@pytest.mark.parametrize("name", ["notes.md", "page.html", "draft.md"])
def test_a_report_overwrites_nothing_but_a_report(project, run, name):
    (project / name).write_text("My own text.\n", encoding="utf-8")
    status, _, err = run("check", "draft.tex", "--report", name)
    assert status == 2
    assert "exists and is not a report" in err
    assert (project / name).read_text(encoding="utf-8") == "My own text.\n"


def test_markup_in_a_draft_stays_text_in_a_report():
    key, text = "<script>`x", "a <b> & *c* [d](e) \x1b[31m"
    place = Place(Path("d.tex"), 1, 1)
    finding = Finding("undefined-key", place, text, key, text, "", 0, 1)
    given = ("<d>.tex", Draft(place.file, place.file, ()), [finding], Path())
    html, markdown = report("html", *given), report("markdown", *given)
    assert "<script>" not in html
    assert "<b>" not in html
    assert "\x1b" not in html + markdown
    assert "`<script>'x`" in markdown
    assert r"\*c\* \[d\](e)" in markdown

"""The file of decisions: made for version control, and read as far as it can be."""

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from pincite.checking.decisions import FILE_NAME, Decision, accept, read_decisions
from pincite.checking.whole_draft import Finding, Place
from pincite.model.problems import InputError

CLAIM = Finding(
    "weak-support", Place(Path("main.tex"), 3, 5), "Nothing was found.", "naiman", "",
    "Beavers keep sediment in rivers.", 10, 16, "10.1000/beavers",
)  # fmt: skip
RETRACTED = Finding(
    "retracted", Place(Path("refs.bib"), 1, 1), "This work was corrected.", "frogs", "", "", 0, 4,
    "10.1000/frogs", "was corrected",
)  # fmt: skip


@pytest.fixture(name="path")
def file_of_decisions(tmp_path):
    return tmp_path / FILE_NAME


def test_a_decision_is_a_line_that_people_can_read(path):
    accept(path, [Decision.of(CLAIM, 'so "he" says\n', "A. Author"), Decision.of(RETRACTED)])
    remark, first, second = path.read_text().splitlines()
    assert remark.startswith("# ")
    assert first.startswith(f'{RETRACTED.id} = {{ kind = "retracted", key = "frogs", on = ')
    assert 'about = "beavers keep sediment in rivers"' in second
    assert second.endswith(r'note = "so \"he\" says\n", by = "A. Author" }')
    known = read_decisions(path)
    assert known.made[CLAIM.id].note == 'so "he" says\n'
    assert known.problems == ()


@pytest.mark.parametrize(
    "sentence", ["Beavers  keep\nsediment, in rivers", "beavers keep sediment (in rivers)!"]
)
def test_it_holds_whatever_happens_to_spaces_signs_and_neighbours(sentence):
    moved = replace(CLAIM, place=Place(Path("main.tex"), 99, 1), sentence=sentence)
    assert moved.id == CLAIM.id


def test_a_sentence_or_a_work_that_changes_is_asked_about_again(path):
    accept(path, [Decision.of(CLAIM)])
    known = read_decisions(path)
    changed = replace(CLAIM, sentence="Beavers keep much gravel in rivers.")
    assert changed.id not in known.made
    change = known.change(changed, [changed])
    assert change.endswith("the sentence has changed: “sediment” is gone, “much gravel” is new.")
    other = replace(CLAIM, work="10.1000/other")
    assert "changed from 10.1000/beavers to 10.1000/other" in known.change(other, [other])
    assert known.change(replace(CLAIM, sentence="Frogs sing."), []) == ""


def test_a_correction_that_becomes_a_retraction_is_asked_about_again(path):
    accept(path, [Decision.of(RETRACTED)])
    worse = replace(RETRACTED, state="was retracted")
    known = read_decisions(path)
    assert worse.id not in known.made
    assert "(before: was corrected)" in known.change(worse, [worse])


def test_a_line_of_the_same_finding_is_replaced_and_all_others_stay(path):
    other = 'zz = { kind = "a-later-kind", key = "naiman", deep = { more = [1, 2] } }\n'
    path.write_text(f"# Ours.\n{other}")
    accept(path, [Decision.of(CLAIM, "first")])
    accept(path, [Decision.of(CLAIM, "second")])
    text = path.read_text()
    assert text.startswith("# Ours.\n")
    assert other in text
    assert (text.count("first"), text.count("second")) == (0, 1)
    (problem,) = read_decisions(path).problems
    assert "not a decision that Pincite knows" in problem.message


def test_a_note_may_have_any_line_separator_of_unicode(path):
    accept(path, [Decision.of(CLAIM, "seen\u2028twice\u2029")])
    known = read_decisions(path)
    assert (known.made[CLAIM.id].note, known.problems) == ("seen\u2028twice\u2029", ())


def test_remarks_stay_lines_of_their_own(path):
    accept(path, [Decision.of(CLAIM)])
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n") + b"  # mine\r\n# the last")
    accept(path, [Decision.of(RETRACTED)])
    lines = path.read_bytes().split(b"\n")
    assert lines[1:3] == [b"  # mine", b"# the last"]
    assert read_decisions(path).made.keys() == {CLAIM.id, RETRACTED.id}
    assert b"\r" not in path.read_bytes()


def test_a_conflict_is_read_as_far_as_it_can_be_and_never_rewritten(path):
    ours, theirs = Decision.of(CLAIM).line(), Decision.of(RETRACTED).line()
    path.write_text(f"<<<<<<< ours\n{ours}=======\n{theirs}>>>>>>> theirs\nno TOML\n")
    before = path.read_bytes()
    known = read_decisions(path)
    assert {*known.made} == {CLAIM.id, RETRACTED.id}
    assert [each.line for each in known.problems] == [1, 3, 5, 6]
    with pytest.raises(InputError, match=f"{FILE_NAME}:1: is a conflict marker"):
        accept(path, [Decision.of(CLAIM)])
    assert path.read_bytes() == before


def test_no_file_is_no_decision(path, tmp_path):
    assert read_decisions(path).made == {}
    path.mkdir()
    assert len(read_decisions(path).problems) == 1
    with pytest.raises(InputError, match="cannot be written"):
        accept(path, [Decision.of(CLAIM)])


def test_two_authors_lines_are_merged_by_git(tmp_path):
    def git(*arguments):
        name = ("-c", "user.name=A", "-c", "user.email=a@example.org")
        subprocess.run(("git", *name, *arguments), cwd=tmp_path, check=True, capture_output=True)

    path = tmp_path / FILE_NAME
    (tmp_path / ".gitattributes").write_text(f"{FILE_NAME} merge=union\n")
    accept(path, [Decision.of(CLAIM)])
    git("init", "-b", "main")
    git("add", ".")
    git("commit", "-m", "one")
    git("checkout", "-b", "theirs")
    accept(path, [Decision.of(RETRACTED)])
    git("commit", "-am", "two")
    git("checkout", "main")
    accept(path, [Decision.of(replace(RETRACTED, key="toads"))])
    git("commit", "-am", "three")
    git("merge", "theirs")
    known = read_decisions(path)
    assert (len(known.made), known.problems) == (3, ())

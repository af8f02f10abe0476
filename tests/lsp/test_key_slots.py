"""Where a key is being typed, and what a completion replaces: never more than the author means."""

from pathlib import Path

import pytest

from pincite.parsing.latex.commands import CommandTable
from pincite.parsing.latex.parse import parse_tex
from pincite.parsing.markups import markup_of


def slot_at(marked: str, known=("b", "c")):
    before, after = marked.split("|")
    file = parse_tex(Path("draft.tex"), before + after, CommandTable())
    return markup_of(file.path).syntax.key_slot(file, len(before), lambda key: key in known)


@pytest.mark.parametrize(
    ("marked", "completed"),
    [
        (r"\cite{|}", r"\cite{KEY}"),
        (r"\cite{ | }", r"\cite{ KEY }"),
        (r"\cite{sm|}", r"\cite{KEY}"),
        (r"\cite{sm|ith}", r"\cite{KEY}"),
        (r"\cite{a, sm|}", r"\cite{a, KEY}"),
        (r"\cite{a,sm|,c}", r"\cite{a,KEY,c}"),
        (r"\cites[12]{a}[3]{b}{|}", r"\cites[12]{a}[3]{b}{KEY}"),
        (r"\citep*{sm|", r"\citep*{KEY"),
        ("\\cite{a,\n  sm|,\n  c}", "\\cite{a,\n  KEY,\n  c}"),
        # A placeholder is what is to be replaced.
        (r"\cite{?|}", r"\cite{KEY}"),
        (r"\cite{|TODO}", r"\cite{KEY}"),
        (r"\cite{a,TODO|}", r"\cite{a,KEY}"),
        (r"\cite<|>", r"\citeKEY"),
        (r"\cite<|", r"\citeKEY"),
        (r"\Citep*<| and", r"\Citep*KEY and"),
        (r"\cite<sm|>", r"\citeKEY"),
        (r"\cite<sm|ith> and", r"\citeKEY and"),
        (r"\cite<sm| and", r"\citeKEY and"),
        # Another key follows the cursor.
        (r"\cite{|b}", r"\cite{KEYb}"),
        (r"\cite{a,|b}", r"\cite{a,KEYb}"),
        (r"\cite{sm|b}", r"\cite{KEYb}"),
        (r"\cite{a,|,b}", r"\cite{a,KEY,b}"),
        # The list is not closed yet: another brace closes it, or nothing.
        (r"\footnote{As \cite{| before.}", r"\footnote{As \cite{KEY before.}"),
        (r"\footnote{As \cite{sm| before.}", r"\footnote{As \cite{KEY before.}"),
        (r"\footnote{As \cite{TODO| before.}", r"\footnote{As \cite{KEY before.}"),
        (r"\cite{|text goes on", r"\cite{KEYtext goes on"),
        (r"\cite{sm|, and \emph{x}", r"\cite{KEY, and \emph{x}"),
        ("\\cite{sm|\n\nNext, words}", "\\cite{KEY\n\nNext, words}"),
        # A comma is missing at the end of a line: editors drop edits of several lines.
        ("\\cite{a\n  sm|}", "\\cite{a\n  KEY}"),
        # A line for the next key is blank.
        ("\\cite{a,\n  |\n}", "\\cite{a,\n  KEY\n}"),
        ("\\cite{a,\n  |\n  c}", "\\cite{a,\n  KEY\n  c}"),
        ("\\cite{sm|\n  c}", "\\cite{KEY\n  c}"),
        (r"\url{a%20b} \cite{|}", r"\url{a%20b} \cite{KEY}"),
    ],
)
def test_a_completion_replaces_what_was_typed(marked, completed):
    slot = slot_at(marked)
    text = marked.replace("|", "")
    assert text[: slot.start] + "KEY" + text[slot.end :] == completed
    assert "\n" not in text[slot.start : slot.end]
    cursor = marked.index("|")
    assert slot.start <= cursor <= slot.end
    assert slot.prefix == text[slot.start : cursor]


@pytest.mark.parametrize(
    "marked",
    [r"\cite{a}|", r"\cite|{a}", r"\cite[p.~|]{a}", r"\emph{|}", "x <| 3", r"\cite<2|>{a}", r"\cite<2|->[p.~1]{a}", r"\cite<sm> x|", "\\cite{a, % no|\n b}", r"% \cite<|", "\\cite{a,\n\n|So it is."],
)  # fmt: skip
def test_no_key_can_be_elsewhere(marked):
    assert slot_at(marked) is None


@pytest.mark.parametrize("marked", [r"\cite{?|}", r"\cite{TODO|}", r"\cite{|b}", r"\cite<|>"])
def test_a_placeholder_is_nothing_to_search_for(marked):
    assert slot_at(marked).search == ""


def test_what_is_typed_between_angles_is_searched_for():
    slot = slot_at(r"\cite< sm|>")
    assert (slot.search, slot.prefix) == ("sm", "< sm")


def test_the_other_keys_of_the_command_are_taken():
    assert slot_at(r"\cites{a}{b,sm|}").taken == {"a", "b"}
    assert slot_at(r"\cite{a,|b}").taken == {"a", "b"}

"""Citation contexts: words on both sides of a place, the citance, and what of it a citation asks."""

from pathlib import Path

import pytest

from pincite.contexts.windows import asked_at, citance_at, extract, of_place
from pincite.model.drafts import CITATION_MARK, DraftFile
from pincite.parsing.drafts import DraftReader
from pincite.settings import Window

M = CITATION_MARK


def numbered(first: int, last: int) -> tuple[str, ...]:
    return tuple(f"w{number}" for number in range(first, last + 1))


def at_mark(prose: str) -> int:
    return prose.index(M)


def written(folder: Path, text: str) -> DraftFile:
    path = folder / "draft.tex"
    path.write_text(text)
    (file,) = DraftReader().read(path).files
    return file


@pytest.mark.parametrize(
    ("left", "right"), [(5, 5), (10, 10), (10, 5), (20, 20), (30, 30), (0, 3), (3, 0)]
)
def test_a_window_has_its_words_on_each_side(left: int, right: int) -> None:
    prose = " ".join(numbered(1, 40)) + f" {M} " + " ".join(numbered(41, 80))
    context = extract(prose, at_mark(prose), Window(left, right))
    assert context.left == numbered(41 - left, 40)
    assert context.right == numbered(41, 40 + right)
    assert context.words == context.left + context.right


GAP = " \n" * 2_000
LONG = "x" * 400


@pytest.mark.parametrize(
    ("prose", "number", "left", "right"),
    [
        (f"One two {M}, three.", 20, "One two", "three"),
        (f"We use A ({M}), B and {M}.", 3, "We use A", "B and"),
        (f"one{GAP}two{GAP}{M}{GAP}one{GAP}two", 2, "one two", "one two"),
        (f"{LONG} {LONG} {M}{LONG} {LONG}", 2, f"{LONG} {LONG}", f"{LONG} {LONG}"),
        # Where there are hardly any words, not all of the prose is read.
        (f"far {M * 50_000} near", 2, "far", ""),
    ],
)
def test_a_window_has_words_only(prose: str, number: int, left: str, right: str) -> None:
    context = extract(prose, at_mark(prose), Window(number, number))
    assert (context.left, context.right) == (tuple(left.split()), tuple(right.split()))


@pytest.mark.parametrize(
    ("prose", "citance"),
    [
        (f"First. It is so.{M} Third one.", "It is so."),
        (f"First. It is so. {M} Third one.", "It is so."),
        (f"First.\n\n{M} showed it. Third.", "showed it."),
        (f"See e.g. {M}. Then.", "See e.g."),
        (f"Before.\n\n{M}\n\nAfter.", ""),
        (f"中文文本{M}。下一句。", "中文文本。"),
        (M, ""),
        (f"Before. {M} and {M} say so {M}. After.", "say so."),
        (f"A call-out to {M}, {M}, {M}, and {M}, which helped.", "A call-out to, which helped."),
    ],
)
def test_the_citance_is_the_sentence_without_its_citations(prose: str, citance: str) -> None:
    assert {citance_at(prose, at) for at, sign in enumerate(prose) if sign == M} == {citance}


def test_the_citance_at_a_place_without_a_citation() -> None:
    prose = "First one. Second one. Third one."
    assert citance_at(prose, 15) == "Second one."
    assert citance_at(prose, len(prose)) == "Third one."
    assert citance_at("", 0) == ""


def test_a_citation_that_is_part_of_the_sentence_keeps_its_place_as_a_name(tmp_path: Path) -> None:
    text = (
        r"The vectors made by \citet{bojanowski} at Facebook are fast \citep{joulin}, "
        r"says \citet{unknown}."
    )
    file = written(tmp_path, text)
    names = {"bojanowski": "Bojanowski et al.", "joulin": "Joulin et al."}
    found = of_place(file, text.index(r"\citep"), Window(5, 5), lambda key: names.get(key, ""))
    assert found.citance == "The vectors made by Bojanowski et al. at Facebook are fast, says."


def test_time_is_linear_in_the_citations_of_a_sentence() -> None:
    # Each of them once had the whole sentence read again: minutes.
    prose = f"We saw {f'{M} ' * 20_000}here."
    for offset in range(7, len(prose) - 5, 2):
        citance_at(prose, offset)


@pytest.mark.parametrize(
    ("citations", "alone"),
    [
        (r"\cite{one,two}", False),
        (r"\cite{two}, \cite{one}", False),
        (r"\cite{two} and so it is \cite{one}", True),
        (r"\cite[p. 3]{one} \cite[p. 4]{one}", True),
    ],
)
def test_a_citation_is_alone_if_no_other_work_is_cited_beside_it(
    citations: str, alone: bool, tmp_path: Path
) -> None:
    text = f"In the beginning {citations}."
    file = written(tmp_path, text)
    assert of_place(file, text.rindex(r"\cite"), Window(5, 5)).is_alone == alone
    assert of_place(file, 3, Window(5, 5)).is_alone


# The part of a sentence that a citation stands for: ⟦⟧ is the citation, ¤ are others.


def placed(prose: str) -> tuple[str, int]:
    return prose.replace("⟦⟧", "¤").replace("¤", M), prose.index("⟦⟧")


LED = "Discontinuous phrases are parsed with range concatenation grammars. "


@pytest.mark.parametrize(
    ("prose", "expected"),
    [
        # One citation, or several for one thing: the sentence.
        ("Rare terms weigh more in a match ⟦⟧.", "Rare terms weigh more in a match."),
        ("Rare terms weigh more in a match [¤, ⟦⟧ and ¤] than others.", "Rare terms weigh more in a match than others."),
        # Several for several things: each has what is before it.
        ("Stack decoders extend partial hypotheses ⟦⟧, and beam search prunes the weak ones ¤.", "Stack decoders extend partial hypotheses"),
        ("Stack decoders extend partial hypotheses ¤, and beam search prunes the weak ones ⟦⟧.", ", and beam search prunes the weak ones."),
        # A name that begins a clause has what follows it.
        ("⟦⟧ combined word recurrence with a thesaurus; ¤ relied on collocations in the text.", "combined word recurrence with a thesaurus;"),
        ("¤ combined word recurrence with a thesaurus, while ⟦⟧ relied on collocations and linguistic cues.", "relied on collocations and linguistic cues."),
        # A part with too few words is no part.
        ("The tasks are parsing ⟦⟧, tagging ¤ and the resolution of pronouns ¤.", "The tasks are parsing, tagging and the resolution of pronouns."),
        # A sentence that leans on the one before is read with it.
        (LED + "This takes polynomial time for every fixed fan-out ⟦⟧.", LED + "This takes polynomial time for every fixed fan-out."),
        (LED + "See ⟦⟧.", LED + "See."),
        # What was described elsewhere is what is done around it.
        (LED + "Sections were cut as described previously ⟦⟧. They were stained.", LED + "Sections were cut as described previously. They were stained."),
    ],
)  # fmt: skip
def test_a_citation_asks_for_its_own_part_of_the_text(prose: str, expected: str) -> None:
    assert asked_at(*placed(prose)) == expected


@pytest.mark.parametrize("prose", ["⟦⟧", "¤⟦⟧¤", " \n⟦⟧", "a.⟦⟧\n\nb"])
def test_next_to_nothing_is_read_without_fault(prose: str) -> None:
    assert M not in asked_at(*placed(prose))
    assert M not in citance_at(*placed(prose))

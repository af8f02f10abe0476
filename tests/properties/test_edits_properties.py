"""Whatever the author has written: an edit of a citation changes that citation and nothing else."""

from collections import Counter
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.edits.citations import (
    cited_at,
    cited_at_end,
    conventions,
    filled,
    pin,
    sentence_at,
)
from pincite.model.drafts import Draft, DraftFile
from pincite.model.edits import applied
from pincite.parsing.drafts import DraftReader

NEW = "new:key-1"

COMMANDS = r"""
\cite \citep \citet* \parencite \textcite \autocite* \footcite \citeA \volcite{2} \citeauthor \nocite
\cites \parencites \cites(see)(end) \supercite \textcquote \own \short \cite<see> \Citep \unknown
""".split()
NOTES = [
    "", "", "", "[]", "[see][]", "[p.~3]", "[pp. 3, 7--9]", "[see][chap. 2]", "[{]}]", "[12]", "[a][b][c]",
    "[see % note ]\n][5% six\n]", "[\\emph{x}][S.~4]", "[see", "[$a_1$]", " [ xii ] ",
]  # fmt: skip
KEYS = [
    "{a}", "{a,b}", "{a, b,c}", "{}", "{ ? }", "{a,TODO}", "{a,\n  b% last\n}", "{%\na}", "{a", "{a,",
    "{\\m,b}", "{é}", "<>", "[3]{a}[see][4]{b}", "{a}{b,c}", "{a}[2]", "{a}{?}",
]  # fmt: skip
WORDS = r"""
Words are shown here . ! “so.” ''so.'' ( ) { } $a=b$ $ \[ \] % \\ \% \section{ \emph{ \footnote{ ~ etc. [citation needed] [CITATION HERE]
\begin{equation} \end{equation} \begin{document} \end{document} \item 😀 ünï \label{x} \verb|%| \iffalse \fi
""".split()
SPACES = [" ", " ", " ", "\n", "\r\n", "\n\n", "% x\n", ""]
PREAMBLES = [
    "",
    "\\usepackage{biblatex}\n",
    "\\usepackage[sort]{natbib}\n",
    "\\newcommand{\\own}{\\citep}\\newcommand{\\short}[2][]{\\parencite[#1]{#2}}\n",
    "\\let\\own\\cites\\newcommand{\\short}[1]{\\cite{#1}}\n",
]

citation = st.tuples(st.sampled_from(COMMANDS), st.sampled_from(NOTES), st.sampled_from(KEYS))
part = st.one_of(citation.map("".join), st.sampled_from(WORDS), st.sampled_from(WORDS))
body = st.lists(st.tuples(part, st.sampled_from(SPACES)), max_size=14)
latex = st.tuples(st.sampled_from(PREAMBLES), body).map(
    lambda parts: parts[0] + "".join(part + space for part, space in parts[1])
)
pages = st.sampled_from(["1", "3", "4", "8", "361", "xii", "A3", "5--6", "12"])


def parse(text: str) -> tuple[Draft, DraftFile]:
    draft = DraftReader(lambda _: text).read(Path("main.tex").absolute())
    return draft, draft.files[0]


def cited(file: DraftFile) -> list[tuple[str, ...]]:
    return [tuple(key.key for key in citation.keys) for citation in file.citations]


@settings(max_examples=400)
@given(latex, pages)
def test_a_pinned_page_leaves_all_citations_as_they_are(text: str, page: str) -> None:
    draft, file = parse(text)
    ways = conventions(draft)
    for citation in file.citations:
        for index, key in enumerate(citation.keys):
            edits = pin(file, citation, key, page, ways)
            for edit in edits:
                assert citation.span.start < edit.span.start <= edit.span.end <= citation.span.end
            new = applied(text, edits)
            draft_after, after = parse(new)
            assert cited(after) == cited(file)
            assert len(after.placeholders) == len(file.placeholders)
            if edits:
                there = after.citations[file.citations.index(citation)]
                assert new[: there.span.start] == text[: citation.span.start]
                assert new[there.span.end :] == text[citation.span.end :]
                again = pin(after, there, there.keys[index], page, conventions(draft_after))
                assert again == ()


@settings(max_examples=300)
@given(latex)
def test_a_filled_placeholder_is_one_citation_more(text: str) -> None:
    draft, file = parse(text)
    ways = conventions(draft)
    for gap in file.placeholders:
        for offset in (gap.span.start, gap.span.end):
            edits = filled(file, gap, NEW, ways, offset)
            if edits:
                _, after = parse(applied(text, edits))
                keys = Counter(key for citation in cited(after) for key in citation)
                before = Counter(key for citation in cited(file) for key in citation)
                assert keys - before == Counter([NEW])
                assert not {"a", "b", "c", "é"} & (before - keys).keys()


@settings(max_examples=300)
@given(latex, st.data())
def test_citing_a_sentence_takes_no_character_away(text: str, data: st.DataObject) -> None:
    draft, file = parse(text)
    offset = data.draw(st.integers(0, len(text)))
    sentence = sentence_at(file, offset)
    if sentence is None:
        return
    assert sentence.span.covers(offset)
    assert sentence.inside <= sentence.behind
    for edit in cited_at_end(file, sentence, NEW, conventions(draft)):
        gap = edit.span.of(text)
        assert gap.strip(" \r\n,") in ("", "?", "TODO")
        assert NEW in edit.text
        assert NEW in {key.key for c in parse(applied(text, [edit]))[1].citations for key in c.keys}


@settings(max_examples=300)
@given(latex, st.data())
def test_citing_at_the_cursor_adds_one_citation_and_changes_no_other(
    text: str, data: st.DataObject
) -> None:
    draft, file = parse(text)
    offset = data.draw(st.integers(0, len(text)))
    if any(each.span.covers(offset) for each in (*file.citations, *file.placeholders)):
        return  # that one is filled or extended
    edits = cited_at(file, offset, NEW, conventions(draft), lambda new: parse(new)[1])
    for edit in edits:
        assert NEW in edit.text
        assert edit.span.of(text).strip(" \r\n,") in ("", "?", "TODO")
        keys = Counter(key for each in cited(parse(applied(text, edits))[1]) for key in each)
        before = Counter(key for each in cited(file) for key in each)
        assert keys - before == Counter([NEW])
        assert not {"a", "b", "c", "é"} & (before - keys).keys()

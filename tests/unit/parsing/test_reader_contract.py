"""What every reader of drafts keeps to, whatever the markup: offsets, half-typed text, edits.

Each markup expresses the same things in its own way; all must meet the same requirements.
"""

import gc
import random
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from pincite.edits.citations import cited_at_end, conventions, filled, pin, sentence_at, with_key
from pincite.model.drafts import CITATION_MARK, Draft, DraftFile
from pincite.model.edits import applied
from pincite.model.problems import MissingBibliography
from pincite.parsing.drafts import DraftReader
from pincite.parsing.markups import markup_of
from pincite.project.workspace import Workspace


@dataclass(frozen=True)
class Markup:
    """How a markup writes what the contract is about; ``KEY`` stands for a key."""

    name: str
    cite: Callable[..., str]
    half_typed: tuple[str, ...]
    hidden: tuple[str, ...]
    gaps: tuple[str, ...]
    pinned: str
    added: str
    heading: str
    before: str
    preamble: str = ""
    end: str = ""
    more: tuple[str, ...] = field(default=())

    def text(self, body: str) -> str:
        return f"{self.preamble}{body}{self.end}"

    def read(self, body: str) -> tuple[DraftFile, Draft]:
        text = self.text(body)
        draft = DraftReader(lambda _: text).read(Path(self.name).absolute())
        return draft.files[0], draft


LATEX = Markup(
    name="main.tex",
    cite=lambda *keys: f"\\citep{{{','.join(keys)}}}",
    half_typed=("\\citep{|", "\\citep{sm|", "\\citep{a,|", "\\citep{|}", "\\cite<|"),
    hidden=("% \\cite{x}", "\\begin{verbatim}\n\\cite{x}\n\\end{verbatim}", "\\verb|\\cite{x}|"),
    gaps=("\\citep{}", "\\citep{?}", "\\citep{TODO}", "[citation needed]"),
    pinned="\\citep[p.~7]{KEY}",
    added="\\citep{KEY,new}",
    heading="\\section{On Walls and Many Old Stones}",
    before="~",
    preamble="\\documentclass{article}\n\\begin{document}\n",
    end="\n\\bibliography{refs}\n\\end{document}\n",
    more=("\\emph{", "}", "$x$", "\\begin{itemize}", "\\item ", "{", "[", "%"),
)
MARKDOWN = Markup(
    name="paper.md",
    cite=lambda *keys: f"[{'; '.join(f'@{key}' for key in keys)}]",
    half_typed=("@|", "[@|", "[@sm|", "[@a; @|", "[@|]", "see @sm|", "[-@|", "{cite}`|", "{cite:p}`a,sm|"),
    hidden=(
        "<!-- [@x] -->", "`[@x]`", "```\n[@x]\n```", "~~~ {.r}\n@x\n~~~", "    @x", "$@x$", "$$\n@x\n$$",
        "<https://social.example/@x>", "[words](https://social.example/@x)", "<a title=\"@x\">", "\\@x",
        "me@x.org", "<pre>\n@x\n</pre>", "\\textbf{@x}", "\\begin{figure}\n@x\n\\end{figure}",
    ),
    gaps=("[@]", "[@?]", "[@TODO]", "{cite}``", "[citation needed]"),
    pinned="[@KEY, p. 7]",
    added="[@KEY; @new]",
    heading="# On Walls and Many Old Stones",
    before=" ",
    preamble="---\ntitle: Walls\nbibliography: refs.bib\n---\n\n",
    more=("*", "**", "`", "```\n", "$", "<!--", "-->", "> ", "- ", "    ", "[^1]", "^[", "](u)", "{.x}"),
)  # fmt: skip
TYPST = Markup(
    name="main.typ",
    cite=lambda *keys: " ".join(f"@{key}" for key in keys),
    half_typed=("@|", "@sm|", "@a @|", "@a[p. 3] @sm|", "(@|", "#cite(<|", "#cite(<sm|", "#cite(<|>)", "#cite(|)",
        "#cite(<sm|>, form: \"prose\")", "#cite(label(\"sm|\"))", "#footnote[see @|]",
        "#ref(<|", "#ref(<sm|>)", "$x #cite(<sm|>)$", "$ x #[see @sm|] $"),
    hidden=(
        "// @x", "/* @x /* @x */ @x */", "`@x`", "```r\n@x\n\n@x\n```", "$@x$", "$ a\n\n@x $", "\\@x", "$ \"#cite(<x>)\" /* #[@x] */ $", "#ref(<x>, form: \"page\")",
        "https://social.example/@x", "#let at = \"@x\"", "#link(\"https://social.example/@x\")[words]",
        "#{\n  let a = (1, 2) // @x\n}", "#raw(\"@x\")",
    ),
    gaps=("#cite(<>)", "#cite()", "#cite(<TODO>)", "@TODO", "@?", "[citation needed]"),
    pinned="@KEY[p. 7]",
    added="@KEY @new",
    heading="= On Walls and Many Old Stones",
    before=" ",
    end="\n\n#bibliography(\"refs.bib\")\n",
    more=("*", "_", "`", "```\n", "$", "/*", "*/", "//", "- ", "#f(", ")", "[", "]", "{", "}", "\"", "<b>", "#let x = ",
        "#figure(caption: [", "#footnote[", "#cite(", "\\"),
)  # fmt: skip
MARKUPS = [LATEX, MARKDOWN, TYPST]
every_markup = pytest.mark.parametrize("markup", MARKUPS, ids=lambda each: each.name)


def each_of(name: str) -> pytest.MarkDecorator:
    """Parametrize by markup and each of its examples of a kind."""
    cases = [(markup, each) for markup in MARKUPS for each in getattr(markup, name)]
    return pytest.mark.parametrize(
        ("markup", "example"), cases, ids=[f"{m.name}-{each!r}" for m, each in cases]
    )


def keys_of(file: DraftFile) -> list[str]:
    return [key.key for citation in file.citations for key in citation.keys]


@every_markup
def test_citations_are_found_with_the_places_of_their_keys(markup):
    file, _ = markup.read(
        f"Moss grows {markup.cite('a', 'b:c')}.\n\nLichens 😀 {markup.cite('d')} too."
    )
    assert keys_of(file) == ["a", "b:c", "d"]
    for citation in file.citations:
        assert citation.span.of(file.text) == markup.cite(*(key.key for key in citation.keys))
        assert all(key.span.of(file.text) == key.key for key in citation.keys)


@every_markup
def test_prose_has_a_mark_for_each_citation_and_leads_back_to_the_source(markup):
    body = f"{markup.heading}\n\nMoss grows {markup.cite('a')} on walls.\n\nSo it is {markup.cite('b')}."
    file, _ = markup.read(body)
    prose = file.prose
    marks = [at for at, sign in enumerate(prose.text) if sign == CITATION_MARK]
    assert [prose.source_offset(at) for at in marks] == [c.span.start for c in file.citations]
    assert [prose.offset_at(c.span.start) for c in file.citations] == marks
    for word in ("Walls", "Moss", "grows", "walls", "So"):
        at = prose.text.index(word)
        source = prose.source_offset(at)
        assert file.text[source : source + len(word)] == word
        assert prose.offset_at(source) == at
    paragraphs = [part.strip() for part in prose.text.split("\n\n") if part.strip()]
    assert paragraphs == [
        "On Walls and Many Old Stones",
        f"Moss grows {CITATION_MARK} on walls.",
        f"So it is {CITATION_MARK}.",
    ]


@each_of("hidden")
def test_hidden_text_cites_nothing(markup, example):
    file, _ = markup.read(f"Before {markup.cite('a')}.\n\n{example}\n\nBehind {markup.cite('b')}.")
    assert keys_of(file) == ["a", "b"]


@each_of("hidden")
def test_no_key_is_asked_for_in_hidden_text(markup, example):
    marked = example.replace("@x", "@x|").replace("{x", "{x|")
    before, _, after = f"Before.\n\n{marked}".partition("|")
    offset = len(markup.preamble) + len(before)
    file, _ = markup.read(f"{before}{after}\n\nBehind.")
    assert markup_of(file.path).syntax.key_slot(file, offset, lambda _: False) is None


@each_of("half_typed")
@pytest.mark.parametrize("behind", ["", " and more words.\n\nA paragraph."])
def test_a_key_can_be_completed_where_it_is_half_typed(markup, example, behind):
    before, _, after = f"Words {example}".partition("|")
    offset = len(markup.preamble) + len(before)
    file, _ = markup.read(f"{before}{after}{behind}")
    slot = markup_of(file.path).syntax.key_slot(file, offset, lambda _: False)
    assert slot is not None
    assert slot.start <= offset <= slot.end
    completed = file.text[: slot.start] + slot.write("KEY") + file.text[slot.end :]
    again, _ = markup.read(completed.removeprefix(markup.preamble).removesuffix(markup.end))
    assert "KEY" in keys_of(again)
    assert "sm" not in keys_of(again)
    assert completed.endswith(f"{behind}{markup.end}")


@each_of("gaps")
def test_a_gap_is_found_and_filled(markup, example):
    file, draft = markup.read(f"Moss grows on walls {example}.")
    (gap,) = file.placeholders
    assert gap.span.of(file.text) == example
    edited = applied(file.text, filled(file, gap, "KEY", conventions(draft)))
    again, _ = markup.read(edited.removeprefix(markup.preamble).removesuffix(markup.end))
    assert keys_of(again) == ["KEY"]
    assert not again.placeholders
    assert edited.startswith(markup.text("Moss grows on walls").removesuffix(markup.end))


@every_markup
def test_a_key_joins_a_citation_and_another_is_inserted_at_the_end_of_a_sentence(markup):
    body = f"Moss grows on walls {markup.cite('KEY')}. Lichens grow on old stones. Words."
    file, draft = markup.read(body)
    ways = conventions(draft)
    assert applied(file.text, with_key(file, file.citations[0], "new", ways)) == file.text.replace(
        markup.cite("KEY"), markup.added
    )
    assert with_key(file, file.citations[0], "KEY", ways) == ()
    sentence = sentence_at(file, file.text.index("stones"))
    inserted = applied(file.text, cited_at_end(file, sentence, "new", ways))
    assert inserted == file.text.replace("stones.", f"stones {markup.cite('new')}.")


@every_markup
def test_a_page_is_pinned_and_joins_others(markup):
    file, draft = markup.read(f"Moss grows on walls {markup.cite('KEY')}.")
    citation = file.citations[0]
    once = applied(file.text, pin(file, citation, citation.keys[0], "7", conventions(draft)))
    assert markup.pinned in once
    file, draft = markup.read(once.removeprefix(markup.preamble).removesuffix(markup.end))
    citation = file.citations[0]
    assert pin(file, citation, citation.keys[0], "7", conventions(draft)) == ()
    twice = applied(file.text, pin(file, citation, citation.keys[0], "8", conventions(draft)))
    assert "pp." in twice
    assert keys_of(markup.read(twice.removeprefix(markup.preamble))[0]) == ["KEY"]


@every_markup
def test_nothing_is_cited_in_a_heading(markup):
    file, _ = markup.read(f"{markup.heading}\n\nWords.")
    assert sentence_at(file, file.text.index("Stones")) is None


@every_markup
def test_a_missing_bibliography_is_reported_at_its_place_and_another_serves(markup, tmp_path):
    path, other = tmp_path / markup.name, tmp_path / "other.bib"
    path.write_text(markup.text(f"Moss grows {markup.cite('a')}."), "utf-8")
    other.write_text("@misc{a}", "utf-8")
    draft = Workspace(tmp_path).draft(path)
    (problem,) = draft.problems
    assert isinstance(problem, MissingBibliography)
    assert "refs" in problem.span.of(draft.files[0].text)
    assert problem.line == draft.files[0].line_column(problem.span.start)[0]
    assert [source.path for source in draft.fallback_bibliographies] == [other]


@every_markup
def test_an_edit_parses_only_its_region(markup):
    numbered = (f"Paragraph {n} has words {markup.cite(f'k{n}')}." for n in range(2_000))
    texts = {"now": markup.text("\n\n".join(numbered))}
    reader = DraftReader(lambda _: texts["now"])
    path = Path(markup.name).absolute()
    before = reader.read(path).files[0].regions
    half = markup.half_typed[0].replace("|", "")
    texts["now"] = texts["now"].replace("Paragraph 999 ", f"Paragraph {half} ")
    after = reader.read(path).files[0].regions
    assert len(before) > 4
    assert len(set(after) - set(before)) == 1


@every_markup
def test_what_was_read_is_freed_at_once(markup):
    """Not by the garbage collection, which is rare: each letter typed makes another text."""
    text = markup.text(f"Moss grows {markup.cite('a')}.")
    reader = DraftReader(lambda _: text)
    reader.read(Path(markup.name).absolute())
    freed = weakref.ref(reader)
    gc.disable()
    try:
        del reader
        assert freed() is None
    finally:
        gc.enable()


@every_markup
def test_reading_again_after_edits_gives_what_reading_afresh_does(markup):
    """Any text, cut anywhere, is read; what was read before changes nothing."""
    chance = random.Random(7)
    parts = [
        *markup.hidden,
        *markup.gaps,
        *markup.more,
        markup.heading,
        "Words.",
        "\n\n",
        "\n",
        " ",
    ]
    parts += [markup.cite("a"), markup.cite("b", "c")]
    parts += [each.replace("|", "") for each in markup.half_typed]
    path, texts = Path(markup.name).absolute(), {"now": ""}
    reader = DraftReader(lambda _: texts["now"])
    body = ""
    for _ in range(150):
        at = chance.randint(0, len(body))
        cut = chance.randint(at, min(len(body), at + 12)) if chance.random() < 0.3 else at
        body = body[:at] + chance.choice(parts) + body[cut:]
        texts["now"] = markup.text(body)
        file = reader.read(path).files[0]
        afresh = DraftReader(lambda _: texts["now"]).read(path).files[0]
        assert (file.citations, file.placeholders) == (afresh.citations, afresh.placeholders)
        assert file.prose.text == afresh.prose.text
        assert "".join(region.text for region in file.regions) == file.text
        assert [each.prose for each in file.regions] == [each.prose for each in afresh.regions]
        for region in file.regions:
            assert list(region.prose.source_starts) == sorted(region.prose.source_starts)
        for citation in file.citations:
            for key in citation.keys:
                assert citation.span.start <= key.span.start < key.span.end <= citation.span.end
                assert " ".join(key.span.of(file.text).split()) == key.key
        for offset in {0, len(file.text), at, at + len(markup.preamble)}:
            slot = markup_of(path).syntax.key_slot(file, offset, lambda _: False)
            assert slot is None or slot.start <= offset <= slot.end <= len(file.text)

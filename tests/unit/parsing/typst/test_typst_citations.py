"""Citations in Typst, beyond what its compiler decides: half-typed text, prose and edits."""

from pathlib import Path

import pytest

from pincite.edits.citations import conventions, filled, pin, with_key
from pincite.model.drafts import CITATION_MARK
from pincite.model.edits import applied
from pincite.parsing.drafts import DraftReader
from pincite.parsing.typst.markup import SYNTAX
from pincite.parsing.typst.scanner import parse_typst


def read(text):
    return parse_typst(Path("main.typ"), text)[0]


def draft_of(text):
    draft = DraftReader(lambda _: text).read(Path("main.typ").absolute())
    return draft.files[0], draft


def keys_of(text):
    return [key.key for citation in read(text).citations for key in citation.keys]


def prose_of(text):
    return read(text).prose.text.replace(CITATION_MARK, "@").strip()


@pytest.mark.parametrize("key", ["mu\u0308ller", "हिन्दी", "ด้วย2001", "張三", "a·b"])
def test_a_key_has_the_signs_of_any_script(key):
    file = read(f"Moss grows @{key}. So #cite(<{key}>), @{key}\u00b2 and <{key}>")
    assert [each.key for citation in file.citations for each in citation.keys] == [key] * 3


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("@a\n@b\n\n@c", ["@a\n@b", "@c"]),
        ("@a #cite(<b>)", ["@a", "#cite(<b>)"]),
    ],
)
def test_references_side_by_side_are_one_citation(text, cited):
    assert [citation.span.of(text) for citation in read(text).citations] == cited


def test_a_call_without_a_form_cites_nothing_here():
    first, second = read("#cite(<a>, form: none) #cite(<b>, form: auto)").citations
    assert first.listed_only
    assert not second.listed_only


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        ("= Moss <m>\nGrows *here* and _there_~now --- so.", "Moss\n\nGrows here and there now — so."),
        ("- one\n- two\n+ three\n/ Four: five", "one\n\ntwo\n\nthree\n\nFour: five"),
        ("Moss#footnote[On @a.] grows.", "Moss (On @.) grows."),
        ("So #emph[moss], #link(\"u\", [walls]) and #text(red)[stones].", "So moss, walls and stones."),
        ("Moss and\n#term[old walls] grow.", "Moss and old walls grow."),
        ("Moss\n#note[On walls]\nWords", "Moss\n\nOn walls\n\nWords"),
        ("#set page(header: [Head])\n#let a = 1; Words", "Words"),
        ("Is $x #[for all #emph[old] walls #cite(<a>)]$ so.", "Is for all old walls @ so."),
        ("As #ref(<a>), #ref(<b>, supplement: [p. 3]) and #ref(<c>, form: \"page\") say.", "As @, @ and say."),
        ("me\\@x.org \\u{e9}", "me@x.org é"),
        ("#figure(image(\"a.png\"), caption: [Moss.])\n\nWords", "Moss.\n\nWords"),
        ("#counter(page).display() behind #x.y; more", "behind  more"),
    ],
)  # fmt: skip
def test_prose_is_what_a_reader_sees(text, prose):
    assert " ".join(prose_of(text).split(" ")).replace("  ", " ") == prose.replace("  ", " ")


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("#f(@x\n\nMore words here @a.", ["a"]),
        ("#figure(\n  caption: [Half @a\n\nMore words @b.", ["a", "b"]),
        ("Words $x and @a.\n\nMore @b.", ["a", "b"]),
        ("Words `x and @a.\n\nMore @b.", ["a", "b"]),
        ("$ x + @a\n\nMore @b in $x$ and @c.", ["a", "b", "c"]),
        ("Words $x #cite(<a and @no$ more @b.", ["a", "b"]),
        ("Words $x #f(y$ more @a.\n\nMore $y #[z$ and @b.", ["a", "b"]),
        ("Words $x /* y$ more @a.", ["a"]),
        ("#ref(<a\n\nMore words here @b.", ["a", "b"]),
        ("#bibliography(\"refs.bib\n\nMore words @a.", ["a"]),
        ("Words ] ) } @a #) @b #] @c", ["a", "b", "c"]),
        ("/* @a", ["a"]),
        # A part of a key cites nothing.
        ('#let c(key) = cite(label("DBLP:" + key))', []),
        ('#let fig(n) = ref(label(n + ":" + "x"))', []),
    ],
)  # fmt: skip
def test_what_is_not_closed_hides_no_more_than_its_paragraph(text, keys):
    assert keys_of(text) == keys


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('#bibliography(("a.bib", "b.yml"), full: true)', ["a.bib", "b.yml"]),
        ('#show: t.with(\n  title: "T",\n  bibliography: bibliography("a.yml"),\n)', ["a.yml"]),
        ('#show: t.with(bibliography-file: "a.yml")', ["a.yml"]),
        ('#bibliography(read("a.bib", encoding: none))', ["a.bib"]),
        ('#let data = yaml("table.yml")', []),
    ],
)
def test_bibliographies_are_named_in_many_ways(text, names):
    assert [each.name for each in read(text).bibliographies] == names
    assert [each.span.of(text) for each in read(text).bibliographies] == names


OWN = "#let says(key, ..more) = cite(key, ..more)\n#let word(..keys) = keys.pos().map(label).map(cite)\n"


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        ("So #says(<a>, supplement: [p. 3]) says.", "So @ says."),
        ("So #claim([old *moss*], <a>) grows.", "So old moss@ grows."),
        ("So #says(<a>)[old moss] grows.", "So @old moss grows."),
    ],
)
def test_prose_of_own_functions_is_what_a_reader_sees(text, prose):
    defined = f"{OWN}#let claim(body, key) = {{ body; cite(key) }}\n\n"
    file, _ = draft_of(defined + text)
    assert file.prose.text.replace(CITATION_MARK, "@").split("\n\n")[-1].strip() == prose


ALEXANDRIA = '#show: alexandria(prefix: "x-", read: path => read(path))\n'
PERGAMON = '#import "@preview/pergamon:0.7.1": *\n'


def edited(text, edit):
    file, draft = draft_of(text)
    return applied(text, edit(file, conventions(draft)))


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("Moss grows @a.", "Moss grows @a @new."),
        ("Moss grows @a[p. 3] @b.", "Moss grows @a[p. 3] @b @new."),
        ('Moss grows #cite(<a>, form: "prose").', 'Moss grows #cite(<a>, form: "prose") #cite(<new>).'),
        ("Moss grows #cite().", "Moss grows #cite(<new>)."),
        ("Moss grows #cite(<a", "Moss grows #cite(<a"),
        ("#quote(attribution: <a>)[Moss]", "#quote(attribution: <a>)[Moss]"),
        (f"{OWN}Moss #says(<a>).", f"{OWN}Moss #says(<a>) #says(<new>)."),
        (f'{OWN}Moss #word("a", "b").', f'{OWN}Moss #word("a", "b") @new.'),
        (f"{OWN}Moss #says().", f"{OWN}Moss #says(<new>)."),
        (f"{ALEXANDRIA}Moss @x-a.", f"{ALEXANDRIA}Moss @x-a @x-new."),
        (f"{PERGAMON}Moss #cite(\"a\").", f"{PERGAMON}Moss #cite(\"a\") #cite(\"new\")."),
    ],
)  # fmt: skip
def test_a_key_joins_a_citation(text, after):
    assert edited(text, lambda file, ways: with_key(file, file.citations[0], "new", ways)) == after


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("So it is @a @KEY @b.", "So it is @a @KEY[p. 7] @b."),
        ("So it is @KEY[see there].", "So it is @KEY[see there, p. 7]."),
        ('So it is #cite(<KEY>, form: "prose").', 'So it is #cite(<KEY>, supplement: [p. 7], form: "prose").'),
        ('So it is #cite(label("KEY")).', 'So it is #cite(label("KEY"), supplement: [p. 7]).'),
        ("So it is #cite(<KEY>, supplement: [p. 5]).", "So it is #cite(<KEY>, supplement: [pp. 5, 7])."),
        ("So it is #cite(<KEY>, supplement: x).", "So it is #cite(<KEY>, supplement: x)."),
        (f"{OWN}It is #says(<KEY>).", f"{OWN}It is #says(<KEY>)."),
        (f"{ALEXANDRIA}It is @x-KEY.", f"{ALEXANDRIA}It is @x-KEY[p. 7]."),
        (f"{PERGAMON}It is #cite(\"KEY\").", f"{PERGAMON}It is #cite(\"KEY\")."),
        (f"{OWN}It is #says(<KEY>, supplement: [p. 6]).", f"{OWN}It is #says(<KEY>, supplement: [pp. 6-7])."),
    ],
)  # fmt: skip
def test_a_page_is_pinned(text, after):
    def pinned(file, ways):
        found = ((c, k) for c in file.citations for k in c.keys if k.key == "KEY")
        return pin(file, *next(found), "7", ways)

    assert edited(text, pinned) == after


@pytest.mark.parametrize(
    ("text", "key", "after"),
    [
        ("As shown by [citation needed].", "a", 'As shown by #cite(<a>, form: "prose").'),
        ("#cite(<b>) Moss grows [citation needed].", "a", "#cite(<b>) Moss grows #cite(<a>)."),
        (f"{OWN}#says(<b>) Moss grows [citation needed].", "a", f"{OWN}#says(<b>) Moss grows @a."),
        ("Moss grows~@b. It grows [citation needed].", "a", "Moss grows~@b. It grows~@a."),
        (f"{ALEXANDRIA}@x-b grows [citation needed].", "a", f"{ALEXANDRIA}@x-b grows @x-a."),
        (f'{PERGAMON}#cite("b") grows [citation needed].', "a", f'{PERGAMON}#cite("b") grows @a.'),
    ],
)
def test_a_placeholder_is_filled_as_the_author_cites(text, key, after):
    def fill(file, ways):
        (gap,) = file.placeholders
        return filled(file, gap, key, ways)

    assert edited(text, fill) == after


@pytest.mark.parametrize("unit", ["context ", "f()", ".a", "[x]"])
def test_long_chains_are_read(unit):
    assert keys_of(f"#f(){unit * 3_000}\n\n#{unit * 3_000}\n\nSo @a.") == ["a"]


@pytest.mark.parametrize(
    ("marked", "search", "written"),
    [
        ("@x-b, @x-so|", "so", "@x-KEY"),
        ("@so|, @x-b", "so", "@x-KEY"),
        ("@x-b, @|", "", "@x-KEY"),
        ("@x-b #cite(<x-so|>)", "so", "<x-KEY>"),
        ('@x-b #cite(label("x-so|"))', "so", "x-KEY"),
    ],
)
def test_a_key_is_completed_with_the_prefix_of_its_bibliography(marked, search, written):
    text = f"{ALEXANDRIA}{marked}"
    file, _ = draft_of(text.replace("|", ""))
    slot = SYNTAX.key_slot(file, text.index("|"), lambda _: False)
    assert (slot.search, slot.write("KEY")) == (search, written)

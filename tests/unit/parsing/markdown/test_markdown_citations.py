"""What Markdown cites, as Pandoc reads it, and the roles of MyST."""

from pathlib import Path

import pytest

from pincite.model.drafts import CITATION_MARK
from pincite.parsing.markdown.dialect import Dialect, dialect_of
from pincite.parsing.markdown.scanner import parse_markdown


def parse(text, name="paper.md"):
    return parse_markdown(Path(name), text, dialect_of(Path(name), text))


def cited(text, name="paper.md"):
    return [(c.span.of(text), [key.key for key in c.keys]) for c in parse(text, name).citations]


def keys(text, name="paper.md"):
    return [key for _, found in cited(text, name) for key in found]


@pytest.mark.parametrize(
    ("text", "citations"),
    [
        ("So [see @a, p. 3; -@b, ch. 2].", [("[see @a, p. 3; -@b, ch. 2]", ["a", "b"])]),
        ("As @a [p. 3] shows", [("@a [p. 3]", ["a"])]),
        ("As @a\n[p. 3; @b] shows", [("@a\n[p. 3; @b]", ["a", "b"])]),
        ("As @{https://x.org/?a,b} shows", [("@{https://x.org/?a,b}", ["https://x.org/?a,b"])]),
        # Pandoc wants a key in each part.
        ("[see; @a]", [("@a", ["a"])]),
        ("[@a; p. 3; [@b]]", [("@a", ["a"]), ("[@b]", ["b"])]),
        ("A note[^1].\n\n[^1]: As @a says.\n\n    And @b.\n", [("@a", ["a"]), ("@b", ["b"])]),
        ("In place^[as @a says].", [("@a", ["a"])]),
        ("a@b.org, x.@c and @d.", [("@d", ["d"])]),
        ("(@ex) An example\n\nAs (@ex) shows, so does @a.", [("@a", ["a"])]),
        ("<figure>\n<figcaption>By @a.</figcaption>\n</figure>", [("@a", ["a"])]),
        ("So {cite}`a,b` and {cite:t}`c`.", [("{cite}`a,b`", ["a", "b"]), ("{cite:t}`c`", ["c"])]),
        ("{ref}`x` {doc}`@y` {citep}`a`", [("{citep}`a`", ["a"])]),
    ],
)
def test_citations(text, citations):
    assert cited(text) == citations


def options(text):
    return f"So it is.\n\n```{{r}}\n{text}\nx@y\n```\n"


def label(given, reference):
    return f"{given}\n\nSee {reference}; so @a says.\n"


CHUNK = "```{r}\n#| fig-cap: |\n#|   Moss, by [@a]\nx@y\n```\n"
RAW = "```{r}\nx@y\n```\n"
CUSTOM = "---\ncrossref:\n  custom:\n    - kind: float\n      key: vid\n      reference-prefix: Film\n---\n\n"
KEYS = {
    "cross-references of Quarto": ("qmd", f"See @fig-walls, [-@tbl-a], \\@ref(fig:x) and @sec-one; so @a says.\n\n{RAW}", "a"),
    "label of a heading": ("md", label("# Walls {#sec:walls}", "[@sec:walls]"), "a"),
    "label of a formula": ("md", label("$$ x $$ {#eq:1}", "[@eq:1; @eq:1]"), "a"),
    "block": ("qmd", options("#| fig-cap: |\n#|   Moss, by [@a; @b],\n#|   and @c.\n#| fig-alt: no @d"), "abc"),
    "list": ("qmd", options('#| fig-subcap:\n#|   - "Wall: @a"\n#|   - Sea, -@b\n#| lst-cap: By @c'), "abc"),
    "list in a line": ("qmd", options("#| fig-subcap: ['Wall [@a; @b]', \"Sea [@c]\"]"), "abc"),
    "expression": ("qmd", options("#| fig-cap: !expr paste('Moss by', '@a')"), "a"),
    "escaped letter": ("qmd", options('#| fig-cap: "By @m\\u00fcller"'), ""),
    "no options": ("qmd", options("// | fig-cap: no @d\n#| fig-cap: no @d"), ""),
    "printed": ("Rmd", options('# don\'t cite "[@no]"\nkable(x, caption = "Moss, by [@moss; see @R-knitr, p. 3]")\nasis_output(\'Kelp [-@kelp]\')'), ["moss", "R-knitr", "kelp"]),
    "printed by Python": ("qmd", "```{python}\n#| label: moss\nMarkdown('Moss [@moss]')\n```\n", ["moss"]),
    "not printed": ("Rmd", options('grepl("[@a-z]+|[@A-Za-z0-9]|[@_]", x)\nnote("by @moss")\nfrom("me@moss.org")'), ""),
    "shown": ("Rmd", "```r\nkable(x, caption = \"Moss [@moss]\")\n```\n\n```{sql}\nSELECT '[@moss]'\n```\n", ""),
    "printed in the text": ("Rmd", "Moss `r quoted('--- @moss, [@kelp]')` and `r x@moss`, `f('[@moss]')`.", ["moss", "kelp"]),
    "in a list": ("qmd", "- Moss\n\n" + "".join(f"  {line}\n" for line in CHUNK.splitlines()), "a"),
    "in an example": ("qmd", f"Moss\n\n````\n{CHUNK}````\n", ""),
    "attributes of divisions": ("qmd", '::: {.callout-tip title="By [@a]" icon=false}\nRock.\n:::\n\n::: {#fig-w fig-cap="@b, @c"}\n:::\n', "abc"),
    "attributes that are not printed": ("md", '::: {.callout-tip title="By [@a]"}\nRock.\n:::\n', ""),
    "raw text around chunks": ("Rmd", f"```{{=tex}}\n\\newpage @no\n\n{RAW}\n{RAW}@no\n```\n\nSo [@a] and `x` [@b].\n", "ab"),
    "prefixes of the author": ("qmd", f"{CUSTOM}See @vid-moss, [@Vid-kelp], @a and [@b].\n", "ab"),
    "broken prefixes": ("qmd", "---\ncrossref: {custom: [x, {key: 3}]}\n---\n\nSee @a.\n", "a"),
    "a header that does not end": ("md", "---\n" + "title: Moss \n" * 200 + "\n" * 200 + "So [@a].\n", "a"),
    "long code": ("md", "[@a]\n\n```\n" + "word @no\n\n" * 5_000 + "\n```\n\n[@b]\n", "ab"),
    **{f"behind {text}": ("md", f"So {text} says.", "a")
       for text in ("(see https://x.org) @a", "https://x.org @a", "x:@a", "one/two/@a", "(https://x.org)@a")},
    **{header: ("Rmd", f"So it is.\n\n```{header}\nx@y\n```\n\nThen [@z].\n", keys + "z") for header, keys in (
        (r'{r w, fig.cap="\"Moss\", by @a", fig.alt="cap=\'no @d\'", echo=FALSE}', "a"),
        ("{r w, fig.cap=c('Wall @a', \"Sea [@b]\"), fig.scap=paste0('By ', '@c')}", "abc"),
        ('{r w, fig.cap="Moss of a wall,\n  by @a,\n  and @b", echo=FALSE}', "ab"),
        ('{r w, fig.cap="The `x` of @a"}', "a"),
        ('{#lst-moss .sql lst-cap="By @a" data="no @d"}', "a"),
        ("{{r, fig.cap='no @d'}}", ""),
    )},
}  # fmt: skip


@pytest.mark.parametrize(("suffix", "text", "expected"), KEYS.values(), ids=KEYS)
def test_keys(suffix, text, expected):
    for each in (text, text.replace("\n", "\r\n")):
        assert keys(each, f"draft.{suffix}") == list(expected)


def test_a_key_to_be_found_is_one_placeholder_with_its_citation():
    text = "So [@TODO [citation needed]] it is."
    assert [gap.span.of(text) for gap in parse(text).placeholders] == [
        "[@TODO [citation needed]]",
        "[citation needed]",
    ]


@pytest.mark.parametrize(
    "engine",
    ["block", "block2, type='note'", "theorem, name=\"After @b\"", "lemma", "proof", "asis, echo=TRUE",
     "example", "remark", "exercise, label='x'", "r, engine='block2'"],
)  # fmt: skip
def test_the_text_of_a_block_of_bookdown_cites(engine):
    text = f"```{{{engine}}}\n#| label: moss\nMoss [@a].\n```\n\nThen `@no` [@c].\n"
    assert keys(text, "draft.Rmd") == [*(["b"] if "@b" in engine else []), "a", "c"]
    assert parse(text, "draft.Rmd").prose.text.split() == ["Moss", f"{CITATION_MARK}.", "Then", "@no", f"{CITATION_MARK}."]  # fmt: skip


LATEX = r"""So \citep{a,b} and \citet[p. 3]{c}, \citeauthor*{d}.\footnote{See \cite{e}.} \cite{}

\begin{table}
\caption{By \citet{f}} % \cite{no}
\end{table}

`\cite{no}` $\cite{no}$ \newcommand{\x}[1]{\cite{#1}}

```{=latex}
\citep{g}
```

```{r, fig.cap="By \\citep{h}"}
"\\citep{no}"
```
"""


def test_latex_cites_where_it_is_typeset():
    file = parse_markdown(Path("draft.Rmd"), LATEX, Dialect(typeset=True))
    found = [(c.command, [key.key for key in c.keys], c.listed_only) for c in file.citations]
    assert found == [
        ("citep", ["a", "b"], False),
        ("citet", ["c"], False),
        ("citeauthor*", ["d"], False),
        ("cite", ["e"], True),
        ("cite", [], False),
        ("citet", ["f"], True),
        ("citep", ["g"], True),
        ("citep", ["h"], True),
    ]
    assert [each.span.of(LATEX) for each in file.placeholders] == ["\\cite{}"]
    assert file.prose.text.split("\n")[0].count(CITATION_MARK) == 4
    assert parse(LATEX, "draft.Rmd").citations == ()


def test_all_blocks_of_metadata_are_read():
    text = (
        "---\nbibliography: one.bib\nnocite: '@a'\n---\n\nSo [@b].\n\n"
        "---\ntitle: After @c\nnocite: |\n  @d, @e\nbibliography: [two.bib]\n...\n\nThen [@f].\n\n"
        "```\n\n---\nnocite: '@no'\n---\n```\n"
    )
    file = parse(text)
    assert keys(text) == list("abcdef")
    # Of several values, Pandoc takes the last.
    assert [(each.name, each.span.of(text)) for each in file.bibliographies] == [
        ("two.bib", "two.bib")
    ]
    assert file.prose.text.split() == ["So", f"{CITATION_MARK}.", "Then", f"{CITATION_MARK}."]


def test_rules_below_the_caption_of_a_table_are_its_own():
    table = "Pools\n\n: The pools @a\n\n---\nnocite: '@b'\n---\n\nMore.\n"
    assert [each.listed_only for each in parse(table).citations] == [False, False]
    term = table.replace("Pools\n\n", "Pools\n")
    assert [each.listed_only for each in parse(term).citations] == [False, True]


@pytest.mark.parametrize("name", ["paper.md", "paper.qmd", "paper.Rmd"])
@pytest.mark.parametrize(
    "reference",
    [
        *("@fig:walls", "[@Tbl:walls; @eq:1]", "*@fig:walls", "{+@sec:one}", "@lst:code", "@thm:main"),
        *("\\@ref(fig:walls)", "@ref(tab:walls)", "[-@fig:walls]"),
    ],
)  # fmt: skip
def test_cross_references_of_filters_and_bookdown_cite_nothing(name, reference):
    assert cited(f"See {reference}; so @a says, and @ref too.", name) == [
        ("@a", ["a"]),
        ("@ref", ["ref"]),
    ]


@pytest.mark.parametrize("name", ["paper.md", "paper.qmd", "paper.Rmd"])
@pytest.mark.parametrize(
    "address",
    [
        *("https://medium.com/@name", "(https://mastodon.social/@name/12)", "https://x.org/a(b)/@name?c=@d"),
        *("medium.com/@name", "www.x.org/@name", "@name@mastodon.social", "mailto:@x.org", "a.b@x.org"),
        *("{ann, bob}@uni.edu", "first_@x.org", "a+b@x.org", "<ann@x.org>", "[x](https://x.org/@name)"),
        *("ftp://x.org/@name", "https://x.org/a,@name", "https://x.org/(b)/@name", "**https://x.org/@name**"),
    ],
)  # fmt: skip
def test_an_address_cites_nothing(name, address):
    assert cited(f"See {address} and @a, or [@b, {address}].", name) == [
        ("@a", ["a"]),
        (f"[@b, {address}]", ["b"]),
    ]


def test_header_lists_works_and_its_abstract_cites():
    text = (
        "---\ntitle: 'X @t'\nnocite: |\n  @a, @b\nabstract: |\n    Moss, as @c says.\n"
        "authornote: |\n  See [@n].\nparts:\n  summary: As @p.\nauthor: '@me'\n---\n\n[@d]\n"
    )
    file = parse(text)
    assert [(c.keys[0].key, c.listed_only) for c in file.citations] == [
        ("t", True),
        ("a", True),
        ("b", True),
        ("c", False),
        ("n", True),
        ("p", True),
        ("d", False),
    ]
    assert file.prose.text.split() == ["Moss,", "as", CITATION_MARK, "says.", CITATION_MARK]


@pytest.mark.parametrize(
    "header",
    [
        "---\ntitle: [unclosed\nbibliography: refs.bib\n---\n",
        "---\ntitle: a: b: c\n\tx\nbibliography: [refs.bib]\n...\n",
        "---\nbibliography:\n  - refs.bib\n\"odd: \n---\n",
    ],
)  # fmt: skip
def test_a_header_that_pandoc_refuses_loses_neither_the_body_nor_the_bibliography(header):
    file = parse(f"{header}\nWords [@a].\n")
    assert keys(file.text) == ["a"]
    assert file.prose.text.strip() == f"Words {CITATION_MARK}."
    named = [(each.name, each.span.of(file.text)) for each in file.bibliographies]
    assert named == ([("refs.bib", "refs.bib")] if "refs" in header else [])


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        ("[A link](https://x.org) and ![a picture](x.png){width=1}.", "A link and a picture."),
        ("`code` words, `r nrow(x)` of ~~them~~ H~2~O", "code words,  of them H2O"),
        ("$\\alpha$ -- so --- &amp; \\*all\\*...", "α – so — & *all*…"),
        ("So--@a and -@b", f"So–{CITATION_MARK} and {CITATION_MARK}"),
        ("| a | b |\n|---|---|\n| c | d |", "  a   b  \n\n  c   d  "),
        ("Title\n=====\n\nWords", "Title\n\nWords"),
        ("Moss<br>or kelp", "Moss or kelp"),
        (": Moss by @a {#tbl-moss .wide}", f"Moss by {CITATION_MARK} "),
        ("Sets {a, b} and\n{c}", "Sets {a, b} and {c}"),
        ("Figure \\@ref(fig:moss) and @fig-kelp", "Figure  and "),
        ("Moss [-@fig-moss; @fig-kelp] (see @sec-moss)", "Moss [; ] (see )"),
        ("Moss [-@fig-moss].", "Moss ."),
        ("See {numref}`fig-a`, {eq}`e` and {ref}`all moss <sec-a>`", "See ,  and all moss "),
        ("{term}`Moss` and {py:func}`grow`", "Moss and grow"),
    ],
)
def test_prose(text, prose):
    assert parse(text, "paper.qmd").prose.text.strip("\n") == prose


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        ("The \\textit{Fucus} of \\textcolor{red}{cold} seas\\vspace{1cm} (Figure \\ref{fig:a})", "The Fucus of cold seas (Figure )"),
        ("Of \\SI{5}{\\meter}, \\emph{as \\citet{a}} says", "Of 5, as says"),
    ],
)  # fmt: skip
def test_words_in_commands_of_latex_are_prose_where_it_is_printed(text, prose):
    typeset = Dialect(typeset=True)
    assert parse_markdown(Path("paper.Rmd"), text, typeset).prose.text == prose
    assert "Fucus" not in parse(text, "paper.Rmd").prose.text

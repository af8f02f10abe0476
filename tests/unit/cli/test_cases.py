"""Small inputs that were read wrong once (`../shared/cases`): the commands, as their authors run them."""

import shutil
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest


class _Case(NamedTuple):
    main: str
    #: The keys that the draft cites and its bibliography defines, as often as they are cited.
    defined: str
    undefined: str = ""


CASES = [
    _Case(
        "abntex2-apud/main.tex",
        "silva1999 silva1999 souza2001 silva1999 silva1999 silva1999 silva1999 silva1999 silva1999",
        "nope1 nope2 nope3 nope4 nope5",
    ),
    _Case("bookdown-chapters/index.Rmd", "au2021 bu2022", "nope1"),
    _Case("bookdown-chapters/02-two.Rmd", "bu2022", "nope1"),
    _Case("bookdown-chapters/subdir/index.Rmd", "au2021 bu2022", "nope2"),
    _Case("bookdown-rmd_subdir/index.Rmd", "doe2020 roe2010 roe2010"),
    _Case("citations-command-ignores-fallback/main.tex", "au2021"),
    _Case("commented-out-entries/main.tex", "rivers2020", "old1999"),
    _Case("commented-out-entries/doc.md", "rivers2020", "old1999"),
    _Case("edits-of-files-that-are-not-utf8/main.tex", "alpha2001 alpha2001"),
    _Case("fithesis-thesissetup-bib/thesis.tex", "doe2020"),
    _Case("language-declared-vs-text/main.tex", "doe2020 roe2010"),
    _Case(
        "md-citations-in-captions-and-blocks/doc.qmd",
        "au2021 bu2022 bu2022",
        "nope1",
    ),
    _Case(
        "md-citations-in-captions-and-blocks/book.Rmd",
        "au2021 cu2023",
        "nope2 nope3 nope4 nope5",
    ),
    _Case("myst-labels-of-other-pages/index.md", "au2021"),
    _Case("myst-roles-and-comments/index.md", "au2021 bu2022"),
    _Case("nocite-in-later-metadata-block/index.Rmd", "doe2020 roe2010"),
    _Case("own-include-command/thesis.tex", "au2021", "nope"),
    _Case("paths-from-parent-folder/tex/tesi.tex", "doe2020"),
    _Case("quarto-bibliography-places/files.qmd", "au2021", "nope"),
    _Case("quarto-bibliography-places/fmt.qmd", "au2021", "nope"),
    _Case("quarto-bibliography-places/posts/one/index.qmd", "au2021", "nope"),
    _Case("quarto-bibliography-places/posts/one/root.qmd", "au2021", "nope"),
    _Case("rmarkdown-latex-cites/paper.Rmd", "doe2020 roe2010 doe2020"),
    _Case("rmd-child-from-project-root/thesis/core.Rmd", "doe2020"),
    _Case("rmd-child-vector/index.Rmd", "doe2020 roe2010 roe2010"),
    _Case("typst-cite-wrapper/main.typ", "doe2020 roe2010"),
    _Case("typst-glossary-keys/main.typ", "au2021 bu2022", "nope"),
    _Case("typst-label-as-argument/main.typ", "doe2020"),
]


@pytest.fixture(scope="module", name="cases")
def copy_of_the_cases(shared, tmp_path_factory):
    return Path(shutil.copytree(shared / "cases", tmp_path_factory.mktemp("copy") / "cases"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.main)
def test_citations_are_read_as_the_author_means_them(case, cases, run_json):
    status, found, reports = run_json("citations", str(cases / case.main))
    undefined = Counter(key for citation in found["citations"] for key in citation["undefined"])
    cited = Counter(key["key"] for citation in found["citations"] for key in citation["keys"])
    assert cited - undefined == Counter(case.defined.split())
    assert undefined == Counter(case.undefined.split())
    assert status == bool(undefined)
    assert "no bibliography" not in reports
    assert "does not exist" not in reports
    # The check agrees.
    found = run_json("check", str(cases / case.main), "--kind", "undefined-key")[1]["findings"]
    assert Counter(finding["key"] for finding in found) == undefined


def test_dois_of_myst_need_no_entry(cases, run_json):
    status, found, _ = run_json("citations", str(cases / "myst-dois" / "index.md"))
    assert status == 0
    assert "au2021" in [key["key"] for c in found["citations"] for key in c["keys"]]

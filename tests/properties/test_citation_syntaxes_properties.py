"""Every way to cite several works: an edit of one key leaves the others as they are, byte by byte.

The commands of LaTeX are those that its reader knows, so that a new one is tried, too. What an
author deletes by hand takes no other key along either.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import pytest

from pincite.edits.citations import conventions, pin, with_key
from pincite.edits.keys import KeysOfDraft, renamed
from pincite.model.drafts import Citation, Draft, DraftFile
from pincite.model.edits import applied
from pincite.parsing.drafts import DraftReader
from pincite.parsing.latex.commands import FOREIGN_QUOTATIONS, KNOWN_COMMANDS, QUOTATIONS

NEW = "new:key-1"
ODD = "new..key"
KEYS = ["moss", "kelp2003", "Fern:1", "oak-b", "lichen_a"]


@dataclass(frozen=True)
class Cites:
    """A way to cite: what stands around the items, between them, and the items, in turn.

    ``KEYS`` are the items, and ``K`` in one is its key. Items have notes of their own, so they must stay whole.
    """

    around: str
    items: tuple[str, ...] = ("K",)
    between: str = ","
    name: str = "main.tex"
    before: str = ""

    def of(self, keys: list[str]) -> str:
        return self.around.replace("KEYS", self.between.join(self.parts(keys)))

    def parts(self, keys: list[str]) -> list[str]:
        items = [self.items[min(at, len(self.items) - 1)] for at in range(len(keys))]
        return [item.replace("K", key) for item, key in zip(items, keys, strict=True)]


def of_latex() -> list[Cites]:
    found = []
    for name, shape in KNOWN_COMMANDS.items():
        match shape.parameters, shape.repeated:
            case ("aaoom", _) if name in QUOTATIONS:
                found += [
                    Cites(f"\\{name}{{KEYS}}{{Words}}"),
                    Cites(f"\\{name}[3]{{KEYS}}{{Words}}"),
                ]
            case ("aaoom", _):
                found += [
                    Cites(f"\\{name}{form}") for form in ("{KEYS}", "[see][p.~3]{KEYS}", "*{KEYS}")
                ]
                found.append(Cites(f"\\{name}{{KEYS}}", between=", "))
            case _, "aam":
                found.append(Cites(f"\\{name}KEYS", ("{K}",), ""))
                found.append(Cites(f"\\{name}(see)(end)KEYS", ("[1]{K}", "[see][2]{K}", "{K}"), ""))
                found.append(Cites(f"\\{name}[see][3]{{KEYS}}"))
            case ("amaaoom", _) if name in FOREIGN_QUOTATIONS:
                found.append(Cites(f"\\{name}{{german}}[3]{{KEYS}}{{Words}}"))
            case ("amaaoom", _):
                found += [Cites(f"\\{name}{{2}}{{KEYS}}"), Cites(f"\\{name}{{2}}[3]{{KEYS}}")]
            case _:
                pass
    own = (
        "\\newcommand{\\own}{\\citep}\\newcommand{\\short}[2][]{\\parencite[#1]{#2}}\\let\\also\\cites"
        "\\NewDocumentCommand{\\twice}{mm}{#1 \\cite{#2}}\\DeclareCiteCommand{\\mine}{}{}{}{}\\newcites{sec}{S}"
    )
    forms = ["\\own[3]{KEYS}", "\\short[p.~3]{KEYS}", "\\short{KEYS}", "\\twice{x}{KEYS}", "\\mine[3]{KEYS}", "\\citesec{KEYS}"]  # fmt: skip
    found += [Cites(form, before=own) for form in forms]
    found.append(Cites("\\alsoKEYS", ("[1]{K}", "{K}"), "", before=own))
    found += [
        Cites("\\addtocategory{old}{KEYS}"),
        Cites("\\defbibentryset{set}{KEYS}"),
        Cites("\\DeclareAcronym{x}{short = X, cite = {KEYS}}"),
        Cites("\\citeA<see>[p.~3]{KEYS}"),
        Cites("\\cite{% first\n  KEYS% last\n}", between=",\n  "),
        Cites("KEYS}", ("\\citep{K",), "}"),
    ]
    return found


ROLES = """
cite cite:p cite:t cite:ps cite:ts cite:ct cite:cts cite:alp cite:label cite:year cite:yearpar cite:author
cite:authorpars cite:cauthor citep citet footcite footcite:t nocite
""".split()
NOTED = ("{see}K{p. 3}", "K{fig. 1, left; right}", "{cf.} K", "K")
MARKDOWN = [
    *(Cites(f"{{{role}}}`KEYS`", between=sign) for role in ROLES for sign in (",", ";", ", ", "; ", " ;")),
    *(Cites(f"{{{role}}}`KEYS`", NOTED, sign) for role in ROLES for sign in (",", "; ")),
    *(Cites("[KEYS]", items, "; ") for items in [("@K",), ("-@K",), ("@{K}",)]),
    *(Cites("[KEYS]", items, ";") for items in [("@K",), ("see @K, p. 3", "-@K", "also @K, ch. 2, and more")]),
    Cites("[KEYS]", ("see @K, p. 3", "-@{K}, *this*", "cf. [@K](https://x.org)"), ";\n"),
    Cites("[KEYS]", ("@K{ii, A, D-Z}", "@K [sic]", "@K, https://x.org/@name"), "; "),
    Cites("^[See [KEYS].]", ("@K, p. 3", "@K"), "; "),
]  # fmt: skip
IN_TEXT = [
    Cites("KEYS]", ("@K [p. 3", "@K, p. 4", "see @K"), "; "),
    Cites("KEYS]", ("@{K} [p. 3", "@{K}"), "; "),
    Cites("KEYS]", ("-@K [chap. 2, p. 3", "@K"), "; "),
]
HEADER = [
    Cites("---\nnocite: |\n  KEYS\n---\n", ("@K",), ", "),
    Cites("---\nnocite: 'KEYS'\ntitle: X\n---\n", ("@K", "@{K}"), ", "),
    Cites("---\ntitle: So [KEYS]\n---\n", ("@K",), "; "),
    Cites("---\nabstract: |\n  So [KEYS].\n---\n", ("see @K, p. 3", "@K"), "; "),
    Cites("```{r}\n#| fig-cap: So [KEYS]\n1\n```\n", ("@K, p. 3", "@K"), "; "),
]
TYPST = [
    *(Cites("KEYS", items, " ") for items in [("@K",), ("@K[p. 3]", "@K"), ("@K[p. 3]",)]),
    Cites("#footnote[See KEYS.]", ("@K[p. 3]", "@K"), " "),
    *(
        Cites("KEYS", items, between)
        for between in ("", " ")
        for items in [
            ("#cite(<K>)",),
            ('#cite(label("K"))',),
            ("#cite(<K>, supplement: [p. 3])", '#cite(form: "prose", <K>)'),
            ('#cite(label("K"), supplement: [see @x])', "@K[p. 3]"),
        ]
    ),
]


TYPESET = "---\noutput: pdf_document\n---\n"
IN_MARKDOWN = [
    *(Cites(f"\\{name}{{KEYS}}") for name in ("cite", "citep", "citet*", "parencite", "nocite")),
    *(Cites(f"\\{name}[see][p.~3]{{KEYS}}", between=", ") for name in ("citep", "textcite")),
    Cites("\\parencitesKEYS", ("[1]{K}", "[see][2]{K}", "{K}"), ""),
    Cites("\n```{=latex}\n\\citep{KEYS}\n```\n"),
]
OWN_IN_TYPST = [
    Cites("KEYS", ("#own(<K>)",), " ", before="#let own(key) = cite(key)\n"),
    Cites("KEYS", ('#own("K")',), " ", before="#let own(key) = cite(label(key))\n"),
]


def named(ways: list[Cites], name: str, before: str = "") -> list[Cites]:
    return [replace(way, name=name, before=before or way.before) for way in ways]


WAYS = [
    *of_latex(),
    *(way for name in ("main.md", "main.qmd", "main.Rmd") for way in named(MARKDOWN[-8:], name)),
    *(way for name in ("main.md", "main.Rmd") for way in named([*IN_TEXT, *HEADER], name)),
    *named(MARKDOWN, "main.md"),
    *named(IN_MARKDOWN, "main.Rmd", TYPESET),
    *named([*TYPST, *OWN_IN_TYPST], "main.typ"),
]


def text_of(way: Cites, keys: list[str]) -> str:
    cites = way.of(keys)
    if cites.lstrip().startswith(("---\n", "```")):
        return f"{way.before}{cites}\nWords grow here.\n"
    return f"{way.before}\nMoss grows, as {cites} show. Kelp \tfloats.\n"


def read(way: Cites, text: str) -> Draft:
    return DraftReader(lambda _: text).read(Path(way.name).absolute())


def cited(draft: Draft) -> list[str]:
    keys = [key.key for each in draft.files[0].citations for key in each.keys]
    return [key for key in keys if key in (*KEYS, NEW, ODD)]


def with_citations(way: Cites, keys: list[str]) -> Iterator[tuple[Draft, DraftFile, Citation]]:
    """Yield a draft that cites keys in one way, with each of these citations."""
    draft = read(way, text_of(way, keys))
    (file,) = draft.files
    for citation in file.citations:
        if {key.key for key in citation.keys} & {*keys}:
            yield draft, file, citation


def keeps(text: str, parts: list[str], without: int | None = None) -> bool:
    """Return whether a text has the parts, in order, perhaps without one."""
    for at, part in enumerate(parts):
        if at != without:
            _, found, text = text.partition(part)
            if not found:
                return False
    return True


def parametrized(ways: list[Cites]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        "way", ways, ids=lambda way: f"{way.name} {way.of(['a', 'b'])!r}"
    )


def some(ways: list[Cites]) -> list[Cites]:
    """Return a dozen or so of the ways that differ only in their command."""
    alike: dict[Cites, list[Cites]] = {}
    for way in ways:
        form = re.sub(r"\\[A-Za-z]+|\{[a-z:]+\}`", "", way.around)
        alike.setdefault(replace(way, around=form), []).append(way)
    return [way for same in alike.values() for way in same[:: 1 + len(same) // 12]]


each_way = parametrized(WAYS)
# An edit asks for the form of a citation, which many commands share.
some_ways = parametrized(some(WAYS))


@each_way
def test_all_keys_are_read_and_all_but_one_that_is_deleted(way: Cites) -> None:
    for keys in (KEYS, *combinations(KEYS, len(KEYS) - 1)):
        assert cited(read(way, text_of(way, [*keys]))) == [*keys]


@some_ways
def test_a_key_is_renamed_and_nothing_else(way: Cites) -> None:
    for keys in (KEYS[:1], KEYS[:2], KEYS[:4]):
        text = text_of(way, keys)
        places = KeysOfDraft(read(way, text).files)
        for at, old in enumerate(keys):
            others = [keys[:at], keys[at + 1 :]]
            after = applied(text, renamed([places], old, NEW))
            assert after == text_of(way, [*others[0], NEW, *others[1]])
            # What must be in braces, or in a function, is no part of the others either.
            after = applied(text, renamed([places], old, ODD))
            assert cited(read(way, after)) == [*others[0], ODD, *others[1]]
            assert keeps(after, way.parts(keys), without=at)


@some_ways
def test_a_key_is_added_and_the_others_stay(way: Cites) -> None:
    for keys in (KEYS[:1], KEYS[:2], KEYS[:4]):
        for draft, file, citation in with_citations(way, keys):
            for offset in (None, *(key.span.end for key in citation.keys)):
                edits = with_key(file, citation, NEW, conventions(draft), offset)
                assert edits or citation.listed_only
                after = applied(file.text, edits)
                found = cited(read(way, after))
                assert [key for key in found if key != NEW] == keys
                assert found.count(NEW) == len(edits)
                assert keeps(after, way.parts(keys))
                assert all(edit.span.start == edit.span.end for edit in edits)


@some_ways
def test_a_page_is_pinned_to_one_key(way: Cites) -> None:
    for keys in (KEYS[:1], KEYS[:2], KEYS[:4]):
        for draft, file, citation in with_citations(way, keys):
            for key in citation.keys:
                after = applied(file.text, pin(file, citation, key, "361", conventions(draft)))
                assert cited(read(way, after)) == keys
                assert keeps(after, way.parts(keys), without=keys.index(key.key))

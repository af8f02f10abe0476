"""The files of an entry: what each reference manager writes, after our reader has read it."""

import base64
import plistlib
from dataclasses import replace
from itertools import chain
from pathlib import Path

import pytest

from pincite.library.file_fields import entry_files, missing_file, named_in
from pincite.parsing.bibtex import parse_bibliography


def entry(fields, folder=Path("/nowhere")):
    text = f"@article{{key,\n  title = {{A title}},\n  {fields}\n}}\n"
    bibliography = parse_bibliography(text, folder / "refs.bib")
    assert not bibliography.problems
    (read,) = bibliography.entries.values()
    return read


def with_file(value, folder=Path("/nowhere")):
    """An entry whose field `file` has this value, whatever it is."""
    return replace(entry("file = {x}", folder), source={"file": value})


def named_files(value):
    """The paths that the value of a field may name, in order."""
    return list(dict.fromkeys(chain.from_iterable(named_in(value))))


@pytest.fixture(name="here")
def files(tmp_path):
    """A folder for the bibliography and one for a base, without any file yet."""
    (tmp_path / "bib").mkdir()
    (tmp_path / "base").mkdir()
    return tmp_path


def put(folder, name):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"%PDF")
    return path


# Relative to the bibliography ---------------------------------------------------------------------

RELATIVE = [
    ("JabRef", r"file = {:och2003.pdf:PDF}", "och2003.pdf"),
    ("JabRef, a description", r"file = {Preprint:pdfs/och2003.pdf:PDF}", "pdfs/och2003.pdf"),
    ("JabRef, a colon", r"file = {:Och\: alignment.pdf:PDF}", "Och: alignment.pdf"),
    ("JabRef, a semicolon", r"file = {:Och\; Ney.pdf:PDF}", "Och; Ney.pdf"),
    ("JabRef, Windows", r"file = {:pdfs\\och2003.pdf:PDF}", "pdfs/och2003.pdf"),
    ("JabRef, path only", r"file = {:och2003.pdf}", "och2003.pdf"),
    (
        "JabRef 5, its address",
        r"file = {:och2003.pdf:PDF:https\://aclanthology.org/J03-1002.pdf}",
        "och2003.pdf",
    ),
    ("JabRef, web first", r"file = {:https\://a.org/x.pdf:PDF;:och.pdf:PDF}", "och.pdf"),
    (
        "Zotero",
        r"file = {Full Text PDF:files/12/Och and Ney - 2003 - A Comparison.pdf:application/pdf}",
        "files/12/Och and Ney - 2003 - A Comparison.pdf",
    ),
    (
        "Zotero, a colon in the name of the attachment",
        r"file = {arXiv\:1706.03762 PDF:files/7/Vine - 2017.pdf:application/pdf}",
        "files/7/Vine - 2017.pdf",
    ),
    (
        "Zotero, braces",
        r"file = {PDF:files/7/Vine \{draft\}.pdf:application/pdf}",
        "files/7/Vine {draft}.pdf",
    ),
    (
        "Zotero, a snapshot first",
        r"file = {Snapshot:files/8/j.html:text/html;PDF:files/9/o.pdf:application/pdf}",
        "files/9/o.pdf",
    ),
    ("Better BibTeX", r"file = {files/12/Och 2003.pdf}", "files/12/Och 2003.pdf"),
    (
        "Better BibTeX, a semicolon",
        r"file = {files/Och\; Ney.pdf;files/x.html}",
        "files/Och; Ney.pdf",
    ),
    (
        "Citavi",
        r"file = {Och, Ney 2003 - A Comparison:Attachments/Och, Ney 2003.pdf:application/pdf}",
        "Attachments/Och, Ney 2003.pdf",
    ),
    ("Mendeley, an underscore", r"file = {:och{\_}ney{\&}co.pdf:pdf}", "och_ney&co.pdf"),
    ("Mendeley, an accent", r"file = {:M{\"{u}}ller.pdf:pdf}", "Müller.pdf"),
    ("double braces", r"file = {{pdfs/och2003.pdf}}", "pdfs/och2003.pdf"),
    ("LaTeX escapes", r"file = {pdfs/och\_2003\&more.pdf}", "pdfs/och_2003&more.pdf"),
    ("no description", r"file = {och2003.pdf:PDF}", "och2003.pdf"),
    ("pdf", r"pdf = {och_2003.pdf}", "och_2003.pdf"),
    ("localfile", r"localfile = {pdfs/och_2003~v2.pdf}", "pdfs/och_2003~v2.pdf"),
    ("attachments", r"attachments = {pdfs/a_b.pdf}", "pdfs/a_b.pdf"),
    ("a file address", r"file = {file:och%20ney.pdf}", "och ney.pdf"),
    ("a variable is a name", r"file = {$HOME/och.pdf}", "$HOME/och.pdf"),
]


# JabRef's grammar: what its parser takes for the path of the first file, if that is one of this disk.
JABREF = [
    (r"Desc:File.PDF:PDF", "File.PDF"),
    (r"test\:\;:wei.pdf:PDF", "wei.pdf"),
    (r"test&#44\;st\:\;:wei.pdf:PDF", "wei.pdf"),
    (r"desc:C\:\\test.pdf:PDF", r"C:\test.pdf"),
    (r"a.pdf:C\:\\Users\\my_d\\a.pdf:PDF", r"C:\Users\my_d\a.pdf"),
    (r":A:\Zotero\storage\test.pdf", r"A:\Zotero\storage\test.pdf"),
    (r":C$\backslash$:/Users/ann/a.pdf:pdf", "C:/Users/ann/a.pdf"),
    (r"file.pdf::", "file.pdf"),
    (r"desc:file.pdf:PDF:qwer:asdf:uiop", "file.pdf"),
    (r"arXiv:a b.pdf:PDF:https\://arxiv.org/pdf/1.pdf", "a b.pdf"),
    (r":a b.pdf::https\://arxiv.org/pdf/1.pdf", "a b.pdf"),
    (r"arXiv::PDF:https\://arxiv.org/pdf/1.pdf", None),
    (r"arXiv Fulltext PDF:https\://arxiv.org/pdf/1.pdf:application/pdf", None),
    (r"A test:www.yahoo.com/abc/cde.htm:URL", None),
    (r"https://books.google.de/", None),
    ("", None),
]


@pytest.mark.parametrize(("value", "path"), JABREF)
def test_the_grammar_of_jabref(value, path):
    assert next(iter(named_files(value)), None) == path


@pytest.mark.parametrize(
    ("field", "name"), [row[1:] for row in RELATIVE], ids=[r[0] for r in RELATIVE]
)
def test_relative_paths_start_from_the_bibliography_then_from_the_bases(here, field, name):
    read = entry(field, here / "bib")
    assert entry_files(read, [here / "base"]) == []
    assert missing_file(read, bases=[here / "base"]) is not None
    there = put(here / "base", name)
    assert entry_files(read, [here / "base"]) == [there]
    own = put(here / "bib", name)
    assert entry_files(read, [here / "base"], {".pdf"}) == [own]
    assert missing_file(read) is None
    assert missing_file(read, bases=[here / "base"]) is None


# Absolute -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "form",
    [
        ":{path}:PDF",
        "Full Text PDF:{path}:application/pdf",
        "{path}",
        "file://{path}",
        "file://localhost{path}",
        "{path};/nowhere/else.html",
    ],
)
def test_absolute_paths(here, form):
    path = put(here, "storage/AB12CD34/Och 2003.pdf")
    read = entry(f"file = {{{form.format(path=path)}}}", here / "bib")
    assert entry_files(read) == [path]


def test_a_path_may_lead_out_of_the_folder(here):
    path = put(here, "Och.pdf")
    (found,) = entry_files(entry("file = {../Och.pdf}", here / "bib"))
    assert found.samefile(path)


def test_mendeley_drops_the_first_slash(here):
    path = put(here, "Och.pdf")
    assert entry_files(entry(f"file = {{:{str(path)[1:]}:pdf}}", here / "bib")) == [path]
    assert "/home/me/smith.pdf" in named_files(":home/me/smith.pdf:pdf")


def test_papers_writes_addresses(here):
    path = put(here, "Papers/Och & Ney.pdf")
    address = f"file://localhost{path}".replace(" ", "%20")
    assert entry_files(entry(f"local-url = {{{address}}}", here / "bib")) == [path]
    assert entry_files(entry(f"url = {{{address}}}", here / "bib")) == [path]


def test_the_home_folder(here, monkeypatch):
    monkeypatch.setenv("HOME", str(here))
    path = put(here, "papers/och.pdf")
    assert entry_files(entry("file = {~/papers/och.pdf}")) == [path]
    assert entry_files(entry("file = {:~/papers/och.pdf:PDF}")) == [path]
    assert entry_files(entry("file = {~nobody-of-this-name/och.pdf}")) == []


# From another machine -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "field",
    [
        r"file = {PDF:C\:\\Users\\ann\\Zotero\\storage\\AB12CD34\\Och - 2003.pdf:application/pdf}",
        r"file = {:C$\backslash$:/Users/ann/Zotero/storage/AB12CD34/Och - 2003.pdf:pdf}",
        r"file = {C\:\\Users\\ann\\Zotero\\storage\\AB12CD34\\Och - 2003.pdf}",
        r"file = {C:\Users\ann\Zotero\storage\AB12CD34\Och - 2003.pdf}",
        r"file = {file:///C:/Users/ann/Zotero/storage/AB12CD34/Och%20-%202003.pdf}",
        r"file = {/Users/ann/Zotero/storage/AB12CD34/Och - 2003.pdf}",
        r"file = {:Users/ann/Zotero/storage/AB12CD34/Och - 2003.pdf:pdf}",
        r"file = {\\server\share\storage\AB12CD34\Och - 2003.pdf}",
    ],
)
@pytest.mark.parametrize("below", ["storage/AB12CD34/", "AB12CD34/", ""])
def test_paths_of_another_machine_are_found_below_a_base_folder(here, field, below):
    read = entry(field, here / "bib")
    assert entry_files(read, [here / "base"]) == []
    missing = missing_file(read, bases=[here / "base"])
    assert missing is not None
    assert missing.endswith("Och - 2003.pdf")
    path = put(here / "base", f"{below}Och - 2003.pdf")
    assert entry_files(read, [here / "base"]) == [path]
    assert missing_file(read, bases=[here / "base"]) is None


def test_the_longest_part_of_a_path_counts(here):
    put(here / "base", "main.pdf")
    path = put(here / "base", "AB12CD34/main.pdf")
    read = entry(r"file = {C:\Zotero\storage\AB12CD34\main.pdf}", here / "bib")
    assert entry_files(read, [here / "base"]) == [path]


def test_a_relative_path_is_not_shortened_to_a_name(here):
    put(here / "base", "main.pdf")
    assert entry_files(entry("file = {other/main.pdf}", here / "bib"), [here / "base"]) == []


def test_a_relative_path_is_found_by_its_last_parts_in_a_base_folder_alone(here):
    path = put(here / "base", "12/main.pdf")
    read = entry("file = {files/12/main.pdf}", here / "bib")
    assert entry_files(read, [here / "base"]) == [path]
    put(here / "bib", "12/main.pdf")
    assert entry_files(read) == []


# BibDesk ------------------------------------------------------------------------------------------


def bibdesk(content):
    return base64.b64encode(plistlib.dumps(content, fmt=plistlib.FMT_BINARY)).decode()


def archived(path):
    """Return what `NSKeyedArchiver` makes of a path and an alias."""
    uid = plistlib.UID
    listed = {"NS.keys": [uid(2), uid(3)], "NS.objects": [uid(4), uid(5)], "$class": uid(6)}
    objects = ["$null", listed, "relativePath", "aliasData", path, b"alias", {"$classname": "x"}]
    return {"$archiver": "NSKeyedArchiver", "$objects": objects, "$top": {"root": uid(1)}}


@pytest.mark.parametrize(
    "content", [{"relativePath": "../Och.pdf", "bookmark": b"book"}, archived("../Och.pdf")]
)
def test_bibdesk_keeps_a_property_list(here, content):
    path = put(here, "Och.pdf")
    encoded = bibdesk(content)
    halves = f"{encoded[:40]}\n\t{encoded[40:]}"
    for written in (encoded, encoded.rstrip("="), halves):
        (found,) = entry_files(entry(f"bdsk-file-1 = {{{written}}}", here / "bib"))
        assert found.samefile(path)


def test_bibdesk_numbers_its_files(here):
    paths = [put(here / "bib", f"{number}.pdf") for number in (1, 2, 10)]
    fields = (
        f"bdsk-file-{number} = {{{bibdesk({'relativePath': f'{number}.pdf'})}}}"
        for number in (10, 2, 1)
    )
    assert entry_files(entry(",\n".join(fields), here / "bib")) == paths


@pytest.mark.parametrize(
    "value",
    [
        "",
        "x",
        "%%%",
        "A" * 300_001,
        base64.b64encode(b"bplist00" + b"\xff" * 60).decode(),
        base64.b64encode(b"<?xml version='1.0'?><plist><dict/></plist>").decode(),
        bibdesk(["a list"]),
        bibdesk("a string"),
        bibdesk({"relativePath": 7}),
        bibdesk({"relativePath": "a\0b"}),
        bibdesk({"$objects": [{"NS.keys": [plistlib.UID(9)], "NS.objects": [plistlib.UID(1)]}]}),
        bibdesk({"$objects": [{"NS.keys": 3, "NS.objects": "x"}]}),
        bibdesk({"$objects": 5}),
        bibdesk({"relativePath": "a.pdf", "x": [[number] for number in range(600)]}),
    ],
)
def test_property_lists_that_are_none(value):
    read = entry(f"bdsk-file-1 = {{{value}}}")
    assert entry_files(read) == []
    assert missing_file(read) is None


# Order and kinds ----------------------------------------------------------------------------------


def test_the_article_comes_before_what_is_beside_it(here):
    names = [
        "och-supplement.pdf",
        "och_poster.pdf",
        "notes.txt",
        "Suppes 1969 Support.pdf",
        "a.pdf",
    ]
    paths = {name: put(here / "bib", name) for name in names}
    read = entry(f"file = {{{';'.join(f':{name}:PDF' for name in names)}}}", here / "bib")
    ordered = ["Suppes 1969 Support.pdf", "a.pdf", "notes.txt"]
    ordered += ["och-supplement.pdf", "och_poster.pdf"]
    assert entry_files(read) == [paths[name] for name in ordered]
    assert entry_files(read, suffixes={".txt"}) == [paths["notes.txt"]]


def test_files_of_other_kinds_and_doubles_are_left_out(here):
    put(here / "bib", "och.html")
    put(here / "bib", "och.djvu")
    tei = put(here / "bib", "och.tei.XML")
    value = "och.html;och.djvu;och.tei.XML;:och.tei.XML:TEI"
    assert entry_files(entry(f"file = {{{value}}}", here / "bib"), suffixes={".xml"}) == [tei]
    assert entry_files(entry("file = {och.html}", here / "bib")) == []


def test_a_folder_of_sources_is_a_paper_but_not_the_draft_itself(here):
    put(here / "bib", "draft.tex")
    put(here / "bib", "och/main.tex")
    (here / "bib" / "empty").mkdir()
    value = "file = {och;empty;.;./;..;./../bib;/}"
    assert entry_files(entry(value, here / "bib")) == [here / "bib" / "och"]
    assert entry_files(entry(value, here / "bib"), suffixes={".tex"}) == [here / "bib" / "och"]
    assert entry_files(entry(value, here / "bib"), suffixes={".pdf"}) == []


# What no path can be ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        *("", ";", " ; ", "::", ":::", ":;:", ".", "/", "//", "\\\\", "~", "~~", ":pdf:", "\\"),
        *("a" * 5000 + ".pdf", "/".join("a" * 3000) + ".pdf", ":" * 40_000, "\\;" * 20_000),
        *("C:", "C:\\", "C:/", "\\\\\\\\server", "//server/share/x.pdf", "CON", "\\\\?\\C:\\x.pdf"),
        *("a\0b.pdf", "a\x07b.pdf", "a\nb.pdf", "a\ud800b.pdf", "file://", "file:///", "file:%00"),
        *("https://example.org/x.pdf", "papers3://publication/uuid/1", "zotero://select/items/1"),
        *("$(touch x).pdf", "`touch x`.pdf", "%APPDATA%\\x.pdf", "|x", "?*.pdf", "[a-z].pdf"),
    ],
)
def test_strange_values_name_nothing_and_break_nothing(here, value):
    written = with_file(value, here / "bib")
    put(here / "base", "x.txt")
    assert entry_files(written, [here / "base"], {".pdf", ".tex"}) == []
    missing_file(written, bases=[here / "base"])
    missing_file(with_file(value, here))
    named_files(value)


@pytest.mark.parametrize(
    ("value", "missing"),
    [
        ("https://example.org/x.pdf", None),
        (r":https\://example.org/x.pdf:PDF", None),
        (":https://example.org/x.pdf:PDF", None),
        (":gone.pdf:PDF", "gone.pdf"),
        (":there.pdf:PDF", None),
        (":gone.pdf:PDF;:there.pdf:PDF", None),
    ],
)
def test_a_file_is_missing_where_none_is_there(here, value, missing):
    put(here / "bib", "there.pdf")
    assert missing_file(with_file(value, here / "bib")) == missing


# The values themselves ----------------------------------------------------------------------------


def test_several_files_are_all_named():
    assert named_files("a.pdf;notes/b.md") == ["a.pdf", "notes/b.md"]
    assert named_files(":a.pdf:PDF;:b.txt:Text")[0] == "a.pdf"
    assert "b.txt" in named_files(":a.pdf:PDF;:b.txt:Text")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("Och; Ney.pdf", ["Och; Ney.pdf"]),
        (":Och; Ney.pdf:PDF", ["Och; Ney.pdf"]),
        (
            "PDF:Och; Ney.pdf:application/pdf;More:other.pdf:application/pdf",
            ["Och; Ney.pdf", "other.pdf"],
        ),
        ("other.pdf;Och; Ney.pdf", ["other.pdf", "Och; Ney.pdf"]),
        (r"Och\; Ney.pdf;other.pdf", ["Och; Ney.pdf", "other.pdf"]),
        (r":C$\backslash$:/Users/ann/Och; Ney.pdf:pdf", ["Och; Ney.pdf"]),
        ("gone; away.pdf;other.pdf", ["other.pdf"]),
    ],
)
def test_a_name_with_a_bare_semicolon_is_found_if_it_exists(here, value, expected):
    for name in ("Och; Ney.pdf", "other.pdf"):
        put(here / "bib", name)
    found = entry_files(with_file(value, here / "bib"))
    assert sorted(path.name for path in found) == sorted(expected)

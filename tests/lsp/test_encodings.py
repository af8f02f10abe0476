r"""Files in other encodings than UTF-8: an edit of them is refused, or made with letters they have.

An editor makes an edit of a file that is not open as if it were in UTF-8.
"""

import pytest
from lsprotocol import types

from editing import Editing
from pincite.lsp.features import citing, code_actions, navigation
from pincite.lsp.session import Client
from pincite.model.edits import TextEdit
from pincite.model.problems import InputError
from pincite.model.spans import TextSpan
from pincite.settings import Settings

MAIN = r"""\documentclass{article}
\begin{document}
\input{chapter}
Rivers are cold in summer \cite{agern}. Glaciers carry many stones down.
\bibliography{refs}
\end{document}
"""
CHAPTER = "Die Flüsse \\cite{agern} sind kalt.\n"
REFS = """@book{agern, author = {Ägern, Jörg}, title = {Flüsse}, year = 1990}
@misc{other, author = {Åland, Ötzi}, title = {Glaciers and stones}, year = 1991}
"""
LIBRARY = """@article{stono, author={Ŝtono, Jörg – and Łąka, A}, title={“Cold” ěvil rivers…}, year=2001,
  url={https://example.org/cold}}
@misc{grün, title={A key with a letter}}
@misc{address, title={Rivers}, url={https://example.org/kőz}}
@misc{greek, title={The letter ω}}
"""
JABREF = "% Encoding: ISO8859_1\n\n"
#: How an editor reads bytes that are no UTF-8.
LOST = "\ufffd"


class Author(Editing):
    def __init__(self, folder, **contents):
        (folder / "library.bib").write_bytes(LIBRARY.encode())
        settings = Settings(global_bibliographies=(folder / "library.bib",))
        super().__init__(
            folder,
            f"%! main.tex\n{MAIN}%! chapter.tex\n{CHAPTER}%! refs.bib\n{REFS}",
            settings=settings,
        )
        for name, data in contents.items():
            (folder / name.replace("_", ".")).write_bytes(data)
        self.project.global_library.recommender()
        self.session.background.wait(30)
        self.open("main.tex", (folder / "main.tex").read_bytes().decode("utf-8", "replace"))

    def rename(self, new="new"):
        edit = self.ask(navigation.rename, "summer \\cite{ag|", new_name=new)
        return {each.text_document.uri.rpartition("/")[2] for each in edit.document_changes}

    def cite(self, key):
        return self.ask(citing.citing_edit, "many stones|", key=key).edit

    def add(self, key="stono"):
        """Return the entry of the library that is added to refs.bib, or why it is not."""
        try:
            return citing.adding_edit(self.project, self.main, key).answer["text"].strip()
        except InputError as error:
            return str(error)


@pytest.fixture(name="author")
def an_author(tmp_path):
    made = []

    def make(**contents):
        made.append(Author(tmp_path, **contents))
        return made[-1]

    yield make
    for author in made:
        author.session.stop()


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (REFS.encode("latin-1"), "is not in UTF-8"),
        ((JABREF + REFS).encode("latin-1"), "is in iso8859_1"),
        (("% Encoding: windows-1250\n" + REFS.replace("Å", "Č")).encode("cp1250"), "is in windows-1250"),
        (("% !TeX encoding = latin1\n" + REFS).encode("latin-1"), "is in latin1"),
        (REFS.encode("utf-16"), "is in utf-16"),
        # One bad byte.
        (REFS.encode() + b"% caf\xe9\n", "is not in UTF-8"),
    ],
)  # fmt: skip
def test_a_file_that_is_neither_open_nor_utf_8_is_not_edited(author, data, name):
    working = author(refs_bib=data)
    message = f"refs.bib {name}, and an editor that opens it as UTF-8 would destroy its letters"
    with pytest.raises(InputError, match=message) as refused:
        working.rename()
    assert "open it in its encoding or save it as UTF-8" in str(refused.value)
    assert working.add().startswith(message)
    with pytest.raises(InputError, match=message):
        working.cite("stono")


def test_a_chapter_in_latin_1_is_not_edited_from_afar(author):
    working = author(chapter_tex=CHAPTER.encode("latin-1"))
    with pytest.raises(InputError, match=r"chapter\.tex is not in UTF-8, and an editor"):
        working.rename()
    assert working.add().startswith("@article{stono")


@pytest.mark.parametrize("data", [REFS.encode(), REFS.encode("utf-8-sig"), b"@misc{agern}\n"])
def test_utf_8_is_edited_with_and_without_its_mark(author, data):
    working = author(refs_bib=data)
    assert working.rename() == {"main.tex", "chapter.tex", "refs.bib"}
    assert "Ŝtono, Jörg – and Łąka" in working.add()


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (REFS.encode("latin-1"), REFS.encode("latin-1").decode("utf-8", "replace")),
        ((JABREF + REFS).encode("latin-1"), (JABREF + REFS).encode("latin-1").decode("cp1250")),
        (REFS.encode(), REFS.encode().decode("latin-1")),
        (REFS.encode(), REFS.encode().decode("cp1252", "replace")),
        (REFS.encode() + b"% caf\xe9\n", f"{REFS}% caf{LOST}\n"),
    ],
)
@pytest.mark.parametrize("typed", ["", "@misc{typed, title = {Größe}}\n"])
def test_a_file_that_the_editor_reads_in_another_encoding_is_not_edited(author, data, shown, typed):
    working = author(refs_bib=data)
    working.open("refs.bib", typed + shown)
    message = "the editor has read it in another encoding. It was not changed: reopen it"
    with pytest.raises(InputError, match=message):
        working.rename()
    assert message in working.add()


@pytest.mark.parametrize("typed", ["", "@misc{typed, title = {Größe}}\n"])
@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-8", "utf-16"])
def test_an_open_file_is_edited_as_the_author_sees_it(author, encoding, typed):
    working = author(refs_bib=REFS.encode(encoding))
    working.open("refs.bib", typed + REFS)
    assert working.rename() == {"main.tex", "chapter.tex", "refs.bib"}


@pytest.mark.parametrize(
    ("text", "typed"),
    [(f"{REFS}% {LOST} 1\n", "% 2\n"), (f"{REFS}% Ледники известно\n", "% Ледники показано\n")],
)
def test_letters_lost_before_and_cyrillic_that_is_not_saved_hinder_nothing(author, text, typed):
    working = author(refs_bib=text.encode())
    assert "refs.bib" in working.rename()
    working.open("refs.bib", REFS + typed)
    assert "refs.bib" in working.rename("новый")


@pytest.mark.parametrize(
    ("main", "refs"),
    [
        (MAIN, JABREF + "@misc{agern}\n"),
        (MAIN.replace("\\begin", "\\usepackage[latin1]{inputenc}\n\\begin", 1), "@misc{agern}\n"),
        (
            MAIN.replace("\\begin", "\\usepackage[backend=biber,bibencoding=latin1]{biblatex}\n\\begin", 1),
            "@misc{agern}\n",
        ),
    ],
)  # fmt: skip
def test_a_file_without_such_letters_stays_so_where_another_encoding_is_declared(
    author, main, refs
):
    working = author(main_tex=main.encode(), refs_bib=refs.encode())
    added = working.add()
    assert added.isascii()
    assert r"{\^{S}}tono, J{\"{o}}rg" in added


@pytest.mark.parametrize(
    "declared",
    [
        "\\usepackage[utf8]{inputenc}",
        "% \\usepackage[latin1]{inputenc}",
        "\\usepackage[latin1]{inputenc}\\usepackage[bibencoding=utf8]{biblatex}",
    ],
)
def test_a_draft_that_has_its_bibliography_in_utf_8_gets_all_letters(author, declared):
    main = MAIN.replace("\\begin", f"{declared}\n\\begin", 1)
    assert "Ŝtono" in author(main_tex=main.encode(), refs_bib=b"@misc{agern}\n").add()


@pytest.mark.parametrize(("key", "letter"), [("grün", "ü"), ("address", "ő"), ("greek", "ω")])
def test_what_cannot_be_written_is_refused(author, key, letter):
    working = author(refs_bib=(JABREF + "@misc{agern}\n").encode())
    assert working.add(key) == (
        f"Not added to refs.bib: its encoding (ascii) has no “{letter}”: save it as UTF-8 and "
        "remove any declaration of another encoding."
    )
    with pytest.raises(InputError, match=r"refs\.bib was not changed: its encoding \(ascii\)"):
        working.rename("grün")


@pytest.mark.parametrize("shows_why", [False, True])
def test_a_draft_that_was_opened_in_another_encoding_takes_no_citation(author, shows_why):
    main = MAIN.replace("cold in", "kühl im")
    data = main.encode("latin-1")
    working = author(main_tex=data)
    working.session.client = Client(disabled_actions=shows_why, resolves_edits=True)
    message = "main.tex is not in UTF-8, and the editor has read it in another encoding"
    with pytest.raises(InputError, match=message):
        working.cite("agern")
    with pytest.raises(InputError, match=message):
        working.ask(citing.pinning_edit, "\\cite{ag|", key="agern", page=3)
    here, offset = working.at("many stones|")
    position = here.lines.position(offset)
    asked, context = types.Range(position, position), types.CodeActionContext(diagnostics=[])
    actions = code_actions.code_actions(here, asked, context)
    assert bool(actions) is shows_why
    assert all(a.disabled.reason.startswith(message) and not a.edit and not a.data for a in actions)
    working.open("main.tex", main)
    (change,) = working.cite("agern").document_changes
    assert "\\cite{agern}" in change.edits[0].new_text


def test_letters_that_an_open_file_of_items_lacks_are_a_reason_to_refuse(author):
    text = '[{"id": "agern", "title": "Größe"}]\n'
    main = MAIN.replace("{refs}", "{refs.json}")
    working = author(main_tex=main.encode(), refs_json=text.encode("latin-1"))
    working.open("refs.json", text)
    assert working.add() == (
        "refs.json was not changed: its encoding (cp1252) has no “ě”: save it as UTF-8 and "
        "remove any declaration of another encoding."
    )


def test_every_edit_of_ours_goes_the_same_way(author):
    """Other formats, and files that no draft names."""
    working = author()
    path = working.folder / "works.json"
    path.write_bytes('[{"id": "a", "title": "Größe"}]'.encode("latin-1"))
    with pytest.raises(InputError, match=r"works\.json is not in UTF-8"):
        citing.workspace_edit(working.project, [TextEdit(path, TextSpan(1, 1), " ")])


def test_letters_that_the_encoding_lacks_are_latex(author):
    working = author(refs_bib=(JABREF + REFS).encode("latin-1"))
    working.open("refs.bib", JABREF + REFS)
    assert working.add() == (
        r"@article{stono, author={{\^{S}}tono, Jörg -- and {\L}{\k{a}}ka, A}, "
        r"title={``Cold'' {\v{e}}vil rivers{\ldots}}, year=2001,"
        "\n  url={https://example.org/cold}}"
    )

"""A draft that is read again after edits is the draft as it is."""

from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.contexts.citing_text import text_of_draft
from pincite.parsing.drafts import DraftReader
from pincite.parsing.latex import regions
from pincite.parsing.latex.draft import LatexDraftReader
from pincite.project.disk import CachedDisk

#: A region of its own, in which an edit changes nothing that a file names.
FILLER = "Some more words, which fill a region of their own.\n\n"
NAMES = ("main", "one", "two", "three", "new")
BEGIN = f"\\documentclass{{article}}\\begin{{document}}\n\n{FILLER}"
PIECE = st.sampled_from(
    [
        *(
            "Some words here. ",
            "\n\n",
            "\n\n\\section{Part of it}\n",
            "\\cite{a}",
            "\\citep{b,c}. ",
        ),
        *(f"\\input{{{name}}}\n\n" for name in NAMES),
        *("\\include{two}\n", "\\input{missing}\n", "\\input{\\jobname}\n", "\\input{\\which}\n"),
        *("\\newcommand{\\which}{three}\n", "\\newcommand{\\mine}[1]{\\cite{#1}}\n", "\\mine{own}"),
        *("\\bibliography{refs}\n", "\\addbibresource{more.bib}\n", "\\bibliography{lost}\n"),
        *["\\input{missing}\n\n", "\\bibliography{lost}\n\n"] * 3,
        *("\\bibitem{item} An item.\n\n", "\\usepackage[german]{babel}\n", "{\n\n", "}"),
    ]
)
TEXT = st.lists(PIECE, max_size=9).map("".join)
FILES = st.fixed_dictionaries(dict.fromkeys(NAMES[:-1], TEXT))
#: The file, where in it, how much is replaced, by what, and whether it is saved.
EDIT = st.tuples(
    st.sampled_from(NAMES),
    st.integers(0, 200) | st.integers(0, 30) | st.integers(96, 120),
    st.integers(0, 20),
    st.sampled_from(["", "x", "more\n"]) | PIECE | TEXT,
    st.booleans(),
)
SMALL_REGIONS = mock.patch.multiple(regions, _MIN_REGION=20, _MAX_REGION=40)


def content(draft):
    files = (*draft.files, *draft.others)
    return {
        "root": draft.root,
        "files": [(file.path, file.text, file.citations, file.prose.text) for file in files],
        "own": [file.path for file in draft.files],
        "paths": draft.own_paths,
        "bibliographies": (
            draft.bibliographies,
            draft.fallback_bibliographies,
            draft.lacks_bibliography,
        ),
        "items": draft.bib_items,
        "all": (draft.has_all_text, draft.case_sensitive_keys, draft.languages),
        "problems": list(map(str, draft.problems)),
        "inclusions": draft.inclusions,
    }


@settings(max_examples=120)
@given(FILES, st.lists(EDIT, min_size=1, max_size=4), st.sampled_from(NAMES[:-1]))
def test_a_draft_read_again_after_edits_is_the_draft_as_it_is(files, edits, asked):
    with SMALL_REGIONS, TemporaryDirectory() as folder:
        paths = {name: Path(folder, f"{name}.tex") for name in NAMES}
        texts = {paths[name]: f"{FILLER}{text}" for name, text in files.items()}
        texts[paths["main"]] = f"{BEGIN}{texts[paths['main']]}\\end{{document}}"
        for path, text in texts.items():
            path.write_text(text, "utf-8")
        for name in ("refs.bib", "more.bib"):
            Path(folder, name).touch()
        disk = CachedDisk()
        reader = LatexDraftReader(
            DraftReader(lambda path: texts.get(path) or disk.read(path), disk=disk).inputs
        )
        for name, place, length, typed, saves in [("one", 0, 0, "", False), *edits]:
            path = paths[name]
            text = texts.get(path, "")
            texts[path] = f"{text[:place]}{typed}{text[place + length :]}"
            if saves:
                path.write_text(texts[path], "utf-8")
                disk.forget([path])
            elif not path.exists():
                del texts[path]  # A file that was never saved is in no draft.
            own = DraftReader(lambda path: texts.get(path) or disk.read(path))
            alone = LatexDraftReader(own.inputs)
            for requested in (paths[asked], path):
                if requested not in texts:
                    continue
                again = reader.read(requested, paths["main"])
                anew = alone.read(requested, paths["main"])
                assert content(again) == content(anew)
                one, other = text_of_draft(again), text_of_draft(anew)
                assert (one.text.text, list(one.text.starts)) == (
                    other.text.text,
                    list(other.text.starts),
                )
                for each in texts:
                    middle = len(texts[each]) // 2
                    assert one.place_of(each, middle) == other.place_of(each, middle)

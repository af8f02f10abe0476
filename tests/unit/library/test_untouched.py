"""What a project names on a server or in the system is not looked up, by whatever reads the project."""

import os
import subprocess
import sys

import pytest

#: Run in a process of its own: `os` is changed before anything is imported that uses it.
CHILD = r"""
import builtins, io, os, sys

top, rule, marker = sys.argv[1:4]


def note(what, path):
    name = os.fsdecode(path) if isinstance(path, (str, bytes, os.PathLike)) else ""
    if marker in name and name.startswith(("//", "\\\\") if rule == "Windows" else ("/proc/", "//proc")):
        sys.stderr.write(f"{what}: {name}\n")


def spied(what, function):
    def spy(path=".", *given, **named):
        note(what, path)
        return function(path, *given, **named)
    return spy


for name in ("stat", "lstat", "scandir", "listdir", "open", "access", "readlink", "mkdir", "unlink"):
    setattr(os, name, spied(name, getattr(os, name)))
builtins.open = io.open = spied("open", io.open)
sys.addaudithook(lambda event, given: note(event, given[0]) if given and event != "compile" else None)

import pincite.parsing.paths as paths
from pincite.cli import main

assert paths._ON_WINDOWS is False
paths._ON_WINDOWS = rule == "Windows"
import contextlib
for draft in ("main.tex", "paper.md", "book.qmd", "paper.typ"):
    for command in (["citations"], ["check"], ["library"], ["index"], ["recommend", "--all"]):
        with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):
            sys.argv = ["pincite", command[0], f"{top}/{draft}", *command[1:]]
            with contextlib.redirect_stderr(io.StringIO()) as printed:
                try:
                    main()
                except Exception as error:
                    sys.__stderr__.write(repr(error))

from pathlib import Path
from pincite.lsp.features.links import document_links
from pincite.lsp.session import Document, Session
from pincite.lsp.documents import Documents

session = Session(Documents())
session.folders = (Path(top),)
for name in ("main.tex", "refs.bib", "paper.md", "paper.typ"):
    path = Path(top, name)
    session.documents.open(path.as_uri(), path.read_text(encoding="utf-8"))
    document_links(Document(session.project(), path, session.documents.now.lines(path.as_uri())))
session.stop()
"""
LATEX = r"""%! TEX root = @/root.tex
\documentclass{@/class}
\usepackage{@/package}
\usepackage{subfiles,xr,import,glossaries}
\externaldocument{@/external}
\addbibresource{@/refs.bib}
\addbibresource{@/*.bib}
\loadglsentries{@/terms}
\begin{document}
\input{@/part} \include{@/chapter} \subfile{@/sub} \import{@/folder/}{part}
\input{\\server-of-nobody\share\part}
As \cite{tern2001, gull99, auk, kelp, moss, sedge} say.
\bibliography{refs,@/refs,\\server-of-nobody\share\refs}
\end{document}
"""
BIB = r"""
@article{tern2001, title = {Seals}, file = {@/tern.pdf}}
@article{gull99, title = {Piers}, file = {:@/gull.pdf:PDF}, pdf = {\\server-of-nobody\share\gull.pdf}}
@article{auk, title = {Tides}, file = {\\\\server-of-nobody\\share\\auk.pdf}, localfile = {@/auk.pdf}}
@article{kelp, title = {Kelp}, url = {file:@/kelp.pdf}, local-url = {file://@/kelp.pdf}}
@article{moss, title = {Moss}, attachments = {\\?\UNC\server-of-nobody\share\moss.pdf}, crossref = {@/x}}
@article{sedge, title = {Sedge}, file = {PDF:\\\\server-of-nobody\\share\\storage\\AB\\sedge.pdf:application/pdf;@/folder}}
"""
MARKDOWN = """---
bibliography: [refs.bib, @/refs.bib, "@/refs.yaml"]
---
{{< include @/part.md >}} See [@tern2001; @gull99].

```{r child="@/part.Rmd"}
```

```{include} @/part.md
```
"""
FILES = {
    "main.tex": LATEX,
    "root.tex": LATEX,
    "refs.bib": BIB,
    "paper.md": MARKDOWN,
    "_quarto.yml": "project: {type: book}\nbibliography: @/refs.bib\nbook: {chapters: [book.qmd, @/chapter.qmd]}\n",
    "book.qmd": MARKDOWN,
    "paper.typ": '#include "@/part.typ"\n#bibliography(("refs.bib", "@/refs.yml"))\nSo @tern2001.\n',
}  # fmt: skip


@pytest.mark.skipif(os.name == "nt", reason="the server's name may be looked up")
@pytest.mark.parametrize(
    ("rule", "place"),
    [
        ("Windows", "//server-of-nobody/share"),
        ("POSIX", "/proc/server-of-nobody"),
        ("POSIX", "//proc/server-of-nobody"),
    ],
)
def test_nothing_there_is_looked_up(tmp_path, rule, place):
    for name, text in FILES.items():
        # Markdown and Typst may have an at sign before a key.
        (tmp_path / name).write_text(text.replace("@/", f"{place}/"), encoding="utf-8")
    command = [sys.executable, "-c", CHILD, str(tmp_path), rule, "server-of-nobody"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.stderr, done.returncode) == ("", 0)


def test_the_spy_sees_a_lookup(tmp_path):
    child = (
        CHILD.split("import pincite")[0]
        + "from pathlib import Path\nPath('//server-of-nobody').exists()\n"
    )
    command = [sys.executable, "-c", child, str(tmp_path), "Windows", "server-of-nobody"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "stat: //server-of-nobody" in done.stderr


@pytest.mark.parametrize(
    ("path", "is_refused"),
    [
        (r"\\server\share\x.pdf", True),
        ("//server/share/x.pdf", True),
        (r"\\?\UNC\server\share\x.pdf", True),
        (r"\??\UNC\server\share\x.pdf", True),
        (r"\\.\pipe\x", True),
        (r"C:\Users\ann\x.pdf", False),
        ("/home/ann/x.pdf", False),
        ("x/y.pdf", False),
    ],
)
def test_what_leads_to_a_server_on_windows(monkeypatch, path, is_refused):
    from pincite.parsing import paths

    monkeypatch.setattr(paths, "_ON_WINDOWS", True)
    monkeypatch.setattr("os.getcwd", lambda: r"C:\Users\ann")
    assert paths.is_of_system(path) is is_refused
    assert paths.status(path) is None or not is_refused

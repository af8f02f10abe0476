"""For MkDocs: pages that lie as in the repository, and parts of pages that code writes."""

import ast
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
#: The pages, and what they show or link to.
SOURCES = (
    *("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "client-vscode/README.md"),
    "packaging/README.md",
    *("docs/**/*.md", "client-vscode/pictures/*", "examples/*.ipynb"),
    *("LICENSE", "NOTICE", "CITATION.cff"),
)
#: `python -m website.commands` has written this one.
COMMANDS = ROOT / "build/docs/commands.md"
#: Scripts, styles, fonts and pictures that a browser would fetch from another server.
REMOTE = re.compile(
    r"""<(?:script|img|iframe|link[^>]*stylesheet)[^>]*(?:src|href)=["']?(?:https?:)?//[^>]*>"""
)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Take the pages from where they lie in the repository: their links hold here and there."""
    theme = [file for file in files if not Path(file.abs_src_path).is_relative_to(config.docs_dir)]
    paths = sorted({path for pattern in SOURCES for path in ROOT.glob(pattern)})
    return Files([*theme, *(_file(path, config) for path in paths)])


def _file(path: Path, config: MkDocsConfig) -> File:
    name = path.relative_to(ROOT).as_posix()
    file = File(name, str(ROOT), config.site_dir, config.use_directory_urls)
    # `docs` in an address is no help.
    file.dest_uri = file.dest_uri.removeprefix("docs/")
    return file


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Write what code knows in place of the comment that names it."""
    if "<!-- every --help -->" in markdown:
        markdown = markdown.replace("<!-- every --help -->", COMMANDS.read_text("utf-8"))
    return markdown.replace("<!-- every docstring -->", _docstrings())


def _docstrings() -> str:
    """Return the directives for all public names: functions first, in the order of the alphabet."""
    module = ast.parse((ROOT / "server/pincite/__init__.py").read_text("utf-8"))
    values = {
        node.targets[0].id: node.value
        for node in module.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    names = sorted(ast.literal_eval(values["__all__"]), key=lambda name: (name[0].isupper(), name))
    functions = [f"::: pincite.{name}" for name in names if name[0].islower()]
    classes = [f"::: pincite.{name}" for name in names if name[0].isupper()]
    return "\n\n".join(("## Functions", *functions, "## Results", *classes))


def on_post_page(output: str, page: Page, **_: object) -> str:
    """Refuse a page for which a browser would ask another server than its own."""
    if remote := REMOTE.search(output):
        raise PluginError(f"{page.file.src_uri}: the page fetches from another server: {remote[0]}")
    return output

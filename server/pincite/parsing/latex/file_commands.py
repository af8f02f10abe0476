"""Which LaTeX commands name files: parts of the text, packages and bibliographies."""

from __future__ import annotations

import re
from collections.abc import Container

FOLDER_INCLUDES = frozenset(
    "import subimport includefrom inputfrom subincludefrom subinputfrom".split()
)
# \includepaper of langscibook includes a chapter of an edited volume, \loadglsentries a glossary.
TEXT_INCLUDES = FOLDER_INCLUDES.union(
    "input include subfile subfileinclude InputIfFileExists includepaper loadglsentries".split()
)
PACKAGE_INCLUDES = frozenset(
    "usepackage RequirePackage documentclass LoadClass LoadClassWithOptions documentstyle".split()
)
BIBLIOGRAPHIES = frozenset(
    "bibliography nobibliography addbibresource addglobalbib addsectionbib putbib "
    "defaultbibliography newrefsection begin{refsection} begin{btSect}".split()
)
FILE_COMMANDS = TEXT_INCLUDES | PACKAGE_INCLUDES | BIBLIOGRAPHIES
#: Those with one argument, for which a draft's own command may stand.
WITH_ONE_ARGUMENT = FILE_COMMANDS - FOLDER_INCLUDES - {"InputIfFileExists", "putbib"}
#: multibib defines such commands as \bibliographyweb.
KNOWN_NAMES = rf"{'|'.join(sorted(map(re.escape, FILE_COMMANDS)))}|bibliography(?!style)[A-Za-z]+"
#: Any use of a command or an environment.
USE = re.compile(r"\\(begin\{[A-Za-z\d*]+\}|[A-Za-z@]+)\*?")
_KNOWN = re.compile(rf"\\(?:{KNOWN_NAMES})(?![A-Za-z@])\*?")
#: The arguments of a command that names a file, up to a parameter in the name.
_UP_TO_PARAMETER = re.compile(
    r"\s*(?:\[[^\[\]#]*\]\s*|\{[^{}#]*\}\s*)*[\[{]?"
    r"[^\[\]{}#]*(?:\\(?:subfix|detokenize)\s*\{[^\[\]{}#]*)?#\d"
)


def names_by_parameter(body: str, own: Container[str]) -> bool:
    """Return whether the body of a definition names a file with a parameter of it.

    `own` are further commands that name files.
    """
    uses = (use for use in USE.finditer(body) if use[1] in own)
    return any(_UP_TO_PARAMETER.match(body, use.end()) for use in (*_KNOWN.finditer(body), *uses))

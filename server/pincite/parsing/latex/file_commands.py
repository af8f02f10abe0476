"""Which LaTeX commands name files: parts of the text, packages and bibliographies."""

from __future__ import annotations

import re
from functools import lru_cache

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


@lru_cache(maxsize=64)
def uses_of(names: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern of the uses of a draft's own commands."""
    return re.compile(rf"\\({'|'.join(map(re.escape, names))})(?![A-Za-z@])\*?")


@lru_cache(maxsize=64)
def naming_by_parameter(own: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern of commands in a definition that name a file with a parameter of it.

    `own` are further commands that name files.
    """
    return re.compile(
        rf"\\(?:{'|'.join((KNOWN_NAMES, *map(re.escape, own)))})(?![A-Za-z@])\*?\s*"
        r"(?:\[[^\[\]#]*\]\s*|\{[^{}#]*\}\s*)*[\[{]?"
        r"[^\[\]{}#]*(?:\\(?:subfix|detokenize)\s*\{[^\[\]{}#]*)?#\d"
    )

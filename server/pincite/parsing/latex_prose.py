"""LaTeX source as the text a reader would say, with a way back to the source.

Citations become `CITATION_MARK`, accents become letters, mathematics and the draft's own macros
become words, layout goes. A footnote stays where its mark is, in parentheses, so that the words
around a citation in it are its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..model.drafts import CITATION_MARK, Prose
from .latex_arguments import brace_end, bracket_end, skip_space
from .latex_symbols import ACCENTS, CONTROL_SYMBOLS, SYMBOLS, WORD_SYMBOLS, accented, plain_text

_TOKEN = re.compile(
    r"\\(?P<word>[A-Za-z@]+)\*?"
    r"|\\(?P<symbol>.)"
    r"|(?P<blank>(?:\r\n|\n|\r)[ \t]*(?:\r\n|\n|\r)\s*)"
    r"|(?P<mark>[{}~&$^_#]|``|''|---?)",
    re.DOTALL,
)
_MARKS: Mapping[str, str] = {
    "~": " ",
    "&": " ",
    "^": " ",
    "_": " ",
    "``": "“",
    "''": "”",
    "--": "–",
    "---": "—",
}

#: How many braced arguments of a command no reader sees; what follows them is kept.
_HIDDEN_ARGUMENTS: Mapping[str, int] = {
    **dict.fromkeys(
        """
        label ref pageref eqref autoref nameref cref Cref crefrange vref Vref fref subref thref
        hyperref hypertarget hyperlink href url path nolinkurl includegraphics includesvg
        includepdf includestandalone input include subfile subfileinclude InputIfFileExists
        usepackage RequirePackage documentclass LoadClass bibliography bibliographystyle
        addbibresource addglobalbib addsectionbib nobibliography printbibliography putbib
        vspace hspace vskip hskip addvspace color textcolor colorbox pagecolor rowcolor cellcolor
        columncolor fontsize selectfont index glossary gls glspl Gls acs pagestyle thispagestyle
        pagenumbering setcounter stepcounter refstepcounter newcounter usetikzlibrary hypersetup
        graphicspath DeclareGraphicsExtensions geometry captionsetup lstset selectlanguage
        foreignlanguage setlength addtolength newlength phantom vphantom hphantom rule raisebox
        bibitem newtheorem theoremstyle hyphenation includeonly lstinputlisting
        addcontentsline addtocontents markboth markright setmainfont setsansfont setmonofont
        newacronym newglossaryentry tikzset pgfplotsset begin end todototoc missingfigure
        """.split(),
        1,
    ),
    **dict.fromkeys(
        """
        import subimport includefrom inputfrom subincludefrom subinputfrom setlength addtolength
        setcounter addtocounter fontsize rule markboth resizebox crefrange definecolor
        newtheorem newglossaryentry
        """.split(),
        2,
    ),
    **dict.fromkeys("addcontentsline newacronym".split(), 3),
}
_HEADINGS = frozenset(
    """
    part chapter section subsection subsubsection paragraph subparagraph addchap addsec minisec
    frametitle framesubtitle caption captionof title
    """.split()
)
_BREAKS = frozenset("par item newpage clearpage cleardoublepage maketitle bigskip medskip".split())
_ASIDES = frozenset("footnote footnotetext thanks sidenote marginpar marginnote endnote".split())
_INLINE_ENVIRONMENTS = frozenset(
    """
    equation align gather multline displaymath math eqnarray array cases matrix pmatrix bmatrix
    vmatrix split aligned gathered alignat flalign dmath small center
    """.split()
)
_SKIPPED_ENVIRONMENTS = frozenset(
    """
    tikzpicture pspicture picture forest thebibliography tikzcd circuitikz pgfpicture axis
    algorithmic dot2tex xy
    """.split()
)
_ENVIRONMENT_ARGUMENTS: Mapping[str, int] = {
    **dict.fromkeys(
        """
        tabular array longtable minipage multicols column wrapfigure subfigure subtable tabu
        supertabular adjustbox otherlanguage spacing
        """.split(),
        1,
    ),
    **dict.fromkeys("tabularx tabular* tabulary wraptable".split(), 2),
}
_NAME = re.compile(r"\s*\{([^{}\r\n]*)\}")
_LONGEST_ARGUMENT = 3_000


class _ProseBuilder:
    """One pass over a file's visible text."""

    def __init__(
        self,
        text: str,
        citations: Mapping[int, tuple[int, bool]],
        definitions: Mapping[int, int],
        texts: Mapping[str, str],
    ) -> None:
        self.text = text
        self.citations = citations
        self.definitions = definitions
        self.texts = texts
        self.parts: list[str] = []
        self.length = 0
        self.starts: list[int] = []
        self.source_starts: list[int] = []
        #: What to say at the closing brace of a heading or an aside.
        self.closings: dict[int, str] = {}

    def build(self, start: int, end: int) -> Prose:
        text, position = self.text, start
        while (match := self._next(position, end)) is not None:
            if match.start() > position:
                self._say(text[position : match.start()], position)
            position = min(self._step(match), end)
        if position < end:
            self._say(text[position:end], position)
        if not self.parts:
            return Prose("", (0,), (start,))
        return Prose("".join(self.parts), tuple(self.starts), tuple(self.source_starts))

    def _next(self, position: int, end: int) -> re.Match[str] | None:
        return _TOKEN.search(self.text, position, end)

    def _say(self, words: str, source: int) -> None:
        if words:
            self.starts.append(self.length)
            self.source_starts.append(source)
            self.parts.append(words)
            self.length += len(words)

    def _step(self, match: re.Match[str]) -> int:
        start, end = match.span()
        if (cited := self.citations.get(start)) is not None:
            citation_end, said = cited
            if said:
                self._say(CITATION_MARK, start)
            return citation_end
        if (definition_end := self.definitions.get(start)) is not None:
            return definition_end
        kind = match.lastgroup
        if kind == "word":
            return self._command(match.group("word"), start, end)
        if kind == "symbol":
            return self._control_symbol(match.group("symbol"), start, end)
        if kind == "blank":
            self._say("\n\n", start)
        elif (mark := match.group()) in "{}":
            self._say(self.closings.pop(start, "") if mark == "}" else "", start)
        else:
            self._say(_MARKS.get(mark, ""), start)
        return end

    def _control_symbol(self, symbol: str, start: int, end: int) -> int:
        if symbol in ACCENTS:
            return self._accent(symbol, start, end)
        # ``\\[2pt]`` has an optional length.
        if symbol == "\\" and self.text[end : end + 1] == "[":
            end = bracket_end(self.text, end) or end
        self._say(CONTROL_SYMBOLS.get(symbol, symbol), start)
        return end

    def _accent(self, accent: str, start: int, end: int) -> int:
        text = self.text
        position = end
        while text[position : position + 1] in (" ", "\t"):
            position += 1
        base, after = text[position : position + 1], position + 1
        if base == "{":
            close = text.find("}", position, position + 20)
            if close < 0:
                return end
            base, after = plain_text(text[position + 1 : close]), close + 1
        elif base == "\\":
            letter = re.compile(r"\\([ij])(?![A-Za-z])\s*(?:\{\})?").match(text, position)
            if letter is None:
                return end
            base, after = letter.group(1), letter.end()
        if not base[:1].isalpha():
            return end
        self._say(accented(base, accent), start)
        return after

    def _command(self, name: str, start: int, end: int) -> int:
        if name == "begin":
            return self._begin(start, end)
        if name == "end":
            environment = _NAME.match(self.text, end)
            inline = environment and environment.group(1).rstrip("*") in _INLINE_ENVIRONMENTS
            self._say(" " if inline else "\n\n", start)
            return environment.end() if environment else end
        if name in _HEADINGS:
            self._say("\n\n", start)
            return self._argument(end, closing="\n\n")
        if name in _ASIDES:
            self._say(" (", start)
            return self._argument(end, closing=")")
        if name in _BREAKS:
            self._say("\n\n", start)
            return self._without_options(end)
        if (hidden := _HIDDEN_ARGUMENTS.get(name)) is not None:
            return self._without_arguments(end, hidden)
        if name in self.texts:
            self._say(self._own_text(name), start)
            return end
        if name in ACCENTS and self.text[end : end + 1] in " {":
            return self._accent(name, start, end)
        if (symbol := SYMBOLS.get(name)) is not None:
            self._say(f" {symbol} " if name in WORD_SYMBOLS else symbol, start)
            letter = len(symbol) == 1 and symbol.isalpha()
            return skip_space(self.text, end) if letter else end
        return self._without_options(end)

    def _own_text(self, name: str) -> str:
        body = self.texts[name]
        for inner in re.findall(r"\\([A-Za-z@]+)", body):
            if inner != name and inner in self.texts:
                body = re.sub(rf"\\{inner}(?![A-Za-z@])", lambda _: self.texts[inner], body)  # noqa: B023
        return plain_text(body)

    def _argument(self, position: int, closing: str) -> int:
        """Enter the braced argument at `position` and say `closing` where it ends."""
        position = self._without_options(position)
        start = skip_space(self.text, position)
        if self.text[start : start + 1] != "{":
            return position
        end = brace_end(self.text, start)
        if end is not None:
            self.closings[end - 1] = closing
        return start + 1

    def _without_options(self, position: int) -> int:
        """Skip optional arguments, unless a citation stands in one."""
        while self.text[position : position + 1] == "[":
            end = bracket_end(self.text, position)
            if end is None or "cite" in self.text[position:end]:
                return position
            position = end
        return position

    def _without_arguments(self, position: int, number: int) -> int:
        for _ in range(number):
            start = skip_space(self.text, self._without_options(position))
            if self.text[start : start + 1] != "{":
                break
            end = brace_end(self.text, start, _LONGEST_ARGUMENT)
            if end is None:
                break
            position = end
        return position

    def _begin(self, start: int, end: int) -> int:
        environment = _NAME.match(self.text, end)
        if environment is None:
            return end
        name = environment.group(1)
        if name.rstrip("*") in _SKIPPED_ENVIRONMENTS:
            close = self.text.find(f"\\end{{{name}}}", environment.end())
            self._say("\n\n", start)
            return close if close >= 0 else environment.end()
        self._say(" " if name.rstrip("*") in _INLINE_ENVIRONMENTS else "\n\n", start)
        position = self._without_options(environment.end())
        return self._without_arguments(position, _ENVIRONMENT_ARGUMENTS.get(name, 0))


_DOCUMENT = re.compile(r"\\begin\s*\{document\}")


def read_prose(
    visible: str,
    citations: Mapping[int, tuple[int, bool]],
    definitions: Mapping[int, int],
    texts: Mapping[str, str],
) -> Prose:
    """Return the prose of a file whose hidden parts are blanked out in `visible`.

    `citations` maps the offset of a citation's first character to its end and whether it is said
    (a listed-only citation is not); `definitions` maps the start of a macro definition to its
    end; `texts` the draft's own macros to their text. A preamble is no prose.
    """
    document = _DOCUMENT.search(visible)
    start = document.end() if document else 0
    return _ProseBuilder(visible, citations, definitions, texts).build(start, len(visible))

r"""Small valid files of each format as fuzzing seeds, and the dictionary of the format."""

from __future__ import annotations

import json

import torture.hostile.pdf as pdf

SENTENCE = pdf.SENTENCE

BIBTEX = (
    rb"""@string{jp = "Journal of " # "Piers"}
@article{tern2001, author = {Tern, Ann and van der {Gull}, {\'E}mile}, title = {Seals at {High} Tide},
  journal = jp, year = 2001, month = jan # "~" # feb, pages = {14--25}, doi = {10.1234/SEAL.5},
  file = {Full Text:files/12/tern.pdf:application/pdf;notes\:a.txt:notes\;a.txt:text}}
@comment{@book{not, title = {this}}}
@book(gull_99, title = "Pier\"s", crossref = {tern2001}, abstract = {Salt \& water \textit{rise}.})
""",
    rb"""% Encoding: windows-1252
@xdata{x, publisher = {P}} @online{a, xdata = {x}, ids = {b, c}, url = {file:///a/b.pdf},
bdsk-file-1 = {YnBsaXN0MDDUAQIDBAUGJCVYJHZlcnNpb24=}, eprint = {cs/0112017}, date={2001-05/2002}}
@set{s, entryset = {a,b}} @preamble{"\newcommand{\x}{y}"} @article{unclosed, title = {A
""",
)
BIBTEX_WORDS = (
    "@article{ @string{ @comment @preamble @xdata{ crossref file bdsk-file-1 author title year = # "
    '" { } ( ) , \\ \\" \\\' {\\o} $ _ % \\; \\: and others {{ }} ids xdata entryset month'
).split()

CSL_JSON = (
    rb"""[{"id": "tern2001", "citation-key": "tern", "type": "article-journal", "title": "Seals at <i>High</i> Tide",
  "author": [{"family": "Tern", "given": "Ann"}, {"literal": "Pier, Inc. and Co"}, {"family": "Gull",
  "non-dropping-particle": "van der", "suffix": "Jr."}], "issued": {"date-parts": [[2001, 3], ["2002"]]}, "volume": 5,
  "DOI": "10.1234/SEAL.5", "keyword": "a\u00e9\ud83d\ude00", "number": "arXiv:2003.13722", "custom": {"x": [null, true, 1e9]}},
 {"id": 7, "type": "thesis", "issued": {"raw": "May 2001"}, "abstract": "x""",
    rb"""{"items": [{"id": "a", "title": "A",}, {"id": "a"}{"title": 'x'}]}""",
)
CSL_JSON_WORDS = (
    '{ } [ ] " , : \\ \\u12 \\ud800 null true 1e999 -0 "id" "author" "issued" "date-parts" "items" "references" "raw"'
).split()
CSL_YAML = (
    rb"""---
references:
- id: tern2001
  author: &who
  - family: Tern
    given: Ann
  title: "*Seals* at [High]{.nocase} Tide"
  abstract: |
    They rise.
  issued: 2001-03/2002
# b
- {id: b, author: *who, <<: {type: book}}
...
""",
)
HAYAGRIVA = (
    rb"""tern2001:
    type: article
    title: {value: Seals, shorthand: S}
    author: ["Tern, Ann, Jr.", van der Gull, {name: Pier, prefix: de}]
    date: 2001-03
    serial-number: {doi: 10.1234/SEAL.5, arxiv: 2003.13722}
    parent:
        - {type: proceedings, title: Proc, parent: {title: Series}, publisher: {name: P, location: L}}
        - type: video
""",
)
YAML_WORDS = "- : ? & * &a *a <<: | > ' \" # [ ] { } , !!str !x %YAML --- ... id: references: parent: title: ~ null".split()

PROJECT = (
    b"""project: {type: book, bibliography: refs.bib, toc: [{file: main.md}, {children: [{file: x.md}]}]}
bibliography: &b [refs.bib, more.bib]
bibtex_bibfiles: *b
book:
  chapters: [main.md, {part: One, chapters: [x.md]}]
rmd_files: [main.Rmd, x.Rmd]
root: main
parts: [{caption: One, chapters: [{file: x}]}]
input-files: [main.md]
metadata: {bibliography: refs.bib}
""",
)

LATEX = (
    rb"""\documentclass[ngerman]{article}
\usepackage[backend=biber]{biblatex}\addbibresource{refs.bib}
\newcommand{\seal}[2][x]{seal~#1 \cite{#2}}\def\pair#1#2{#1 and #2}
\newcommand*{\needed}{[citation needed]}
\title{Counting seals}\author{A. Tern \and B. Gull\thanks{Pier}}
\begin{document}\maketitle\begin{abstract}We count seals.\end{abstract}
\section{Introduction}\label{sec:one} The seals\footnote{Grey ones.} rise \citep[see][p.~3]{tern2001,gull99}.
\seal{tern2001} It is known that they sleep \cite{}. \iffalse hidden \cite{no}\fi \verb|\cite{no}| % \cite{no}
\begin{equation} a_{1}^{2} = \frac{b}{c} \end{equation} $x < y$ \textit{is \emph{so} \"a}. \input{part}
\begin{verbatim}\cite{no}\end{verbatim} \cites[1]{a}[2]{b} \textcites(x)()[][]{a} TODO cite. \needed
\begin{thebibliography}{9}\bibitem[Tern(2001)]{tern2001} A. Tern. \newblock Seals. 2001.\end{thebibliography}
\end{document}
""",
    rb"""% !TeX root = main.tex
\documentclass{article}\begin{document}\pair{a}{b}\begin{comment}x\end{comment}\autocite*[5]{k}
\makeatletter\@ifundefined{x}{y}{z}\makeatother \^^41 \char`\{ \ifx\a\b c \else d \fi \nocite{*}
\catcode`\@=11 \begin{tabular}{l|r} a & b \\ \hline \end{tabular} \href{http://x}{y} \cite{a,?,b}
``Quoted,'' she said---twice. [?] (CITE) \bibliography{a,b} \bibdata{c} \end{document}
""",
)
LATEX_WORDS = (
    "\\cite{ \\citep[ \\begin{ \\end{ \\newcommand{ \\def\\a#1 \\input{ \\verb| \\iffalse \\fi \\else % $ $$ \\[ \\] "
    "\\( \\) { } [ ] \\\\ & ~ ^^ \\section{ \\footnote{ \\title{ \\bibitem{ \\bibliography{ \\bibliographystyle{ "
    "verbatim} comment} document} equation} \\documentclass{ \\usepackage{ \\let\\a\\b #1 ## \\ifx \\csname \\endcsname "
    "\\textit{ \\makeatletter @ \\\" \\' \\href{ \\newenvironment{ \\DeclareCiteCommand{ \\newblock \\item"
).split()

MARKDOWN = (
    f"""---
title: Counting seals
author: [Ann Tern]
date: 2001-05-04
---
# Introduction {{#one}}

{SENTENCE} They *rise* and **fall** [@tern2001; @gull99, p. 3] with the [tide](http://x/(y)). Seals[^1]
sleep `a_b` (Tern, 2001; Gull et al. 1999a) and ![a pier](pier.png). It is so [1, 3-5].

> A quote <b>bold</b> <!-- hidden --> &amp; &nbsp; &#65;

| a | b |
|---|---|
| 1 | 2 |

```python
print("no")
```
1. one
   - two

[^1]: Tern, A. (2001). Seals at high tide. *Journal of Piers*, 3, 14-25.
[x]: http://y "z"

## References

- Tern, A. (2001). Seals at high tide. Journal of Piers. doi:10.1234/seal.5
- Gull, B., and C. Auk. 1999. Sleeping on piers. arXiv:1901.00001
""".encode(),
)
MARKDOWN_WORDS = (
    "# ## === --- ``` ~~~ <!-- --> [ ]( ) ![ [^1]: [^ > | * ** _ ` \\ <b> </b> &amp; &# ; $$ $ 1. - "
    "<https://x> References Abstract [@ ] doi:10.1/ title: ..."
).split()

TYPST = (
    f"""#set document(title: "Counting seals")
#let tern(words) = emph(words)

= Introduction <one>

{SENTENCE} They _rise_ and *fall* @tern2001 @gull99[p. 3], says #cite(<gull99>, form: "prose").
Seals#footnote[See @tern2001.] sleep `a_b` // hidden @none
in $x^2 "@no"$ and $ sum_i x $ <eq>, as @eq says. /* @none */ It is so [citation needed].

#figure(table(columns: 2, [a], [b]), caption: [Of @gull99.]) <fig>
- one
  + two
#if 1 < 2 {{ [@tern2001] }} else [#tern[x]]

#include "part.typ"
#bibliography(("refs.bib", "more.yml"), style: "apa")
""".encode(),
    b'@a@b: #cite(label("c")) #[[@d[x]]] \\@e me@x.org https://x/@f\n',
)
TYPST_WORDS = (
    "= @ @a @a[ #cite(< >) #cite( #f( #f[ [ ] ( ) { } $ ` ``` /* */ // <a> \\ #let #if #include "
    '" #bibliography("refs.bib") #show: [citation needed] + - / : ; ~'
).split()

PLAIN = (
    f"""Counting seals from a pier

Ann Tern and Bob Gull

Abstract

{SENTENCE}

1 Introduction

The seals rise (Tern, 2001; Gull et al., 1999a) and fall [1, 3\u20135] e.g. at night.\f2 Methods
As Gull and Auk (1999) say, \u201cthey sleep.\u201d Dr. Tern did not. It costs 3.5 m\u00b2.

References

[1] A. Tern. 2001. Seals at high tide. Journal of Piers, 3:14\u201325. doi:10.1234/seal.5
[2] Gull, B., Auk, C.: Sleeping on piers. In: Proc. of Piers, pp. 1-9 (1999)
[3] B. Gull, C. van der Auk and D. O'Neil, "On buoys," IEEE Trans. Sea, vol. 2, no. 1, Jan. 1998.
""".encode(),
)
PLAIN_WORDS = (
    "( ) [ ] , ; . et al. and & 2001 1999a (2001) [1] [1,2] References Bibliography \u2013 \u201c \u201d : Proc. In: "
    "doi:10.1/ arXiv: vol. pp. no. 1. \u00b9 \u00b2 Fig. e.g. Tern, A.,"
).split()

TEI = (
    f"""<?xml version="1.0" encoding="UTF-8"?>
<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader xml:lang="en"><fileDesc><titleStmt>
<title level="a" type="main">Counting seals</title></titleStmt><sourceDesc><biblStruct><analytic>
<author><persName><forename type="first">Ann</forename><surname>Tern</surname></persName></author></analytic>
<monogr><imprint><date type="published" when="2001"/></imprint></monogr><idno type="DOI">10.1/2</idno></biblStruct>
</sourceDesc></fileDesc><profileDesc><abstract><div><p><s>We count.</s></p></div></abstract></profileDesc></teiHeader>
<facsimile><surface n="1"/></facsimile><text><body><div><head n="1" coords="1,5,6,7,8">Introduction</head>
<p><s coords="1,5,6,7,8">{SENTENCE}</s> They rise <ref type="bibr" target="#b0">(Tern, 2001)</ref> &amp; fall.</p>
<formula>x<label>(1)</label></formula><figure><figDesc>A seal.</figDesc><table><row><cell>1</cell></row></table></figure>
<note place="foot">Measured.</note></div></body><back><div type="annex"><p>More.</p></div><div><listBibl><biblStruct
xml:id="b0"><analytic><title>Seals</title><author><persName><surname>Tern</surname></persName></author></analytic>
<note type="raw_reference">A. Tern. 2001. Seals.</note></biblStruct></listBibl></div></back></text></TEI>
""".encode(),
)
JATS = (
    f"""<?xml version="1.0"?><!DOCTYPE article [<!ENTITY x "y">]>
<article xmlns:xlink="http://www.w3.org/1999/xlink"><front><article-meta><article-id pub-id-type="doi">10.1/2</article-id>
<title-group><article-title>Counting <italic>seals</italic></article-title><subtitle>A pier</subtitle></title-group>
<contrib-group><contrib><name><surname>Tern</surname></name></contrib></contrib-group><pub-date><year>2001</year></pub-date>
<abstract><title>Abstract</title><p>We count.</p></abstract></article-meta></front><body><sec><title>Introduction</title>
<p>{SENTENCE} They rise &x; &eacute; <xref ref-type="bibr" rid="r1">1</xref>,<xref ref-type="bibr" rid="r2">2</xref>.
<disp-formula>x</disp-formula><inline-formula>y</inline-formula><list><list-item><p>one</p></list-item></list></p>
<fig><caption><p>A seal.</p></caption></fig><table-wrap><caption><p>T</p></caption></table-wrap></sec></body>
<back><app><p>More.</p></app><ref-list><ref id="r1"><label>1</label><mixed-citation><name><surname>Tern</surname>
</name> <article-title>Seals</article-title> <year>2001</year></mixed-citation></ref><ref id="r2"><element-citation>
<person-group><name><surname>Gull</surname></name></person-group></element-citation></ref></ref-list></back>
<sub-article><body><p>Reply.</p></body></sub-article></article>
""".encode(),
)
XML_WORDS = (
    "<p> </p> <s> </s> <ref> </ref> <![CDATA[ ]]> <!-- --> <!ENTITY &amp; &x; &#x0; <?x ?> <head> <title> <sec> <xref "
    'ref-type="bibr" rid="r1" target="#b0" xml:id="b0" coords="1,2,3,4,5" <formula> <note> <figure> <list> <label> '
    '<article> <TEI> <teiCorpus> <OAI-PMH> when="2001" xmlns="x" <body> <back> <div> <abstract> <name> <surname>'
).split()


def _s2orc() -> tuple[bytes, ...]:
    text = f"{SENTENCE} They rise (Tern, 2001)."
    start = text.index("(Tern")
    span = {"start": start, "end": len(text) - 1, "text": "(Tern, 2001)", "ref_id": "BIBREF0"}
    parse = {
        "abstract": [{"text": "We count.", "cite_spans": [], "section": "Abstract"}],
        "body_text": [
            {"text": text, "cite_spans": [span], "section": "A::B", "sec_num": "1"},
            {"text": "More.", "section": [["1", "A"], ["1.1", "B"]]},
        ],
        "bib_entries": {
            "BIBREF0": {
                "title": "Seals",
                "authors": [{"first": "Ann", "last": "Tern"}],
                "year": 2001,
                "other_ids": {"DOI": ["10.1/2"], "arXiv": ["1901.00001"]},
            }
        },
    }
    first = {"paper_id": "1", "title": "Counting seals", "year": 2001, "pdf_parse": parse}
    annotations = {
        "paragraph": json.dumps([{"start": 0, "end": len(text)}]),
        "bibref": json.dumps([{"start": start, "end": start + 12, "attributes": {"ref_id": "b0"}}]),
        "bibentry": json.dumps(
            [{"start": 0, "end": 5, "attributes": {"id": "b0", "doi": "10.1/2"}}]
        ),
        "sectionheader": [{"start": 0, "end": 3, "attributes": {"n": "1"}}],
        "abstract": None,
    }
    bulk = {
        "corpusid": 7,
        "externalids": {"doi": "10.1/2", "arxiv": None},
        "content": {"text": text, "annotations": annotations},
    }
    cord = {"paper_id": "x", "metadata": {"title": "Counting", "authors": [{"last": "T"}]}, **parse}
    return tuple(json.dumps(each).encode() for each in (first, bulk, cord))


S2ORC = _s2orc()
S2ORC_WORDS = (
    '{ } [ ] , : "text": "cite_spans": "body_text": "abstract": "bib_entries": "annotations": "content": "start": '
    '"end": "ref_id": "section": "sec_num": null true -1 1e999 99999999999 NaN "\\ud800" "authors": "last": "year":'
).split()

ANSWER = (
    b"""{"results": [{"title": "Seals at high tide", "authorships": [{"author": {"display_name": "Ann Tern"}}],
"abstract_inverted_index": {"Seals": [0], "rise.": [1]}, "cited_by_count": 3}],
"message": {"items": [{"title": ["Seals at high tide"], "issued": {"date-parts": [[2001]]}}]},
"data": [{"contexts": ["They rise."], "citingPaper": {"title": "Piers"}, "title": "Seals at high tide"}]}""",
)

SETTINGS = (
    json.dumps(
        {
            "pincite": {
                "library": {"folders": ["papers", "~/x"], "indexMegabytes": 100, "drafts": []},
                "ranker": "learned",
                "diagnostics": {"enabled": "auto", "weakSupport": False},
                "definition": True,
                "vectors": "missing.bin",
                "peers": [],
                "unknown": {"a": 1},
                "": None,
            }
        }
    ).encode(),
    b'{"library.folders": ["~nobody/x", "a\\u0000b"], "model": "", "peers": [[]], "rename": {}}',
)
SETTINGS_WORDS = (
    '{ } [ ] , : "pincite": "library": "folders": "library.folders": "model": "vectors": "peers": "ranker": "" null '
    'true 1e999 "~" "~x" "\\u0000" "\\ud800" "auto" "on" "diagnostics": "bibliographies":'
).split()

PDF = (
    pdf.paper(),
    pdf.Pdf.of(
        pdf.shown(pdf.LINES[:3]), page="/Rotate 90 /Annots [<< /Subtype /Link /A << /URI (x) >> >>]"
    ).written(),
    pdf.Pdf.of(
        b"1 0 0 1 5 40 cm q BT /F1 9 Tf [(Se) -20 (als) 300 <72697365>] TJ ET Q " * 9
    ).written(),
)
PDF_WORDS = (
    "obj endobj stream endstream xref trailer startxref %%EOF << >> /Type /Page /Pages /Kids /Count /Length /Filter "
    "/FlateDecode /Font /ToUnicode /Encoding BT ET Tj TJ Tf Td Tm q Q Do /XObject /PageLabels /Nums /Rotate "
    "/MediaBox 0 0 R -2147483648 9999999999 1e38 /Encrypt /Root /Info /Title /ObjStm /Prev"
).split()

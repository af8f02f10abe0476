"""TEI and JATS: text, places, references and markers, whatever state the file is in."""

from html import escape

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from papers_as_read import marked, texts
from pincite.model.papers import Reference
from pincite.model.problems import InputError, NotAPaperError, NoTextError
from pincite.parsing.papers.xml import read_xml

TEI = """<?xml version="1.0" encoding="UTF-8"?>
<TEI xml:space="preserve" xmlns="http://www.tei-c.org/ns/1.0">
  <teiHeader xml:lang="en">
    <fileDesc>
      <titleStmt><title level="a" type="main">Weighing sea shells
        by their sound</title></titleStmt>
      <publicationStmt><publisher/><date type="published" when="2019-03-02">2 March</date></publicationStmt>
      <sourceDesc><biblStruct>
        <analytic>
          <author><persName><forename type="first">Mary</forename><surname>Anning</surname></persName></author>
          <author><persName><forename type="first">Jan</forename><surname>van Dam</surname></persName></author>
          <author><affiliation><orgName>Shore Institute</orgName></affiliation></author>
          <title level="a" type="main">Weighing sea shells by their sound</title>
        </analytic>
        <monogr><imprint><date type="published" when="2019"/></imprint></monogr>
        <idno type="DOI">10.1234/Shell.5</idno>
        <idno type="arXiv">arXiv:1903.01234v2[cs.SD]</idno>
      </biblStruct></sourceDesc>
    </fileDesc>
    <profileDesc><abstract><div><p><s>We weigh shells.</s> <s>No scale is used.</s></p></div></abstract></profileDesc>
  </teiHeader>
  <facsimile><surface n="1" ulx="0" lrx="612"/><surface n="2"/><surface n="3"/></facsimile>
  <text xml:lang="en">
    <body>
<div><head n="1" coords="1,50,60,70,8">Introduction</head><p><s coords="1,50.1,60,70,8;2,50,60,70,8">Shells ring <ref type="bibr" target="#b0" coords="1,1,1,1,1">(Tap, 1988;</ref><ref type="bibr" target="#b1">Och et al., 2003)</ref>.</s> <s coords="2,50,80,70,8">See e.g. p. 4 of
<ref type="bibr">[9]</ref>. Or not (<ref type="figure" target="#fig_0">Fig. 1</ref>).</s></p>
<formula xml:id="formula_0">w = f ( s )<label>(1)</label></formula>
<p><s coords="2,1,1,1,1">where <formula>s</formula> is the sound.<ref type="foot">2</ref></s></p></div>
<div><p><s coords="3,1,1,1,1">This goes on.</s></p></div>
<figure xml:id="fig_0" coords="2,1,1,1,1"><head>Figure 1 :</head><label>1</label><figDesc><div><p><s coords="2,1,1,1,1">A shell on a string.</s></p></div></figDesc><graphic/></figure>
<figure type="table" xml:id="tab_0"><head>Table 1</head><figDesc>Weights of shells.</figDesc><table><row><cell>seventy</cell></row></table></figure>
<note place="foot" n="2" coords="3,1,1,1,1"><p><s coords="3,1,1,1,1">Measured in a bucket.</s></p></note>
    </body>
    <back>
      <div type="acknowledgement"><div><head>Acknowledgements</head><p><s>We thank the tide.</s></p></div></div>
      <div type="annex"><div><head n="A">More shells</head><p><s>These were found later.</s></p></div></div>
      <div type="references"><listBibl>
        <biblStruct xml:id="b0">
          <analytic><title level="a" type="main">Listening to limestone</title>
            <author><persName><forename>Ann</forename><surname>Tap</surname></persName></author></analytic>
          <monogr><title level="j">Journal of Beaches</title><imprint><date type="published" when="1988-05"/></imprint></monogr>
          <idno type="DOI">https://doi.org/10.1234/LIME.7</idno>
          <note type="raw_reference">A. Tap. 1988. Listening to limestone. Journal of Beaches.</note>
        </biblStruct>
        <biblStruct xml:id="b1">
          <monogr><title level="m" type="main">A book of bells</title>
            <author><persName><forename type="first">Ida</forename><forename type="middle">Och</forename></persName></author>
            <author><persName><surname>Ney</surname></persName></author>
            <imprint><date type="published" when="2003"/></imprint></monogr>
          <note type="raw_reference">I. Och, H. Ney: A book of bells. arXiv:cs/0301001, 2003.</note>
        </biblStruct>
      </listBibl></div>
    </back>
  </text>
</TEI>
"""

JATS = """<?xml version="1.0"?>
<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) v1.0//EN" "http://127.0.0.1:9/JATS-archivearticle1.dtd">
<article xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:mml="http://www.w3.org/1998/Math/MathML" article-type="research-article"><?open yes?>
<front><journal-meta><journal-title>Tides</journal-title></journal-meta><article-meta>
  <article-id pub-id-type="pmid">12</article-id><article-id pub-id-type="doi">10.1234/Tide.9</article-id>
  <title-group><article-title>How <italic>Littorina</italic> climbs<xref ref-type="fn" rid="n1">*</xref></article-title><subtitle>a slow study</subtitle></title-group>
  <contrib-group><contrib contrib-type="author"><name><surname>Hooke</surname><given-names>R</given-names></name><xref ref-type="aff" rid="a1">1</xref></contrib>
    <contrib contrib-type="author"><collab>Tide Watch</collab></contrib>
    <contrib contrib-type="editor"><name><surname>Editor</surname></name></contrib></contrib-group>
  <pub-date pub-type="epub"><year>2011</year></pub-date><pub-date pub-type="ppub"><month>1</month><year>2012</year></pub-date>
  <abstract abstract-type="graphical"><p>A picture.</p></abstract>
  <abstract><title>Abstract</title><sec><title>Aims</title><p>We watched snails.</p></sec><sec><title>Results</title><p>They climb <xref ref-type="bibr" rid="B1">[1]</xref>.</p></sec></abstract>
</article-meta></front>
<body>
<sec id="s1"><label>1</label><title>Climbing <italic>up</italic></title>
  <p>Snails climb <italic>slowly</italic>[<xref ref-type="bibr" rid="B1">1</xref>&#8211;<xref ref-type="bibr" rid="B3">3</xref>]. Each one (H<sub>2</sub>O&nbsp;and CO<sub>2</sub>) is given by<disp-formula id="e1"><tex-math>\\begin{document}x\\end{document}</tex-math></disp-formula>where <inline-formula><mml:math><mml:mi>x</mml:mi><mml:mo>=</mml:mo><mml:mn>1</mml:mn></mml:math></inline-formula><xref ref-type="fn" rid="n2">a</xref> holds.<sup><xref ref-type="bibr" rid="B2">2</xref>,<xref ref-type="bibr" rid="B4 B1">4</xref></sup> Nobody<fn id="n2"><label>a</label><p>But see <xref ref-type="bibr" rid="B9">Moss (1999)</xref>.</p></fn> knows
  why<fig id="f1"><label>Figure 1</label><caption><title>A snail.</title><p>It is brown.</p></caption><graphic xlink:href="x"/></fig>.</p>
  <sec><title>Pace</title><p>The pace is as follows:<list><list-item><label>1.</label><p>very slow;</p></list-item><list-item><p>slower.</p></list-item></list>then none.</p></sec>
  <p>Back in the outer section.</p>
  <table-wrap><label>Table 1</label><caption><p>Paces of snails.</p></caption><table><tr><td>nought</td></tr></table></table-wrap>
</sec>
<sec sec-type="supplementary-material"><title>Supporting information</title><supplementary-material><caption><p>A film.</p></caption></supplementary-material></sec>
</body>
<back><ack><p>We thank the pier.</p></ack>
<app-group><app id="a"><title>Tables of tides</title><p>High at noon.</p></app></app-group>
<ref-list><title>References</title>
  <ref id="B1"><label>1.</label><element-citation publication-type="journal"><person-group person-group-type="author"><name><surname>Gould</surname><given-names>A</given-names></name><collab>Snail Group</collab></person-group><person-group person-group-type="editor"><name><surname>Press</surname></name></person-group><article-title>Feet of snails.</article-title><source>Mollusca</source><year>1999</year><pub-id pub-id-type="doi">10.1234/FEET.1</pub-id></element-citation></ref>
  <ref id="B2"><label>2.</label><mixed-citation publication-type="book"><string-name><given-names>B.</given-names> <surname>Hill</surname></string-name>. <source>Slopes and walls</source>. <year>2001a</year>. <ext-link xlink:href="https://doi.org/10.1234/wall.2">link</ext-link></mixed-citation></ref>
  <ref id="B3"><label>3.</label><mixed-citation>Ide C, Orr D. (2004) Slime as a path. Mollusca 4: 5-9.</mixed-citation></ref>
  <ref id="B4"><label>4.</label><citation-alternatives><mixed-citation>Kay E. Shade. 2005.</mixed-citation><element-citation><name><surname>Kay</surname></name><article-title>Shade</article-title><year>2005</year></element-citation></citation-alternatives></ref>
</ref-list></back>
<sub-article><front-stub/><body><p>I am the reviewer.</p></body></sub-article>
</article>
"""


@pytest.fixture(name="save")
def save_file(tmp_path):
    def save(content, name="paper.xml"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return save


def tei(body, header="", back=""):
    return (
        f'<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader>{header}</teiHeader><text><body>'
        f"{body}</body><back>{back}</back></text></TEI>"
    )


def jats(body, back="", doctype=""):
    return f"{doctype}<article><front/><body>{body}</body><back>{back}</back></article>"


def ref_list(count):
    entries = "".join(
        f'<ref id="R{n}"><mixed-citation>Work {n}</mixed-citation></ref>'
        for n in range(1, count + 1)
    )
    return f"<ref-list>{entries}</ref-list>"


def xref(name, text):
    return f'<xref ref-type="bibr" rid="{name}">{text}</xref>'


class TestTei:
    @pytest.fixture(name="paper")
    def read_fixture(self, save):
        return read_xml(save(TEI, "shells.tei.xml"))

    def test_the_header(self, paper):
        assert paper.title == "Weighing sea shells by their sound"
        assert paper.surnames == ("Anning", "van Dam")
        assert paper.year == "2019"
        assert paper.doi == "10.1234/shell.5"
        assert paper.arxiv == "1903.01234"
        assert paper.abstract == "We weigh shells. No scale is used."
        assert paper.page_count == 3
        assert paper.basis == "full text"
        assert paper.source.name == "shells.tei.xml"

    def test_sentences_with_their_places(self, paper):
        assert [(s.text, s.page, s.section) for s in paper.sentences] == [
            ("We weigh shells.", None, "Abstract"),
            ("No scale is used.", None, "Abstract"),
            ("Shells ring (Tap, 1988; Och et al., 2003).", 1, "1 Introduction"),
            ("See e.g. p. 4 of [9]. Or not (Fig. 1).", 2, "1 Introduction"),
            ("where s is the sound.", 2, "1 Introduction"),
            ("This goes on.", 3, "1 Introduction"),
            ("A shell on a string.", 2, None),
            ("Weights of shells.", 2, None),
            ("Measured in a bucket.", 3, "1 Introduction"),
            ("These were found later.", 3, "A More shells"),
        ]

    def test_references(self, paper):
        assert paper.references == (
            Reference(
                "Listening to limestone",
                ("Tap",),
                "1988",
                doi="10.1234/lime.7",
                text="A. Tap. 1988. Listening to limestone. Journal of Beaches.",
            ),
            Reference(
                "A book of bells",
                ("Och", "Ney"),
                "2003",
                arxiv="cs/0301001",
                text="I. Och, H. Ney: A book of bells. arXiv:cs/0301001, 2003.",
            ),
        )

    def test_markers(self, paper):
        assert marked(paper) == [("(Tap, 1988;", (0,)), ("Och et al., 2003)", (1,)), ("[9]", ())]

    def test_paragraphs_that_grobid_did_not_split(self, save):
        body = """<div><p coords="4,1,1,1,1;5,1,1,1,1">One is here <ref type="bibr">(Tap et al. 1988)</ref>.
            Two is <ref type="bibr" coords="5,1,1,1,1">Och et al. (2003)</ref> and more. Three.</p></div>"""
        paper = read_xml(save(tei(body)))
        assert [(s.text, s.page) for s in paper.sentences] == [
            ("One is here (Tap et al. 1988).", 4),
            ("Two is Och et al. (2003) and more.", 4),
            ("Three.", 5),
        ]

    def test_bad_coordinates_are_passed_over(self, save):
        body = "".join(f'<p coords="{c}">Text.</p>' for c in ("", "x,1", "-1,2", "0,1", "9" * 40))
        assert {s.page for s in read_xml(save(tei(body))).sentences} == {None}

    def test_an_abstract_in_the_text(self, save):
        front = "<front><div type='abstract'><p>Snails climb.</p></div></front>"
        text = f"<TEI><teiHeader/><text>{front}<body><p>They fall.</p></body></text></TEI>"
        paper = read_xml(save(text))
        assert (paper.abstract, texts(paper)) == ("Snails climb.", ["Snails climb.", "They fall."])

    def test_the_parts_of_a_structured_abstract_are_no_sections(self, save):
        parts = "".join(f"<div><head>{n}</head><p>It is.</p></div>" for n in ("Aims", "Results"))
        body = "<div><head>Results</head><p>They fall.</p></div>"
        paper = read_xml(
            save(tei(body, f"<profileDesc><abstract>{parts}</abstract></profileDesc>"))
        )
        assert paper.abstract == "It is. It is."
        assert [s.section for s in paper.sentences] == ["Abstract", "Abstract", "Results"]

    def test_without_a_body_the_abstract_serves_and_without_either_nothing(self, save):
        header = "<profileDesc><abstract><p>All there is.</p></abstract></profileDesc>"
        paper = read_xml(save(tei("", header)))
        assert (paper.basis, texts(paper)) == ("abstract", ["All there is."])
        with pytest.raises(NoTextError):
            read_xml(save(tei("<div><head>1</head></div>")))

    def test_references_written_by_hand(self, save):
        back = '<listBibl><bibl xml:id="t">Tap, Ann. 1988. Listening to limestone. <title level="j">Beaches</title>.</bibl></listBibl>'
        paper = read_xml(
            save(tei('<p>As in <ref type="bibr" target="#t #u">Tap</ref>.</p>', back=back))
        )
        assert marked(paper) == [("Tap", (0,))]
        assert paper.references[0].surnames == ("Tap",)
        assert paper.references[0].year == "1988"


class TestJats:
    @pytest.fixture(name="paper")
    def read_fixture(self, save):
        return read_xml(save(JATS, "snails.nxml"))

    def test_the_front_matter(self, paper):
        assert paper.title == "How Littorina climbs: a slow study"
        assert paper.surnames == ("Hooke", "Tide Watch")
        assert paper.year == "2012"
        assert paper.doi == "10.1234/tide.9"
        assert paper.abstract == "We watched snails. They climb [1]."
        assert paper.basis == "full text"

    def test_sentences_with_their_sections(self, paper):
        assert [(s.text, s.section) for s in paper.sentences] == [
            ("We watched snails.", "Abstract"),
            ("They climb [1].", "Abstract"),
            ("Snails climb slowly[1–3].", "1 Climbing up"),
            ("Each one (H2O and CO2) is given by where x=1 holds.²,⁴", "1 Climbing up"),
            ("Nobody knows why.", "1 Climbing up"),
            ("But see Moss (1999).", "1 Climbing up"),
            ("A snail.", "1 Climbing up"),
            ("It is brown.", "1 Climbing up"),
            ("The pace is as follows:", "Pace"),
            ("very slow;", "Pace"),
            ("slower.", "Pace"),
            ("then none.", "Pace"),
            ("Back in the outer section.", "1 Climbing up"),
            ("Paces of snails.", "1 Climbing up"),
            ("High at noon.", "Tables of tides"),
        ]

    def test_markers(self, paper):
        assert marked(paper) == [
            ("[1]", (0,)),
            ("1", (0,)),
            ("3", (1, 2)),
            ("²", (1,)),
            ("⁴", (3, 0)),
            ("Moss (1999)", ()),
        ]

    def test_references(self, paper):
        first, second, third, fourth = paper.references
        assert first == Reference(
            "Feet of snails",
            ("Gould", "Snail Group"),
            "1999",
            "10.1234/feet.1",
            label="1",
            text="Gould A Snail Group Press Feet of snails. Mollusca 1999 10.1234/FEET.1",
        )
        assert second == Reference(
            "Slopes and walls",
            ("Hill",),
            "2001a",
            "10.1234/wall.2",
            label="2",
            text="B. Hill. Slopes and walls. 2001a. link",
        )
        assert (third.surnames, third.year, third.label) == (("Ide", "Orr"), "2004", "3")
        assert third.title == "Slime as a path"
        assert (fourth.title, fourth.surnames) == ("Shade", ("Kay",))

    def test_a_reference_with_several_works(self, save):
        back = (
            '<ref-list><ref id="R1"><mixed-citation id="R1a">Work a</mixed-citation>'
            '<mixed-citation id="R1b">Work b</mixed-citation></ref>'
            '<ref id="R2"><citation>Work c</citation></ref></ref-list>'
        )
        path = save(
            jats(f"<p>See {xref('R1', '1')}, {xref('R1b', '1b')}, {xref('R2', '2')}.</p>", back)
        )
        assert marked(read_xml(path)) == [("1", (0, 1)), ("1b", (1,)), ("2", (2,))]

    @pytest.mark.parametrize(
        ("written", "cited"),
        [
            (f"[{xref('R2', '2')}–{xref('R5', '5')}]", [(1,), (2, 3, 4)]),
            (
                f"<sup>{xref('R1', '1')},{xref('R3', '3')}&#x2212;{xref('R5', '5')}</sup>",
                [(0,), (2,), (3, 4)],
            ),
            (f"{xref('R2', '2–5')}", [(1, 2, 3, 4)]),
            (f"{xref('R2 R4', '2–4')}", [(1, 3)]),
            # Not ranges: no dash, numbers in another order than the list, years.
            (f"{xref('R5', '2')}–{xref('R6', '5')}", [(4,), (5,)]),
            (f"{xref('R1', '1998')}–{xref('R3', '2000')}", [(0,), (2,)]),
            # Longer than the list.
            (f"{xref('R5', '5–9')}", [(4, 5)]),
        ],
    )
    def test_ranges(self, save, written, cited):
        paper = read_xml(save(jats(f"<p>Shown {written} before.</p>", ref_list(6))))
        assert [references for _, references in marked(paper)] == cited

    def test_names_of_a_printed_reference_are_words(self, save):
        names = "<name><surname>Hill</surname><given-names>B</given-names></name>"
        listed = f"<ref-list><ref id='R1'><mixed-citation>{names}. Walls.</mixed-citation></ref></ref-list>"
        (reference,) = read_xml(save(jats("<p>Snails climb.</p>", listed))).references
        assert reference.text == "Hill B. Walls."

    def test_a_range_does_not_reach_over_paragraphs(self, save):
        body = f"<p>Shown {xref('R1', '1')}–</p><p>{xref('R4', '4')} shows.</p>"
        assert marked(read_xml(save(jats(body, ref_list(4))))) == [("1", (0,)), ("4", (3,))]

    @pytest.mark.parametrize(
        ("written", "sentences"),
        [
            ("One\n   two<break/>three.", ["One two three."]),
            ("Multi&#xAD;\n lingual <sc>Text</sc>.", ["Multilingual Text."]),
            (
                f"It ends.<sup>{xref('R1', '1')}–{xref('R2', '2')}</sup> Next.",
                ["It ends.¹–²", "Next."],
            ),
            (
                f"See {xref('R1', 'Tap et al. Beaches (1988)')} here.",
                ["See Tap et al. Beaches (1988) here."],
            ),
            ("A&nbsp;b &eacute;t&eacute; &amp; c &unknown;d.", ["A b été & c d."]),
            (
                "At 2 &#xD7; 10<sup>&#x2013;5</sup> m<sup>2</sup>, Ca<sup>2+</sup> left de<sup>H</sup>"
                " <xref ref-type='bibr' rid='R1'><sup>1</sup></xref>.",
                ["At 2 × 10⁻⁵ m², Ca²⁺ left deH ¹."],
            ),
            ("A <!-- not this -->b <?nor this?>c <![CDATA[<d>]]>.", ["A b c <d>."]),
        ],
    )
    def test_text_as_printed(self, save, written, sentences):
        assert texts(read_xml(save(jats(f"<p>{written}</p>", ref_list(2))))) == sentences


class TestEitherFormat:
    @pytest.mark.parametrize(
        "content",
        [
            f"<teiCorpus>{tei('<p>Öl.</p>')}{tei('<p>Two.</p>')}</teiCorpus>",
            f"<pmc-articleset>{jats('<p>Öl.</p>')}{jats('<p>Two.</p>')}</pmc-articleset>",
            '<article xmlns="https://jats.nlm.nih.gov/ns/archiving/1.3/"><body><p>Öl.</p></body></article>',
            f'<?xml version="1.0" encoding="ISO-8859-1"?>{jats("<p>Öl.</p>")}'.encode("latin-1"),
            jats("<p>Öl.</p>").encode("utf-16"),
        ],
        ids=["corpus", "set", "namespace", "latin-1", "utf-16"],
    )
    def test_the_first_text_is_found(self, save, content):
        assert texts(read_xml(save(content))) == ["Öl."]

    @pytest.mark.parametrize(
        "content",
        [
            "<article xmlns='http://docbook.org/ns/docbook'><info/><section><para>Hi.</para></section></article>",
            "<PAPER><S sid='1'>Hello.</S></PAPER>",
            "<",
            "<a",
            "",
        ],
    )
    def test_what_is_neither(self, save, content):
        with pytest.raises(NotAPaperError) as raised:
            read_xml(save(content))
        assert "paper.xml" not in str(raised.value)

    @pytest.mark.parametrize("whole", [TEI, JATS])
    def test_a_truncated_file_gives_what_is_left(self, save, whole):
        complete = read_xml(save(whole))
        most = 0
        for length in range(0, len(whole), 61):
            try:
                paper = read_xml(save(whole[:length]))
            except InputError:
                continue
            most = max(most, len(paper.sentences))
            assert all(any(w.startswith(text) for w in texts(complete)) for text in texts(paper))
        assert most == len(complete.sentences)

    def test_deep_nesting(self, save):
        deep = "<sec>" * 100_000 + "<p>Deep.</p>"
        paper = read_xml(save(jats(f"<p>Above.</p>{deep}")))
        assert texts(paper)[0] == "Above."
        nested = "<p>In.<fig>" * 120 + "<caption><p>Low.</p></caption>" + "</fig></p>" * 120
        assert "Low." in texts(read_xml(save(jats(nested))))

    def test_an_external_entity_is_not_read(self, save, tmp_path):
        secret = tmp_path / "secret.txt"
        secret.write_text("Secret words here.")
        doctype = f'<!DOCTYPE article [<!ENTITY secret SYSTEM "{secret.as_uri()}">]>'
        paper = read_xml(save(jats("<p>Open. &secret; Done.</p>", doctype=doctype)))
        assert texts(paper) == ["Open.", "Done."]


WORDS = st.text("ab é\u00ad\u200b\n.–[]()1 \ufffc", max_size=12)
PIECES = st.lists(st.tuples(st.sampled_from(["text", "italic", "marker", "p", "fn", "sec"]), WORDS))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(PIECES)
def test_markers_are_where_their_text_is(save, pieces):
    body, printed = "", []
    for kind, words in pieces:
        if kind == "text":
            body += escape(words)
        elif kind == "marker":
            body += xref("R2", f"m{escape(words)}m")
            printed.append("m" + words + "m")
        elif kind == "p":
            body += "</p><p>"
        elif kind == "fn":
            body += f"<fn><p>n {escape(words)} {xref('R1', 'k' + escape(words))}</p></fn>"
        elif kind == "sec":
            body += f"</p></sec><sec><title>{escape(words)}</title><p>"
        else:
            body += f"<italic>{escape(words)}</italic>"
    paper = read_xml(save(jats(f"<sec><p>Start. {body}</p></sec>", ref_list(2))))
    found = marked(paper)
    assert paper.markers == tuple(sorted(paper.markers, key=lambda m: (m.sentence, m.start)))
    outer = [text for text, references in found if references == (1,)]
    assert len(outer) == len(printed)
    for text, written in zip(outer, printed, strict=True):
        squeezed = "".join(c for c in written if c not in "\u00ad\u200b \n")
        assert squeezed.startswith(text.replace(" ", ""))
        assert text == text.strip()
        assert "  " not in text
    assert all(text.startswith("k") for text, references in found if references == (0,))


@pytest.mark.parametrize(
    ("table", "numbers"),
    [
        ("<table><tr><td>Owls</td><td>97.1</td></tr></table>", ((None, "97.1"),)),
        ("<graphic/>", None),
    ],
)
def test_the_numbers_of_a_table_are_known_unless_it_is_a_picture(table, numbers, save):
    body = f"<p>In 86 of the towers there are owls.</p><table-wrap>{table}</table-wrap>"
    content = f"<article><front><article-meta/></front><body>{body}</body></article>"
    assert read_xml(save(content)).numbers == numbers

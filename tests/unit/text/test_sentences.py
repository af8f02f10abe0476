import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.text import sentences as splitting
from pincite.text.sentences import sentence_near, sentence_spans


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    "text",
    [
        "The effect was first seen by Miller et al. (2001) in rats.",
        "The curve in Fig. 3 follows Eq. (3) and Sec. 2 closely.",
        "Small models, e.g. Bayes nets, i.e. graphs, are common (cf. Table 2).",
        "It was proposed by J. R. Smith and J.-P. Martin in 1999.",
        "The value rose from 3.5 to 4.25 vs. 1.0 before.",
        "The data are at https://example.org/a.b/c.html for all to use.",
        "The quote is on p. 5 and on pp. 7 of vol. 2.",
        "The words w 1 . . . w n are given.",
        "Das sind z. B. Hunde bzw. Katzen, vgl. Abb. 3 und S. 12.",
        "Dhr. Jansen zag 12 procent; O séc. XX; por. rys. 2; the Act (ss. 3 and 5).",
        "Nach Art. 5 Abs. 1 GG, vgl. Rn. 12, galt das z. Zt. im 2. Weltkrieg und im 19. Jh. auch.",
        "L’art. L. 121-1 vaut pour MM. Dupont et Durand, dit l’éd. Gallimard, fol. 12.",
        "La Sra. López, p. ej. en EE. UU., dice; cfr. ad es. Verdi, pag. 12; zie bijv. Amsterdam.",
        "Zob. np. Nowak i in. (2010), św. Jan, ust. 2; viz např. Novák, tzv. Sudety, odst. 2.",
        "См. напр. работы акад. Иванова и др. [5], вып. 3; див. Ковальчук та ін. (2010).",
        "Βλ. π.χ. Παπαδόπουλος, σελ. 5; bkz. örn. Yılmaz; ks. esim. Virtanen; vö. pl. Kovács; डॉ. शर्मा।",
        "Earlier work, as in \ufffc and others, agrees.",
        "1. The first item of the list.",
    ],
)
def test_one_sentence_stays_whole(text: str) -> None:
    assert sentences(text) == [text]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("It was done before. \ufffc", "We differ."),
        ('She said "Stop."', "Then it ended."),
        ("(We skip the proof.)", "The rest is clear."),
        ("We use nouns, verbs, etc.", "The rest is dropped."),
        ("It is used in the U.S.", "The rest differs."),
        ("This is the tagger of Brill et al.", "We extend it."),
        ("The corpus is large.12", "The model is not."),
        ("Open the app.", "The list appears."),
        ("Er sagt: „So ist es.“", "Nach dem Krieg galt das."),
        ("»Das gilt.«", "Danach nicht mehr."),
        ("Das ist so.", "»Nein«, sagte er."),
        ("Il dit : « C’est vrai. »", "Puis il part."),
        ("Det visade sig.", "Redan 1990 gjordes försök."),
        ("She studied EE.", "The course was hard."),
        ("We compare taggers, parsers, etc.", "A. Smith helped us."),
        ("I am 25.", "We met in May."),
        ("C'est l'un des 12.", "Nous en citons trois."),
        ("يہ درست ہے۔", "دوسرا جملہ۔"),
    ],
)
def test_two_sentences_are_parted(first: str, second: str) -> None:
    assert sentences(f"{first} {second}") == [first, second]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("これは文です。次の文ですか？「はい。」終わり", "これは文です。|次の文ですか？|「はい。」|終わり"),
        ("図１．２に示す．次に，述べる．", "図１．２に示す．|次に，述べる．"),
        *((f"A heading{blank}some text", "A heading|some text")
          for blank in ("\n\n", "\n \t\n", "\r\n\r\n", "\n\n\n")),
        *((nothing, "") for nothing in ("", "  \n ", "\n\n\n")),
    ],
)  # fmt: skip
def test_wide_full_stops_and_blank_lines_end_a_sentence(text: str, found: str) -> None:
    assert sentences(text) == list(filter(None, found.split("|")))


@pytest.mark.parametrize(
    "unit", [".", ". ", "\n ", "a. B", "\ufffc", ". (", ".1 ", "A.\n\n", '."', " ."]
)
def test_time_is_linear(unit: str) -> None:
    # Anything quadratic would need many minutes for this.
    sentence_spans(unit * (200_000 // len(unit)))


@given(st.text(st.sampled_from("ab A.?\n \ufffc"), max_size=40), st.integers(0, 40))
def test_the_sentence_at_a_place_is_one_of_all(text: str, offset: int) -> None:
    before = [span for span in sentence_spans(text) if span[0] <= offset]
    assert sentence_near(text, offset) == (before[-1] if before else None)


PIECES = st.sampled_from(
    """. ! ? … 。 \ufffc et_al e.g Fig J We the 3 ( ) " [1] é 中 𝒳""".split()
).map(lambda piece: piece.replace("_", " ")) | st.sampled_from(
    [" ", "\n", "\n\n", "\r\n", "\u00a0", "\x1c", "\x85"]
)
TEXTS = st.one_of(st.text(), st.lists(PIECES, max_size=40).map("".join))


@given(TEXTS)
def test_spans_in_order_cover_all_but_the_space_between_them(text: str) -> None:
    previous = 0
    for start, end in sentence_spans(text):
        assert previous <= start < end <= len(text)
        assert text[start:end] == text[start:end].strip()
        assert not text[previous:start].strip()
        previous = end
    assert not text[previous:].strip()


@given(TEXTS | st.text(".!? 5\n\t\x1c\u2028)]¹。」"))
def test_stops_are_those_that_one_expression_finds(text: str) -> None:
    found = [match.span() for match in splitting._stops(text)]
    assert found == [match.span() for match in splitting._STOP.finditer(text)]

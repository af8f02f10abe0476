"""What services on the network know of entries, from servers of our own that answer as documented."""

import gzip
import threading
import zlib
from pathlib import Path
from urllib.parse import unquote

import pytest

from metadata_services import Work
from pincite.cancellation import CancelledError, cancelled_by
from pincite.enrichment.enrich import Outcome, fetch, questions
from pincite.enrichment.plans import plan, run, store
from pincite.enrichment.service import Answers, Service, ServiceError
from pincite.enrichment.sources import SOURCES as SERVICES
from pincite.enrichment.sources import Wanted, doi_of, prose_of
from pincite.model.fetched import ABSTRACT_FROM, CITING, OPEN_ACCESS, read_citing
from pincite.model.problems import InputError
from pincite.parsing.bibtex import parse_bibliography
from pincite.parsing.encoding import read_text

pytest.importorskip("httpx", reason="httpx is not installed")

BEAVERS = Work(
    "10.1000/beavers",
    "Dams that beavers build in northern rivers",
    [("Naiman", "Robert J."), ("Melillo", "Jerry")],
    1986,
    "Beavers build dams. Dams slow the river & keep its sediment.",
    [
        ("Rivers in winter", ["Beavers keep sediment behind their dams [4].", "Dams hold water."]),
        ("Nothing stated", []),
    ],
)
FROGS = Work("10.1000/frogs", "How frogs sing at night in ponds", [("Gerhardt", "H. C.")], 1994)
WORKS = [BEAVERS, FROGS]
BIB = """
@article{naiman, title = {Dams that Beavers Build in Northern Rivers}, year = 1986,
  author = {Naiman, Robert J. and Melillo, Jerry}}
"""
SOURCES = OpenAlex, Crossref, SemanticScholar = tuple(SERVICES.values())


@pytest.fixture(name="answers")
def folder_of_answers(tmp_path, monkeypatch):
    monkeypatch.setenv("PINCITE_CACHE", str(tmp_path))
    return tmp_path / "fetched" / "answers"


@pytest.fixture(name="ask_by")
def services_of_ours(services, answers):
    opened = []

    def made(source, **options):
        opened.append(Service(source, Answers(answers), **options))
        return opened[-1]

    yield made
    for each in opened:
        each.close()


@pytest.fixture(name="look_up")
def fetch_from_services(ask_by):
    """Fetch what entries lack from some services, by default from all."""

    def look_up(entries, *sources, shown=None, **options):
        outcome = Outcome()
        services = [ask_by(each, **options) for each in sources or SOURCES]
        fetch(questions(entries), services, outcome, shown=shown)
        return outcome

    return look_up


@pytest.fixture(name="plan_for")
def plan_with_what_was_answered(answers):
    """Plan what is sent about entries to some services, by default to all."""

    def plan_for(entries, *sources, has_text=False):
        return plan(entries, lambda _: has_text, sources or SOURCES)

    return plan_for


def entries(text=BIB):
    return list(parse_bibliography(text, Path("refs.bib")).entries.values())


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("wanted", [Wanted("10.1000/beavers", ""), Wanted("", BEAVERS.title)])
def test_a_work_as_a_source_describes_it(ask_by, source, wanted):
    service = ask_by(source)
    work = next(iter(service.source.works(wanted, service.ask)))
    assert (work.title, work.year, work.doi) == (BEAVERS.title, "1986", "10.1000/beavers")
    assert work.surnames == ("Naiman", "Melillo")
    assert work.abstract == BEAVERS.abstract
    assert work.fields["cited-by"] == "2"


@pytest.mark.parametrize(
    ("source", "more", "kind", "field"),
    [
        ("openalex", {"type": "review"}, "article", "journal"),
        ("openalex", {"type": "letter"}, "article", "journal"),
        ("openalex", {"type": "book"}, "book", "publisher"),
        ("openalex", {"type": "dataset"}, "misc", None),
        ("semantic-scholar", {"publicationTypes": ["Review"]}, "article", "journal"),
        ("semantic-scholar", {"publicationTypes": ["Conference"]}, "inproceedings", "booktitle"),
        ("semantic-scholar", {"publicationTypes": None}, "misc", None),
        ("crossref", {"type": "posted-content"}, "misc", None),
    ],
)
def test_what_a_work_is_in_has_the_field_of_its_kind(source, more, kind, field):
    work = Work("10.1/a", "Dams", [], 1986, journal="Beavers")
    raw = getattr(work, f"for_{source.replace('-', '_')}")() | more
    entry = SERVICES[source].read(raw)
    venues = {name for name, value in entry.fields.items() if value == "Beavers"}
    assert (entry.entry_type, venues) == (kind, {field} - {None})


def test_only_dois_and_titles_leave_this_computer(look_up, services):
    text = BIB.replace(
        "year", "note = {my secret note}, abstract = {Mine}, file = {/home/me/a.pdf}, year"
    )
    look_up(entries(text), email="me@example.org")
    assert services.requests
    for path, parameters, headers in services.requests:
        sent = f"{path} {parameters} {headers}"
        assert not any(secret in sent for secret in ("secret", "Mine", "a.pdf", "naiman", "1986"))
        asks_for_it = not path.startswith("/graph/")
        assert ("mailto:me@example.org" in headers["User-Agent"]) == asks_for_it


@pytest.mark.parametrize(
    "fault",
    [
        (429, {"Retry-After": "0"}, b""),
        (429, {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, b""),
        (500, {}, b"<html>"),
        (503, {"Retry-After": "Mon, 01 Jan 2024 00:00:00 +99999999999999"}, b""),
        (503, {"Retry-After": "\u00c2\u00b2"}, b""),
        (503, {"Retry-After": "soon", "Set-Cookie": "who=ada"}, b""),
        (0, {}, b""),  # cut off
    ],
)
def test_a_service_that_fails_once_is_asked_again_without_a_cookie(look_up, services, fault):
    services.faults.append(fault)
    outcome = look_up(entries(), OpenAlex)
    assert outcome.fetched[0].fields["abstract"] == BEAVERS.abstract
    assert not any("cookie" in map(str.lower, headers) for _, _, headers in services.requests)


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        (
            (429, {"Retry-After": "3600"}, b""),
            "OpenAlex cannot be asked now: status 429; it asks to wait 3600 s",
        ),
        ((403, {}, b""), "OpenAlex cannot be asked now: status 403"),
        ((400, {}, b'{"error": "bad"}'), "OpenAlex cannot be asked now: status 400"),
        (
            (302, {"Location": "http://127.0.0.1:1/"}, b""),
            "OpenAlex cannot be asked now: status 302",
        ),
        ((200, {}, b"<html>"), "OpenAlex sent something that is not JSON"),
        ((200, {}, b"[" * 100_000), "OpenAlex sent something that is not JSON"),
    ],
)
def test_a_service_that_goes_on_failing_is_given_up_and_the_others_asked(
    look_up, services, fault, why
):
    services.faults.append(fault)
    text = BIB.replace("year", "doi = {10.1000/beavers}, year")
    outcome = look_up(entries(text), OpenAlex, Crossref)
    assert outcome.given_up == {"OpenAlex": why}
    assert outcome.fetched[0].fields[ABSTRACT_FROM] == "Crossref"


@pytest.mark.parametrize("address", ["http://127.0.0.1:1", "http://[", "http://a b/"])
def test_a_service_that_cannot_be_reached_ends_no_run(look_up, services, monkeypatch, address):
    if address.endswith(":1"):
        monkeypatch.setenv("PINCITE_SERVICES", address)
    services.faults += [(302, {"Location": address}, b"")] * 9
    given_up = look_up(with_doi("10.1000/beavers"), Crossref).given_up
    assert given_up["Crossref"].startswith("Crossref cannot be asked now: ")


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize(
    "body", [b"null", b"[]", b"3", b"{}", b'{"results": 1, "message": {"items": "a"}, "data": [[]]}',
             b'{"results": [{"title": 1, "authorships": [1, {"author": 2}], "abstract_inverted_index": {"a": "b"}}],'
             b' "message": {"items": [{"title": "x", "issued": {"date-parts": [[]]}}]}, "data": [{"authors": 1}]}']
)  # fmt: skip
def test_wrong_content_is_no_work(look_up, services, source, body):
    services.faults += [(200, {}, body)] * 3
    assert look_up(entries(), source).fetched == []


def test_an_answer_in_another_form_is_not_stored(look_up, services):
    services.faults += [(200, {}, b'{"message": "maintenance"}')] * 9
    asked = with_doi("10.1000/old")
    assert look_up(asked, OpenAlex).fetched == []
    services.faults.clear()
    assert look_up(asked, OpenAlex).fetched[0].fields["abstract"] == BEAVERS.abstract


def test_an_answer_may_be_compressed(ask_by, services):
    body = gzip.compress(b'{"results": []}')
    services.faults.append((200, {"Content-Encoding": "gzip"}, body))
    assert ask_by(OpenAlex).ask("/works", {"search": "rivers"}) == {"results": []}
    assert services.requests[0][2]["Accept-Encoding"] == "gzip"


ZEROS = gzip.compress(bytes(20 << 20))
#: Answers that would be large, by what they declare, with the reason for refusing them.
BOMBS = {
    "compressed": ("gzip", ZEROS, "OpenAlex sent more than 12 MB"),
    "compressed twice": (
        "gzip, gzip",
        gzip.compress(ZEROS),
        "OpenAlex sent an answer in an unknown content encoding: gzip, gzip",
    ),
    "otherwise compressed": (
        "deflate",
        zlib.compress(bytes(20 << 20)),
        "OpenAlex sent an answer in an unknown content encoding: deflate",
    ),
    "behind its end": ("gzip", gzip.compress(b"{}") + bytes(13 << 20), "OpenAlex sent more than 12 MB"),
    "many values": ("identity", b"[" + b"[]," * 1_500_000 + b"[]]", "OpenAlex sent too many values"),
    "nested": ("gzip", gzip.compress(b"[" * 1_000_000), "OpenAlex sent something that is not JSON"),
    "not compressed": ("gzip", b"{}", "OpenAlex cannot be asked now: Error -3 while decompressing data: incorrect header check"),
}  # fmt: skip


@pytest.mark.parametrize("bomb", BOMBS)
def test_an_answer_that_would_be_large_is_not_decoded(ask_by, services, bomb):
    coding, body, why = BOMBS[bomb]
    services.faults += [(200, {"Content-Encoding": coding}, body)] * 4
    with pytest.raises(ServiceError) as refused:
        ask_by(OpenAlex).ask("/works", {})
    assert str(refused.value) == why


# Whom to ask, and what to believe ------------------------------------------------------------------


def with_doi(doi, text=BIB):
    return entries(text.replace("year", f"doi = {{{doi}}}, year"))


def paths(services):
    return [path for path, *_ in services.requests]


def test_another_paper_of_the_same_authors_is_another_work(look_up, services):
    services.works.append(
        Work("10.1000/ponds", "Ponds as sinks of carbon", BEAVERS.authors, 1986, "Other.")
    )
    outcome = look_up(with_doi("10.1000/ponds"))
    (wrong,) = outcome.wrong_dois
    assert (wrong.other, wrong.right) == (
        "“Ponds as sinks of carbon” (Naiman and Melillo 1986)",
        "10.1000/beavers",
    )
    assert outcome.fetched[0].fields["abstract"] == BEAVERS.abstract


def test_an_unknown_doi_is_reported_and_the_title_asked_for(look_up):
    outcome = look_up(with_doi("10.1000/nothing"))
    (wrong,) = outcome.wrong_dois
    assert str(wrong) == (
        "naiman: the DOI 10.1000/nothing is unknown to OpenAlex and Crossref and Semantic Scholar; "
        "the DOI of this work is 10.1000/beavers"
    )
    # One alone may lack what others have registered, and Crossref does.
    for sources in ([Crossref], [OpenAlex, Crossref]):
        assert look_up(with_doi("10.5281/zenodo.1"), *sources).wrong_dois == []


def test_openalex_is_not_asked_for_a_title_that_others_know(look_up, services):
    services.works[0] = Work(BEAVERS.doi, BEAVERS.title, BEAVERS.authors, BEAVERS.year)
    look_up(entries())
    assert paths(services)[0] == "/works"
    assert "/works/doi:10.1000/beavers" in paths(services)
    assert not any("search" in parameters for _, parameters, _ in services.requests)


def test_a_title_is_no_query_for_openalex(look_up, services):
    title = "Beavers OR otters: what (if anything) builds? ~NOT~ a dam"
    look_up(entries(f"@misc{{a, title = {{{title}}}}}"), OpenAlex)
    searched = [parameters["search"] for _, parameters, _ in services.requests]
    assert searched == ["beavers or otters what if anything builds not a dam"]


def test_an_arxiv_identifier_is_a_doi(look_up, services):
    doi = "10.48550/arxiv.1706.03762"
    services.works.append(Work(doi, BEAVERS.title, BEAVERS.authors, BEAVERS.year, BEAVERS.abstract))
    asked = entries(BIB.replace("year", "eprint = {1706.03762}, year"))
    assert look_up(asked, OpenAlex).fetched[0].fields["abstract"] == BEAVERS.abstract
    assert paths(services) == ["/works/doi:10.48550/arxiv.1706.03762"]


def test_a_doi_does_not_lead_elsewhere_on_the_server(look_up, services):
    look_up(with_doi("10.1000/../../admin"))
    assert not any("admin" in path for path in paths(services))


def test_a_merged_work_is_found_where_it_is_now(look_up, services):
    services.faults.append((301, {"Location": "/works/doi:10.1000/beavers"}, b""))
    outcome = look_up(with_doi("10.1000/old"), OpenAlex)
    assert outcome.fetched[0].fields["abstract"] == BEAVERS.abstract
    assert outcome.given_up == {}


def test_a_service_that_goes_on_with_odd_answers_is_given_up(look_up, services):
    services.faults += [(400, {}, b"")] * 50
    look_up(with_doi("10.1000/beavers") * 20, OpenAlex)
    assert len(services.requests) == 3


def test_a_users_own_key_is_sent_to_its_service_alone_and_not_stored(
    look_up, services, monkeypatch, answers
):
    monkeypatch.setenv("OPENALEX_API_KEY", "secret-1")
    monkeypatch.setenv("SEMANTIC_SCHOLAR_API_KEY", "secret-2")
    look_up(with_doi("10.1000/frogs"))
    for path, parameters, headers in services.requests:
        is_openalex = path.startswith("/works/doi:") or "search" in parameters
        assert (parameters.get("api_key") == "secret-1") == is_openalex
        assert ("secret-2" in str(headers)) == path.startswith("/graph/")
    assert not any("secret" in file.read_text() for file in answers.iterdir())


def test_cancelling_does_not_wait_for_an_answer(look_up, services):
    began, answers = threading.Event(), threading.Event()

    def hang(_path, _parameters):
        began.set()
        answers.wait(30)

    services.answer = hang
    with cancelled_by(began.is_set), pytest.raises(CancelledError):
        look_up(entries(), OpenAlex)
    assert not answers.is_set()
    answers.set()


@pytest.mark.parametrize("known", [{}, {"title"}, {"doi"}, {"doi", "title"}])
def test_nothing_is_sent_that_was_not_shown(look_up, plan_for, services, known):
    """For all ways in which services may know works by their DOIs, by their titles, or not."""
    services.works = [work for work in services.works if known]
    if "doi" not in known:
        services.works = [Work("", w.title, w.authors, w.year, w.abstract) for w in services.works]
    text = BIB + "".join(
        BIB.replace("naiman", key).replace("year", f"{field}, year")
        for key, field in (
            ("right", "doi = {10.1000/beavers}"),
            ("wrong", "doi = {10.1000/frogs}"),
            ("gone", "doi = {10.1000/gone}"),
        )
    )
    planned = plan_for(entries(text))
    assert (planned.entries, planned.without_abstract, planned.unanswered) == (4, 4, 4)
    outcome = look_up(entries(text))
    found = {each.fields.get("doi", "") for each in outcome.fetched} | {
        wrong.right for wrong in outcome.wrong_dois
    }
    shown = {sent.source.name: {*sent.dois, *sent.titles} for sent in planned.requests}
    for path, parameters, headers in services.requests:
        name = (
            "SemanticScholar" if path.startswith("/graph")
            else "OpenAlex" if "doi:" in path or "search" in parameters
            else "Crossref"
        )  # fmt: skip
        name = {"SemanticScholar": "Semantic Scholar"}.get(name, name)
        request = unquote(f"{path} {sorted(parameters.items())}")
        if not path.endswith("/citations"):
            may_be_sent = shown[name] | (found - {""})
            assert any(value.lower() in request.lower() for value in may_be_sent), request
        assert set(parameters) <= {
            "select", "fields", "search", "per_page", "rows", "query", "query.bibliographic", "limit"
        }  # fmt: skip
        assert "Naiman" not in f"{request} {headers}"


def test_what_would_be_sent_shrinks_with_what_is_known(plan_for, look_up):
    def sent(*sources, **has_text):
        planned = plan_for(entries(), *sources, **has_text)
        return {each.source.name: (len(each.dois), len(each.titles)) for each in planned.requests}

    assert sent() == dict.fromkeys(("OpenAlex", "Crossref", "Semantic Scholar"), (0, 1))
    assert sent(has_text=True) == {"Semantic Scholar": (0, 1)}
    assert sent(*SOURCES[:2], has_text=True) == {}
    look_up(entries(), Crossref)
    assert sent() == {"Semantic Scholar": (1, 1)}  # Crossref gave its DOI and its abstract
    look_up(entries())
    assert sent() == {}


def works_by_number(number):
    """Return so many works, and the entries that have their DOIs."""
    works = [
        Work(
            f"10.1000/x{n}", f"How beavers of river {n} build dams", [("Naiman", "R.")], 1986, "A."
        )
        for n in range(number)
    ]
    text = "".join(
        f"@misc{{k{n}, title={{{work.title}}}, author={{Naiman, R.}}, year=1986, doi={{{work.doi}}}}}"
        for n, work in enumerate(works)
    )
    return works, entries(text)


def test_a_service_that_fails_leaves_no_more_to_the_others_than_was_shown(
    plan_for, look_up, services
):
    services.works, several = works_by_number(4)
    look_up(several[1:])
    planned = plan_for(several)
    assert {doi for sent in planned.requests for doi in sent.dois} == {"10.1000/x0"}
    services.requests.clear()
    services.faults.append((403, {}, b""))
    outcome = look_up(several, shown=planned.shown)
    assert len(services.requests) > 1
    assert not any(f"x{n}" in unquote(path) for path in paths(services) for n in (1, 2, 3))
    # Its earlier answers serve, although it is given up.
    assert {each.fields[ABSTRACT_FROM] for each in outcome.fetched[1:]} == {"OpenAlex"}


def test_an_answer_that_is_gone_since_the_plan_is_not_asked_for_again(
    plan_for, look_up, services, answers
):
    services.works, several = works_by_number(2)
    look_up(several[1:])
    planned = plan_for(several)
    for file in answers.iterdir():
        file.unlink()
    services.requests.clear()
    look_up(several, shown=planned.shown)
    assert services.requests
    assert not any("x1" in unquote(path) for path in paths(services))


def test_no_answer_expires_between_a_plan_and_its_run(tmp_path, monkeypatch):
    now = 1_700_000_000.0
    monkeypatch.setattr("pincite.enrichment.service.time.time", lambda: now)
    Answers(tmp_path).put("OpenAlex", "/a", {}, 1)
    answers = Answers(tmp_path)
    now += 30 * 24 * 3600.0 + 1
    assert answers.get("OpenAlex", "/a", {})[0] == 1
    assert Answers(tmp_path).get("OpenAlex", "/a", {}) is None


def test_a_question_that_always_fails_gives_up_no_service(look_up, services):
    services.works, several = works_by_number(3)
    answer = services.answer
    services.answer = lambda path, given: 1 / 0 if "x0" in path else answer(path, given)
    services.faults += [(500, {}, b"")] * 4
    outcome = look_up(several, OpenAlex)
    assert outcome.given_up == {"OpenAlex": "OpenAlex cannot be asked now: status 500"}
    assert [each.entry.key for each in outcome.fetched][-2:] == ["k1", "k2"]


@pytest.mark.parametrize(
    ("value", "prose"),
    [
        ("&lt;i&gt;Dams&lt;/i&gt; of a &amp;lt; b", "Dams of a &lt; b"),
        ("CO<sub>2</sub> and <jats:italic>Castor</jats:italic>", "CO₂ and Castor"),
        ("Of <ns0:any a='b'>dams</ns0:any>, x&lt;y and y&gt;z", "Of dams , x<y and y>z"),
    ],
)
def test_markup_of_a_title_is_read_as_that_of_a_bibliography(value, prose):
    assert prose_of(value) == prose


@pytest.mark.parametrize("sign", ["\x00", "\x1b[2J", "\ud83d", "\u202e"])
def test_signs_that_no_text_has_are_not_taken(look_up, services, tmp_path, sign):
    services.works[0] = Work(
        BEAVERS.doi, BEAVERS.title, BEAVERS.authors, 1986, f"Dams{sign} hold.", BEAVERS.citing
    )
    outcome = look_up(entries())
    path = tmp_path / "fetched.bib"
    path.write_bytes(b"\0\0")  # what is damaged is replaced
    store(path, outcome.fetched)
    (stored,) = parse_bibliography(read_text(path), path).entries.values()
    assert stored.fields["abstract"].startswith("Dams")
    assert sign not in stored.fields["abstract"]


def test_tags_are_no_part_of_titles(look_up, services):
    title = "<i>Dams</i> that beavers build in <mml:math xmlns='x'>northern</mml:math> rivers"
    services.works[0] = Work(BEAVERS.doi, title, BEAVERS.authors, 1986, "A &amp; B, if a < b.")
    for source in SOURCES:
        (found,) = look_up(with_doi("10.1000/beavers"), source).fetched
        assert found.fields["abstract"] == "A & B, if a < b."


def test_of_many_citing_sentences_a_hundred_are_stored(look_up, services):
    citing = [(f"Paper {n}", [f"Sentence {m} of {n}." for m in range(9)]) for n in range(99)]
    services.works[0] = Work(BEAVERS.doi, BEAVERS.title, BEAVERS.authors, 1986, "A.", citing)
    (found,) = look_up(entries(), SemanticScholar).fetched
    assert [len(each) for _, each in read_citing(found.fields[CITING])] == [5] * 20


def test_a_free_copy_is_stored_where_nothing_else_is_known(look_up, services):
    services.works[0] = Work(BEAVERS.doi, BEAVERS.title, BEAVERS.authors, 1986)
    (found,) = look_up(with_doi("10.1000/beavers"), OpenAlex).fetched
    assert "abstract" not in found.fields
    assert found.fields[OPEN_ACCESS] == "https://example.org/10.1000/beavers"


def test_why_a_service_cannot_be_set_up_is_reported(ask_by, monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "nonsense://x")
    with pytest.raises(InputError, match=r"^OpenAlex cannot be asked: .*proxy"):
        ask_by(OpenAlex)


@pytest.mark.parametrize(
    "doi",
    [
        *("10.1000/a\x00b", "10.1000/a%00b", "10.1000/\ud800x", "10.1000/\x1b[2J", "10.1000/a\u202eb"),
        *("10.1000/../../../secret/x", "10.1000/%2e%2e/x", "10.1000/" + "a" * 300, "doi", None, 10.1),
    ],
)  # fmt: skip
def test_a_doi_that_can_neither_be_sent_nor_written_is_none(doi):
    assert doi_of(doi) == ""


def test_no_service_chooses_what_another_is_asked_for(look_up, services):
    doi = "10.1000/../../secret/x"
    services.works[0] = Work(doi, BEAVERS.title, BEAVERS.authors, 1986, BEAVERS.abstract)
    outcome = look_up(entries())
    assert not any("secret" in path for path in paths(services))
    assert ["doi" in each.fields for each in outcome.fetched] == [False]


def test_a_service_that_was_not_shown_is_sent_nothing(plan_for, look_up, services, answers):
    look_up(entries(), OpenAlex)
    (asked,) = answers.iterdir()
    asked.write_text(asked.read_text().replace("results", "nothing"))
    planned = plan_for(entries())
    assert [sent.source.name for sent in planned.requests] == ["Crossref", "Semantic Scholar"]
    services.requests.clear()
    outcome = look_up(entries(), shown=planned.shown)
    assert outcome.fetched[0].fields["doi"] == "10.1000/beavers"
    assert not any(path.startswith("/works/doi:") for path in paths(services))


def test_two_works_of_one_title_stay_separate(look_up, services, tmp_path):
    title, who = "Letter to the editor of this journal", [("Naiman", "Robert J.")]
    services.works = [
        Work("10.1/a", title, who, 2000, "Of dams."),
        Work("10.1/b", title, who, 2000),
    ]
    text = "".join(
        f"@misc{{{n}, title={{{title}}}, author={{Naiman, Robert J.}}, year=2000, doi={{10.1/{n}}}}}"
        for n in "ab"
    )
    path = tmp_path / "fetched" / "fetched.bib"
    store(path, look_up(entries(text), OpenAlex).fetched)
    known = {
        entry.doi: entry for entry in parse_bibliography(read_text(path), path).entries.values()
    }
    assert {doi: "abstract" in entry.fields for doi, entry in known.items()} == {
        "10.1/a": True,
        "10.1/b": False,
    }


@pytest.mark.parametrize("cache", ["a-file", "."])
def test_nothing_is_sent_where_nothing_can_be_stored(services, tmp_path, monkeypatch, cache):
    (tmp_path / "a-file").write_text("")
    (tmp_path / "fetched" / "fetched.bib").mkdir(parents=True)
    monkeypatch.setenv("PINCITE_CACHE", str(tmp_path / cache))
    planned = plan(entries(), lambda _entry: False, SOURCES)
    with pytest.raises(InputError, match="nothing was sent"):
        run(planned, Outcome())
    assert services.requests == []


def test_what_came_is_returned_where_it_can_no_longer_be_stored(services, plan_for, monkeypatch):
    def full(*_given):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pincite.enrichment.plans.store", full)
    outcome = Outcome()
    run(plan_for(entries(), Crossref), outcome)
    assert outcome.fetched[0].fields["abstract"]
    assert outcome.not_stored.endswith("fetched.bib cannot be written: No space left on device")


def test_a_key_with_a_line_break_is_refused_and_not_printed(ask_by, monkeypatch):
    monkeypatch.setenv("OPENALEX_API_KEY", "s3cret\nX-Other: 1")
    with pytest.raises(InputError, match=r"^OPENALEX_API_KEY contains characters that no key has$"):
        ask_by(OpenAlex)


def test_a_damaged_answer_is_asked_for_again(tmp_path):
    Answers(tmp_path).put("OpenAlex", "/a", {}, 1)
    (file,) = tmp_path.iterdir()
    file.write_text(f'{{"at": 1{"0" * 400}, "answer": 1}}')
    assert Answers(tmp_path).get("OpenAlex", "/a", {}) is None


def test_a_service_that_never_ends_its_head_is_not_waited_for(look_up, monkeypatch):
    monkeypatch.setattr("pincite.enrichment.service._ANSWER_SECONDS", 0.0)
    monkeypatch.setattr(Service, "_receive", lambda *_given: None)
    given_up = look_up(entries(), Crossref).given_up
    assert given_up == {"Crossref": "Crossref cannot be asked now: timed out"}


@pytest.mark.parametrize("source", SOURCES)
def test_the_doi_of_another_work_is_reported_and_its_abstract_ignored(look_up, source):
    text = BIB.replace("year", "doi = {10.1000/frogs}, year")
    outcome = look_up(entries(text), source)
    (wrong,) = outcome.wrong_dois
    assert str(wrong).startswith(
        "naiman: the DOI 10.1000/frogs belongs to “How frogs sing at night in ponds”"
    )
    (found,) = outcome.fetched
    assert found.fields["abstract"] == BEAVERS.abstract  # found by its title

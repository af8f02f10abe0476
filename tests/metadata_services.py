"""Servers that answer as OpenAlex, Crossref, Semantic Scholar, arXiv and doi.org document, with faults.

The forms follow, for OpenAlex, https://docs.openalex.org/api-entities/works (work object, single
work, ``title.search``, filters by ``doi``, ``cites`` and ``openalex``); for Crossref, https://api.crossref.org and "api_format.md" of its REST API
documentation (work, lists of works); for Semantic Scholar,
https://api.semanticscholar.org/api-docs/graph (paper, batch, title match, citations); for arXiv,
https://info.arxiv.org/help/api/user-manual.html (feeds in Atom); for doi.org, "DOI
Content Negotiation" (https://citation.doi.org/docs.html): it redirects to Crossref, whose CSL JSON
has types of its own, or to DataCite. Only what Pincite
reads is in them. The live services were not reached.
"""

import json
import sys
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

ARXIV = "10.48550/arxiv."
_JATS = "<jats:title>Abstract</jats:title><jats:p>{}</jats:p>"


class Work:
    """A work that the servers know, with works that cite it."""

    def __init__(self, doi, title, authors, year, abstract="", citing=(), cites=(), **more):
        self.doi, self.title, self.authors, self.year = doi, title, authors, year
        self.abstract, self.citing = abstract, citing
        # The DOIs of works that it cites, and further values of OpenAlex's record.
        self.cites, self.more = cites, more

    @property
    def id(self):
        return number_of(self.doi)

    @property
    def arxiv(self):
        return self.doi.removeprefix(ARXIV) if self.doi.startswith(ARXIV) else ""

    def for_arxiv(self):
        people = "".join(
            f"<author><name>{escape(f'{first} {last}')}</name></author>"
            for last, first in self.authors
        )
        return (
            f"<entry><id>http://arxiv.org/abs/{self.arxiv}v1</id>"
            f"<published>{self.year}-01-31T18:00:00Z</published><title>{escape(self.title)}</title>"
            f"<summary>  {escape(self.abstract)}\n</summary>{people}"
            f'<link title="pdf" href="http://arxiv.org/pdf/{self.arxiv}v1" rel="related"/></entry>'
        )

    def for_openalex(self):
        positions = {}
        for at, word in enumerate(self.abstract.split()):
            positions.setdefault(word, []).append(at)
        return {
            "id": f"https://openalex.org/{self.id}",
            "doi": f"https://doi.org/{self.doi}",
            "title": self.title,
            "publication_year": self.year,
            "authorships": [
                {
                    "author": {"id": "", "display_name": f"{first} {last}"},
                    "author_position": "first",
                }
                for last, first in self.authors
            ],
            "abstract_inverted_index": positions or None,
            "cited_by_count": len(self.citing),
            "open_access": {"is_oa": True, "oa_url": f"https://example.org/{self.doi}"},
            "type": "article",
            "primary_location": {"source": {"display_name": self.more.get("journal")}},
            "biblio": {
                "volume": self.more.get("volume"),
                "issue": self.more.get("issue"),
                "first_page": self.more.get("page", "").split("-")[0] or None,
                "last_page": self.more.get("page", "").split("-")[-1] or None,
            },
            "referenced_works": [f"https://openalex.org/{number_of(doi)}" for doi in self.cites],
            **self.more,
            **self.more.get("openalex", {}),
        }

    def for_doi_org(self):
        """Return CSL JSON, as Crossref and DataCite write it."""
        if self.doi.startswith("10.48550/"):
            return {
                "type": "article",
                "id": f"https://doi.org/{self.doi}",
                "author": [{"family": last, "given": first} for last, first in self.authors],
                "issued": {"date-parts": [[self.year]]},
                "abstract": self.abstract,
                "DOI": self.doi.upper(),
                "publisher": "arXiv",
                "title": self.title,
            }
        record = self.for_crossref()
        return record | {"title": self.title, "container-title": record["container-title"][0]}

    def for_crossref(self):
        return {
            "DOI": self.doi.upper(),
            "title": [self.title],
            "author": [
                {"given": first, "family": last, "sequence": "first"}
                for last, first in self.authors
            ],
            "issued": {"date-parts": [[self.year, 3]]},
            "is-referenced-by-count": len(self.citing),
            "type": self.more.get("type", "journal-article"),
            "container-title": [self.more.get("journal", "")],
            "volume": self.more.get("volume", ""),
            "issue": self.more.get("issue", ""),
            "page": self.more.get("page", ""),
            "ISBN": self.more.get("isbn", []),
            "publisher": self.more.get("publisher", "Press"),
            "URL": f"http://dx.doi.org/{self.doi}",
            "reference-count": 3,
            **({"abstract": _JATS.format(self.abstract)} if self.abstract else {}),
            **self.more.get("crossref", {}),
        }

    def for_semantic_scholar(self):
        return {
            "paperId": self.doi.encode().hex(),
            "title": self.title,
            "year": self.year,
            "authors": [
                {"authorId": "1", "name": f"{first} {last}"} for last, first in self.authors
            ],
            "abstract": self.abstract or None,
            "externalIds": {"DOI": self.doi} | ({"ArXiv": self.arxiv} if self.arxiv else {}),
            "venue": self.more.get("journal") or "",
            "publicationTypes": ["JournalArticle"],
            "citationCount": len(self.citing),
            "openAccessPdf": {"url": "", "status": None},
            "journal": {
                "name": self.more.get("journal"),
                "volume": self.more.get("volume"),
                "pages": self.more.get("page"),
            },
        }


def _listed(works):
    """Return a list of works as Crossref has it."""
    return {"status": "ok", "message": {"items": [work.for_crossref() for work in works]}}


def _paper_id(doi):
    return {"paperId": doi.encode().hex()}


def number_of(doi):
    """Return OpenAlex's identifier of the work with a DOI."""
    return f"W{abs(hash(doi)) % 10**9}"


class Services:
    """One server for all, distinguished by their paths.

    `requests` are what was asked, with the headers (and ``ids``, what was posted); `faults` are (status, headers, body) to answer
    next in place of the right thing.
    """

    def __init__(self, works):
        self.works = list(works)
        self.requests, self.faults = [], []
        self.address = ""

    def answer(self, path, parameters):
        """Return the JSON for a path, or a fault; None where nothing is there."""
        if path.startswith(("/works/pmid:", "/works/pmcid:")):
            kind, number = path.removeprefix("/works/").split(":")
            found = next((work for work in self.works if work.more.get(kind) == number), None)
            return found and found.for_openalex()
        if path == "/works" and parameters.get("filter", "").startswith("isbn:"):
            isbn = parameters["filter"].removeprefix("isbn:")
            return _listed(work for work in self.works if isbn in work.more.get("isbn", ()))
        for start, of_doi in (
            ("/v1/works/", lambda work: work.for_doi_org()),
            ("/works/doi:", lambda work: work.for_openalex()),
            ("/works/", lambda work: {"status": "ok", "message": work.for_crossref()}),
            ("/graph/v1/paper/DOI:", lambda work: work.for_semantic_scholar()),
        ):
            if path.startswith(start):
                doi = unquote(path.removeprefix(start)).removesuffix("/transform")
                found = self._with_doi(doi)
                return found and of_doi(found)
        if path == "/works" and "filter" in parameters:
            return {"meta": {}, "results": self._filtered(parameters)}
        if path == "/works" and "search" in parameters:
            found = self._titled(parameters["search"])
            return {"meta": {}, "results": [work.for_openalex() for work in found]}
        if path == "/works":
            return _listed(self._titled(parameters["query.bibliographic"]))
        if path == "/api/query":
            asked = parameters["search_query"].replace("all:", "").replace(" OR ", " ")
            found = "".join(work.for_arxiv() for work in self._titled(asked) if work.arxiv)
            return f'<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom">{found}</feed>'
        return self._of_graph(path, parameters)

    def _of_graph(self, path, parameters):
        """Return what Semantic Scholar answers."""
        if path == "/graph/v1/paper/batch":
            fields = parameters["fields"].split(",")
            found = [self._in_batch(name, fields) for name in parameters["ids"].split("|")]
            return found if any(found) else (400, {}, b'{"error":"No valid paper ids given"}')
        if path == "/graph/v1/paper/search":
            found = self._titled(parameters["query"])
            return {"total": len(found), "data": [work.for_semantic_scholar() for work in found]}
        if path == "/graph/v1/paper/search/match":
            found = self._titled(parameters["query"])[:1]
            data = [work.for_semantic_scholar() | {"matchScore": 99.0} for work in found]
            return {"data": data} if data else None
        if path.endswith("/citations"):
            doi = bytes.fromhex(path.split("/")[-2]).decode()
            if parameters.get("fields") == "paperId":
                found = self._citing(doi)[: int(parameters["limit"])]
                return {"offset": 0, "data": [{"citingPaper": each} for each in found]}
            citing = self._with_doi(doi).citing
            data = [
                {"contexts": list(sentences), "citingPaper": {"paperId": "c", "title": title}}
                for title, sentences in citing
            ]
            return {"offset": 0, "data": data}
        return None

    def _filtered(self, parameters):
        name, _, values = parameters["filter"].partition(":")
        values = set(values.split("|"))
        is_met = {
            "doi": lambda work: work.doi in values,
            "openalex": lambda work: work.id in values,
            "cites": lambda work: values & set(map(number_of, work.cites)),
        }[name]
        found = [work for work in self.works if is_met(work)]
        size, page = int(parameters["per_page"]), int(parameters.get("page", 1))
        chosen = set(parameters["select"].split(","))
        return [
            {name: value for name, value in work.for_openalex().items() if name in chosen}
            for work in found[size * (page - 1) : size * page]
        ]

    def _in_batch(self, name, fields):
        """Return a paper of a batch, with the fields that are asked for; None for an unknown one."""
        # A DOI may have colons, too.
        kind, colon, value = name.partition(":")
        known = {"DOI": value, "ARXIV": ARXIV + value}
        doi = known[kind] if colon else bytes.fromhex(name).decode()
        if (work := self._with_doi(doi)) is None:
            return None
        cites = work.more.get("references", [_paper_id(each) for each in work.cites])
        record = work.for_semantic_scholar() | {
            "citationCount": work.more.get("cited", len(self._citing(doi))),
            "references.paperId": cites,
            "citations.paperId": self._citing(doi),
        }
        chosen = {field.partition(".")[0]: record[field] for field in fields}
        return {"paperId": record["paperId"]} | chosen

    def _citing(self, doi):
        return [_paper_id(work.doi) for work in self.works if doi in work.cites]

    def _with_doi(self, doi):
        return next((work for work in self.works if work.doi == doi.lower()), None)

    def _titled(self, title):
        words = set(title.lower().split())
        return [work for work in self.works if len(words & set(work.title.lower().split())) > 1]


@contextmanager
def serving(works):
    """Serve works on this computer; yield the `Services`."""
    services = Services(works)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self, **posted):
            split = urlsplit(self.path)
            given = {name: values[0] for name, values in parse_qs(split.query).items()}
            parameters = given | posted
            services.requests.append((split.path, parameters, dict(self.headers)))
            if services.faults:
                self._send(*services.faults.pop(0))
                return
            if split.path.startswith("/10."):
                registrar = f"{services.address}/v1/works{split.path}/transform"
                self._send(302, {"Location": registrar}, b"<html>Handle Redirect</html>")
                return
            found = services.answer(split.path, parameters)
            if isinstance(found, tuple):
                self._send(*found)
                return
            is_json = not isinstance(found, str)
            written = json.dumps(found or {"error": "not found"}) if is_json else found
            self._send(200 if found is not None else 404, {}, written.encode())

        def do_POST(self):
            posted = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self.do_GET(ids="|".join(posted["ids"]))

        def _send(self, status, headers, body):
            if status == 0:  # cut off
                self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n{")
                self.close_connection = True
                return
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, *request):
            # Another test may look at what is printed.
            if not isinstance(sys.exc_info()[1], ConnectionError):
                super().handle_error(*request)

    with Server(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        services.address = f"http://127.0.0.1:{server.server_port}"
        yield services
        server.shutdown()

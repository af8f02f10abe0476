"""Feeds of arXiv, and what is none."""

import pytest

from pincite.enrichment.atom import entries_in
from pincite.enrichment.sources import SEARCHED

FEED = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><title>ArXiv Query</title>
<entry><id>http://arxiv.org/abs/hep-ex/0307015v2</id><updated>2003-07-07T13:46:39-04:00</updated>
<published>2003-07-07T13:46:39-04:00</published>
<title>Multi-Electron Production at
  High Transverse Momenta</title><summary>  It is &lt; 5.
</summary>
<author><name>H1 Collaboration</name></author><author><name>Ann Müller</name></author>
<arxiv:doi xmlns:arxiv="http://arxiv.org/schemas/atom">10.1140/epjc/s2003-01326-x</arxiv:doi>
<arxiv:journal_ref xmlns:arxiv="http://arxiv.org/schemas/atom">Eur.Phys.J. C31 (2003) 17</arxiv:journal_ref>
<link title="pdf" href="http://arxiv.org/pdf/hep-ex/0307015v2" rel="related"/></entry>
<entry><id>http://arxiv.org/api/errors#incorrect_id</id><title>Error</title></entry></feed>"""


def test_an_entry_becomes_a_work():
    (record,) = entries_in(FEED.encode())["entries"]
    work = SEARCHED["arxiv"].read(record)
    assert work.title == "Multi-Electron Production at High Transverse Momenta"
    assert work.fields["author"] == "H1 Collaboration and Ann Müller"
    assert (work.year, work.arxiv) == ("2003", "hep-ex/0307015")
    assert (work.doi, work.abstract) == ("10.1140/epjc/s2003-01326-x", "It is < 5.")
    assert work.fields["url"] == "http://arxiv.org/pdf/hep-ex/0307015v2"
    # That in which it was published is no publisher.
    assert "Eur.Phys.J. C31 (2003) 17" not in work.fields.values()


def test_an_empty_feed_has_no_works():
    assert entries_in(b'<feed xmlns="http://www.w3.org/2005/Atom"/>') == {"entries": []}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"not XML",
        b"<html><body>busy</body></html>",
        b'<feed xmlns="http://www.w3.org/2005/Atom"><entry>',
        b"<a>" * 10_000,
        b'<!DOCTYPE feed [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
        b'<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>/abs/1</id><title>&x;</title>'
        b"</entry></feed>",
        b'<!DOCTYPE feed [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>'
        b'<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>&b;&b;</title></entry></feed>',
    ],
    ids=["empty", "text", "html", "cut off", "deep", "external entity", "entities"],
)
def test_what_is_no_feed_is_refused(body):
    with pytest.raises(ValueError, match=r"\w"):
        entries_in(body)

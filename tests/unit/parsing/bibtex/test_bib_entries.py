"""The DOI and the arXiv identifier of an entry, in all their spellings."""

from pathlib import Path

import pytest

from pincite.parsing.bibtex import parse_bibliography


def entry(fields):
    (read,) = parse_bibliography(f"@article{{key, {fields}}}", Path("refs.bib")).entries.values()
    return read


@pytest.mark.parametrize(
    ("fields", "doi"),
    [
        ("doi = {doi:10.1162/abc.}", "10.1162/abc"),
        (r"doi = {10.1007/978-3-540-77046-6\_25}", "10.1007/978-3-540-77046-6_25"),
        (
            r"doi = {10.1002/(SICI)1097-4571(199009)41:6$<$391::AID-ASI1$>$3.0.CO;2-9}",
            "10.1002/(sici)1097-4571(199009)41:6<391::aid-asi1>3.0.co;2-9",
        ),
        (
            "doi = {10.1002/%28SICI%291097%2819%2941:6%3C391::AID%3E3.0.CO;2-9}",
            "10.1002/(sici)1097(19)41:6<391::aid>3.0.co;2-9",
        ),
        (r"url = {https://doi.org/10.1007/978-3\_25}", "10.1007/978-3_25"),
        ("url = {https://onlinelibrary.wiley.com/doi/abs/10.1002/asi.1}", "10.1002/asi.1"),
        ("url = {https://x.org/doi/full/10.1/x.y/full?a=b}", "10.1/x.y"),
        ("url = {https://x.org/doi/10.1/x;jsessionid=A1.b}", "10.1/x"),
        ("url = {https://x.org/login?url=https://doi.org/10.1/abc&user=ada}", "10.1/abc"),
        ("url = {https://x.org/doi/10.1/abc/my-notes.pdf}", "10.1/abc"),
        ("doi = {10.1/abc,note={secret}}", "10.1/abc"),
        ("doi = {10.1002/(SICI)1:2<3::AID-A>3.0.CO;2-9}", "10.1002/(sici)1:2<3::aid-a>3.0.co;2-9"),
        ("url = {file:///home/ada/doi/10.1/secret}", ""),
        ("url = {:file:/ada/doi.org/10.1/secret}", ""),
        ("doi = {forthcoming}, url = {https://doi.org/10.1/x}", "10.1/x"),
        ("url = {https://example.org/10.1162/abc}", ""),
        ("url = {https://link.springer.com/article/10.1007%2Fs1-2}", "10.1007/s1-2"),
        ("url = {https://link.springer.com/content/pdf/10.1007/s1-2.pdf}", "10.1007/s1-2"),
        ("url = {https://journals.plos.org/plosone/article?id=10.1371/x.1&a=b}", "10.1371/x.1"),
        ("url = {https://www.biorxiv.org/content/10.1101/2020.03.01.972935v2.full.pdf}",
         "10.1101/2020.03.01.972935"),
        ("url = {https://dl.acm.org/doi/fullHtml/10.1145/3292500.3330701}",
         "10.1145/3292500.3330701"),
        ("url = {https://x.org/insight/content/doi/10.1108/JD-1/full/html}", "10.1108/jd-1"),
        ("url = {https://academic.oup.com/b/article/doi/10.1093/b/btab123/6163080}",
         "10.1093/b/btab123"),
        ("url = {https://direct.mit.edu/coli/article/doi/10.1162/coli_a_00402/98520/A-Title?x=y}",
         "10.1162/coli_a_00402"),
        ("url = {https://x.org/dataset.xhtml?persistentId=doi:10.7910/DVN/AB}", "10.7910/dvn/ab"),
    ],
)  # fmt: skip
def test_doi(fields, doi):
    assert entry(fields).doi == doi


@pytest.mark.parametrize(
    ("fields", "arxiv"),
    [
        ("eprint = {1706.03762}, archiveprefix = {arXiv}, primaryclass = {cs.CL}", "1706.03762"),
        ("eprint = {arXiv:1706.03762 [cs.CL]}", "1706.03762"),
        ("eprint = {http://arxiv.org/abs/1706.03762}, eprinttype = {arXiv}", "1706.03762"),
        ("arxivId = {1706.03762}", "1706.03762"),
        ("url = {https://arxiv.org/abs/1706.03762v5}", "1706.03762"),
        ("doi = {10.48550/arXiv.1706.03762}", "1706.03762"),
        ("journal = {arXiv preprint arXiv:1706.03762 [cs.CL]}", "1706.03762"),
        ("journal = {CoRR}, volume = {cmp-lg/9406033}", "cmp-lg/9406033"),
        ("eprint = {1706.03762}, eprinttype = {jstor}", ""),
        ("eprint = {https://example.org/article-pdf/1234567/a.pdf}", ""),
    ],
)
def test_arxiv(fields, arxiv):
    assert entry(fields).arxiv == arxiv

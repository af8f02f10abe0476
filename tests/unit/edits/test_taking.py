"""What authors take from services: fields one by one, or the published version of a preprint."""

import json
from pathlib import Path

import pytest

from pincite.edits.taking import Taking, taken, takings
from pincite.edits.written_entries import WrittenEntry
from pincite.model.edits import applied
from pincite.model.problems import InputError
from pincite.parsing.bibliographies import parse_bibliography

#: What services have of the published version.
PUBLISHED = (
    ("title", "How BERT sings at night in shallow ponds"),
    ("author", "Gerhardt, Carl and Ryan, Michael"),
    ("journal", "Journal of Rivers & Ponds"),
    ("year", "2021"),
    ("volume", "7"),
    ("number", "2"),
    ("pages", "12--20"),
    ("doi", "10.1000/journal_1"),
)
OWN = """@misc{frogs,
  author        = {Gerhardt, C. and Ryan, M.},
  title         = {How {BERT} sings at night in shallow ponds},
  eprint        = {2001.00001},
  archivePrefix = {arXiv},
  year          = 2020,
  month         = jan,
  file          = {:frogs.pdf:PDF},
  keywords      = {frogs, night},
  note          = {Read again},
  url           = {https://arxiv.org/abs/2001.00001}
}
"""
BIB = f"% Größe\n@string{{x = {{Journal}}}}\n{OWN}@misc{{last, title = {{Last}}}}\n"


def written(text, key="frogs", name="refs.bib"):
    file = parse_bibliography(text, Path(name))
    return WrittenEntry(file, file.positions[key], text, file.strings)


def after(text, what, values=PUBLISHED, entry_type="article", encoding="utf-8", **more):
    """Return a bibliography after something of the values was taken."""
    entry = written(text, **more)
    (taking,) = (each for each in takings(entry.own, values, entry_type) if each.name == what)
    return applied(text, taken(entry, taking, encoding))


def test_a_preprint_is_replaced_and_what_is_the_authors_own_stays():
    expected = OWN.replace("@misc{frogs", "@article{frogs")
    expected = expected.replace("Gerhardt, C. and Ryan, M.", "Gerhardt, Carl and Ryan, Michael")
    for gone in ("eprint        = {2001.00001}", "archivePrefix = {arXiv}", "month         = jan"):
        expected = expected.replace(f"\n  {gone},", "")
    expected = expected.replace("= 2020", "= {2021}")
    expected = expected.replace("\n  url           = {https://arxiv.org/abs/2001.00001}", "")
    new = "journal = {Journal of Rivers \\& Ponds},\n  volume = {7},\n  number = {2},\n"
    new += "  pages = {12--20},\n  doi = {10.1000/journal_1},\n  author"
    assert after(BIB, "replace") == BIB.replace(OWN, expected.replace("author", new, 1))


def test_fields_of_the_published_version_are_added_to_a_preprint():
    entry = parse_bibliography(after(BIB, "add"), Path("refs.bib")).entries["frogs"]
    assert (entry.entry_type, entry.year, entry.arxiv) == ("article", "2021", "2001.00001")
    assert entry.fields["journal"] == "Journal of Rivers & Ponds"
    assert entry.fields["author"] == "Gerhardt, C. and Ryan, M."
    assert entry.fields["note"] == "Read again"
    assert "month" not in entry.fields


def test_pages_have_the_dash_of_bibtex():
    for there in ("13-21", "13–21", "13--21"):
        found = after("@misc{frogs, pages = {99--120}}", "pages", (("pages", there),), "")
        assert found == "@misc{frogs, pages = {13--21}}"
    for there in ("13", "S1-2-3", "1_2-3"):
        found = after("@misc{frogs, pages = {99--120}}", "pages", (("pages", there),), "")
        assert found == f"@misc{{frogs, pages = {{{there}}}}}".replace("_", r"\_")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("refs.json", json.dumps([{"id": "frogs", "title": "Größe"}], ensure_ascii=False)),
        ("refs.yaml", "- id: frogs\n  title: Größe\n"),
        ("refs.bib", "@misc{frogs, title = {Größe}}\n"),
    ],
)
def test_what_an_encoding_lacks_is_one_line_before_anything_is_written(name, text):
    with pytest.raises(InputError, match=r"its encoding .cp1252. has no “ł”: save it as UTF-8"):
        after(text, "doi", (("doi", "10.1000/łx"),), "", encoding="cp1252", name=name)
    found = after(text, "doi", (("doi", "10.1000/łx"),), "", name=name)
    assert "10.1000/łx" in found


def test_the_journal_of_a_preprint_goes_if_it_was_published_in_proceedings():
    text = "@article{frogs, journal = {arXiv preprint arXiv:1}, volume = {abs/1}, note = {Mine}}"
    values = (("booktitle", "Proceedings of Ponds"), ("year", "2021"))
    found = after(text, "add", values, "inproceedings")
    new = "@inproceedings{frogs, booktitle = {Proceedings of Ponds}, year = {2021},"
    assert found == f"{new} note = {{Mine}}}}"
    own = text.replace("arXiv preprint arXiv:1", "Ponds")
    assert "volume = {abs/1}" in after(own, "add", values, "inproceedings")


def test_a_broken_entry_is_one():
    text = "@misc{frogs, title = {A}, title = {B}}"
    with pytest.raises(InputError, match=r"^it is broken$"):
        taken(written(text), Taking("year", "", {"year": "2021"}), "utf-8")


@pytest.mark.parametrize("what", ["replace", "add"])
def test_people_dates_and_subtitles_that_no_service_has_stay(what):
    own = "author = {Hall, K.}, editor = {Poe, E.}, subtitle = {A study}"
    text = f"@misc{{frogs, title = {{How frogs sing}}, {own}, date = {{2019-05}}, month = may}}\n"
    values = (("title", "How frogs sing"), ("doi", "10.1000/1"))
    found = after(text, what, values)
    assert found.replace("@article{frogs, doi = {10.1000/1},", "@misc{frogs,") == text
    item = json.dumps([{**ITEM, "editor": ITEM["author"]}])
    (taken_item,) = json.loads(after(item, what, values, name="refs.json"))
    for name in ("author", "editor", "issued"):
        assert taken_item[name] == json.loads(item)[0][name]


def test_a_subtitle_goes_if_the_title_has_it():
    text = "@misc{frogs, title = {How frogs sing}, subtitle = {A study}}\n"
    found = after(text, "replace", (("title", "How frogs sing: A Study"),))
    assert found == "@article{frogs, title = {How frogs sing: A Study},}\n"


@pytest.mark.parametrize("what", ["replace", "add"])
def test_names_of_biblatex_stay(what):
    text = "@online{frogs, journaltitle = {arXiv preprint}, date = {2020-01}, title = {T}}\n"
    found = after(text, what)
    assert "date = {2021}" in found
    assert "journaltitle = {Journal of Rivers \\& Ponds}" in found
    assert " journal " not in found
    assert "year" not in found


def test_one_value_after_the_other():
    values = (("year", "1996"), ("pages", "1--9"), ("author", "Gerhardt, Carl"))
    assert after(BIB, "year", values, "") == BIB.replace("= 2020", "= 1996")
    assert after(BIB, "pages", values, "") == BIB.replace(
        "@misc{frogs,", "@misc{frogs,\n  pages = {1--9},"
    )
    titles = [each.title for each in takings(written(BIB).own, values)]
    assert titles == [
        "Change year from 2020 to 1996",
        "Add pages 1--9",
        "Change author from Gerhardt, C. and Ryan, M. to Gerhardt, Carl",
    ]


#: Dates of one year, by the file and the text that they are in.
DATES = {
    ("refs.bib", "@misc{frogs, title = {From 2019}, %s}\n"): [
        "date = {2019-05-02}", "date = {2019-05-02/2019-06-01}", 'year = "2019", month = may',
        "year = {2018}, date = {2019-03-05}",
    ],
    ("refs.json", '[{"id": "frogs", "issued": %s, "title": "From 2019"}]'): [
        '"2019-01-15"', '{"date-parts": [[2019, 1, 15]]}', '{"date-parts": [["2019", "1"]]}',
        '{"date-parts": [[2019,1], [2019,12]], "season": 1.0}', '{"raw": "May 2019"}',
    ],
    ("refs.yaml", "- id: frogs\n  issued: %s\n  # From 2019\n  title: From 2019\n"): [
        "2019-01-15", "\n  - year: 2019\n    month: 5", "\n    date-parts:\n    - - 2019\n",
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "form", "dates"), [(*kind, each) for kind, every in DATES.items() for each in every]
)
def test_another_year_leaves_months_and_days(name, form, dates):
    text, new = form.replace("%s", dates), dates.replace("2018", "2021").replace("2019", "2021")
    found = after(text, "year", (("year", "2021"),), "", name=name)
    assert found == text.replace(dates, new)


@pytest.mark.parametrize("date", ["2019-12-30/2020-01-03", "in press, 2019 or 2020"])
def test_a_range_of_two_years_is_changed_by_hand(date):
    with pytest.raises(InputError, match=f"change the year to 2021 by hand: it is now .*{date}"):
        after(f"@misc{{frogs, date = {{{date}}}}}", "year", (("year", "2021"),), "")


def test_letters_that_a_file_lacks_are_written_as_latex():
    values = (("journal", "Zeitschrift für Frösche"),)
    found = after(BIB.replace("Größe", ""), "journal", values, "", encoding="ascii")
    assert r"Zeitschrift f{\"{u}}r Fr{\"{o}}sche" in found


@pytest.mark.parametrize(
    "text",
    [
        "@article{frogs, journal = x # { of}, title = {A year = 1990 title}, year = {1990}}",
        "@article{frogs, journal = x # { of}, title = {A year = 1990 title}, Year=1990 }",
        '@article(frogs, journal = x # { of}, title = "A year = 1990 title", year = "1990")',
    ],
)
def test_no_other_value_is_taken_for_it(text):
    found = after(text, "year", (("year", "1996"),), "")
    entry = parse_bibliography(found, Path("refs.bib")).entries["frogs"]
    assert (entry.year, entry.title) == ("1996", "A year = 1990 title")
    assert "x # { of}" in found


@pytest.mark.parametrize("text", ["@misc{frogs}", "@misc{frogs title = {T}}"])
def test_what_cannot_be_added_is_an_error(text):
    with pytest.raises(InputError):
        after(text, "pages", (("pages", "1--9"),), "")


ITEM = {
    "id": "frogs", "type": "article", "title": "How BERT sings at night in shallow ponds",
    "author": [{"family": "Gerhardt", "given": "C."}, {"family": "Ryan", "given": "M."}],
    "issued": {"date-parts": [[2020, 1]]}, "number": "arXiv:2001.00001", "publisher": "arXiv",
    "keyword": "frogs", "note": "Read again", "custom": {"file": ["frogs.pdf"], "number": 1.5},
}  # fmt: skip
OTHER = {"id": "last", "type": "book", "title": "Last"}


@pytest.mark.parametrize("form", [{"indent": 2}, {"indent": "\t"}, {}, {"separators": (",", ":")}])
def test_an_item_of_csl_json_is_replaced_in_its_own_form(form):
    text = json.dumps([ITEM, OTHER], **form)
    found = after(text, "replace", name="refs.json")
    item, other = json.loads(found)
    assert found == json.dumps([item, other], **form)
    assert other == OTHER
    assert item["type"] == "article-journal"
    assert item["author"][0] == {"family": "Gerhardt", "given": "Carl"}
    assert item["issued"] == {"date-parts": [[2021]]}
    assert (item["container-title"], item["issue"]) == ("Journal of Rivers & Ponds", "2")
    assert item["DOI"] == "10.1000/journal_1"
    assert {each: item[each] for each in ("id", "title", "keyword", "note", "custom")} == {
        each: ITEM[each] for each in ("id", "title", "keyword", "note", "custom")
    }
    assert not {"number", "publisher"} & item.keys()
    added = json.loads(after(text, "add", name="refs.json"))[0]
    assert (added["publisher"], added["author"]) == ("arXiv", ITEM["author"])


YAML = """---
# Kept
references:
- id: frogs   # mine
  type: article
  author:
  - family: Gerhardt
    given: C.
  title: "How BERT *sings* at night: in shallow ponds"
  issued: 2020-01
  # About it
  note: |
    Read
    again
  publisher: arXiv
- id: last
  title: Last
...
"""


def test_an_item_of_csl_yaml_keeps_all_other_lines():
    found = after(YAML, "volume", (("volume", "7"),), "", name="refs.yaml")
    assert found == YAML.replace("  publisher: arXiv\n", "  publisher: arXiv\n  volume: '7'\n")
    found = after(YAML, "year", (("year", "2021"),), "", name="refs.yaml")
    assert found == YAML.replace("2020-01", "2021-01")
    values = (*PUBLISHED, ("title", "How BERT sings at night: in shallow ponds"))
    found = after(YAML, "replace", values, name="refs.yaml")
    file = parse_bibliography(found, Path("refs.yaml"))
    assert not file.problems
    assert file.entries["frogs"].fields["author"] == "Gerhardt, Carl and Ryan, Michael"
    assert file.entries["frogs"].fields["journal"] == "Journal of Rivers & Ponds"
    assert "publisher" not in found
    assert '  title: "How BERT *sings* at night: in shallow ponds"\n' in found
    assert "  note: |\n    Read\n    again\n" in found


COMMENTED = """- id: frogs
  title: Frogs
  issued:
    year: 2020
  # read v2, not v1
  container-title: arXiv preprint # iso4
  publisher: arXiv # of Cornell

  url: https://arxiv.org
  volume: 3

  # --- second part: read later ---

- id: last
"""


def test_comments_and_empty_lines_of_csl_yaml_stay():
    found = after(COMMENTED, "volume", (("volume", "7"),), "", name="refs.yaml")
    assert found == COMMENTED.replace("volume: 3", "volume: '7'")
    values = (("journal", "Ponds"), ("year", "2021"), ("volume", "7"), ("pages", "1--9"))
    found = after(COMMENTED, "replace", values, name="refs.yaml")
    expected = COMMENTED.replace("  publisher: arXiv", " ").replace(
        "  url: https://arxiv.org\n", ""
    )
    expected = expected.replace("arXiv preprint", "Ponds").replace(
        "volume: 3", "volume: '7'\n  page: 1-9\n  type: article-journal"
    )
    expected = expected.replace("year: 2020", "date-parts:\n    - - 2021")
    assert found == expected


@pytest.mark.parametrize("name", ["publisher", "'url'", '"URL"'])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", ["\n", ""])
def test_members_of_csl_yaml_go_wherever_they_are(name, line_end, last):
    own = "id: frogs\n  'my ''own'' tag': x\n  note: |\n    # Read\n"
    text = f"- {name}: arXiv\n  {own}  issn: 1\n  title: 'T: 1 #2'{last}"
    found = after(text.replace("\n", line_end), "replace", (("volume", "7"),), name="refs.yaml")
    expected = f"- {own}  title: 'T: 1 #2'\n  volume: '7'\n  type: article{last}"
    assert found == expected.replace("\n", line_end)


@pytest.mark.parametrize(
    "text",
    [
        "- id: frogs\n  author:\n  - family: Hall  # not Hell\n  - family: Poe\n",
        "- id: frogs\n  author: # both\n  - family: Hall\n",
        "- id: frogs\n  author: &a\n  - family: Hall\n- id: last\n  author: *a\n",
        "- !item\n  id: frogs\n  author: []\n",
        "- {id: frogs, author: []}\n",
    ],
)
def test_what_would_be_lost_or_broken_in_yaml_is_changed_by_hand(text):
    with pytest.raises(InputError, match="cannot change an entry written like this"):
        after(text, "author", (("author", "Hall, Kate"),), "", name="refs.yaml")


def test_an_alias_of_another_item_is_replaced():
    text = "- id: last\n  publisher: &p arXiv\n- id: frogs\n  publisher: *p\n  title: T\n"
    found = after(text, "publisher", (("publisher", "Ponds"),), "", name="refs.yaml")
    assert found == text.replace("*p", "Ponds")


def test_all_other_text_of_an_item_of_json_stays():
    text = '[ {"id" : "frogs","volume":3 ,\n\n "x": [1.10, 1e400,\n"\\u00e9" ] , "title":"T"}]'
    found = after(text, "volume", (("volume", "7"),), "", name="refs.json")
    assert found.replace('"volume" : "7"', '"volume":3') == text
    found = after(text, "replace", (("pages", "1--9"),), name="refs.json")
    assert found == text.replace(',"volume":3', "").replace(
        '"T"}', '"T" , "page" : "1-9" , "type" : "article"}'
    )


def test_hayagriva_is_read_only_and_the_message_states_what_to_change():
    text = "frogs:\n  type: article\n  title: Frogs\n  date: 2020\n"
    with pytest.raises(InputError, match="change the entry by hand: year 2021"):
        after(text, "year", (("year", "2021"),), "", name="refs.yml")

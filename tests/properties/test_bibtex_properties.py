from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pincite.parsing.bibliographies import entry_at, merged
from pincite.parsing.bibtex import parse_bibliography
from pincite.parsing.latex.symbols import plain_text

PATH = Path("refs.bib")
PIECES = st.sampled_from(
    [
        *("@misc{", "@article(", "@string{", "@comment{", "@preamble{", "\n@book{k,\n", "@"),
        *("{", "}", "(", ")", '"', ",", "=", "#", "%", "\\", "\\{", "\\}", "$", "~", "\n", "\r"),
        *("title = ", "crossref = {k}", "xdata={k}", "jan", "1999", " ", "k", "\\'", "\\c", "--"),
        *("\\cite{", "\\url{", "é", "\ufdd0", "\u2028", "\0", "author = {A {and} B and "),
    ]
)
SOUP = st.lists(PIECES | st.text(max_size=3), max_size=60).map("".join)

KEYS = st.from_regex(r"[A-Za-z][A-Za-z0-9:._+/-]{0,12}", fullmatch=True)
NAMES = st.from_regex(r"x[a-z]{0,8}", fullmatch=True)
WORDS = st.text(st.characters(categories=["L", "N"], exclude_characters="ıȷ"), min_size=1)
VALUES = st.lists(WORDS, min_size=1, max_size=6).map(lambda words: plain_text(" ".join(words)))
FIELDS = st.dictionaries(NAMES, VALUES, max_size=6)
LIBRARIES = st.dictionaries(KEYS, FIELDS, min_size=1, max_size=6)
BREAKS = st.sampled_from(
    [
        "title = {never closed",
        'title = "never closed',
        "title = {one {two}",
        "title = x y z, {",
        "title = {a}}, x = 1, }",
        'title = "a "quoted" b", ',
        "title",
        "title = \\",
        "= = =",
        "",
    ]
)
FORMS = st.sampled_from(["{%s}", '"%s"', "{{%s}}", '"{%s}"', '{%s} # ""'])


def rendered(key, fields, form="{%s}", line_end="\n"):
    lines = [f"@article{{{key},", *(f"  {name} = {form % text}," for name, text in fields.items())]
    return line_end.join([*lines, "}", ""])


@given(SOUP)
def test_any_text_gives_a_bibliography(text):
    bibliography = parse_bibliography(text, PATH)
    entries = bibliography.all_entries
    assert bibliography.text == text
    last_line = 1 + text.count("\n") + text.count("\r")
    for key, entry in entries.items():
        assert key
        assert key == entry.key
        assert 1 <= bibliography.places[key].line <= last_line
        assert all(isinstance(value, str) for value in entry.fields.values())
        assert all(entry.surnames)
    assert [*bibliography.entries, *bibliography.data_entries] == sorted(
        entries, key=lambda key: entries[key].entry_type == "xdata"
    )
    assert all(problem.line and 1 <= problem.line <= last_line for problem in bibliography.problems)


@given(SOUP)
def test_any_text_reads_as_one_normalised_line(text):
    read = plain_text(text)
    assert read == " ".join(read.split())


@given(st.text("{}ab -'!?_^é\u0301\n"))
def test_braces_alone_read_as_they_do_beside_macros(text):
    assert plain_text(text) == plain_text(text + r"\relax")


@given(LIBRARIES, FORMS, st.sampled_from(["\n", "\r\n", "\r"]))
def test_rendered_entries_read_back(library, form, line_end):
    text = "".join(rendered(key, fields, form, line_end) for key, fields in library.items())
    bibliography = parse_bibliography(text, PATH)
    assert not bibliography.problems
    assert {key: dict(e.fields) for key, e in bibliography.entries.items()} == library
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for entry in bibliography.entries.values():
        assert lines[bibliography.places[entry.key].line - 1] == f"@article{{{entry.key},"


PLAIN_PARTS = st.sampled_from(
    [
        *("@misc{a,", "@Book {b,", "@xdata{c,", "@string{", "@comment{", "@set(d,", "\n", " ", ","),
        *("title = {A {nice} one}", 'title = "Another"', "Title={}", "year = 1999", "month = JAN"),
        *("month = janus", "crossref = {a}", "ids = {e}", 'note = "x, y = 1, z"', "}", "},\n"),
        *("jan = {new}", "a = {b {c {d}}}", 'b = "{"', "year = 1 # 2", ")", "}, x = {"),
    ]
)


@given(st.lists(PLAIN_PARTS, max_size=30).map("".join) | SOUP)
@example("@misc{a, t={x\n  @misc{b, t={y}}")
@example("@string{s = {@misc{a,}}}@misc{b(c, t=1}\n@book(d\n@book(e,")
def test_an_entry_is_found_at_its_key_as_in_the_whole_file(text):
    text = text.replace("\0", "")
    bibliography = parse_bibliography(text, PATH)
    for statement in bibliography.statements:
        assert 0 < statement.command().end <= len(statement.text)
    for place in filter(lambda place: place.key, bibliography.entry_places()):
        found = entry_at(PATH, text, place.key_span.start)
        assert replace(found, written=place.written) == place


@given(st.lists(PLAIN_PARTS, max_size=30).map("".join) | SOUP)
@example('@misc{a, note = {x}, title = {A}, subtitle = {B}, title = "C"}')
@example("@misc{a, title = jan}@misc{b, Title = {A}, title = {B}")
def test_a_title_read_alone_is_that_of_the_entry(text):
    entries = parse_bibliography(text, PATH).all_entries.values()
    alone = [entry.title_alone() for entry in entries]
    assert alone == [entry.title for entry in entries]


@pytest.mark.parametrize(
    "body",
    [",", " ", "x", "\n,", "t", "t ", "t=", "t={x}" + " " * 50, "t={{", '"', "a=b,", "{}", "\\"],
)
def test_a_long_entry_takes_no_longer_than_its_length(body):
    """With a step for each pair of characters, this would take minutes."""
    long = body * (40_000 // len(body))
    text = "".join(f"@misc{{k{n}, title = {{Frogs}}, {long}\n" for n in range(30))
    for entry in parse_bibliography(text, PATH).entries.values():
        assert (entry.title, entry.surnames, entry.year) == ("Frogs", (), "")


@given(LIBRARIES, BREAKS, st.integers(0, 6))
def test_a_broken_entry_does_not_affect_others(library, broken, place):
    parts = [rendered(key, fields) for key, fields in library.items()]
    place = min(place, len(parts))
    before = "".join(parts[:place])
    text = before + f"@book{{the broken one,\n  {broken}\n" + "".join(parts[place:])
    bibliography = parse_bibliography(text, PATH)
    read = {key: dict(entry.fields) for key, entry in bibliography.entries.items()}
    read.pop("the broken one")
    assert read == library
    assert bibliography.problems
    assert {problem.line for problem in bibliography.problems} == {before.count("\n") + 1}


RELATED = st.lists(
    st.sampled_from(
        [
            *("@misc{a,\n t={1}}\n", "@misc{A, ids={f}}\n", "@misc{b, crossref={F}, n={x}}\n"),
            *("@misc{c, crossref={a}}\n", "@xdata{d, u={1}}\n", "@misc{e, xdata={d}, t = s}\n"),
            *("@string{s={S}}\n", "@misc{a, t={2}} ", "@misc{g, crossref={c}}\n", "}", "\n"),
            *("@misc{f, u={2}}\n", "@xdata{d, u={2}}\n", "@string{s={T}}\n"),
            *("@set{h, entryset={a,F}}\n", "@set{i, entryset={e}}\n", "@set{a, entryset={b}}\n"),
        ]
    ),
    max_size=8,
).map("".join)


@settings(max_examples=300)
@given(RELATED, RELATED, RELATED, st.integers(0, 200), st.integers(0, 40))
def test_entries_with_other_content_are_not_equal(first, second, typed, start, length):
    start = min(start, len(first))
    edited = first[:start] + typed + first[start + length :]
    other = parse_bibliography(second, Path("more.bib"))
    before = merged([parse_bibliography(first, PATH), other])
    for key, entry in merged([parse_bibliography(edited, PATH), other]).items():
        if key in before and entry == before[key]:
            assert contents(entry) == contents(before[key])


def contents(entry):
    return entry.entry_type, entry.path, entry.aliases, entry.members, dict(entry.written)


def shown(bibliography):
    entries = [(key, contents(entry)) for key, entry in bibliography.all_entries.items()]
    return entries, bibliography.faults, dict(bibliography.places), bibliography.text


@given(RELATED | SOUP, RELATED | SOUP)
def test_a_file_read_again_after_an_edit_is_as_if_read_for_the_first_time(before, now):
    earlier = parse_bibliography(before, PATH)
    shown(earlier)
    assert shown(parse_bibliography(now, PATH, earlier=earlier)) == shown(
        parse_bibliography(now, PATH)
    )

from itertools import takewhile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pincite.model.edits import TextEdit
from pincite.model.spans import TextSpan
from pincite.parsing.bibtex import MergedEntries, parse_bibliography, parts
from pincite.parsing.bibtex.entry_places import entry_places
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


@pytest.fixture(autouse=True, scope="module")
def short_parts():
    """Let texts that can be read have many parts, too."""
    before, parts._SIZE = parts._SIZE, 40
    yield
    parts._SIZE = before


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
        excerpt, start = bibliography.excerpt(entry)
        place = bibliography.places[key]
        assert text.startswith(excerpt, start)
        assert start == 0 or text[start - 1] in "\r\n"
        assert start + len(excerpt) == place.span.end
        assert 1 <= place.line <= last_line
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
def test_what_is_scanned_is_what_is_found_by_reading_on(text):
    bibliography = parse_bibliography(text, PATH)
    found = [place for place in entry_places(text, lambda _: False) if place.key]
    places = bibliography.places.values()
    spans = {place.key_span: place.span for place in places}
    assert {place.key_span for place in found} == {
        *spans,
        *(key.span for key in bibliography.repeated),
    }
    assert {p.key_span: p.span for p in found if p.key_span in spans} == spans
    kinds = {entry.key: entry.entry_type for entry in bibliography.all_entries.values()}
    assert kinds == {place.key: place.entry_type for place in reversed(found)}


@given(st.lists(PLAIN_PARTS, max_size=30).map("".join) | SOUP)
@example('@misc{a, t = {x}, T = {y}, u = {}, v = "", month = jan, w = unknown}} x = {z}}')
def test_the_fast_way_finds_the_fields_that_the_careful_one_does(text):
    for part in parse_bibliography(text, PATH).parts:
        for index in range(len(part)):
            written = part.written(index)
            careful = parts.read(written, {"jan": "January"}).body.fields
            assert list(parts.fields_of(written, {"jan": "January"}).items()) == [*careful.items()]


@given(*[st.lists(PLAIN_PARTS, max_size=20).map("".join) for _ in range(2)])
def test_entries_read_through_are_those_read_one_by_one(one, other):
    files = [parse_bibliography(text, Path(f"{n}.bib")) for n, text in enumerate((one, other))]
    for entries in (files[0], MergedEntries(files[:1]), MergedEntries(files)):
        by_key = entries.entries if entries is files[0] else entries
        assert list(entries.read_through()) == list(by_key.values())
        titled = entries.read_through(title_only=True)
        assert [each.fields.get("title") for each in titled] == [
            each.fields.get("title") for each in by_key.values()
        ]


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
def test_a_broken_entry_costs_only_itself(library, broken, place):
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


EDITED = st.lists(
    st.tuples(LIBRARIES, FORMS, st.sampled_from(["", "\n", "% a note\n", "@string{s = {S}}\n"])),
    min_size=1,
    max_size=4,
)


@st.composite
def edits(draw):
    """A bibliography, partly broken, before and after an edit."""
    pieces = []
    for library, form, between in draw(EDITED):
        pieces += [between, *(rendered(key, fields, form) for key, fields in library.items())]
        pieces.append(draw(st.just("") | BREAKS.map("@book{{broken,\n  {}\n}}\n".format) | SOUP))
    before = "".join(pieces)
    begin = draw(st.integers(0, len(before)))
    end = draw(st.integers(begin, min(len(before), begin + 30)))
    typed = draw(
        st.just("")
        | PIECES
        | VALUES
        | LIBRARIES.map(
            lambda library: "".join(rendered(key, fields) for key, fields in library.items())
        )
    )
    return before, before[:begin] + typed + before[end:]


def said(bibliography):
    """All that is known of a bibliography."""
    return (
        *(bibliography.text, bibliography.strings, bibliography.problems, bibliography.faults),
        *(bibliography.repeated, bibliography.aliases, list(bibliography.places.items())),
        [list(entries.values()) for entries in (bibliography.entries, bibliography.data_entries)],
    )


@settings(max_examples=400)
@given(edits(), st.booleans())
@example(("\n@article{A,\n}\n", "@string{\n@article{A,\n}\n"), True)
@example(
    (
        "@misc{a,\n t = {1}}\n@misc{b, t = x y}@misc{c, t = {z}}\n@misc{d, t={1}}\n",
        "@misc{a, t = {1}}\n@misc{b, t = x yy}\n@misc{c, t = {z}}\n@misc{d, t={1}}\n",
    ),
    True,
)
@example(("@misc{a, t = {x}} x", "@misc{a, t = {x}} x@misc{b, t = {y}}"), False)
@example(("\n@misc{A,\n}\n", "\n@book{k,\n\n@misc{A,\n}\n"), False)
def test_after_an_edit_all_is_as_if_read_as_a_whole(edit, is_known):
    before, after = edit
    known = parse_bibliography(before, PATH)
    if is_known:
        said(known)
    assert said(known.updated(after)) == said(parse_bibliography(after, PATH))
    assert known.updated(before) is known


@settings(max_examples=300)
@given(edits(), st.integers(0, 60), st.integers(0, 60))
def test_an_edit_says_as_much_as_the_text_that_it_makes(edit, before_it, behind_it):
    before, after = edit
    front = same_at_first(before, after)
    back = same_at_first(before[front:][::-1], after[front:][::-1])
    # What changes may be part of what the edit replaces.
    start, behind = max(0, front - before_it), max(0, back - behind_it)
    span = TextSpan(start, len(before) - behind)
    made = TextEdit(PATH, span, after[start : len(after) - behind])
    known = parse_bibliography(before, PATH)
    assert said(known.edited(made)) == said(parse_bibliography(after, PATH))


def same_at_first(one, other):
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def written(entry):
    fields = dict(entry.fields.as_written())
    return entry.entry_type, entry.path, entry.aliases, entry.members, fields


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
def test_what_changed_is_what_says_something_else(first, second, typed, start, length):
    files = parse_bibliography(first, PATH), parse_bibliography(second, Path("more.bib"))
    start = min(start, len(first))
    edited = first[:start] + typed + first[start + length :]
    earlier = MergedEntries(files)
    now = MergedEntries([files[0].updated(edited), files[1]])
    assert set(now.changed_since(earlier)) == {
        key
        for key, entry in now.items()
        if key not in earlier
        or written(entry) != written(earlier[key])
        or members_of(now, entry) != members_of(earlier, entry)
    }


def members_of(entries, entry):
    """What is written in the members of a set, which are named in any case or by aliases."""
    keys = (
        key if key in entries else entries.key_of(key, case_sensitive=False)
        for key in entry.members
    )
    return [written(entries[key]) if key else None for key in keys]

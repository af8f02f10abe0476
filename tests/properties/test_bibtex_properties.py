from itertools import takewhile
from pathlib import Path

import pytest
from hypothesis import event, example, given, settings
from hypothesis import strategies as st

from pincite.library.bibliographies import pack, unpack
from pincite.model.edits import TextEdit
from pincite.model.spans import TextSpan
from pincite.parsing.bibtex import parse_bibliography, reader
from pincite.parsing.bibtex.changes import parse_changed
from pincite.parsing.bibtex.glance import Glance
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
    assert "".join(bibliography.pieces) == text
    for entry in bibliography.entries:
        if (found := bibliography.excerpt(entry)) is not None:
            excerpt, start = found
            assert text.startswith(excerpt, start)
            assert start == 0 or text[start - 1] in "\r\n"
            assert start + len(excerpt) == bibliography.places[entry.key].span.end
    keys = [entry.key for entry in bibliography.entries]
    assert len(keys) == len(set(keys))
    assert all(keys)
    last_line = 1 + text.count("\n") + text.count("\r")
    for entry in bibliography.entries:
        assert 1 <= bibliography.places[entry.key].line <= last_line
        assert all(isinstance(value, str) for value in entry.fields.values())
        assert all(entry.surnames)
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
    assert {entry.key: dict(entry.fields) for entry in bibliography.entries} == library
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for entry in bibliography.entries:
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
@example("@misc{a, month = jan}@string{jan = {new}}@misc{b, month = jan}")
@example("@misc{a, title = {x}}, year = {1999}}")
@example("@misc{a, Title = {x}, title = {y}}")
@example("@misc{a, title = {x} }@misc{a, title = {y}}\n@misc{a(b, x = 1}")
def test_entries_that_are_read_later_say_the_same(text):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(reader, "is_plain", lambda *_: False)
        at_once = parse_bibliography(text, PATH)
    assert parse_bibliography(text, PATH) == at_once


@given(st.lists(PLAIN_PARTS, max_size=30).map("".join) | SOUP)
def test_what_the_index_keeps_is_the_same_bibliography(text):
    bibliography = parse_bibliography(text, PATH)
    assert unpack(pack(bibliography, text), text, PATH) == bibliography


@given(st.lists(LIBRARIES, min_size=1, max_size=3), st.sampled_from(["\n", "\r\n"]))
def test_a_glance_at_sound_files_shows_what_is_in_them(libraries, line_end):
    texts = [
        ("".join(rendered(key, fields, line_end=line_end) for key, fields in library.items()), path)
        for library, path in zip(libraries, map(Path, "abc"), strict=False)
    ]
    read = [entry for text, path in texts for entry in parse_bibliography(text, path).entries]
    first = {entry.key: entry for entry in reversed(read)}
    assert dict(Glance(texts)) == first


@given(SOUP)
def test_a_glance_at_any_text_can_be_looked_at(text):
    for key, entry in Glance([(text, PATH)]).items():
        assert entry.key == key
        assert all(isinstance(value, str) for value in entry.fields.values())


@pytest.mark.parametrize(
    "body",
    [",", " ", "x", "\n,", "t", "t ", "t=", "t={x}" + " " * 50, "t={{", '"', "a=b,", "{}", "\\"],
)
def test_a_glance_at_a_long_entry_takes_no_longer_than_its_length(body):
    """With a step for each pair of characters, this would take minutes."""
    long = body * (40_000 // len(body))
    text = "".join(f"@misc{{k{n}, title = {{Frogs}}, {long}\n" for n in range(30))
    for entry in Glance([(text, PATH)]).values():
        assert (entry.title, entry.surnames, entry.year) == ("Frogs", (), "")


@given(LIBRARIES, BREAKS, st.integers(0, 6))
def test_a_broken_entry_costs_only_itself(library, broken, place):
    parts = [rendered(key, fields) for key, fields in library.items()]
    place = min(place, len(parts))
    before = "".join(parts[:place])
    text = before + f"@book{{the broken one,\n  {broken}\n" + "".join(parts[place:])
    bibliography = parse_bibliography(text, PATH)
    read = {entry.key: dict(entry.fields) for entry in bibliography.entries}
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


def test_half_a_character_is_no_utf_8():
    known = parse_bibliography("@misc{a, t={\ud800}}\n", PATH)
    data = "@misc{a, t={\ud800}}\n".encode("utf-8", "surrogatepass")
    assert parse_changed(data, PATH, {}, known) is None


@settings(max_examples=400)
@given(edits())
@example(("\n@article{A,\n}\n", "@string{\n@article{A,\n}\n"))
@example(
    (
        "@misc{a,\n t = {1}}\n@misc{b, t = x y}@misc{c, t = {z}}\n@misc{d, t={1}}\n",
        "@misc{a, t = {1}}\n@misc{b, t = x yy}\n@misc{c, t = {z}}\n@misc{d, t={1}}\n",
    )
)
def test_after_an_edit_all_is_as_if_read_anew(edit):
    before, after = edit
    known = parse_bibliography(before, PATH)
    changed = parse_changed(after, PATH, {}, known)
    assert parse_changed(after.encode(), PATH, {}, known) == changed
    event("read anew as a whole" if changed is None else "read around the edit")
    if changed is not None:
        anew = parse_bibliography(after, PATH)
        assert changed.entries == anew.entries
        assert changed.faults == anew.faults
        assert changed == anew


def same_at_first(one, other):
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


@settings(max_examples=300)
@given(edits(), st.integers(0, 60), st.integers(0, 60))
def test_an_edit_says_as_much_as_the_text_that_it_makes(edit, before_it, behind_it):
    before, after = edit
    front = same_at_first(before, after)
    back = same_at_first(before[front:][::-1], after[front:][::-1])
    # What changes may be part of what the edit replaces.
    start, behind = max(0, front - before_it), max(0, back - behind_it)
    span = TextSpan(start, len(before) - behind)
    told = TextEdit(PATH, span, after[start : len(after) - behind])
    known = parse_bibliography(before, PATH)
    assert parse_changed(told, PATH, {}, known) == parse_changed(after, PATH, {}, known)

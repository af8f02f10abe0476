from pincite.model.papers import Candidate, InlinkContext, ReferencePaper, Sentence
from pincite.representations import bags
from pincite.settings import Window


def candidate(body: str = "", **known) -> Candidate:
    sentences = tuple(Sentence(s) for s in body.split(". ") if s)
    paper = ReferencePaper(
        known.pop("title", ""), "full text", sentences, known.pop("abstract", "")
    )
    return Candidate("key", paper, **known)


def tokens(body: str = "", **known):
    return bags.words_of(candidate(body, **known))


def test_full_text_is_title_names_and_all_sentences():
    found = bags.full_text(tokens("One two. Three", title="Zero", names=("Otto Null",)))
    assert found == [["Zero", "Otto", "Null", "One", "two", "Three"]]


def test_title_and_abstract_leave_the_body_out():
    found = bags.title_abstract(tokens("Body text", title="Title", abstract="An abstract"))
    assert found == [["Title", "An", "abstract"]]


def test_passages_half_overlap_and_reach_the_end():
    body = " ".join(str(number) for number in range(10))
    found = bags.passages(4)(tokens(body))
    assert found == [
        ["0", "1", "2", "3"],
        ["2", "3", "4", "5"],
        ["4", "5", "6", "7"],
        ["6", "7", "8", "9"],
    ]


def test_the_last_passage_may_be_shorter_but_no_word_is_lost():
    body = " ".join(str(number) for number in range(11))
    found = bags.passages(4)(tokens(body))
    assert found[-1] == ["8", "9", "10"]
    assert {word for bag in found for word in bag} == {str(number) for number in range(11)}


def test_a_short_text_is_one_passage():
    assert bags.passages(350)(tokens("only a few words")) == [["only", "a", "few", "words"]]


def test_an_entry_with_only_a_title_still_has_a_bag():
    assert bags.passages(350)(tokens(title="Only a title")) == [["Only", "a", "title"]]


def test_inlink_contexts_are_cut_to_the_window_nearest_the_citation():
    context = InlinkContext("draft", ("far", "near"), ("close", "away"))
    bag = bags.inlink_contexts(Window(1, 1))(candidate(inlink_contexts=(context,)))
    assert bag == ["near", "close"]


def test_a_window_of_no_words_on_one_side():
    context = InlinkContext("draft", ("left",), ("right",))
    bag = bags.inlink_contexts(Window(0, 1))(candidate(inlink_contexts=(context,)))
    assert bag == ["right"]

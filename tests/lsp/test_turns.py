"""The lock under which drafts are read: long work lets others go first between its parts."""

import threading
from concurrent.futures import Future

import pytest

from pincite.cancellation import CancelledError, acquire, cancelled_by, result_of
from pincite.lsp.documents import Documents
from pincite.lsp.session import Session
from pincite.project.turns import Turns
from protocol_client import eventually


def test_who_waits_goes_before_the_next_part_of_long_work():
    turns, order = Turns(), []

    def wait_for_a_turn():
        with turns:
            order.append("short")

    with turns:
        waiting = threading.Thread(target=wait_for_a_turn)
        waiting.start()
        eventually(turns._next.locked, "it waits")
        order.append("first part")
    with turns:
        order.append("second part")
    waiting.join()
    assert order == ["first part", "short", "second part"]


def test_a_thread_may_take_the_lock_that_it_has():
    turns = Turns()
    with turns, turns:
        pass
    taken = threading.Thread(target=turns.__enter__)
    taken.start()
    taken.join(20)
    assert not taken.is_alive()


def test_an_error_gives_the_lock_up():
    turns = Turns()
    with pytest.raises(ZeroDivisionError), turns:
        1 / 0  # noqa: B018
    assert not turns._lock.locked()


def test_what_was_cancelled_while_it_waited_reads_nothing(tmp_path):
    path = tmp_path / "main.tex"
    path.write_text("Words \\cite{}.")
    session = Session(Documents())
    with cancelled_by(lambda: True), pytest.raises(CancelledError):
        session.read_draft(path)
    assert session.read_draft(path) is not None


@pytest.mark.parametrize("wait", ["turn", "future", "lock"])
def test_who_waits_for_other_work_can_be_cancelled(wait):
    turns, held, future = Turns(), threading.Lock(), Future()
    waits = {
        "turn": turns.__enter__,
        "future": lambda: result_of(future),
        "lock": lambda: acquire(held),
    }
    cancelled, ended = threading.Event(), []

    def work():
        with cancelled_by(cancelled.is_set), pytest.raises(CancelledError):
            waits[wait]()
        ended.append(wait)

    with turns, held:
        waiting = threading.Thread(target=work)
        waiting.start()
        assert not ended
        cancelled.set()
        waiting.join(60)
        assert ended == [wait]
    with turns:  # it is free again
        pass


def test_a_timeout_that_is_the_result_is_raised():
    future = Future()
    future.set_exception(TimeoutError("too slow"))
    with pytest.raises(TimeoutError, match="too slow"):
        result_of(future)

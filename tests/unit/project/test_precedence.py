"""Background work waits while requests are answered, but not for ever."""

import threading

import pytest

from pincite.cancellation import cancelled_by, check
from pincite.project import precedence
from pincite.project.precedence import Precedence

SECONDS = 60


def test_background_work_goes_on_when_the_last_request_is_answered(monkeypatch):
    monkeypatch.setattr(precedence, "_LONGEST_WAIT", SECONDS)
    first, done, order = Precedence(), threading.Event(), []

    def work():
        with cancelled_by(first.give_way):
            check()
        order.append("work")
        done.set()

    with first.request():
        with first.request():
            threading.Thread(target=work).start()
        order.append("one request")
    assert done.wait(SECONDS)
    assert order == ["one request", "work"]


def test_background_work_goes_on_under_a_stream_of_requests(monkeypatch):
    monkeypatch.setattr(precedence, "_LONGEST_WAIT", 0.01)
    first = Precedence()
    with first.request():
        assert [first.give_way() for _ in range(3)] == [False] * 3


def test_a_request_that_fails_is_over():
    first = Precedence()
    with pytest.raises(ZeroDivisionError), first.request():
        raise ZeroDivisionError
    assert first.requests == 0

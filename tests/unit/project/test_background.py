"""The background thread: jobs by name, one after the other, and requests first."""

import threading

import pytest

from pincite.cancellation import READING, CancelledError, check
from pincite.project.background import Background
from protocol_client import eventually


@pytest.fixture(name="background")
def background_thread():
    background = Background()
    yield background
    background.stop()


def test_jobs_are_done_in_order(background):
    done = []
    for name in "abc":
        background.do(name, lambda name=name: done.append(name))
    assert background.wait(60)
    assert done == ["a", "b", "c"]


def test_a_later_job_replaces_one_of_its_name_that_has_not_begun(background):
    done, goes_on = [], threading.Event()
    background.do("block", lambda: goes_on.wait(60))
    eventually(lambda: not background.is_waited_for(), "it has begun")
    background.do("same", lambda: done.append("first"))
    background.do("same", lambda: done.append("second"))
    assert background.is_waited_for()
    goes_on.set()
    assert background.wait(60)
    assert done == ["second"]


def test_a_job_that_is_not_due_keeps_nobody_waiting(background):
    done = []
    background.do("later", lambda: done.append("later"), after=3600)
    background.do("now", lambda: done.append("now"))
    eventually(lambda: done == ["now"], "what is due is done")
    assert not background.is_waited_for()
    background.drop("later")
    assert background.wait(60)


def test_a_failure_ends_its_own_job_only(background, caplog):
    done = []
    background.do("bad", lambda: 1 / 0)
    background.do("good", lambda: done.append("good"))
    assert background.wait(60)
    assert done == ["good"]
    assert "ZeroDivisionError" in caplog.text


def test_requests_go_first_but_not_for_ever(background):
    done = []
    background.requests = 1
    background.do("work", lambda: [check() for _ in range(3)] and done.append("work"))
    # A stream of requests without an end.
    assert background.wait(60)
    assert done == ["work"]


def test_no_request_waits_for_a_job_that_waits_for_requests(background, monkeypatch):
    monkeypatch.setattr("pincite.project.background._MAX_WAIT", 60)
    background.requests = 1
    has_read = threading.Event()

    def work():
        with READING:
            check()
        has_read.set()

    background.do("work", work)
    assert has_read.wait(20)


def test_the_end_cancels_the_job_in_hand(background):
    begun, ended = threading.Event(), []

    def work():
        begun.set()
        try:
            while True:
                check()
        except CancelledError:
            ended.append(True)
            raise

    background.do("work", work)
    assert begun.wait(60)
    background.stop()
    eventually(lambda: ended, "it ends")
    background.do("more", lambda: ended.append("more"))
    assert ended == [True]

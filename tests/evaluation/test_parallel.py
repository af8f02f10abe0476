"""The same ranks wherever papers are computed: here, in processes, on a Dask cluster."""

import gc
import json
import os
import pickle
import random
import signal
import subprocess
import sys
import time
import weakref
from dataclasses import replace
from pathlib import Path

import pytest

from pincite.model.papers import Candidate, InlinkContext, ReferencePaper, Sentence
from pincite.model.problems import InputError
from pincite.settings import Window
from pincite_evaluation.cluster import connected
from pincite_evaluation.resolution.counts import count
from pincite_evaluation.resolution.papers_under_test import Group, PaperUnderTest
from pincite_evaluation.resolution.representations import named
from pincite_evaluation.resolution.table import all_ranks
from pincite_evaluation.workers import HERE, LocalWorkers
from protocol_client import eventually

pytestmark = pytest.mark.slow

WINDOWS = (Window(5, 5), Window(10, 5))
REPRESENTATIONS = [
    named(name)
    for name in ("title-abstract", "passage-50", "inlink-10", "mixed-inlink-5-passage-50")
]
TIMEOUT = 60
SYLLABLES = "ba ce di fo gu ka le mi no pu ra se ti vo zu".split()


@pytest.fixture(scope="module", name="small")
def small_collection():
    return collection(papers=12, candidates=15, groups=6)


@pytest.fixture(scope="module", name="slow")
def slow_collection():
    """As many papers as it takes for one to be under way when a worker is killed."""
    counted, (paper,) = collection(papers=1, candidates=40, groups=3000)
    return counted, [replace(paper, id=str(number)) for number in range(60)]


def collection(papers, candidates, groups):
    chance = random.Random(1)
    vocabulary = ["".join(chance.choices(SYLLABLES, k=4)) for _ in range(400)]

    def words(number):
        return tuple(chance.choices(vocabulary, k=number))

    tests = [f"test {number}" for number in range(papers)]
    works = {
        f"work {number:02}": Candidate(
            f"work {number:02}",
            ReferencePaper(
                " ".join(words(6)),
                "full text",
                [Sentence(" ".join(words(12))) for _ in range(chance.randrange(1, 40))],
                abstract=" ".join(words(30)),
            ),
            inlink_contexts=tuple(
                InlinkContext(chance.choice(tests), words(10), words(10)) for _ in range(4)
            ),
        )
        for number in range(candidates)
    }
    under_test = []
    for name in tests:
        listed = tuple(
            sorted(chance.sample(list(works), k=min(candidates, 40 if papers == 1 else 9)))
        )
        cited = [tuple(chance.sample(listed, k=chance.choice((1, 1, 2)))) for _ in range(groups)]
        under_test.append(
            PaperUnderTest(name, name, listed, tuple(Group(words(10), words(10), c) for c in cited))
        )
    return count(works, under_test, REPRESENTATIONS, WINDOWS, leave_one_out=True)


def ranks(workers, counted, papers, representation):
    """What workers find, in the order of the papers."""
    found = list(all_ranks(workers, counted, representation, papers))
    return in_order(found, papers)


def in_order(found, papers):
    assert sorted(number for number, _ in found) == list(range(len(papers)))
    return [(number, *of_paper(array)) for number, array in sorted(found, key=lambda f: f[0])]


def of_paper(array):
    return array.dtype, array.shape, array.tobytes()


def test_ranks_are_worth_comparing(small):
    for representation in REPRESENTATIONS:
        found = ranks(HERE, *small, representation)
        assert len({content for *_, content in found}) == len(found)


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_processes_find_the_same(small, jobs):
    workers = LocalWorkers(jobs)
    for representation in REPRESENTATIONS:
        assert ranks(workers, *small, representation) == ranks(HERE, *small, representation)


def test_no_papers_no_ranks(small):
    assert ranks(LocalWorkers(2), small[0], [], REPRESENTATIONS[0]) == []


def test_a_run_in_processes_may_be_left_and_begun_again(slow, recwarn):
    counted, papers = slow
    representation, workers = REPRESENTATIONS[0], LocalWorkers(2)
    results = all_ranks(workers, counted, representation, papers)
    next(results)
    results.close()
    assert not recwarn.list
    assert ranks(workers, *slow, representation) == ranks(HERE, *slow, representation)


ENDLESS = """
import pickle, sys
from pincite_evaluation.resolution.table import all_ranks
from pincite_evaluation.workers import LocalWorkers
counted, papers, representation = pickle.load(open(sys.argv[1], "rb"))
workers = LocalWorkers(2)
try:
    while True:
        for number, _ in all_ranks(workers, counted, representation, papers):
            print(number, flush=True)
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is sent otherwise on Windows")
@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("results", [0, 1])
def test_ctrl_c_ends_all_processes_in_silence(slow, tmp_path, results):
    data = tmp_path / "slow.pickle"
    data.write_bytes(pickle.dumps((*slow, REPRESENTATIONS[0])))
    command = [sys.executable, "-c", ENDLESS, str(data)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes, text=True, start_new_session=True) as process:
        try:
            if results:
                assert process.stdout.readline().strip().isdigit()
            else:
                until(lambda: len(workers_of(process.pid)) == 2)
            os.killpg(process.pid, signal.SIGINT)
            # Ends only when no process is left that could still write.
            _, said = process.communicate(timeout=TIMEOUT)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
    assert (process.returncode, said) == (130, "")


def workers_of(parent):
    """The processes that joblib has begun, some of which may not have got far."""
    children = Path(f"/proc/{parent}/task/{parent}/children")
    if not children.exists():
        pytest.skip("needs the children of a process, as Linux tells them")
    commands = [Path(f"/proc/{child}/cmdline") for child in children.read_text().split()]
    return [command for command in commands if b"popen_loky" in command.read_bytes()]


def until(condition):
    end = time.monotonic() + TIMEOUT
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


class Dask:
    """A scheduler and workers, each a process of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.processes = {}
        self.address = ""

    def scheduler(self):
        file = self.folder / "scheduler.json"
        self.start("scheduler", "--port", "0", "--scheduler-file", file)
        until(lambda: file.is_file() and file.read_text().rstrip().endswith("}"))
        self.address = json.loads(file.read_text())["address"]

    def start(self, kind, *options, name=None, env=None):
        command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", "--host", "127.0.0.1"]
        with (self.folder / f"{name or kind}.log").open("wb") as log:
            self.processes[name or kind] = subprocess.Popen(
                [*command, "--no-dashboard", *map(str, options)],
                cwd=self.folder,
                env={**os.environ, **(env or {})},
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def workers(self, *names, env=None):
        from distributed import Client

        for name in names:
            options = ("--name", name, "--nthreads", 1, "--no-nanny")
            self.start("worker", self.address, *options, name=name, env=env)
        with Client(self.address, set_as_default=False, timeout=TIMEOUT) as client:
            until(lambda: set(names) <= {w["name"] for w in self.info(client).values()})

    @staticmethod
    def info(client):
        return client.scheduler_info(n_workers=-1)["workers"]

    def kill_amid_a_task(self, name):
        """Kill a worker after making sure that it has a task it will not finish."""
        from distributed import Client

        with Client(self.address, set_as_default=False, timeout=TIMEOUT) as client:
            (worker,) = (w for w, info in self.info(client).items() if info["name"] == name)
            self.processes[name].send_signal(signal.SIGSTOP)
            time.sleep(0.2)  # what it said before is heard by now
            under_way = client.processing()[worker]
            self.kill(name)
        assert under_way

    def kill(self, name):
        self.processes[name].kill()
        self.processes[name].wait(TIMEOUT)

    def end(self):
        for process in self.processes.values():
            process.kill()
        for process in self.processes.values():
            process.wait(TIMEOUT)


@pytest.fixture(name="dask")
def dask_processes(tmp_path):
    pytest.importorskip("distributed", reason="needs Dask: pip install 'pincite[cluster]'")
    dask = Dask(tmp_path)
    try:
        dask.scheduler()
        yield dask
    finally:
        dask.end()


def test_a_cluster_finds_the_same(small, dask):
    dask.workers("one", "two")
    with connected(dask.address, TIMEOUT) as workers:
        for representation in REPRESENTATIONS:
            assert ranks(workers, *small, representation) == ranks(HERE, *small, representation)


def test_the_collection_is_sent_once_to_each_worker(small, dask):
    from distributed import Client

    dask.workers("one", "two")
    counted, papers = small
    with (
        connected(dask.address, TIMEOUT) as workers,
        Client(dask.address, set_as_default=False) as client,
    ):
        client.amm.stop()  # Dask itself drops copies that no task needs at the moment
        for representation in (*REPRESENTATIONS, *REPRESENTATIONS):
            list(all_ranks(workers, counted, representation, papers))
        holders = client.who_has()
    sent = [held for key, held in holders.items() if not str(key).startswith("_result")]
    # The test papers; titles and abstracts, passages, nothing inside; two inlink windows.
    assert [len(held) for held in sent] == [2] * 6


@pytest.mark.skipif(os.name == "nt", reason="processes cannot be stopped on Windows")
def test_a_killed_worker_changes_nothing(slow, dask):
    counted, papers = slow
    representation = REPRESENTATIONS[-1]
    dask.workers("one", "two")
    with connected(dask.address, TIMEOUT) as workers:
        results = all_ranks(workers, counted, representation, papers)
        found = [next(results)]
        dask.kill_amid_a_task("one")
        assert len(found) < len(papers)
        found += results
    assert in_order(found, papers) == ranks(HERE, *slow, representation)


@pytest.mark.skipif(os.name == "nt", reason="processes cannot be stopped on Windows")
def test_a_cluster_that_loses_everything_gets_it_again(slow, dask):
    counted, papers = slow
    representation = REPRESENTATIONS[-1]
    dask.workers("one")
    with connected(dask.address, TIMEOUT) as workers:
        results = all_ranks(workers, counted, representation, papers)
        found = [next(results)]
        dask.kill_amid_a_task("one")
        dask.workers("two")
        found += results
    assert in_order(found, papers) == ranks(HERE, *slow, representation)


@pytest.mark.skipif(os.name == "nt", reason="processes cannot be stopped on Windows")
@pytest.mark.parametrize(
    ("lost", "message"), [("worker", "no workers"), ("scheduler", "scheduler is lost")]
)
def test_a_cluster_that_is_lost_is_told(slow, dask, lost, message):
    counted, papers = slow
    representation = REPRESENTATIONS[-1]
    dask.workers("worker")
    with connected(dask.address, 2) as workers:
        results = all_ranks(workers, counted, representation, papers)
        next(results)
        dask.kill(lost)
        with pytest.raises(InputError, match=message):
            list(results)


def test_a_cluster_without_workers_is_told(small, dask):
    counted, papers = small
    with connected(dask.address, 1) as workers, pytest.raises(InputError, match="no workers"):
        list(all_ranks(workers, counted, REPRESENTATIONS[0], papers))


def test_workers_need_the_same_pincite(dask, tmp_path, recwarn):
    other = tmp_path / "other" / "pincite-0.0.1.dist-info"
    other.mkdir(parents=True)
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: pincite\nVersion: 0.0.1\n")
    dask.workers("one", env={"PYTHONPATH": str(other.parent)})
    with pytest.raises(InputError, match=r"worker .* has pincite 0\.0\.1"), connected(dask.address):
        pass
    assert not recwarn.list


@pytest.mark.parametrize(
    "address", ["tcp://127.0.0.1:1", "tcp://127.0.0.1", "moon://x:1", "", "x y"]
)
def test_an_address_without_a_scheduler_is_told(address):
    pytest.importorskip("distributed", reason="needs Dask: pincite[cluster]")
    earlier = weakref.WeakSet(dask_clients())  # of other tests: whoever holds them still
    with pytest.raises(InputError) as told, connected(address, 1):
        pass
    assert str(told.value)
    assert "\n" not in str(told.value)
    # What has failed is closed, not left to the garbage collector.
    eventually(
        lambda: all(e in earlier or e.status == "closed" for e in dask_clients()), "it is closed"
    )


def dask_clients():
    client = sys.modules["distributed"].Client
    return [thing for thing in gc.get_objects() if type(thing) is client]


def test_a_missing_extra_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(InputError, match=r"pip install 'pincite\[cluster\]'"),
        connected("tcp://127.0.0.1:1"),
    ):
        pass

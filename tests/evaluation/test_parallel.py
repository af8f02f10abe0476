"""The same results wherever items are computed: here, in processes, on a Dask cluster."""

import gc
import json
import os
import signal
import subprocess
import sys
import time
import weakref
from pathlib import Path

import numpy as np
import pytest

import slow_work
from pincite.model.problems import InputError
from pincite_evaluation.processes import HERE, Workers, open_workers, showing
from protocol_client import eventually
from slow_work import die, fail, product, slowly

pytestmark = pytest.mark.slow

TIMEOUT = 60
#: Large enough to be mapped into memory by processes.
SHARED = np.arange(200_000, dtype=np.float64)
ITEMS = list(range(23))
FOUND = list(HERE.map(product, ITEMS, SHARED))


@pytest.mark.parametrize("jobs", [1, 3])
def test_processes_find_the_same_in_order_and_raise_the_same(jobs):
    shown = []
    with showing(lambda _step: lambda *done: shown.append(done)):
        assert list(Workers(jobs).map(product, ITEMS, SHARED, name="Products")) == FOUND
    assert shown == [(done, len(ITEMS)) for done in range(len(ITEMS) + 1)]
    with pytest.raises(ZeroDivisionError):
        list(Workers(jobs).map(fail, ITEMS))


def test_a_killed_process_is_reported():
    with pytest.raises(InputError, match="a process was killed"):
        list(Workers(2).map(die, ITEMS))


def test_a_run_in_processes_may_be_left_and_begun_again(recwarn):
    results = Workers(2).map(slowly, ITEMS, SHARED)
    next(results)
    results.close()
    # Resources that tests before left open are reported whenever they are collected.
    ours = [each for each in recwarn.list if issubclass(each.category, UserWarning)]
    assert not [str(each.message) for each in ours]
    assert list(Workers(2).map(product, ITEMS, SHARED)) == FOUND


ENDLESS = """
import sys
from joblib.externals.loky import process_executor
from pincite_evaluation.processes import Workers
from slow_work import slowly
Manager = process_executor._ExecutorManagerThread
give = Manager.add_call_item_to_queue
if {held}:
    # No process gets an item before all are dropped, as may happen at the start.
    Manager.add_call_item_to_queue = lambda own: own.executor_flags.shutdown and give(own)
try:
    while True:
        for number in Workers(2).map(slowly, range(100), [1.0]):
            print(number, flush=True)
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is sent otherwise on Windows")
@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize(("results", "held"), [(0, False), (1, False), (0, True)])
def test_ctrl_c_ends_all_processes_in_silence(results, held):
    command = [sys.executable, "-c", ENDLESS.replace("{held}", str(held))]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(
        command, **pipes, env=environment(), text=True, start_new_session=True
    ) as process:
        try:
            if results:
                assert process.stdout.readline()
            else:
                until(lambda: len(workers_of(process.pid)) == 2)
            os.killpg(process.pid, signal.SIGINT)
            # Ends only when no process is left that could still write.
            _, err = process.communicate(timeout=TIMEOUT)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
    assert (process.returncode, err) == (130, "")


def environment(*folders):
    """The environment of processes that import what is computed here."""
    paths = (*folders, Path(slow_work.__file__).parent, os.environ.get("PYTHONPATH", ""))
    return {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))}


def workers_of(parent):
    """The processes that joblib has begun, some of which may not have got far."""
    children = Path(f"/proc/{parent}/task/{parent}/children")
    if not children.exists():
        pytest.skip("needs the children of a process, as Linux lists them")
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

    def start(self, kind, *options, name=None, folders=()):
        command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", "--host", "127.0.0.1"]
        with (self.folder / f"{name or kind}.log").open("wb") as log:
            self.processes[name or kind] = subprocess.Popen(
                [*command, "--no-dashboard", *map(str, options)],
                cwd=self.folder,
                env=environment(*folders),
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def workers(self, *names, folders=()):
        from distributed import Client

        for name in names:
            options = ("--name", name, "--nthreads", 1, "--no-nanny")
            self.start("worker", self.address, *options, name=name, folders=folders)
        with Client(self.address, set_as_default=False, timeout=TIMEOUT) as client:
            until(
                lambda: (
                    set(names)
                    <= {
                        worker["name"]
                        for worker in client.scheduler_info(n_workers=-1)["workers"].values()
                    }
                )
            )

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


def connected(address, timeout=TIMEOUT):
    return open_workers(None, address, timeout)


@pytest.mark.parametrize("others", [("two",), ()])
def test_what_is_lost_with_a_worker_is_computed_again(dask, others):
    dask.workers("one", *others)
    with connected(dask.address) as workers:
        results = workers.map(slowly, ITEMS, SHARED)
        found = [next(results)]
        dask.kill("one")
        if not others:
            dask.workers("three")
        found += results
        with pytest.raises(ZeroDivisionError):
            list(workers.map(fail, ITEMS))
    assert found == FOUND


@pytest.mark.parametrize(
    ("lost", "message"), [("worker", "no workers"), ("scheduler", "scheduler is lost")]
)
def test_a_cluster_that_is_lost_is_reported(dask, lost, message):
    dask.workers("worker")
    with connected(dask.address, 2) as workers:
        results = workers.map(slowly, ITEMS, SHARED)
        next(results)
        dask.kill(lost)
        with pytest.raises(InputError, match=message):
            list(results)


def test_a_function_that_kills_its_workers_is_reported(dask):
    names = ("one", "two", "three", "four")
    dask.workers(*names)
    with connected(dask.address) as workers, pytest.raises(InputError, match="cannot compute"):
        list(workers.map(die, ITEMS[:1]))


def test_workers_need_the_same_pincite(dask, tmp_path, recwarn):
    other = tmp_path / "other" / "pincite-0.0.1.dist-info"
    other.mkdir(parents=True)
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: pincite\nVersion: 0.0.1\n")
    dask.workers("one", folders=(other.parent,))
    with pytest.raises(InputError, match=r"worker .* has pincite 0\.0\.1"), connected(dask.address):
        pass
    # Resources that tests before left open are reported whenever they are collected.
    ours = [each for each in recwarn.list if issubclass(each.category, UserWarning)]
    assert not [str(each.message) for each in ours]


@pytest.mark.parametrize(
    "address", ["tcp://127.0.0.1:1", "tcp://127.0.0.1", "moon://x:1", "", "x y"]
)
def test_an_address_without_a_scheduler_is_reported(address):
    pytest.importorskip("distributed", reason="needs Dask: pincite[cluster]")
    earlier = weakref.WeakSet(dask_clients())  # of other tests: whoever holds them still
    with pytest.raises(InputError) as raised, connected(address, 1):
        pass
    assert str(raised.value)
    assert "\n" not in str(raised.value)
    # What has failed is closed, not left to the garbage collector.
    eventually(
        lambda: all(e in earlier or e.status == "closed" for e in dask_clients()), "it is closed"
    )


def dask_clients():
    client = sys.modules["distributed"].Client
    return [thing for thing in gc.get_objects() if type(thing) is client]


def test_a_missing_extra_is_reported(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(InputError, match=r"pip install 'pincite\[cluster\]'"),
        connected("tcp://127.0.0.1:1"),
    ):
        pass

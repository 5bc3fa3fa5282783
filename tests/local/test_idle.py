"""An idle wait costs nothing: no thread wakes, no system call is made."""

import os
import pathlib
import select
import shutil
import signal
import subprocess
import tempfile
import time

import pytest

PEER = os.environ["LOCAL_PEER"]
IDLE_S = 10


@pytest.fixture
def store():
    with tempfile.TemporaryDirectory() as directory:
        yield directory


class Peer:
    def __init__(self, store):
        self.process = subprocess.Popen(
            [PEER, store], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def ask(self, command):
        self.process.stdin.write(command + "\n")
        return self.hear()

    def hear(self):
        return self.process.stdout.readline().strip()

    def end(self):
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def peers(store):
    made = []

    def make():
        made.append(Peer(store))
        return made[-1]

    yield make
    for peer in made:
        peer.end()


def strace():
    found = shutil.which("strace")
    if found is None and "CI" not in os.environ:
        pytest.skip("strace is not installed")
    assert found, "strace is not installed"
    return found


def switches(pid):
    """How often the threads of a process have been on a processor."""
    total = 0
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        for line in (task / "status").read_text().splitlines():
            if "ctxt_switches" in line:
                total += int(line.split()[1])
    return total


def test_an_idle_waiter_and_an_idle_holder_make_no_system_call(peers, tmp_path):
    tracer = strace()
    holder, waiter = peers(), peers()
    assert holder.ask("lock /db/t").startswith("granted")
    assert waiter.ask("lock /db/t") == "waiting"
    time.sleep(0.5)  # what the look before the wait left to be done, is done
    traces = []
    for index, peer in enumerate((holder, waiter)):
        log = tmp_path / f"trace.{index}"
        command = [tracer, "-f", "-qq", "-o", str(log), "-p", str(peer.process.pid)]
        traces.append((log, subprocess.Popen(command)))
    before = [switches(peer.process.pid) for peer in (holder, waiter)]
    time.sleep(IDLE_S)
    after = [switches(peer.process.pid) for peer in (holder, waiter)]
    for log, process in traces:
        process.send_signal(signal.SIGINT)
        process.wait()
        # The calls that the threads sleep in were begun before and are not counted.
        begun = [line for line in log.read_text().splitlines() if "resumed" not in line]
        calls = [line for line in begun if "restart_syscall" not in line]
        sleeping = [line for line in calls if "<detached" in line or "<unfinished" in line]
        assert len(calls) == len(sleeping) <= 3, calls
    # Attaching wakes every thread once or twice.
    for first, last in zip(before, after):
        assert last - first <= 12
    assert holder.ask("unlock") == "released"
    assert waiter.hear().startswith("granted")
    ready, _, _ = select.select([waiter.process.stdout], [], [], 0)
    assert not ready

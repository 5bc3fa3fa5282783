"""An idle waiter costs nothing."""

import pathlib
import re
import shutil
import subprocess
import time

import pytest

from conftest import finish

DAY = ("ods.t", "dt=1")


def test_an_idle_quiet_waiter_makes_no_system_call(bench):
    if shutil.which("strace") is None:
        pytest.skip("strace is missing")
    holder = bench.hold(*DAY)
    waiter = bench.start("run", "-q", *DAY, "true")
    bench.wait_for_waiters(1)
    # Every thread of locker, and its keeper.
    children = pathlib.Path(f"/proc/{waiter.pid}/task/{waiter.pid}/children")
    pids = [waiter.pid, *map(int, children.read_text(encoding="ascii").split())]
    log = bench.folder / "strace"
    watched = [f"-p{pid}" for pid in pids]
    tracer = subprocess.Popen(
        ["strace", "-f", "-o", str(log), *watched], stderr=subprocess.PIPE, text=True
    )
    try:
        # Attached to every thread; the seconds that follow are the measurement itself.
        for _ in pids:
            assert "attached" in tracer.stderr.readline()
        time.sleep(10)
    finally:
        tracer.terminate()
        tracer.communicate()
    calls = [
        line
        for line in log.read_text(encoding="utf-8").splitlines()
        # What each thread was in when the tracer came, and what the tracer itself does.
        if re.search(r"\w+\(", line) and not re.search(r"resuming interrupted|unfinished|detached", line)
    ]
    first = [line for line in calls if re.match(r"\d+ +(poll|ppoll|futex|epoll_wait|restart_syscall)\(", line)]
    assert [line for line in calls if line not in first] == []
    threads = {line.split()[0] for line in log.read_text(encoding="utf-8").splitlines()}
    assert len(first) <= len(threads), "a thread came back from its wait"
    assert holder.release() == 0
    assert finish(waiter)[0] == 0

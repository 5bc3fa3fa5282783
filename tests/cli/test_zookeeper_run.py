"""`locker run` on a ZooKeeper server: the lease ends the command in time, whatever stops locker."""

import json
import os
import signal
import time

import pytest

from conftest import LOCKER, SLOW, alive, eventually, finish, send, state_of

DAY = ("ods.t", "dt=1")
# Long enough for a busy host to beat in time, short enough to wait for its end.
TIMEOUT_S = 4 * SLOW

# Says its pid and that of a grandchild; notes TERM and goes on.
DEAF = """
trap 'echo told >> {log}' TERM
sh -c 'trap "" TERM; echo $$; while :; do sleep 0.05; done' &
echo $$
while :; do sleep 0.05; done
"""
# Writes the time over and over, deaf to TERM.
WRITER = "trap '' TERM; echo $$; while :; do echo >> {log}; sleep 0.01; done"


@pytest.fixture
def leased(zookeeper):
    zookeeper.set_session_timeout(TIMEOUT_S)
    return zookeeper


def read_pids(process, count):
    return [int(process.stdout.readline()) for _ in range(count)]


def children_of(pid):
    found = []
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as file:
            found += map(int, file.read().split())
    return found


def stop(*pids):
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    for pid in pids:
        eventually(lambda: not alive(pid) or state_of(pid) == "T", "the stop")


def next_one_sees(bench, pids):
    """A waiter whose command fails with a line for each of these that is gone already."""
    check = " || ".join(f"kill -0 {pid}" for pid in pids)
    waiter = bench.start("run", "-q", *DAY, "sh", "-c", check)
    bench.wait_for_waiters(1)
    return waiter


def all_were_gone(waiter, count):
    code, _, err = finish(waiter)
    assert code == 1 and err.count(b"o such process") == count, err


def test_a_command_outlives_many_leases(leased):
    done = leased.call("run", *DAY, "sleep", str(2.5 * TIMEOUT_S))
    assert (done.returncode, done.stderr) == (0, b"")
    assert leased.rows("ls") == []


def test_L34_a_killed_locker_leaves_no_worker(leased):
    script = "sleep 1000 & echo $!; setsid sleep 1000 & echo $!; echo $$; wait"
    locker = leased.start("run", *DAY, "sh", "-c", script)
    workers = read_pids(locker, 3)
    waiter = next_one_sees(leased, workers)
    locker.kill()
    all_were_gone(waiter, 3)


def test_L33_a_cut_ends_the_command_before_the_next_starts(leased):
    log = leased.folder / "log"
    seen = leased.folder / "seen"
    holder = leased.start("run", "--on-lost", f"cat > {seen}", *DAY, "sh", "-c", DEAF.format(log=log))
    workers = read_pids(holder, 2)
    waiter = next_one_sees(leased, workers)
    begin = time.monotonic()
    leased.server.pause()
    try:
        eventually(lambda: not any(map(alive, workers)), "their end")
        assert log.read_text(encoding="ascii") == "told\n"
        # No sooner than the least that health leaves before TERM, no later than the session's end.
        assert 0.25 * TIMEOUT_S < time.monotonic() - begin < TIMEOUT_S + 2 * SLOW
        code, _, err = finish(holder)
    finally:
        leased.server.go_on()
    assert code == 80 and b"has not confirmed this lock for so long" in err, err
    assert json.loads(seen.read_text(encoding="utf-8"))["event"] == "lost"
    all_were_gone(waiter, 2)


def test_L33_a_command_that_heeds_the_lease_ends_by_itself(leased):
    log = leased.folder / "log"
    # The shell itself tells of the sleep that the signal ends.
    script = (
        f"exec 2>/dev/null; trap 'echo told >> {log}; exit 7' TERM; "
        "echo $$; while :; do sleep 0.05; done"
    )
    holder = leased.start("run", *DAY, "sh", "-c", script, env={"LOCKER_OUTPUT": "json"})
    read_pids(holder, 1)
    leased.server.pause()
    try:
        code, _, err = finish(holder)
    finally:
        leased.server.go_on()
    assert code == 80 and log.read_text(encoding="ascii") == "told\n"
    assert json.loads(err.splitlines()[0])["error"]["class"] == "lost"


def test_R08_a_server_that_is_killed_and_comes_back(leased):
    holder = leased.start("run", *DAY, "sh", "-c", WRITER.format(log=leased.folder / "log"))
    (worker,) = read_pids(holder, 1)
    leased.server.kill()
    try:
        assert finish(holder)[0] == 80
        assert not alive(worker)
    finally:
        leased.server.start()
    assert leased.code("run", *DAY, "true") == 0


def test_R09_a_short_cut_costs_nothing(leased):
    holder = leased.hold(*DAY)
    (before,) = leased.rows("ls")
    leased.server.pause()
    time.sleep(TIMEOUT_S / 6)
    leased.server.go_on()
    time.sleep(TIMEOUT_S / 3)
    (after,) = leased.rows("ls")
    assert after["token"] == before["token"]
    assert holder.release() == 0


def test_R02_a_short_stop_costs_nothing(leased):
    holder = leased.hold(*DAY)
    (before,) = leased.rows("ls")
    stop(holder.pid)
    time.sleep(TIMEOUT_S / 6)
    send(holder.process, "CONT")
    time.sleep(TIMEOUT_S / 3)
    (after,) = leased.rows("ls")
    assert after["token"] == before["token"]
    assert holder.release() == 0


def test_R01_the_command_of_a_stopped_locker_is_ended_by_its_keeper(leased):
    log = leased.folder / "log"
    holder = leased.start("run", *DAY, "sh", "-c", DEAF.format(log=log))
    workers = read_pids(holder, 2)
    waiter = next_one_sees(leased, workers)
    stop(holder.pid)
    # Nobody continues it: the next one is granted all the same, and sees none of its workers.
    all_were_gone(waiter, 2)
    assert log.read_text(encoding="ascii") == "told\n"
    send(holder, "CONT")
    code, _, err = finish(holder)
    assert code == 80 and err.count(b"locker: ") == 1, err


def test_R01_a_stopped_command_is_killed_as_well(leased):
    holder = leased.start("run", *DAY, "sh", "-c", WRITER.format(log=leased.folder / "log"))
    (worker,) = read_pids(holder, 1)
    waiter = next_one_sees(leased, [worker])
    stop(holder.pid, worker)
    all_were_gone(waiter, 1)
    send(holder, "CONT")
    assert finish(holder)[0] == 80


def test_R01_who_wakes_up_past_the_lease_lets_nothing_run(leased):
    """Locker, keeper and command sleep; the next holder is granted; then they wake up, locker and
    keeper first."""
    log = leased.folder / "log"
    holder = leased.start("run", *DAY, "sh", "-c", WRITER.format(log=log))
    (worker,) = read_pids(holder, 1)
    eventually(log.exists, "its first line")
    (keeper,) = children_of(holder.pid)
    stop(worker, keeper, holder.pid)
    assert leased.code("run", *DAY, "true") == 0
    before = len(log.read_bytes())
    for pid in (keeper, holder.pid):
        os.kill(pid, signal.SIGCONT)
    assert finish(holder)[0] == 80
    assert not alive(worker) and len(log.read_bytes()) == before


def test_R01_a_keeper_that_sleeps_is_no_way_past_the_lease(leased):
    """Locker itself ends the command's group then."""
    holder = leased.start("run", *DAY, "sh", "-c", WRITER.format(log=leased.folder / "log"))
    (worker,) = read_pids(holder, 1)
    (keeper,) = children_of(holder.pid)
    stop(keeper)
    leased.server.pause()
    try:
        eventually(lambda: not alive(worker), "its end")
    finally:
        leased.server.go_on()
    assert finish(holder)[0] == 80
    assert not alive(keeper)


def test_R01_who_slept_before_the_start_starts_nothing(leased):
    """Its turn comes while it is stopped, and goes."""
    ran = leased.folder / "ran"
    first = leased.hold(*DAY)
    waiter = leased.start("run", "-q", *DAY, "touch", str(ran))
    leased.wait_for_waiters(1)
    stop(waiter.pid)
    assert first.release() == 0
    assert leased.code("run", *DAY, "true") == 0
    assert not ran.exists()
    send(waiter, "CONT")
    # It waits again, under a new session, and is granted then.
    assert finish(waiter)[0] == 0 and ran.exists()


def test_L33_a_broken_lock_ends_the_command_before_the_next_starts(leased):
    log = leased.folder / "log"
    holder = leased.start("run", *DAY, "sh", "-c", DEAF.format(log=log))
    workers = read_pids(holder, 2)
    waiter = next_one_sees(leased, workers)
    done = leased.call("break", "--reason", "the test", *DAY)
    assert done.returncode == 0 and done.stdout == b"broken\n", done
    all_were_gone(waiter, 2)
    code, _, err = finish(holder)
    assert code == 80 and b"the test" in err
    assert log.read_text(encoding="ascii") == "told\n"


def test_a_break_waits_for_the_holders_time_out_not_its_own(leased):
    """The breaker asked for a shorter session than the holder believes by."""
    holder = leased.start("run", *DAY, "sh", "-c", WRITER.format(log=leased.folder / "log"))
    (worker,) = read_pids(holder, 1)
    (keeper,) = children_of(holder.pid)
    leased.set_session_timeout(0.5)
    waiter = next_one_sees(leased, [worker])
    stop(holder.pid)
    done = leased.call("break", "--reason", "the test", *DAY)
    assert done.returncode == 0
    all_were_gone(waiter, 1)
    assert not alive(keeper)
    send(holder, "CONT")
    assert finish(holder)[0] == 80


def test_R04_the_lock_goes_after_the_last_process(zookeeper):
    log = zookeeper.folder / "log"
    script = f"""
        trap 'echo told >> {log}; sleep 0.3; echo over >> {log}; exit 7' TERM
        echo holding
        while :; do sleep 0.05; done
    """
    holder = zookeeper.start("run", *DAY, "sh", "-c", script)
    assert holder.stdout.readline() == b"holding\n"
    waiter = zookeeper.start("run", "-q", *DAY, "sh", "-c", f"echo next >> {log}")
    zookeeper.wait_for_waiters(1)
    send(holder, "TERM")
    assert finish(holder)[0] == 7
    assert finish(waiter)[0] == 0
    assert log.read_text(encoding="ascii").split() == ["told", "over", "next"]


def test_R25_the_command_gets_no_descriptor_of_the_session(zookeeper):
    done = zookeeper.call("run", *DAY, "ls", "/proc/self/fd")
    # The three standard ones, and the directory that ls looks at.
    assert done.stdout.split() == [b"0", b"1", b"2", b"3"]


def test_a_nested_run_is_the_same_owner(zookeeper):
    done = zookeeper.call("run", *DAY, LOCKER, "run", "-w", "5", *DAY, "echo", "one owner")
    assert (done.returncode, done.stdout) == (0, b"one owner\n"), done.stderr


def test_the_command_is_told_of_its_lock(leased):
    done = leased.call("run", *DAY, "sh", "-c", "env | grep ^LOCKER_")
    told = dict(line.split("=", 1) for line in done.stdout.decode().splitlines())
    assert told["LOCKER_URL"] == leased.store
    assert told["LOCKER_SESSION_TIMEOUT"] == str(int(TIMEOUT_S * 1000))
    assert told["LOCKER_RESOURCE"] == "ods.t/dt=1" and told["LOCKER_PATH"] == "/ods/t/dt=1"


def test_once_is_recorded_in_the_store(zookeeper):
    log = zookeeper.folder / "log"
    for _ in range(2):
        assert zookeeper.code("run", "--once", *DAY, "sh", "-c", f"echo >> {log}") == 0
    assert log.read_bytes() == b"\n"


def test_a_command_that_ended_in_time_succeeded_whatever_comes_then(leased):
    """The servers are gone when it ends: nobody confirms that the lock is let go."""
    gate = leased.folder / "gate"
    os.mkfifo(gate)
    holder = leased.start("run", *DAY, "sh", "-c", f"echo holding; read x < {gate}; exit 0")
    assert holder.stdout.readline() == b"holding\n"
    leased.server.pause()
    try:
        gate.write_text("go\n", encoding="ascii")
        time.sleep(2 * TIMEOUT_S)
    finally:
        leased.server.go_on()
    code, _, err = finish(holder)
    assert (code, err) == (0, b"")

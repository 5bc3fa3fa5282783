"""Signals, process trees and broken locks: who is told what, and when the lock is let go."""

import json
import os
import pathlib
import resource
import signal

import pytest

from conftest import LIVENESS, UNTIL_A_SIGNAL, alive, eventually, finish, send

DAY = ("ods.t", "dt=1")


def child_pids(pid):
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        found += [int(word) for word in (task / "children").read_text(encoding="ascii").split()]
    return found


def keeper_of(locker):
    return eventually(lambda: child_pids(locker.pid), "the keeper")[0]


def read_pids(process, count):
    return [int(process.stdout.readline()) for _ in range(count)]


def test_R04_the_lock_goes_after_the_last_process(bench):
    log = bench.folder / "log"
    script = f"""
        trap 'echo told >> {log}; sleep 0.3; echo over >> {log}; exit 7' TERM
        echo holding
        while :; do sleep 0.05; done
    """
    holder = bench.start("run", *DAY, "sh", "-c", script)
    assert holder.stdout.readline() == b"holding\n"
    waiter = bench.start("run", "-q", *DAY, "sh", "-c", f"echo next >> {log}")
    bench.wait_for_waiters(1)
    send(holder, "TERM")
    assert finish(holder)[0] == 7
    assert finish(waiter)[0] == 0
    assert log.read_text(encoding="ascii").split() == ["told", "over", "next"]


def test_R04_term_ends_what_does_not_trap_it(bench):
    holder = bench.hold(*DAY)
    send(holder.process, "TERM")
    assert holder.process.wait(LIVENESS) == 143
    assert bench.rows("ls") == []


# Two processes of one group, each of which says what it was told. (A shell would not do: it has its
# background jobs ignore INT and QUIT.)
TOLD = """
import os, signal, sys
number = signal.Signals["SIG" + sys.argv[1]]
inner = os.fork()
def told(number, frame):
    if inner:
        os.waitpid(inner, 0)
    os.write(1, b"outer\\n" if inner else b"inner\\n")
    os._exit(3)
signal.signal(number, told)
os.write(1, b"ready\\n")
while True:
    signal.pause()
"""


@pytest.mark.parametrize("name", ["TERM", "INT", "HUP", "QUIT", "USR1", "USR2"])
def test_signals_reach_the_whole_group(bench, name):
    process = bench.start("run", *DAY, "/usr/bin/python3", "-c", TOLD, name)
    for _ in range(2):
        assert process.stdout.readline() == b"ready\n"
    send(process, name)
    code, out, _ = finish(process)
    assert (code, out) == (3, b"inner\nouter\n")


def test_a_signal_that_comes_as_the_command_ends_does_not_hide_its_end(bench):
    for _ in range(20):
        process = bench.start("run", *DAY, *UNTIL_A_SIGNAL)
        assert process.stdout.readline() == b"ready\n"
        for name in ["TERM", "USR1", "TERM", "CONT"]:
            send(process, name)
        code, _, err = finish(process)
        # Whichever of them ended it first.
        assert code in (143, 128 + signal.SIGUSR1) and err == b"", (code, err)


def test_L34_a_killed_locker_leaves_no_worker(bench):
    script = "sleep 1000 & echo $!; setsid sleep 1000 & echo $!; echo $$; wait"
    locker = bench.start("run", *DAY, "sh", "-c", script)
    workers = read_pids(locker, 3)
    keeper = keeper_of(locker)
    waiter = bench.start("run", "-q", *DAY, "sh", "-c", " || ".join(f"kill -0 {p}" for p in workers))
    bench.wait_for_waiters(1)
    locker.kill()
    locker.wait()
    # The next command sees none of them: each `kill -0` fails.
    code, _, err = finish(waiter)
    assert code == 1 and err.count(b"o such process") == 3, err
    eventually(lambda: not any(alive(pid) for pid in [*workers, keeper]), "their end")


def test_L34_a_killed_group_leaves_no_worker(bench):
    script = "sleep 1000 & echo $!; echo $$; wait"
    locker = bench.start("run", *DAY, "sh", "-c", script, start_new_session=True)
    workers = read_pids(locker, 2)
    os.killpg(locker.pid, signal.SIGKILL)
    locker.wait()
    eventually(lambda: not any(alive(pid) for pid in workers), "their end")
    assert bench.code("run", *DAY, "true") == 0


def test_L34_a_killed_keeper_ends_the_command(bench):
    script = "sleep 1000 & echo $!; setsid sleep 1000 & echo $!; echo $$; wait"
    locker = bench.start("run", *DAY, "sh", "-c", script)
    workers = read_pids(locker, 3)
    os.kill(keeper_of(locker), signal.SIGKILL)
    code, _, err = finish(locker)
    assert code == 137 and b"was killed" in err
    assert not any(alive(pid) for pid in workers)
    assert bench.rows("ls") == []


def test_pkill_of_locker_spares_its_keeper(bench):
    def name_of(pid):
        return pathlib.Path(f"/proc/{pid}/comm").read_text(encoding="ascii")

    holder = bench.hold(*DAY)
    # pkill ends every process whose name contains the word.
    assert "locker" in name_of(holder.pid)
    assert name_of(keeper_of(holder)) == "lock-keeper\n"


def test_L34_background_processes_are_waited_for(bench):
    gate = bench.folder / "gate"
    os.mkfifo(gate)
    script = f"(read x < {gate}; echo worked) & echo $!"
    locker = bench.start("run", *DAY, "sh", "-c", script)
    (worker,) = read_pids(locker, 1)
    assert alive(worker)
    assert bench.code("run", "-n", *DAY, "true") == 75
    gate.write_text("go\n", encoding="ascii")
    code, out, _ = finish(locker)
    assert (code, out) == (0, b"worked\n")
    assert bench.code("run", "-n", *DAY, "true") == 0


def test_L34_background_processes_can_be_left_behind(bench):
    gate = bench.folder / "gate"
    out = bench.folder / "out"
    os.mkfifo(gate)
    script = f"(read x < {gate}; echo worked > {out}) >/dev/null 2>&1 & echo $!"
    locker = bench.start("run", "--detach-children", *DAY, "sh", "-c", script)
    (worker,) = read_pids(locker, 1)
    assert finish(locker)[0] == 0
    assert alive(worker)
    assert bench.code("run", "-n", *DAY, "true") == 0
    gate.write_text("go\n", encoding="ascii")
    eventually(lambda: out.exists() and out.read_text(encoding="ascii") == "worked\n", "its work")


def test_L34_a_daemon_that_left_the_group_can_be_ended(bench):
    locker = bench.start("run", *DAY, "sh", "-c", "setsid sleep 1000 & echo $!")
    (worker,) = read_pids(locker, 1)
    assert bench.code("run", "-n", *DAY, "true") == 75
    eventually(lambda: os.getpgid(worker) == worker, "the new group")
    send(locker, "TERM")
    assert finish(locker)[0] in (0, 143)
    assert not alive(worker)


def test_L33_a_broken_lock_ends_the_command_before_the_next_starts(bench):
    log = bench.folder / "log"
    script = f"""
        trap 'echo told >> {log}' TERM
        sh -c 'trap "" TERM; echo $$; while :; do sleep 0.05; done' &
        echo $$
        while :; do sleep 0.05; done
    """
    holder = bench.start("run", *DAY, "sh", "-c", script, env={"LOCKER_OUTPUT": "json"})
    workers = read_pids(holder, 2)
    check = " || ".join(f"kill -0 {pid}" for pid in workers)
    waiter = bench.start("run", "-q", *DAY, "sh", "-c", check)
    bench.wait_for_waiters(1)
    done = bench.call("break", "--reason", "the test", *DAY)
    assert done.returncode == 0, done
    assert b"exclusive lock on ods.t/dt=1 by" in done.stderr
    code, _, err = finish(waiter)
    assert code == 1 and err.count(b"o such process") == 2, err
    code, _, err = finish(holder)
    assert code == 80
    assert json.loads(err.splitlines()[0])["error"]["exit_code"] == 80
    assert log.read_text(encoding="ascii") == "told\n"


def test_L33_a_stopped_holder_that_wakes_up_late_ends_at_once(bench):
    log = bench.folder / "log"
    script = f"trap '' TERM; echo $$; while :; do echo >> {log}; sleep 0.01; done"
    holder = bench.start("run", *DAY, "sh", "-c", script)
    worker = read_pids(holder, 1)[0]
    eventually(log.exists, "its first line")
    keeper = keeper_of(holder)
    for pid in (holder.pid, keeper, worker):
        os.kill(pid, signal.SIGSTOP)
    done = bench.call("break", "--reason", "the test", *DAY)
    assert done.returncode == 0 and b"taken away" in done.stderr, done
    # The next holder would start now. The worker may write nothing but what it had begun.
    before = len(log.read_bytes())
    for pid in (keeper, holder.pid):
        os.kill(pid, signal.SIGCONT)
    code, _, _ = finish(holder)
    assert code == 80 and not alive(worker)
    assert len(log.read_bytes()) == before


def test_L33_break_needs_a_reason_and_an_exact_resource(bench):
    holder = bench.hold(*DAY)
    assert bench.code("break", *DAY) == 64
    done = bench.call("break", "--reason", "why", "ods.t")
    assert done.returncode == 66 and b"ods.t/dt=1" in done.stderr
    assert bench.code("break", "--reason", "why", "--id", "ffff", *DAY) == 66
    assert holder.release() == 0
    # An empty variable in a script must not mean everybody.
    assert bench.code("break", "--reason", "x", "--id=", *DAY) == 64


def test_L33_on_lost_is_told(bench):
    seen = bench.folder / "seen"
    holder = bench.hold(*DAY, options=["--on-lost", f"cat > {seen}"])
    assert bench.code("break", "--reason", "the test", *DAY) == 0
    assert finish(holder.process)[0] == 80
    event = json.loads(seen.read_text(encoding="utf-8"))
    assert event["event"] == "lost" and event["resources"] == ["ods.t/dt=1"]


def test_on_timeout_is_told_who_holds(bench):
    seen = bench.folder / "seen"
    holder = bench.hold(*DAY)
    done = bench.call("run", "-w", "0.1", "--on-timeout", f"cat > {seen}; echo out", *DAY, "true")
    assert done.returncode == 75 and done.stdout == b""
    event = json.loads(seen.read_text(encoding="utf-8"))
    assert event["event"] == "timeout"
    assert event["holders"][0]["owner"]["pid"] == holder.pid
    assert holder.release() == 0


def test_R02_a_stopped_locker_keeps_its_lock(bench):
    holder = bench.hold(*DAY)
    send(holder.process, "STOP")
    assert bench.code("run", "-w", "0.3", *DAY, "true") == 75
    send(holder.process, "CONT")
    assert holder.release() == 0
    assert bench.code("run", "-n", *DAY, "true") == 0


def test_too_few_descriptors_end_the_run(bench):
    # At some limits the store cannot be opened, at others the command cannot be handed over; at none
    # may the run hang, and at none may the lock stay.
    codes = set()
    for limit in range(4, 40):
        def lower(most=limit):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))

        locker = bench.start("run", "-w", "2", *DAY, "true", preexec_fn=lower)
        code, _, err = finish(locker)
        codes.add(code)
        assert code == 0 or err, limit
    assert 0 in codes and len(codes) > 1
    assert bench.rows("ls") == []

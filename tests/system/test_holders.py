"""A holder that is stopped, cut off or broken: it stops before the next one starts, and knows."""

import os
import signal
import subprocess

import pytest

from peers import LIVENESS, boot_ns, eventually


def descendants(pid):
    """The processes below one, whatever group they are in."""
    found = []
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as children:
            for child in map(int, children.read().split()):
                found += [child, *descendants(child)]
    return found


def alive(pid):
    """Whether a process runs; a zombie does not."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as status:
            return status.read().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def pause(processes):
    for pid in processes:
        os.kill(pid, signal.SIGSTOP)


def go_on(processes):
    for pid in processes:
        os.kill(pid, signal.SIGCONT)


def wait_for(seconds):
    """Lets time pass: what is tested here is what happens within it."""
    end = boot_ns() + int(seconds * 1e9)
    eventually(lambda: boot_ns() >= end, within=seconds + LIVENESS)


# Stopped.


def test_R01_a_stopped_holder_is_passed_over_and_its_command_ends(cluster, ensemble):
    first = cluster.worker("first", "db.t", "dt=1", host=ensemble.host("a"))
    first.begun()
    second = cluster.worker("second", "db.t", "dt=1", host=ensemble.host("b"))
    tree = [first.process.pid, *descendants(first.process.pid)]
    assert len(tree) >= 3
    pause(tree)
    begin = second.begun()
    go_on(tree)
    assert first.code() == 80
    assert not [pid for pid in tree[1:] if alive(pid)]
    assert begin.rest > first.events("begin")[0].rest
    second.let_go()
    assert second.code() == 0


def test_R01_L02_a_stopped_holder_cannot_write_behind_the_next_ones_back(cluster, ensemble):
    first, second = cluster.peer(ensemble.host("a")), cluster.peer(ensemble.host("b"))
    held = first.lock("db.fenced/dt=1")
    held.wait("granted")
    after = second.lock("db.fenced/dt=1")
    after.wait("waiting")
    first.process.send_signal(signal.SIGSTOP)
    granted = after.wait("granted")
    second.record(after, "R01.index", "second").wait("recorded")
    # The stopped one reads this first when it goes on, before anybody could tell it of its loss.
    late = first.record(held, "R01.index", "first")
    first.process.send_signal(signal.SIGCONT)
    refused = late.wait("failed")
    assert refused.rest.split()[0] in ("lost", "fenced")
    assert held.wait("lost")
    assert len(held.said("lost")) == 1
    assert second.ask("recorded", "main", "R01.index").wait("second")
    assert held.said("granted")[0].rest < granted.rest
    assert first.ask("unlock", held.key).wait("failed").rest.startswith("lost")


def test_R02_a_short_stop_costs_nothing(cluster, ensemble):
    peer, other = cluster.peer(ensemble.host("a")), cluster.peer(ensemble.host("b"))
    held = peer.lock("db.t/dt=2")
    held.wait("granted")
    waiting = other.lock("db.t/dt=2")
    waiting.wait("waiting")
    peer.process.send_signal(signal.SIGSTOP)
    wait_for(1)
    peer.process.send_signal(signal.SIGCONT)
    peer.record(held, "R02", "still").wait("recorded")
    assert peer.look(held) == "held"
    assert not held.said("lost") and not waiting.said("granted")
    assert len(held.said("granted")) == 1


def test_R04_TERM_reaches_the_command_and_the_lock_goes_after_it(cluster, ensemble):
    first = cluster.worker("first", "db.t", "dt=4", host=ensemble.host("a"), flags=["--linger-ms", "2000"])
    first.begun()
    second = cluster.worker("second", "db.t", "dt=4", host=ensemble.host("b"))
    eventually(lambda: waiters(cluster, "db.t", "dt=4"), "the second one's wait")
    first.process.send_signal(signal.SIGTERM)
    begin = second.begun()
    assert first.code() == 0  # the worker's own, after it lingered
    assert first.events("term") and first.events("end")
    assert first.last < begin.when
    second.process.send_signal(signal.SIGTERM)
    assert second.code() == 143


def waiters(site, *spec):
    done = site.call("ls", "-o", "jsonl", *spec)
    assert done.returncode == 0, done.stderr
    return done.stdout.count('"waits"')


# Cut off.


@pytest.mark.parametrize("way", ["R08 both ways", "R11 replies alone", "R08 reset"], ids=lambda way: way[:3])
def test_R08_R11_a_cut_holder_ends_its_command_before_the_next_one_starts(cluster, ensemble, way):
    host = ensemble.host("a")
    first = cluster.worker("first", "db.cut", "dt=1", host=host, flags=["--grandchild"])
    first.begun()
    second = cluster.worker("second", "db.cut", "dt=1", host=ensemble.host("b"))
    eventually(lambda: waiters(cluster, "db.cut", "dt=1"), "the second one's wait")
    ensemble.cut_off(host, both_ways=way != "R11 replies alone", how="reset" if "reset" in way else "drop")
    begin = second.begun()
    # It is told by its own clock, while the cut still stands, and waits for nobody.
    assert first.code(within=LIVENESS / 3) == 80
    assert first.last < begin.when
    ensemble.network.heal()
    second.let_go()
    assert second.code() == 0


def test_L01_R08_a_cut_off_holder_knows_before_the_next_one_is_granted(cluster, ensemble):
    host = ensemble.host("a")
    first, second = cluster.peer(host), cluster.peer(ensemble.host("b"))
    held = first.lock("db.cut/dt=2")
    held.wait("granted")
    after = second.lock("db.cut/dt=2")
    after.wait("waiting")
    ensemble.cut_off(host)
    lost = held.wait("lost")
    assert first.look(held) == "lost"
    granted = after.wait("granted")
    assert lost.when < granted.when
    assert first.ask("unlock", held.key).wait("failed").rest.startswith("lost")
    assert len(held.said("lost")) == 1
    # The cut ends, and the same locker gets a session by itself.
    ensemble.network.heal()
    second.unlock(after)
    again = first.lock("db.cut/dt=2")
    assert again.wait("granted").rest > granted.rest


def test_R09_a_short_cut_costs_nothing(cluster, ensemble):
    host = ensemble.host("a")
    first, second = cluster.peer(host), cluster.peer(ensemble.host("b"))
    held = first.lock("db.cut/dt=3")
    held.wait("granted")
    after = second.lock("db.cut/dt=3")
    after.wait("waiting")
    ensemble.cut_off(host)
    wait_for(1)
    ensemble.network.heal()
    first.record(held, "R09").wait("recorded")
    assert first.look(held) == "held"
    assert not held.said("lost") and not after.said("granted")


# Ended.


@pytest.mark.parametrize("how", ["cut", "break"])
def test_L33_a_command_that_ignores_TERM_is_dead_before_the_next_one_starts(cluster, ensemble, how):
    host = ensemble.host("a")
    first = cluster.worker(
        "first", "db.deaf", "dt=1", host=host, flags=["--ignore-term", "--grandchild"]
    )
    first.begun()
    second = cluster.worker("second", "db.deaf", "dt=1", host=ensemble.host("b"))
    eventually(lambda: waiters(cluster, "db.deaf", "dt=1"), "the second one's wait")
    if how == "cut":
        ensemble.cut_off(host)
    else:
        broken = cluster.call("break", "--yes", "--reason", "L33", "db.deaf", "dt=1")
        assert broken.returncode == 0, broken.stderr
    begin = second.begun()
    assert first.code() == 80
    term = first.events("term")
    assert term and term[0].when < first.last < begin.when
    assert [event for event in first.events("alive") if event.rest == "grandchild"]


def test_L34_no_worker_outlives_a_killed_locker(cluster, ensemble):
    first = cluster.worker("first", "db.dead", "dt=1", host=ensemble.host("a"), flags=["--grandchild"])
    first.begun()
    second = cluster.worker("second", "db.dead", "dt=1", host=ensemble.host("b"))
    eventually(lambda: waiters(cluster, "db.dead", "dt=1"), "the second one's wait")
    first.process.kill()
    begin = second.begun()
    assert first.last < begin.when
    assert first.code() == -signal.SIGKILL


@pytest.mark.parametrize("detach", [False, True])
def test_L34_a_background_process_keeps_the_lock_or_not_as_asked(cluster, detach):
    options = ["--detach-children"] if detach else []
    script = "sleep 1000 >/dev/null 2>&1 <&- & echo $! >pid; echo done"
    process = cluster.start(
        "run", *options, "db.back", "dt=1", "--", "sh", "-c", f"cd {cluster.folder}; {script}"
    )
    assert process.stdout.readline() == "done\n"
    background = int((cluster.folder / "pid").read_text())
    try:
        if detach:
            assert process.wait(LIVENESS) == 0
            assert os.path.exists(f"/proc/{background}")
            assert cluster.call("try", "db.back", "dt=1").returncode == 0
        else:
            assert cluster.call("try", "db.back", "dt=1").returncode == 75
            assert process.poll() is None
    finally:
        os.kill(background, signal.SIGKILL)
    assert process.wait(LIVENESS) == 0
    assert cluster.call("try", "db.back", "dt=1").returncode == 0


def test_R25_the_command_gets_the_descriptors_that_locker_got(cluster):
    """Not the session's socket, nor anything else of locker's."""
    show = "import os; print(sorted(os.listdir('/proc/self/fd')))"
    outputs = []
    for words in (cluster.command("run", "db.t", "dt=25", "--"), []):
        done = subprocess.run(
            ["bash", "-c", 'exec 7</dev/null 9>/dev/null; exec "$@"', "-", *words, "/usr/bin/python3", "-c", show],
            env=cluster.environment, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=LIVENESS, check=False,
        )
        assert done.returncode == 0, done.stderr
        outputs.append(done.stdout)
    assert outputs[0] == outputs[1]
    assert "7" in outputs[0] and "9" in outputs[0]

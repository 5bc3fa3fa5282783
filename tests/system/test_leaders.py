"""Servers that die, stop, fill up or lose their quorum under load: the history stays right."""

import contextlib
import os
import pathlib
import subprocess
import tempfile

import pytest

import network
import zookeeper_server
from conftest import need
from ensemble import Ensemble
from history import History, check_count
from peers import LIVENESS, Site, boot_ns, eventually
from zookeeper_client import ZooKeeperClient

FULL = "LOCKER_TEST_FULL" in os.environ
# A loaded host may need seconds for an election, and a healthy lease leaves 0.4 of this.
SESSION_MS = 12000
PARTITIONS = ",".join(f"db.load/dt={number}" for number in range(4))


@contextlib.contextmanager
def load(site, folder, hosts=(None,), *, processes=4, lockers=1, threads=4, hold_ms=20, specs=PARTITIONS,
         session_ms=SESSION_MS):
    """Clients that lock and let go meanwhile; ends them all before it returns."""
    folder.mkdir(exist_ok=True)
    peers = [
        site.peer(hosts[number % len(hosts)], opened=False, session_ms=session_ms)
        for number in range(processes)
    ]
    churns = [peer.ask("churn", folder, lockers, threads, hold_ms, 0, specs) for peer in peers]
    for churn in churns:
        churn.wait("churning")
    yield peers
    stops = [peer.ask("stop", churn.key) for peer, churn in zip(peers, churns)]
    for stop in stops:
        stop.wait("stopped", within=LIVENESS * 2)
    for peer in peers:
        peer.process.stdin.close()
        assert peer.process.wait(LIVENESS * 2) == 0


def grants_so_far(folder):
    """How often a lock was granted, over all clients."""
    return sum(path.read_text().count(" granted ") for path in folder.glob("history-*"))


def some_more_grants(folder, count=20):
    """Waits until there were so many more, so the load goes on."""
    target = grants_so_far(folder) + count
    eventually(lambda: grants_so_far(folder) >= target, f"{count} more grants")


def left_over(ensemble):
    """The places in queues and the sessions that stand in the tree; None if nobody can be asked."""
    try:
        with ZooKeeperClient.of(ensemble.leader()) as look:
            names = [path.rpartition("/")[2] for path in look.walk("/hive_locks")]
            places = [name for name in names if name.startswith(("lock_", "m_"))]
            return places + look.children("/hive_locks/.owners") + look.children("/hive_locks/.waits")
    except OSError:
        return None


def nothing_left(ensemble):
    """Waits until no place in any queue is left, nor anybody's session node."""
    eventually(lambda: left_over(ensemble) == [], "an empty tree")


def longest_gap_s(history):
    """The longest time in which a partition was granted to nobody."""
    return max(history.longest_gap_ns(resource) for resource in history.by_resource()) / 1e9


def test_R06_leaders_are_killed_under_load(cluster, ensemble, tmp_path):
    folder = tmp_path / "load"
    with load(cluster, folder):
        some_more_grants(folder)
        for _ in range(8 if FULL else 3):
            leader = ensemble.leader()
            leader.kill()
            some_more_grants(folder)
            ensemble.mend()
            some_more_grants(folder)
    history = History(folder).check(ordered=False)
    assert history.losses == 0
    assert not {text for text in history.failures if not text.startswith("cancelled")}
    check_count(folder, history)
    assert longest_gap_s(history) < LIVENESS
    nothing_left(ensemble)


def test_R07_leaders_are_stopped_under_load(cluster, ensemble, tmp_path):
    """A stopped leader is replaced; when it goes on it finds out and follows."""
    folder = tmp_path / "load"
    with load(cluster, folder):
        some_more_grants(folder)
        for _ in range(6 if FULL else 2):
            leader = ensemble.leader()
            leader.pause()
            some_more_grants(folder)
            leader.go_on()
            ensemble.mend()
            some_more_grants(folder)
    history = History(folder).check(ordered=False)
    check_count(folder, history)
    assert longest_gap_s(history) < LIVENESS
    nothing_left(ensemble)


def test_R19_two_loops_keep_progressing_over_restarts(cluster, ensemble, tmp_path):
    folders = [tmp_path / "one", tmp_path / "two"]
    with load(cluster, folders[0], processes=1, threads=1, specs="db.loop/dt=1"):
        with load(cluster, folders[1], processes=1, threads=1, specs="db.loop/dt=1"):
            for _ in range(10 if FULL else 4):
                ensemble.leader().restart()
                for folder in folders:
                    some_more_grants(folder, 3)
    for folder in folders:
        assert History(folder).check(ordered=False).losses == 0
    nothing_left(ensemble)


def test_L06_dropped_connections_and_a_new_leader_cost_no_lock(cluster, ensemble):
    host = ensemble.host("a")
    first, *others = [cluster.peer(host, session_ms=SESSION_MS) for _ in range(3)]
    held = first.lock("db.t/dt=6")
    token = held.wait("granted").rest
    waits = [peer.lock("db.t/dt=6") for peer in [*others, *others, others[0]]]
    for wait in waits:
        wait.wait("waiting")
    ensemble.cut_off(host, how="reset")
    begin = boot_ns()
    eventually(lambda: boot_ns() - begin > SESSION_MS / 6 * 1e6)
    ensemble.network.heal()
    ensemble.leader().restart()
    ensemble.mend()
    first.record(held, "L06").wait("recorded")
    # The beat that the outage swallowed left it suspended; the next one that is answered ends that.
    eventually(lambda: first.look(held) == "held", "a beat that is answered")
    assert not held.said("lost")
    assert held.said("granted")[0].rest == token
    assert not [wait for wait in waits if wait.said("granted", "failed")]
    first.unlock(held)
    all_have_their_turn(waits)
    for _ in range(20 if FULL else 5):
        ensemble.leader().restart()
        all_have_their_turn([peer.lock("db.t/dt=6") for peer in [first, *others]])


def all_have_their_turn(calls):
    """Lets each unlock as soon as it is granted, in whatever order they are."""
    while calls:
        call = eventually(lambda: next((call for call in calls if call.said("granted", "failed")), None), "a turn")
        call.wait("granted")
        call.peer.unlock(call)
        calls.remove(call)


def test_R21_after_an_outage_of_all_servers_lost_locks_are_let_go(cluster, ensemble):
    """The sessions may live on in the restarted servers; the locks are lost all the same."""
    first, second = cluster.peer(session_ms=4000), cluster.peer(session_ms=4000)
    held = [hold(first, f"db.out/dt={number}") for number in range(20)]
    second.unlock(hold(second, "db.out/dt=free"))
    for server in ensemble.servers:
        server.kill()
    for lock in held:
        lock.wait("lost")
    down = second.lock("db.out/dt=0")
    ensemble.mend()
    down.wait("granted")
    second.unlock(down)
    for lock in held:
        assert len(lock.said("lost")) == 1
        again = hold(second, f"db.out/dt={held.index(lock)}")
        assert again.said("granted")[0].rest > lock.said("granted")[0].rest
        second.unlock(again)


def test_B08_a_lost_quorum_is_unavailable_within_the_time_out(cluster, ensemble):
    peer = cluster.peer()
    peer.unlock(hold(peer, "db.t/dt=8"))
    for server in ensemble.followers():
        server.kill()
    begin = boot_ns()
    done = cluster.call("run", "-w", "3", "--connect-timeout", "3s", "db.t", "dt=8", "--", "true")
    assert done.returncode == 69, done.stderr
    failed = peer.lock("db.t/dt=8", timeout_ms=3000).wait("failed")
    assert failed.rest.split()[0] in ("unavailable", "lost")
    assert (boot_ns() - begin) / 1e9 >= 3
    ensemble.mend()
    peer.unlock(hold(peer, "db.t/dt=8"))


def hold(peer, spec):
    held = peer.lock(spec)
    held.wait("granted")
    return held


@pytest.fixture
def small_disk():
    """A file system of a few megabytes."""
    if os.geteuid() != 0:
        need(["the right to mount"])
    with tempfile.TemporaryDirectory(prefix="locker-small-disk-") as folder:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "none", folder], check=True)
        yield folder
        subprocess.run(["umount", folder], check=True)


def test_R22_a_full_disk_moves_the_load_to_the_others(small_disk, tmp_path):
    """First a follower's disk, then the leader's."""
    need(zookeeper_server.missing_parts() + network.missing_parts())
    # Of servers that know the same, the one with the greatest number is elected.
    with Ensemble(folders={2: small_disk}) as ensemble:
        sick = ensemble.servers[2]
        site = Site(ensemble, tmp_path)
        folder = tmp_path / "load"
        try:
            with load(site, folder, processes=2, threads=2):
                for role in ("follower", "leader"):
                    make_it_a(role, sick, ensemble)
                    with open(f"{small_disk}/filler", "wb") as filler:
                        fill(filler)
                    eventually(lambda: not sick.running() or sick.mode() is None, "the sick one's end")
                    some_more_grants(folder)
                    os.unlink(f"{small_disk}/filler")
                    sick.stop()
                    remove_headless_logs(small_disk)
                    ensemble.mend()
                    some_more_grants(folder)
        finally:
            site.end()
        history = History(folder).check(ordered=False)
        check_count(folder, history)
        nothing_left(ensemble)


def remove_headless_logs(folder):
    """What an administrator does by hand: a server whose disk was full where a transaction log began
    refuses to start over the file without a header (ZOOKEEPER-1621, ZOOKEEPER-2332)."""
    header_bytes = 16
    for log in pathlib.Path(folder).glob("data/version-2/log.*"):
        if log.stat().st_size < header_bytes:
            log.unlink()


def make_it_a(role, server, ensemble):
    """Restarts servers until this one has the role."""
    while server.mode() != role:
        if role == "leader":
            ensemble.leader().restart()
        else:
            server.restart()
        ensemble.mend()


def fill(file):
    """Writes until the disk is full."""
    with contextlib.suppress(OSError):
        while True:
            file.write(bytes(65536))
            file.flush()

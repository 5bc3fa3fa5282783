"""Waiters that give up, are stopped or lose their sessions: nothing stays, nobody is granted wrongly."""

import os
import signal

import faketime
from conftest import need
from history import History, counted
from peers import LIVENESS, boot_ns, eventually

FULL = "LOCKER_TEST_FULL" in os.environ


def places(tree, directory):
    """The lock nodes of a queue."""
    tree.sync()
    return [name for name in tree.children(directory) if name.startswith("lock_")]


def stop(peer):
    peer.process.send_signal(signal.SIGSTOP)


def go_on(peer):
    peer.process.send_signal(signal.SIGCONT)


def hold(peer, spec, **options):
    held = peer.lock(spec, **options)
    held.wait("granted")
    return held


def expired(server, session_count):
    """Waits until the server has no more sessions than these."""
    eventually(lambda: server.monitor()["zk_global_sessions"] <= session_count, "the end of a session")


# Sessions that end.


def test_R17_a_waiter_whose_session_ended_queues_again_within_its_deadline(site, server, tree):
    first, second = site.peer(), site.peer()
    held = hold(first, "db.t/dt=17")
    waiting = second.lock("db.t/dt=17", timeout_ms=600000)
    waiting.wait("waiting")
    before = places(tree, "/hive_locks/db/t/dt=17")
    sessions = server.monitor()["zk_global_sessions"]
    stop(second)
    expired(server, sessions - 1)
    go_on(second)
    eventually(lambda: len(places(tree, "/hive_locks/db/t/dt=17")) == 2, "a new place")
    after = places(tree, "/hive_locks/db/t/dt=17")
    assert len(set(before) & set(after)) == 1  # the holder's, undisturbed
    assert first.look(held) == "held" and not held.said("lost")
    first.unlock(held)
    waiting.wait("granted")
    second.unlock(waiting)


def test_R17_the_deadline_is_the_old_one(site, server):
    """It counts from the call, not from the new session."""
    first, second = site.peer(), site.peer()
    held = hold(first, "db.t/dt=18")
    sessions = server.monitor()["zk_global_sessions"]
    begin = boot_ns()
    waiting = second.lock("db.t/dt=18", timeout_ms=15000)
    waiting.wait("waiting")
    stop(second)
    expired(server, sessions - 1)
    eventually(lambda: boot_ns() - begin > 10e9, "ten seconds")
    go_on(second)
    failed = eventually(lambda: waiting.said("failed"), "the time-out")[0]
    assert failed.rest.startswith("timeout")
    # A deadline that began anew would end ten seconds later.
    assert 15 <= (failed.when - begin) / 1e9 < 25
    first.unlock(held)


def test_R32_a_waiter_that_slept_past_its_session_is_not_granted(site, server, tree):
    first, second, third = site.peer(), site.peer(), site.peer()
    held = hold(first, "db.t/dt=32")
    sleeper = second.lock("db.t/dt=32")
    sleeper.wait("waiting")
    follower = third.lock("db.t/dt=32")
    follower.wait("waiting")
    sessions = server.monitor()["zk_global_sessions"]
    stop(second)
    expired(server, sessions - 1)
    first.unlock(held)
    granted = follower.wait("granted")
    go_on(second)
    # It goes on waiting, now behind the other.
    eventually(lambda: len(places(tree, "/hive_locks/db/t/dt=32")) == 2, "a new place")
    assert not sleeper.said("granted")
    released = boot_ns()
    third.unlock(follower)
    late = sleeper.wait("granted")
    assert late.when > released and late.rest > granted.rest


def test_L04_a_lock_whose_session_ended_is_not_counted(site, server):
    first, second = site.peer(), site.peer()
    held = hold(first, "db.t/dt=4", owner="job")
    counted_too = hold(first, "db.t/dt=4", owner="job")
    assert counted_too.said("granted")[0].rest.split()[0] == held.said("granted")[0].rest.split()[0]
    after = second.lock("db.t/dt=4")
    after.wait("waiting")
    stop(first)
    # It reads this as the first thing when it goes on.
    again = first.lock("db.t/dt=4", owner="job", timeout_ms=0)
    granted = after.wait("granted")
    go_on(first)
    failed = eventually(lambda: again.said("failed", "granted"), "an answer")[0]
    assert failed.word == "failed"
    assert failed.rest.split()[0] in ("lost", "timeout")
    held.wait("lost")
    counted_too.wait("lost")
    second.unlock(after)
    new = hold(first, "db.t/dt=4", owner="job")
    assert new.said("granted")[0].rest > granted.rest


# Giving up.


def test_L09_waiters_that_give_up_leave_nothing(site, server, tree):
    holder, crowd = site.peer(), site.peer()
    held = hold(holder, "db.t/dt=9")
    patient = [crowd.lock("db.t/dt=9") for _ in range(50)]
    hasty = [crowd.lock("db.t/dt=9", timeout_ms=200) for _ in range(50)]
    processes = [site.start("run", "-q", "db.t", "dt=9", "--", "true") for _ in range(50 if FULL else 12)]
    expected = 1 + len(patient) + len(processes)
    assert all(call.wait("failed").rest.startswith("timeout") for call in hasty)
    eventually(lambda: len(places(tree, "/hive_locks/db/t/dt=9")) == expected, "all of the queue")
    for call in patient:
        crowd.ask("cancel", call.key)
    for process in processes:
        process.send_signal(signal.SIGTERM)
    assert all(call.wait("failed").rest.startswith("cancelled") for call in patient)
    assert {process.wait(LIVENESS) for process in processes} == {143}
    eventually(lambda: len(places(tree, "/hive_locks/db/t/dt=9")) == 1, "an empty queue")
    holder.unlock(held)
    crowd.unlock(hold(crowd, "db.t/dt=9"))
    assert not places(tree, "/hive_locks/db/t/dt=9")


def test_R15_a_thousand_short_waits_leave_nothing(site, server, tree):
    holder, crowd = site.peer(), site.peer()
    held = hold(holder, "db.t/dt=15")
    crowd.unlock(hold(crowd, "db.t/dt=16"))
    watches = server.monitor()["zk_watch_count"]
    for _ in range(10):
        calls = [crowd.lock("db.t/dt=15", timeout_ms=50) for _ in range(100)]
        for call in calls:
            assert call.wait("failed").rest.startswith("timeout")
    for _ in range(1000 if FULL else 10):
        assert site.call("run", "-w", "0.05", "db.t", "dt=15", "--", "true").returncode == 75
    assert len(places(tree, "/hive_locks/db/t/dt=15")) == 1
    # A watch stays where its node is; the holder's node may have one, and goes with it.
    assert server.monitor()["zk_watch_count"] <= watches + 1
    holder.unlock(held)
    eventually(lambda: server.monitor()["zk_watch_count"] <= watches, "the watches' end")


def test_L10_whoever_never_answers_is_unavailable_in_time(site, proxy):
    proxy.stall()
    begin = boot_ns()
    done = site.call("run", "-w", "1", "--connect-timeout", "1s", "db.t", "dt=10", "--", "true", url=proxy.url)
    assert done.returncode == 69, done.stderr
    assert (boot_ns() - begin) / 1e9 >= 0.9


def test_L10_an_answer_that_stops_coming_is_unavailable_and_no_time_out(site, proxy):
    """The locker has a session, and then nobody answers any more."""
    peer = site.peer(url=proxy.url)
    peer.unlock(hold(peer, "db.t/dt=10"))
    proxy.stall()
    call = peer.lock("db.t/dt=10", timeout_ms=1000)
    assert call.wait("failed").rest.split()[0] in ("unavailable", "lost")


# Whom to wait for.


def test_L25_the_request_that_closes_a_cycle_is_told_at_once(site):
    first, second = site.peer(), site.peer()
    one, two = hold(first, "db.two/p=1", owner="A"), hold(second, "db.two/p=2", owner="B")
    waits = first.lock("db.two/p=2", owner="A")
    waits.wait("waiting")
    failed = second.lock("db.two/p=1", owner="B").wait("failed")
    assert failed.rest.startswith("deadlock")
    assert "p=1" in failed.rest and "p=2" in failed.rest
    assert not waits.said("failed", "granted")
    second.unlock(two)
    waits.wait("granted")
    first.unlock(waits)
    first.unlock(one)


def test_L25_a_cycle_of_four_over_two_hosts(cluster, ensemble):
    peers = [cluster.peer(ensemble.host(name)) for name in ("a", "b")] * 2
    held = [hold(peer, f"db.ring/p={number}", owner=f"o{number}") for number, peer in enumerate(peers)]
    waits = []
    for number, peer in enumerate(peers[:3]):
        waits.append(peer.lock(f"db.ring/p={number + 1}", owner=f"o{number}"))
        waits[-1].wait("waiting")
    failed = peers[3].lock("db.ring/p=0", owner="o3").wait("failed")
    assert failed.rest.startswith("deadlock")
    assert not [call for call in waits if call.said("failed", "granted")]
    # The rest proceed, one after another.
    peers[3].unlock(held[3])
    for number in (2, 1, 0):
        waits[number].wait("granted")
        peers[number].unlock(waits[number])
        peers[number].unlock(held[number])


def test_L25_waits_without_a_cycle_are_no_alarm(site):
    """Every owner holds one and asks for a greater one, so no cycle can close."""
    peers = [site.peer() for _ in range(2)]
    for _ in range(125 if FULL else 15):
        owners = [(peers[number % 2], number) for number in range(8)]
        held = [hold(peer, f"db.line/p={number}", owner=f"o{number}") for peer, number in owners]
        waits = [peer.lock(f"db.line/p={number + 1}", owner=f"o{number}") for peer, number in owners]
        for (peer, _), own, call in reversed(list(zip(owners, held, waits))):
            call.wait("granted")
            peer.unlock(call)
            peer.unlock(own)


def test_L12_no_hand_off_is_lost(site, tmp_path):
    """Two processes with four threads each; a number that only exclusion protects stays exact."""
    rounds = 625 if FULL else 60
    peers = [site.peer(opened=False) for _ in range(2)]
    churns = [peer.ask("churn", tmp_path, 1, 4, 3, rounds, "db.t/dt=12") for peer in peers]
    for churn in churns:
        assert churn.wait("done", within=LIVENESS * 10).rest == str(4 * rounds)
    history = History(tmp_path).check()
    assert history.losses == 0 and not history.failures
    assert counted(tmp_path) == len(history.grants) == 8 * rounds
    assert history.longest_gap_ns("db.t/dt=12") < LIVENESS * 1e9


def test_L10_a_long_wait_is_not_cut(site):
    """25 minutes of a clock that runs a hundred times as fast."""
    need(faketime.missing_parts())
    holder = site.peer()
    hold(holder, "db.t/dt=25m")
    begin = boot_ns()
    process = site.start(
        "run", "-q", "-w", "25m", "db.t", "dt=25m", "--", "true",
        prefix=faketime.with_clock("+0 x100"), session_ms=30000,
    )
    assert process.wait(LIVENESS * 2) == 75
    assert (boot_ns() - begin) / 1e9 >= 14

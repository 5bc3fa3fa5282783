"""Curator's mutex and kazoo's lock respect ours on a partition's own directory, and ours theirs.

That somebody waits is not guessed from time that passed: the server itself names the node that the
waiter watches.
"""

import itertools
import subprocess

import pytest

from peers import LOCKER, boot_ns, eventually

NUMBERS = itertools.count(1)
MODES = pytest.mark.parametrize("mode", ["x", "s"])


@pytest.fixture
def spec(site):
    """A partition that nothing can stand below: all columns of its table are named."""
    table = f"ods.meeting{next(NUMBERS)}"
    registered = ["table", "register", "--url", site.url, table, "dt"]
    subprocess.run([LOCKER, *registered], env=site.environment, check=True)
    return f"{table}/dt=1"


@pytest.fixture
def directory(spec):
    return "/hive_locks/" + spec.replace(".", "/", 1)


def lock_nodes(tree, directory):
    """The nodes in the directory, by their numbers."""
    names = [name for name in tree.children(directory) if not name.startswith(".")]
    return sorted(names, key=lambda name: name[-10:])


def only_node(tree, directory):
    (name,) = lock_nodes(tree, directory)
    return f"{directory}/{name}"


def first_node(tree, directory):
    return f"{directory}/{lock_nodes(tree, directory)[0]}"


def await_watch(server, node):
    """Waits until somebody watches that node, which stands."""
    eventually(
        lambda: node in server.four_letter("wchp").decode().splitlines(), f"a watch on {node}"
    )


@MODES
def test_ours_waits_for_theirs(mode, foreign, server, site, tree, spec, directory):
    ours = site.peer()
    theirs = foreign(directory)
    theirs.ask("acquire")
    theirs.wait("acquired")
    node = only_node(tree, directory)
    lock = ours.lock(spec, mode=mode)
    lock.wait("waiting")
    await_watch(server, node)
    assert not lock.said("granted")
    released = boot_ns()
    theirs.ask("release")
    assert lock.wait("granted").when > released
    ours.unlock(lock)
    assert lock_nodes(tree, directory) == []


@MODES
def test_theirs_waits_for_ours(mode, foreign, server, site, tree, spec, directory):
    ours = site.peer()
    theirs = foreign(directory)
    lock = ours.lock(spec, mode=mode)
    lock.wait("granted")
    node = only_node(tree, directory)
    theirs.ask("acquire")
    await_watch(server, node)
    assert not theirs.has_said("acquired")
    released = boot_ns()
    ours.unlock(lock)
    assert theirs.wait("acquired") > released
    theirs.ask("release")
    theirs.wait("released")
    assert lock_nodes(tree, directory) == []


def test_one_queue_for_both(foreign, server, site, tree, spec, directory):
    """Ours, theirs, ours: in the order of asking."""
    first, last = site.peer(), site.peer()
    theirs = foreign(directory)
    lock = first.lock(spec)
    lock.wait("granted")
    theirs.ask("acquire")
    await_watch(server, first_node(tree, directory))
    middle_node = f"{directory}/{lock_nodes(tree, directory)[1]}"
    later = last.lock(spec)
    later.wait("waiting")
    await_watch(server, middle_node)
    first.unlock(lock)
    theirs.wait("acquired")
    # The last one still watches the middle one: it was not granted beside it.
    await_watch(server, middle_node)
    assert not later.said("granted")
    theirs.ask("release")
    later.wait("granted")


def test_a_try_finds_theirs_busy_and_writes_nothing(foreign, site, tree, spec, directory):
    ours = site.peer()
    theirs = foreign(directory)
    theirs.ask("acquire")
    theirs.wait("acquired")
    _, before = tree.get(directory)
    failed = ours.lock(spec, timeout_ms=0).wait("failed")
    assert failed.rest.startswith("timeout"), failed
    _, after = tree.get(directory)
    assert after.cversion == before.cversion


def test_the_dead_give_way(foreign, server, site, tree, spec, directory):
    """Whoever is killed holds until its session is over, and no longer."""
    ours, heir = site.peer(), site.peer()
    theirs = foreign(directory)
    theirs.ask("acquire")
    theirs.wait("acquired")
    lock = ours.lock(spec)
    lock.wait("waiting")
    await_watch(server, first_node(tree, directory))
    theirs.kill()
    lock.wait("granted")
    another = foreign(directory)
    another.ask("acquire")
    await_watch(server, first_node(tree, directory))
    assert not another.has_said("acquired")
    ours.process.kill()
    another.wait("acquired")
    later = heir.lock(spec)
    later.wait("waiting")
    another.ask("release")
    later.wait("granted")


def test_nobody_is_in_at_the_same_time(foreign, site, tmp_path, spec, directory):
    """All add to one number that only exclusion protects; none is lost."""
    rounds, threads = 100, 2
    ours = site.peer()
    number = tmp_path / (spec.replace("/", "_") + ".count")
    theirs = [foreign(directory) for _ in range(2)]
    churn = ours.ask("churn", tmp_path, 1, threads, 0, rounds, spec)
    churn.wait("churning")
    for each in theirs:
        each.ask("count", rounds, number)
    for each in theirs:
        each.wait("counted")
    assert int(churn.wait("done").rest) == threads * rounds
    assert int(number.read_text()) == (threads + len(theirs)) * rounds

"""Every command on a ZooKeeper server, and that none leaves anything behind."""

import json

import pytest

from conftest import eventually, finish, send

DAY = ("ods.t", "dt=1")


def test_L39_listings_show_owners_and_the_queue(zookeeper):
    holder = zookeeper.hold(*DAY, options=["--owner", "nightly", "--reason", "daily load"])
    waiters = [zookeeper.start("run", "-q", *DAY, "true") for _ in range(2)]
    rows = zookeeper.wait_for_waiters(2)
    assert [row["state"] for row in rows] == ["holds", "waits", "waits"]
    assert rows[0]["owner"]["pid"] == holder.pid and rows[0]["owner"]["application"] == "nightly"
    assert rows[0]["owner"]["reason"] == "daily load" and rows[0]["owner"]["command"] == "sh"
    assert {row["owner"]["pid"] for row in rows[1:]} == {each.pid for each in waiters}
    assert all(rows[0]["request"] in row["blocked_by"] for row in rows[1:])
    assert rows[0]["token"] < rows[1]["token"] < rows[2]["token"]
    assert [row["state"] for row in zookeeper.rows("who", *DAY)] == ["holds"]
    assert zookeeper.code("try", *DAY) == 75
    assert zookeeper.code("wait", "-w", "0.1", *DAY) == 75
    (answer,) = zookeeper.rows("explain", *DAY)
    assert answer["granted"] is False
    assert holder.release() == 0
    assert [finish(each)[0] for each in waiters] == [0, 0]
    assert zookeeper.rows("ls") == []
    assert zookeeper.code("try", *DAY) == 0 and zookeeper.code("wait", *DAY) == 0


def test_L22_a_table_covers_its_partitions(zookeeper):
    holder = zookeeper.hold(*DAY)
    assert zookeeper.code("run", "-n", "ods.t", "true") == 75
    assert zookeeper.code("run", "-n", "ods.t", "dt=2", "true") == 0
    assert zookeeper.code("run", "-n", "-s", *DAY, "true") == 75
    assert holder.release() == 0
    holder = zookeeper.hold("ods.t")
    assert zookeeper.code("run", "-n", *DAY, "true") == 75
    assert holder.release() == 0


def test_a_set_is_all_or_nothing(zookeeper):
    holder = zookeeper.hold(*DAY)
    words = ["-p", "ods.t/dt=1", "-p", "ods.u/dt=1", "--", "true"]
    assert zookeeper.code("run", "-n", *words) == 75
    assert zookeeper.code("run", "-n", "ods.u", "dt=1", "true") == 0
    assert holder.release() == 0
    assert zookeeper.code("run", "-n", *words) == 0


def test_tables(zookeeper):
    assert zookeeper.code("table", "register", "ods.t", "dt", "city") == 0
    assert zookeeper.code("table", "register", "ods.t", "city") == 75
    done = zookeeper.call("table", "show", "-o", "jsonl")
    assert json.loads(done.stdout)["columns"] == ["dt", "city"]
    holder = zookeeper.hold("ods.t", "city=a", "dt=1")
    assert zookeeper.code("run", "-n", "ods.t", "dt=1", "city=a", "true") == 75
    assert holder.release() == 0
    assert zookeeper.code("table", "unregister", "ods.t") == 0
    assert zookeeper.code("table", "show", "ods.t") == 66


@pytest.mark.parametrize("name", ["TERM", "INT"])
def test_L09_a_waiter_that_is_ended_leaves_nothing(zookeeper, name):
    holder = zookeeper.hold(*DAY)
    waiter = zookeeper.start("run", "-q", *DAY, "true")
    zookeeper.wait_for_waiters(1)
    send(waiter, name)
    assert finish(waiter)[0] == {"TERM": 143, "INT": 130}[name]
    assert len(zookeeper.rows("ls")) == 1
    assert holder.release() == 0


def test_nothing_of_a_run_stays(zookeeper):
    before = zookeeper.tree()
    assert zookeeper.code("run", "ods.t", "true") == 0
    assert zookeeper.code("run", *DAY, "true") == 0
    left = zookeeper.tree() - before
    assert not any("/lock_" in path or "/m_" in path for path in left), left
    # The servers remove the directories.
    eventually(lambda: zookeeper.tree() == before, "an empty tree")


@pytest.mark.parametrize("option, only", [("--backend", "record"), ("--url", "exclusive")])
def test_verify_finds_no_fault_and_leaves_nothing(zookeeper, option, only):
    """The whole suite runs against the backend elsewhere; here some of it, as users would."""
    before = zookeeper.tree()
    words = [option, zookeeper.store, "--session-timeout", "3", "-o", "jsonl", "--only", only]
    done = zookeeper.call("verify", *words)
    assert done.returncode == 0, done
    verdicts = [json.loads(line) for line in done.stdout.splitlines()]
    assert verdicts and all(each["verdict"] == "passed" for each in verdicts)
    eventually(lambda: zookeeper.tree() == before, "an empty tree")

"""`locker doctor` on a ZooKeeper server, and what `precreate` and `--clean` keep and remove.

docs/doctor.md shows what these tests saw, with names and times made alike; LOCKER_APPROVE=1 writes it.
"""

import json
import os
import pathlib
import re
import socket

import pytest

import conftest
from conftest import SLOW, eventually, send, state_of
from cutting_proxy import CuttingProxy
from zookeeper_client import CONTAINER, EPHEMERAL, SEQUENTIAL
from zookeeper_server import ZooKeeperServer

DAY = ("ods.user_info", "dt=20230501")
PLACE = "/ods/user_info/dt=20230501"
PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "doctor.md"


@pytest.fixture(autouse=True)
def the_same_time_out(zookeeper):
    """What the page shows."""
    zookeeper.set_session_timeout(12)


def plain(bench, text):
    """The text with what differs from run to run made alike."""
    sessions = {}

    def session(match):
        return sessions.setdefault(match[0], f"10009a3c5f2000{len(sessions) + 3:x}0"[:16])

    def heartbeat(match):
        return "5210 ms ago" if int(match[1]) > 4000 else "1240 ms ago"

    text = re.sub(r"\b(\d{1,5}) ms ago", heartbeat, text)
    for pattern, word in [
        (re.escape(bench.chroot), "/lake"),
        (r"zk://127\.0\.0\.1:\d+", "zk://zk1:2181"),
        (rf"\w+@{re.escape(socket.gethostname())}", "etl@etl1"),
        (rf"\b{re.escape(socket.gethostname())}\b", "etl1"),
        (r"pid \d+", "pid 4711"),
        (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[+-]\d\d:\d\d", "2023-05-02 03:12:45+02:00"),
        (r"[0-9a-f]{64}", "8f14e45fceea167a5a36dedd4bea2543c9f0f895fb98ab9159f51fd0297e236d"),
    ]:
        text = re.sub(pattern, word, text)
    return re.sub(r"\b[0-9a-f]{16}\b", session, text)


def shown_in_the_docs(bench, name, words, done):
    """Compares an answer with its place in the page, but for the advice that comes with each."""
    assert done.returncode == 0, done
    said = plain(bench, done.stdout.decode())
    block = f"```text\n$ locker {' '.join(words)}\n{said}```\n"
    page = PAGE.read_text(encoding="utf-8")
    pattern = rf"(<!-- seen: {name} -->\n).*?(<!-- end -->)"
    (found,) = re.findall(pattern, page, re.S)
    if os.environ.get("LOCKER_APPROVE"):
        page = re.sub(pattern, lambda match: match[1] + block + match[2], page, flags=re.S)
        PAGE.write_text(page, encoding="utf-8")
    assert block in PAGE.read_text(encoding="utf-8"), said


def doctor(bench, name, *words):
    """What it says of the day, shown in the docs; the facts."""
    words = words or DAY
    shown_in_the_docs(bench, name, ["doctor", *words], bench.call("doctor", *words))
    return bench.rows("doctor", *words)


def test_an_owner_that_lives(zookeeper):
    holder = zookeeper.hold(*DAY, options=["--owner", "nightly"])
    (row,) = doctor(zookeeper, "alive")
    assert row["alive"] and row["process_state"] == "running" and row["locks"] == 1
    assert row["timeout_ms"] == 12000 and row["heartbeat_age_ms"] < 4000
    assert holder.release() == 0
    assert zookeeper.rows("doctor", *DAY) == []


def test_an_owner_that_died(zookeeper):
    holder = zookeeper.hold(*DAY, options=["--owner", "nightly"])
    holder.process.kill()
    holder.process.wait()
    (row,) = doctor(zookeeper, "dead")
    assert row["alive"] and row["process_state"] == "gone"
    assert "by themselves" in row["advice"]


def test_an_owner_that_is_stopped(zookeeper):
    holder = zookeeper.hold(*DAY, options=["--owner", "nightly"])
    send(holder.process, "STOP")
    eventually(lambda: state_of(holder.pid) == "T", "the stop")
    (row,) = doctor(zookeeper, "stopped")
    assert row["process_state"] == "stopped" and "CONT" in row["advice"]
    send(holder.process, "CONT")
    assert holder.release() == 0


def test_an_owner_that_is_cut_off(zookeeper):
    with CuttingProxy(zookeeper.server.address, zookeeper.server.port) as proxy:
        url = proxy.url + zookeeper.chroot
        holder = zookeeper.hold(*DAY, options=["--owner", "nightly", "--url", url])
        proxy.stall()

        def late():
            (row,) = zookeeper.rows("doctor", *DAY)
            return row["heartbeat_age_ms"] > row["timeout_ms"] / 3 + 1000

        eventually(late, "a late heartbeat")
        (row,) = doctor(zookeeper, "cut-off")
        assert row["process_state"] == "running" and "cut off" in row["advice"]
        proxy.go_on()
        assert holder.release() == 0


def test_a_place_of_another_client(zookeeper):
    """The node that Curator's mutex makes, with its host's address in it."""
    with zookeeper.client() as other:
        for part in ("/ods", "/ods/user_info", PLACE):
            other.create(zookeeper.path(part))
        name = "/_c_0d7a9b1c-1a5f-4ad1-9d6b-3a7c1f5e2b44-lock-"
        other.create(zookeeper.path(PLACE + name), b"10.4.7.12", EPHEMERAL | SEQUENTIAL)
        (row,) = doctor(zookeeper, "another-client")
        assert row["foreign"] and row["locks"] == 1 and row["session"] == f"{other.session:016x}"
        assert row["process_state"] == "elsewhere" and "another program" in row["advice"]
        assert zookeeper.code("run", "-n", *DAY, "true") == 75


def test_a_place_whose_session_was_broken(zookeeper):
    """Whoever broke it was killed before the place was taken away."""
    holder = zookeeper.hold(*DAY, options=["--owner", "nightly"])
    send(holder.process, "STOP")
    breaker = zookeeper.start("break", "--reason", "stuck since noon", *DAY)

    def marked():
        rows = zookeeper.rows("doctor", *DAY)
        return [row for row in rows if row["broken"]]

    eventually(marked, "the break")
    breaker.kill()
    breaker.wait()
    (row,) = doctor(zookeeper, "broken")
    assert row["broken"] and not row["alive"] and row["timeout_ms"] == 12000
    # It is not the time yet.
    assert zookeeper.code("doctor", "--clean") == 0
    assert zookeeper.rows("ls") != []
    send(holder.process, "CONT")
    assert holder.process.wait(conftest.LIVENESS) == 80
    assert zookeeper.rows("ls") == []


def test_a_broken_place_goes_when_its_holder_has_certainly_stopped(zookeeper):
    zookeeper.set_session_timeout(2 * SLOW)
    holder = zookeeper.hold(*DAY)
    with zookeeper.client() as hand:
        (session,) = hand.children(zookeeper.path("/.owners"))
        owner = zookeeper.path(f"/.owners/{session}")
        # A session that hangs, but whose connection does not: what nobody else can make.
        hand.create(zookeeper.path("/ods/user_info/dt=2"), flags=CONTAINER)
        other = f"lock_x_{'a' * 64}-lock-"
        hand.create(zookeeper.path("/ods/user_info/dt=2/" + other), b"{}", EPHEMERAL | SEQUENTIAL)
        mark = json.dumps({"reason": "why", "by": "root@etl1", "at_ms": 1, "timeout_ms": 500})
        hand.create(zookeeper.path(f"/.broken/{hand.session:016x}"), mark)

        def cleaned():
            assert zookeeper.code("doctor", "--clean") == 0
            return zookeeper.rows("ls", "ods.user_info", "dt=2") == []

        eventually(cleaned, "the end of the place")
        assert hand.exists(owner) is not None
    assert holder.release() == 0


def test_advice_is_doctors_alone(zookeeper):
    assert zookeeper.call("ls").stderr == f"locker: no locks in {zookeeper.store}\n".encode()
    assert zookeeper.call("run", *DAY, "true").stderr == b""
    assert b"open to everyone" in zookeeper.call("doctor").stderr
    assert b"open to everyone" in zookeeper.call("ls", "--log-level", "info").stderr
    assert b"open to everyone" in zookeeper.call("run", "--log-level", "info", *DAY, "true").stderr


def test_precreate_makes_nodes_that_stay(zookeeper):
    words = ["precreate", "--column", "dt", "--days", "3", "--tz", "UTC", "ods.user_info"]
    done = zookeeper.call(*words)
    assert done.returncode == 0 and b"made 3 of 3 partitions' places" in done.stderr, done
    days = [line.split("dt=")[1] for line in done.stdout.decode().split()]
    with zookeeper.client() as look:
        ends = set()
        for day in days:
            data, _ = look.get(zookeeper.path(f"/ods/user_info/dt={day}"))
            ends.add(json.loads(data)["until_ms"])
        (end,) = ends
        assert end % 86400000 == 0
        # What is there already is kept for longer where that is wanted, and never for less.
        assert b"made 0 of 1" in zookeeper.call(*words[:4], "1", *words[5:]).stderr
        assert json.loads(look.get(zookeeper.path(f"/ods/user_info/dt={days[0]}"))[0])["until_ms"] == end
        words[4] = "4"
        assert b"made 1 of 4" in zookeeper.call(*words).stderr
        later = json.loads(look.get(zookeeper.path(f"/ods/user_info/dt={days[0]}"))[0])["until_ms"]
        assert later == end + 86400000
        # An empty container of an earlier lock is replaced; one in use stays what it is.
        assert zookeeper.code("run", "ods.orders", f"dt={days[0]}", "true") == 0
        holder = zookeeper.hold("ods.orders", f"dt={days[1]}")
        words = [*words[:-1], "ods.orders"]
        assert b"made 3 of 4" in zookeeper.call(*words).stderr
        assert holder.release() == 0
    # They outlive their first lock, which a container does not.
    for day in (days[0], "elsewhere"):
        assert zookeeper.code("run", "ods.user_info", f"dt={day}", "true") == 0
    eventually(lambda: "/ods/user_info/dt=elsewhere" not in zookeeper.tree(), "the end of a container")
    assert {f"/ods/user_info/dt={day}" for day in days} <= zookeeper.tree()


@pytest.fixture
def old_bench(tmp_path):
    """A bench on a server of its own, whose clock can be put on: `age` restarts it so."""
    # The program `faketime` would stand between the server and whoever ends it.
    library = next(pathlib.Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)
    if library is None and not os.environ.get("CI"):
        pytest.skip("not on this host: libfaketime")
    assert library is not None
    with ZooKeeperServer(tick_ms=500) as server:
        bench = conftest.ZooKeeperBench(tmp_path, server, "/lake")

        def age(later):
            server.stop()
            server.prefix = ["env", f"LD_PRELOAD={library}", f"FAKETIME={later}"]
            server.start()

        bench.age = age
        yield bench
        bench.end()


def test_L27_clean_removes_what_nobody_needs_and_nothing_else(old_bench):
    bench = old_bench
    assert bench.code("table", "register", "ods.registered", "dt") == 0
    done = bench.call("precreate", "--column", "dt", "--days", "2", "--tz", "UTC", "ods.coming")
    days = done.stdout.decode().split()
    assert bench.code("run", "--once", "ods.done", "dt=1", "true") == 0
    with bench.client() as look:
        # A client that was killed before its lock: containers that never had a child.
        for part in ("/ods/user_info", PLACE, PLACE + "/.coarse"):
            look.create(bench.path(part), flags=CONTAINER)
        look.create(bench.path("/.broken/00000000000000aa"), b"{}")
        young = set(look.walk(bench.chroot))
    assert bench.code("doctor", "--clean") == 0
    with bench.client() as look:
        assert set(look.walk(bench.chroot)) == young
    bench.age("+10m")
    holder = bench.hold("ods.orders", "dt=1")
    with bench.client() as look:
        before = set(look.walk(bench.chroot))
    shown_in_the_docs(bench, "left-over", ["doctor"], stripped(bench.call("doctor")))
    left = [row["left_over"] for row in bench.rows("doctor") if "left_over" in row]
    assert bench.path(PLACE) + "/.coarse" in left and len(left) < 20
    done = bench.call("doctor", "--clean")
    assert re.search(rb"removed \d+ things that nobody needs", done.stderr)
    with bench.client() as look:
        after = set(look.walk(bench.chroot))
    gone = {path.removeprefix(bench.path()) for path in before - after}
    assert {PLACE, PLACE + "/.coarse", "/ods/user_info"} <= gone
    kept = {"/.owners", "/.format", "/.broken/00000000000000aa", "/ods/registered/.registered", "/ods/orders/dt=1"}
    kept |= {"/ods/coming/" + day.split("/")[1] for day in days}
    assert kept <= {path.removeprefix(bench.path()) for path in after}
    assert not any("/lock_" in path or "/.owners/" in path or "/.records/" in path for path in gone)
    assert [row["resource"] for row in bench.rows("ls")] == ["ods.orders/dt=1"]
    assert holder.release() == 0
    # Past the day until which they were kept.
    bench.age("+3d")
    rows = [row for row in bench.rows("doctor") if "left_over" in row]
    assert {"a prepared partition whose time is over", "the mark of a break"} <= {row["what"] for row in rows}
    assert bench.code("doctor", "--clean") == 0
    with bench.client() as look:
        left = {path.removeprefix(bench.path()) for path in look.walk(bench.chroot)}
    assert not any("/coming/dt=" in path or "/.broken/" in path for path in left)
    assert {"/ods/registered/.registered", "/ods/coming/.registered", "/.owners", "/.format"} <= left
    assert bench.code("table", "show", "ods.registered") == 0


def stripped(done):
    """Of the sessions that a page about left-overs need not show."""
    done.stdout = done.stdout[done.stdout.index(b"LEFT OVER") :]
    return done

"""What listings and questions say, as text and as JSON."""

import datetime
import json
import re
import socket

import pytest

from conftest import finish, send, state_of, eventually

DAY = ("ods.t", "dt=1")

CONTENDER_KEYS = [
    "resource",
    "mode",
    "state",
    "request",
    "owner",
    "session",
    "since",
    "token",
    "blocked_by",
]
OWNER_KEYS = ["id", "host", "pid", "user", "application", "command", "reason"]


def test_L39_owners_of_other_users(open_bench):
    bench = open_bench
    (bench.folder / "store").mkdir()
    (bench.folder / "store").chmod(0o777)
    holder = bench.hold(*DAY, options=["--owner", "nightly", "--reason", "load"], user=1, group=1)
    second = bench.start("run", "-q", *DAY, "true", user=2, group=2)
    bench.wait_for_waiters(1)
    third = bench.start("run", "-q", "-s", *DAY, "true", user=3, group=3)
    rows = bench.wait_for_waiters(2)
    assert [row["owner"]["user"] for row in rows] == ["daemon", "bin", "sys"]
    assert [row["state"] for row in rows] == ["holds", "waits", "waits"]
    assert [row["owner"]["pid"] for row in rows] == [holder.pid, second.pid, third.pid]
    assert {row["owner"]["host"] for row in rows} == {socket.gethostname()}
    assert rows[0]["owner"]["application"] == "nightly"
    assert rows[0]["owner"]["reason"] == "load"
    assert rows[1]["blocked_by"] == [rows[0]["request"]]
    assert set(rows[2]["blocked_by"]) <= {rows[0]["request"], rows[1]["request"]}
    assert rows[2]["blocked_by"]
    assert [row["owner"]["command"] for row in rows] == ["sh", "true", "true"]
    text = bench.call("ls").stdout.decode()
    lines = text.splitlines()
    assert len(lines) == 4 and "daemon" in lines[1] and rows[0]["token"] in lines[1]
    assert rows[0]["request"][:8] in lines[2]
    holder.release()
    assert finish(second)[0] == 0 and finish(third)[0] == 0


def test_L39_the_schema_of_a_listing(bench):
    holder = bench.hold(*DAY)
    (row,) = bench.rows("ls")
    assert list(row) == CONTENDER_KEYS
    assert list(row["owner"]) == OWNER_KEYS
    assert row["mode"] == "exclusive" and row["state"] == "holds" and row["blocked_by"] == []
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", row["since"])
    age = datetime.datetime.now(datetime.timezone.utc) - datetime.datetime.fromisoformat(row["since"])
    assert datetime.timedelta(0) <= age < datetime.timedelta(minutes=10)
    assert re.fullmatch("[0-9a-f]{16}-[0-9a-f]{9}", row["token"])
    assert bench.call("ls", "-o", "json").stdout.startswith(b"[{")
    assert holder.release() == 0
    assert bench.call("ls", "-o", "json").stdout == b"[]\n"
    done = bench.call("ls")
    assert (done.stdout, done.stderr) == (b"", f"locker: no locks in {bench.store}\n".encode())
    done = bench.call("ls", "ods.t")
    assert done.stderr == f"locker: no locks at or below ods.t in {bench.store}\n".encode()


def test_a_bare_database_is_told(bench):
    """Most likely the database's name was left out."""
    note = "user_info is a whole database; a table is written db.user_info"
    line = f"locker: {note}\n".encode()
    assert f"note: {note}\n".encode() in bench.call("explain", "user_info").stdout
    assert bench.rows("explain", "user_info")[0]["advice"] == [note]
    assert bench.call("try", "user_info").stderr == line
    assert bench.rows("try", "user_info") == [
        {"resource": "user_info", "granted": True, "advice": [note]}
    ]
    assert bench.call("run", "user_info", "true").stderr == line
    assert bench.call("run", "-q", "user_info", "true").stderr == b""
    assert bench.call("run", "ods.user_info", "true").stderr == b""


def test_words_in_p_are_shown_in_the_slash_form(bench):
    done = bench.call("run", "-p", "ods.user_info dt=1", "--", "true")
    assert done.returncode == 65
    assert b"did you mean -p ods.user_info/dt=1?" in done.stderr


def test_times_for_people_are_local_with_their_offset(bench):
    holder = bench.hold(*DAY)
    zone = {"TZ": "UTC-5:30"}
    shown = rb"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+05:30"
    for words in (["ls"], ["explain", *DAY], ["doctor"], ["table", "show"], ["try", *DAY]):
        done = bench.call(*words, env=zone)
        assert re.search(shown, done.stdout + done.stderr), done
    for words in (["run", "-n", *DAY, "true"], ["try", "ods.t", "dtt=1"]):
        done = bench.call(*words, env=zone)
        assert done.returncode in (65, 75) and b"Z" not in done.stderr, done
        assert re.search(rb"(since|at) " + shown, done.stderr), done
    (line,) = bench.call("run", "-n", "-o", "json", *DAY, "true", env=zone).stderr.splitlines()
    assert re.search(r"since \S+Z", json.loads(line)["error"]["message"])
    assert holder.release() == 0


def test_L39_prefixes(bench):
    first, second = bench.hold("ods.t", "dt=1"), bench.hold("ods.u", "dt=1")
    other = bench.hold("dwd.t")
    assert [row["resource"] for row in bench.rows("ls", "ods")] == ["ods.t/dt=1", "ods.u/dt=1"]
    assert [row["resource"] for row in bench.rows("ls", "ods.u")] == ["ods.u/dt=1"]
    assert [row["resource"] for row in bench.rows("ls", "ods.t/dt=1")] == ["ods.t/dt=1"]
    assert bench.rows("ls", "ods.t", "dt=2") == []
    assert len(bench.rows("ls")) == 3
    assert [first.release(), second.release(), other.release()] == [0, 0, 0]


def test_S12_hostile_text_is_shown_escaped(bench):
    hostile = 'a\n{"level":"grant"}\x1b[2J'
    holder = bench.hold(*DAY, options=["--owner", hostile, "--reason", hostile])
    for words in (["ls"], ["who", *DAY], ["explain", *DAY], ["doctor"], ["try", *DAY]):
        done = bench.call(*words)
        assert b"\x1b" not in done.stdout + done.stderr
        assert b"\n{" not in done.stdout + done.stderr
    assert len(bench.call("ls").stdout.splitlines()) == 2
    (row,) = bench.rows("ls")
    assert row["owner"]["application"] == hostile
    waiter = bench.start("run", *DAY, "true")
    line = waiter.stderr.readline()
    assert b"\x1b" not in line and b"waited" in line
    send(waiter, "TERM")
    finish(waiter)
    assert holder.release() == 0


def test_who_names_holders_above_and_below(bench):
    holder = bench.hold("ods.t")
    assert [row["resource"] for row in bench.rows("who", *DAY)] == ["ods.t"]
    assert holder.release() == 0
    holder = bench.hold(*DAY)
    assert [row["resource"] for row in bench.rows("who", "ods.t")] == ["ods.t/dt=1"]
    assert bench.rows("who", "ods.t", "dt=2") == []
    assert holder.release() == 0
    done = bench.call("who", *DAY)
    assert done.returncode == 0 and done.stdout == b"" and b"nobody holds" in done.stderr


def test_try_says_who_is_in_the_way(bench):
    assert bench.call("try", *DAY).stdout == b"ods.t/dt=1 would be granted now\n"
    holder = bench.hold(*DAY)
    done = bench.call("try", *DAY)
    assert done.returncode == 75 and f"pid {holder.pid} ".encode() in done.stderr
    assert holder.release() == 0


def test_explain_knows_the_trap_of_spark(bench):
    holder = bench.hold("ods.t")
    done = bench.call("explain", *DAY)
    assert done.returncode == 0
    assert b"would wait for:\n  exclusive lock on ods.t by" in done.stdout and b"_temporary" in done.stdout
    assert b"_temporary" not in bench.call("explain", "ods.t").stdout
    (answer,) = bench.rows("explain", *DAY)
    assert list(answer) == ["resource", "granted", "waits_for", "advice"]
    assert answer["granted"] is False and answer["waits_for"][0]["resource"] == "ods.t"
    assert holder.release() == 0
    (answer,) = bench.rows("explain", *DAY)
    assert answer["granted"] is True and answer["waits_for"] == []


def test_doctor_tells_running_from_stopped(bench):
    holder = bench.hold(*DAY)
    (row,) = bench.rows("doctor", *DAY)
    assert row["alive"] is True and row["process_state"] == "running"
    assert row["process"]["pid"] == holder.pid and row["locks"] == 1
    assert row["heartbeat_age_ms"] is None
    send(holder.process, "STOP")
    eventually(lambda: state_of(holder.pid) == "T", "the stop")
    (row,) = bench.rows("doctor", *DAY)
    assert row["alive"] is True and row["process_state"] == "stopped"
    assert "CONT" in row["advice"]
    assert b"stopped" in bench.call("doctor").stdout
    send(holder.process, "CONT")
    assert holder.release() == 0
    assert bench.rows("doctor", *DAY) == []
    assert b"removed" in bench.call("doctor", "--clean").stderr


def test_tables_are_registered_shown_and_forgotten(bench):
    assert bench.code("table", "show", "ods.t") == 66
    assert bench.code("table", "register", "ods.t", "dt", "city") == 0
    (row,) = table_rows(bench)
    assert list(row) == ["table", "columns", "set_by", "set_at", "registered"]
    assert row["table"] == "ods.t" and row["columns"] == ["dt", "city"] and row["registered"]
    assert bench.code("table", "register", "ods.t", "city", "dt") == 75
    assert bench.code("table", "register", "--replace", "ods.t", "city", "dt") == 0
    assert table_rows(bench)[0]["columns"] == ["city", "dt"]
    holder = bench.hold("ods.t", "dt=1", "city=x")
    assert bench.rows("ls")[0]["resource"] == "ods.t/city=x/dt=1"
    assert holder.release() == 0
    assert bench.code("table", "unregister", "ods.t") == 0
    assert bench.code("table", "unregister", "ods.t") == 66
    assert bench.code("table", "register", "ods.t") == 64


def table_rows(bench):
    done = bench.call("table", "show", "-o", "jsonl")
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_precreate_names_the_days(bench):
    zone = datetime.timezone(datetime.timedelta(hours=14))
    before = datetime.datetime.now(zone).date()
    done = bench.call(
        "precreate", "--column", "dt", "--format", "yyyy-MM-dd", "--days", "3",
        "--tz", "Pacific/Kiritimati", "ods.t",
    )
    after = datetime.datetime.now(zone).date()
    assert done.returncode == 0, done.stderr
    lists = [
        [f"ods.t/dt={day + datetime.timedelta(days=ahead)}" for ahead in range(3)]
        for day in (before, after)
    ]
    assert done.stdout.decode().splitlines() in lists
    assert table_rows(bench)[0]["columns"] == ["dt"]
    done = bench.call("precreate", "--column", "dt", "ods.t")
    assert len(done.stdout.splitlines()) == 7
    assert re.fullmatch(rb"ods\.t/dt=\d{8}", done.stdout.splitlines()[0])


@pytest.mark.parametrize(
    "words, code",
    [
        (["ods.t"], 64),
        (["--column", "dt", "ods.t", "dt=1"], 64),
        (["--column", "dt", "--format", "yyyyMM", "ods.t"], 64),
        (["--column", "dt", "--format", "yyyyMMddHH", "ods.t"], 64),
        (["--column", "dt", "--days", "0", "ods.t"], 64),
        (["--column", "dt", "--days", "many", "ods.t"], 64),
        (["--column", "dt", "--tz", "Nowhere/Atall", "ods.t"], 64),
        (["--column", "dt", "--tz", "../../etc/hostname", "ods.t"], 64),
        (["--column", "hour", "ods.u"], 65),
    ],
)
def test_precreate_refuses_nonsense(bench, words, code):
    assert bench.code("table", "register", "ods.u", "dt") == 0
    assert bench.code("precreate", *words) == code

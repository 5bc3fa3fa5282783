"""The commonest messages, word by word: approved/NAME.txt is what the user reads.

With LOCKER_APPROVE=1 the files are written instead of compared.
"""

import os
import pathlib
import re
import socket
import subprocess

import pytest

from conftest import LIVENESS, LOCKER, finish, send

DAY = ("ods.user_info", "dt=20230501")
APPROVED = pathlib.Path(__file__).parent / "approved"


def approve(bench, name, text):
    """Compares what differs from run to run by a word in capitals."""
    text = text.decode()
    for pattern, word in [
        (re.escape(str(bench.folder)), "FOLDER"),
        (r"\b(pid|process) \d+", r"\1 PID"),
        (rf"\b{re.escape(socket.gethostname())}\b", "HOST"),
        (r"user \w+", "user USER"),
        (r"\w+@HOST", "USER@HOST"),
        (r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?", "TIME"),
        (r"[0-9a-f]{16}-[0-9a-f]{9}", "TOKEN"),
        (r"\b[0-9a-f]{32}\b", "ID"),
    ]:
        text = re.sub(pattern, word, text)
    path = APPROVED / f"{name}.txt"
    if os.environ.get("LOCKER_APPROVE"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_busy(bench):
    holder = bench.hold(*DAY, options=["--owner", "nightly", "--reason", "daily load"])
    approve(bench, "busy", bench.call("run", "-n", *DAY, "true").stderr)
    assert holder.release() == 0


def test_timed_out(bench):
    holder = bench.hold(*DAY, options=["--owner", "nightly"])
    approve(bench, "timed_out", bench.call("run", "-q", "-w", "0.1", *DAY, "true").stderr)
    assert holder.release() == 0


def test_lost(bench):
    holder = bench.hold(*DAY)
    assert bench.code("break", "--reason", "stuck since noon", *DAY) == 0
    code, _, err = finish(holder.process)
    assert code == 80
    approve(bench, "lost", err)


def test_store_unreachable(bench):
    url = f"local:{bench.folder}/no/such/store"
    done = bench.call("run", "--url", url, *DAY, "true")
    assert done.returncode == 69
    approve(bench, "store_unreachable", done.stderr)


def test_no_permission(open_bench):
    bench = open_bench
    (bench.folder / "store").mkdir(mode=0o700)
    done = bench.call("run", *DAY, "true", user=65534, group=65534)
    assert done.returncode == 77
    approve(bench, "no_permission", done.stderr)


def test_bad_spec(bench):
    done = bench.call("run", "-p", "ods.user_info/dt=2023%ZZ", "--", "true")
    assert done.returncode == 65
    approve(bench, "bad_spec", done.stderr)


def test_unknown_column(bench):
    assert bench.code("table", "register", "ods.user_info", "dt", "city") == 0
    done = bench.call("run", "ods.user_info", "dt=1", "town=x", "true")
    assert done.returncode == 65
    approve(bench, "unknown_column", done.stderr)


def test_nested_run(bench):
    script = f"unset LOCKER_OWNER; {LOCKER} run -q {' '.join(DAY)} true"
    done = bench.call("run", *DAY, "sh", "-c", script)
    assert done.returncode == 76
    approve(bench, "nested_run", done.stderr)


def test_per_user_store(open_bench):
    """Without the right to the shared store, always one line."""
    bench = open_bench
    bench.folder.chmod(0o777)
    del bench.environment["LOCKER_BACKEND"]
    done = bench.call("run", "-q", *DAY, "true", user=65534, group=65534)
    assert done.returncode == 0, done
    approve(bench, "per_user_store", done.stderr)


def in_a_host_of_its_own(bench, script):
    """Runs a script where /var/lib/locker is an empty shared store, whatever this host has there."""
    setup = "mount -t tmpfs none /var/lib && mkdir /var/lib/locker && "
    return subprocess.run(
        ["unshare", "--mount", "sh", "-c", setup + script],
        env=bench.environment | {"LOCKER": LOCKER},
        capture_output=True,
        check=False,
        timeout=LIVENESS,
    )


def test_two_stores(bench):
    """The user's own store is asked while the shared one is in use."""
    if in_a_host_of_its_own(bench, "true").returncode != 0:
        pytest.skip("no mount namespace can be made here")
    del bench.environment["LOCKER_BACKEND"]
    own = f"local:{bench.folder}/.local/state/locker"
    (bench.folder / ".local" / "state" / "locker").mkdir(parents=True)
    ask = f"env -u LOCKER_OWNER $LOCKER doctor --url {own}"
    shared = "$LOCKER run --url local:/var/lib/locker ods.t --"
    done = in_a_host_of_its_own(bench, f"$LOCKER run --url {own} ods.t -- {shared} {ask}")
    assert done.returncode == 0, done
    approve(bench, "two_stores", done.stderr)
    # One store alone is what it should be.
    done = in_a_host_of_its_own(bench, f"$LOCKER run --url {own} ods.t -- {ask}")
    assert (done.returncode, done.stderr) == (0, b""), done


def test_ended_by_a_signal(bench):
    holder = bench.hold(*DAY)
    waiter = bench.start("run", "-q", *DAY, "true")
    bench.wait_for_waiters(1)
    send(waiter, "TERM")
    approve(bench, "ended_by_a_signal", finish(waiter)[2])
    assert holder.release() == 0

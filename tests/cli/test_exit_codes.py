"""The exit codes of `locker run` and its neighbours, and how its words and values are read."""

import signal
import time

import pytest

from conftest import SLOW, finish, send

DAY = ("ods.t", "dt=1")


@pytest.mark.parametrize(
    "command, code",
    [
        (["true"], 0),
        (["sh", "-c", "exit 42"], 42),
        (["sh", "-c", "kill -KILL $$"], 137),
        (["sh", "-c", "kill -TERM $$"], 143),
        (["no-such-program-anywhere"], 127),
        (["/nowhere/at/all"], 127),
        (["/"], 126),
    ],
)
def test_L31_the_commands_own_end(bench, command, code):
    assert bench.code("run", *DAY, *command) == code


def test_L31_a_file_that_is_not_executable(bench):
    plain = bench.folder / "plain"
    plain.write_text("exit 0\n", encoding="ascii")
    plain.chmod(0o644)
    done = bench.call("run", *DAY, str(plain))
    assert done.returncode == 126 and b"cannot execute" in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["--no-such-option", *DAY, "true"],
        ["-Z", *DAY, "true"],
        ["-E", "300", *DAY, "true"],
        ["-E", "-1", *DAY, "true"],
        ["-E", "x", *DAY, "true"],
        ["--timeout"],
        ["-n", "-w", "5", *DAY, "true"],
        ["--once-code", "3", *DAY, "true"],
        ["--once", "--once-code", "300", *DAY, "true"],
        ["-o", "yaml", *DAY, "true"],
        ["-p", "ods.t/dt=1", "true"],
        ["-p", "ods.t/dt=1", "--"],
        ["-p", "ods.t/dt=1", "ods.u", "--", "true"],
        [*DAY],
        [*DAY, "--"],
        [*DAY, "-n", "true"],
        [*DAY, "--timeout=5", "true"],
        [],
        ["--", "true"],
    ],
)
def test_L31_usage_errors(bench, words):
    done = bench.call("run", *words)
    assert done.returncode == 64, done
    assert done.stderr.startswith(b"locker: ") and done.stdout == b""


def test_L31_not_obtained(bench):
    holder = bench.hold(*DAY)
    mark = bench.folder / "ran"
    command = [*DAY, "touch", str(mark)]
    assert bench.code("run", "-n", *command) == 75
    assert bench.code("run", "-n", "-E", "42", *command) == 42
    assert bench.code("run", "-n", "-E", "0", *command) == 0
    assert bench.code("run", "-w", "0", *command) == 75
    begin = time.monotonic()
    assert bench.code("run", "-w", "0.2", *command) == 75
    assert time.monotonic() - begin >= 0.2
    assert bench.code("try", *DAY) == 75
    assert bench.code("try", "-E", "9", *DAY) == 9
    assert bench.code("wait", "-w", "0.1", *DAY) == 75
    assert not mark.exists()
    assert [row["state"] for row in bench.rows("ls")] == ["holds"]
    assert holder.release() == 0
    assert bench.code("try", *DAY) == 0
    assert bench.code("wait", *DAY) == 0
    assert bench.code("run", "-n", *command) == 0 and mark.exists()


def test_L31_shared_locks_go_together(bench):
    holder = bench.hold(*DAY, options=["-s"])
    assert bench.code("run", "-n", "-s", *DAY, "true") == 0
    assert bench.code("run", "-n", *DAY, "true") == 75
    assert holder.release() == 0


def test_L31_the_words_of_the_command_are_its_own(bench):
    done = bench.call("run", *DAY, "echo", "-n", "--timeout", "a=b", "--")
    assert done.stdout == b"--timeout a=b --"
    # The resource ends at the first word without `=`, so a command may be named like nothing else.
    done = bench.call("run", "ods.t", "dt=1", "--", "env", "X=1", "sh", "-c", "echo $X")
    assert done.stdout == b"1\n"


def test_L31_bad_resources(bench):
    assert bench.code("run", ".t", "dt=1", "true") == 65
    assert bench.code("run", "-p", "ods.t/dt", "--", "true") == 65
    assert bench.code("run", "-p", "ods.t/dt=%zz", "--", "true") == 65
    assert bench.code("run", "ods.t", "dt=1", "dt=2", "true") == 65
    assert bench.code("table", "register", "ods.t", "dt") == 0
    assert bench.code("run", "ods.t", "hour=1", "true") == 65


@pytest.mark.parametrize("text", ["-1", "abc", "", "5x", "1h 30m", "1e9h"])
def test_B05_timeouts_that_are_none(bench, text):
    done = bench.call("run", "-w", text, *DAY, "true")
    # A number of hours beyond all years is either refused or means for ever.
    assert done.returncode == 64 and b"--timeout" in done.stderr
    assert bench.code("run", *DAY, "true", env={"LOCKER_TIMEOUT": text}) == 78


@pytest.mark.parametrize("text", ["0", "0.5", "300", "1h30m", "200ms", "inf", "1d"])
def test_B05_timeouts_that_are_some(bench, text):
    assert bench.code("run", "-w", text, *DAY, "true") == 0


@pytest.mark.parametrize("url", ["nonsense", "local:relative", "nowhere://x", "local:/a?x=1"])
def test_B06_bad_urls(bench, url):
    done = bench.call("run", "--url", url, *DAY, "true")
    assert done.returncode == 64 and b"--url" in done.stderr, done
    done = bench.call("run", *DAY, "true", env={"LOCKER_BACKEND": url})
    assert done.returncode == 78 and b"LOCKER_BACKEND" in done.stderr, done
    folder = bench.folder / "config" / "locker"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text('{"url": "%s"}' % url, encoding="utf-8")
    environment = dict(bench.environment)
    del bench.environment["LOCKER_BACKEND"]
    done = bench.call("ls")
    bench.environment = environment
    assert done.returncode == 78 and b"config.json" in done.stderr, done


def test_B06_a_store_that_can_not_be_reached(bench):
    done = bench.call("run", "--url", f"local:{bench.folder}/a/b/c", *DAY, "true")
    assert done.returncode == 69, done
    assert str(bench.folder).encode() in done.stderr


def test_B06_no_permission(open_bench):
    store = open_bench.folder / "closed"
    store.mkdir(mode=0o700)
    done = open_bench.call("ls", "--url", f"local:{store}", user=65534, group=65534)
    assert done.returncode == 77, done


@pytest.mark.parametrize("name", ["TERM", "INT", "HUP", "QUIT", "USR1", "USR2"])
def test_L09_a_signal_while_waiting_leaves_nothing(bench, name):
    holder = bench.hold(*DAY)
    mark = bench.folder / "ran"
    waiter = bench.start("run", "-q", *DAY, "touch", str(mark))
    bench.wait_for_waiters(1)
    send(waiter, name)
    code, _, _ = finish(waiter)
    assert code == 128 + getattr(signal, f"SIG{name}")
    assert [row["state"] for row in bench.rows("ls")] == ["holds"]
    assert holder.release() == 0 and not mark.exists()
    assert bench.rows("ls") == []


def test_L09_many_waiters_ended_by_signals(bench):
    holder = bench.hold(*DAY)
    waiters = [bench.start("run", "-q", *DAY, "true") for _ in range(12)]
    bench.wait_for_waiters(12)
    for waiter in waiters:
        send(waiter, "TERM")
    assert [finish(waiter)[0] for waiter in waiters] == [143] * 12
    assert [row["state"] for row in bench.rows("ls")] == ["holds"]
    begin = time.monotonic()
    assert holder.release() == 0
    assert bench.code("run", *DAY, "true") == 0
    assert time.monotonic() - begin < 5 * SLOW


def test_a_waiting_run_ignores_what_its_starter_ignored(bench):
    holder = bench.hold(*DAY)
    waiter = bench.start(
        "run", "-q", *DAY, "true", preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)
    )
    bench.wait_for_waiters(1)
    send(waiter, "HUP")
    assert holder.release() == 0
    assert finish(waiter)[0] == 0


def test_a_set_is_taken_at_once(bench):
    both = ["-p", "ods.t/dt=1", "-p", "ods.u/dt=1"]
    holder = bench.hold("ods.u", "dt=1")
    assert bench.code("run", "-n", *both, "--", "true") == 75
    assert bench.code("run", "-n", *DAY, "true") == 0
    assert holder.release() == 0
    done = bench.call("run", *both, "--", "sh", "-c", 'echo "$LOCKER_RESOURCE"')
    assert done.stdout.split() == [b"ods.t/dt=1", b"ods.u/dt=1"]


def test_a_slash_form_is_unescaped_and_words_are_raw(bench):
    holder = bench.hold("ods.t", "dt=a/b")
    assert bench.code("run", "-n", "-p", "ods.t/dt=a%2Fb", "--", "true") == 75
    assert bench.code("run", "-n", "ods.t", "dt=a%2Fb", "true") == 0
    assert bench.rows("ls")[0]["resource"] == "ods.t/dt=a%2Fb"
    assert holder.release() == 0

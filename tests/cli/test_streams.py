"""What the command under the lock gets: streams, descriptors, environment, signals' dispositions."""

import json
import os
import re
import signal
import subprocess

from conftest import LOCKER, finish

DAY = ("ods.t", "dt=1")


def test_L35_stdin_passes(bench):
    assert bench.call("run", *DAY, "cat", data=b"hi\n").stdout == b"hi\n"


def test_L35_no_mark_is_needed(bench):
    assert bench.call("run", *DAY, "sh", "-c", "echo x").stdout == b"x\n"


def test_L35_binary_data_pass(bench):
    data = bytes(range(256)) * 4096
    done = bench.call("run", *DAY, "cat", data=data)
    assert done.returncode == 0 and done.stdout == data


def test_L35_the_environment_tells_of_the_lock(bench):
    command = ["-p", "ods.t/dt=a%2Fb", "-p", "ods.u", "--", "env", "-0"]
    done = bench.call("run", *command, env={"LOCKER_TOKEN": "forged", "OTHER": "kept"})
    told = dict(each.split("=", 1) for each in done.stdout.decode().split("\0") if each)
    assert told["OTHER"] == "kept"
    assert told["LOCKER_RESOURCE"] == "ods.t/dt=a%2Fb\nods.u"
    assert told["LOCKER_PATH"] == "/ods/t/dt=a%2Fb\n/ods/u"
    assert re.fullmatch("[0-9a-f]{16}-[0-9a-f]{9}", told["LOCKER_TOKEN"])
    tokens = json.loads(told["LOCKER_TOKENS"])
    assert set(tokens) == {"ods.t/dt=a%2Fb", "ods.u"}
    assert told["LOCKER_TOKEN"] == max(tokens.values())
    assert told["LOCKER_ID"] and told["LOCKER_SESSION_TIMEOUT"] == "none"
    assert re.fullmatch("[0-9a-f]{32}:[0-9a-f]{32}", told["LOCKER_OWNER"])
    assert told["LOCKER_URL"] == bench.store


def test_L35_tokens_rise(bench):
    tokens = [bench.call("run", *DAY, "sh", "-c", "echo $LOCKER_TOKEN").stdout for _ in range(5)]
    assert sorted(set(tokens)) == tokens


def descriptors_of(bench, words, **options):
    """The descriptors that a program sees, without the one by which it looks."""
    script = "import os; print(sorted(f for f in map(int, os.listdir('/proc/self/fd')) if os.path.exists(f'/proc/self/fd/{f}')))"
    done = subprocess.run(
        [*words, "/usr/bin/python3", "-c", script],
        env=bench.environment,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        check=True,
        **options,
    )
    return json.loads(done.stdout)


def test_R25_exactly_the_descriptors_that_locker_was_started_with(bench):
    inherited, other = os.pipe()
    try:
        direct = descriptors_of(bench, [], pass_fds=[inherited])
        assert inherited in direct and other not in direct
        under = descriptors_of(bench, [LOCKER, "run", *DAY], pass_fds=[inherited])
        assert under == direct
    finally:
        os.close(inherited)
        os.close(other)


def test_R25_closed_standard_streams_stay_closed(bench):
    seen = bench.folder / "seen"
    script = f"ls -l /proc/$$/fd > {seen}"
    closing = ["sh", "-c", 'exec "$@" 0<&- 1>&- 2>&-', "sh"]

    def numbers(words):
        subprocess.run([*closing, *words, "sh", "-c", script], env=bench.environment, check=True)
        return re.findall(r" (\d+) ->", seen.read_text(encoding="utf-8"))

    under = numbers([LOCKER, "run", *DAY])
    assert under == numbers([]) and not {"0", "2"} & set(under)


def test_a_message_without_a_stderr_goes_nowhere(bench):
    words = [LOCKER, "run", "--log-level", "info", *DAY, "echo", "done"]
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" 2>&-', "sh", *words],
        env=bench.environment,
        stdout=subprocess.PIPE,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, b"done\n")


def signal_state(words, environment):
    script = "grep -E '^Sig(Blk|Ign)' /proc/self/status"

    def unusual():
        signal.signal(signal.SIGUSR2, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGWINCH])

    return subprocess.run(
        [*words, "sh", "-c", script],
        env=environment,
        capture_output=True,
        check=True,
        preexec_fn=unusual,
    ).stdout


def test_signal_masks_and_dispositions_are_the_inherited_ones(bench):
    direct = signal_state([], bench.environment)
    assert b"SigIgn" in direct
    assert signal_state([LOCKER, "run", *DAY], bench.environment) == direct


def test_the_command_has_a_process_group_of_its_own(bench):
    script = "echo $$ $(ps -o pgid= -p $$)"
    done = bench.call("run", *DAY, "sh", "-c", script)
    pid, group = done.stdout.split()
    assert pid == group


def test_a_closed_stderr_does_not_end_the_run(bench):
    reader, writer = os.pipe()
    os.close(reader)
    process = bench.start("run", "--log-level", "info", *DAY, "echo", "done", stderr=writer)
    os.close(writer)
    code, out, _ = finish(process)
    assert (code, out) == (0, b"done\n")


def test_the_prompt_of_a_waiting_locker_names_the_holder(bench):
    holder = bench.hold(*DAY, options=["--owner", "nightly", "--reason", "the load"])
    waiter = bench.start("run", *DAY, "true")
    line = waiter.stderr.readline().decode()
    assert line.startswith("locker: waiting for ods.t/dt=1: place 1, held by ")
    assert f"pid {holder.pid} " in line and "nightly" in line and "waited 0 s" in line
    assert holder.release() == 0
    assert finish(waiter)[0] == 0


def test_a_quiet_waiter_says_nothing(bench):
    holder = bench.hold(*DAY)
    waiter = bench.start("run", "-q", *DAY, "true")
    bench.wait_for_waiters(1)
    assert holder.release() == 0
    assert finish(waiter) == (0, b"", b"")

"""On a terminal: the status line, Ctrl-C, Ctrl-Z, and who reads from it."""

import fcntl
import os
import pty
import re
import select
import shlex
import signal
import struct
import termios
import time

import pytest

from conftest import LIVENESS, LOCKER, UNTIL_A_SIGNAL

DAY = "ods.t dt=1"


class Terminal:
    """A pseudo terminal with a program as its session leader."""

    def __init__(self, words, environment):
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            os.execvpe(words[0], words, environment)
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 200, 0, 0))
        self.seen = b""
        self.status = None

    def type(self, text):
        os.write(self.master, text)

    def read_until(self, pattern):
        """Reads until a pattern has come, and takes everything up to its end."""
        end = time.monotonic() + LIVENESS
        while True:
            found = re.search(pattern, self.seen)
            if found:
                self.seen = self.seen[found.end() :]
                return found
            left = end - time.monotonic()
            ready, _, _ = select.select([self.master], [], [], max(left, 0))
            assert ready, f"{pattern!r} did not come, only {self.seen!r}"
            try:
                part = os.read(self.master, 65536)
            except OSError:
                part = b""
            assert part, f"{pattern!r} did not come before the end, only {self.seen!r}"
            self.seen += part

    def wait(self):
        """The exit code, 128 + n for a signal."""
        end = time.monotonic() + LIVENESS
        while self.status is None and time.monotonic() < end:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = status
                break
            # A terminal that nobody reads from can hold up the end of its session.
            ready, _, _ = select.select([self.master], [], [], 0.02)
            if ready:
                try:
                    self.seen += os.read(self.master, 65536)
                except OSError:
                    pass
        assert self.status is not None, f"no end, only {self.seen!r}"
        code = os.waitstatus_to_exitcode(self.status)
        return code if code >= 0 else 128 - code

    def close(self):
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.master)


@pytest.fixture
def terminal(bench):
    made = []

    def start(*words):
        made.append(Terminal(list(words), bench.environment | {"PS1": "$ ", "TERM": "dumb"}))
        return made[-1]

    yield start
    for each in made:
        each.close()


def test_L35_the_command_has_the_terminal(terminal):
    script = "test -t 0 && test -t 1 && test -t 2 && echo on a terminal; read line; echo got $line"
    session = terminal(LOCKER, "run", *DAY.split(), "sh", "-c", script)
    session.read_until(b"on a terminal\r\n")
    session.type(b"a line\n")
    session.read_until(b"got a line\r\n")
    assert session.wait() == 0


def test_the_status_line(bench, terminal):
    holder = bench.hold(*DAY.split())
    session = terminal(LOCKER, "run", *DAY.split(), "echo", "granted")
    line = session.read_until(rb"\r\x1b\[Klocker: waiting for ods\.t/dt=1: ([^\r]*)").group(1)
    assert b"place 1, held by " in line and f"pid {holder.pid} ".encode() in line
    session.read_until(rb"\r\x1b\[K[^\r]*waited 1 s")
    assert holder.release() == 0
    session.read_until(rb"\r\x1b\[Kgranted\r\n")
    assert session.wait() == 0


def test_ctrl_c_while_waiting(bench, terminal):
    holder = bench.hold(*DAY.split())
    session = terminal(LOCKER, "run", *DAY.split(), "echo", "granted")
    session.read_until(b"waited 0 s")
    session.type(b"\x03")
    assert session.wait() == 130
    assert b"granted" not in session.seen
    assert len(bench.rows("ls")) == 1
    assert holder.release() == 0


def test_ctrl_c_ends_the_command(bench, terminal):
    session = terminal(LOCKER, "run", *DAY.split(), *UNTIL_A_SIGNAL)
    session.read_until(b"ready\r\n")
    session.type(b"\x03")
    assert session.wait() == 130
    assert bench.rows("ls") == []


def test_ctrl_c_ends_a_calling_script_as_well(terminal):
    script = f"{LOCKER} run {DAY} {shlex.join(UNTIL_A_SIGNAL)}; echo went on"
    session = terminal("sh", "-c", script)
    session.read_until(b"ready\r\n")
    session.type(b"\x03")
    assert session.wait() == 130
    assert b"went on" not in session.seen


def test_job_control(bench, terminal):
    session = terminal("bash", "--norc", "--noprofile", "-i")
    session.read_until(rb"\$ ")
    session.type(f"{LOCKER} run {DAY} sh -c 'echo rea\"\"dy; read x; echo got $x'\n".encode())
    session.read_until(b"ready\r\n")
    session.type(b"\x1a")
    session.read_until(b"Stopped")
    # The shell has the terminal back and answers, and the lock is still held.
    session.type(b'echo the""shell\n')
    session.read_until(b"theshell\r\n")
    assert bench.code("run", "-n", *DAY.split(), "true") == 75
    session.type(b"fg\n")
    session.read_until(b"read x")
    session.type(b"again\n")
    session.read_until(b"got again\r\n")
    session.read_until(rb"\$ ")
    assert bench.code("run", "-n", *DAY.split(), "true") == 0
    session.type(b"exit 5\n")
    assert session.wait() == 5


def test_job_control_while_waiting(bench, terminal):
    holder = bench.hold(*DAY.split())
    session = terminal("bash", "--norc", "--noprofile", "-i")
    session.read_until(rb"\$ ")
    session.type(f'{LOCKER} run {DAY} echo gran""ted\n'.encode())
    session.read_until(b"waited")
    session.type(b"\x1a")
    session.read_until(b"Stopped")
    assert holder.release() == 0
    session.type(b"fg\n")
    session.read_until(b"granted\r\n")
    session.type(b"exit 0\n")
    assert session.wait() == 0


def test_a_pipeline_keeps_its_reader(terminal):
    """The end of a pipeline reads from the terminal although it stands in locker's own group."""
    session = terminal("bash", "--norc", "--noprofile", "-i")
    session.read_until(rb"\$ ")
    pager = "{ cat; read x </dev/tty; echo asked $x; }"
    session.type(f"{LOCKER} run {DAY} echo thr\"\"ough | {pager}\n".encode())
    session.read_until(b"through\r\n")
    session.type(b"me\n")
    session.read_until(b"asked me\r\n")
    session.type(b"exit 0\n")
    assert session.wait() == 0


def test_colour_only_on_a_terminal_that_wants_it(bench, terminal):
    holder = bench.hold(*DAY.split())
    assert b"\x1b" not in bench.call("ls").stdout
    session = terminal(LOCKER, "ls")
    session.read_until(rb"\x1b\[1mRESOURCE")
    assert session.wait() == 0
    bench.environment["NO_COLOR"] = "1"
    session = terminal(LOCKER, "ls")
    session.read_until(rb"^RESOURCE")
    assert session.wait() == 0
    assert holder.release() == 0



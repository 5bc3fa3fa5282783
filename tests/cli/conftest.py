"""What the tests of the command share: a store of their own, and lockers that end with the test."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import zookeeper_server  # noqa: E402
from zookeeper_client import ZooKeeperClient  # noqa: E402

SLOW = float(os.environ.get("LOCKER_TEST_SLOW", "1"))
LOCKER = os.environ["LOCKER_BIN"]
# Nothing here takes that long; a test that reaches it has failed.
LIVENESS = 20 * SLOW


def eventually(condition, what="it"):
    """Waits until the condition gives something true, and gives that back."""
    end = time.monotonic() + LIVENESS
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError(f"{what} did not come about")


def alive(pid):
    """Whether a process runs; a zombie does not."""
    try:
        status = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status[status.rindex(")") + 2] not in "ZX"


def state_of(pid):
    """The state letter of a process."""
    status = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    return status[status.rindex(")") + 2]


class Holder:
    """A locker that holds until it is told to let go."""

    def __init__(self, process):
        self.process = process
        assert process.stdout.readline() == b"holding\n"

    @property
    def pid(self):
        return self.process.pid

    def release(self):
        self.process.stdin.close()
        return self.process.wait(LIVENESS)


class Bench:
    """Calls the command in an environment of its own, on a store of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.store = f"local:{folder}/store"
        self.processes = []
        self.environment = {
            name: text
            for name, text in os.environ.items()
            if not name.startswith("LOCKER_") and name not in ("NO_COLOR", "XDG_CONFIG_HOME")
        }
        self.environment |= {
            "HOME": str(folder),
            "XDG_CONFIG_HOME": f"{folder}/config",
            "LOCKER_BACKEND": self.store,
            "TZ": "UTC",
        }

    def call(self, *words, env=None, stdin=subprocess.DEVNULL, data=None, **options):
        """Runs the command to its end; bytes on both outputs."""
        given = {"input": data} if data is not None else {"stdin": stdin}
        return subprocess.run(
            [LOCKER, *words],
            env=self.environment | (env or {}),
            capture_output=True,
            timeout=LIVENESS * 2,
            check=False,
            **given,
            **options,
        )

    def code(self, *words, **options):
        return self.call(*words, **options).returncode

    def rows(self, *words, **options):
        """What a listing command says, as JSON."""
        done = self.call(*words[:1], "-o", "jsonl", *words[1:], **options)
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    def start(self, *words, env=None, **options):
        """Starts the command; it is ended with the test at the latest."""
        given = {
            "stdin": subprocess.PIPE,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
        } | options
        process = subprocess.Popen([LOCKER, *words], env=self.environment | (env or {}), **given)
        self.processes.append(process)
        return process

    def hold(self, *words, options=(), **more):
        """A holder of a resource, once it holds."""
        script = ["sh", "-c", "echo holding; read nothing; exit 0"]
        if "-p" in options:
            words = [*words, "--"]
        return Holder(self.start("run", *options, *words, *script, **more))

    def wait_for_waiters(self, count, *prefix):
        """Waits until that many requests wait, and gives the listing."""

        def enough():
            rows = self.rows("ls", *prefix)
            return rows if sum(row["state"] == "waits" for row in rows) >= count else None

        return eventually(enough, f"{count} waiters")

    def end(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            for stream in (process.stdin, process.stdout, process.stderr):
                if stream is not None:
                    stream.close()
            process.wait(LIVENESS)


@pytest.fixture
def bench(tmp_path):
    made = Bench(tmp_path)
    yield made
    made.end()


@pytest.fixture
def open_bench():
    """A bench in a folder that other users reach, for tests that become another user."""
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    with tempfile.TemporaryDirectory(prefix="locker-test-") as folder:
        os.chmod(folder, 0o755)
        made = Bench(pathlib.Path(folder))
        yield made
        made.end()


class ZooKeeperBench(Bench):
    """The same on a real ZooKeeper server, in a tree of its own."""

    def __init__(self, folder, server, chroot=None):
        super().__init__(folder)
        self.server = server
        # The folder's name is this test's alone.
        self.chroot = chroot or "/" + re.sub(r"\W", "_", folder.name)
        self.store = server.url + self.chroot
        self.environment["LOCKER_BACKEND"] = self.store
        # Makes the tree, which is told once.
        assert b"is new" in self.call("ls").stderr

    def set_session_timeout(self, seconds):
        folder = self.folder / "config" / "locker"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "config.json").write_text(json.dumps({"session_timeout": seconds}))

    def client(self):
        """For looking at the tree; paths begin at the server's root."""
        return ZooKeeperClient.of(self.server)

    def path(self, rest=""):
        return f"{self.chroot}/hive_locks{rest}"

    def tree(self):
        """Every node that there is."""
        with self.client() as look:
            return {path.removeprefix(self.path()) for path in look.walk(self.path())}


@pytest.fixture(scope="module")
def server():
    """A ZooKeeper server that a module's tests share. It ticks fast, and soon removes containers."""
    missing = zookeeper_server.missing_parts()
    if missing and not os.environ.get("CI"):
        pytest.skip(f"not on this host: {', '.join(missing)}")
    assert not missing
    with zookeeper_server.ZooKeeperServer(tick_ms=200, container_interval_ms=300) as made:
        yield made


@pytest.fixture
def zookeeper(tmp_path, server):
    made = ZooKeeperBench(tmp_path, server)
    yield made
    made.end()


# A program that says when it is there, and does nothing until a signal ends it. (A shell that is
# about to start another program can lose a signal on the way.)
UNTIL_A_SIGNAL = [
    "/usr/bin/python3",
    "-c",
    "import signal; signal.signal(signal.SIGINT, signal.SIG_DFL); print('ready', flush=True); signal.pause()",
]


def finish(process):
    """The end of a started process: exit code, stdout, stderr."""
    out, err = process.communicate(timeout=LIVENESS)
    return process.returncode, out, err


def send(process, name):
    process.send_signal(getattr(signal, f"SIG{name}"))

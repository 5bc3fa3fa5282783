"""Curator's mutex and kazoo's lock, the real ones, in processes of their own."""

import os
import pathlib
import subprocess
import sys
import threading

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "bench"))

import contestants  # noqa: E402
from peers import LIVENESS, boot_ns  # noqa: E402

INSTALLED = pathlib.Path(os.environ["LOCKER_BUILD"]) / "bench"


def command_of(client):
    """The words that start a client of that name; skips where it cannot be had."""
    try:
        if client == "curator":
            return ["java", "-cp", contestants.curator_class_path(INSTALLED), "CuratorHolder"]
        return [contestants.kazoo_python(INSTALLED), str(HERE / "kazoo_holder.py")]
    except contestants.Missing as why:
        if os.environ.get("CI"):
            pytest.fail(f"{client}: {why}")
        pytest.skip(f"{client}: {why}")


class ForeignClient:
    """One process of another client, with its lock on one directory."""

    def __init__(self, command, address, path, session_ms, folder):
        self.said = []  # (when, what)
        self.ended = False
        self.changed = threading.Condition()
        self.log = folder / f"{pathlib.Path(command[0]).name}-{id(self)}.log"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [*command, address, path, str(session_ms)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, bufsize=1,
            )
        self.reader = threading.Thread(target=self.listen, daemon=True)
        self.reader.start()
        self.wait("connected")

    def listen(self):
        for line in self.process.stdout:
            with self.changed:
                self.said.append((boot_ns(), line.strip()))
                self.changed.notify_all()
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def ask(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")

    def has_said(self, word):
        with self.changed:
            return any(said == word for _, said in self.said)

    def wait(self, word):
        """When it said so; from now on it may say it anew."""
        with self.changed:
            self.changed.wait_for(
                lambda: self.ended or any(said == word for _, said in self.said), LIVENESS
            )
            found = next((each for each in self.said if each[1] == word), None)
            assert found, f"no {word!r} came, but {self.said}; {self.log.read_text()[-2000:]}"
            self.said.remove(found)
        return found[0]

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self):
        self.kill()
        self.reader.join()
        self.process.stdin.close()
        self.process.stdout.close()


@pytest.fixture(params=["curator", "kazoo"])
def foreign(request, server, tmp_path):
    """foreign(path): another client with its lock on that directory."""
    command = command_of(request.param)
    started = []

    def start(path, session_ms=4000):
        started.append(ForeignClient(command, server.host_port, path, session_ms, tmp_path))
        return started[-1]

    yield start
    for each in started:
        each.end()

"""What runs in the system tests: peers (a C++ program on the library) and lockers (the command)."""

import os
import pathlib
import subprocess
import threading
import time
import typing

from zookeeper_server import SLOW

LOCKER = os.environ["LOCKER_BIN"]
PEER = os.environ["SYSTEM_PEER"]
# Nothing here takes that long; a test that reaches it has failed.
LIVENESS = 30 * SLOW


def boot_ns():
    """Now, on the clock that every process of this host shares."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


def eventually(condition, what="it", within=LIVENESS):
    """Waits until the condition gives something true, and gives that back."""
    end = time.monotonic() + within
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError(f"{what} did not come about")


class Event(typing.NamedTuple):
    """One line that a peer said: when, the first word, the others."""

    when: int
    word: str
    rest: str


class Call:
    """One command to a peer and all that it said about it."""

    def __init__(self, peer, key):
        self.peer = peer
        self.key = key
        self.events = []

    def said(self, *words):
        """The events with one of these words, in order."""
        with self.peer.changed:
            return [event for event in self.events if not words or event.word in words]

    def wait(self, *words, within=LIVENESS):
        """The first event with one of these words; another end of the call is an error."""
        ends = {*words, "failed"}
        with self.peer.changed:
            self.peer.changed.wait_for(
                lambda: self.peer.ended or any(event.word in ends for event in self.events), within
            )
            found = next((event for event in self.events if event.word in ends), None)
        assert found, f"nothing of {words} came; it said {self.events}"
        assert found.word in words, f"{found.word} {found.rest} instead of {words}"
        return found


class Peer:
    """A process with lockers of its own; `open` gives the first, named "main"."""

    def __init__(self, url, session_ms, *, prefix=(), env=None, connect_ms=15000):
        self.process = subprocess.Popen(
            [*prefix, PEER, url, str(session_ms), str(connect_ms)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
            env=os.environ | (env or {}),
        )
        self.calls = {}
        self.ended = False
        self.changed = threading.Condition()
        self.reader = threading.Thread(target=self.listen, daemon=True)
        self.reader.start()

    @property
    def pid(self):
        return self.process.pid

    def listen(self):
        for line in self.process.stdout:
            key, when, word, *rest = line.split(maxsplit=3) + [""]
            with self.changed:
                self.calls[key].events.append(Event(int(when), word, rest[0].strip()))
                self.changed.notify_all()
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def ask(self, verb, *words):
        """Sends a command; its answers come into what is returned."""
        with self.changed:
            call = Call(self, f"k{len(self.calls)}")
            self.calls[call.key] = call
        self.process.stdin.write(" ".join([call.key, verb, *map(str, words)]) + "\n")
        return call

    def open(self, name="main"):
        """Opens a locker; the session time-out in milliseconds."""
        return int(self.ask("open", name).wait("opened").rest)

    def lock(self, spec, *, mode="x", timeout_ms=120000, owner="-", locker="main"):
        return self.ask("lock", locker, spec, mode, timeout_ms, owner)

    def look(self, lock):
        """The state of a granted lock: held, suspended, lost or released."""
        return self.ask("look", lock.key).wait("held", "suspended", "lost", "released").word

    def unlock(self, lock):
        return self.ask("unlock", lock.key).wait("unlocked")

    def record(self, lock, name, value="1", locker="main"):
        """The fenced write; give its end to `wait`."""
        return self.ask("record", lock.key, locker, name, value)

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.reader.join()
        self.process.stdin.close()
        self.process.stdout.close()


# A command for a lock to guard: says when it begins, that it lives, and how it ends.
WORKER = str(pathlib.Path(__file__).parent / "worker.py")


class Site:
    """Where a test's processes run: servers, a folder, and everything that was started."""

    def __init__(self, servers, folder, session_ms=4000):
        self.servers = servers
        self.folder = folder
        self.session_ms = session_ms
        self.url = servers.url
        # Servers on a network of their own are reached from a host of that.
        self.home = servers.host("home") if hasattr(servers, "host") else None
        self.program = LOCKER
        self.started = []
        self.environment = {
            name: text for name, text in os.environ.items() if not name.startswith("LOCKER_")
        } | {"HOME": str(folder), "XDG_CONFIG_HOME": f"{folder}/config", "TZ": "UTC"}

    def peer(self, host=None, *, url=None, prefix=(), opened=True, **options):
        """A peer, on a host of the network if that is given."""
        options.setdefault("session_ms", self.session_ms)
        host = host or self.home
        words = [*(host.command() if host else []), *prefix]
        made = Peer(url or self.url, prefix=words, **options)
        self.started.append(made)
        if opened:
            made.open()
        return made

    def command(self, *words, host=None, prefix=(), url=None, session_ms=None):
        """The words of a locker command; `run` gets the session time-out."""
        verb = 2 if words[0] == "table" else 1
        given = ["--url", url or self.url]
        if words[0] == "run":
            given += ["--session-timeout", f"{session_ms or self.session_ms}ms"]
        host = host or self.home
        where = [*(host.command() if host else []), *prefix]
        return [*where, self.program, *words[:verb], *given, *words[verb:]]

    def call(self, *words, data=None, env=None, within=LIVENESS, **where):
        """Runs the command to its end; texts on both outputs."""
        return subprocess.run(
            self.command(*words, **where), env=self.environment | (env or {}), input=data,
            stdin=None if data is not None else subprocess.DEVNULL,
            capture_output=True, text=True, timeout=within, check=False,
        )

    def start(self, *words, env=None, **where):
        """Starts the command; it is ended with the test at the latest."""
        process = subprocess.Popen(
            self.command(*words, **where), env=self.environment | (env or {}), text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        self.started.append(process)
        return process

    def worker(self, name, *words, options=(), flags=(), **where):
        """`locker run` around a worker that writes its life into a file; see `Life`."""
        life = Life(self.folder / f"{name}.life")
        separator = [] if "-p" not in options else ["--"]
        command = ["/usr/bin/python3", WORKER, str(life.path), *flags]
        process = self.start("run", *options, *words, *(separator or ["--"]), *command, **where)
        life.process = process
        return life

    def end(self):
        for each in self.started:
            if isinstance(each, Peer):
                each.end()
                continue
            if each.poll() is None:
                each.kill()
            each.wait()
            for stream in (each.stdin, each.stdout, each.stderr):
                if stream is not None:
                    stream.close()


class Life:
    """What a worker wrote down, and the locker around it."""

    def __init__(self, path):
        self.path = path
        self.process = None

    def events(self, *words):
        """(time, event, text) of each line, of these events only if any are given."""
        if not self.path.exists():
            return []
        lines = [line.split() for line in self.path.read_text().splitlines(keepends=True) if line.endswith("\n")]
        return [Event(int(when), word, rest) for when, word, rest in lines if not words or word in words]

    def begun(self):
        """Waits until the worker has begun; the event's text is its token."""
        return eventually(lambda: self.events("begin"), f"the begin of {self.path.name}")[0]

    @property
    def last(self):
        """When it was last seen to live."""
        return self.events()[-1].when

    def let_go(self):
        """Lets the worker end by itself."""
        self.process.stdin.close()

    def code(self, within=LIVENESS):
        """The exit code of the locker around it."""
        return self.process.wait(within)

"""A network of a test's own: stations in namespaces, joined by a router whose wires can be cut.

Nothing outside sees it: each station is a network namespace with one address, 10.77.N.2, and all
packets between stations pass the router's FORWARD chain, where a cut is one rule. (On one loopback a
cut between two servers can't be told: there a packet's source is its destination.)
"""

import contextlib
import ctypes
import itertools
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess

CLONE_NEWNET = 0x40000000
LIBC = ctypes.CDLL(None, use_errno=True)
NAMES = pathlib.Path("/run/netns")
NUMBERS = itertools.count(1)


def missing_parts():
    """What keeps this host from making a network; empty if it can."""
    missing = [tool for tool in ("ip", "iptables") if not shutil.which(tool)]
    if missing:
        return missing
    probe = f"locker-probe-{os.getpid()}"
    if subprocess.run(["ip", "netns", "add", probe], capture_output=True, check=False).returncode != 0:
        return ["the right to make network namespaces"]
    subprocess.run(["ip", "netns", "del", probe], capture_output=True, check=False)
    return []


def call(*words):
    """Runs a command that has to succeed; its output."""
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


def switch_to(namespace_file):
    if LIBC.setns(namespace_file, CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")


class Namespace:
    """One network namespace, named after this process, so that a dead test's can be told."""

    def __init__(self, purpose):
        self.name = f"locker-test-{os.getpid()}-{next(NUMBERS)}-{purpose}"
        call("ip", "netns", "add", self.name)
        self.ip("link", "set", "lo", "up")

    def ip(self, *words):
        return call("ip", "-n", self.name, *words)

    def command(self, *words):
        """The words that run a command inside; its pid is the command's own."""
        return ["ip", "netns", "exec", self.name, *words]

    def run(self, *words):
        return call(*self.command(*words))

    @contextlib.contextmanager
    def inside(self):
        """This thread's sockets are made inside meanwhile, and stay there."""
        home = os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
        there = os.open(NAMES / self.name, os.O_RDONLY | os.O_CLOEXEC)
        try:
            switch_to(there)
            yield
        finally:
            switch_to(home)
            os.close(there)
            os.close(home)

    def socket(self, family=socket.AF_INET, kind=socket.SOCK_STREAM):
        with self.inside():
            return socket.socket(family, kind)

    def end(self):
        """Ends what runs inside, each by its pid, and removes it."""
        for pid in map(int, call("ip", "netns", "pids", self.name).split()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        call("ip", "netns", "del", self.name)


def remove_what_dead_tests_left():
    """Namespaces of test processes that are no more; a test killed by force could not do it."""
    for path in NAMES.glob("locker-test-*") if NAMES.is_dir() else ():
        pid = re.match(r"locker-test-(\d+)-", path.name)
        if pid and not os.path.exists(f"/proc/{pid.group(1)}"):
            subprocess.run(["ip", "netns", "del", path.name], capture_output=True, check=False)


class Station(Namespace):
    """A host of the network: `address`, and commands that run on it."""

    def __init__(self, purpose, number, router):
        super().__init__(purpose)
        wire = f"wire{number}"
        self.address = f"10.77.{number}.2"
        call("ip", "link", "add", "name", "eth0", "netns", self.name,
             "type", "veth", "peer", "name", wire, "netns", router.name)
        router.ip("addr", "add", f"10.77.{number}.1/24", "dev", wire)
        router.ip("link", "set", wire, "up")
        self.ip("addr", "add", f"{self.address}/24", "dev", "eth0")
        self.ip("link", "set", "eth0", "up")
        self.ip("route", "add", "default", "via", f"10.77.{number}.1")


class Network:
    """The router and its stations. Cuts are between addresses and last until `heal`."""

    def __init__(self):
        remove_what_dead_tests_left()
        self.router = Namespace("router")
        self.router.run("sysctl", "-q", "-w", "net.ipv4.ip_forward=1")
        self.stations = []
        self.numbers = itertools.count(11)

    def station(self, purpose):
        made = Station(purpose, next(self.numbers), self.router)
        self.stations.append(made)
        return made

    def cut(self, source, target=None, *, how="drop", both_ways=True):
        """Cuts TCP from one station to another, or to all; with `both_ways` the way back too.

        how: "drop" loses packets without a word, "reset" answers each with a reset.
        """
        action = {"drop": ["DROP"], "reset": ["REJECT", "--reject-with", "tcp-reset"]}[how]
        ways = [(source, target)] + ([(target, source)] if both_ways else [])
        for one, other in ways:
            ends = ["-s", one.address] if one else []
            ends += ["-d", other.address] if other else []
            self.router.run("iptables", "-A", "FORWARD", "-p", "tcp", *ends, "-j", *action)

    def lose(self, station, share):
        """Loses this share of the packets from and to a station, at random."""
        for end in ("-s", "-d"):
            self.router.run("iptables", "-A", "FORWARD", end, station.address,
                            "-m", "statistic", "--mode", "random", "--probability", str(share), "-j", "DROP")

    def heal(self):
        """Takes all cuts away."""
        self.router.run("iptables", "-F", "FORWARD")

    def end(self):
        for namespace in [*self.stations, self.router]:
            namespace.end()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

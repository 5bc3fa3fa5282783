"""A session through the relay on three real servers, which are stopped, cut off and ended."""

import os
import pathlib
import subprocess
import sys
import time

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))

import network  # noqa: E402
import zookeeper_server  # noqa: E402
from ensemble import Ensemble  # noqa: E402
from zookeeper_server import SLOW  # noqa: E402

PEER = os.environ["RELAY_PEER"]
SESSION_MS = 6000
LIVENESS_S = 30 * SLOW


@pytest.fixture(scope="module")
def shared():
    missing = zookeeper_server.missing_parts() + network.missing_parts()
    if missing and not os.environ.get("CI"):
        pytest.skip(f"not on this host: {', '.join(missing)}")
    assert not missing
    with Ensemble() as made:
        yield made


@pytest.fixture
def ensemble(shared):
    yield shared
    shared.mend()


class Peer:
    """The program with the session, on the network's host "client"."""

    def __init__(self, ensemble, servers=None):
        self.ensemble = ensemble
        self.host = ensemble.host("client")
        addresses = servers or ensemble.connect_string
        self.process = subprocess.Popen(
            self.host.command(PEER, addresses, str(SESSION_MS)),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
        )
        word, self.session = self.process.stdout.readline().split()
        assert word == "session"

    def say(self, word):
        self.process.stdin.write(word + "\n")
        return self.process.stdout.readline().strip()

    def server(self):
        """The one that the session is on."""
        for server in self.ensemble.servers:
            if server.mode() and f"sid=0x{self.session}," in server.four_letter("cons").decode():
                return server
        return None

    def writes(self):
        """Waits until a write succeeds. A session that is lost never writes again."""
        end = time.monotonic() + LIVENESS_S
        said = ""
        while time.monotonic() < end:
            said = self.say("write")
            if said.startswith("written "):
                return
            assert not said.startswith("failed lost"), said
        raise AssertionError(f"no write succeeded: {said}; {self.say('contact')}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(LIVENESS_S)
        finally:
            self.process.kill()


@pytest.fixture
def on_follower(ensemble):
    """A session on a server that does not lead: that one, and the others."""
    while True:
        with Peer(ensemble) as peer:
            mine = peer.server()
            leader = ensemble.leader()
            if mine is leader:
                continue
            yield peer, mine, leader, next(each for each in ensemble.servers if each not in (mine, leader))
            return


def test_a_stopped_server_and_one_that_is_cut_off_cost_no_session(ensemble, on_follower):
    peer, mine, _, other = on_follower
    peer.writes()
    ensemble.network.cut(ensemble.station_of(other), peer.host)
    mine.pause()
    peer.writes()


def test_two_servers_that_are_cut_off_cost_no_session(ensemble, on_follower):
    peer, mine, leader, _ = on_follower
    for server in (mine, leader):
        ensemble.network.cut(ensemble.station_of(server), peer.host)
    peer.writes()


def test_a_server_that_is_stopped_for_a_while_costs_no_session(on_follower):
    """As long collections of garbage do it. It wakes with a request for the session in its queue."""
    peer, mine, _, _ = on_follower
    mine.pause()
    peer.writes()
    assert peer.server() is not mine
    mine.go_on()
    end = time.monotonic() + 2 * SESSION_MS / 1000
    while time.monotonic() < end:
        peer.writes()


def test_a_follower_that_has_lost_its_leader_is_passed_over(ensemble, on_follower):
    """It takes connections and is silent or hangs up, as nobody tells it whether the session lives."""
    peer, mine, leader, _ = on_follower
    for server in ensemble.servers:
        if server is not mine:
            ensemble.network.cut(ensemble.station_of(mine), ensemble.station_of(server))
    peer.writes()
    assert peer.server() is not mine
    assert leader.mode() == "leader"


def test_a_new_leader_costs_no_session(ensemble):
    with Peer(ensemble) as peer:
        ensemble.leader().kill()
        peer.writes()


def test_servers_that_restart_one_after_the_other_cost_no_session(ensemble):
    with Peer(ensemble) as peer:
        for server in ensemble.servers:
            server.restart()
            ensemble.leader()
            peer.writes()

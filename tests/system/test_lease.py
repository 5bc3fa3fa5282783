"""The belief in a lock ends before its node goes, whichever server dies at the worst moment.

A follower tells the leader of a session's life only when it answers the leader's next ping. One that
dies just after it confirmed a write takes that knowledge with it, and the leader ends the session a
whole time-out after what it was told before. Long ticks make that gap wide.
"""

import os

import pytest

import network
import zookeeper_server
from conftest import need
from cutting_proxy import CuttingProxy
from ensemble import Ensemble
from peers import Site, boot_ns, eventually
from zookeeper_client import ZooKeeperClient

TICK_MS = 2000
SESSION_MS = 2 * TICK_MS  # The least that these servers grant.
WHOLE = 1 << 20
TIMES = 10 if "LOCKER_TEST_FULL" in os.environ else 1
again_and_again = pytest.mark.parametrize("time", range(TIMES))
SPEC, DIRECTORY = "db.lease/dt=1", "/hive_locks/db/lease/dt=1"


@pytest.fixture(scope="module")
def slow_ticks():
    need(zookeeper_server.missing_parts() + network.missing_parts())
    with Ensemble(tick_ms=TICK_MS) as made:
        yield made


class Scene:
    """A holder that reaches one follower alone, by a proxy that tells when a reply has passed."""

    def __init__(self, ensemble, site):
        self.ensemble = ensemble
        self.follower, self.other = ensemble.followers()
        host = ensemble.host("a")
        self.proxy = CuttingProxy(
            self.follower.address, self.follower.port, open_socket=host.socket, dial_socket=host.socket
        )
        self.site = site
        self.host = host

    def peer(self):
        return self.site.peer(self.host, url=self.proxy.url, session_ms=SESSION_MS)

    def heartbeat(self, nth):
        """Returns when the reply to this heartbeat has passed; the connection ends with it."""
        order = self.proxy.cut(
            lambda request: "set" in request.kinds and "/.owners/" in request.paths[0],
            nth=nth, at_byte=WHOLE,
        )
        eventually(order.done.is_set, "a heartbeat")

    def kill(self, server):
        server.kill()
        # Nobody else is reached by this proxy any more.
        self.proxy.refuses = True
        self.proxy.close_all()

    def end(self):
        self.proxy.end()


@pytest.fixture
def scene(slow_ticks, tmp_path):
    site = Site(slow_ticks, tmp_path)
    made = Scene(slow_ticks, site)
    yield made
    site.end()
    made.end()
    slow_ticks.mend()


def belief_ends_first(scene, held):
    """Watches the node on the leader until it has gone: the holder knew before."""
    with ZooKeeperClient.of(scene.ensemble.leader()) as look:
        assert look.children(DIRECTORY)
        while look.children(DIRECTORY):
            pass
        gone = boot_ns()
    lost = held.wait("lost")
    print(f"known {(gone - lost.when) / 1e6:.0f} ms before the node went")
    assert lost.when < gone, f"{(lost.when - gone) / 1e6} ms too long"


def hold(peer):
    held = peer.lock(SPEC)
    held.wait("granted")
    return held


@again_and_again
def test_after_a_heartbeat(scene, time):
    peer = scene.peer()
    held = hold(peer)
    scene.heartbeat(nth=4)
    scene.kill(scene.follower)
    belief_ends_first(scene, held)


@again_and_again
def test_of_a_session_just_opened(scene, time):
    peer = scene.peer()
    held = hold(peer)
    scene.kill(scene.follower)
    belief_ends_first(scene, held)


@again_and_again
def test_of_the_first_lock_of_an_idle_session(scene, time):
    peer = scene.peer()
    begin = boot_ns()
    eventually(lambda: boot_ns() - begin > 2 * SESSION_MS * 1e6, "an idle while")
    held = hold(peer)
    scene.kill(scene.follower)
    belief_ends_first(scene, held)


@again_and_again
def test_of_a_session_that_came_to_another_server(scene, time):
    peer = scene.peer()
    held = hold(peer)
    scene.proxy.target = (scene.other.address, scene.other.port)
    scene.heartbeat(nth=3)  # The connection ends, and the next one leads to the other server.
    scene.heartbeat(nth=1)
    scene.kill(scene.other)
    belief_ends_first(scene, held)

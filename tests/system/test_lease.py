"""The belief in a lock ends before its node goes, whichever server dies at the worst moment.

A follower tells the leader of a session's life only when it answers the leader's next ping. One that
dies just after it confirmed a heartbeat takes that knowledge with it, and the leader ends the session
a whole time-out after the heartbeat before. Servers end sessions at whole ticks, so short ticks leave
the least by chance.
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

TICK_MS = 200
SESSION_MS = 6000
WHOLE = 1 << 20
TIMES = 10 if "LOCKER_TEST_FULL" in os.environ else 1
again_and_again = pytest.mark.parametrize("time", range(TIMES))
SPEC, DIRECTORY = "db.lease/dt=1", "/hive_locks/db/lease/dt=1"


@pytest.fixture(scope="module")
def fast_ticks():
    need(zookeeper_server.missing_parts() + network.missing_parts())
    # A loaded host must not be taken for a dead server.
    with Ensemble(tick_ms=TICK_MS, config={"initLimit": 100, "syncLimit": 50}) as made:
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

    def heartbeat(self, nth, before=lambda: None):
        """Returns when the reply to this heartbeat has passed; the connection ends with it.

        before: called when the reply has come, but has not passed yet.
        """
        order = self.proxy.cut(
            lambda request: "set" in request.kinds and "/.owners/" in request.paths[0],
            nth=nth, at_byte=WHOLE, before=before,
        )
        eventually(order.done.is_set, "a heartbeat")

    def kill(self, server):
        """Kills a server, if that is not done, and keeps the holder from all others."""
        server.kill()
        # Nobody else is reached by this proxy any more.
        self.proxy.refuses = True
        self.proxy.close_all()

    def end(self):
        self.proxy.end()


@pytest.fixture
def scene(fast_ticks, tmp_path):
    site = Site(fast_ticks, tmp_path)
    made = Scene(fast_ticks, site)
    yield made
    site.end()
    made.end()
    fast_ticks.mend()


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
    scene.heartbeat(nth=4, before=scene.follower.process.kill)
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
    scene.heartbeat(nth=2, before=scene.other.process.kill)
    scene.kill(scene.other)
    belief_ends_first(scene, held)

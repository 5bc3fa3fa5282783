"""Three servers on a network of their own: what is cut is really cut, and all of it goes again."""

import os
import subprocess
import time

import pytest

import network
import zookeeper_server
from conftest import need
from ensemble import Ensemble
from zookeeper_client import ZooKeeperClient
from zookeeper_server import SLOW

SHORT_S = 0.5


@pytest.fixture(scope="module")
def shared():
    need(zookeeper_server.missing_parts() + network.missing_parts())
    with Ensemble() as made:
        yield made


@pytest.fixture
def ensemble(shared):
    yield shared
    shared.mend()


def client_on(host, server):
    """A client that runs on a host of the network."""
    return ZooKeeperClient(server.address, server.port, open_socket=host.socket)


def test_one_leads_and_another_when_it_is_killed(ensemble):
    assert sorted(server.mode() for server in ensemble.servers) == ["follower", "follower", "leader"]
    first = ensemble.leader()
    first.kill()
    second = ensemble.leader()
    assert second is not first
    with ZooKeeperClient.of(second) as client:
        client.create("/while-one-is-dead")
    ensemble.mend()
    with ZooKeeperClient.of(first) as client:
        client.sync()
        assert client.exists("/while-one-is-dead")


def test_a_cut_host_reaches_nobody_and_others_do(ensemble):
    server = ensemble.servers[0]
    cut, other = ensemble.host("a"), ensemble.host("b")
    with client_on(cut, server) as one, client_on(other, server) as two:
        ensemble.cut_off(cut)
        one.line.settimeout(SHORT_S)
        with pytest.raises(TimeoutError):
            one.create("/from-the-cut-one")
        two.create("/from-the-other")
        assert not two.exists("/from-the-cut-one")
        ensemble.network.heal()
        one.line.settimeout(60 * SLOW)
        one.receive()  # The late reply: the packet was sent again.
        assert two.exists("/from-the-cut-one")


def test_a_cut_of_one_way_loses_the_replies_alone(ensemble):
    server, host = ensemble.servers[0], ensemble.host("a")
    with client_on(host, server) as client:
        ensemble.cut_off(host, both_ways=False)
        client.line.settimeout(SHORT_S)
        with pytest.raises(TimeoutError):
            client.create("/the-reply-is-lost")
        with ZooKeeperClient.of(server) as direct:
            assert direct.exists("/the-reply-is-lost")
        ensemble.network.heal()


def test_a_cut_by_reset_ends_connections(ensemble):
    server, host = ensemble.servers[0], ensemble.host("a")
    client = client_on(host, server)
    ensemble.cut_off(host, how="reset")
    with pytest.raises(ConnectionResetError):
        client.create("/never")
    client.line.close()
    with pytest.raises(ConnectionRefusedError):
        client_on(host, server)


def test_an_isolated_leader_is_followed_by_another(ensemble):
    first = ensemble.leader()
    ensemble.isolate(first)
    end = time.monotonic() + 60 * SLOW
    while not any(each.mode() == "leader" for each in ensemble.servers if each is not first):
        assert time.monotonic() < end, "nobody else leads"
        time.sleep(0.02)
    ensemble.mend()
    assert first.mode() in ("follower", "leader")


def test_a_host_runs_commands_with_their_own_pid(ensemble):
    host = ensemble.host("a")
    with subprocess.Popen(host.command("sleep", "1000")) as process:
        while os.readlink(f"/proc/{process.pid}/exe") != os.path.realpath("/usr/bin/sleep"):
            time.sleep(0.01)
        assert os.readlink(f"/proc/{process.pid}/ns/net") != os.readlink("/proc/self/ns/net")
        process.kill()


def test_nothing_is_left_of_an_ensemble():
    need(zookeeper_server.missing_parts() + network.missing_parts())
    with Ensemble() as made:
        left = subprocess.Popen(made.host("a").command("sleep", "1000"))
        server, folder, names = made.servers[0].process, made.servers[0].folder, made.network.router.name
        assert names in network.call("ip", "netns", "list")
    assert left.wait(20 * SLOW) == -9
    assert server.poll() is not None
    assert not folder.exists()
    assert names not in network.call("ip", "netns", "list")

"""Addresses of a coordinator that are wrong: told clearly and in time, never a hang or an abort."""

import subprocess

import pytest

import network
import zookeeper_server
from conftest import need
from peers import LIVENESS, LOCKER, Site, boot_ns
from zookeeper_server import free_port

BAD = ["zk://host:0", "zk://host:99999", "zk://host:port", "zk://a,,b", "zk://", "zk://[::1", "zk://a/../b"]


class Nowhere:
    """In the place of a server: nobody listens there."""

    def __init__(self):
        self.url = f"zk://127.0.0.1:{free_port()}"


@pytest.fixture
def nowhere(tmp_path):
    made = Site(Nowhere(), tmp_path)
    yield made
    made.end()


@pytest.mark.parametrize("url", BAD)
def test_B06_a_bad_address_is_a_wrong_option(nowhere, url):
    done = nowhere.call("try", "db.t", "dt=1", url=url)
    assert done.returncode == 64
    assert "--url" in done.stderr


@pytest.mark.parametrize("url", BAD)
def test_B06_the_same_from_the_environment_is_a_wrong_setting(nowhere, url):
    done = subprocess.run(
        [LOCKER, "try", "db.t", "dt=1"], env=nowhere.environment | {"LOCKER_BACKEND": url},
        capture_output=True, text=True, timeout=LIVENESS, check=False,
    )
    assert done.returncode == 78
    assert "LOCKER_BACKEND" in done.stderr


def unreachable(site, url, **where):
    """Calls it with a second's patience; it has to be unavailable and say where."""
    begin = boot_ns()
    done = site.call("try", "--connect-timeout", "1s", "db.t", "dt=1", url=url, **where)
    assert done.returncode == 69, done.stderr
    assert done.stderr.count("\n") <= 3 and "127.0.0.1" in done.stderr or "::1" in done.stderr
    return (boot_ns() - begin) / 1e9


def test_B06_nobody_listens(nowhere):
    unreachable(nowhere, nowhere.url)


def test_B06_nobody_listens_on_ipv6(nowhere):
    unreachable(nowhere, f"zk://[::1]:{free_port()}")


def test_B06_nobody_listens_on_49_hosts(nowhere):
    unreachable(nowhere, "zk://" + ",".join(f"127.0.0.1:{free_port()}" for _ in range(49)))


def test_B06_fifty_hosts_are_too_many_and_told_so(nowhere):
    done = nowhere.call("try", "db.t", "dt=1", url="zk://" + ",".join(f"h{number}" for number in range(50)))
    assert done.returncode == 64
    assert "49 hosts" in done.stderr


def test_B06_a_name_that_nobody_knows(nowhere):
    done = nowhere.call("try", "--connect-timeout", "1s", "db.t", "dt=1", url="zk://no-such-host.invalid")
    assert done.returncode == 69, done.stderr
    assert "no-such-host.invalid" in done.stderr


def test_B06_a_host_with_nothing_but_a_loopback(nowhere):
    need(network.missing_parts())
    station = network.Namespace("lonely")
    try:
        unreachable(nowhere, "zk://127.0.0.1:2181", host=station)
        done = nowhere.call("try", "--connect-timeout", "1s", "db.t", "dt=1", url="zk://10.77.1.1", host=station)
        assert done.returncode == 69, done.stderr
    finally:
        station.end()


def test_B06_a_server_on_ipv6_is_reached(tmp_path):
    """The brackets of an address belong to the URL, not to the address."""
    need(zookeeper_server.missing_parts())
    over_ipv6 = {"config": {"clientPortAddress": "::"}, "java": ["-Djava.net.preferIPv4Stack=false"]}
    with zookeeper_server.ZooKeeperServer(**over_ipv6) as server:
        site = Site(server, tmp_path)
        try:
            done = site.call("run", "db.t", "dt=1", "--", "echo", "held", url=f"zk://[::1]:{server.port}")
            assert (done.returncode, done.stdout) == (0, "held\n"), done.stderr
        finally:
            site.end()


def test_B06_a_missing_chroot_is_made(site, tree):
    done = site.call("run", "db.t", "dt=1", "--", "echo", "held", url=site.url + "/not/there/yet")
    assert (done.returncode, done.stdout) == (0, "held\n"), done.stderr

"""The proxy that cuts: a cut falls at the byte that was ordered, and what the server did stays done."""

import pathlib
import socket
import statistics
import subprocess
import sys
import time

import pytest

import zookeeper_client
from cutting_proxy import CuttingProxy
from zookeeper_client import ZooKeeperClient
from zookeeper_frames import read_request
from zookeeper_server import SLOW


@pytest.fixture
def proxy(zookeeper):
    with CuttingProxy(zookeeper.address, zookeeper.port) as made:
        yield made


def client_of(proxy):
    return ZooKeeperClient(proxy.address, proxy.port)


def is_create_of(path):
    return lambda request: request.is_create and path in request.paths


class Received:
    """A socket that counts what came through it."""

    def __init__(self, family, kind):
        self.line = socket.socket(family, kind)
        self.count = 0

    def recv(self, size):
        piece = self.line.recv(size)
        self.count += len(piece)
        return piece

    def __getattr__(self, name):
        return getattr(self.line, name)


def test_everything_passes_without_an_order(zookeeper, proxy):
    with client_of(proxy) as client:
        assert client.create("/a", b"data") == "/a"
        assert client.get("/a")[0] == b"data"
    with ZooKeeperClient.of(zookeeper) as direct:
        assert direct.children("/") == ["a", "zookeeper"]


def test_a_four_letter_word_passes(proxy):
    with socket.create_connection((proxy.address, proxy.port)) as line:
        line.sendall(b"ruok")
        assert line.recv(100) == b"imok"


def test_a_reply_is_cut_at_every_byte(zookeeper, proxy):
    """The client gets so many bytes and no more; the server has made the node each time."""
    at_byte, size = 0, 1
    while at_byte <= size:
        client = ZooKeeperClient(proxy.address, proxy.port, open_socket=Received)
        order = proxy.cut(is_create_of(f"/n{at_byte}"), at_byte=at_byte)
        before = client.line.count
        with pytest.raises(ConnectionError):
            client.create(f"/n{at_byte}")
            client.create("/after")
        assert order.done.wait(20 * SLOW)
        size = order.size
        assert client.line.count - before == at_byte
        client.line.close()
        with ZooKeeperClient.of(zookeeper) as direct:
            assert direct.exists(f"/n{at_byte}") and not direct.exists("/after")
        at_byte += 1
    assert size == 4 + 16 + 4 + len("/n42")


def test_a_request_that_is_cut_never_happens(zookeeper, proxy):
    order = proxy.cut(is_create_of("/n"), side="request", at_byte=30, then="reset")
    client = client_of(proxy)
    with pytest.raises(ConnectionResetError):
        client.create("/n")
    assert order.done.is_set()
    with ZooKeeperClient.of(zookeeper) as direct:
        assert not direct.exists("/n")


def test_the_nth_is_cut_over_connections(proxy):
    order = proxy.cut(lambda request: request.is_create, nth=3, at_byte=4)
    with client_of(proxy) as first, client_of(proxy) as second:
        first.create("/a")
        second.create("/b")
        with pytest.raises(ConnectionError):
            first.create("/c")
        second.create("/d")
    assert order.request.paths == ["/c"]


def test_a_swallowed_reply_leaves_the_connection_open_until_it_is_closed(zookeeper, proxy):
    order = proxy.cut(is_create_of("/n"), then="stall")
    client = client_of(proxy)
    client.line.settimeout(0.3)
    with pytest.raises(TimeoutError):
        client.create("/n")
    assert order.done.is_set()
    with ZooKeeperClient.of(zookeeper) as direct:
        assert direct.exists("/n")
    proxy.close_all()
    client.line.settimeout(20 * SLOW)
    assert client.line.recv(1) == b""


def test_a_stalled_proxy_accepts_and_says_nothing_until_it_goes_on(proxy):
    proxy.stall()
    with socket.create_connection((proxy.address, proxy.port)) as line:
        line.sendall(b"ruok")
        line.settimeout(0.3)
        with pytest.raises(TimeoutError):
            line.recv(100)
        proxy.go_on()
        line.settimeout(20 * SLOW)
        assert line.recv(100) == b"imok"


def test_latency_is_added_each_way(zookeeper):
    with CuttingProxy(zookeeper.address, zookeeper.port, latency_ms=20) as slow:
        with client_of(slow) as client:
            times = []
            for _ in range(5):
                begin = time.monotonic()
                client.get("/")
                times.append(time.monotonic() - begin)
    assert 0.040 <= min(times)
    assert statistics.median(times) < 0.040 + 2 * SLOW


def test_as_a_program_it_serves_until_its_input_ends(zookeeper):
    program = pathlib.Path(__file__).parent / "cutting_proxy.py"
    process = subprocess.Popen(
        [sys.executable, program, "--to", zookeeper.host_port],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )
    address, _, port = process.stdout.readline().strip().partition(":")
    with ZooKeeperClient(address, int(port)) as client:
        assert client.children("/") == ["zookeeper"]
    process.communicate("", timeout=20 * SLOW)
    assert process.returncode == 0


def test_a_multi_is_read_to_its_operations():
    """What a proxy sees of create, set and delete in one multi."""
    acl = zookeeper_client.access_list(zookeeper_client.WORLD)
    number, text = (lambda value: value.to_bytes(4, "big", signed=True)), zookeeper_client.text
    operations = [
        (1, text("/a/lock_x_1-lock-") + text("data") + acl + number(3)),
        (5, text("/owner") + text("beat") + number(-1)),
        (2, text("/a/gone") + number(4)),
    ]
    body = number(7) + number(14)
    for kind, content in operations:
        body += number(kind) + b"\0" + number(-1) + content
    body += number(-1) + b"\1" + number(-1)
    request = read_request(number(len(body)) + body, first=False)
    assert request.xid == 7
    assert request.kinds == ["multi", "create", "set", "delete"]
    assert request.paths == ["/a/lock_x_1-lock-", "/owner", "/a/gone"]
    assert request.is_create

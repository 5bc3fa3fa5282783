"""The servers of the tests: they come up on a port of their own, and nothing of them is left."""

import os
import pathlib
import signal
import socket
import subprocess
import sys
import time

import pytest

import zookeeper_server
from zookeeper_server import SLOW, ServerFailed, ZooKeeperServer

LAUNCHER = pathlib.Path(__file__).parent / "with_zookeeper.py"


def gone(pid):
    """Waits until a process that is not ours is no more."""
    end = time.monotonic() + 20 * SLOW
    while os.path.exists(f"/proc/{pid}"):
        assert time.monotonic() < end, f"{pid} still runs"
        time.sleep(0.02)
    return True


def launch(*words, env=None, **options):
    return subprocess.Popen(
        [sys.executable, LAUNCHER, *words], env={**os.environ, **(env or {})},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options,
    )


def test_it_keeps_port_and_data_over_a_restart(zookeeper):
    assert zookeeper.mode() == "standalone"
    port, first = zookeeper.port, zookeeper.pid
    zookeeper.kill()
    assert zookeeper.mode() is None
    zookeeper.start()
    assert (zookeeper.port, zookeeper.mode()) == (port, "standalone")
    assert zookeeper.pid != first


def test_a_stopped_one_answers_nothing_until_it_goes_on(zookeeper):
    zookeeper.pause()
    with pytest.raises(TimeoutError):
        zookeeper.four_letter("ruok", timeout_s=0.3)
    zookeeper.go_on()
    assert zookeeper.four_letter("ruok") == b"imok"


def test_a_port_that_somebody_took_is_not_used(zookeeper, monkeypatch):
    """The port was free when it was looked at, and is not when the server binds."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        found = iter([other.getsockname()[1], zookeeper_server.free_port()])
        monkeypatch.setattr(zookeeper_server, "free_port", lambda *_: next(found))
        with ZooKeeperServer() as second:
            assert second.port != other.getsockname()[1]


def test_a_server_that_can_not_start_says_why(zookeeper):
    broken = ZooKeeperServer(config={"tickTime": "soon"})
    with pytest.raises(ServerFailed, match="soon"):
        broken.start()
    broken.end()


def test_the_launcher_gives_the_addresses_and_the_exit_code(zookeeper):
    process = launch("--", "sh", "-c", "echo $LOCKER_TEST_ZOOKEEPER $LOCKER_CONFORMANCE_URL $$; exit 42")
    out, _ = process.communicate(timeout=60 * SLOW)
    address, url, _ = out.split()
    assert process.returncode == 42
    assert url == f"zk://{address}"
    with socket.socket() as probe, pytest.raises(ConnectionRefusedError):
        probe.connect(("127.0.0.1", int(address.split(":")[1])))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_the_launcher_ends_both_whatever_ends_it(zookeeper, number):
    process = launch("--", "sh", "-c", "echo $LOCKER_TEST_ZOOKEEPER $$; exec sleep 1000")
    address, program = process.stdout.readline().split()
    server = server_on(int(address.split(":")[1]))
    process.send_signal(number)
    process.communicate(timeout=20 * SLOW)
    assert gone(program) and gone(server)


def server_on(port):
    """The process whose configuration names the port."""
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            config = pathlib.Path(words[-2].decode()) if len(words) > 2 else folder
            if config.name == "zoo.cfg" and f"clientPort={port}\n" in config.read_text():
                return int(folder.name)
        except OSError:
            continue
    raise AssertionError(f"no server has the port {port}")


@pytest.mark.parametrize("ci,code", [("", 77), ("true", 1)])
def test_without_zookeeper_the_launcher_skips_but_not_in_ci(ci, code):
    process = launch("--", "true", env={"LOCKER_TEST_ZOOKEEPER_CLASSPATH": "/nowhere.jar", "CI": ci})
    out, _ = process.communicate(timeout=20 * SLOW)
    assert process.returncode == code
    assert out == "no ZooKeeper server on this host: /nowhere.jar not found\n"

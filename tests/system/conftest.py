"""What the system tests share: servers for a whole file, and processes that end with their test."""

import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import network  # noqa: E402
import zookeeper_server  # noqa: E402
from cutting_proxy import CuttingProxy  # noqa: E402
from ensemble import Ensemble  # noqa: E402
from peers import Site  # noqa: E402
from zookeeper_client import ZooKeeperClient  # noqa: E402


def need(missing):
    """Skips where something is missing; with CI set somebody counts on it."""
    if missing and not os.environ.get("CI"):
        pytest.skip(f"not on this host: {', '.join(missing)}")
    assert not missing


@pytest.fixture(scope="module")
def shared_server():
    need(zookeeper_server.missing_parts())
    with zookeeper_server.ZooKeeperServer() as made:
        yield made


@pytest.fixture(scope="module")
def shared_ensemble():
    need(zookeeper_server.missing_parts() + network.missing_parts())
    with Ensemble() as made:
        yield made


@pytest.fixture
def ensemble(shared_ensemble):
    """Three servers; whatever the test does to them is mended after it."""
    yield shared_ensemble
    shared_ensemble.mend()


@pytest.fixture
def server(shared_server):
    """One server, running."""
    yield shared_server
    shared_server.go_on()
    if not shared_server.running():
        shared_server.start()


def site_on(servers, tmp_path):
    made = Site(servers, tmp_path)
    yield made
    made.end()


@pytest.fixture
def site(server, tmp_path):
    """Processes against one server."""
    yield from site_on(server, tmp_path)


@pytest.fixture
def cluster(ensemble, tmp_path):
    """Processes against three servers, on hosts that can be cut off."""
    yield from site_on(ensemble, tmp_path)


@pytest.fixture
def proxy(server):
    """What stands before the server and cuts."""
    with CuttingProxy(server.address, server.port) as made:
        yield made


@pytest.fixture
def tree(server):
    """A look at the one server's nodes."""
    with ZooKeeperClient.of(server) as client:
        yield client

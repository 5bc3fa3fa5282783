"""What the tests of the tests' own support share."""

import os

import pytest

import zookeeper_server


def need(missing):
    """Skips where something is missing; with CI set somebody counts on it."""
    if missing and not os.environ.get("CI"):
        pytest.skip(f"not on this host: {', '.join(missing)}")
    assert not missing


@pytest.fixture
def zookeeper():
    """A server of this test's own."""
    need(zookeeper_server.missing_parts())
    with zookeeper_server.ZooKeeperServer() as server:
        yield server

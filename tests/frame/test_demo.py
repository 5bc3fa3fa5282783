"""The demo comes out as it says, and cleans up."""

import os
import subprocess

import pytest


def test_demo_loses_rows_only_without_the_lock(root, run, tmp_path, product_build):
    shown = run(root / "scripts" / "demo", "--runs", "3", env={**os.environ, "TMPDIR": str(tmp_path)})
    assert "rows were lost in 3 of 3 runs" in shown
    assert "rows were lost in 0 of 3 runs" in shown
    assert "As promised: 3 of 3 without the lock, 0 of 3 with it." in shown
    assert list(tmp_path.iterdir()) == []


def test_demo_on_a_zookeeper_server(root, tmp_path, product_build):
    done = subprocess.run(
        [root / "scripts" / "demo", "--zk", "--runs", "2"],
        env={**os.environ, "TMPDIR": str(tmp_path)}, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )
    if done.returncode == 77:
        pytest.skip(done.stdout.splitlines()[-1])
    assert done.returncode == 0, done.stdout
    assert "The locks are kept at zk://127.0.0.1:" in done.stdout
    assert "As promised: 2 of 2 without the lock, 0 of 2 with it." in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_demo_without_a_server_says_so_in_one_line(root, tmp_path, product_build):
    """Whatever this host has installed."""
    nothing = {"LOCKER_TEST_ZOOKEEPER_CLASSPATH": "/nowhere/zookeeper.jar", "TMPDIR": str(tmp_path)}
    environment = {name: text for name, text in os.environ.items() if name != "CI"} | nothing
    done = subprocess.run(
        [root / "scripts" / "demo", "--zk"], env=environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )
    assert done.returncode == 77
    assert done.stdout.splitlines()[-1] == "no ZooKeeper server on this host: /nowhere/zookeeper.jar not found"


def test_the_orders_are_the_same_at_every_call(root, run):
    generator = root / "docs" / "examples" / "etl" / "generate_orders.sh"
    first, second = run(generator), run(generator)
    assert first == second
    assert len(first.splitlines()) == 100001


def test_the_etl_script_is_right_alone_and_may_be_run_again(root, run, tmp_path):
    etl = root / "docs" / "examples" / "etl"
    orders, table = tmp_path / "orders.csv", tmp_path / "table"
    orders.write_text(run(etl / "generate_orders.sh"))
    for source in ("web", "app", "web"):
        run(etl / "build_partition.sh", orders, table, "2023-05-01", source)
    rows = run("gzip", "-dc", table / "dt=2023-05-01" / "part-00000.csv.gz")
    assert rows.splitlines() == orders.read_text().splitlines()[1:]
    assert list((table / "_temporary").iterdir()) == []

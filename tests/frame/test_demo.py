"""The demo comes out as it says, and cleans up."""

import os


def test_demo_loses_rows_only_without_the_lock(root, run, tmp_path, product_build):
    shown = run(root / "scripts" / "demo", "--runs", "3", env={**os.environ, "TMPDIR": str(tmp_path)})
    assert "rows were lost in 3 of 3 runs" in shown
    assert "rows were lost in 0 of 3 runs" in shown
    assert "As promised: 3 of 3 without the lock, 0 of 3 with it." in shown
    assert list(tmp_path.iterdir()) == []


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

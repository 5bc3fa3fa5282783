"""A locker inside a locker, runs that count once, and the figures of a run."""

import json
import os
import re

from conftest import LIVENESS, LOCKER, finish

DAY = ("ods.t", "dt=1")


def test_a_nested_run_is_its_parents_owner(bench):
    script = f"""
        echo $LOCKER_TOKEN
        {LOCKER} run -n ods.t dt=1 sh -c 'echo $LOCKER_TOKEN'
        {LOCKER} run -n ods.t dt=2 sh -c 'echo $LOCKER_TOKEN'
        {LOCKER} try ods.t dt=1
    """
    done = bench.call("run", *DAY, "sh", "-c", script)
    assert done.returncode == 0, done
    outer, inner, other, told = done.stdout.splitlines()
    assert outer == inner and other > outer
    assert told == b"ods.t/dt=1 would be granted now"


def test_the_parents_lock_outlives_the_nested_one(bench):
    script = f"{LOCKER} run -n ods.t dt=1 true; echo holding; read x; exit 0"
    holder = bench.start("run", *DAY, "sh", "-c", script)
    assert holder.stdout.readline() == b"holding\n"
    assert bench.code("run", "-n", *DAY, "true") == 75
    holder.stdin.close()
    assert holder.wait() == 0
    assert bench.rows("ls") == []


def test_a_nested_run_reaches_its_parents_store(bench):
    other = f"local:{bench.folder}/other"
    script = f"{LOCKER} run -n ods.t dt=1 sh -c 'echo $LOCKER_URL'"
    done = bench.call("run", "--url", other, *DAY, "sh", "-c", script)
    assert done.stdout.decode().strip() == other


def test_a_nested_run_without_its_owner_is_told_at_once(bench):
    script = f"unset LOCKER_OWNER; {LOCKER} run -q ods.t dt=1 true"
    done = bench.call("run", *DAY, "sh", "-c", script)
    assert done.returncode == 76, done
    assert bench.rows("ls") == []


def test_a_torn_owner_is_refused(bench):
    assert bench.code("run", *DAY, "true", env={"LOCKER_OWNER": "torn"}) == 78


def test_once(bench):
    log = bench.folder / "log"
    command = [*DAY, "sh", "-c", f"echo run >> {log}; exit $CODE"]
    assert bench.code("run", "--once", *command, env={"CODE": "3"}) == 3
    assert bench.code("run", "--once", *command, env={"CODE": "0"}) == 0
    done = bench.call("run", "--once", *command, env={"CODE": "0"})
    assert done.returncode == 0 and b"ods.t/dt=1 is done already" in done.stderr
    assert done.stderr.endswith(b"; skipped\n")
    done = bench.call("run", "--once", "--once-code", "9", *command, env={"CODE": "0"})
    assert done.returncode == 9
    assert log.read_text(encoding="ascii") == "run\nrun\n"
    # Another partition is another matter, and without --once the command runs as ever.
    assert bench.code("run", "--once", "ods.t", "dt=2", "sh", "-c", "exit 5") == 5
    assert bench.code("run", *command, env={"CODE": "0"}) == 0
    assert log.read_text(encoding="ascii") == "run\nrun\nrun\n"


def test_once_in_a_race_counts_once(bench):
    log = bench.folder / "log"
    command = [*DAY, "sh", "-c", f"echo run >> {log}"]
    runs = [bench.start("run", "-q", "--once", *command) for _ in range(4)]
    assert [finish(run)[0] for run in runs] == [0] * 4
    assert log.read_text(encoding="ascii") == "run\n"


def test_once_does_not_count_a_lost_run(bench):
    holder = bench.hold(*DAY, options=["--once"])
    assert bench.code("break", "--reason", "the test", *DAY) == 0
    assert holder.process.wait() == 80
    assert bench.code("run", "--once", *DAY, "sh", "-c", "exit 4") == 4


def test_once_knows_a_partition_by_any_order_of_its_columns(bench):
    assert bench.code("table", "register", "ods.t", "dt", "city") == 0
    assert bench.code("run", "--once", "ods.t", "dt=1", "city=x", "true") == 0
    assert bench.code("run", "--once", "ods.t", "city=x", "dt=1", "false") == 0


def metrics(path):
    text = path.read_text(encoding="utf-8")
    values = {}
    for line in text.splitlines():
        if line.startswith("#"):
            assert re.match(r"# (HELP|TYPE) locker_run_[a-z_]+ .", line)
            continue
        name, labels, value = re.fullmatch(r"(\w+)\{(.*)\} ([0-9.]+)", line).groups()
        assert 'table="ods.t"' in labels
        values[name] = (labels, float(value))
    return values


def test_metrics(bench):
    path = bench.folder / "locker.prom"
    holder = bench.hold(*DAY)
    run = ["run", "--metrics-file", str(path)]
    assert bench.code(*run, "-w", "0.1", *DAY, "true") == 75
    values = metrics(path)
    assert 'result="timeout"' in values["locker_run_result"][0]
    assert values["locker_run_wait_seconds"][1] >= 0.1
    assert values["locker_run_exit_code"][1] == 75
    assert holder.release() == 0
    assert bench.code(*run, *DAY, "sh", "-c", "sleep 0.1; exit 4") == 4
    values = metrics(path)
    assert 'result="failed"' in values["locker_run_result"][0]
    assert values["locker_run_hold_seconds"][1] >= 0.1
    assert values["locker_run_lost"][1] == 0
    assert list(bench.folder.glob("locker.prom*")) == [path]
    # A run does not fail for its figures.
    done = bench.call("run", "--metrics-file", "/nowhere/x", *DAY, "true")
    assert done.returncode == 0 and b"cannot write /nowhere/x" in done.stderr


def test_json_errors(bench):
    holder = bench.hold(*DAY)
    done = bench.call("run", "-n", "-o", "json", *DAY, "true")
    error = json.loads(done.stderr)["error"]
    assert list(error) == ["class", "code", "message", "exit_code", "holders", "place"]
    assert error["class"] == "timeout" and error["exit_code"] == 75
    assert error["holders"][0]["owner"]["pid"] == holder.pid
    assert holder.release() == 0


def test_a_part_of_a_job_outlives_its_sibling(bench):
    # Both parts are their parent's owner; what one of them locked by itself ends with it alone.
    gates = [bench.folder / "first", bench.folder / "second"]
    for gate in gates:
        os.mkfifo(gate)
    first, second = (f"{LOCKER} run ods.t dt=2 -- sh -c 'echo in; read line < {g}'" for g in gates)
    parts = f"({first}; echo first $?) & ({second}; echo second $?) & wait"
    job = bench.start("run", *DAY, "sh", "-c", parts)
    assert [job.stdout.readline() for _ in gates] == [b"in\n", b"in\n"]
    gates[0].write_text("\n", encoding="ascii")
    assert job.stdout.readline() == b"first 0\n"
    gates[1].write_text("\n", encoding="ascii")
    out, err = job.communicate(timeout=LIVENESS)
    assert out == b"second 0\n" and job.returncode == 0, err

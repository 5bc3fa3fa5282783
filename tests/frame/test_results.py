"""What the tests' runner and scripts/cases make of programs that pass, fail, skip, die or hang."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIB = ROOT / "scripts" / "lib"


def run_test(folder, *command, pattern=""):
    environment = {**os.environ, "LOCKER_TEST_RESULTS": str(folder / "leg"), "LOCKER_TEST_PATTERN": pattern}
    return subprocess.run(
        [sys.executable, LIB / "run_test.py", *command],
        env=environment, capture_output=True, text=True, check=False,
    )


def collected(folder):
    command = [sys.executable, LIB / "collect_results.py", folder]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def script(tmp_path, text):
    path = tmp_path / "program.sh"
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    "text,total,code",
    [
        ("exit 0", "1 passed, 0 failed, 0 skipped", 0),
        ("exit 1", "0 passed, 1 failed, 0 skipped", 1),
        ("kill -9 $$", "0 passed, 1 failed, 0 skipped", 1),
        ("exit 77", "0 passed, 0 failed, 1 skipped", 1),
    ],
)
def test_plain_programs(tmp_path, text, total, code):
    results = tmp_path / "results"
    done = run_test(results, script(tmp_path, text))
    assert (done.returncode in (0, 77)) == ("failed" not in total or " 0 failed" in total)
    summary = collected(results)
    assert summary.stdout.splitlines()[-1] == total
    assert summary.returncode == code


def test_a_program_that_never_ended_failed(tmp_path):
    leg = tmp_path / "results" / "leg"
    leg.mkdir(parents=True)
    (leg / "1.json").write_text(json.dumps({"program": "hangs", "ended": False, "cases": []}))
    summary = collected(tmp_path / "results")
    assert summary.stdout.splitlines()[-1] == "0 passed, 1 failed, 0 skipped"
    assert "out of time" in summary.stdout


def test_pytest_cases_are_counted(tmp_path):
    test = tmp_path / "test_inner.py"
    test.write_text(
        "import pytest\n"
        "def test_one(): pass\n"
        "def test_two(): assert 1 == 2\n"
        "def test_three(): pytest.skip('no tool')\n"
    )
    run_test(tmp_path / "results", sys.executable, "-m", "pytest", "-q", str(test))
    summary = collected(tmp_path / "results")
    assert summary.stdout.splitlines()[-1] == "1 passed, 1 failed, 1 skipped"
    assert "skipped (1): no tool" in summary.stdout


@pytest.mark.parametrize("pattern", ["two", "test two"])
def test_a_pattern_chooses_cases(tmp_path, pattern):
    test = tmp_path / "test_inner.py"
    test.write_text("def test_one(): pass\ndef test_two(): pass\n")
    run_test(tmp_path / "results", sys.executable, "-m", "pytest", "-q", str(test), pattern=pattern)
    assert collected(tmp_path / "results").stdout.splitlines()[-1] == "1 passed, 0 failed, 0 skipped"


def test_no_test_at_all_is_no_success(tmp_path):
    (tmp_path / "results").mkdir()
    assert collected(tmp_path / "results").returncode == 1


CATCH = """
#include <catch2/catch.hpp>
#include <csignal>
TEST_CASE("good") { CHECK(1 == 1); }
TEST_CASE("has sections") {
  SECTION("a") { CHECK(true); }
  SECTION("b/c") { CHECK(true); }
}
TEST_CASE("bad") { const int two = 2; CHECK(two == 1); }
TEST_CASE("dies") { raise(SIGKILL); }
TEST_CASE("never reached") { CHECK(true); }
"""


def test_catch_cases_are_counted_up_to_where_it_died(tmp_path, run, build):
    source, program = tmp_path / "inner.cc", tmp_path / "inner"
    source.write_text(CATCH)
    main = build / "tests" / "support" / "libtest_main.a"
    run("g++", "-std=c++20", "-O0", source, main, "-o", program)
    done = run_test(tmp_path / "results", str(program))
    assert done.returncode == 128 + 9
    assert "FAILED bad" in done.stdout and "2 == 1" in done.stdout
    assert "FAILED dies" in done.stdout
    assert collected(tmp_path / "results").stdout.splitlines()[-1] == "2 passed, 2 failed, 0 skipped"


def test_catch_cases_behind_a_launcher_are_counted(tmp_path, run, build):
    source, program = tmp_path / "inner.cc", tmp_path / "inner"
    source.write_text(CATCH.replace("raise(SIGKILL)", "CHECK(true)"))
    run("g++", "-std=c++20", "-O0", source, build / "tests" / "support" / "libtest_main.a", "-o", program)
    run_test(tmp_path / "results", script(tmp_path, 'shift; exec "$@"'), "--", str(program))
    assert collected(tmp_path / "results").stdout.splitlines()[-1] == "4 passed, 1 failed, 0 skipped"


def cases(tmp_path, listed, outcomes):
    (tmp_path / "cases.tsv").write_text(listed)
    leg = tmp_path / "results" / "leg"
    leg.mkdir(parents=True)
    found = [{"name": name, "outcome": outcome, "seconds": 0, "text": ""} for name, outcome in outcomes]
    (leg / "1.json").write_text(json.dumps({"program": "p", "ended": True, "cases": found}))
    return subprocess.run(
        [ROOT / "scripts" / "cases", "--check", "--list", tmp_path / "cases.tsv",
         "--results", tmp_path / "results"],
        capture_output=True, text=True, check=False,
    )


@pytest.mark.parametrize(
    "listed,outcomes,complaint",
    [
        ("L01\twhat\n", [("L01: it works", "passed")], None),
        ("L01\twhat\nB02\twhat\n", [("L01 B02: it works", "passed")], None),
        ("L01\twhat\n", [("test_L01_works[x]", "passed")], None),
        ("RI-04\twhat\n", [("test_RI_04_works", "passed")], None),
        ("L01\twhat\tneeds a moon\n", [("other", "passed")], None),
        ("L01\twhat\n", [("other", "passed")], "L01: neither a test nor a reason"),
        ("L01\twhat\n", [("L01: it works", "failed")], "L01: a test failed"),
        ("L01\twhat\n", [("L01: it works", "skipped")], "L01: its tests were skipped"),
        ("L01\twhat\tneeds a moon\n", [("L01: it works", "passed")], "L01: its reason is stale"),
        ("L01\twhat\n", [("L01: a", "passed"), ("L99: b", "passed")], "L99: a test names it"),
        ("L01\twhat\n", [("L012: not an id", "passed")], "L01: neither a test nor a reason"),
    ],
)
def test_cases(tmp_path, listed, outcomes, complaint):
    done = cases(tmp_path, listed, outcomes)
    if complaint is None:
        assert done.returncode == 0, done.stdout
    else:
        assert done.returncode == 1
        assert f"scripts/cases: {complaint}" in done.stdout

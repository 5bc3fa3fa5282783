"""Each installed header compiles alone, under the strictest warnings a user may have."""

import pathlib

import pytest

INCLUDE = pathlib.Path(__file__).resolve().parents[2] / "liblocker" / "include"
HEADERS = sorted(str(path.relative_to(INCLUDE)) for path in INCLUDE.rglob("*.h"))
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Wold-style-cast", "-Werror"]


def test_there_are_headers():
    assert "locker/partition_locker.h" in HEADERS


@pytest.mark.parametrize("header", HEADERS)
def test_header_compiles_alone(header, run, tmp_path):
    source = tmp_path / "alone.cc"
    source.write_text(f"#include <{header}>\n#include <{header}>\n")
    run("g++", "-std=c++20", "-fsyntax-only", *WARNINGS, "-I", INCLUDE, source)

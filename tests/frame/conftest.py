"""What the frame's tests share: where things are, and what to do without a tool."""

import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("LOCKER_BUILD", ROOT / "build"))


@pytest.fixture
def root():
    return ROOT


@pytest.fixture
def build():
    return BUILD


@pytest.fixture
def need():
    """need(tool): with CI set a missing tool is a failure, elsewhere the test is skipped."""

    def check(tool):
        if shutil.which(tool) is None:
            text = f"{tool} is missing"
            pytest.fail(text) if os.environ.get("CI") else pytest.skip(text)

    return check


@pytest.fixture
def run():
    """run(words…): runs a command that must succeed, and gives its output."""

    def call(*words, **options):
        done = subprocess.run(
            [str(word) for word in words],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            check=False,
            **options,
        )
        assert done.returncode == 0, done.stdout
        return done.stdout

    return call


@pytest.fixture
def product_build():
    """For what calls scripts/setup: it is about build/ alone and would build that."""
    if BUILD != ROOT / "build":
        pytest.skip("only in build/, as scripts/test has it")
    return BUILD

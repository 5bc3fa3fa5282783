"""The docs are true: their commands run, their tables are the command's, their links lead somewhere.

A block marked ```sh run is executed as it stands, with the built locker in the path, a store of its
own as the default, and a build_partition.sh in the folder. One marked ```sh run zookeeper has a real server, too:
ZOOKEEPER is its host:port, and LOCKER_BACKEND its URL.
"""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import zookeeper_server  # noqa: E402 (found by the line above)

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```(\w+) run( zookeeper)?\n(.*?)^```", re.S | re.M)


def blocks():
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for match in FENCE.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            name = f"{page.relative_to(ROOT)}:{line}"
            yield pytest.param(match.group(1), match.group(2), match.group(3), id=name)


@pytest.fixture(scope="module", name="zookeeper")
def server_to_show():
    """Where a real server listens; started by the first command that needs one."""
    missing = zookeeper_server.missing_parts()
    if missing:
        assert not os.environ.get("CI"), missing
        pytest.skip(str(missing))
    with zookeeper_server.ZooKeeperServer() as server:
        yield server.host_port


@pytest.mark.parametrize("shell,server,text", blocks())
def test_commands_run(shell, server, text, build, tmp_path, request):
    assert shell == "sh"
    job = tmp_path / "build_partition.sh"
    job.write_text('#!/bin/sh\necho "built $1"\n')
    job.chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{build / 'cli'}:{os.environ['PATH']}",
        "LOCKER_BACKEND": f"local:{tmp_path}/store",
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
    }
    if server:
        address = request.getfixturevalue("zookeeper")
        environment |= {"ZOOKEEPER": address, "LOCKER_BACKEND": f"zk://{address}"}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", text],
        cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, check=False, timeout=120,
    )
    assert done.returncode == 0, done.stdout


def test_promises_are_those_of_the_backends(root, build, run):
    page = (root / "docs" / "promises.md").read_text(encoding="utf-8")
    # Without the names that the tests' own machinery has in the environment.
    said = run(build / "cli" / "locker", "backends", "-o", "json", env={})
    for backend in json.loads(said):
        for fact in ("url", "what", "liveness", "order", "not_promised"):
            assert backend[fact] in page, fact


def test_there_are_commands_in_the_readme():
    assert "```sh run" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_tables_are_the_commands(root, build, run):
    run(root / "scripts" / "reference", "--check", "--locker", build / "cli" / "locker")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        assert re.match(r"https?://", target) or (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_named_files_exist(page):
    text = page.read_text(encoding="utf-8")
    folders = "liblocker|cli|hooks|tests|scripts|docs"
    for name in re.findall(rf"`((?:{folders})/[\w./-]+)`", text):
        assert (ROOT / name).exists(), name


def test_every_page_is_in_the_index():
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    for page in (ROOT / "docs").rglob("*.md"):
        name = str(page.relative_to(ROOT / "docs"))
        assert name == "index.md" or f"({name})" in index, name


def test_hello_is_short_and_shown_as_it_is(root):
    hello = (root / "docs" / "examples" / "hello.cc").read_text(encoding="utf-8")
    assert len(hello.splitlines()) <= 20
    assert f"```cpp\n{hello}```" in (root / "docs" / "hello.md").read_text(encoding="utf-8")


def test_async_is_shown_as_it_is(root):
    source = (root / "docs" / "examples" / "async.cc").read_text(encoding="utf-8")
    page = (root / "docs" / "hello.md").read_text(encoding="utf-8")
    (shown,) = [text for text in re.findall(r"^```cpp\n(.*?)^```", page, re.S | re.M) if "Task" in text]
    assert shown in source and "co_await locker->async_lock" in shown


@pytest.mark.parametrize("name, says", [("hello", 1), ("async", 3)])
def test_examples_build_against_the_build_tree(root, build, run, tmp_path, name, says):
    """By the line that the page prints."""
    page = (root / "docs" / "hello.md").read_text(encoding="utf-8")
    (line,) = re.findall(r"^g\+\+ .* build/liblocker/api/liblocker.a .*$", page, re.M)
    words = line.replace("hello.cc", f"{name}.cc").replace(" build/", f" {build}/").split()
    run(*words[:-1], tmp_path / name, cwd=root)
    assert run(tmp_path / name, f"local:{tmp_path}/store").count(" is ours") == says


def test_the_two_commands_come_first(root):
    first = (root / "README.md").read_text(encoding="utf-8").splitlines()[:15]
    assert [line for line in first if line.startswith("scripts/")] == ["scripts/demo", "scripts/test"]

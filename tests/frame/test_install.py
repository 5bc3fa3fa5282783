"""What `meson install` puts down is enough to build against and to use."""

import os
import pathlib
import subprocess

import pytest

HELLO = pathlib.Path("docs") / "examples" / "hello.cc"
SAYS = "ods.user_info/dt=20230501 is ours, token "


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """An installed tree of the build; the prefix is wherever it lies."""
    build = os.environ["LOCKER_BUILD"]
    where = tmp_path_factory.mktemp("installed")
    subprocess.run(
        ["meson", "install", "-C", build, "--no-rebuild", "--quiet", "--destdir", where], check=True
    )
    return next(where.rglob("include")).parent


def test_everything_is_there(installed, root):
    headers = {path.name for path in (root / "liblocker" / "include" / "locker").iterdir()}
    assert {path.name for path in (installed / "include" / "locker").iterdir()} == headers
    for place in (
        "bin/locker",
        "share/man/man1/locker.1",
        "share/bash-completion/completions/locker",
        "share/zsh/site-functions/_locker",
        "share/fish/vendor_completions.d/locker.fish",
    ):
        assert (installed / place).stat().st_size > 0, place
    assert [path.name for path in installed.rglob("liblocker.*")] == ["liblocker.a"]
    assert len(list(installed.rglob("locker.pc"))) == 1


def test_hello_builds_with_pkg_config(installed, root, run, tmp_path):
    folder = next(installed.rglob("locker.pc")).parent
    environment = {**os.environ, "PKG_CONFIG_PATH": str(folder)}
    moved = f"--define-variable=prefix={installed}"
    words = run("pkg-config", moved, "--cflags", "--libs", "locker", env=environment)
    assert "boost" not in words.lower()
    program = tmp_path / "hello"
    run("g++", root / HELLO, "-o", program, *words.split())
    assert SAYS in run(program, f"local:{tmp_path}/store")


def test_hello_builds_with_cmake(installed, root, need, run, tmp_path):
    need("cmake")
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\n"
        "project(hello CXX)\n"
        "find_package(locker 0.1 REQUIRED)\n"
        f"add_executable(hello {root / HELLO})\n"
        "target_link_libraries(hello PRIVATE locker::locker)\n"
    )
    run("cmake", "-S", tmp_path, "-B", tmp_path / "b", f"-DCMAKE_PREFIX_PATH={installed}")
    run("cmake", "--build", tmp_path / "b")
    assert SAYS in run(tmp_path / "b" / "hello", f"local:{tmp_path}/store")


def test_man_page_is_clean(installed, need, run):
    need("mandoc")
    page = installed / "share/man/man1/locker.1"
    assert run("mandoc", "-T", "lint", "-W", "warning", page) == ""
    text = run("mandoc", "-T", "utf8", page)
    assert "LOCKER_TOKEN" in text and "128+n" in text


@pytest.mark.parametrize(
    "shell,place",
    [
        ("bash", "share/bash-completion/completions/locker"),
        ("zsh", "share/zsh/site-functions/_locker"),
        ("fish", "share/fish/vendor_completions.d/locker.fish"),
    ],
)
def test_completions_parse(installed, need, run, shell, place):
    need(shell)
    assert run(shell, "-n", installed / place) == ""

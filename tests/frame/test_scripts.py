"""The scripts are clean, and say what is wrong with a call."""

import subprocess

import pytest


def shell_files(root):
    listed = subprocess.run(
        ["git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard"],
        capture_output=True, text=True, check=True,
    )
    for name in listed.stdout.splitlines():
        path = root / name
        if path.is_file() and not name.endswith((".zsh", ".fish")):
            first = path.open("rb").readline()
            if first.startswith(b"#!") and b"sh" in first.split(b"/")[-1] or name.endswith(".sh"):
                yield name


def test_shellcheck(root, need, run):
    need("shellcheck")
    names = list(shell_files(root))
    assert {"scripts/setup", "scripts/demo", "scripts/test", ".ci/run"} <= set(names)
    run("shellcheck", "-x", *names, cwd=root)


def test_cpp_is_formatted(root, need, run):
    need("clang-format")
    run(root / "scripts" / "format", "--check")


@pytest.mark.parametrize("script", ["setup", "demo", "test", "format"])
def test_an_unknown_option_is_64(root, script):
    command = [root / "scripts" / script, "--no-such-option"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 64
    assert f"usage: scripts/{script}" in done.stderr


def test_a_second_setup_has_nothing_to_do(root, run, product_build):
    shown = run(root / "scripts" / "setup", "--with-tests")
    assert shown.startswith("Building … done")
    assert len(shown.splitlines()) == 1

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


@pytest.mark.parametrize("script", ["bench", "setup", "demo", "test", "format"])
def test_an_unknown_option_is_64(root, script):
    command = [root / "scripts" / script, "--no-such-option"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 64
    assert f"usage: scripts/{script}" in done.stderr


def test_setup_tells_whoever_is_not_in_the_group(root):
    """As a user without rights, where the shared store is root's; the path is that of `su`."""
    as_nobody = "setpriv --reuid 65534 --regid 65534 --clear-groups env PATH=/usr/bin:/bin"
    begin = "mount -t tmpfs -o mode=0755 none /var/lib/locker && "

    def call(script):
        words = ["unshare", "--mount", "sh", "-c", begin + f"{as_nobody} {script}"]
        return subprocess.run(words, capture_output=True, text=True, check=False, cwd=root)

    if call(f"test -r {root}/scripts/setup").returncode != 0:
        pytest.skip("no such user or mount namespace can be had here, or no /var/lib/locker")
    done = call("scripts/setup --system")
    assert done.returncode == 0, done
    assert done.stdout.splitlines()[-1] == "As root: adduser nobody locker; then log in again."


def test_a_second_setup_has_nothing_to_do(root, run, product_build):
    shown = run(root / "scripts" / "setup", "--with-tests")
    assert shown.startswith("Building … done")
    assert len(shown.splitlines()) == 1

"""What the command says when ZooKeeper does not answer, refuses, or is named wrongly.

approved/NAME.txt is what the user reads; with LOCKER_APPROVE=1 it is written instead of compared.
"""

import re
import socket
import time

import pytest

from conftest import SLOW, finish
from test_messages import approve
from zookeeper_client import NO_AUTH, ZooKeeperClient, ZooKeeperError
from zookeeper_server import free_port

DAY = ("ods.user_info", "dt=20230501")


def approve_address(bench, name, text):
    """An address differs from run to run as well."""
    text = text.replace(str(bench.folder).encode(), b"FOLDER")
    text = re.sub(rb"127\.0\.0\.1:\d+", b"SERVER", text)
    text = text.replace(bench.chroot.encode() if hasattr(bench, "chroot") else b"\0", b"/CHROOT")
    approve(bench, name, text)


def write_file(bench, name, text, mode=0o600):
    path = bench.folder / name
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)
    return path


@pytest.mark.parametrize("words", [["run", *DAY, "true"], ["ls"], ["doctor"], ["verify"], ["try", *DAY]])
def test_B06_no_server_is_told_in_time(bench, words):
    url = f"zk://127.0.0.1:{free_port()}/lake"
    begin = time.monotonic()
    done = bench.call(words[0], "--url", url, "--connect-timeout", "1s", *words[1:])
    assert done.returncode == 69, done
    assert time.monotonic() - begin < 1 + 4 * SLOW
    approve_address(bench, "no_server", done.stderr)


def test_B06_two_servers_that_do_not_answer_are_both_named(bench):
    """One refuses, the other accepts and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        other = f"127.0.0.1:{silent.getsockname()[1]}"
        url = f"zk://127.0.0.1:{free_port()},{other}/lake"
        begin = time.monotonic()
        done = bench.call("ls", "--url", url, "--connect-timeout", "1s")
    assert done.returncode == 69 and time.monotonic() - begin < 1 + 4 * SLOW, done
    assert other.encode() in done.stderr, done


def test_B06_a_name_without_an_address(bench):
    done = bench.call("ls", "--url", "zk://no-such-host.invalid/lake", "--connect-timeout", "2s")
    assert done.returncode == 69 and b"no-such-host.invalid" in done.stderr, done


def test_L10_a_server_that_accepts_and_says_nothing_is_unavailable(bench):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"zk://127.0.0.1:{silent.getsockname()[1]}/lake"
        begin = time.monotonic()
        done = bench.call("run", "-w", "1", "--url", url, *DAY, "true")
        assert done.returncode == 69, done
        assert 1 <= time.monotonic() - begin < 1 + 4 * SLOW


BAD_URLS = {
    "wrong_chroot": "zk://zk1:2181/lake/hive_locks",
    "unknown_parameter": "zk://zk1/lake?authfile=/etc/locker/identity",
    "no_host": "zk:///lake",
}


@pytest.mark.parametrize("name", BAD_URLS)
def test_B06_a_wrong_url(bench, name):
    done = bench.call("ls", "--url", BAD_URLS[name])
    assert done.returncode == 64
    approve(bench, name, done.stderr)
    done = bench.call("ls", env={"LOCKER_BACKEND": BAD_URLS[name]})
    assert done.returncode == 78 and b"environment LOCKER_BACKEND: url: " in done.stderr
    folder = bench.folder / "config" / "locker"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text('{"url": "%s"}' % BAD_URLS[name])
    del bench.environment["LOCKER_BACKEND"]
    done = bench.call("ls")
    assert done.returncode == 78 and b"config.json: url: " in done.stderr


@pytest.mark.parametrize(
    "url",
    ["zk://", "zk://a,,b", "zk://a:0", "zk://a:99999", "zk://a:x/lake", "zk://a/la//ke", "zk://a/./b",
     "zk://[::1/x", "zk://a/lake?relay=perhaps", "zoo://a", "zk:a"],
)
def test_B06_no_url(bench, url):
    done = bench.call("ls", "--url", url, "--connect-timeout", "1s")
    assert done.returncode == 64 and done.stderr.startswith(b"locker: --url: "), done


def test_an_auth_file_that_others_can_read(bench):
    path = write_file(bench, "identity", "etl:secret\n", 0o644)
    done = bench.call("ls", "--url", f"zk://zk1/lake?auth_file={path}")
    assert done.returncode == 64
    approve(bench, "open_auth_file", done.stderr)
    done = bench.call("ls", env={"LOCKER_BACKEND": f"zk://zk1/lake?auth_file={path}"})
    assert done.returncode == 78


def test_a_new_tree_is_told_once(zookeeper):
    url = zookeeper.server.url + zookeeper.chroot + "/laek"
    done = zookeeper.call("run", "--url", url, *DAY, "true")
    assert done.returncode == 0
    approve_address(zookeeper, "new_tree", done.stderr)
    assert zookeeper.call("run", "--url", url, *DAY, "true").stderr == b""
    with zookeeper.client() as look:
        assert look.exists(f"{zookeeper.chroot}/laek/hive_locks/.format") is not None


def owned_by(zookeeper, digest):
    """A tree that another identity made."""
    path = write_file(zookeeper, "owner", digest + "\n")
    url = f"{zookeeper.server.url}{zookeeper.chroot}/secret?auth_file={path}"
    assert zookeeper.code("run", "--url", url, *DAY, "true") == 0
    return url


def test_B09_no_permission(zookeeper):
    url = owned_by(zookeeper, "etl:right")
    begin = time.monotonic()
    done = zookeeper.call("run", "--url", url.split("?")[0], *DAY, "true")
    assert done.returncode == 77 and time.monotonic() - begin < 5 * SLOW
    approve_address(zookeeper, "no_identity", done.stderr)


@pytest.mark.parametrize("command", [["run", *DAY, "true"], ["ls"], ["doctor"], ["try", *DAY]])
def test_L30_a_wrong_identity(zookeeper, command):
    url = owned_by(zookeeper, "etl:right")
    wrong = write_file(zookeeper, "wrong", "etl:wrong\n")
    begin = time.monotonic()
    done = zookeeper.call(command[0], "--url", f"{url.split('?')[0]}?auth_file={wrong}", *command[1:])
    assert done.returncode == 77 and time.monotonic() - begin < 5 * SLOW, done
    approve_address(zookeeper, "wrong_identity", done.stderr)


def test_L30_the_right_identity_keeps_strangers_out(zookeeper):
    url = owned_by(zookeeper, "etl:right")
    done = zookeeper.call("doctor", "--url", url)
    assert done.returncode == 0 and b"open to everyone" not in done.stderr
    tree = f"{zookeeper.chroot}/secret/hive_locks"
    with zookeeper.client() as stranger:
        for forbidden in (lambda: stranger.children(tree), lambda: stranger.get(tree + "/.format"),
                          lambda: stranger.create(tree + "/x"), lambda: stranger.acl(tree)):
            with pytest.raises(ZooKeeperError) as refused:
                forbidden()
            assert refused.value.code == NO_AUTH
    with ZooKeeperClient.of(zookeeper.server, credentials="etl:right") as one_of_ours:
        assert not any(scheme == "world" for _, scheme, _ in one_of_ours.acl(tree))


def test_a_newer_format_is_refused(zookeeper):
    with zookeeper.client() as hand:
        hand.set(zookeeper.path("/.format"), b'{"version":3,"least_reader":3}')
    done = zookeeper.call("ls")
    assert done.returncode == 78
    approve_address(zookeeper, "newer_format", done.stderr)


def test_config_show_and_version(zookeeper):
    done = zookeeper.call("config", "show", "--origin")
    assert zookeeper.store.encode() in done.stdout and b"environment LOCKER_BACKEND" in done.stdout
    version = zookeeper.call("--version").stdout.decode()
    assert re.search(r"^backend zk: .*ZooKeeper.* \d+\.\d+\.\d+", version, re.M), version
    assert re.search(r"^backend local: SQLite \d+\.\d+", version, re.M), version


@pytest.mark.parametrize("code", [75])
def test_busy_and_timed_out_are_told_as_on_every_backend(zookeeper, code):
    holder = zookeeper.hold(*DAY, options=["--owner", "nightly", "--reason", "daily load"])
    done = zookeeper.call("run", "-n", *DAY, "true")
    assert done.returncode == code
    approve(zookeeper, "busy", done.stderr)
    done = zookeeper.call("run", "-q", "-w", "0.1", *DAY, "true")
    assert done.returncode == code
    assert b"was not free within 100ms" in done.stderr
    waiter = zookeeper.start("run", "-q", "-w", "inf", *DAY, "true")
    zookeeper.wait_for_waiters(1)
    assert holder.release() == 0
    assert finish(waiter)[0] == 0

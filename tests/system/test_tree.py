"""What stands in ZooKeeper's tree: who may touch it, where it is, and that it goes again."""

import base64
import hashlib
import json
import os
import shutil
import signal
import tempfile

import pytest

import faketime
import zookeeper_server
from conftest import need
from cutting_proxy import CuttingProxy
from peers import LIVENESS, LOCKER, Site, boot_ns, eventually
from zookeeper_client import ALL, CONTAINER, NO_AUTH, READ, ZooKeeperClient, ZooKeeperError
from zookeeper_server import ZooKeeperServer

FULL = "LOCKER_TEST_FULL" in os.environ


def hold(peer, spec, **options):
    held = peer.lock(spec, **options)
    held.wait("granted")
    return held


def digest_of(credentials):
    """The name of a digest identity, as access lists have it."""
    user = credentials.partition(":")[0]
    return user + ":" + base64.b64encode(hashlib.sha1(credentials.encode()).digest()).decode()


@pytest.fixture
def identities(tmp_path):
    """name → the parameter of a URL that names its auth file."""
    parameters = {}
    for name, credentials in {"u": "u:secret", "v": "v:other", "wrong": "u:wrong"}.items():
        path = tmp_path / f"auth-{name}"
        path.write_text(credentials + "\n")
        path.chmod(0o600)
        parameters[name] = f"?auth_file={path}"
    return parameters


# Who may touch it.


def test_L30_another_identity_is_told_so_at_once(identities, tmp_path):
    need(zookeeper_server.missing_parts())
    with ZooKeeperServer() as server:
        with ZooKeeperClient.of(server, credentials="u:secret") as admin:
            admin.create("/hive_locks", b"", CONTAINER, [(ALL, "digest", digest_of("u:secret"))])
            site = Site(server, tmp_path)
            try:
                url = {name: site.url + text for name, text in identities.items()}
                for name in ("v", "wrong"):
                    begin = boot_ns()
                    done = site.call("run", "db.t", "dt=1", "--", "true", url=url[name])
                    assert done.returncode == 77, done.stderr
                    assert (boot_ns() - begin) / 1e9 < LIVENESS
                owner = site.peer(url=url["u"])
                held = hold(owner, "db.t/dt=1")
                assert site.call("run", "-w", "0", "db.t", "dt=1", "--", "true", url=url["u"]).returncode == 75
                (node,) = [name for name in admin.children("/hive_locks/db/t/dt=1") if name.startswith("lock_")]
                with ZooKeeperClient.of(server, credentials="v:other") as stranger:
                    with pytest.raises(ZooKeeperError) as refused:
                        stranger.delete(f"/hive_locks/db/t/dt=1/{node}")
                assert refused.value.code == NO_AUTH
                owner.unlock(held)
            finally:
                site.end()


def test_B09_a_directory_of_another_identity_is_unauthorized_without_a_storm(site, server, identities, tree):
    foreign = [(ALL, "digest", digest_of("v:other"))]
    peer = site.peer(url=site.url + identities["u"])
    peer.unlock(hold(peer, "db.foreign/dt=1"))
    with ZooKeeperClient.of(server, credentials="u:secret") as admin:
        admin.create("/hive_locks/db/foreign/dt=9", b"", CONTAINER, foreign)
        before = server.monitor()["zk_packets_received"]
        failed = peer.lock("db.foreign/dt=9").wait("failed")
        assert failed.rest.startswith("unauthorized")
        assert server.monitor()["zk_packets_received"] - before < 200
        done = site.call("run", "db.foreign", "dt=9", "--", "true", url=site.url + identities["u"])
        assert done.returncode == 77, done.stderr
        admin.delete("/hive_locks/db/foreign/dt=9")


def test_S04_with_credentials_the_world_may_read_at_most(identities, tmp_path):
    need(zookeeper_server.missing_parts())
    with ZooKeeperServer() as server:
        site = Site(server, tmp_path)
        site.url += identities["u"]
        try:
            peer, waiter = site.peer(), site.peer()
            held = [hold(peer, "db.t/dt=1", owner="o"), hold(peer, "db.u", owner="o")]
            waiter.lock("db.t/dt=1,db.t/dt=2").wait("waiting")
            peer.record(held[0], "S04").wait("recorded")
            assert site.call("table", "register", "db.t", "dt").returncode == 0
            assert site.call("precreate", "--column", "dt", "--days", "2", "db.p").returncode == 0
            with ZooKeeperClient.of(server, credentials="u:secret") as look:
                paths = list(look.walk("/"))
                assert len([path for path in paths if "/lock_" in path]) >= 4
                for path in paths:
                    for rights, scheme, name in look.acl(path):
                        assert scheme != "world" or rights & ~READ == 0, f"{path}: {rights} for {name}"
        finally:
            site.end()


# Where it is.


def test_L29_a_chroot_is_made_and_never_shown(site, tree):
    url = site.url + "/lake/of/locks"
    for _ in range(2):  # It is missing, then there.
        peer = site.peer(url=url)
        held = hold(peer, "db.t/dt=29")
        listed = site.call("ls", "-o", "jsonl", url=url)
        assert "lake" not in json.dumps([json.loads(line)["resource"] for line in listed.stdout.splitlines()])
        assert tree.exists("/lake/of/locks/hive_locks/db/t/dt=29")
        assert not tree.exists("/lake/of/locks/lake")
        peer.unlock(held)
        peer.end()


def test_L39_a_listing_shows_owners_of_other_hosts_in_queue_order(for_everyone, ensemble):
    """Three jobs from three hosts and two users; a fourth host asks."""
    cluster, jobs = for_everyone, []
    for name, user in (("a", "root"), ("b", "daemon"), ("c", "root")):
        there = ["unshare", "--uts", "sh", "-c", f"hostname job-{name}; exec \"$@\"", "-"]
        there += ["setpriv", "--reuid", user, "--regid", user, "--clear-groups"] if user != "root" else []
        process = cluster.start(
            "run", "-q", "--owner", f"etl-{name}", "--reason", f"reason {name}", "db.t", "dt=39", "--",
            "sh", "-c", "read nothing", "secret-argument", host=ensemble.host(name), prefix=there,
        )
        jobs.append(process)
        eventually(lambda: len(rows(cluster, ensemble)) == len(jobs) or process.poll(), f"job {name}'s place")
        assert process.poll() is None, process.stderr.read()
    found = rows(cluster, ensemble)
    assert [row["state"] for row in found] == ["holds", "waits", "waits"]
    owners = [row["owner"] for row in found]
    assert [owner["host"] for owner in owners] == ["job-a", "job-b", "job-c"]
    assert [owner["user"] for owner in owners] == ["root", "daemon", "root"]
    assert [owner["application"] for owner in owners] == ["etl-a", "etl-b", "etl-c"]
    assert [owner["pid"] for owner in owners] == [job.pid for job in jobs]
    assert all(owner["command"] and "secret-argument" not in owner["command"] for owner in owners)
    assert found[0]["token"] < found[1]["token"] < found[2]["token"]
    assert [row["blocked_by"] for row in found[:2]] == [[], [found[0]["request"]]]
    assert found[0]["request"] in found[2]["blocked_by"] or found[1]["request"] in found[2]["blocked_by"]
    text = cluster.call("ls", "db.t", "dt=39", host=ensemble.host("d")).stdout
    assert text.index("job-a") < text.index("job-b") < text.index("job-c")
    for job in jobs:
        job.stdin.close()
    assert [job.wait(LIVENESS) for job in jobs] == [1, 1, 1]  # `read` met the end of its input


@pytest.fixture
def for_everyone(cluster):
    """Lets other users run the command, too: only root can become one of them."""
    need([] if os.geteuid() == 0 else ["the right to become another user"])
    with tempfile.TemporaryDirectory(prefix="locker-test-") as folder:
        os.chmod(folder, 0o755)
        cluster.program = shutil.copy(LOCKER, folder)
        cluster.environment |= {"HOME": folder, "XDG_CONFIG_HOME": f"{folder}/config"}
        yield cluster


def rows(site, ensemble):
    """The listing from a host of its own."""
    done = site.call("ls", "-o", "jsonl", "db.t", "dt=39", host=ensemble.host("d"))
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


# That it goes again.


def test_L27_empty_directories_go_and_the_living_stay(tmp_path):
    need(zookeeper_server.missing_parts())
    count = 40000 if FULL else 400
    with ZooKeeperServer(container_interval_ms=1000) as server:
        site = Site(server, tmp_path)
        try:
            peer = site.peer()
            living = hold(peer, "db.t/dt=living")
            assert site.call("table", "register", "db.registered", "dt").returncode == 0
            assert site.call("precreate", "--column", "dt", "--days", "3", "db.ahead").returncode == 0
            with ZooKeeperClient.of(server) as tree:
                ahead = tree.children("/hive_locks/db/ahead")
                for first in range(0, count, 200):
                    numbers = range(first, min(first + 200, count))
                    for held in [peer.lock(f"db.t/dt={number}") for number in numbers]:
                        held.wait("granted")
                        peer.ask("unlock", held.key)
                eventually(lambda: tree.children("/hive_locks/db/t") == ["dt=living"], "empty directories' end", LIVENESS * 4)
                assert peer.look(living) == "held"
                assert tree.exists("/hive_locks/db/registered")
                assert len(ahead) >= 3 and tree.children("/hive_locks/db/ahead") == ahead
                assert tree.children("/hive_locks/.owners")
            peer.unlock(living)
        finally:
            site.end()


def test_L27_a_directory_that_never_had_a_lock_goes_by_doctor(tmp_path):
    """Its client was killed between making the directory and the lock in it."""
    need(zookeeper_server.missing_parts() + faketime.missing_parts())
    with ZooKeeperServer(container_interval_ms=500) as server:
        site = Site(server, tmp_path)
        try:
            with CuttingProxy(server.address, server.port) as proxy:
                peer = site.peer(url=proxy.url)
                order = proxy.cut(makes_a_place_in_a_new_directory(server), side="request", then="stall")
                peer.lock("db.never/dt=1")
                eventually(order.done.is_set, "the create")
                peer.process.send_signal(signal.SIGKILL)
            with ZooKeeperClient.of(server) as tree:
                assert tree.exists("/hive_locks/db/never/dt=1")
                # Young ones may be about to be used.
                assert site.call("doctor", "--clean").returncode == 0
                assert tree.exists("/hive_locks/db/never/dt=1")
            server.stop()
            server.prefix = faketime.with_clock("+10m")
            server.start()
            assert site.call("doctor", "--clean").returncode == 0
            with ZooKeeperClient.of(server) as tree:
                assert not tree.exists("/hive_locks/db/never/dt=1")
        finally:
            site.end()


def makes_a_place_in_a_new_directory(server):
    """The create of a lock's node once its directory is there."""

    def wanted(request):
        if not (request.is_create and any("/never/dt=1/lock_" in path for path in request.paths)):
            return False
        with ZooKeeperClient.of(server) as look:
            return look.exists("/hive_locks/db/never/dt=1") is not None

    return wanted

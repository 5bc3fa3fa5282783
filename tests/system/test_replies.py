"""Replies that are lost: nothing is enqueued twice, nothing stays, and the next one gets its turn."""


from peers import eventually
from zookeeper_client import ZooKeeperClient

DIRECTORY = "/hive_locks/db/t/dt=1"
SPEC = "db.t/dt=1"


def is_enqueue(request):
    """The create of a place in a queue, alone or in a multi."""
    return request.is_create and any("/lock_" in path for path in request.paths)


def is_leave(request):
    return "delete" in request.kinds and any("/lock_" in path for path in request.paths)


def places(tree, directory=DIRECTORY):
    """The lock nodes of a queue."""
    tree.sync()
    return [name for name in tree.children(directory) if name.startswith("lock_")]


def test_L08_a_swallowed_reply_to_the_create_enqueues_once(site, server, proxy, tree):
    through, direct = site.peer(url=proxy.url), site.peer()
    through.unlock(lock_of(through))  # The directory is there.
    order = proxy.cut(is_enqueue, then="stall")
    held = through.lock(SPEC)
    eventually(order.done.is_set, "the create")
    assert len(places(tree)) == 1
    proxy.close_all()
    held.wait("granted")
    assert len(places(tree)) == 1
    through.unlock(held)
    assert not places(tree)
    direct.unlock(lock_of(direct))


def lock_of(peer, spec=SPEC):
    held = peer.lock(spec)
    held.wait("granted")
    return held


def test_R12_a_reply_cut_at_any_byte_leaves_one_place_and_then_none(site, server, proxy, tree):
    """The reply to a create is 4 + 16 bytes of head and the node's name; the cut goes through all."""
    peer = site.peer(url=proxy.url)
    peer.unlock(lock_of(peer))
    cuts = 0
    for at_byte in range(121):
        for side in ("reply", "request") if at_byte % 24 == 0 else ("reply",):
            order = proxy.cut(is_enqueue, at_byte=at_byte, side=side)
            held = peer.lock(SPEC)
            held.wait("granted")
            assert order.done.is_set()
            assert len(places(tree)) == 1, f"cut at byte {at_byte} of the {side}"
            peer.unlock(held)
            eventually(lambda: not places(tree), "an empty queue")
            cuts += 1
    assert cuts == 121 + 6


def test_R12_a_set_whose_reply_is_cut_stands_once(site, server, proxy, tree):
    """One multi makes all members, so a lost reply loses all of them or none."""
    peer = site.peer(url=proxy.url)
    spec = ",".join(f"db.sets/dt={number}" for number in range(5))
    peer.unlock(lock_of(peer, spec))
    for at_byte in range(0, 400, 10):
        order = proxy.cut(is_enqueue, at_byte=at_byte)
        held = peer.lock(spec)
        held.wait("granted")
        assert order.done.is_set()
        for number in range(5):
            assert len(places(tree, f"/hive_locks/db/sets/dt={number}")) == 1
        peer.unlock(held)
        for number in range(5):
            assert not places(tree, f"/hive_locks/db/sets/dt={number}")


def test_R14_a_release_whose_reply_is_lost_is_finished(site, server, proxy, tree):
    peer = site.peer(url=proxy.url)
    for side in ("reply", "request"):
        held = lock_of(peer)
        order = proxy.cut(is_leave, side=side)
        done = peer.ask("unlock", held.key)
        eventually(order.done.is_set, "the delete")
        eventually(lambda: done.said("unlocked", "failed"), "the unlock's end")
        eventually(lambda: not places(tree), "an empty queue")
        # The same process gets it again, by a new node.
        again = lock_of(peer)
        assert again.said("granted")[0].rest > held.said("granted")[0].rest
        peer.unlock(again)


def test_R14_a_release_while_nobody_answers_is_finished_when_somebody_does(site, server, proxy, tree):
    peer = site.peer(url=proxy.url, connect_ms=1000)
    held = lock_of(peer)
    proxy.stall()
    unlocked = peer.ask("unlock", held.key)
    proxy.close_all()
    proxy.go_on()
    eventually(lambda: unlocked.said("unlocked", "failed"), "the unlock's end")
    eventually(lambda: not places(tree), "an empty queue")


def test_R30_tokens_rise_when_a_directory_is_deleted_and_made_again(site, server, tree):
    """A node's number within its directory starts again; a token does not."""
    peer = site.peer()
    first = lock_of(peer, "db.again/dt=1")
    peer.unlock(first)
    for path in ("/hive_locks/db/again/dt=1", "/hive_locks/db/again"):
        for child in tree.children(path):
            tree.delete(f"{path}/{child}")
        tree.delete(path)
    second = lock_of(peer, "db.again/dt=1")
    with ZooKeeperClient.of(server) as look:
        (node,) = places(look, "/hive_locks/db/again/dt=1")
    assert node.endswith("0000000000")
    assert second.said("granted")[0].rest > first.said("granted")[0].rest
    peer.unlock(second)

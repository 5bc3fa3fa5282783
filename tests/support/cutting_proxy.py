#!/usr/bin/python3
"""A proxy before a ZooKeeper server that cuts connections where it is told to.

usage: cutting_proxy.py --to HOST:PORT [--latency-ms N]

As a program it prints the address on which it listens, and serves until its input ends. Tests use
the class, which knows requests from replies: `cut` loses the reply to a chosen request from a chosen
byte on, `stall` lets nothing pass, `latency_ms` holds every byte back for a time each way.
"""

import argparse
import collections
import dataclasses
import queue
import socket
import struct
import sys
import threading
import time

from zookeeper_frames import frames, read_reply_xid, read_request


# Others wait meanwhile; a server on this host answers at once or not at all.
DIAL_S = 2


@dataclasses.dataclass
class Cut:
    """An order, and what came of it.

    wanted: a function of a Request that says whether it counts. nth: the order is for the nth of
    these, from 1, over all connections. at_byte: so much of the reply still passes (its length comes
    first, 4 bytes); at most all of it. side: "reply", or "request", which then never reaches the
    server whole. then: "close" ends the connection both ways, "reset" with a reset, "stall" leaves it
    open and silent. before: called when the reply has come and nothing of it has passed. `done` is
    set once it happened; `request` and `size` say to what.
    """

    wanted: object
    nth: int = 1
    at_byte: int = 0
    side: str = "reply"
    then: str = "close"
    before: object = lambda: None
    done: threading.Event = dataclasses.field(default_factory=threading.Event)
    request: object = None
    size: int = 0


class Way:
    """One direction to one socket; holds bytes back for the latency."""

    def __init__(self, target, latency_s):
        self.target = target
        self.latency_s = latency_s
        if latency_s:
            self.queue = queue.SimpleQueue()
            self.thread = threading.Thread(target=self.deliver, daemon=True)
            self.thread.start()

    def send(self, piece):
        if self.latency_s:
            self.queue.put((time.monotonic() + self.latency_s, piece))
        else:
            self.put(piece)

    def close(self):
        """Ends this direction behind what was sent."""
        self.send(None)

    def await_end(self):
        """Waits until that has been sent."""
        if self.latency_s:
            self.thread.join()

    def put(self, piece):
        try:
            if piece is None:
                self.target.shutdown(socket.SHUT_WR)
            else:
                self.target.sendall(piece)
        except OSError:
            pass  # The other end is gone; its own direction says so.

    def deliver(self):
        while True:
            due, piece = self.queue.get()
            time.sleep(max(0.0, due - time.monotonic()))
            self.put(piece)
            if piece is None:
                return


class Connection:
    """One client's connection and its own to the server."""

    def __init__(self, proxy, client, server):
        self.proxy = proxy
        self.client = client
        self.server = server
        for end in (client, server):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.pending = collections.defaultdict(collections.deque)
        self.silent = threading.Event()
        self.with_reset = False
        self.open_ways = 2
        self.threads = [
            threading.Thread(target=self.pump, args=(client, server, self.see_request), daemon=True),
            threading.Thread(target=self.pump, args=(server, client, self.see_reply), daemon=True),
        ]
        for thread in self.threads:
            thread.start()

    def pump(self, source, target, see):
        way = Way(target, self.proxy.latency_ms / 1000)
        first = True
        try:
            for frame, framed in frames(source.recv):
                order = see(frame, first) if framed else None
                first = False
                self.proxy.await_passage()
                if self.silent.is_set():
                    continue
                if order is not None:
                    self.obey(order, way, frame)
                else:
                    way.send(frame)
        except OSError:
            pass
        if not self.silent.is_set() and not self.with_reset:
            way.close()
            way.await_end()
        with self.proxy.lock:
            self.open_ways -= 1
            ended = self.open_ways == 0
        if ended:
            self.client.close()
            self.server.close()

    def see_request(self, frame, first):
        request = read_request(frame, first)
        order = self.proxy.order_for(request)
        if order is not None and order.side == "request":
            return order
        self.pending[request.xid].append(order)
        return None

    def see_reply(self, frame, first):
        waiting = self.pending[0 if first else read_reply_xid(frame)]
        return waiting.popleft() if waiting else None

    def obey(self, order, way, frame):
        order.size = len(frame)
        order.before()
        way.send(frame[: order.at_byte])
        if order.then == "stall":
            self.silent.set()
        else:
            self.close(with_reset=order.then == "reset")
        order.done.set()

    def close(self, with_reset=False):
        """Ends both directions now; a reset is sent when the last reader has let go."""
        self.with_reset = with_reset
        for end in (self.client, self.server):
            try:
                if with_reset:
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                end.shutdown(socket.SHUT_RD if with_reset else socket.SHUT_RDWR)
            except OSError:
                pass


class CuttingProxy:
    """Listens on a free port of 127.0.0.1, or on a station, and forwards to a server.

    open_socket makes the socket to listen with, dial_socket those towards the server; a proxy may
    so stand between two stations.
    """

    def __init__(self, server_address, server_port, *, latency_ms=0, address="127.0.0.1",
                 open_socket=socket.socket, dial_socket=socket.socket):
        self.target = (server_address, server_port)
        self.latency_ms = latency_ms
        self.dial_socket = dial_socket
        self.orders = []
        self.lock = threading.Lock()
        self.connections = []
        self.passage = threading.Event()
        self.passage.set()
        self.refuses = False
        self.listener = open_socket(socket.AF_INET, socket.SOCK_STREAM)
        self.listener.bind((address, 0))
        self.listener.listen(1024)
        self.address, self.port = self.listener.getsockname()
        self.thread = threading.Thread(target=self.accept, daemon=True)
        self.thread.start()

    @property
    def host_port(self):
        return f"{self.address}:{self.port}"

    @property
    def url(self):
        return f"zk://{self.host_port}"

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            if self.refuses:
                client.close()
                continue
            server = self.dial_socket(socket.AF_INET, socket.SOCK_STREAM)
            server.settimeout(DIAL_S)
            try:
                server.connect(self.target)
            except OSError:
                client.close()
                server.close()
                continue
            server.settimeout(None)
            self.connections.append(Connection(self, client, server))

    # Orders.

    def cut(self, wanted, **options):
        """Orders a cut; see Cut. Each order is for one request."""
        order = Cut(wanted, **options)
        with self.lock:
            self.orders.append(order)
        return order

    def order_for(self, request):
        """The order that this request is the nth of."""
        with self.lock:
            for order in self.orders:
                if order.wanted(request):
                    order.nth -= 1
                    if order.nth == 0:
                        order.request = request
                        self.orders.remove(order)
                        return order
        return None

    def await_passage(self):
        self.passage.wait()

    def stall(self):
        """From now on nothing passes either way; connections are accepted all the same."""
        self.passage.clear()

    def go_on(self):
        """Ends `stall`: what was held back passes."""
        self.passage.set()

    def close_all(self, with_reset=False):
        """Ends every connection; new ones are served."""
        for connection in self.connections:
            connection.close(with_reset)

    def end(self):
        self.refuses = True
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join()
        self.go_on()
        self.close_all()
        for connection in self.connections:
            for thread in connection.threads:
                thread.join()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--to", required=True, metavar="HOST:PORT")
    parser.add_argument("--latency-ms", type=float, default=0, help="added each way")
    options = parser.parse_args()
    host, _, port = options.to.rpartition(":")
    with CuttingProxy(host, int(port), latency_ms=options.latency_ms) as proxy:
        print(proxy.host_port, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()

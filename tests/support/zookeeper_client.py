"""A client for looking at a server's tree, and for what a test has to do to it: a few blocking calls.

It shares no code with what is tested. Nothing keeps its session alive between calls, so it asks for a
long one.
"""

import contextlib
import itertools
import socket
import struct

SLOW_S = 30

PERSISTENT, EPHEMERAL, SEQUENTIAL, CONTAINER = 0, 1, 2, 4
READ, WRITE, CREATE, DELETE, ADMIN, ALL = 1, 2, 4, 8, 16, 31
NO_NODE, NO_AUTH, BAD_VERSION, NODE_EXISTS, NOT_EMPTY = -101, -102, -103, -110, -111
WORLD = [(ALL, "world", "anyone")]


class ZooKeeperError(Exception):
    """A server's refusal; `code` is its number."""

    def __init__(self, code):
        super().__init__(f"ZooKeeper says {code}")
        self.code = code


class Stat:
    """A node's Stat."""

    FIELDS = ("czxid", "mzxid", "ctime", "mtime", "version", "cversion", "aversion", "ephemeral_owner",
              "data_length", "children", "pzxid")
    FORM = ">qqqqiiiqiiq"

    def __init__(self, frame, offset):
        for name, value in zip(self.FIELDS, struct.unpack_from(self.FORM, frame, offset)):
            setattr(self, name, value)


def text(value):
    raw = value.encode() if isinstance(value, str) else value
    return struct.pack(">i", len(raw)) + raw


def access_list(acl):
    parts = [struct.pack(">i", len(acl))]
    parts += [struct.pack(">i", rights) + text(scheme) + text(name) for rights, scheme, name in acl]
    return b"".join(parts)


class ZooKeeperClient:
    """One session on one server. Paths and names are bytes where they are no UTF-8."""

    def __init__(self, address, port, *, timeout_ms=600000, open_socket=socket.socket, credentials=None):
        self.xids = itertools.count(1)
        self.line = open_socket(socket.AF_INET, socket.SOCK_STREAM)
        self.line.settimeout(SLOW_S)
        self.line.connect((address, port))
        self.send(struct.pack(">iqiq", 0, 0, timeout_ms, 0) + text(b"\0" * 16) + b"\0")
        _, self.timeout_ms, self.session = struct.unpack_from(">iiq", self.receive())
        if credentials:
            self.call(100, struct.pack(">i", 0) + text("digest") + text(credentials), xid=-4)

    @classmethod
    def of(cls, server, **options):
        """A client of a ZooKeeperServer, wherever that is."""
        return cls(server.address, server.port, open_socket=server.open_socket, **options)

    def send(self, body):
        self.line.sendall(struct.pack(">i", len(body)) + body)

    def read(self, size):
        parts = b""
        while len(parts) < size:
            part = self.line.recv(size - len(parts))
            if not part:
                raise ConnectionError("the server closed the connection")
            parts += part
        return parts

    def receive(self):
        return self.read(struct.unpack(">i", self.read(4))[0])

    def call(self, kind, body, xid=None):
        """Sends a request and gives the reply's body."""
        xid = next(self.xids) if xid is None else xid
        self.send(struct.pack(">ii", xid, kind) + body)
        while True:
            reply = self.receive()
            got, _, code = struct.unpack_from(">iqi", reply)
            if got == xid:
                break
        if code != 0:
            raise ZooKeeperError(code)
        return reply[16:]

    # Verbs.

    def create(self, path, data=b"", flags=PERSISTENT, acl=WORLD):
        """Makes a node; its name as the server gave it."""
        kind = 19 if flags == CONTAINER else 1
        reply = self.call(kind, text(path) + text(data) + access_list(acl) + struct.pack(">i", flags))
        return reply[4 : 4 + struct.unpack_from(">i", reply)[0]].decode(errors="surrogateescape")

    def delete(self, path, version=-1):
        self.call(2, text(path) + struct.pack(">i", version))

    def set(self, path, data, version=-1):
        return Stat(self.call(5, text(path) + text(data) + struct.pack(">i", version)), 0)

    def get(self, path):
        """Data and Stat."""
        reply = self.call(4, text(path) + b"\0")
        size = max(struct.unpack_from(">i", reply)[0], 0)
        return reply[4 : 4 + size], Stat(reply, 4 + size)

    def exists(self, path):
        """The Stat, or None."""
        with contextlib.suppress(ZooKeeperError):
            return self.get(path)[1]
        return None

    def children(self, path):
        """The names of the children, sorted; empty where there is no node."""
        try:
            reply = self.call(8, text(path) + b"\0")
        except ZooKeeperError as error:
            if error.code != NO_NODE:
                raise
            return []
        names, offset = [], 4
        for _ in range(struct.unpack_from(">i", reply)[0]):
            size = struct.unpack_from(">i", reply, offset)[0]
            names.append(reply[offset + 4 : offset + 4 + size].decode(errors="surrogateescape"))
            offset += 4 + size
        return sorted(names)

    def acl(self, path):
        """The access list: (rights, scheme, name) each."""
        reply = self.call(6, text(path))
        found, offset = [], 4
        for _ in range(struct.unpack_from(">i", reply)[0]):
            words = []
            rights = struct.unpack_from(">i", reply, offset)[0]
            offset += 4
            for _ in range(2):
                size = struct.unpack_from(">i", reply, offset)[0]
                words.append(reply[offset + 4 : offset + 4 + size].decode())
                offset += 4 + size
            found.append((rights, *words))
        return found

    def sync(self, path="/"):
        """What was committed before is seen after."""
        self.call(9, text(path))

    def walk(self, path="/"):
        """All paths below, parents first; ZooKeeper's own nodes are left out."""
        for name in self.children(path):
            child = f"{path.rstrip('/')}/{name}"
            if child != "/zookeeper":
                yield child
                yield from self.walk(child)

    def end(self):
        """Ends the session, and with it its ephemeral nodes."""
        with contextlib.suppress(OSError):
            self.call(-11, b"")
        self.line.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

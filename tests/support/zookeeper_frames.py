"""As much of ZooKeeper's wire format as a proxy needs to know which request a reply belongs to."""

import dataclasses
import struct

KINDS = {
    1: "create", 2: "delete", 3: "exists", 4: "get", 5: "set", 6: "get_acl", 7: "set_acl",
    8: "children", 9: "sync", 11: "ping", 12: "children2", 13: "check", 14: "multi", 15: "create2",
    18: "remove_watches", 19: "create_container", 21: "create_ttl", 22: "multi_read",
    100: "auth", 101: "set_watches", 105: "set_watches2", -11: "close",
}
# A longer first frame is none: a four-letter word or TLS.
LONGEST_FRAME = 8 * 1024 * 1024


@dataclasses.dataclass
class Request:
    """One request as the client sent it.

    kinds: its kind, and behind a multi's the kinds of its operations, as in ["multi", "create",
    "create"]. paths: the paths of its operations. The first frame of a connection is a "connect".
    """

    xid: int
    kinds: list
    paths: list

    @property
    def is_create(self):
        """Whether it makes a node."""
        return any(kind.startswith("create") for kind in self.kinds)


class Reader:
    """Reads the fields of a frame in their order."""

    def __init__(self, frame, offset):
        self.frame = frame
        self.offset = offset

    def number(self):
        self.offset += 4
        return struct.unpack_from(">i", self.frame, self.offset - 4)[0]

    def skip(self, size):
        self.offset += size

    def text(self):
        size = max(self.number(), 0)
        self.skip(size)
        return self.frame[self.offset - size : self.offset]

    def skip_operation(self, kind):
        """The rest of a multi's operation behind its path."""
        if kind.startswith("create"):
            self.text()
            for _ in range(self.number()):
                self.skip(4)
                self.text()
                self.text()
            self.skip(4)
            if kind == "create_ttl":
                self.skip(8)
        elif kind == "set":
            self.text()
            self.skip(4)
        elif kind in ("delete", "check"):
            self.skip(4)


def read_request(frame, first):
    """The request in a whole frame, its length included."""
    if first:
        return Request(0, ["connect"], [])
    reader = Reader(frame, 4)
    xid, kind = reader.number(), KINDS.get(reader.number(), "unknown")
    request = Request(xid, [kind], [])
    if kind == "multi":
        read_operations(reader, request)
    elif kind not in ("ping", "auth", "close", "unknown") and not kind.startswith("set_watches"):
        request.paths.append(reader.text().decode(errors="replace"))
    return request


def read_operations(reader, request):
    while True:
        number, last = reader.number(), reader.frame[reader.offset]
        reader.skip(5)
        if last:
            return
        kind = KINDS.get(number, "unknown")
        request.kinds.append(kind)
        request.paths.append(reader.text().decode(errors="replace"))
        reader.skip_operation(kind)


def read_reply_xid(frame):
    return struct.unpack_from(">i", frame, 4)[0]


def frames(receive):
    """Pairs of a piece of a stream and whether it is a whole frame, its length included.

    A stream that does not begin with a frame is never cut into any.
    """
    buffer, framed = b"", True
    while piece := receive(65536):
        buffer += piece
        while framed and len(buffer) >= 4:
            size = 4 + struct.unpack_from(">I", buffer)[0]
            framed = size <= LONGEST_FRAME
            if not framed or len(buffer) < size:
                break
            yield buffer[:size], True
            buffer = buffer[size:]
        if not framed:
            yield buffer, False
            buffer = b""

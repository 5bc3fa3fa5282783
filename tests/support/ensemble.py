"""Three real ZooKeeper servers, each on a station of a network of the test's own."""

import time

from network import Network
from zookeeper_server import SLOW, ServerFailed, ZooKeeperServer

PORT = 2181
QUORUM_S = 60 * SLOW


class Ensemble:
    """The servers, `servers[0..2]`, and the network with them; more stations by `host`.

    A test may kill, stop, pause and cut as it likes; `mend` brings everything back.
    """

    def __init__(self, *, tick_ms=500, config=None, folders=None, **options):
        self.network = Network()
        self.stations = [self.network.station(f"server{number + 1}") for number in range(3)]
        common = {"initLimit": 20, "syncLimit": 4} | dict(config or {})
        for number, station in enumerate(self.stations, 1):
            common[f"server.{number}"] = f"{station.address}:2888:3888"
        self.servers = [
            ZooKeeperServer(
                address=station.address, port=PORT, tick_ms=tick_ms, config=common, server_id=number,
                prefix=station.command(), open_socket=station.socket,
                folder=(folders or {}).get(number - 1), **options,
            )
            for number, station in enumerate(self.stations, 1)
        ]
        self.hosts = {}

    # Addresses.

    @property
    def connect_string(self):
        return ",".join(server.host_port for server in self.servers)

    @property
    def url(self):
        return f"zk://{self.connect_string}"

    def host(self, name):
        """A station for clients, made at its first use."""
        if name not in self.hosts:
            self.hosts[name] = self.network.station(name)
        return self.hosts[name]

    def station_of(self, server):
        return self.stations[self.servers.index(server)]

    # Starting and ending.

    def start(self):
        self.await_start(self.servers)
        self.leader()
        return self

    def await_start(self, servers):
        """Starts servers together: none of them serves before a quorum is up."""
        for server in servers:
            server.launch()
        for server in servers:
            server.await_ready()

    def leader(self):
        """The server that leads, once there is one."""
        end = time.monotonic() + QUORUM_S
        while time.monotonic() < end:
            for server in self.servers:
                if server.running() and server.mode() == "leader":
                    return server
            time.sleep(0.02)
        logs = "\n".join(server.log_end(10) for server in self.servers)
        raise ServerFailed(f"nobody leads:\n{logs}")

    def followers(self):
        leader = self.leader()
        return [server for server in self.servers if server is not leader]

    def mend(self):
        """Heals all cuts and brings every server back; returns when all of them serve."""
        self.network.heal()
        for server in self.servers:
            server.go_on()
        self.await_start([server for server in self.servers if not server.running()])
        for server in self.servers:
            server.await_ready()
        self.leader()

    def end(self):
        for server in self.servers:
            server.end()
        self.network.end()

    def __enter__(self):
        try:
            return self.start()
        except BaseException:
            self.end()
            raise

    def __exit__(self, *_):
        self.end()

    # Cuts.

    def cut_off(self, host, *, how="drop", both_ways=True):
        """Cuts a host off from all servers. One way only: what the servers say is lost."""
        for station in self.stations:
            self.network.cut(station, host, how=how, both_ways=both_ways)

    def isolate(self, server, *, how="drop"):
        """Cuts a server off from everybody."""
        self.network.cut(self.station_of(server), how=how)

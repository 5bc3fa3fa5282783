"""A real ZooKeeper server of a test's own: on a free port, in a temporary folder, ended by its pid."""

import errno
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time

SLOW = float(os.environ.get("LOCKER_TEST_SLOW", "1"))
# A server is there in under a second; only a failure takes this long.
START_S = 60 * SLOW
STOP_S = 10 * SLOW

DEBIAN_JARS = ("/usr/share/java/slf4j-simple.jar", "/usr/share/java/zookeeper.jar")
MAIN_CLASS = "org.apache.zookeeper.server.quorum.QuorumPeerMain"
# A server's memory and its start matter more here than its speed after an hour.
JVM_OPTIONS = (
    "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Djava.net.preferIPv4Stack=true",
    "-Dorg.slf4j.simpleLogger.showDateTime=true",
    "-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS",
)
# Below the ports that the kernel gives to outgoing connections, so that none of these takes the port
# while a server restarts.
PORTS = range(15000, 32000)


class ServerFailed(Exception):
    """A server did not come up; the text has the end of its log."""


class PortTaken(ServerFailed):
    """Somebody else listens on the chosen port."""


def class_path():
    """The jars: what LOCKER_TEST_ZOOKEEPER_CLASSPATH names, else Debian's."""
    return os.environ.get("LOCKER_TEST_ZOOKEEPER_CLASSPATH") or ":".join(DEBIAN_JARS)


def missing_parts():
    """What a server needs and this host does not have; empty if it can run."""
    missing = [] if shutil.which("java") else ["java"]
    return missing + [jar for jar in class_path().split(":") if not os.path.exists(jar)]


def free_port(address="127.0.0.1", open_socket=socket.socket):
    """A port on which nobody listens just now; somebody may a moment later."""
    while True:
        port = random.choice(PORTS)
        with open_socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            try:
                probe.bind((address, port))
                return port
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise


class ZooKeeperServer:
    """One server process.

    config: lines for zoo.cfg beyond the defaults, name → text. java: more words for the JVM.
    prefix: words before `java`, such as a namespace's. open_socket: how a socket is made that reaches
    the server. The kernel kills the server when the thread that started it ends, however it ends.
    """

    def __init__(self, *, address="127.0.0.1", port=None, tick_ms=500, config=None, java=(),
                 container_interval_ms=None, folder=None, prefix=(), open_socket=socket.socket,
                 server_id=None):
        self.address = address
        self.port = port
        self.chosen_port = port is not None
        self.config = {
            "tickTime": tick_ms,
            # The default, 20 ticks, is less than what users of a longer tick get; a client that only
            # looks at the tree sends no pings.
            "maxSessionTimeout": 600000,
            "admin.enableServer": "false",
            "4lw.commands.whitelist": "*",
            "maxClientCnxns": 0,
            "preAllocSize": 1024,
        } | dict(config or {})
        self.java = list(java)
        if container_interval_ms is not None:
            self.java += [
                f"-Dznode.container.checkIntervalMs={container_interval_ms}",
                "-Dznode.container.maxPerMinute=1000000",
            ]
        self.own_folder = None if folder else tempfile.TemporaryDirectory(prefix="zookeeper-test-")
        self.folder = pathlib.Path(folder or self.own_folder.name)
        self.prefix = list(prefix)
        self.open_socket = open_socket
        self.server_id = server_id
        self.process = None

    # Addresses and files.

    @property
    def host_port(self):
        return f"{self.address}:{self.port}"

    @property
    def url(self):
        return f"zk://{self.host_port}"

    @property
    def pid(self):
        return self.process.pid

    @property
    def log(self):
        return self.folder / "server.log"

    def log_end(self, lines=30):
        if not self.log.exists():
            return "(no log)"
        return "\n".join(self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])

    # Starting and ending.

    def start(self):
        """Starts it and waits until it serves; without a port of the caller's, on a free one."""
        while True:
            if not self.chosen_port:
                self.port = free_port(self.address, self.open_socket)
            try:
                self.launch()
                self.await_ready()
                self.chosen_port = True  # It keeps its port over restarts.
                return self
            except PortTaken:
                if self.chosen_port:
                    raise

    def launch(self):
        """Starts the process and returns at once."""
        data = self.folder / "data"
        data.mkdir(parents=True, exist_ok=True)
        if self.server_id is not None:
            (data / "myid").write_text(str(self.server_id), encoding="ascii")
        own = {"dataDir": data, "clientPort": self.port, "clientPortAddress": self.address}
        file = self.folder / "zoo.cfg"
        text = "".join(f"{name}={value}\n" for name, value in (own | self.config).items())
        file.write_text(text, encoding="utf-8")
        command = ["java", *JVM_OPTIONS, *self.java, "-cp", class_path(), MAIN_CLASS, str(file)]
        with open(self.log, "ab") as log:
            self.log_start = log.tell()
            self.process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", "--", *self.prefix, *command],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder,
            )

    def await_ready(self):
        """Waits until it serves clients, it and not another server on the same port."""
        end = time.monotonic() + START_S
        while not self.serves():
            if self.process.poll() is not None:
                said = self.log.read_bytes()[self.log_start :].decode(errors="replace")
                kind = PortTaken if "BindException" in said else ServerFailed
                raise kind(f"the server on {self.host_port} ended at once:\n{self.log_end()}")
            if time.monotonic() > end:
                raise ServerFailed(f"the server on {self.host_port} is not ready:\n{self.log_end()}")
            time.sleep(0.02)

    def serves(self):
        """Whether it answers as itself and, being one of several, belongs to a quorum."""
        try:
            return f"dataDir={self.folder}/data/".encode() in self.four_letter("conf", timeout_s=1)
        except OSError:
            return False

    def mode(self):
        """"standalone", "leader", "follower", or None while it serves nobody."""
        try:
            lines = self.four_letter("srvr").decode(errors="replace").splitlines()
        except OSError:
            return None
        return next((line[6:] for line in lines if line.startswith("Mode: ")), None)

    def running(self):
        return self.process is not None and self.process.poll() is None

    def kill(self):
        """kill -9."""
        if self.running():
            self.process.kill()
            self.process.wait()

    def stop(self):
        """Ends it in its own way, or by force if it does not."""
        if not self.running():
            return
        self.go_on()
        self.process.terminate()
        try:
            self.process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self.kill()

    def restart(self):
        """Ends it if it runs, and starts it on the same port and data."""
        self.stop()
        return self.start()

    def pause(self):
        """SIGSTOP; back when the kernel says that it is stopped."""
        self.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)

    def go_on(self):
        """SIGCONT."""
        if self.running():
            self.process.send_signal(signal.SIGCONT)

    def end(self):
        """Ends it and removes its folder if it made that."""
        self.kill()
        if self.own_folder is not None:
            self.own_folder.cleanup()

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.end()

    # Looking at it.

    def four_letter(self, word, timeout_s=None):
        """What it answers to a four-letter word such as `srvr`, `mntr`, `cons`, `wchs`."""
        with self.open_socket(socket.AF_INET, socket.SOCK_STREAM) as line:
            line.settimeout(timeout_s or 5 * SLOW)
            line.connect((self.address, self.port))
            line.sendall(word.encode())
            parts = []
            while part := line.recv(65536):
                parts.append(part)
            return b"".join(parts)

    def monitor(self):
        """The figures of `mntr`, name → number or text."""
        figures = {}
        for line in self.four_letter("mntr").decode(errors="replace").splitlines():
            name, _, text = line.partition("\t")
            figures[name] = int(text) if text.lstrip("-").isdigit() else text
        return figures

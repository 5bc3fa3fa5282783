#!/usr/bin/python3
"""Runs a program beside two real ZooKeeper servers that speak TLS, and ends them with it.

usage: with_tls_zookeeper.py -- PROGRAM ARGUMENT…

The program finds them in LOCKER_TEST_ZOOKEEPER_TLS (localhost:PORT; it takes clients without a
certificate) and LOCKER_TEST_ZOOKEEPER_MUTUAL_TLS (localhost:PORT; it takes none), the first one's plain port in
LOCKER_TEST_ZOOKEEPER (127.0.0.1:PORT), and the folder of the certificates in LOCKER_TEST_CERTIFICATES.
Where ZooKeeper is not installed the exit code is 77, "skipped", with one line saying so; with CI set
that is a failure.
"""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))

import certificates  # pylint: disable=wrong-import-position
import zookeeper_server  # pylint: disable=wrong-import-position

SKIPPED = 77
# Debian's jar names only a part of what its TLS needs.
NETTY_JARS = ("/usr/share/java/netty-codec.jar", "/usr/share/java/netty-resolver.jar")


class TlsServer(zookeeper_server.ZooKeeperServer):
    """A server with a TLS port beside its plain one."""

    def __init__(self, folder, client_certificates):
        super().__init__(config={
            "serverCnxnFactory": "org.apache.zookeeper.server.NettyServerCnxnFactory",
            "secureClientPortAddress": "127.0.0.1",
            "ssl.keyStore.location": f"{folder}/server.pem",
            "ssl.trustStore.location": f"{folder}/ca.pem",
            "ssl.clientAuth": client_certificates,
        })

    def launch(self):
        self.config["secureClientPort"] = zookeeper_server.free_port(self.address, self.open_socket)
        super().launch()

    @property
    def tls_host_port(self):
        return f"localhost:{self.config['secureClientPort']}"


def main():
    program = sys.argv[sys.argv.index("--") + 1 :]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    os.environ["LOCKER_TEST_ZOOKEEPER_CLASSPATH"] = ":".join(zookeeper_server.DEBIAN_JARS + NETTY_JARS)
    missing = zookeeper_server.missing_parts()
    if missing:
        print(f"no ZooKeeper server with TLS on this host: {', '.join(missing)} not found")
        return 1 if os.environ.get("CI") else SKIPPED
    with tempfile.TemporaryDirectory(prefix="locker-certificates-") as folder:
        certificates.make(pathlib.Path(folder))
        with TlsServer(folder, "none") as plain, TlsServer(folder, "need") as mutual:
            given = {
                "LOCKER_TEST_CERTIFICATES": folder,
                "LOCKER_TEST_ZOOKEEPER": plain.host_port,
                "LOCKER_TEST_ZOOKEEPER_TLS": plain.tls_host_port,
                "LOCKER_TEST_ZOOKEEPER_MUTUAL_TLS": mutual.tls_host_port,
            }
            command = ["setpriv", "--pdeathsig", "KILL", "--", *program]
            code = subprocess.run(command, env=os.environ | given, check=False).returncode
            if code != 0:
                print(plain.log_end(), mutual.log_end(), sep="\n", file=sys.stderr)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())

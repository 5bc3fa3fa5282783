#!/usr/bin/python3
"""Makes the TLS certificates that the tests need, anew for each run.

usage: certificates.py -- PROGRAM ARGUMENT…

The program finds the folder in LOCKER_TEST_CERTIFICATES. Every `.pem` holds a certificate and what it
rests on; a server's has its key too, as ZooKeeper wants it, and a client's key stands beside it.
"""

import datetime
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

DAY = datetime.timedelta(days=1)
CA_CONFIG = """
[ca]
default_ca = own
[own]
dir = .
new_certs_dir = .
database = index.txt
serial = serial
default_md = sha256
policy = any
email_in_dn = no
copy_extensions = none
unique_subject = no
[any]
commonName = supplied
"""
HERE = "DNS:localhost,DNS:server.example,IP:127.0.0.1,IP:::1"


def openssl(folder, *words):
    done = subprocess.run(["openssl", *words], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"openssl {' '.join(words)}: {done.stderr}")


def new_key(folder, name):
    key = folder / f"{name}.key"
    openssl(folder, "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "sec1.key")
    openssl(folder, "pkcs8", "-topk8", "-nocrypt", "-in", "sec1.key", "-out", key.name)
    key.chmod(0o600)
    return key


class Authority:
    """A CA: `<name>.pem`, `<name>.key`."""

    def __init__(self, folder, name, above=None):
        self.folder, self.name, self.above = folder, name, above
        (folder / "ca.cnf").write_text(CA_CONFIG, encoding="ascii")
        (folder / "index.txt").touch()
        if not (folder / "serial").exists():
            (folder / "serial").write_text("01", encoding="ascii")
        if above:
            above.issue(name, extensions="basicConstraints=critical,CA:true")
        else:
            new_key(folder, name)
            openssl(folder, "req", "-x509", "-new", "-key", f"{name}.key", "-subj", f"/CN={name}",
                    "-days", "3", "-out", f"{name}.pem")

    def issue(self, name, names=None, extensions="basicConstraints=CA:false", begin=-DAY, end=3 * DAY):
        """`<name>.pem` and `<name>.key`, valid from now + begin to now + end."""
        folder = self.folder
        new_key(folder, name)
        text = extensions + (f"\nsubjectAltName={names}" if names else "")
        (folder / "extensions.cnf").write_text(text, encoding="ascii")
        openssl(folder, "req", "-new", "-key", f"{name}.key", "-subj", f"/CN={name}", "-out", "request.csr")
        now = datetime.datetime.now(datetime.timezone.utc)
        openssl(folder, "ca", "-config", "ca.cnf", "-batch", "-notext", "-cert", f"{self.name}.pem",
                "-keyfile", f"{self.name}.key", "-extfile", "extensions.cnf", "-in", "request.csr",
                "-startdate", f"{now + begin:%Y%m%d%H%M%SZ}", "-enddate", f"{now + end:%Y%m%d%H%M%SZ}",
                "-out", f"{name}.pem")
        if self.above:
            with open(folder / f"{name}.pem", "a", encoding="ascii") as chain:
                chain.write((folder / f"{self.name}.pem").read_text(encoding="ascii"))


def put_key_in(folder, name):
    """Servers' files hold key and certificates."""
    file = folder / f"{name}.pem"
    text = (folder / f"{name}.key").read_text(encoding="ascii") + file.read_text(encoding="ascii")
    file.write_text(text, encoding="ascii")
    file.chmod(0o600)


def make(folder):
    """Everything, into an existing folder."""
    authority = Authority(folder, "ca")
    other = Authority(folder, "other_ca")
    below = Authority(folder, "below_ca", above=authority)
    authority.issue("server", HERE)
    authority.issue("wrong_host", "DNS:another.example,IP:192.0.2.1")
    authority.issue("expired", HERE, begin=-3 * DAY, end=-DAY)
    authority.issue("early", HERE, begin=DAY)
    other.issue("other_server", HERE)
    below.issue("chained", HERE)
    for name in ("server", "wrong_host", "expired", "early", "other_server", "chained"):
        put_key_in(folder, name)
    authority.issue("client")
    other.issue("other_client")
    authority.issue("expired_client", begin=-3 * DAY, end=-DAY)
    openssl(folder, "pkcs8", "-topk8", "-in", "client.key", "-passout", "pass:secret",
            "-out", "locked.key")
    (folder / "locked.key").chmod(0o600)


def main():
    program = sys.argv[sys.argv.index("--") + 1 :]
    # Being told to end ends the program too, and cleans up.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with tempfile.TemporaryDirectory(prefix="locker-certificates-") as folder:
        make(pathlib.Path(folder))
        command = ["setpriv", "--pdeathsig", "KILL", "--", *program]
        given = {"LOCKER_TEST_CERTIFICATES": folder}
        code = subprocess.run(command, env=os.environ | given, check=False).returncode
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/python3
"""Runs a program beside a ZooKeeper server of its own, and ends the server with it.

usage: with_zookeeper.py [options] -- PROGRAM ARGUMENT…

The program finds the server in LOCKER_TEST_ZOOKEEPER (127.0.0.1:PORT) and LOCKER_CONFORMANCE_URL
(zk://127.0.0.1:PORT). Its exit code is passed on. Where ZooKeeper is not installed the exit code is
77, "skipped", with one line saying so; with CI set that is a failure.
"""

import argparse
import os
import pathlib
import shutil
import signal
import subprocess
import sys

from zookeeper_server import ZooKeeperServer, missing_parts

SKIPPED = 77


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tick-ms", type=int, default=500, help="the server's tick")
    parser.add_argument("--container-interval-ms", type=int, help="how often it removes empty containers")
    parser.add_argument("--config", action="append", default=[], metavar="NAME=TEXT", help="a line of zoo.cfg")
    parser.add_argument("--java", action="append", default=[], metavar="WORD", help="a word for the JVM")
    parser.add_argument("program", nargs="+")
    return parser.parse_args()


def keep_log(server):
    """Puts the log where the results are, or shows its end."""
    results = os.environ.get("LOCKER_TEST_RESULTS")
    if results and pathlib.Path(results).is_dir():
        kept = pathlib.Path(results) / f"zookeeper-{os.getpid()}.log"
        shutil.copyfile(server.log, kept)
        print(f"the log of ZooKeeper is {kept}", file=sys.stderr)
    else:
        print(server.log_end(), file=sys.stderr)


def run_beside(server, program):
    """Runs the program; signals go to it, and its end ends this."""
    given = {
        "LOCKER_TEST_ZOOKEEPER": server.host_port,
        "LOCKER_CONFORMANCE_URL": server.url,
    }
    command = ["setpriv", "--pdeathsig", "KILL", "--", *program]
    with subprocess.Popen(command, env=os.environ | given) as child:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda got, _: child.send_signal(got))
        code = child.wait()
    return code if code >= 0 else 128 - code


def main():
    options = arguments()
    missing = missing_parts()
    if missing:
        print(f"no ZooKeeper server on this host: {', '.join(missing)} not found")
        return 1 if os.environ.get("CI") else SKIPPED
    # Being told to end while the server starts ends it too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    server = ZooKeeperServer(
        tick_ms=options.tick_ms,
        container_interval_ms=options.container_interval_ms,
        config=dict(each.split("=", 1) for each in options.config),
        java=options.java,
    )
    with server:
        code = run_beside(server, options.program)
        if code not in (0, SKIPPED):
            keep_log(server)
    return code


if __name__ == "__main__":
    sys.exit(main())

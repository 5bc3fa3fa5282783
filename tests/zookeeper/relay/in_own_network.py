#!/usr/bin/python3
"""Runs a program in a network of its own, in which there is loopback and nothing else.

usage: in_own_network.py -- PROGRAM ARGUMENT…

The program is root there and may cut what it likes. Where this host can't make such a network the exit
code is 77, "skipped", with one line saying so; with CI set that is a failure.
"""

import os
import pathlib
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))

import network  # pylint: disable=wrong-import-position

SKIPPED = 77


def main():
    program = sys.argv[sys.argv.index("--") + 1 :]
    # Being told to end ends the program too, and cleans up.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    missing = network.missing_parts()
    if missing:
        print(f"no network of its own on this host: {', '.join(missing)} not found")
        return 1 if os.environ.get("CI") else SKIPPED
    network.remove_what_dead_tests_left()
    alone = network.Namespace("relay")
    try:
        command = ["setpriv", "--pdeathsig", "KILL", "--", *alone.command(*program)]
        code = subprocess.run(command, check=False).returncode
    finally:
        alone.end()
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())

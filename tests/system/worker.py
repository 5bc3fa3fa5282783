#!/usr/bin/python3
"""The command under a lock: worker.py FILE [--ignore-term] [--linger-ms N] [--grandchild]

Writes lines "<boot time in ns> EVENT TEXT" into FILE: begin (with the token), alive every few
milliseconds, term, end. It ends when its standard input does. With --linger-ms it lives on so long
after TERM; with --ignore-term it does not obey TERM; with --grandchild a child of it writes too.
"""

import argparse
import os
import select
import signal
import sys
import time

INTERVAL_S = 0.01


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--ignore-term", action="store_true")
    parser.add_argument("--linger-ms", type=int, default=0)
    parser.add_argument("--grandchild", action="store_true")
    options = parser.parse_args()
    file = os.open(options.file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def write(event, text="-"):
        now = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        os.write(file, f"{now} {event} {text}\n".encode())

    def on_term(*_):
        write("term")
        if options.ignore_term:
            return
        end = time.monotonic() + options.linger_ms / 1000
        while time.monotonic() < end:
            time.sleep(INTERVAL_S)
            write("alive")
        write("end", "term")
        if options.linger_ms:
            os._exit(0)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTERM)

    signal.signal(signal.SIGTERM, on_term)
    if options.grandchild and os.fork() == 0:
        while True:
            time.sleep(INTERVAL_S)
            write("alive", "grandchild")
    write("begin", os.environ.get("LOCKER_TOKEN", "-"))
    while True:
        if select.select([sys.stdin], [], [], INTERVAL_S)[0] and not sys.stdin.read(1):
            write("end", "input")
            return 0
        write("alive")


if __name__ == "__main__":
    sys.exit(main())

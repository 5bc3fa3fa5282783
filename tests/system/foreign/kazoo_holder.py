"""kazoo's lock on one directory, for the tests that let it meet the library there.

kazoo_holder.py HOST:PORT PATH SESSION_TIMEOUT_MS reads commands, one a line: "acquire" says
"acquired" when it is, "release" says "released", "count N FILE" adds one to the number in the file N
times, each time under the lock, and says "counted".
"""

import pathlib
import sys

from kazoo.client import KazooClient


def add_one(file):
    number = int(file.read_text()) if file.exists() else 0
    file.write_text(f"{number + 1}\n")


def obey(lock, words):
    if words[0] == "acquire":
        lock.acquire()
        return "acquired"
    if words[0] == "release":
        lock.release()
        return "released"
    for _ in range(int(words[1])):
        with lock:
            add_one(pathlib.Path(words[2]))
    return "counted"


def main():
    address, path, session_ms = sys.argv[1:]
    client = KazooClient(hosts=address, timeout=int(session_ms) / 1000)
    client.start(timeout=30)
    lock = client.Lock(path, extra_lock_patterns=["-lock-"])
    print("connected", flush=True)
    for line in sys.stdin:
        print(obey(lock, line.split()), flush=True)
    client.stop()
    client.close()


if __name__ == "__main__":
    main()

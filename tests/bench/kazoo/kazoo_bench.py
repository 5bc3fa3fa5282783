"""kazoo in the scenarios of the benchmark: kazoo_bench.py SCENARIO HOST:PORT."""

import json
import os
import sys
import threading
import time

from kazoo.client import KazooClient

TASKS = 16
WAITER_SESSIONS = 25
SESSIONS = {"contended": TASKS, "waiters": WAITER_SESSIONS}


class Bench:
    """Some sessions, and what each scenario does with them."""

    def __init__(self, address, sessions):
        self.clients = [KazooClient(hosts=address, timeout=30) for _ in range(sessions)]
        for client in self.clients:
            client.start(timeout=30)
        self.kept = []

    def lock(self, client, partition):
        path = f"/kazoo/bench/library/dt={partition}"
        return self.clients[client % len(self.clients)].Lock(path)

    def serial(self, seconds):
        lock = self.lock(0, 0)
        begin, cycles = time.monotonic(), 0
        while time.monotonic() - begin < seconds:
            cycle(lock)
            cycles += 1
        return cycles, time.monotonic() - begin

    def tasks(self, one_partition, seconds):
        counts, stop = [0] * TASKS, threading.Event()

        def work(task, lock):
            while not stop.is_set():
                cycle(lock)
                counts[task] += 1

        begin = time.monotonic()
        threads = [
            start(work, task, self.lock(task, 0 if one_partition else task)) for task in range(TASKS)
        ]
        time.sleep(seconds)
        stop.set()
        for thread in threads:
            thread.join()
        return sum(counts), time.monotonic() - begin

    def parallel(self, seconds):
        return self.tasks(False, seconds)

    def contended(self, seconds):
        return self.tasks(True, seconds)

    def waiters(self, count):
        """A holder and a queue behind it; each lets go as soon as it is granted."""
        held = self.lock(0, 0)
        held.acquire()
        threads = [start(cycle, self.lock(task, 0)) for task in range(int(count))]
        while len(held.contenders()) < count + 1:
            time.sleep(0.1)
        begin = time.monotonic()
        held.release()
        for thread in threads:
            thread.join()
        return int(count) + 1, time.monotonic() - begin

    def held(self, count):
        """Takes that many locks and keeps them."""

        def take(first):
            for partition in range(first, int(count), TASKS):
                lock = self.lock(0, partition)
                lock.acquire()
                self.kept.append(lock)

        begin = time.monotonic()
        for thread in [start(take, task) for task in range(TASKS)]:
            thread.join()
        return int(count), time.monotonic() - begin


def cycle(lock):
    lock.acquire()
    lock.release()


def start(work, *arguments):
    """A thread whose failure is the program's."""

    def guarded():
        try:
            work(*arguments)
        except BaseException as error:  # Whatever it is, a run with a failure measures nothing.
            print(repr(error), file=sys.stderr, flush=True)
            os._exit(1)

    thread = threading.Thread(target=guarded)
    thread.start()
    return thread


def resident_bytes():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def main():
    scenario, address = sys.argv[1:]
    bench = Bench(address, SESSIONS.get(scenario, 1))
    print(json.dumps({"ready": True}), flush=True)
    # Amounts on the standard input, one line of JSON for each on the standard output.
    for line in sys.stdin:
        operations, seconds = getattr(bench, scenario)(float(line))
        outcome = {"operations": operations, "seconds": seconds, "resident_bytes": resident_bytes()}
        print(json.dumps(outcome), flush=True)
    os._exit(0)  # No time for good-byes: the server ends with the benchmark.


if __name__ == "__main__":
    main()

"""Many faults of all kinds in a random order, under load; with --full at least 200 and 50,000 cycles.

The seed is printed, and LOCKER_TEST_SEED repeats an order of faults.
"""

import json
import os
import random
import time

from history import History, check_count
from peers import LIVENESS, boot_ns, eventually
from test_leaders import FULL, grants_so_far, load, longest_gap_s, nothing_left, some_more_grants

FAULTS = 200 if FULL else 8
CYCLES = 50000 if FULL else 300
SEED = int(os.environ.get("LOCKER_TEST_SEED", "0")) or random.SystemRandom().randrange(1, 10**9)
HOSTS = ("a", "b", "c", "d")


def while_it_lasts(seconds):
    """Lets a fault last."""
    end = boot_ns() + seconds * 1e9
    eventually(lambda: boot_ns() > end, within=seconds + LIVENESS)


class Storm:
    """The faults; each leaves the ensemble in need of `mend` at most."""

    def __init__(self, ensemble, chance):
        self.ensemble = ensemble
        self.chance = chance

    def any_host(self):
        return self.ensemble.host(self.chance.choice(HOSTS))

    def kill_leader(self):
        self.ensemble.leader().kill()

    def kill_follower(self):
        self.chance.choice(self.ensemble.followers()).kill()

    def restart_leader(self):
        self.ensemble.leader().restart()

    def stop_leader(self):
        self.ensemble.leader().pause()
        while_it_lasts(self.chance.uniform(0.2, 4))

    def stop_follower(self):
        self.chance.choice(self.ensemble.followers()).pause()
        while_it_lasts(self.chance.uniform(0.2, 4))

    def isolate_leader(self):
        self.ensemble.isolate(self.ensemble.leader())
        while_it_lasts(self.chance.uniform(0.2, 4))

    def cut_host(self):
        self.ensemble.cut_off(self.any_host())
        while_it_lasts(self.chance.uniform(0.2, 8))

    def cut_replies(self):
        self.ensemble.cut_off(self.any_host(), both_ways=False)
        while_it_lasts(self.chance.uniform(0.2, 8))

    def reset_connections(self):
        self.ensemble.cut_off(self.any_host(), how="reset")
        while_it_lasts(self.chance.uniform(0.05, 1))

    def lose_packets(self):
        self.ensemble.network.lose(self.any_host(), self.chance.uniform(0.05, 0.4))
        while_it_lasts(self.chance.uniform(0.5, 4))

    def restart_all(self):
        for server in self.ensemble.servers:
            server.kill()
        self.ensemble.mend()


KINDS = [name for name in vars(Storm) if not name.startswith("_") and name != "any_host"]


def test_R06_R07_R08_R11_a_storm_of_faults_leaves_the_history_right(cluster, ensemble, tmp_path):
    print(f"LOCKER_TEST_SEED={SEED}")
    chance = random.Random(SEED)
    storm = Storm(ensemble, chance)
    kinds = [KINDS[number % len(KINDS)] for number in range(FAULTS)]
    chance.shuffle(kinds)
    folder = tmp_path / "load"
    begin = time.monotonic()
    with load(cluster, folder, [ensemble.host(name) for name in HOSTS], hold_ms=3, session_ms=4000):
        some_more_grants(folder)
        for kind in kinds:
            print(f"{time.monotonic() - begin:7.1f} s {kind}", flush=True)
            getattr(storm, kind)()
            ensemble.mend()
            some_more_grants(folder)
        eventually(lambda: grants_so_far(folder) >= CYCLES, f"{CYCLES} cycles", LIVENESS * 40)
    history = History(folder).check(ordered=False)
    check_count(folder, history)
    nothing_left(ensemble)
    report(history, kinds, time.monotonic() - begin)


def report(history, kinds, seconds):
    """The figures, for docs/robustness.md."""
    figures = {
        "seed": SEED, "faults": len(kinds), "grants": len(history.grants), "losses": history.losses,
        "failures": dict(history.failures), "seconds": round(seconds),
        "longest_gap_s": round(longest_gap_s(history), 1),
    }
    print(json.dumps(figures))
    folder = os.environ.get("LOCKER_TEST_RESULTS")
    if folder:
        with open(os.path.join(folder, "storm.figures"), "w", encoding="utf-8") as file:
            json.dump(figures, file)
